"""The published encoder that training starts with, without the tokens of other scripts, in bytes. Needs no PyTorch."""

import argparse
import unicodedata
from pathlib import Path

import numpy as np
from parts import write_parts
from safetensors.numpy import load_file

WORDS = 24_000
POSITIONS = 128
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
# The same tokens in the vocabulary of MPNet, whose first two positions are unused. Its own four precede those of BERT.
MPNET_SPECIAL = ["<pad>", "[UNK]", "<s>", "</s>"]
MPNET_OWN = 4
MPNET_FIRST_POSITION = 2
LAYER_NAMES = {
    "out": "attention.attn.o",
    "out_norm": "attention.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "narrow_norm": "output.LayerNorm",
}


def is_latin(token):
    text = token.removeprefix("##")
    named = (unicodedata.name(char, "") for char in text if char.isalpha())
    special = len(token) > 1 and token[0] in "[<"
    return not special and all("LATIN" in name for name in named)


def choose(package, special, words):
    """The rows of the kept tokens, and the tokens. The vocabulary is sorted by frequency: rare words are split into pieces."""
    tokens = (package / "vocab.txt").read_text(encoding="utf-8").splitlines()
    chosen = [tokens.index(token) for token in special]
    chosen += [at for at, token in enumerate(tokens[:words]) if is_latin(token)]
    return chosen, [*SPECIAL, *(tokens[at] for at in chosen[len(special) :])]


def mpnet(package):
    """The weights under the names of `mpnet.Teacher`."""
    chosen, vocabulary = choose(package, MPNET_SPECIAL, WORDS + MPNET_OWN)
    weights = load_file(package / "model.safetensors")
    out = {
        "words.weight": weights["embeddings.word_embeddings.weight"][chosen],
        "positions.weight": weights["embeddings.position_embeddings.weight"][MPNET_FIRST_POSITION:][:POSITIONS],
        "distances.weight": weights["encoder.relative_attention_bias.weight"],
    }
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for part in ("weight", "bias"):
        out[f"norm.{part}"] = weights[f"embeddings.LayerNorm.{part}"]
        for number in range(layers):
            theirs, own = f"encoder.layer.{number}.", f"layers.{number}."
            out[f"{own}qkv.{part}"] = np.concatenate([weights[f"{theirs}attention.attn.{it}.{part}"] for it in "qkv"])
            for name, other in LAYER_NAMES.items():
                out[f"{own}{name}.{part}"] = weights[f"{theirs}{other}.{part}"]
    return out, vocabulary


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=Path, help="folder with model.safetensors and vocab.txt")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    weights, vocabulary = mpnet(args.package)
    write_parts(weights, args.out)
    (args.out / "vocabulary.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    print(len(vocabulary), "tokens")


if __name__ == "__main__":
    main()
