"""The first layers of Qwen2.5-Coder with one output, trainable, in plain PyTorch: a teacher of the judge."""

import json

import torch
import torch.nn as nn
import torch.nn.functional as F
from decoder import unpacked
from tokenised import LONGEST, Tokenised, numbered

WIDTH = 1536
HEADS = 12
SHARED_HEADS = 2
HEAD_WIDTH = WIDTH // HEADS
INNER = 8960
ROTATION_BASE = 1_000_000.0
POSITIONS = 128
EPSILON = 1e-6
PAD, UNKNOWN = 0, 1
# What separates the two statements: the end of the first and the beginning of the second.
SEPARATORS = 2


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return F.rms_norm(x, (WIDTH,), self.weight.to(x.dtype), EPSILON)


def rotations(length):
    """The cosine and the sine that turn the numbers of each position."""
    rates = ROTATION_BASE ** (-torch.arange(0, HEAD_WIDTH, 2).float() / HEAD_WIDTH)
    angles = torch.arange(length).float()[:, None] * rates[None]
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()


def rotated(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first_norm = Norm()
        self.qkv = nn.Linear(WIDTH, (HEADS + 2 * SHARED_HEADS) * HEAD_WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.second_norm = Norm()
        self.gate_up = nn.Linear(WIDTH, 2 * INNER, bias=False)
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x, cosine, sine):
        rows, length, _ = x.shape
        heads = self.qkv(self.first_norm(x)).view(rows, length, -1, HEAD_WIDTH).transpose(1, 2)
        query, key, value = heads.split([HEADS, SHARED_HEADS, SHARED_HEADS], 1)
        query, key = rotated(query, cosine, sine), rotated(key, cosine, sine)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        x = x + self.out(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        gate, up = self.gate_up(self.second_norm(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Teacher(nn.Module):
    """Returns the log-odds that two statements contradict each other, from the output at the last token."""

    def __init__(self, tokens, layers):
        super().__init__()
        self.words = nn.Embedding(tokens, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.norm = Norm()
        self.head = nn.Linear(WIDTH, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        cosine, sine = rotations(POSITIONS)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)

    def halve(self):
        """Leaves half of the precision, which is enough to score pairs."""
        self.to(torch.bfloat16)
        self.head.float()

    def forward(self, ids, padded=True):
        device = ids.device.type
        with torch.autocast(device, torch.bfloat16, enabled=ids.is_cuda):
            x = self.words(ids)
            x = x.to(torch.bfloat16) if ids.is_cuda else x
            length = ids.shape[1]
            cosine, sine = self.cosine[:length].to(x.dtype), self.sine[:length].to(x.dtype)
            for layer in self.layers:
                x = layer(x, cosine, sine)
            last = (ids != PAD).sum(1) - 1
            x = self.norm(x[torch.arange(len(x), device=x.device), last])
        with torch.autocast(device, enabled=False):
            return self.head(x.float())[:, 0]


class Tokens:
    """The tokenizer, with the numbers of the tokens that were kept."""

    def __init__(self, folder):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        kept = json.loads((folder / "tokens.json").read_text())
        self.count = len(kept)
        self.number = {token: at for at, token in enumerate(kept)}

    def tokenise(self, pairs):
        texts, first, second = numbered(pairs)
        rows = [it.ids[:LONGEST] for it in self.tokenizer.encode_batch(texts, add_special_tokens=False)]
        rows = [[self.number.get(token, UNKNOWN) for token in row] for row in rows]
        return Tokenised.of_rows(rows, first, second)


def load(folder, layers, device):
    weights = unpacked(folder, device)
    model = Teacher(len(weights["words.weight"]), layers).to(device)
    missing, unknown = model.load_state_dict({name: value for name, value in weights.items()}, strict=False)
    if unknown or any(not name.startswith(("head", "norm")) for name in missing):
        raise ValueError(f"the decoder lacks {missing}; it has {unknown} besides")
    return model
