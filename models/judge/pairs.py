"""The training pairs: clusters of statements about one subject, and pairs written singly."""

import gzip
import json
import lzma
import random
from dataclasses import dataclass
from itertools import combinations


@dataclass
class Pair:
    first: str
    second: str
    # 1 if they contradict; None where nobody has judged them.
    label: float | None
    # How the second statement was written: exclusive, number, scope, paraphrase, ...
    kind: str
    # Pairs of one subject are never split between training and validation.
    subject: str


def read_clusters(path):
    """The pairs of a file of clusters: a base with paraphrases, contradicting and compatible statements."""
    for line in open(path, encoding="utf-8"):
        cluster = json.loads(line)
        subject = cluster["subject"]
        said = [cluster["base"], *cluster["paraphrases"]]
        for first, second in combinations(said, 2):
            yield Pair(first, second, 0.0, "paraphrase", subject)
        others = [(other, 1.0) for other in cluster["contradict"]]
        others += [(other, 0.0) for other in cluster["compatible"]]
        for other, label in others:
            for first in said:
                yield Pair(first, other["text"], label, other["kind"], subject)
        for (first, _), (second, _) in combinations(others, 2):
            yield Pair(first["text"], second["text"], None, "unjudged", subject)


def read_single(path):
    """Pairs with a label, separated by tabs. Pairs that share a statement have one subject."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    rows = [row for row in rows if len(row) == 3 and row[2] in ("0", "1")]
    subject_of = {}

    def find(text):
        while subject_of.setdefault(text, text) != text:
            text = subject_of[text]
        return text

    for first, second, _ in rows:
        subject_of[find(first)] = find(second)
    for first, second, label in rows:
        yield Pair(first, second, float(label), "single", find(first))


def read(path):
    return list(read_clusters(path) if path.suffix == ".jsonl" else read_single(path))


def read_judged(paths):
    return [pair for path in paths for pair in read(path) if pair.label is not None]


def read_pool(path):
    """Pairs without a label, as two texts each, separated by a tab; perhaps compressed."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as lines:
        return [tuple(line.rstrip("\n").split("\t")) for line in lines]


def pool_name(path):
    return path.name.partition(".")[0]


def unrelated(pairs, count, seed):
    """Pairs of statements about different subjects. Nobody judged them; hardly any contradict."""
    chance = random.Random(seed)
    while count > 0:
        one, other = chance.choice(pairs), chance.choice(pairs)
        if one.subject != other.subject:
            count -= 1
            yield Pair(one.first, other.second, 0.0, "unrelated", one.subject)
