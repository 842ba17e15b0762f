"""Fits the model that turns what the rules find in two statements into a probability: boosted trees over the features that
`heirloom-core` computes, calibrated on subjects that they were not fitted to.

    cargo build --profile release -p heirloom-embed --example contradiction_features
    python judge/combine.py judge/pairs/?.jsonl technical-train.tsv --test judge/pairs/test.tsv \
        --program ../target/release/examples/contradiction_features --out contradiction.bin

The file: `HEIRTREE`; u32 bytes of the features' names; the names, each with a line break; u32 trees; for each tree u16
leaves, for each node u16 feature, f32 threshold and two i16 branches (a node, or -1 - leaf; the first branch is for values up
to the threshold), and f32 leaves; then twice, without and with the log-odds of another model, seven f32: intercept, factor of
the trees' score, factor of the log-odds, and the probabilities from which a contradiction is possible, possible among the
many pairs of a scan, certain, and certain if the statements differ in one thing only. All little endian.
"""

import argparse
import hashlib
import json
import random
import re
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import lightgbm
import numpy as np

from alter import alter, names_in, reword
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
MADE_WEIGHT = 0.3
# What is called possible raises so many false alarms among pairs on one subject.
POSSIBLE_FALSE_ALARMS = 0.1
# The same in a scan of many memories, and what is called certain there, among pairs on different subjects.
SCAN_FALSE_ALARMS = 0.004
CERTAIN_FALSE_ALARMS = 0.0015
# The precision of what is called certain, on subjects that the trees were not fitted to; a margin above 0.95.
CERTAIN_PRECISION = 0.965
CERTAIN_MIN_COUNT = 40
# Before the log-odds of the other model are known for pairs that it was not trained on.
ASSUMED_FACTORS = (0.0, 0.6, 0.8)


MADE = ("neighbour", "altered", "reworded", "other subject")
OF_OTHER_SUBJECTS = ("neighbour", "other subject")


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


def form(word):
    return word[0].isupper(), word.endswith("s")


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


def features_of(pairs, program, work, name):
    path = work / f"{name}.tsv"
    one_line = lambda text: re.sub(r"\s+", " ", text)
    path.write_text("".join(f"{one_line(pair.first)}\t{one_line(pair.second)}\n" for pair in pairs), encoding="utf-8")
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


def certain_from(probabilities, labels):
    """The least probability from which so many are right that both labels would weigh the same."""
    weights = balance(labels)
    order = np.argsort(-probabilities)
    right = np.cumsum((weights * labels)[order])
    precision = right / np.cumsum(weights[order])
    enough = np.arange(1, len(order) + 1) >= CERTAIN_MIN_COUNT
    good = np.flatnonzero(enough & (precision >= CERTAIN_PRECISION))
    return float(probabilities[order][good[-1]]) if len(good) else 0.999


def combination(factors, probabilities, labels, is_clean, of_other_subjects):
    """How a score becomes a probability, and the limits of what follows from it. `of_other_subjects` are the probabilities of
    pairs that do not contradict since they are about different things."""
    possible = float(np.quantile(probabilities[labels == 0], 1 - POSSIBLE_FALSE_ALARMS))
    in_scan = max(possible, float(np.quantile(of_other_subjects, 1 - SCAN_FALSE_ALARMS)))
    certain = certain_from(probabilities, labels)
    certain = max(certain, in_scan, float(np.quantile(of_other_subjects, 1 - CERTAIN_FALSE_ALARMS)))
    clean = probabilities[is_clean & (labels == 1)]
    # Statements that differ in one thing only are nearly always right; those that the trees doubt are left out.
    if_clean = max(possible, float(np.quantile(clean, 0.1))) if len(clean) else certain
    return [*factors, possible, in_scan, certain, min(if_clean, certain)]


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
    out += [struct.pack("<7f", *alone), struct.pack("<7f", *with_log_odds)]
    return b"".join(out)


def probability(factors, *columns):
    return 1 / (1 + np.exp(-(factors[0] + sum(factor * column for factor, column in zip(factors[1:], columns)))))


def print_quality(name, probabilities, labels, limits, is_clean):
    _, _, _, possible, in_scan, certain, if_clean = limits
    called = probabilities >= np.where(is_clean, if_clean, certain)
    report = {
        "set": name,
        "pairs": len(labels),
        "auc": round(float(auc(probabilities, labels)), 4),
        "recall": round(float((probabilities[labels == 1] >= possible).mean()), 3),
        "false alarms": round(float((probabilities[labels == 0] >= possible).mean()), 3),
        "recall at 0.1": round(float(recall_at(probabilities, labels, 0.1)), 3),
        "recall in a scan": round(float((probabilities[labels == 1] >= in_scan).mean()), 3),
        "certain": int(called.sum()),
        "precision of certain": round(float(labels[called].mean()), 3) if called.any() else None,
    }
    print(json.dumps(report), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pairs", nargs="+", type=Path, help="clusters (jsonl) and single pairs (tsv) to fit to")
    parser.add_argument("--test", type=Path, help="pairs to measure on")
    parser.add_argument("--program", required=True, nargs="+", help="the example contradiction_features")
    parser.add_argument("--judged", nargs=2, metavar=("PAIRS", "LOG_ODDS"), type=Path, action="append", default=[],
                        help="pairs that the other model was not trained on, and what it says of each")
    parser.add_argument("--work", type=Path, default=Path("work/combine"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    pairs = read_judged(options.pairs)
    pairs += [*neighbours(pairs, NEIGHBOURS, seed=1), *altered(pairs, ALTERED, seed=2)]
    features, names = features_of(pairs, options.program, options.work, "pairs")
    labels = np.array([pair.label for pair in pairs])
    kinds = np.array([pair.kind for pair in pairs])
    weights = np.select([kinds == "single", np.isin(kinds, MADE)], [SINGLE_WEIGHT, MADE_WEIGHT], 1.0)
    folds = np.array([fold_of(pair.subject) for pair in pairs])
    scores = np.zeros(len(pairs))
    for fold in range(FOLDS):
        held_out = folds == fold
        model = fit(features[~held_out], labels[~held_out], weights[~held_out])
        scores[held_out] = model.predict(features[held_out], raw_score=True)
    model = fit(features, labels, weights)

    written = ~np.isin(kinds, MADE)
    clean = is_clean_of(features, names)
    calibration = logistic([scores[written]], labels[written], balance(labels[written]))
    probabilities = probability(calibration, scores)
    others = np.isin(kinds, OF_OTHER_SUBJECTS)
    alone = combination(
        [*calibration, 0.0], probabilities[written], labels[written], clean[written], probabilities[others]
    )
    print(json.dumps({"alone": [round(number, 4) for number in alone]}), flush=True)
    print_quality("by subject", probabilities[written], labels[written], alone, clean[written])
    single = kinds == "single"
    print_quality("single, by subject", probabilities[single], labels[single], alone, clean[single])
    for kind in MADE:
        rows = kinds == kind
        certain = probabilities[rows] >= np.where(clean[rows], alone[6], alone[5])
        print(json.dumps({"kind": kind, "pairs": int(rows.sum()), "certain": round(float(certain.mean()), 4),
                          "in a scan": round(float((probabilities[rows] >= alone[4]).mean()), 4),
                          "possible": round(float((probabilities[rows] >= alone[3]).mean()), 4)}), flush=True)

    with_log_odds = [*ASSUMED_FACTORS, *alone[3:]]
    if options.judged:
        judged = [(read(path), np.loadtxt(log_odds)) for path, log_odds in options.judged]
        held_back = [pair for found, _ in judged for pair in found]
        log_odds = np.concatenate([numbers for _, numbers in judged])
        if len(held_back) != len(log_odds):
            sys.exit(f"{len(held_back)} pairs and {len(log_odds)} log-odds")
        known = {(pair.first, pair.second): score for pair, score in zip(pairs, scores)}
        unknown = [pair for pair in held_back if (pair.first, pair.second) not in known]
        if unknown:
            sys.exit(f"not among the pairs to fit to: {unknown[0].first!r} and {unknown[0].second!r}")
        of_trees = np.array([known[pair.first, pair.second] for pair in held_back])
        is_clean = dict(zip([(pair.first, pair.second) for pair in pairs], clean))
        is_clean = np.array([is_clean[pair.first, pair.second] for pair in held_back])
        judged_labels = np.array([pair.label for pair in held_back])
        judged_kinds = np.array([pair.kind for pair in held_back])
        factors = logistic([of_trees, log_odds], judged_labels, balance(judged_labels))
        combined = probability(factors, of_trees, log_odds)
        others = combined[np.isin(judged_kinds, OF_OTHER_SUBJECTS)]
        if not len(others):
            # What the trees alone say of such pairs is stricter than what both do.
            others = probabilities[np.isin(kinds, OF_OTHER_SUBJECTS)]
        with_log_odds = combination(list(factors), combined, judged_labels, is_clean, others)
        print(json.dumps({"with log-odds": [round(number, 4) for number in with_log_odds]}), flush=True)
        print_quality("judged", combined, judged_labels, with_log_odds, is_clean)

    if options.test:
        test = read(options.test)
        rows, _ = features_of(test, options.program, options.work, "test")
        test_labels = np.array([pair.label for pair in test])
        of_test = probability(calibration, model.predict(rows, raw_score=True))
        print_quality(options.test.name, of_test, test_labels, alone, is_clean_of(rows, names))
    written_bytes = file_bytes(model, names, alone, with_log_odds)
    options.out.write_bytes(written_bytes)
    print(json.dumps({"file": str(options.out), "bytes": len(written_bytes)}))


if __name__ == "__main__":
    main()
