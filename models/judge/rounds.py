"""Which pairs are trained on next: hard ones of the pools more often than easy ones, and a share of written pairs."""

import torch

# The pairs of the pools that are drawn at once, each at most once.
ROUND_PAIRS = 250_000
# Teachers that give a contradiction less than these log-odds are sure that there is none.
EASY_BELOW = -3.0


class Rounds:
    def __init__(self, targets, sizes, settings):
        """`targets` are the log-odds of the pairs of all pools, which have these `sizes`, and then of the written pairs."""
        pooled = sum(sizes)
        self.pooled, self.count = pooled, len(targets)
        self.share = settings.share if self.count > pooled else 0
        self.finish = settings.finish
        self.weights = torch.where(targets[:pooled] < EASY_BELOW, settings.easy, 1.0)
        self.last = self.weights.clone()
        self.last[: pooled - sizes[-1] if sizes else 0] = 0

    def __call__(self, done):
        """The rows of the next round; those of the last pool and the written ones alone in the last part of the training."""
        device = self.weights.device
        if not self.pooled:
            return torch.arange(self.count, device=device)
        weights = self.last if done >= 1 - self.finish else self.weights
        drawn = min(ROUND_PAIRS, int((weights > 0).sum()))
        written = int(drawn * self.share / (1 - self.share))
        rows = torch.multinomial(weights, drawn)
        return torch.cat([rows, torch.randint(self.pooled, self.count, (written,), device=device)]) if written else rows
