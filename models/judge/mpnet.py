"""An MPNet encoder of two statements with one output, trainable, in plain PyTorch: the teacher of the judge."""

import json
import math
import sys
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from encoder import SPECIAL as JUDGE_SPECIAL
from encoder import WORDS, is_latin
from safetensors.torch import load_file, save_file

HEADS = 12
WIDTH = 768
LAYERS = 12
BUCKETS = 32
# Longer distances share a bucket.
MAX_DISTANCE = 128
# The first two rows of the published table of positions are unused.
FIRST_POSITION = 2
POSITIONS = 128
PAD, UNK, START, END = range(4)
SPECIAL = ["<pad>", "[UNK]", "<s>", "</s>"]
PART_BYTES = 34_000_000


def distance_buckets(length):
    """The bucket of the distance between every two positions."""
    at = torch.arange(length)
    distance = at[:, None] - at[None, :]
    half = BUCKETS // 2
    exact = half // 2
    far = distance.abs().clamp(min=1).float()
    far = exact + (torch.log(far / exact) / math.log(MAX_DISTANCE / exact) * (half - exact)).long()
    near = torch.where(distance.abs() < exact, distance.abs(), far.clamp(max=half - 1))
    return near + (distance < 0).long() * half


class Layer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.dropout = dropout

    def forward(self, x, bias):
        rows, length, _ = x.shape
        split = lambda part: part.view(rows, length, HEADS, -1).transpose(1, 2)
        query, key, value = map(split, self.qkv(x).chunk(3, dim=-1))
        dropout = self.dropout if self.training else 0.0
        seen = F.scaled_dot_product_attention(query, key, value, bias.to(query.dtype), dropout)
        seen = self.out(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        x = self.out_norm(x + F.dropout(seen, self.dropout, self.training))
        seen = self.narrow(F.gelu(self.wide(x)))
        return self.narrow_norm(x + F.dropout(seen, self.dropout, self.training))


class Teacher(nn.Module):
    """Returns the log-odds that two statements contradict each other."""

    def __init__(self, vocabulary, dropout=0.1):
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.distances = nn.Embedding(BUCKETS, HEADS)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.head = nn.Linear(2 * WIDTH, 1)
        self.dropout = dropout
        self.register_buffer("buckets", distance_buckets(POSITIONS), persistent=False)

    def forward(self, ids):
        mask = ids != PAD
        length = ids.shape[1]
        x = self.words(ids) + self.positions.weight[:length]
        x = F.dropout(self.norm(x), self.dropout, self.training)
        bias = self.distances(self.buckets[:length, :length]).permute(2, 0, 1)[None]
        bias = bias.masked_fill(~mask[:, None, None], float("-inf"))
        for layer in self.layers:
            x = layer(x, bias)
        share = mask.to(x.dtype)[:, :, None]
        mean = (x * share).sum(1) / share.sum(1)
        pooled = torch.cat([x[:, 0], mean], dim=-1)
        return self.head(F.dropout(pooled, self.dropout, self.training))[:, 0]


def batch_of(rows, device, longest=96):
    """The token lists of two statements each as a tensor."""
    half = longest // 2
    joined = [[START, *first[:half], END, END, *second[:half], END] for first, second in rows]
    length = max(len(ids) for ids in joined)
    return (torch.tensor([ids + [PAD] * (length - len(ids)) for ids in joined], device=device),)


def published_weights(package, chosen):
    """The weights of the published encoder under the names of `Teacher`."""
    weights = load_file(package / "model.safetensors")
    out = {
        "words.weight": weights["embeddings.word_embeddings.weight"][chosen],
        "positions.weight": weights["embeddings.position_embeddings.weight"][FIRST_POSITION:][:POSITIONS],
        "distances.weight": weights["encoder.relative_attention_bias.weight"],
    }
    for part in ("weight", "bias"):
        out[f"norm.{part}"] = weights[f"embeddings.LayerNorm.{part}"]
        for number in range(LAYERS):
            theirs, own = f"encoder.layer.{number}.", f"layers.{number}."
            attention = [weights[f"{theirs}attention.attn.{it}.{part}"] for it in "qkv"]
            out[f"{own}qkv.{part}"] = torch.cat(attention)
            for name, other in (
                ("out", "attention.attn.o"),
                ("out_norm", "attention.LayerNorm"),
                ("wide", "intermediate.dense"),
                ("narrow", "output.dense"),
                ("narrow_norm", "output.LayerNorm"),
            ):
                out[f"{own}{name}.{part}"] = weights[f"{theirs}{other}.{part}"]
    return out


def write_parts(weights, out):
    """Writes matrices as bytes with a factor a row, in files of a limited size."""
    out.mkdir(parents=True, exist_ok=True)
    part, size, number = {}, 0, 0

    def finish():
        save_file(part, out / f"part{number}.safetensors")

    for name, value in weights.items():
        tensors = {name: value.half().contiguous()}
        if value.dim() == 2 and value.numel() > 1_000_000:
            factor = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            tensors = {name: (value / factor).round().to(torch.int8), f"{name}/factor": factor}
        size += sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
        if size > PART_BYTES and part:
            finish()
            part, number = {}, number + 1
            size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
        part.update(tensors)
    finish()
    print(json.dumps({"parts": number + 1}))


def read_parts(folder):
    weights = {}
    for path in sorted(Path(folder).glob("part*.safetensors")):
        weights.update(load_file(path))
    return {
        name: value.float() * weights[f"{name}/factor"] if f"{name}/factor" in weights else value.float()
        for name, value in weights.items()
        if not name.endswith("/factor")
    }


def make(package, out):
    """Takes the encoder out of a published model, with the tokens that the judge has."""
    tokens = (package / "vocab.txt").read_text(encoding="utf-8").splitlines()
    chosen = [tokens.index(token) for token in SPECIAL]
    chosen += [i for i, token in enumerate(tokens[:WORDS]) if is_latin(token) and not token.startswith("<")]
    write_parts(published_weights(package, chosen), out)
    names = [*JUDGE_SPECIAL, *(tokens[i] for i in chosen[len(SPECIAL) :])]
    (out / "vocabulary.txt").write_text("\n".join(names) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]))
