"""How well scores tell pairs that contradict each other from others."""

import json

import numpy as np


def auc(scores, labels):
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positive = labels == 1
    count = positive.sum()
    return (ranks[positive].sum() - count * (count + 1) / 2) / (count * (~positive).sum())


def recall_at(scores, labels, false_alarms):
    threshold = np.quantile(scores[labels == 0], 1 - false_alarms)
    return (scores[labels == 1] > threshold).mean()


def report(name, scores, pairs):
    labels = np.array([pair.label for pair in pairs])
    out = {"set": name, "pairs": len(pairs), "auc": round(float(auc(scores, labels)), 4)}
    for share in (0.1, 0.05, 0.02):
        out[f"recall at {share}"] = round(float(recall_at(scores, labels, share)), 3)
    if pairs[0].kind != "single":
        threshold = np.quantile(scores[labels == 0], 0.9)
        for kind in sorted({pair.kind for pair in pairs}):
            rows = np.array([pair.kind == kind for pair in pairs])
            out[kind] = round(float((scores[rows] > threshold).mean()), 3)
    print(json.dumps(out), flush=True)
