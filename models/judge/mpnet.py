"""An MPNet encoder of two statements with one output, trainable, in plain PyTorch: the teacher of the judge."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

HEADS = 12
WIDTH = 768
LAYERS = 12
BUCKETS = 32
# Longer distances share a bucket.
MAX_DISTANCE = 128
POSITIONS = 128
PAD = 0
# What separates the two statements: the end of the first and the beginning of the second.
SEPARATORS = 2


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
        seen = F.scaled_dot_product_attention(query, key, value, bias, dropout)
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

    def load_encoder(self, weights):
        weights = {name: torch.from_numpy(value) for name, value in weights.items()}
        missing, unknown = self.load_state_dict(weights, strict=False)
        if unknown or any(not name.startswith("head") for name in missing):
            raise ValueError(f"the encoder lacks {missing}; it has {unknown} besides")

    def halve(self):
        """Leaves half of the precision, which is enough to score pairs."""
        self.to(torch.bfloat16)
        self.head.float()

    def forward(self, ids, padded=True):
        """Without `padded` the rows are of one length, and attention needs no mask."""
        whole = self.words.weight.dtype == torch.float32
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda and whole):
            pooled = self.pooled(ids, padded)
        return self.head(F.dropout(pooled, self.dropout, self.training))[:, 0]

    def pooled(self, ids, padded):
        mask = ids != PAD
        length = ids.shape[1]
        x = self.words(ids) + self.positions.weight[:length]
        x = F.dropout(self.norm(x), self.dropout, self.training)
        bias = self.distances(self.buckets[:length, :length]).permute(2, 0, 1)[None]
        device = ids.device.type
        if torch.is_autocast_enabled(device):
            bias = bias.to(torch.get_autocast_dtype(device))
        if padded:
            bias = bias.masked_fill(~mask[:, None, None], float("-inf"))
        for layer in self.layers:
            x = layer(x, bias)
        share = mask[:, :, None].float()
        mean = (x * share).sum(1) / share.sum(1)
        return torch.cat([x[:, 0].float(), mean.float()], dim=-1)
