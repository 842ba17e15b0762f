"""Fits the model that turns what the rules find in two statements into a probability: boosted trees over the features that
`heirloom-core` computes, calibrated on subjects that they were not fitted to.

    cargo build --profile release -p heirloom-embed --example contradiction_features
    python judge/combine.py judge/pairs/?.jsonl technical-train.tsv --test judge/pairs/test.tsv \
        --program ../target/release/examples/contradiction_features --out contradiction.bin

The file: `HEIRTREE`; u32 bytes of the features' names; the names, each with a line break; u32 trees; for each tree u16
leaves, for each node u16 feature, f32 threshold and two i16 branches (a node, or -1 - leaf; the first branch is for values up
to the threshold), and f32 leaves; then twice, without and with the log-odds of another model, eleven f32: intercept, factor of
the trees' score, factor of the log-odds, the probabilities from which a contradiction is possible, certain, and certain if the
statements differ in one thing only, and those that the shares `SCAN_RATES` of the pairs of a scan exceed that do not contradict
each other. All little endian.

These pairs come from `--scanned`: files that `heirloom-bench contradictions planted --save-pairs` wrote. Without them, the pairs
are used that were made of written ones and are about different subjects; of these there are harder ones.
"""

import argparse
import hashlib
import json
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy as np

from made import MADE, OF_OTHER_SUBJECTS, altered, elsewhere, neighbours
from pairs import Pair, read, read_judged
from report import auc, recall_at

FOLDS = 4
TREES = 300
SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 63,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 63,
    "verbose": -1,
    "seed": 1,
    "deterministic": True,
    "num_threads": 2,
}
# Pairs that were written singly are what the model is for; a cluster makes thirty pairs of one subject.
SINGLE_WEIGHT = 4
# Statements on different subjects that share rare words, as a search of many memories finds them.
NEIGHBOURS = 24_000
# Pairs that were made by changing a word of a statement.
ALTERED = 6_000
# Pairs on other things, other parts of them, and other circumstances, and as many that share these.
ELSEWHERE = 6_000
MADE_WEIGHT = 0.3
# What is called possible raises so many false alarms among pairs on one subject.
POSSIBLE_FALSE_ALARMS = 0.1
# What is called certain raises at most so many false alarms among pairs on different subjects.
CERTAIN_FALSE_ALARMS = 0.0015
# The shares of pairs on different subjects for which the probability that they exceed is stored: a scan of many memories
# judges so many of them that it calls possible only what hardly any exceeds.
SCAN_RATES = (0.03, 0.01, 0.003, 0.001, 0.0003)
# How many of these pairs are read.
SCANNED_PAIRS = 15_000
# The precision of what is called certain, on subjects that the trees were not fitted to; a margin above 0.95.
CERTAIN_PRECISION = 0.965
CERTAIN_MIN_COUNT = 40
# Before the log-odds of the other model are known for pairs that it was not trained on.
ASSUMED_FACTORS = (0.0, 0.6, 0.8)


def write_pairs(pairs, path):
    one_line = lambda text: re.sub(r"\s+", " ", text)
    path.write_text("".join(f"{one_line(pair.first)}\t{one_line(pair.second)}\n" for pair in pairs), encoding="utf-8")
    return path


def features_of(pairs, program, work, name):
    path = write_pairs(pairs, work / f"{name}.tsv")
    out, names = work / f"{name}.f32", work / "names.txt"
    subprocess.run([*program, path, out, names], check=True)
    names = names.read_text(encoding="utf-8").split("\n")[:-1]
    return np.fromfile(out, dtype="<f4").reshape(len(pairs), len(names)), names


def is_clean_of(features, names):
    """Whether the statements differ in one thing only, of which rules alone can be certain."""
    kinds = ("number", "unit", "version", "negation", "key_value")
    is_kind = np.any([features[:, names.index(f"finding {kind}")] == 1 for kind in kinds], axis=0)
    return is_kind & (features[:, names.index("is clean")] == 1)


def fold_of(subject):
    return hashlib.sha256(subject.encode()).digest()[0] % FOLDS


def fit(features, labels, weights):
    data = lightgbm.Dataset(features, labels, weight=weights, free_raw_data=True)
    return lightgbm.train(SETTINGS, data, TREES)


def logistic(columns, labels, weights):
    """The factors of a logistic regression; the first is the intercept."""
    rows = np.column_stack([np.ones(len(labels)), *columns])
    factors = np.zeros(rows.shape[1])
    for _ in range(50):
        odds = 1 / (1 + np.exp(-rows @ factors))
        slope = rows.T @ (weights * (labels - odds)) - 1e-3 * factors
        curve = (rows * (weights * odds * (1 - odds))[:, None]).T @ rows + 1e-3 * np.eye(len(factors))
        step = np.linalg.solve(curve, slope)
        factors += step
        if np.abs(step).max() < 1e-9:
            break
    return factors


def balance(labels):
    """Weights with which both labels weigh the same."""
    share = labels.mean()
    return np.where(labels == 1, 0.5 / share, 0.5 / (1 - share))


def certain_from(probabilities, labels, weights):
    """The least probability from which nearly all are right, by weight."""
    order = np.argsort(-probabilities)
    right = np.cumsum((weights * labels)[order])
    precision = right / np.cumsum(weights[order])
    enough = np.arange(1, len(order) + 1) >= CERTAIN_MIN_COUNT
    good = np.flatnonzero(enough & (precision >= CERTAIN_PRECISION))
    return float(probabilities[order][good[-1]]) if len(good) else 0.999


def combination(factors, probabilities, labels, is_clean, is_written, of_other_subjects, scanned=None):
    """How a score becomes a probability, and the limits of what follows from it. What is possible, and what is certain though
    the statements differ in several things, follows from written pairs alone; what is certain of statements that differ in one
    thing follows from made pairs, too, but for those on other subjects, which a scan keeps apart."""
    clean = is_clean & ~of_other_subjects
    of_clean = certain_from(probabilities[clean], labels[clean], np.ones(clean.sum()))
    of_others = probabilities[of_other_subjects]
    scanned = of_others if scanned is None else scanned
    probabilities, labels = probabilities[is_written], labels[is_written]
    possible = float(np.quantile(probabilities[labels == 0], 1 - POSSIBLE_FALSE_ALARMS))
    in_scan = [float(np.quantile(scanned, 1 - rate)) for rate in SCAN_RATES]
    certain = certain_from(probabilities, labels, balance(labels))
    certain = max(certain, possible, float(np.quantile(of_others, 1 - CERTAIN_FALSE_ALARMS)))
    return [*factors, possible, certain, min(max(of_clean, possible), certain), *in_scan]


def below(threshold):
    """The greatest number in single precision that is not above a threshold."""
    single = np.float32(threshold)
    return float(np.nextafter(single, np.float32(-np.inf)) if float(single) > threshold else single)


def tree_bytes(tree):
    nodes, leaves = [], []

    def walk(node):
        if "leaf_value" in node:
            leaves.append(node["leaf_value"])
            return -len(leaves)
        number = len(nodes)
        nodes.append(None)
        assert node["decision_type"] == "<="
        branches = walk(node["left_child"]), walk(node["right_child"])
        nodes[number] = struct.pack("<Hf2h", node["split_feature"], below(node["threshold"]), *branches)
        return number

    walk(tree)
    return struct.pack("<H", len(leaves)) + b"".join(nodes) + struct.pack(f"<{len(leaves)}f", *leaves)


def file_bytes(model, names, alone, with_log_odds):
    text = "".join(name + "\n" for name in names).encode()
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    out = [b"HEIRTREE", struct.pack("<I", len(text)), text, struct.pack("<I", len(trees))]
    out += [tree_bytes(tree) for tree in trees]
    out += [struct.pack("<11f", *alone), struct.pack("<11f", *with_log_odds)]
    return b"".join(out)


def probability(factors, *columns):
    return 1 / (1 + np.exp(-(factors[0] + sum(factor * column for factor, column in zip(factors[1:], columns)))))


def judged_by(program, pairs, work):
    """The log-odds that a program prints of pairs, a line each."""
    path = write_pairs(pairs, work / "judged.tsv")
    printed = subprocess.run([*program, path], check=True, capture_output=True, text=True).stdout
    log_odds = np.array(printed.split(), dtype=np.float64)
    if len(log_odds) != len(pairs):
        sys.exit(f"{program[0]} printed {len(log_odds)} numbers for {len(pairs)} pairs")
    return log_odds


def read_scanned(paths):
    """The pairs of scans that do not contradict each other, as they are written and as the judge reads them."""
    rows = [line.split("\t") for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row[2] == "0"]
    rows = random.Random(1).sample(rows, min(SCANNED_PAIRS, len(rows)))
    written = [Pair(row[0], row[1], 0.0, "scanned", "") for row in rows]
    return written, [Pair(row[3], row[4], 0.0, "scanned", "") for row in rows]


def print_made(kinds, probabilities, clean, limits):
    """How many of the pairs that were made are called what."""
    for kind in MADE:
        rows = kinds == kind
        certain = probabilities[rows] >= np.where(clean[rows], limits[5], limits[4])
        shares = {"certain": certain, "in a scan": probabilities[rows] >= limits[9], "possible": probabilities[rows] >= limits[3]}
        shares = {name: round(float(called.mean()), 4) for name, called in shares.items()}
        print(json.dumps({"kind": kind, "pairs": int(rows.sum()), **shares}), flush=True)


def print_quality(name, probabilities, labels, limits, is_clean):
    _, _, _, possible, certain, if_clean, *in_scan = limits
    called = probabilities >= np.where(is_clean, if_clean, certain)
    report = {
        "set": name,
        "pairs": len(labels),
        "auc": round(float(auc(probabilities, labels)), 4),
        "recall": round(float((probabilities[labels == 1] >= possible).mean()), 3),
        "false alarms": round(float((probabilities[labels == 0] >= possible).mean()), 3),
        "recall at 0.1": round(float(recall_at(probabilities, labels, 0.1)), 3),
        "recall in a scan": round(float((probabilities[labels == 1] >= in_scan[3]).mean()), 3),
        "certain": int(called.sum()),
        "precision of certain": round(float(labels[called].mean()), 3) if called.any() else None,
    }
    print(json.dumps(report), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pairs", nargs="+", type=Path, help="clusters (jsonl) and single pairs (tsv) to fit to")
    parser.add_argument("--test", type=Path, help="pairs to measure on")
    parser.add_argument("--program", required=True, nargs="+", help="the example contradiction_features")
    parser.add_argument("--judge", nargs="+", help="the example judge and its model, whose log-odds are combined with the trees' score")
    parser.add_argument("--held-out", nargs="*", type=Path, default=[], help="more pairs to fit to, which the judge was not trained on")
    parser.add_argument("--scanned", nargs="*", type=Path, default=[], help="pairs of scans of generated facts, for the shares of false alarms")
    parser.add_argument("--work", type=Path, default=Path("work/combine"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    held_out = read_judged(options.held_out)
    made_of_held_out = []
    if held_out:
        made_of_held_out = [*neighbours(held_out, NEIGHBOURS // 4, seed=3), *altered(held_out, ALTERED // 4, seed=4)]
        made_of_held_out += elsewhere(held_out, ELSEWHERE // 4, seed=6)
    pairs = read_judged(options.pairs) + held_out
    made = [*neighbours(pairs, NEIGHBOURS, seed=1), *altered(pairs, ALTERED, seed=2), *elsewhere(pairs, ELSEWHERE, seed=5)]
    pairs = [*pairs, *made, *made_of_held_out]
    is_held_out = np.zeros(len(pairs), bool)
    is_held_out[len(pairs) - len(made_of_held_out) :] = True
    written_count = len(pairs) - len(made) - len(made_of_held_out)
    is_held_out[written_count - len(held_out) : written_count] = True
    features, names = features_of(pairs, options.program, options.work, "pairs")
    labels = np.array([pair.label for pair in pairs])
    kinds = np.array([pair.kind for pair in pairs])
    weights = np.select([kinds == "single", np.isin(kinds, MADE)], [SINGLE_WEIGHT, MADE_WEIGHT], 1.0)
    folds = np.array([fold_of(pair.subject) for pair in pairs])
    scores = np.zeros(len(pairs))
    for fold in range(FOLDS):
        left_out = folds == fold
        model = fit(features[~left_out], labels[~left_out], weights[~left_out])
        scores[left_out] = model.predict(features[left_out], raw_score=True)
    model = fit(features, labels, weights)

    written = ~np.isin(kinds, MADE)
    clean = is_clean_of(features, names)
    calibration = logistic([scores[written]], labels[written], balance(labels[written]))
    probabilities = probability(calibration, scores)
    others = np.isin(kinds, OF_OTHER_SUBJECTS)
    scanned, scanned_as_read = read_scanned(options.scanned)
    scores_of_scanned = in_scan = None
    if scanned:
        scores_of_scanned = model.predict(features_of(scanned, options.program, options.work, "scanned")[0], raw_score=True)
        in_scan = probability(calibration, scores_of_scanned)
    alone = combination([*calibration, 0.0], probabilities, labels, clean, written, others, in_scan)
    print(json.dumps({"alone": [round(number, 4) for number in alone]}), flush=True)
    print_quality("by subject", probabilities[written], labels[written], alone, clean[written])
    single = kinds == "single"
    print_quality("single, by subject", probabilities[single], labels[single], alone, clean[single])
    print_made(kinds, probabilities, clean, alone)

    with_log_odds = [*ASSUMED_FACTORS, *alone[3:]]
    if options.judge:
        rows = np.flatnonzero(is_held_out)
        log_odds = judged_by(options.judge, [pairs[row] for row in rows], options.work)
        of_trees, found_labels, found_clean = scores[rows], labels[rows], clean[rows]
        own = written[rows]
        factors = logistic([of_trees[own], log_odds[own]], found_labels[own], balance(found_labels[own]))
        combined = probability(factors, of_trees, log_odds)
        if scanned:
            in_scan = probability(factors, scores_of_scanned, judged_by(options.judge, scanned_as_read, options.work))
        with_log_odds = combination(list(factors), combined, found_labels, found_clean, own, others[rows], in_scan)
        print(json.dumps({"with log-odds": [round(number, 4) for number in with_log_odds]}), flush=True)
        print_quality("held out", combined[own], found_labels[own], with_log_odds, found_clean[own])
        print(json.dumps({"the judge alone, auc": round(float(auc(log_odds[own], found_labels[own])), 4)}))
        print_made(kinds[rows], combined, found_clean, with_log_odds)

    if options.test:
        test = read(options.test)
        rows, _ = features_of(test, options.program, options.work, "test")
        test_labels = np.array([pair.label for pair in test])
        of_trees, is_clean = model.predict(rows, raw_score=True), is_clean_of(rows, names)
        print_quality(options.test.name, probability(calibration, of_trees), test_labels, alone, is_clean)
        if options.judge:
            log_odds = judged_by(options.judge, test, options.work)
            combined = probability(with_log_odds, of_trees, log_odds)
            print_quality(f"{options.test.name}, with log-odds", combined, test_labels, with_log_odds, is_clean)
            print(json.dumps({"the judge alone, auc": round(float(auc(log_odds, test_labels)), 4)}))
    written_bytes = file_bytes(model, names, alone, with_log_odds)
    options.out.write_bytes(written_bytes)
    print(json.dumps({"file": str(options.out), "bytes": len(written_bytes)}))


if __name__ == "__main__":
    main()
