"""Pairs without a label, which the teacher judges and the judge learns from: statements of one subject, and altered ones."""

import argparse
import json
import random
import re
from itertools import combinations
from pathlib import Path

from pairs import read_single

SWAPS = [
    ("always", "never"), ("must", "may"), ("must", "must not"), ("may", "must not"), ("may", "must"), ("can", "cannot"),
    ("should", "should not"), ("is", "is not"), ("are", "are not"), ("has", "has no"), ("all", "some"), ("every", "no"),
    ("each", "no"), ("only", "also"), ("at most", "at least"), ("before", "after"), ("enabled", "disabled"),
    ("required", "optional"), ("allowed", "forbidden"), ("public", "private"), ("internal", "external"), ("daily", "weekly"),
    ("weekly", "monthly"), ("nightly", "hourly"), ("minutes", "hours"), ("seconds", "minutes"), ("days", "weeks"),
    ("synchronous", "asynchronous"), ("on", "off"), ("with", "without"), ("first", "last"), ("manual", "automatic"),
    ("manually", "automatically"), ("read", "write"), ("inside", "outside"), ("encrypted", "plain"), ("ascending", "descending"),
    ("more than", "less than"), ("up to", "at least"), ("one", "two"), ("two", "three"), ("once", "twice"),
    ("Monday", "Friday"), ("production", "staging"), ("client", "server"), ("local", "remote"), ("primary", "replica"),
    ("until", "from"), ("still", "no longer"), ("both", "neither of the"), ("either", "neither"), ("new", "old"),
]  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.])")
WORD = re.compile(r"[A-Za-z][\w.+/-]*\w")
FREQUENT = 40


def other_number(text, chance):
    if "." in text:
        parts = text.split(".")
        at = chance.randrange(len(parts))
        parts[at] = str(int(parts[at]) + chance.choice((1, 1, 2, 3)))
        return ".".join(parts)
    value = int(text)
    return str(chance.choice((value + 1, value * 2, value * 10, max(1, value // 2), value + chance.randrange(2, 30))))


def alter(text, names, chance):
    """Changes one thing in a statement: a number, a word of SWAPS, a name, or what it says not."""
    ways = [("number", match) for match in NUMBER.finditer(text)] * 2
    for first, second in SWAPS:
        for old, new in ((first, second), (second, first)):
            ways += [("swap", match, new) for match in re.finditer(rf"\b{re.escape(old)}\b", text)]
    own = [match for match in WORD.finditer(text) if match.group() in names or any(c.isupper() for c in match.group()[1:])]
    ways += [("name", match) for match in own]
    if not ways:
        return None
    way = chance.choice(ways)
    match = way[1]
    if way[0] == "number":
        new = other_number(match.group(), chance)
    elif way[0] == "swap":
        new = way[2]
    else:
        new = chance.choice(names)
    return text[: match.start()] + new + text[match.end() :]


def groups_of(paths):
    """The statements of each subject."""
    groups = []
    for path in paths:
        if path.suffix == ".jsonl":
            for line in open(path, encoding="utf-8"):
                cluster = json.loads(line)
                said = [cluster["base"], *cluster["paraphrases"]]
                groups.append(said + [it["text"] for it in cluster["contradict"] + cluster["compatible"]])
        else:
            by_subject = {}
            for pair in read_single(path):
                by_subject.setdefault(pair.subject, {}).update({pair.first: None, pair.second: None})
            groups += [list(texts) for texts in by_subject.values()]
    return groups


def words_of(text):
    return {word.lower() for word in re.findall(r"\w{3,}", text)}


def neighbours(groups, count, chance):
    """Statements of different subjects with rare words in common."""
    texts = [(number, text) for number, group in enumerate(groups) for text in group]
    by_word = {}
    for at, (_, text) in enumerate(texts):
        for word in words_of(text):
            by_word.setdefault(word, []).append(at)
    rare = [found for found in by_word.values() if 2 <= len(found) <= FREQUENT]
    while count > 0:
        first, second = chance.sample(chance.choice(rare), 2)
        if texts[first][0] != texts[second][0]:
            count -= 1
            yield texts[first][1], texts[second][1]


def make(paths, altered, unlike, seed):
    chance = random.Random(seed)
    groups = groups_of(paths)
    capitals = {word for group in groups for text in group for word in WORD.findall(text) if any(c.isupper() for c in word[1:])}
    known = sorted(capitals)
    pairs = set()
    for group in groups:
        pairs.update(combinations(group, 2))
        # Names of the same subject first: they are exclusive more often than any other.
        own = sorted({word for text in group for word in WORD.findall(text) if word in capitals}) * 8 or known
        names = own + chance.sample(known, min(8, len(known)))
        for _ in range(altered):
            first, second = chance.choice(group), chance.choice(group)
            changed = alter(second, names, chance)
            if changed and changed != second:
                pairs.add((first, changed))
    pairs.update(neighbours(groups, unlike, chance))
    pairs = sorted(pairs)
    chance.shuffle(pairs)
    return pairs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("statements", nargs="+", type=Path)
    parser.add_argument("--altered", type=int, default=80, help="altered statements of a subject")
    parser.add_argument("--unlike", type=int, default=30_000, help="pairs of different subjects")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    pairs = make(args.statements, args.altered, args.unlike, args.seed)
    args.out.write_text("".join(f"{first}\t{second}\n" for first, second in pairs), encoding="utf-8")
    print(len(pairs), "pairs")


if __name__ == "__main__":
    main()
