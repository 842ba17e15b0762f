"""Quantises the trained judge and writes it as one file, which `crates/embed/src/judge/file.rs` reads.

    python judge/export.py work/judge/judge-6-1.safetensors --vocabulary work/encoder/vocabulary.txt --bits 8 --out judge.bin

Weights of eight bits have one factor for each output; of weights of four bits, each 32 of an output share a factor. Tensors
may be spread over several files.
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
VERSION = 1
HEADS = 12
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
MOST_BYTES = 24 * 1024 * 1024
# As the kernels of `crates/core/src/kernels/matrix.rs` read them.
PANEL_OUTPUTS = 16
GROUP_INPUTS = 4
SHARING = 32
# The factors that are tried for four bits, relative to the one that fits the largest weight.
SHRINKING = np.linspace(1.0, 0.7, 13, dtype=np.float32)


def divided(numbers, factor):
    """The numbers over a factor that may be zero."""
    return np.rint(numbers / np.where(factor > 0, factor, 1))


def eight_bits(matrix):
    """Rounded rows and the factor of each."""
    factor = (np.abs(matrix).max(axis=1) / 127).astype(np.float16)
    wide = factor.astype(np.float32)[:, None]
    return np.clip(divided(matrix, wide), -127, 127).astype(np.int8), factor


def four_bits(matrix):
    """Rounded rows and the factor of each group of a row, the one of those tried with the least error."""
    groups = matrix.reshape(len(matrix), -1, SHARING)
    top = np.abs(groups).max(axis=2) / 7
    best = np.full(top.shape, np.inf, np.float32)
    factor = np.zeros(top.shape, np.float16)
    rounded = np.zeros(groups.shape, np.int8)
    for share in SHRINKING:
        tried = (top * share).astype(np.float16)
        wide = tried.astype(np.float32)[:, :, None]
        numbers = np.clip(divided(groups, wide), -8, 7)
        error = ((numbers * wide - groups) ** 2).sum(axis=2)
        better = error < best
        best = np.where(better, error, best)
        factor = np.where(better, tried, factor)
        rounded = np.where(better[:, :, None], numbers, rounded).astype(np.int8)
    return rounded, factor


def packed(rows):
    """The order of the kernels: panels of outputs, groups of inputs, outputs, inputs."""
    outputs, inputs = rows.shape
    panels = rows.reshape(outputs // PANEL_OUTPUTS, PANEL_OUTPUTS, inputs // GROUP_INPUTS, GROUP_INPUTS)
    return panels.transpose(0, 2, 1, 3).tobytes()


def nibbles(groups):
    """The first half of a group in the low halves of bytes, the second one in the high halves."""
    stored = (groups + 8).astype(np.uint8)
    half = SHARING // 2
    return (stored[:, :, :half] | stored[:, :, half:] << 4).tobytes()


def quantised(matrix, bits, order):
    if bits == 8:
        rows, factor = eight_bits(matrix)
        return factor.astype("<f2").tobytes() + order(rows)
    groups, factor = four_bits(matrix)
    return factor.astype("<f2").tobytes() + nibbles(groups)


def dequantised(matrix, bits):
    """What is left of a matrix."""
    rounded, factor = eight_bits(matrix) if bits == 8 else four_bits(matrix)
    return (rounded * factor.astype(np.float32)[..., None]).reshape(matrix.shape)


def judge_file(weights, vocabulary, heads, bits, token_bits):
    """The bytes of the file."""
    if vocabulary[:4] != SPECIAL:
        sys.exit(f"the vocabulary does not start with {', '.join(SPECIAL)}")
    count, width = weights["words.weight"].shape
    if len(vocabulary) != count:
        sys.exit(f"the vocabulary has {len(vocabulary)} tokens, the model {count}")
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    inner_width = len(weights["layers.0.wide.bias"])
    words = "".join(token + "\n" for token in vocabulary).encode()
    positions = len(weights["positions.weight"])
    sizes = (layers, width, heads, inner_width, positions, count, len(words), bits, token_bits)
    out = [struct.pack("<10I", VERSION, *sizes), words]
    halves = lambda name: out.append(weights[name].astype("<f2").tobytes())
    out.append(quantised(weights["words.weight"], token_bits, lambda rows: rows.tobytes()))
    for name in ("positions.weight", "sides.weight", "norm.weight", "norm.bias"):
        halves(name)
    for number in range(layers):
        for part in ("qkv", "out", "out_norm", "wide", "narrow", "narrow_norm"):
            name = f"layers.{number}.{part}"
            if part.endswith("norm"):
                halves(f"{name}.weight")
            else:
                out.append(quantised(weights[f"{name}.weight"], bits, packed))
            halves(f"{name}.bias")
    halves("head.weight")
    halves("head.bias")
    body = b"".join(out)
    return MAGIC + blake3(body) + body


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", nargs="+", type=Path, help="the tensors of bert.py, in one file or several")
    parser.add_argument("--vocabulary", type=Path, default=Path("work/encoder/vocabulary.txt"))
    parser.add_argument("--bits", type=int, choices=(4, 8), default=8)
    parser.add_argument("--token-bits", type=int, choices=(4, 8), help="of the tokens' vectors, otherwise as --bits")
    parser.add_argument("--heads", type=int, default=HEADS)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "judge.bin")
    args = parser.parse_args()
    vocabulary = read_vocabulary(args.vocabulary)
    token_bits = args.token_bits or args.bits
    data = judge_file(read_files(args.weights), vocabulary, args.heads, args.bits, token_bits)
    if len(data) > MOST_BYTES:
        sys.exit(f"{len(data):,} bytes are more than {MOST_BYTES:,}: use --bits 4 or --token-bits 4")
    args.out.write_bytes(data)
    print(f"{args.out}: {len(data):,} bytes, {args.bits} bits a weight, {token_bits} bits a number of a token")


if __name__ == "__main__":
    main()
