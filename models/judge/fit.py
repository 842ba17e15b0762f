"""The training loop that the judge and its teacher share."""

import time

import torch
import torch.nn.functional as F

# The share of the training in which the rate rises; then it falls to nothing.
WARM_UP = 0.06
WEIGHT_DECAY = 0.01
# The head starts from random weights.
HEAD_FACTOR = 10


def by_time(minutes):
    """How much of the training is done, by the clock."""
    started = time.monotonic()
    return lambda step: (time.monotonic() - started) / (60 * minutes)


def by_steps(steps):
    return lambda step: step / steps


def loss_of(odds, targets, temperature=1.0):
    """How far log-odds are from those of the target; a high temperature makes more of small differences between sure ones."""
    wanted = torch.sigmoid(targets / temperature)
    return temperature**2 * F.binary_cross_entropy_with_logits(odds.float() / temperature, wanted)


def log_odds(labels, smoothing):
    """The targets for labels of 0 and 1."""
    return torch.logit(labels * (1 - smoothing) + smoothing / 2)


def fit(model, rows, targets, epoch, progress, batch, rate, after_step, forward=None, loss_of=loss_of):
    """Trains until `progress` of the number of steps reaches 1.

    The targets are log-odds; `epoch` returns the rows of the next pass for the share of the training that is done.
    """
    if len(rows) < batch:
        raise ValueError(f"{len(rows)} pairs do not fill a batch of {batch}")
    heads = [value for name, value in model.named_parameters() if name.startswith("head")]
    others = [value for name, value in model.named_parameters() if not name.startswith("head")]
    groups = [{"params": heads, "peak": rate * HEAD_FACTOR}, {"params": others, "peak": rate}]
    optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=WEIGHT_DECAY, fused=rows.device == "cuda")
    forward = forward or model
    step = 0
    model.train()
    while True:
        for chosen, length, padded in rows.batches(epoch(progress(step)), batch, shuffled=True):
            done = progress(step)
            if done >= 1:
                return step
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * min(done / WARM_UP, (1 - done) / (1 - WARM_UP))
            swap = torch.rand(len(chosen), device=rows.device) < 0.5
            loss = loss_of(forward(*rows.join(chosen, swap, length), padded), targets[chosen])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            after_step(step, done, loss.detach())
