"""Writes sample.json: what the program's tests expect of a tiny judge, whose weights the tests make by the same formula.

    python judge/sample.py
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from checksum import blake3
from export import SPECIAL, judge_file
from reference import Reference

OUT = Path(__file__).parent / "sample.json"
LAYERS, WIDTH, HEADS, INNER_WIDTH, POSITIONS = 2, 32, 2, 64, 128
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SIGNS = ".,:;/-()'\"_=<>|$`~!?&#%+\\"
WORDS = ["the", "cache", "is", "not", "never", "on", "port", "##ed", "cafe", "time", "##out", "漢", "при", "##вет", "ß"]
VOCABULARY = [*SPECIAL, *SIGNS, *LETTERS, *(f"##{letter}" for letter in LETTERS), *WORDS]
TEXTS = [
    "",
    " \t\n",
    "The caches timed out; the port's 8080, not 80!",
    "parseFrontMatter parse_front_matter",
    "C:\\Users\\anna\\notes.txt & https://example.org/a?b=1#top",
    "v1.2.3-rc.1+build.7 costs $5 ~ `tick` | 50 %",
    "Café, cafe\u0301, CRÈME brûlée, Ångström, İstanbul and Straße",
    "Привет, мир: 日本語 and 漢字",
    "word漢word 😊 great😊",
    "zero\u200bwidth, soft\u00adhyphen, no\u00a0break\u2003spaces, control\u0000\u0007characters",
    "a" * 100 + " " + "b" * 101,
    "[CLS] [SEP] [UNK] ##s",
    "“quoted” — dashed… ﬁne Ⅻ ½",
]
PAIRS = [
    ("The cache is on", "The cache is not on"),
    ("timeout is 30 s", "timeout is 45 s"),
    ("ports: 80", "Café, cafe\u0301!"),
    ("the port", ""),
    ("the cache is never timed out on port 8080 " * 9, "the cache is timed out, and never on port 80 " * 9),
]


def integers(tensor, count, most):
    """Whole numbers from -most to most, which look random."""
    at = np.arange(count, dtype=np.int64)
    return (at * 7919 + at * at * 13 + tensor * 104729) % (2 * most + 1) - most


def shapes():
    """The names and shapes of the tensors, in the order of the file."""
    yield "words.weight", (len(VOCABULARY), WIDTH)
    yield "positions.weight", (POSITIONS, WIDTH)
    yield "sides.weight", (2, WIDTH)
    yield "norm.weight", (WIDTH,)
    yield "norm.bias", (WIDTH,)
    for layer in range(LAYERS):
        for part, shape in (
            ("qkv", (3 * WIDTH, WIDTH)),
            ("out", (WIDTH, WIDTH)),
            ("out_norm", (WIDTH,)),
            ("wide", (INNER_WIDTH, WIDTH)),
            ("narrow", (WIDTH, INNER_WIDTH)),
            ("narrow_norm", (WIDTH,)),
        ):
            yield f"layers.{layer}.{part}.weight", shape
            yield f"layers.{layer}.{part}.bias", shape[:1]
    yield "head.weight", (1, 2 * WIDTH)
    yield "head.bias", (1,)


def weights(bits):
    """Weights that are exact with so many bits: the first of all that share a factor is the largest."""
    out = {}
    for tensor, (name, shape) in enumerate(shapes()):
        count = int(np.prod(shape))
        is_matrix = name == "words.weight" or len(shape) == 2 and name.startswith("layers.")
        if is_matrix and bits == 4:
            numbers = integers(tensor, count, 7)
            numbers[::32] = 7
            numbers = numbers / 16
        elif is_matrix:
            numbers = integers(tensor, count, 127)
            numbers[:: shape[1]] = 127
            numbers = numbers / 256
        else:
            is_scale = name.endswith("norm.weight")
            numbers = integers(tensor, count, 127) / (1024 if name != "head.weight" else 256) + is_scale
        out[name] = numbers.reshape(shape).astype(np.float32)
    return out


def main():
    out = {"vocabulary": VOCABULARY, "models": [], "pairs": PAIRS}
    for bits in (8, 4):
        made = weights(bits)
        judge = Reference(made, VOCABULARY, HEADS)
        found = [round(judge.log_odds(*pair), 5) for pair in PAIRS]
        file = judge_file(made, VOCABULARY, HEADS, bits, bits)
        out["models"].append({"bits": bits, "blake3": blake3(file).hex(), "log_odds": found})
    out["tokens"] = [{"text": text, "ids": judge.tokenizer.encode(text)} for text in TEXTS]
    OUT.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
