"""The published encoder that training starts with, without the tokens of other scripts, in half precision."""

import sys
import unicodedata
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

WORDS = 24_000
POSITIONS = 128
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def is_latin(token):
    text = token.removeprefix("##")
    named = (unicodedata.name(char, "") for char in text if char.isalpha())
    return not token.startswith("[") and all("LATIN" in name for name in named)


def make(package, out):
    tokens = (package / "vocab.txt").read_text(encoding="utf-8").splitlines()
    chosen = [tokens.index(token) for token in SPECIAL]
    # The vocabulary is sorted by frequency: rare words are split into pieces.
    chosen += [i for i, token in enumerate(tokens[:WORDS]) if is_latin(token)]
    weights = load_file(package / "model.safetensors")
    weights = {name: value for name, value in weights.items() if value.is_floating_point()}
    words = "embeddings.word_embeddings.weight"
    weights[words] = weights[words][chosen]
    positions = "embeddings.position_embeddings.weight"
    weights[positions] = weights[positions][:POSITIONS]
    out.mkdir(parents=True, exist_ok=True)
    kept = {name: value.half().contiguous() for name, value in weights.items() if "pooler" not in name}
    save_file(kept, out / "encoder.safetensors")
    (out / "vocabulary.txt").write_text("\n".join(tokens[i] for i in chosen) + "\n", encoding="utf-8")
    print(len(chosen), "tokens")


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]))
