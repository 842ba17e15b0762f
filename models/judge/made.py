"""Pairs with a label that are made of written statements: on different subjects though near in words, and with one thing changed.

    python judge/made.py judge/pairs/?.jsonl --neighbours 10000 --altered 3000 --out work/made.tsv
"""

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from alter import alter, names_in, reword
from pairs import Pair, read_judged

# The kinds of these pairs.
MADE = ("neighbour", "altered", "reworded", "other subject", "other part", "other circumstance", "same circumstance")
OF_OTHER_SUBJECTS = ("neighbour", "other subject", "other part", "other circumstance")

# Parts that many things have.
PARTS = (
    "front end", "parser", "test suite", "second instance", "metrics page", "import screen", "nightly copy", "public half",
    "old version", "mobile view", "background worker", "error page", "preview", "command line", "simulator", "first draft",
    "customer part", "write path", "German translation", "sandbox",
)
# Circumstances of which each two in a row exclude each other.
CIRCUMSTANCES = (
    ("in production", "in the test environment", "on developers' machines"),
    ("in Japan", "in Brazil", "in Canada"),
    ("for administrators", "for guests"),
    ("at night", "during the day"),
    ("during the migration", "after the migration"),
    ("on Linux", "on Windows", "on macOS"),
    ("in the stable release", "in the preview release"),
    ("for paying customers", "for trial users"),
    ("in version 2", "in version 3"),
    ("over the public network", "inside the data centre"),
    ("on the first attempt", "on later attempts"),
    ("in the north plant", "in the south plant"),
    ("for small files", "for large files"),
    ("in winter", "in summer"),
)


def neighbours(pairs, count, seed):
    """Pairs of statements on different subjects that share their rarest words."""
    subject_of = {}
    for pair in pairs:
        subject_of.setdefault(pair.first, pair.subject)
        subject_of.setdefault(pair.second, pair.subject)
    texts = sorted(subject_of)
    words = {text: set(re.findall(r"[a-z]{3,}", text.lower())) for text in texts}
    frequency = Counter(word for found in words.values() for word in found)
    having = defaultdict(list)
    for text in texts:
        for word in words[text]:
            if frequency[word] <= 300:
                having[word].append(text)
    chance = random.Random(seed)
    found = []
    while len(found) < count:
        text = chance.choice(texts)
        shared = Counter()
        for word in sorted(words[text]):
            for other in having.get(word, ()):
                if subject_of[other] != subject_of[text]:
                    shared[other] += 1 / np.log(2 + frequency[word])
        nearest = sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:8]
        if nearest:
            other = chance.choice(nearest)[0]
            found.append(Pair(text, other, 0.0, "neighbour", subject_of[text]))
    return found


def words_after_articles(text):
    """The places of words that probably name a thing: they begin the statement, or follow an article or a preposition."""
    for match in re.finditer(r"(?:^|\b(?:the|an?|of|to|in|for|by|from|on|with|each|every|our|all|no)\s)([A-Za-z][a-z]{3,})\b", text, re.I):
        yield match.span(1)


def other_subject(pair, things, chance):
    """The pair with a word that both have changed in the second statement, so that it is about something else."""
    ways = []
    for start, end in words_after_articles(pair.second):
        word = pair.second[start:end]
        if re.search(rf"\b{word}\b", pair.first, re.I):
            ways.append((start, end, word))
    if not ways:
        return None
    start, end, word = chance.choice(ways)
    new = chance.choice(things[word.endswith("s")])
    if re.search(rf"\b{new}\b", pair.first + " " + pair.second, re.I):
        return None
    new = new.capitalize() if word[0].isupper() else new
    return Pair(pair.first, pair.second[:start] + new + pair.second[end:], 0.0, "other subject", pair.subject)


def altered(pairs, count, seed):
    """Pairs made from written statements by changing one thing: `count` each that contradict, that say the same, and that are
    about something else. Nobody judged them; most are right."""
    chance = random.Random(seed)
    subject_of = {}
    for pair in pairs:
        for text in (pair.first, pair.second):
            subject_of.setdefault(text, pair.subject)
    texts = sorted(subject_of)
    names = sorted({match.group() for text in texts for match, _ in names_in(text)})
    found = {text[start:end].lower() for text in texts for start, end in words_after_articles(text)}
    things = {plural: sorted(word for word in found if word.endswith("s") == plural) for plural in (False, True)}
    contradicting = [pair for pair in pairs if pair.label == 1]
    changed, same, other = [], [], []
    while min(len(changed), len(same), len(other)) < count:
        text = chance.choice(texts)
        new = alter(text, names, chance)
        if new:
            pair = Pair(text, new, 1.0, "altered", subject_of[text])
            changed.append(pair)
            other.append(other_subject(pair, things, chance))
        new = reword(text, chance)
        if new:
            same.append(Pair(text, new, 0.0, "reworded", subject_of[text]))
        other.append(other_subject(chance.choice(contradicting), things, chance))
        other = [pair for pair in other if pair]
    return changed[:count] + same[:count] + chance.sample(other, 2 * count if len(other) >= 2 * count else count)


def of_part(text, thing, part):
    """The statement about a part of a thing that it names."""
    return re.sub(rf"\b([Tt]he) {thing}\b", lambda match: f"{match[1]} {part} of the {thing}", text, count=1)


def under(text, circumstance, at_end):
    if at_end:
        return f"{text.rstrip('.')} {circumstance}"
    first = text.split()[0]
    is_name = not first.isalpha() or first[1:].lower() != first[1:]
    return f"{circumstance[0].upper()}{circumstance[1:]}, {text if is_name else text[0].lower() + text[1:]}"


def elsewhere(pairs, count, seed):
    """Pairs that do not contradict since they are about different things, different parts of one, or different circumstances,
    `count` of each; some say otherwise the same. And as many pairs that share the part or the circumstance."""
    chance = random.Random(seed)
    texts = sorted({text for pair in pairs for text in (pair.first, pair.second)})
    found = {text[start:end].lower() for text in texts for start, end in words_after_articles(text)}
    things = {plural: sorted(word for word in found if word.endswith("s") == plural) for plural in (False, True)}
    contradicting = [pair for pair in pairs if pair.label == 1]
    agreeing = [pair for pair in pairs if pair.label == 0 and pair.kind in ("paraphrase", "single")]
    others, parts, circumstances, same = [], [], [], []
    while min(len(others), len(parts), len(circumstances), len(same)) < count:
        pair = chance.choice(chance.choice((contradicting, agreeing)))
        one = Pair(pair.first, pair.first, 0.0, pair.kind, pair.subject)
        others.append(other_subject(chance.choice((one, pair)), things, chance))
        others = [made for made in others if made]
        pair = chance.choice((one, pair, pair))
        named = [word for word in re.findall(r"\b[Tt]he ([a-z]{3,})\b", pair.first) if re.search(rf"\b[Tt]he {word}\b", pair.second)]
        if named:
            part, other = chance.sample(PARTS, 2)
            first, second = (of_part(text, named[0], part) for text in (pair.first, pair.second))
            if pair is not one:
                same.append(Pair(first, second, pair.label, "same circumstance", pair.subject))
            second = of_part(pair.second, named[0], other)
            parts.append(Pair(first, second, 0.0, "other part", pair.subject))
        circumstance, other = chance.sample(chance.choice(CIRCUMSTANCES), 2)
        ends = chance.random() < 0.5, chance.random() < 0.5
        first, second = under(pair.first, circumstance, ends[0]), under(pair.second, circumstance, ends[1])
        if pair is not one:
            same.append(Pair(first, second, pair.label, "same circumstance", pair.subject))
        circumstances.append(Pair(first, under(pair.second, other, ends[1]), 0.0, "other circumstance", pair.subject))
    return [made for group in (others, parts, circumstances, same) for made in chance.sample(group, count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="+", type=Path)
    parser.add_argument("--neighbours", type=int, default=10_000)
    parser.add_argument("--altered", type=int, default=3_000, help="pairs that contradict, that say the same, and half of those on another subject")
    parser.add_argument("--elsewhere", type=int, default=1_500, help="pairs on other things, parts and circumstances")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    pairs = read_judged(args.pairs)
    made = [*neighbours(pairs, args.neighbours, args.seed), *altered(pairs, args.altered, args.seed + 1)]
    made += elsewhere(pairs, args.elsewhere, args.seed + 2)
    args.out.write_text("".join(f"{pair.first}\t{pair.second}\t{int(pair.label)}\n" for pair in made), encoding="utf-8")
    print(json.dumps(Counter(pair.kind for pair in made)))


if __name__ == "__main__":
    main()
