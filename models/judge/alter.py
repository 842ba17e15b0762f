"""Changes one thing that a statement says, or says the same in other words."""

import re
from functools import lru_cache

OPPOSITES = """
always/never  must/must not  must/may  may/must not  may/may not  should/should not  can/cannot  will/will not
is/is not  are/are not  was/was not  were/were not  is/is never  are/are never  is always/is never  are always/are never  must always/must never  will always/will never
has been/has not been  have been/have not been
do not need to/must  does not need to/must
all/only some  every/no  only/also  none of/all of  both/only one of  nothing/everything  anyone/no one  anything/nothing
at most/at least  up to/at least  no more than/more than  more than/fewer than  greater than/less than  larger than/smaller than
longer than/shorter than  higher than/lower than  newer than/older than  earlier than/later than
before/after  with a/without a  with an/without an  with any/without any  without>with  still/no longer  already/not yet  even if/only if  if/unless  once per/twice per  only once/several times  once a day/twice a day  exactly once/at most twice
enabled/disabled  enables/disables  required/optional  mandatory/optional  allowed/forbidden  permitted/prohibited
supported/not supported  public/private  internal/external  synchronous/asynchronous  synchronously/asynchronously
manual/automatic  manually/automatically  immediately/eventually  temporary/permanent  temporarily/permanently
inside/outside  encrypted/unencrypted  ascending/descending  inclusive/exclusive  included/excluded  includes/excludes
accepts/rejects  accepted/rejected  allows/prevents  increases/decreases  increase/decrease  starts/stops  adds/removes
added/removed  opens/closes  succeeds/fails  mutable/immutable  blocking/non-blocking  persistent/ephemeral
stateless/stateful  deprecated/recommended  minimum/maximum  lowest/highest  first/last  input/output  incoming/outgoing
source/destination  parent/child  client/server  local/remote  primary/replica  active/inactive  visible/hidden
case-sensitive/case-insensitive  case sensitive/case insensitive  read-only/writable  lazily/eagerly  locally/remotely
manual/scheduled  signed/unsigned  single/multiple  static/dynamic  explicit/implicit  explicitly/implicitly  empty/non-empty
valid/invalid  trusted/untrusted  authenticated/anonymous  strict/lenient  sequentially/in parallel  ordered/unordered
horizontal/vertical  horizontally/vertically  left/right  top/bottom  upper/lower  positive/negative  online/offline
kept/deleted  preserved/discarded  retained/discarded  ignored/respected  cached/never cached  available/unavailable
inherited/not inherited  rounded up/rounded down  compressed/uncompressed  globally/per project  cannot be changed/can be changed
"""
# Values of which something has one.
EXCLUSIVE = """
PostgreSQL, MySQL, SQLite, MariaDB, Oracle, MongoDB, DynamoDB, Cassandra | Redis, Memcached
JSON, XML, YAML, CSV, TOML, Protobuf | gRPC, REST, GraphQL, SOAP | Kafka, RabbitMQ, SQS | HTTP, HTTPS, FTP | TCP, UDP
AWS, GCP, Azure | SHA-256, SHA-1, MD5, SHA-512 | RSA, Ed25519, ECDSA | AES-128, AES-256 | IPv4, IPv6 | UTF-8, UTF-16, ASCII
Python, Java, Rust, Ruby, JavaScript, TypeScript | Linux, Windows, macOS | Docker, Podman | Debian, Ubuntu, Fedora
GET, POST, PUT, DELETE, PATCH | true, false | True, False | yes, no | INFO, DEBUG, WARNING, ERROR
string, integer, boolean | strings, integers, booleans | list, dictionary, tuple | row, column, table | rows, columns
millisecond, second, minute, hour, day, week, month, year | milliseconds, seconds, minutes, hours, days, weeks, months, years
bytes, kilobytes, megabytes, gigabytes | KB, MB, GB, TB | KiB, MiB, GiB | hourly, daily, weekly, monthly, yearly, quarterly
Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday | two, three, four, five, six, seven, eight, ten, twelve
January, February, March, April, June, July, August, September, October, November, December
administrator, owner, viewer, editor | administrators, owners, viewers, editors | process, thread | processes, threads
stdout, stderr | production, staging, development | file, directory, database | files, directories | disk, memory
camelCase, snake_case, PascalCase | tabs, spaces | username, password, token | cookie, header, query string
key, value | request, response | requests, responses | user, administrator | creates, deletes, updates | created, deleted, updated
red, green, blue, black, white | null, zero, an empty string | domain, bucket, region, cluster, account | project, organization
node, pod, container | nodes, pods, containers | certificate, password | branch, tag, commit | index, view, trigger
per second, per minute, per hour, per day | each user, each tenant, each project | cron, systemd
"""
# What says the same.
SAME = """
at most/no more than/not more than | at least/no fewer than/not less than | must not/may never/is not allowed to
cannot/can not/can't | does not/doesn't | do not/don't | is not/isn't | are not/aren't | will not/won't | should not/shouldn't
every/each | prior to>before | contains/holds | greater than/more than | greater than>above | less than>below
stored/kept/saved | removed/deleted | remove/delete | required/mandatory/not optional | optional/not required
enabled/turned on/switched on | disabled/turned off/switched off | automatically/without intervention/on its own
immediately/at once/right away | multiple/several | specified/given | currently/at present | in order to>to
identical/the same | forbidden/not allowed/prohibited | allowed/permitted | whenever/each time | such as>like
the maximum is/the upper limit is | the minimum is/the lower limit is | a maximum of/at most | a minimum of/at least | obtain/get | obtained/got | invoked/called
supports/can handle | requires/needs | prevents/stops | fails/does not succeed | succeeds/does not fail | returns/gives back
never/at no time | always/at all times | only/exclusively | because>since
empty/without content | immutable/unchangeable | additional/further/extra | large/big | determines/decides | modify/change
modified/changed | created/made | starts/begins | stops/ends | terminated/ended | location/place | ignored/disregarded
invalid/not valid | is equal to/equals | valid/acceptable | unsupported/not supported | initially/at first | exceeds/is more than
"""
# Words that are part of these phrases stay as they are.
FIXED = """
no one, is no, are no, one of the, each of, all of, not only, only if, if only, may not be, at least one, no longer be,
at all, for all, of all, first of all, and only, all right, left to, key to, with respect, with regard, without, as long as,
whether or not, if not, or not, is to, are to, if any, even if, as if, or last, user interface, command line, time zone,
second argument, second parameter, the second, a second, Windows Server, may be, last modified, is not only, the only, only once, once again, at once, always be, used to
"""
VERBS = """
accepts adds affects allows applies appears assumes begins blocks builds calls causes changes checks closes contains
controls converts copies counts creates defines deletes depends describes determines disables emits enables ends ensures
evaluates executes exists expects expires exposes fails follows forces forwards generates handles holds identifies ignores
implements implies includes increases indicates inherits initializes inserts installs keeps launches listens loads logs
makes manages matches modifies moves needs occurs opens operates overrides owns parses passes performs persists points
prevents prints processes produces provides publishes raises reads receives records refers registers rejects releases
relies removes replaces represents requires resets resolves responds restricts returns runs saves selects sends serves
shares shows sorts specifies starts stops stores supports takes throws tracks triggers updates uses validates waits works writes
"""  # fmt: skip
NUMBER = re.compile(r"(?<![\w.,/:-])(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)*)(?=(?:ms|s|m|h|d|[KMGT]i?B?|%)?(?!\w|[.,:/]\d))")
WORD = re.compile(r"[A-Za-z][\w.+/-]*\w")
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
UNITS = {"second": ("minute", 60), "minute": ("hour", 60), "hour": ("day", 24), "day": ("week", 7), "month": ("year", 12)}
CLAUSE = re.compile(r"^(If|When|Unless|Before|After|While|Because) ([^,]{8,80}), (?:then )?([a-z][^,;:]{12,})$")
AFTERTHOUGHT = re.compile(r"(?:, (?:which|so|because|and|but|even|unless|except|such as)|;| (?:because|so that|in order to)) [^,;]+$")


def table(text, between, within):
    return [[item.strip() for item in re.split(within, group)] for group in re.split(between, text.strip()) if group.strip()]


def expression(phrases):
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(r"(?<![\w./-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w/-]|\.\w)")


def add(changes, groups):
    """`a/b` stand for each other; `a>b` is changed in one direction."""
    for group in groups:
        old, one_way, new = group[0].partition(">")
        if one_way:
            changes.setdefault(old, []).append(new)
            continue
        for old in group:
            changes.setdefault(old, []).extend(new for new in group if new != old)


def base_form(verb):
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if re.search(r"(?:sh|ch|ss|x|z)es$", verb) else verb[:-1]


CHANGES = {}
add(CHANGES, table(OPPOSITES, r"\s{2,}|\n", "/"))
add(CHANGES, table(EXCLUSIVE, r"\||\n", ","))
for verb in VERBS.split():
    CHANGES.setdefault(verb, []).append(f"does not {base_form(verb)}")
    CHANGES[f"does not {base_form(verb)}"] = [verb]
SAYS_SAME = {}
add(SAYS_SAME, table(SAME, r"\||\n", "/"))
PHRASES = {phrase.strip() for phrase in FIXED.replace("\n", " ").split(",")}
CHANGED = expression(PHRASES - {""} | set(CHANGES))
SAID = expression(PHRASES - {""} | set(SAYS_SAME))


def find(found, choices, text):
    """The places of the phrases, with their replacements; the first word of a sentence may be a capital."""
    lowered = text[:1].lower() + text[1:]
    for match in found.finditer(lowered if lowered.split(" ", 1)[0].isalpha() else text):
        for new in choices.get(match.group(), ()):
            capital = match.start() == 0 and text[0].isupper()
            yield match.start(), match.end(), new[0].upper() + new[1:] if capital else new


def other_number(text, chance):
    if "," in text:
        value = int(text.replace(",", ""))
        return f"{chance.choice((value * 2, value * 10, max(1, value // 2), value + 1000)):,}"
    if "." in text:
        parts = text.split(".")
        at = chance.randrange(len(parts))
        parts[at] = str(int(parts[at]) + chance.choice((1, 1, 2, 3)))
        return ".".join(parts)
    value = int(text)
    if 1900 < value < 2100:
        return str(value + chance.choice((-3, -2, -1, 1, 2, 3)))
    return str(chance.choice((value + 1, value * 2, value * 10, max(1, value // 2), value + chance.randrange(2, 30))))


@lru_cache(maxsize=1 << 18)
def shape(word):
    """How a name is written; none for a word of the language."""
    if "_" in word:
        return "constant" if word.isupper() else "snake"
    if any(char.isupper() for char in word[1:]):
        return "upper" if word.isupper() else "camel"
    if re.search(r"\w\.\w", word):
        return "dotted"
    return "capital" if word[0].isupper() and len(word) > 2 else None


def names_in(text):
    """The names of a statement; its first word is one only if more than its first letter is a capital."""
    for match in WORD.finditer(text):
        own = shape(match.group())
        if own and (match.start() > 0 or own != "capital"):
            yield match, own


def alter(text, names, chance):
    """Changes one thing in a statement: a number, a word, a name of the same shape, or what it says not."""
    ways = {}
    for match in NUMBER.finditer(text):
        ways.setdefault("number", []).append((match.start(), match.end(), other_number(match.group(), chance)))
    for change in find(CHANGED, CHANGES, text):
        ways.setdefault("word", []).append(change)
    for match, own in names_in(text):
        same = [name for name in names if name != match.group() and shape(name) == own]
        if same:
            ways.setdefault("name", []).append((match.start(), match.end(), chance.choice(same)))
    if not ways:
        return None
    start, end, new = chance.choice(ways[chance.choice(sorted(ways))])
    return text[:start] + new + text[end:]


def longer_unit(text):
    """`60 seconds` as `1 minute`."""
    for match in re.finditer(r"\b(\d+) (second|minute|hour|day|month)s?\b", text):
        unit, size = UNITS[match.group(2)]
        count, rest = divmod(int(match.group(1)), size)
        if count and not rest:
            yield match.start(), match.end(), f"{count} {unit}{'s' if count > 1 else ''}"


def reword(text, chance, most=3):
    """Says the same: up to `most` words changed, a clause moved or what follows a comma left out."""
    before = text
    clause = CLAUSE.match(text.rstrip("."))
    if clause and chance.random() < 0.7:
        word, condition, said = clause.groups()
        text = f"{said[0].upper()}{said[1:]} {word.lower()} {condition}"
    elif chance.random() < 0.3:
        short = AFTERTHOUGHT.sub("", text.rstrip("."))
        if short.count(" ") >= 4:
            text = short
    for _ in range(most):
        ways = [*find(SAID, SAYS_SAME, text), *longer_unit(text)]
        for match in re.finditer(r"(?<![\w.,-])\d{1,2}(?= [a-z]{4})", text):
            if int(match.group()) < len(DIGITS):
                ways.append((match.start(), match.end(), DIGITS[int(match.group())]))
        if not ways:
            break
        start, end, new = chance.choice(ways)
        text = text[:start] + new + text[end:]
    return text if text != before else None
