"""A BERT encoder of two statements with one output, trainable, in plain PyTorch: the judge."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from quantise import Embedding, Linear

HEADS = 12
WIDTH = 384
POSITIONS = 128
PAD = 0
# What separates the two statements.
SEPARATORS = 1


def drop(x, share, training):
    return F.dropout(x, share) if training and share else x


class Norm(nn.LayerNorm):
    def __init__(self):
        super().__init__(WIDTH, eps=1e-12)

    def forward(self, x):
        """In the precision of `x`; autocast would use single precision."""
        return F.layer_norm(x, self.normalized_shape, self.weight.to(x.dtype), self.bias.to(x.dtype), self.eps)


class Layer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.qkv = Linear(WIDTH, 3 * WIDTH)
        self.out = Linear(WIDTH, WIDTH)
        self.out_norm = Norm()
        self.wide = Linear(WIDTH, 4 * WIDTH)
        self.narrow = Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = Norm()
        self.dropout = dropout

    def forward(self, x, mask):
        rows, length, _ = x.shape
        split = lambda part: part.view(rows, length, HEADS, -1).transpose(1, 2)
        query, key, value = map(split, self.qkv(x).chunk(3, dim=-1))
        dropout = self.dropout if self.training else 0.0
        seen = F.scaled_dot_product_attention(query, key, value, mask, dropout)
        seen = self.out(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        x = self.out_norm(x + drop(seen, self.dropout, self.training))
        seen = self.narrow(F.gelu(self.wide(x)))
        return self.narrow_norm(x + drop(seen, self.dropout, self.training))


class Judge(nn.Module):
    """Returns the log-odds that two statements contradict each other."""

    def __init__(self, vocabulary, layers, dropout=0.1):
        super().__init__()
        self.words = Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.sides = nn.Embedding(2, WIDTH)
        self.norm = Norm()
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.head = nn.Linear(2 * WIDTH, 1)
        self.dropout = dropout

    def load_encoder(self, weights):
        """Takes over the first layers of a published BERT encoder, or each of them several times."""
        get = lambda name: torch.from_numpy(weights[name])
        published = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        with torch.no_grad():
            self.words.weight.copy_(get("embeddings.word_embeddings.weight"))
            self.positions.weight.copy_(get("embeddings.position_embeddings.weight"))
            self.sides.weight.copy_(get("embeddings.token_type_embeddings.weight"))
            self.norm.weight.copy_(get("embeddings.LayerNorm.weight"))
            self.norm.bias.copy_(get("embeddings.LayerNorm.bias"))
            for number, layer in enumerate(self.layers):
                number = number * published // max(len(self.layers), published)
                prefix = f"encoder.layer.{number}."
                for part in ("weight", "bias"):
                    attention = [f"attention.self.{it}.{part}" for it in ("query", "key", "value")]
                    joined = torch.cat([get(prefix + name) for name in attention])
                    getattr(layer.qkv, part).copy_(joined)
                    for own, theirs in (
                        (layer.out, "attention.output.dense"),
                        (layer.out_norm, "attention.output.LayerNorm"),
                        (layer.wide, "intermediate.dense"),
                        (layer.narrow, "output.dense"),
                        (layer.narrow_norm, "output.LayerNorm"),
                    ):
                        getattr(own, part).copy_(get(f"{prefix}{theirs}.{part}"))

    def forward(self, ids, sides, padded=True):
        """Without `padded` the rows are of one length, and attention needs no mask."""
        mask = ids != PAD
        x = self.words(ids) + self.positions.weight[: ids.shape[1]] + self.sides(sides)
        x = self.norm(x).to(torch.bfloat16 if ids.is_cuda else torch.float32)
        x = drop(x, self.dropout, self.training)
        for layer in self.layers:
            x = layer(x, mask[:, None, None] if padded else None)
        share = mask[:, :, None].float()
        mean = (x * share).sum(1) / share.sum(1)
        pooled = torch.cat([x[:, 0].float(), mean], dim=-1)
        return self.head(drop(pooled, self.dropout, self.training))[:, 0]
