"""Lets a pruned model follow the outputs of the layers of the whole one in the first part of its training."""

import json

import torch


class Guide:
    """Called as the model; `loss` adds how far its layers are from those of `whole`, less and less until `share` is done."""

    def __init__(self, model, whole, share, loss):
        self.model, self.share = model, share
        self.whole = whole.to(torch.bfloat16).eval() if share else None
        self.answer_loss = loss
        self.done = 0.0
        self.distance = None

    def __call__(self, ids, padded=True):
        if self.done >= self.share:
            self.distance = None
            return self.model(ids, padded)
        states, mask = self.model.states(ids, padded)
        with torch.no_grad():
            wanted, _ = self.whole.states(ids, padded)
        counted = mask[:, :, None]
        distances = []
        for own, theirs in zip(states, wanted, strict=True):
            error = ((own - theirs).float() ** 2 * counted).sum()
            scale = ((theirs - theirs.mean(dim=(0, 1))).float() ** 2 * counted).sum()
            distances.append(error / scale)
        self.distance = torch.stack(distances).mean()
        return self.model.odds(states, mask)

    def loss(self, odds, targets):
        answers = self.answer_loss(odds, targets)
        if self.distance is None:
            return answers
        return answers + (1 - self.done / self.share) * self.distance

    def report(self):
        if self.distance is not None:
            print(json.dumps({"distance of the layers": round(self.distance.item(), 4)}), flush=True)
