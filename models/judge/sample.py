"""Writes sample.json: what the program's tests expect of a tiny judge, whose weights the tests make by the same formula.

    python judge/sample.py
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from checksum import blake3
from export import BUCKETS, GROUP_INPUTS, HEAD_WIDTH, SPECIAL, dequantised, judge_file, matrices
from reference import Reference

OUT = Path(__file__).parent / "sample.json"
WIDTH, POSITIONS, PARTS, DISTANCE_HEADS = 96, 128, 12, 5
# The heads and the inner width of each layer.
LAYERS = [([4, 0], 64), ([], 192), ([2], 0), ([0, 1, 3], 128)]
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
    yield "words.codes", (len(VOCABULARY), PARTS)
    yield "words.codebooks", (PARTS, 256, WIDTH // PARTS)
    yield "positions.weight", (POSITIONS, WIDTH)
    yield "norm.weight", (WIDTH,)
    yield "norm.bias", (WIDTH,)
    yield "distances.weight", (BUCKETS, DISTANCE_HEADS)
    for number, (heads, inner_width) in enumerate(LAYERS):
        attended = len(heads) * HEAD_WIDTH
        for part, shape in (
            ("qkv", (3 * attended, WIDTH)),
            ("out", (WIDTH, attended)),
            ("out_norm", (WIDTH,)),
            ("wide", (inner_width, WIDTH)),
            ("narrow", (WIDTH, inner_width)),
            ("narrow_norm", (WIDTH,)),
        ):
            if np.prod(shape):
                yield f"layers.{number}.{part}.weight", shape
            if shape[0]:
                yield f"layers.{number}.{part}.bias", shape[:1]
    yield "head.weight", (1, 2 * WIDTH)
    yield "head.bias", (1,)


def rounded_matrix(tensor, shape):
    """A matrix as training leaves it: each group has a largest code and a half as its factor."""
    codes = integers(tensor, int(np.prod(shape)), 7).reshape(-1, GROUP_INPUTS)
    codes[:, 0] = 7
    factors = (1024 + np.arange(len(codes)) * 37 % 1024) / 2**16
    return (codes * factors[:, None]).reshape(shape)


def weights():
    """Weights that the file represents exactly."""
    out = {f"layers.{number}.heads": np.array(heads, np.float32) for number, (heads, _) in enumerate(LAYERS)}
    for tensor, (name, shape) in enumerate(shapes()):
        count = int(np.prod(shape))
        if name == "words.codes":
            numbers = integers(tensor, count, 127) + 127
        elif name.startswith("layers.") and len(shape) == 2:
            numbers = rounded_matrix(tensor, shape)
        else:
            divisor = {"head.weight": 512, "words.codebooks": 64, "distances.weight": 32}.get(name, 1024)
            numbers = integers(tensor, count, 127) / divisor + name.endswith("norm.weight")
        out[name] = numbers.reshape(shape).astype(np.float32)
    return out


def check_export(made):
    """What training rounded stays as it is, even if it was stored as halves."""
    for name in matrices(made):
        for given in (made[name], made[name].astype(np.float16)):
            if not np.array_equal(dequantised(given), made[name]):
                sys.exit(f"rounding changed {name}, which was rounded already")


def main():
    made = weights()
    check_export(made)
    out = {"vocabulary": VOCABULARY, "models": [], "pairs": PAIRS}
    for orders in (1, 2):
        judge = Reference(made, VOCABULARY, orders, rounded=True)
        found = [round(judge.log_odds(*pair), 5) for pair in PAIRS]
        file = judge_file(made, VOCABULARY, orders)
        out["models"].append({"orders": orders, "blake3": blake3(file).hex(), "log_odds": found})
    out["tokens"] = [{"text": text, "ids": judge.tokenizer.encode(text)} for text in TEXTS]
    OUT.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
