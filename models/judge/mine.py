"""Gathers technical statements out of the documentation in packages: a file for each, with the section of each statement."""

import argparse
import json
import re
import sys
from pathlib import Path

from alter import VERBS
from documents import documents

sys.path.append(str(Path(__file__).parent.parent))
import packages

SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!cf)[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
LEAD = re.compile(
    r"^(?:(?:please )?note(?: that|:)|however,|also,|in addition,|additionally,|furthermore,|moreover,|therefore,|thus,|hence,|"
    r"important:|warning:|caution:|tip:|remember that|be aware that|by the way,|in general,|generally,|usually,|in particular,|"
    r"optional\.|required\.|deprecated[.:]|for this reason,|as a result,|consequently,|similarly,|likewise,|in practice,)\s*",
    re.I,
)
# What a sentence says of something that another sentence names.
UNSAID = re.compile(
    r"\b(?:this|these|those|above|below|following|see|e\.g|i\.e|examples?|chapter|tutorial|appendix|figure|section|discussed|"
    r"described|mentioned|we|we'll|we've|our|I|let's|let us|my|previous|aforementioned|here|such an?|same way|latter|former|"
    r"otherwise|instead|todo|fixme|copyright|page|documentation|document|docs|guide|readme|placeholder|patch|pull request|"
    r"blog|article|book|example\.com|introduced|new in|refer|overview|learn|more information|details?)\b",
    re.I,
)
PRONOUN = re.compile(r"^(?:\S+ ){0,2}(?:it|they|them|that|he|she|its|their|there|both|either|neither|one|ones|so|then|another)\b", re.I)
FIRST = re.compile(r"^(?:(?:the )?default(?: value)?(?:s| is| to)|and|but|or|because|which|where|what|how|why|whether|as|like|not|to|e\.g)\b", re.I)
VERB = re.compile(
    r"(?<!that )(?<!which )(?<!who )\b(?:is|are|was|has|have|does|do|must|may|can|cannot|can't|should|shall|will|won't|"
    r"doesn't|isn't|aren't|never|always|don't|need|needs|defaults|" + "|".join(VERBS.split()) + r")\b"
)
# Begins like the first line of a comment: what a function does.
SUMMARY = re.compile(r"^[A-Z][a-z]+s (?:the|an?|all|whether|if|one|any|that)\b|^(?:Get|Set|Return|Create|List|Delete|Update|Whether|Specify)\b")
RULE = re.compile(
    r"\d|\b(?:must|never|always|only|cannot|not|no|default|defaults|at most|at least|maximum|minimum|limit|required|optional|"
    r"unless|until|every|all|may|before|after|automatically|once|default|disabled|enabled|ignored|deprecated|instead)\b",
    re.I,
)


def statement(text):
    """The sentence as a statement that can be understood alone, or None."""
    text = re.sub(r"\s+\([^()]*\)", "", text).strip(" -*\"'")
    while LEAD.match(text):
        text = LEAD.sub("", text, count=1)
    text = re.sub(r"\s+([,.;:])", r"\1", text)
    if not text.endswith(".") or text.endswith("..") or not 4 <= text.count(" ") + 1 <= 30 or len(text) > 220:
        return None
    text = text[0].upper() + text[1:-1] if text.split(" ")[0].isalpha() else text[:-1]
    letters = sum(char.isalpha() or char == " " for char in text)
    if letters < 0.86 * len(text) or not text.isascii() or re.search(r"[=<>{}\\|*#$~^@]|::|\.\.|\S{36}|--\w+ --|\w/\w+/\w|[!?]", text):
        return None
    if re.search(r"[\"'(\[]", text) and (text.count('"') % 2 or text.count("(") != text.count(")") or text.count("[") != text.count("]")):
        return None
    if UNSAID.search(text) or PRONOUN.match(text) or FIRST.match(text) or not VERB.search(text):
        return None
    if sum(word.isupper() and len(word) > 1 for word in text.split()) > 0.4 * text.count(" "):
        return None
    return None if SUMMARY.match(text) and not RULE.search(text) else text


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
