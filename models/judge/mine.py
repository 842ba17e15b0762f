"""Gathers technical statements out of the documentation in packages: a file for each, with the section of each statement."""

import argparse
import json
import re
import sys
from pathlib import Path

from alter import VERBS, base_form
from documents import documents

sys.path.append(str(Path(__file__).parent.parent))
import packages

MIN_WORDS, MAX_WORDS, MAX_CHARACTERS = 4, 30, 220
SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!cf)[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
LEAD = re.compile(
    r"^(?:(?:please )?note(?: that|:)|however,|also,|in addition,|additionally,|furthermore,|moreover,|therefore,|thus,|hence,|"
    r"important:|warning:|caution:|tip:|remember that|be aware that|by the way,|in general,|generally,|usually,|in particular,|"
    r"optional\.|required\.|deprecated[.:]|for this reason,|as a result,|consequently,|similarly,|likewise,|in practice,)\s*",
    re.I,
)
# A sentence with these speaks of what another one says, or of the document itself.
UNSAID = re.compile(
    r"\b(?:this|these|those|above|below|following|see|e\.g|i\.e|etc|examples?|chapter|tutorial|appendix|figure|section|discussed|"
    r"described|mentioned|we|we'll|we've|our|I|let's|let us|my|previous|aforementioned|here|such an?|same way|latter|former|"
    r"otherwise|instead|todo|fixme|copyright|page|documentation|document|docs|guide|readme|placeholder|patch|pull request|"
    r"blog|article|book|example\.com|introduced|new in|refer|overview|learn|more information|details?|in question)\b",
    re.I,
)
PRONOUN = re.compile(
    r"^(?:\S+ ){0,2}(?:it|they|them|that|he|she|its|their|there|both|either|neither|one|ones|so|then|another|such)\b"
    r"|^If [^,]*, (?:it|they|the \w+ (?:is|are|will be)|\w+s|no \w+ \w+s)\b"
    r"|^(?:If|When|Unless) (?:\w+ )?(?:set|unset|unspecified|specified|omitted|present|enabled|disabled|empty|provided|given|true|false|null|zero)\b",
    re.I,
)
FIRST = re.compile(r"^(?:(?:maximum|minimum|max|min|rather than|most of the|after the context|the (?:max|min)(?:imum)? (?:\w+ ){1,3}(?:is|are))\b|(?:the )?default(?: value)?(?:s| is| to)|and|but|or|because|which|where|what|how|why|whether|as|like|not|to)\b|(?:if|when|as) (?:available|applicable|needed|required|possible)$", re.I)
SIGNS = re.compile(r"[=<>{}\\|*#$~^@%\[\]!?]|::|: | - |\.\.|\S{36}|--\w+ --|\w/\w+/\w|[a-z]\.(?:If|The|An?|It|For|When|You|Use|Only|By|In|To|All|Each)\b|\.\S*\.\S*\.")
# Forms that may be nouns count as verbs only before what follows verbs.
NOUNS = set(
    "applies blocks builds calls causes changes checks controls copies counts ends forces forwards handles holds installs loads logs "
    "matches moves needs overrides passes points prints processes reads records registers releases requires resets returns runs "
    "serves shares shows sorts starts stops stores supports throws tracks triggers updates uses waits works writes reads".split()
)
VERB = re.compile(
    r"\b(?:(?:is|are|was|has|have|does|do|must|may|can|cannot|can't|should|shall|will|won't|doesn't|isn't|aren't|never|always|don't|"
    + "|".join(verb for verb in VERBS.split() if verb not in NOUNS)
    + r")\b|(?:" + "|".join(sorted(NOUNS)) + r") (?:an?|the|no|any|all|each|every|only|one|its|their|your|to|with|by|in|on|from|\d+|[A-Z]\w+)\b)"
)
SUBORDINATE = re.compile(
    r"\b(?:that|which|who|whose|whether|if|when|whenever|where|while|because|since|unless|until|before|after|once|as|so|indicating|"
    r"specifying|containing|representing|describing|used)\b[^,;]*"
)
# Rules may begin with a verb; what a function does may not, for it names no subject.
ADVICE = set("Use Avoid Do Ensure Keep Set Make Store Run Start Stop Choose".split())
ACTIONS = """
adds asks attempts awaits cancels configures constructs defaults deploys displays encodes enumerates extends fetches finds
formats gets gives instantiates iterates lists marks modifies obtains prepares queries retrieves retries schedules searches
sets speeds swaps tells tests tries turns verifies wraps yields names computes calculates enters exits
"""  # fmt: skip
WITHOUT_SUBJECT = re.compile(
    r"^(?:(?:"
    + "|".join(word.capitalize() for verb in (VERBS + ACTIONS).split() for word in {verb, base_form(verb)} if word.capitalize() not in ADVICE)
    + r"|Please|Possible|Unset|Thrown|Should|Must|May|Can|Will|Is|Are|Has|Known|Valid|Allowed|Supported|Only valid|None|True|False|Values?|"
    r"[A-Z][a-z]+(?:ed|en) (?:when|by|to|if|in|for|on|as|with|from)|If (?:not|un|no)\w* |By default, \w+s|"
    r"The (?:name|value|type|ID|id|list|number|field|parameter|property|option|method|function|default|result|argument|return value|response type|"
    r"base images?|limits?|rule|policy|setting|string|key|object|flag|path|size|length|format|count|index|status|state)s? "
    r"(?:is|are|can|must|may|should|cannot|will|has)|The (?:\w+ )?(?:time|date|timestamp|name|type|number|amount|version|order|way|resource|user) "
    r"(?:the|an?))\b)"
)
RULE = re.compile(
    r"\d|\b(?:must|never|always|only|cannot|not|no|default|defaults|at most|at least|maximum|minimum|limit|required|optional|"
    r"unless|until|every|all|may|before|after|automatically|once|disabled|enabled|ignored|deprecated)\b",
    re.I,
)


def reads_alone(text):
    """Whether a sentence says something of a subject that it names."""
    if not MIN_WORDS <= text.count(" ") + 1 <= MAX_WORDS or len(text) > MAX_CHARACTERS or not text.isascii():
        return False
    letters = sum(char.isalpha() or char == " " for char in text)
    if letters < 0.86 * len(text) or SIGNS.search(text) or re.match(r"\d+\.|[^\w\"']", text) or re.search(r"\b(\w+) \1\b", text):
        return False
    if text.count('"') % 2 or text.count("(") != text.count(")"):
        return False
    if UNSAID.search(text) or PRONOUN.match(text) or FIRST.search(text) or WITHOUT_SUBJECT.match(text):
        return False
    if sum(word.isupper() and len(word) > 1 for word in text.split()) > 0.4 * text.count(" "):
        return False
    return VERB.search(SUBORDINATE.sub(" ", text[0].lower() + text[1:])) is not None


def statement(text):
    """The sentence as a statement that can be understood alone, or None."""
    text = re.sub(r"\s+\([^()]*\)", "", text).strip(" -*\"'")
    while LEAD.match(text):
        text = LEAD.sub("", text, count=1)
    text = re.sub(r"\s+([,;:]|\.(?=\s|$))", r"\1", text)
    if not text.endswith(".") or text.endswith(".."):
        return None
    text = text[0].upper() + text[1:-1] if text.split(" ")[0].isalpha() else text[:-1]
    return text if reads_alone(text) else None


def statements_of(source, path):
    """The statements of a package with their sections."""
    for name, paragraphs in documents(path, source["reader"]):
        for heading, paragraph in paragraphs:
            section = re.sub(r"\s+", " ", f"{source['name']}/{name}#{heading}")
            for sentence in SENTENCE_END.sub(lambda match: match.group().rstrip() + "\n", paragraph).split("\n"):
                text = statement(sentence)
                if text:
                    yield text, section


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sources", type=Path, default=Path(__file__).parent / "sources.json")
    parser.add_argument("--packages", type=Path, required=True, help="folder of the archives")
    parser.add_argument("--out", type=Path, required=True, help="folder; a package that has a file there is not read again")
    args = parser.parse_args()
    args.packages.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    for source in json.loads(args.sources.read_text(encoding="utf-8")):
        out = args.out / (source["file"] + ".tsv")
        if out.exists():
            continue
        found = list(dict.fromkeys(statements_of(source, packages.fetch(source, args.packages))))
        out.write_text("".join(f"{text}\t{section}\n" for text, section in found), encoding="utf-8")
        print(f"{source['name']}: {len(found)} statements", flush=True)


if __name__ == "__main__":
    main()
