"""The judge: an MPNet encoder of two statements whose layers each have a number of heads and neurons of their own.

Its word vectors are product-quantised: a vector is cut into parts, and each part of a word is one of 256 of a codebook.
"""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from mpnet import BUCKETS, HEADS, PAD, POSITIONS, WIDTH, distance_buckets
from quantise import Linear

HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-5
CENTRES = 256


class Norm(nn.LayerNorm):
    def __init__(self):
        super().__init__(WIDTH, eps=EPSILON)

    def forward(self, x):
        """In the precision of `x`."""
        return F.layer_norm(x, self.normalized_shape, self.weight.to(x.dtype), self.bias.to(x.dtype), self.eps)


class Layer(nn.Module):
    """`heads` are the numbers of the kept heads of the whole encoder, whose biases of distance they use.

    With `gates` the outputs of heads and neurons of each row are multiplied by numbers, to measure how much they matter.
    """

    def __init__(self, heads, inner):
        super().__init__()
        kept = len(heads) * HEAD_WIDTH
        self.register_buffer("heads", torch.tensor(heads, dtype=torch.long))
        self.qkv = Linear(WIDTH, 3 * kept)
        self.out = Linear(kept, WIDTH)
        self.out_norm = Norm()
        self.wide = Linear(WIDTH, inner)
        self.narrow = Linear(inner, WIDTH)
        self.narrow_norm = Norm()

    def forward(self, x, bias, gates=None):
        rows, length, _ = x.shape
        split = lambda part: part.view(rows, length, len(self.heads), HEAD_WIDTH).transpose(1, 2)
        query, key, value = map(split, self.qkv(x).chunk(3, dim=-1))
        seen = F.scaled_dot_product_attention(query, key, value, bias[:, self.heads])
        if gates:
            seen = seen * gates[0][:, :, None, None].to(seen.dtype)
        x = self.out_norm(x + self.out(seen.transpose(1, 2).reshape(rows, length, -1)))
        wide = F.gelu(self.wide(x))
        if gates:
            wide = wide * gates[1][:, None].to(wide.dtype)
        return self.narrow_norm(x + self.narrow(wide))


class Words(nn.Module):
    def __init__(self, count, parts):
        super().__init__()
        self.register_buffer("codes", torch.zeros(count, parts, dtype=torch.long))
        self.codebooks = nn.Parameter(torch.zeros(parts, CENTRES, WIDTH // parts))
        self.register_buffer("starts", torch.arange(parts) * CENTRES, persistent=False)

    def forward(self, ids):
        return F.embedding(self.codes[ids] + self.starts, self.codebooks.flatten(0, 1)).flatten(-2)


class Student(nn.Module):
    """Returns the log-odds that two statements contradict each other.

    `layers` has the kept heads and the number of neurons of each layer. Without `parts` the vectors of words are whole.
    """

    def __init__(self, vocabulary, layers, parts):
        super().__init__()
        self.words = Words(vocabulary, parts) if parts else nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.norm = Norm()
        self.distances = nn.Embedding(BUCKETS, HEADS)
        self.layers = nn.ModuleList(Layer(heads, inner) for heads, inner in layers)
        self.head = nn.Linear(2 * WIDTH, 1)
        self.register_buffer("buckets", distance_buckets(POSITIONS), persistent=False)

    def states(self, ids, padded=True, gates=None):
        """The outputs of the layers, and which tokens are no padding."""
        mask = ids != PAD
        length = ids.shape[1]
        x = self.norm(self.words(ids) + self.positions.weight[:length])
        x = x.to(torch.bfloat16 if ids.is_cuda else torch.float32)
        bias = self.distances(self.buckets[:length, :length]).permute(2, 0, 1)[None].to(x.dtype)
        if padded:
            bias = bias.masked_fill(~mask[:, None, None], float("-inf"))
        states = []
        for number, layer in enumerate(self.layers):
            x = layer(x, bias, gates[number] if gates else None)
            states.append(x)
        return states, mask

    def odds(self, states, mask):
        """The log-odds, given the outputs of the layers."""
        x = states[-1]
        share = mask[:, :, None].float()
        mean = (x * share).sum(1) / share.sum(1)
        return self.head(torch.cat([x[:, 0].float(), mean], dim=-1))[:, 0]

    def forward(self, ids, padded=True, gates=None):
        """Without `padded` the rows are of one length, and attention needs no mask."""
        return self.odds(*self.states(ids, padded, gates))

    def sizes(self):
        """The heads and neurons of each layer."""
        return [(len(layer.heads), layer.wide.out_features) for layer in self.layers]

    def layer_parameters(self):
        """The numbers in the matrices of the layers, which are what a pair costs."""
        return sum(heads * head_cost() + inner * NEURON_COST for heads, inner in self.sizes())


# The numbers of the matrices that belong to a neuron.
NEURON_COST = 2 * WIDTH


def head_cost():
    """The numbers of the matrices that belong to a head."""
    return 4 * WIDTH * HEAD_WIDTH


def student_of(weights):
    """The model with these weights, as `weights_of` or a teacher has them."""
    tensors = {name: torch.as_tensor(np.asarray(value)) for name, value in weights.items()}
    count = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("layers."))
    for number in range(count):
        tensors.setdefault(f"layers.{number}.heads", torch.arange(HEADS))
    layers = [
        (tensors[f"layers.{number}.heads"].long().tolist(), len(tensors[f"layers.{number}.wide.bias"])) for number in range(count)
    ]
    quantised = "words.codes" in tensors
    words = tensors["words.codes" if quantised else "words.weight"]
    model = Student(len(words), layers, words.shape[1] if quantised else None)
    model.load_state_dict(tensors)
    return model


def weights_of(model):
    return {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
