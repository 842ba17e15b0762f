"""Pairs the statements that `mine.py` gathered: near in topic, of one section, altered and reworded."""

import argparse
import hashlib
import json
import lzma
import math
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from alter import alter, names_in, reword
from mine import RULE

PER_SOURCE = 10_000
# Teams write shorter statements than documentation does.
MAX_WORDS = 22
# Statements that begin with the same four words.
PER_BEGINNING = 12
TERM = re.compile(r"[a-z][a-z0-9_]+(?:[.-][a-z0-9_]+)*")
# A term of more statements does not make two of them near.
FREQUENT = 500
NEAREST = 14
# Cosines of the words of two statements: near, on one subject, the same but for a word.
NEAR, ONE_SUBJECT, SAME_TEXT = 0.16, 0.3, 0.97


@dataclass
class Statement:
    text: str
    # Statements of one heading of one file are about one thing.
    section: str


def key_of(text):
    return re.sub(r"[\W\d_]+", " ", text.lower()).strip()


def read_statements(folder, chance):
    """A sample of each package: rules, numbers and limits first, few that begin alike."""
    known, beginnings, statements = set(), Counter(), []
    for path in sorted(folder.glob("*.tsv")):
        found = [Statement(*line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]
        chance.shuffle(found)
        found.sort(key=lambda it: not RULE.search(it.text))
        kept = []
        for it in found:
            key, beginning = key_of(it.text), " ".join(it.text.lower().split()[:4])
            if it.text.count(" ") < MAX_WORDS and key not in known and beginnings[beginning] < PER_BEGINNING and len(kept) < PER_SOURCE:
                known.add(key)
                beginnings[beginning] += 1
                kept.append(it)
        statements += kept
    return statements


def terms_of(text):
    return {term[:-1] if len(term) > 4 and term.endswith("s") and not term.endswith("ss") else term for term in TERM.findall(text.lower())}


def nearest(statements):
    """For each statement the others whose rare words are the same, with the cosine, nearest first."""
    terms = [sorted(terms_of(it.text)) for it in statements]
    counts = Counter(term for own in terms for term in own)
    weight = {term: math.log(len(statements) / count) for term, count in counts.items()}
    norm = np.array([math.sqrt(sum(weight[term] ** 2 for term in own)) for own in terms]).clip(1e-6)
    postings = defaultdict(list)
    for at, own in enumerate(terms):
        for term in own:
            if 2 <= counts[term] <= FREQUENT:
                postings[term].append(at)
    postings = {term: np.array(found) for term, found in postings.items()}
    score = np.zeros(len(statements))
    for at, own in enumerate(terms):
        found = [postings[term] for term in own if term in postings]
        if not found:
            yield []
            continue
        for term in own:
            if term in postings:
                score[postings[term]] += weight[term] ** 2
        touched = np.unique(np.concatenate(found))
        cosine = score[touched] / (norm[at] * norm[touched])
        score[touched] = 0
        best = np.argsort(-cosine)[: NEAREST + 1]
        yield [(int(touched[it]), float(cosine[it])) for it in best if touched[it] != at]


def pairs_of(statements, chance):
    """Pairs of near statements, of one section, and of altered and reworded ones, each with its kind."""
    sections = defaultdict(list)
    for at, it in enumerate(statements):
        sections[it.section].append(at)
    names = [[match.group() for match, _ in names_in(it.text)] for it in statements]
    for at, near in enumerate(nearest(statements)):
        text = statements[at].text
        near = [(other, cosine) for other, cosine in near if NEAR < cosine < SAME_TEXT]
        chosen = near[:3] + chance.sample(near[3:], min(2, len(near[3:])))
        for other, _ in chosen:
            yield "near", text, statements[other].text
        mates = sections[statements[at].section]
        if len(mates) > 1:
            mate = chance.choice([other for other in mates if other != at])
            yield "section", text, statements[mate].text
        about = sorted({name for other in [*mates[:40], *(other for other, _ in near)] for name in names[other]})
        changed = [alter(text, about, chance) for _ in range(2)]
        same = reword(text, chance)
        for it in changed:
            yield "altered", text, it
        if same:
            yield "reworded", text, same
        yield "altered and reworded", text, alter(same or text, about, chance)
        if near and near[0][1] > ONE_SUBJECT:
            yield "altered, near", changed[0], statements[near[0][0]].text


def pointed(text):
    """Some statements end in a full stop and others do not; the same one always does."""
    return text + "." if hashlib.md5(text.encode()).digest()[0] % 3 == 0 else text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("statements", type=Path, help="folder that mine.py wrote")
    parser.add_argument("--out", type=Path, required=True, help="file of pairs, compressed: .xz")
    parser.add_argument("--most", type=int, help="write a sample of so many pairs")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    statements = read_statements(args.statements, chance)
    pairs, kinds = set(), Counter()
    for kind, first, second in pairs_of(statements, chance):
        if not first or not second or first == second:
            continue
        # Each order occurs once, and near statements find each other.
        pair = (pointed(first), pointed(second))
        if pair not in pairs and pair[::-1] not in pairs:
            pairs.add(pair)
            kinds[kind] += 1
    pairs = sorted(pairs)
    if args.most and args.most < len(pairs):
        pairs = sorted(chance.sample(pairs, args.most))
    with lzma.open(args.out, "wt", encoding="utf-8", preset=6) as out:
        out.writelines(f"{first}\t{second}\n" for first, second in pairs)
    print(json.dumps({"statements": len(statements), "pairs": len(pairs), **kinds}), flush=True)


if __name__ == "__main__":
    main()
