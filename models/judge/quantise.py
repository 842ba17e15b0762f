"""Layers whose weights are rounded in training as they will be stored: numbers of four bits, each group with a factor."""

import torch
import torch.nn as nn
import torch.nn.functional as F

# Numbers of a row that share a factor.
GROUP = 32
HIGHEST = 7


def rounded(weight):
    """The matrix after symmetric rounding, with factors in half precision."""
    groups = weight.view(len(weight), -1, GROUP)
    factor = (groups.abs().amax(-1, keepdim=True) / HIGHEST).clamp(min=1e-7).half().float()
    codes = (groups / factor).round().clamp(-HIGHEST, HIGHEST)
    return (codes * factor).view_as(weight)


class Linear(nn.Linear):
    is_rounded = False

    def forward(self, x):
        """In the precision of `x`; the gradient of a rounded matrix is that of the exact one."""
        weight = self.weight
        if self.is_rounded:
            weight = weight + (rounded(weight.detach()) - weight.detach())
        return F.linear(x, weight.to(x.dtype), self.bias.to(x.dtype))


def start_rounding(model):
    for module in model.modules():
        if isinstance(module, Linear):
            module.is_rounded = True


@torch.no_grad()
def round_weights(model):
    """Replaces the weights by the rounded ones."""
    for module in model.modules():
        if isinstance(module, Linear):
            module.weight.copy_(rounded(module.weight))
            module.is_rounded = False
