"""Writes a judge of given sizes with random weights, to measure its speed with the example `judge`.

    python judge/random_judge.py --layers 12 --heads 6 --inner 1280 --out work/random.bin --pairs work/pairs.tsv
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from export import BUCKETS, HEAD_WIDTH, judge_file
from sample import VOCABULARY

POSITIONS = 128
DISTANCE_HEADS = 12
# With the four special tokens, a pair has 33.
STATEMENT_WORDS = (14, 15)
PAIRS = 64


def weights(random, layers, width, heads, inner_width, parts):
    numbers = lambda *shape: random.standard_normal(shape, dtype=np.float32) / 20
    out = {
        "words.codes": random.integers(0, 256, (len(VOCABULARY), parts)).astype(np.float32),
        "words.codebooks": numbers(parts, 256, width // parts),
        "positions.weight": numbers(POSITIONS, width),
        "distances.weight": numbers(BUCKETS, DISTANCE_HEADS),
        "head.weight": numbers(1, 2 * width),
        "head.bias": numbers(1),
    }
    attended = heads * HEAD_WIDTH
    linear = {"qkv": (3 * attended, width), "out": (width, attended)}
    linear |= {"wide": (inner_width, width), "narrow": (width, inner_width)}
    norms = ["norm"]
    for number in range(layers):
        name = f"layers.{number}"
        out[f"{name}.heads"] = np.arange(heads, dtype=np.float32)
        norms += [f"{name}.out_norm", f"{name}.narrow_norm"]
        for part, shape in linear.items():
            out[f"{name}.{part}.weight"] = numbers(*shape)
            out[f"{name}.{part}.bias"] = numbers(shape[0])
    for name in norms:
        out[f"{name}.weight"] = 1 + numbers(width)
        out[f"{name}.bias"] = numbers(width)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--inner", type=int, default=1280)
    parser.add_argument("--parts", type=int, default=96)
    parser.add_argument("--orders", type=int, choices=(1, 2), default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True, help="where pairs of 33 tokens are written to")
    args = parser.parse_args()
    random = np.random.default_rng(1)
    made = weights(random, args.layers, args.width, args.heads, args.inner, args.parts)
    args.out.write_bytes(judge_file(made, VOCABULARY, args.orders))
    words = [word for word in VOCABULARY if word.isascii() and word.isalnum()]
    statement = lambda count: " ".join(random.choice(words, count))
    pairs = ("\t".join(map(statement, STATEMENT_WORDS)) + "\n" for _ in range(PAIRS))
    args.pairs.write_text("".join(pairs), encoding="utf-8")


if __name__ == "__main__":
    main()
