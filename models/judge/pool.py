"""Pairs without a label, which the teacher judges and the judge learns from: statements of one subject, altered and reworded ones."""

import argparse
import json
import random
import re
from itertools import combinations
from pathlib import Path

from alter import alter, names_in, reword
from pairs import read_single

# A word of more statements says nothing of their subject.
FREQUENT = 40
# The share of the statements that are said in other words before one thing is changed.
REWORDED = 0.4


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
    names_of = [sorted({match.group() for text in group for match, _ in names_in(text)}) for group in groups]
    known = sorted({name for names in names_of for name in names})
    pairs = set()
    for group, own in zip(groups, names_of):
        pairs.update(combinations(group, 2))
        for _ in range(altered):
            # Names of the same subject first: they are exclusive more often than any other.
            names = own if chance.random() < 0.7 else chance.sample(known, min(40, len(known)))
            first, second = chance.choice(group), chance.choice(group)
            if chance.random() < REWORDED:
                second = reword(second, chance) or second
            if chance.random() > REWORDED / 2:
                second = alter(second, names, chance) or second
            if first != second:
                pairs.add((first, second))
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
