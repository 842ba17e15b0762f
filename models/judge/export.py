"""Writes the trained judge as one file, which `crates/embed/src/judge/file.rs` reads.

    python judge/export.py work/judge/part*.safetensors --vocabulary work/judge/vocabulary.txt --out judge.bin

The tensors, which may be spread over several files, have the names that `mpnet.Teacher` gives them, apart from these:

- `words.codes` and `words.codebooks` stand for the vectors of the tokens: for each token, the codes of the parts of its vector;
  for each part, its 256 possible values.
- `layers.N.heads` are the numbers of the heads that a layer kept, which are the columns of `distances.weight`.
- A layer without heads has no `qkv`, and one without an inner width no `wide`; their `out` and `narrow` have a bias alone.

Matrices get four bits a weight, and each 32 inputs of an output share a factor. Training has rounded them already
(`quantise.rounded`): such a matrix is stored as it is.
"""

import argparse
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from checksum import blake3
from parts import read_files
from tokens import read_vocabulary

MAGIC = b"HEIRJUDG"
VERSION = 2
HEAD_WIDTH = 64
BUCKETS = 32
CODES = 256
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
MOST_BYTES = 24_000_000
HIGHEST = 7
# As the kernels of `crates/core/src/kernels/matrix.rs` read them.
PANEL_OUTPUTS = 32
GROUP_INPUTS = 32
STEP_INPUTS = 4
CODE_OFFSET = 8


def rounded(groups, factor, as_halves):
    """The codes of groups with these factors, and the squared error of each group."""
    wide = factor.astype(np.float32)[..., None]
    codes = np.rint(groups / np.where(wide > 0, wide, 1)).clip(-HIGHEST, HIGHEST)
    numbers = codes * wide
    if as_halves:
        numbers = numbers.astype(np.float16).astype(np.float32)
    return codes, ((numbers - groups) ** 2).sum(axis=-1)


def four_bits(matrix):
    """Codes, and the factor of each group of a row: the one that makes the largest code 7. If the weights were stored as halves
    after training had rounded them, it may be a neighbour of that half which gives these weights again."""
    groups = matrix.reshape(len(matrix), -1, GROUP_INPUTS).astype(np.float32)
    as_halves = np.array_equal(groups.astype(np.float16), groups)
    factor = (np.abs(groups).max(axis=2) / HIGHEST).astype(np.float16)
    codes, error = rounded(groups, factor, as_halves)
    for neighbour in (np.nextafter(factor, np.float16(0)), np.nextafter(factor, np.float16(np.inf))):
        other, its_error = rounded(groups, neighbour, as_halves)
        better = its_error < error
        factor = np.where(better, neighbour, factor)
        codes = np.where(better[..., None], other, codes)
        error = np.where(better, its_error, error)
    if not np.isfinite(factor).all():
        sys.exit("a matrix has weights that are no numbers or too large")
    return codes.astype(np.int8), factor


def dequantised(matrix):
    """What is left of a matrix."""
    codes, factor = four_bits(matrix)
    return (codes * factor.astype(np.float32)[..., None]).reshape(matrix.shape)


def packed(matrix):
    """The factors and the codes in the order of the kernels: panels of outputs, groups of inputs, steps of inputs, outputs. The
    codes of the first half of a panel's outputs are in the low halves of bytes, those of the second half in the high ones."""
    outputs, inputs = matrix.shape
    if outputs % PANEL_OUTPUTS or inputs % GROUP_INPUTS:
        sys.exit(f"a matrix of {outputs} x {inputs} is not supported")
    codes, factor = four_bits(matrix)
    panels, groups = outputs // PANEL_OUTPUTS, inputs // GROUP_INPUTS
    factor = factor.reshape(panels, PANEL_OUTPUTS, groups).transpose(0, 2, 1)
    stored = (codes + CODE_OFFSET).astype(np.uint8)
    stored = stored.reshape(panels, 2, PANEL_OUTPUTS // 2, inputs // STEP_INPUTS, STEP_INPUTS).transpose(1, 0, 3, 2, 4)
    return factor.astype("<f2").tobytes() + (stored[0] | stored[1] << 4).tobytes()


def layer_sizes(weights):
    """The inner width and the heads of each layer."""
    count = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for number in range(count):
        inner_width = len(weights.get(f"layers.{number}.wide.bias", ()))
        yield inner_width, [int(head) for head in weights[f"layers.{number}.heads"]]


def token_vectors(weights):
    """The vectors of all tokens."""
    codes, codebooks = weights["words.codes"].astype(int), weights["words.codebooks"]
    return np.concatenate([codebook[codes[:, part]] for part, codebook in enumerate(codebooks)], axis=1)


def check(weights, vocabulary):
    """Ends the program if the tensors do not fit together."""
    if vocabulary[: len(SPECIAL)] != SPECIAL:
        sys.exit(f"the vocabulary does not start with {', '.join(SPECIAL)}")
    parts, codes, _ = weights["words.codebooks"].shape
    tokens = len(weights["words.codes"])
    if weights["words.codes"].shape[1] != parts or codes != CODES:
        sys.exit(f"words.codes and words.codebooks do not fit together, or a codebook has not {CODES} parts")
    if len(vocabulary) != tokens:
        sys.exit(f"the vocabulary has {len(vocabulary)} tokens, the model {tokens}")
    if len(weights["distances.weight"]) != BUCKETS:
        sys.exit(f"distances.weight has not {BUCKETS} buckets")


def judge_file(weights, vocabulary, orders):
    """The bytes of the file."""
    check(weights, vocabulary)
    parts, _, part_width = weights["words.codebooks"].shape
    layers = list(layer_sizes(weights))
    words = "".join(token + "\n" for token in vocabulary).encode()
    positions, width = weights["positions.weight"].shape
    if width != parts * part_width:
        sys.exit(f"{parts} parts of {part_width} numbers are no vector of {width}")
    heads = weights["distances.weight"].shape[1]
    sizes = (len(layers), width, HEAD_WIDTH, positions, BUCKETS, heads, len(vocabulary), len(words), parts, orders)
    out = [struct.pack("<11I", VERSION, *sizes)]
    for inner_width, kept in layers:
        out.append(struct.pack(f"<{2 + len(kept)}I", inner_width, len(kept), *kept))
    out += [words, weights["words.codes"].astype(np.uint8).tobytes()]

    def halves(*names):
        for name in names:
            half = weights[name].astype("<f2")
            if not np.isfinite(half).all():
                sys.exit(f"{name} has numbers that a half cannot hold")
            out.append(half.tobytes())

    def matrix(name, shape):
        if weights[name].shape != shape:
            sys.exit(f"{name} has the shape {weights[name].shape} instead of {shape}")
        out.append(packed(weights[name]))

    halves("words.codebooks", "positions.weight", "norm.weight", "norm.bias", "distances.weight")
    for number, (inner_width, kept) in enumerate(layers):
        name = f"layers.{number}"
        attended = len(kept) * HEAD_WIDTH
        for inputs, first, second in ((attended, "qkv", "out"), (inner_width, "wide", "narrow")):
            if inputs:
                matrix(f"{name}.{first}.weight", ((3 if first == "qkv" else 1) * inputs, width))
                halves(f"{name}.{first}.bias")
                matrix(f"{name}.{second}.weight", (width, inputs))
            halves(*(f"{name}.{second}{part}" for part in (".bias", "_norm.weight", "_norm.bias")))
    halves("head.weight", "head.bias")
    body = b"".join(out)
    return MAGIC + blake3(body) + body


def is_kept(matrix):
    """Whether rounding leaves a matrix as it is, apart from what storing it as halves lost."""
    left = dequantised(matrix)
    return np.array_equal(left, matrix) or np.array_equal(left.astype(np.float16), matrix)


def matrices(weights):
    """The names of the matrices of four bits."""
    ends = tuple(f".{part}.weight" for part in ("qkv", "out", "wide", "narrow"))
    return [name for name in weights if name.startswith("layers.") and name.endswith(ends) and weights[name].size]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", nargs="+", type=Path, help="the tensors, in one file or several")
    parser.add_argument("--vocabulary", type=Path, default=Path("work/judge/vocabulary.txt"))
    parser.add_argument("--orders", type=int, choices=(1, 2), default=1, help="in how many orders a pair is read")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "judge.bin")
    args = parser.parse_args()
    weights = read_files(args.weights)
    data = judge_file(weights, read_vocabulary(args.vocabulary), args.orders)
    if len(data) > MOST_BYTES:
        sys.exit(f"{len(data):,} bytes are more than {MOST_BYTES:,}: leave out layers, heads or inner numbers")
    args.out.write_bytes(data)
    names = matrices(weights)
    changed = sum(not is_kept(weights[name]) for name in names)
    print(f"{args.out}: {len(data):,} bytes; rounding changed {changed} of {len(names)} matrices")


if __name__ == "__main__":
    main()
