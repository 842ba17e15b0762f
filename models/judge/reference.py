"""The judge in numpy, to compare the program with: as trained, and with its weights rounded as they are in the file.

    python judge/reference.py WEIGHTS... --vocabulary work/encoder/vocabulary.txt PAIRS.tsv

Prints the log-odds of each pair: two statements a line, separated by a tab.
"""

import argparse
import math
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from export import HEADS, dequantised
from parts import read_files
from tokens import Tokenizer, read_vocabulary

START, SEPARATOR = 2, 3
LONGEST = 96
EPSILON = 1e-12


def erf(x):
    """The error function, to seven digits (Abramowitz and Stegun, 7.1.26)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.copysign(1 - series * np.exp(-x * x), x)


def rounded_weights(weights, bits, token_bits):
    """The weights as the file has them."""
    out = {}
    for name, value in weights.items():
        if value.ndim == 2 and name not in ("positions.weight", "sides.weight", "head.weight"):
            value = dequantised(value, token_bits if name == "words.weight" else bits)
        else:
            value = value.astype(np.float16).astype(np.float32)
        out[name] = value
    return out


class Reference:
    def __init__(self, weights, vocabulary, heads=HEADS):
        self.weights = weights
        self.heads = heads
        self.tokenizer = Tokenizer(vocabulary)
        self.layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, name, x):
        length, width = x.shape
        split = lambda part: part.reshape(length, self.heads, -1).transpose(1, 0, 2)
        query, key, value = map(split, np.split(self.linear(f"{name}.qkv", x), 3, axis=-1))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(width // self.heads)
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        return self.linear(f"{name}.out", (share @ value).transpose(1, 0, 2).reshape(length, width))

    def one_order(self, first, second):
        first, second = (self.tokenizer.encode(text)[: LONGEST // 2] for text in (first, second))
        ids = [START, *first, SEPARATOR, *second, SEPARATOR]
        sides = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        weights = self.weights
        x = weights["words.weight"][ids] + weights["positions.weight"][: len(ids)] + weights["sides.weight"][sides]
        x = self.norm("norm", x)
        for number in range(self.layers):
            name = f"layers.{number}"
            x = self.norm(f"{name}.out_norm", x + self.attention(name, x))
            wide = self.linear(f"{name}.wide", x)
            wide = wide * (1 + erf(wide / math.sqrt(2))) / 2
            x = self.norm(f"{name}.narrow_norm", x + self.linear(f"{name}.narrow", wide))
        return float(self.linear("head", np.concatenate([x[0], x.mean(axis=0)]))[0])

    def log_odds(self, first, second):
        return (self.one_order(first, second) + self.one_order(second, first)) / 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", nargs="+", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--vocabulary", type=Path, default=Path("work/encoder/vocabulary.txt"))
    parser.add_argument("--bits", type=int, choices=(4, 8), help="round the weights to so many bits")
    parser.add_argument("--token-bits", type=int, choices=(4, 8))
    parser.add_argument("--heads", type=int, default=HEADS)
    args = parser.parse_args()
    weights = read_files(args.weights)
    if args.bits:
        weights = rounded_weights(weights, args.bits, args.token_bits or args.bits)
    judge = Reference(weights, read_vocabulary(args.vocabulary), args.heads)
    for line in open(args.pairs, encoding="utf-8"):
        first, second = line.rstrip("\n").split("\t")[:2]
        print(f"{judge.log_odds(first, second):.6f}")


if __name__ == "__main__":
    main()
