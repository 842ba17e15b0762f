"""Recall over LoCoMo's turns and Spearman's correlation over STS-B."""

import csv
import json
from pathlib import Path

import numpy as np


def ranks(values):
    """Ranks with ties averaged."""
    values = np.asarray(values)
    order = np.argsort(values, kind="stable")
    out = np.empty(len(values))
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    ends = np.r_[starts[1:], len(values)]
    for start, end in zip(starts, ends):
        out[order[start:end]] = (start + end - 1) / 2
    return out


def spearman(a, b):
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def similarity(vectors, path):
    """`vectors` turns a list of texts into normalised rows."""
    with open(path, encoding="utf-8", newline="") as source:
        rows = [row for row in csv.reader(source) if len(row) == 3]
    left = vectors([row[0] for row in rows])
    right = vectors([row[1] for row in rows])
    return spearman((left * right).sum(axis=1), [float(row[2]) for row in rows])


def recall(vectors, folder, depths=(5, 10)):
    """The mean share of a question's gold turns among the first k."""
    shares = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        with open(path, encoding="utf-8") as source:
            rows = [json.loads(line) for line in source]
        turns = [row for row in rows if "doc" in row]
        asked = [row for row in rows if row.get("gold")]
        scores = vectors([row["text"] for row in asked]) @ vectors(
            [row["text"] for row in turns]
        ).T
        order = np.argsort(-scores, axis=1, kind="stable")
        for row, ranked in zip(asked, order):
            gold = set(row["gold"])
            names = [turns[i]["doc"] for i in ranked[: max(depths)]]
            shares.append([len(gold & set(names[:k])) / len(gold) for k in depths])
    return dict(zip(depths, np.mean(shares, axis=0).tolist()))
