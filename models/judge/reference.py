"""The judge in numpy, to compare the program with: as trained, or with rounded numbers as in the program.

    python judge/reference.py WEIGHTS... PAIRS.tsv --vocabulary work/judge/vocabulary.txt --rounded

Prints the log-odds of each pair: two statements a line, separated by a tab.
"""

import argparse
import math
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from export import BUCKETS, HEAD_WIDTH, dequantised, layer_sizes, matrices, token_vectors
from parts import read_files
from tokens import Tokenizer, read_vocabulary

START, END = 2, 3
LONGEST = 48
MAX_DISTANCE = 128
EPSILON = 1e-5


def erf(x):
    """The error function, to seven digits (Abramowitz and Stegun, 7.1.26)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.copysign(1 - series * np.exp(-x * x), x)


# As in `crates/core/src/kernels/network.rs`: where the polynomial ends, and its coefficients, the highest power first.
GELU_LIMIT = 4.2
GELU_COEFFICIENTS = [
    -9.410352e-10,
    8.198415e-8,
    -3.105617e-6,
    6.780696e-5,
    -9.5740927e-4,
    9.324527e-3,
    -6.557605e-2,
    3.9849475e-1,
]


def polynomial_gelu(x):
    """The activation function as the program computes it."""
    near = x.clip(-GELU_LIMIT, GELU_LIMIT)
    return x * (0.5 + near * np.polyval(np.array(GELU_COEFFICIENTS, np.float32), near * near))


def distance_buckets(length):
    """The bucket of the distance between every two positions, as `mpnet.distance_buckets`."""
    at = np.arange(length)
    distance = at[:, None] - at[None, :]
    half = BUCKETS // 2
    exact = half // 2
    far = np.maximum(np.abs(distance), 1).astype(np.float32)
    far = exact + (np.log(far / exact) / np.float32(math.log(MAX_DISTANCE / exact)) * (half - exact)).astype(int)
    near = np.where(np.abs(distance) < exact, np.abs(distance), np.minimum(far, half - 1))
    return near + (distance < 0) * half


def rounded_weights(weights):
    """The weights as the file has them."""
    out = {name: value.astype(np.float16).astype(np.float32) for name, value in weights.items()}
    return out | {name: dequantised(weights[name]) for name in matrices(weights)}


def rounded_activations(x):
    """Rows of eight bits: the largest number of each is 127 times its factor."""
    factor = np.abs(x).max(axis=-1, keepdims=True) / 127
    return np.rint(x / np.where(factor > 0, factor, 1)) * factor


class Reference:
    """With `rounded`, activations are computed as in the program: matrices multiply eight bits of each."""

    def __init__(self, weights, vocabulary, orders, rounded=False):
        self.weights = weights
        self.orders = orders
        self.rounded = rounded
        self.tokenizer = Tokenizer(vocabulary)
        self.vectors = token_vectors(weights)
        self.layers = list(layer_sizes(weights))

    def linear(self, name, x):
        if self.rounded and name != "head":
            x = rounded_activations(x)
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, name, x, heads):
        length = len(x)
        split = lambda part: part.reshape(length, len(heads), HEAD_WIDTH).transpose(1, 0, 2)
        query, key, value = map(split, np.split(self.linear(f"{name}.qkv", x), 3, axis=-1))
        bias = self.weights["distances.weight"][distance_buckets(length)][:, :, heads].transpose(2, 0, 1)
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(HEAD_WIDTH) + bias
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        return self.linear(f"{name}.out", (share @ value).transpose(1, 0, 2).reshape(length, -1))

    def feed_forward(self, name, x):
        wide = self.linear(f"{name}.wide", x)
        seen = polynomial_gelu(wide) if self.rounded else wide * (1 + erf(wide / math.sqrt(2))) / 2
        return self.linear(f"{name}.narrow", seen)

    def one_order(self, first, second):
        first, second = (self.tokenizer.encode(text)[:LONGEST] for text in (first, second))
        ids = [START, *first, END, END, *second, END]
        x = self.norm("norm", self.vectors[ids] + self.weights["positions.weight"][: len(ids)])
        for number, (inner_width, heads) in enumerate(self.layers):
            name = f"layers.{number}"
            seen = self.attention(name, x, heads) if heads else self.weights[f"{name}.out.bias"]
            x = self.norm(f"{name}.out_norm", x + seen)
            seen = self.feed_forward(name, x) if inner_width else self.weights[f"{name}.narrow.bias"]
            x = self.norm(f"{name}.narrow_norm", x + seen)
        return float(self.linear("head", np.concatenate([x[0], x.mean(axis=0)]))[0])

    def log_odds(self, first, second):
        if first.encode() > second.encode():
            first, second = second, first
        if self.orders == 1:
            return self.one_order(first, second)
        return (self.one_order(first, second) + self.one_order(second, first)) / 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", nargs="+", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--vocabulary", type=Path, default=Path("work/judge/vocabulary.txt"))
    parser.add_argument("--orders", type=int, choices=(1, 2), default=1, help="in how many orders a pair is read")
    parser.add_argument("--rounded", action="store_true", help="round weights and activations")
    args = parser.parse_args()
    weights = read_files(args.weights)
    if args.rounded:
        weights = rounded_weights(weights)
    judge = Reference(weights, read_vocabulary(args.vocabulary), args.orders, args.rounded)
    for line in open(args.pairs, encoding="utf-8"):
        first, second = line.rstrip("\n").split("\t")[:2]
        print(f"{judge.log_odds(first, second):.6f}")


if __name__ == "__main__":
    main()
