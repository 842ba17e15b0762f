"""Layers whose weights are rounded in training as they will be stored: to 8 bits a row or to 4 bits a group."""

import torch
import torch.nn as nn
import torch.nn.functional as F

# Numbers of a row that share a factor at 4 bits.
GROUP = 32


def rounded(weight, bits):
    """The matrix after symmetric rounding, with factors in half precision."""
    groups = weight if bits == 8 else weight.view(len(weight), -1, GROUP)
    highest = 2 ** (bits - 1) - 1
    factor = (groups.abs().amax(-1, keepdim=True) / highest).clamp(min=1e-7).half().float()
    codes = (groups / factor).round().clamp(-highest, highest)
    return (codes * factor).view_as(weight)


def straight_through(weight, bits):
    """The rounded matrix; its gradient is that of the exact one."""
    return weight if bits is None else weight + (rounded(weight.detach(), bits) - weight.detach())


class Linear(nn.Linear):
    bits = None

    def forward(self, x):
        """In the precision of `x`."""
        weight = straight_through(self.weight, self.bits)
        return F.linear(x, weight.to(x.dtype), self.bias.to(x.dtype))


class Embedding(nn.Embedding):
    bits = None

    def forward(self, ids):
        return F.embedding(ids, straight_through(self.weight, self.bits))


def set_bits(model, bits, token_bits):
    for module in model.modules():
        if isinstance(module, Linear):
            module.bits = bits
        elif isinstance(module, Embedding):
            module.bits = token_bits


@torch.no_grad()
def round_weights(model):
    """Replaces the weights by the rounded ones."""
    for module in model.modules():
        if isinstance(module, (Linear, Embedding)) and module.bits:
            module.weight.copy_(rounded(module.weight, module.bits))
            module.bits = None
