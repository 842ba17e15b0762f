"""Leaves the heads and neurons of an encoder that matter most to its answers, and product-quantises its word vectors.

    python judge/prune.py work/teacher POOL.npz --parameters 26e6 --parts 128 --out work/pruned
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import torch
from mpnet import SEPARATORS
from parts import read_parts, write_parts
from rows import PairRows
from student import CENTRES, NEURON_COST, head_cost, student_of
from tokenised import load
from tokens import read_vocabulary

PART_BYTES = 15 * 2**20
# Neurons of a layer are kept in multiples of this.
BLOCK = 64
# Pairs of which the model is sure still count for something.
LEAST_DOUBT = 0.02
ITERATIONS = 25


def importance(model, rows, pairs, batch):
    """The mean square of what an answer's log-odds would change by without each head and each neuron, to the first order.

    Pairs count by how much their probability depends on the log-odds.
    """
    model.eval()
    heads = [torch.zeros(count, device=rows.device) for count, _ in model.sizes()]
    neurons = [torch.zeros(inner, device=rows.device) for _, inner in model.sizes()]
    chosen = torch.randperm(len(rows), device=rows.device)[:pairs]
    for some, length, padded in rows.batches(chosen, batch, shuffled=False):
        ones = lambda count: torch.ones(len(some), count, device=rows.device, requires_grad=True)
        gates = [(ones(count), ones(inner)) for count, inner in model.sizes()]
        swap = torch.rand(len(some), device=rows.device) < 0.5
        odds = model(*rows.join(some, swap, length), padded, gates)
        found = torch.autograd.grad(odds.sum(), [gate for both in gates for gate in both])
        chance = torch.sigmoid(odds.detach().float() / 2)
        weight = (chance * (1 - chance) + LEAST_DOUBT)[:, None]
        for number in range(len(gates)):
            heads[number] += (found[2 * number] ** 2 * weight).sum(0)
            neurons[number] += (found[2 * number + 1] ** 2 * weight).sum(0)
    return heads, neurons


def choose(heads, neurons, parameters):
    """The heads and neurons of each layer to keep: those that matter most for their size, as long as there is room."""
    offers = []
    for number, (of_heads, of_neurons) in enumerate(zip(heads, neurons)):
        offers += [(value / head_cost(), number, [at], None) for at, value in enumerate(of_heads.tolist())]
        order = torch.argsort(of_neurons, descending=True)
        for start in range(0, len(order) // BLOCK * BLOCK, BLOCK):
            block = order[start : start + BLOCK]
            offers.append((of_neurons[block].sum().item() / (BLOCK * NEURON_COST), number, None, block.tolist()))
    kept = [([], []) for _ in heads]
    room = parameters
    for _, number, head, block in sorted(offers, key=lambda offer: -offer[0]):
        cost = head_cost() if head else BLOCK * NEURON_COST
        if cost <= room:
            kept[number][0].extend(head or [])
            kept[number][1].extend(block or [])
            room -= cost
    # A layer without any of them could not be stored; one of each costs little.
    for number, (of_heads, of_neurons) in enumerate(kept):
        if not of_heads:
            of_heads.append(int(heads[number].argmax()))
        if not of_neurons:
            of_neurons.extend(neurons[number].argsort(descending=True)[:BLOCK].tolist())
    return [(sorted(of_heads), sorted(of_neurons)) for of_heads, of_neurons in kept]


def cut(weights, kept, head_width):
    """The weights without what is not kept."""
    out = {name: value for name, value in weights.items() if not name.startswith("layers.")}
    for number, (heads, neurons) in enumerate(kept):
        name = f"layers.{number}."
        get = lambda part: np.asarray(weights[name + part])
        old = get("heads").astype(np.int64) if name + "heads" in weights else np.arange(len(get("qkv.bias")) // 3 // head_width)
        columns = np.concatenate([np.arange(head * head_width, (head + 1) * head_width) for head in heads])
        rows = np.concatenate([columns + part * len(old) * head_width for part in range(3)])
        out[name + "heads"] = old[heads]
        out[name + "qkv.weight"], out[name + "qkv.bias"] = get("qkv.weight")[rows], get("qkv.bias")[rows]
        out[name + "out.weight"], out[name + "out.bias"] = get("out.weight")[:, columns], get("out.bias")
        out[name + "wide.weight"], out[name + "wide.bias"] = get("wide.weight")[neurons], get("wide.bias")[neurons]
        out[name + "narrow.weight"], out[name + "narrow.bias"] = get("narrow.weight")[:, neurons], get("narrow.bias")
        for norm in ("out_norm", "narrow_norm"):
            for part in ("weight", "bias"):
                out[f"{name}{norm}.{part}"] = get(f"{norm}.{part}")
    return out


@torch.no_grad()
def product_quantised(vectors, counts, parts):
    """The codes and codebooks of vectors, by k-means in each part; frequent words count more."""
    count, width = vectors.shape
    points = vectors.view(count, parts, width // parts).permute(1, 0, 2).contiguous()
    weight = (counts.float() + 1).sqrt()
    start = torch.multinomial(weight, CENTRES)
    centres = points[:, start].clone()
    weights = weight[None, :, None].expand(parts, -1, 1)
    for _ in range(ITERATIONS):
        codes = torch.cdist(points, centres).argmin(-1)
        index = codes[:, :, None]
        totals = torch.zeros(parts, CENTRES, 1, device=vectors.device).scatter_add_(1, index, weights)
        sums = torch.zeros_like(centres).scatter_add_(1, index.expand(-1, -1, centres.shape[2]), points * weights)
        centres = torch.where(totals > 0, sums / totals.clamp(min=1e-9), centres)
    codes = torch.cdist(points, centres).argmin(-1)
    rebuilt = torch.gather(centres, 1, codes[:, :, None].expand(-1, -1, centres.shape[2]))
    error = ((rebuilt - points) ** 2 * weights).sum() / (points**2 * weights).sum()
    return codes.T.contiguous(), centres, error.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path, help="folder of a teacher, or of a model that was pruned before")
    parser.add_argument("pool", type=Path)
    parser.add_argument("--parameters", type=float, default=26e6, help="of the layers' matrices at most")
    parser.add_argument("--parts", type=int, default=128, help="of a word's vector")
    parser.add_argument("--pairs", type=int, default=20_000, help="on which importance is measured")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    torch.manual_seed(1)
    vocabulary = read_vocabulary(args.model / "vocabulary.txt")
    weights = read_parts(args.model)
    model = student_of(weights).to(args.device)
    rows = PairRows(load(args.pool, vocabulary), SEPARATORS, args.device)
    heads, neurons = importance(model, rows, args.pairs, args.batch)
    kept = choose(heads, neurons, args.parameters)
    out = cut(weights, kept, 64)
    if "words.weight" in out:
        vectors = torch.from_numpy(out.pop("words.weight")).to(args.device)
        counts = torch.bincount(rows.tokens, minlength=len(vectors))
        codes, centres, error = product_quantised(vectors, counts, args.parts)
        out["words.codes"], out["words.codebooks"] = codes.cpu().numpy(), centres.cpu().numpy()
        print(json.dumps({"error of the words' vectors": round(error, 4)}))
    sizes = [(len(heads), len(neurons)) for heads, neurons in kept]
    print(json.dumps({"heads and neurons": sizes, "parameters": student_of(out).layer_parameters()}), flush=True)
    write_parts(out, args.out, PART_BYTES, packed=False)
    shutil.copy(args.model / "vocabulary.txt", args.out)


if __name__ == "__main__":
    main()
