"""A BERT encoder of two statements with one output, trainable, in plain PyTorch."""

import torch
import torch.nn as nn
import torch.nn.functional as F

HEADS = 12
WIDTH = 384
PAD, UNK, CLS, SEP = range(4)


class Layer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = dropout

    def forward(self, x, mask):
        rows, length, _ = x.shape
        split = lambda part: part.view(rows, length, HEADS, -1).transpose(1, 2)
        query, key, value = map(split, self.qkv(x).chunk(3, dim=-1))
        dropout = self.dropout if self.training else 0.0
        seen = F.scaled_dot_product_attention(query, key, value, mask[:, None, None], dropout)
        seen = self.out(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        x = self.out_norm(x + F.dropout(seen, self.dropout, self.training))
        seen = self.narrow(F.gelu(self.wide(x)))
        return self.narrow_norm(x + F.dropout(seen, self.dropout, self.training))


class Judge(nn.Module):
    """Returns the log-odds that two statements contradict each other."""

    def __init__(self, vocabulary, layers, dropout=0.1, positions=128):
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(positions, WIDTH)
        self.sides = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.head = nn.Linear(2 * WIDTH, 1)
        self.dropout = dropout

    def load_encoder(self, weights):
        """Takes over the first layers of a published BERT encoder."""
        get = lambda name: weights[name].float()
        with torch.no_grad():
            self.words.weight.copy_(get("embeddings.word_embeddings.weight"))
            self.positions.weight.copy_(get("embeddings.position_embeddings.weight"))
            self.sides.weight.copy_(get("embeddings.token_type_embeddings.weight"))
            self.norm.weight.copy_(get("embeddings.LayerNorm.weight"))
            self.norm.bias.copy_(get("embeddings.LayerNorm.bias"))
            for number, layer in enumerate(self.layers):
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

    def forward(self, ids, sides):
        mask = ids != PAD
        x = self.words(ids) + self.positions.weight[: ids.shape[1]] + self.sides(sides)
        x = F.dropout(self.norm(x), self.dropout, self.training)
        for layer in self.layers:
            x = layer(x, mask)
        share = mask.to(x.dtype)[:, :, None]
        mean = (x * share).sum(1) / share.sum(1)
        pooled = torch.cat([x[:, 0], mean], dim=-1)
        return self.head(F.dropout(pooled, self.dropout, self.training))[:, 0]


def batch_of(rows, device, longest=96):
    """The token lists of two statements each as tensors."""
    joined = []
    for first, second in rows:
        first, second = first[: longest // 2], second[: longest // 2]
        ids = [CLS, *first, SEP, *second, SEP]
        joined.append((ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)))
    length = max(len(ids) for ids, _ in joined)
    pad = lambda row: row + [0] * (length - len(row))
    ids = torch.tensor([pad(ids) for ids, _ in joined], device=device)
    sides = torch.tensor([pad(sides) for _, sides in joined], device=device)
    return ids, sides
