"""Pairs of statements as batches of tokens, joined where the model runs."""

import numpy as np
import torch

PAD, UNKNOWN, START, END = range(4)


class PairRows:
    def __init__(self, tokenised, separators, device, sides=False):
        put = lambda array: torch.from_numpy(np.ascontiguousarray(array, dtype=np.int64)).to(device)
        self.tokens, self.sizes = put(tokenised.tokens), put(tokenised.sizes)
        self.starts = self.sizes.cumsum(0) - self.sizes
        self.first, self.second = put(tokenised.first), put(tokenised.second)
        self.separators = separators
        self.sides = sides
        self.device = device
        self.lengths = self.sizes[self.first] + self.sizes[self.second] + separators + 2

    def __len__(self):
        return len(self.first)

    def join(self, chosen, swap, length):
        """The tokens of the chosen rows: START first SEPARATORS second END; `swap` tells which are turned round."""
        first = torch.where(swap, self.second[chosen], self.first[chosen])[:, None]
        second = torch.where(swap, self.first[chosen], self.second[chosen])[:, None]
        end_of_first = self.sizes[first] + 1
        before_second = self.sizes[first] + self.separators
        end = before_second + self.sizes[second] + 1
        at = torch.arange(length, device=self.device)[None]
        is_first = (at >= 1) & (at < end_of_first)
        is_second = (at > before_second) & (at < end)
        from_first = self.starts[first] + at - 1
        from_second = self.starts[second] + at - before_second - 1
        source = torch.where(is_first, from_first, from_second).clamp(0, len(self.tokens) - 1)
        ids = torch.where(is_first | is_second, self.tokens[source], END)
        ids = torch.where(at == 0, START, ids)
        ids = torch.where(at > end, PAD, ids)
        if self.sides:
            return ids, ((at > before_second) & (at <= end)).long()
        return (ids,)

    def batches(self, chosen, size, shuffled):
        """Batches of rows of like length: the rows, the length, and whether some are shorter."""
        if shuffled:
            # Without the shuffle the rows that fill no batch would always be the longest.
            chosen = chosen[torch.randperm(len(chosen), device=self.device)][: len(chosen) // size * size]
        lengths = self.lengths[chosen].float()
        order = torch.argsort(lengths + torch.rand_like(lengths) * 0.9)
        chosen, lengths = chosen[order], lengths[order]
        starts = range(0, len(chosen), size)
        ends = [min(start + size, len(chosen)) for start in starts]
        lengths = lengths.long().cpu().tolist()
        batches = [(start, end, lengths[end - 1], lengths[start] < lengths[end - 1]) for start, end in zip(starts, ends)]
        if shuffled:
            batches = [batches[at] for at in torch.randperm(len(batches)).tolist()]
        for start, end, length, padded in batches:
            yield chosen[start:end], length, padded

    @torch.no_grad()
    def scores(self, model, orders=(False, True), size=1024):
        """The log-odds of all rows: the mean over the orders of the two statements."""
        model.eval()
        everything = torch.arange(len(self), device=self.device)
        out = torch.zeros(len(self), device=self.device)
        for chosen, length, padded in self.batches(everything, size, shuffled=False):
            for swapped in orders:
                swap = torch.full((len(chosen),), swapped, device=self.device)
                odds = model(*self.join(chosen, swap, length), padded)
                out[chosen] += odds.float() / len(orders)
        return out.cpu().numpy()
