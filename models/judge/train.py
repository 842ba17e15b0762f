"""Trains the judge on the pairs, and measures it on a part that is held out."""

import argparse
import json
import random
import sys
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

sys.path.append(str(Path(__file__).parent.parent))
from bert import Judge, batch_of
from pairs import read_clusters, read_single, unrelated
from tokens import Tokenizer, read_vocabulary


def read(path):
    return list(read_clusters(path) if path.suffix == ".jsonl" else read_single(path))


def auc(scores, labels):
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positive = labels == 1
    count = positive.sum()
    return (ranks[positive].sum() - count * (count + 1) / 2) / (count * (~positive).sum())


def recall_at(scores, labels, false_alarms):
    threshold = np.quantile(scores[labels == 0], 1 - false_alarms)
    return (scores[labels == 1] > threshold).mean()


def report(name, scores, pairs):
    labels = np.array([pair.label for pair in pairs])
    out = {"set": name, "pairs": len(pairs), "auc": round(float(auc(scores, labels)), 4)}
    for share in (0.1, 0.05, 0.02):
        out[f"recall at {share}"] = round(float(recall_at(scores, labels, share)), 3)
    if pairs[0].kind != "single":
        threshold = np.quantile(scores[labels == 0], 0.9)
        for kind in sorted({pair.kind for pair in pairs}):
            rows = np.array([pair.kind == kind for pair in pairs])
            out[kind] = round(float((scores[rows] > threshold).mean()), 3)
    print(json.dumps(out), flush=True)


def encode_all(tokenizer, pairs):
    """The tokens of all statements, made by several processes."""
    texts = sorted({text for pair in pairs for text in (pair.first, pair.second)})
    with Pool() as processes:
        return dict(zip(texts, processes.map(tokenizer.encode, texts, chunksize=1000)))


def batches_of(lengths, size, chance):
    """Batches of rows that are of like length, in any order."""
    order = list(range(len(lengths)))
    chance.shuffle(order)
    batches = []
    for start in range(0, len(order), 50 * size):
        part = sorted(order[start : start + 50 * size], key=lambda at: lengths[at])
        batches += [part[at : at + size] for at in range(0, len(part), size)]
    chance.shuffle(batches)
    return [batch for batch in batches if len(batch) == size]


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = args.device
        folder = Path(args.encoder)
        vocabulary = read_vocabulary(folder / "vocabulary.txt")
        self.tokenizer = Tokenizer(vocabulary)
        self.tokens = {}
        torch.manual_seed(args.seed)
        self.chance = random.Random(args.seed)
        self.model = Judge(len(vocabulary), args.layers, args.dropout)
        self.model.load_encoder(load_file(folder / "encoder.safetensors"))
        self.model.to(self.device)

    def encode(self, text):
        if text not in self.tokens:
            self.tokens[text] = self.tokenizer.encode(text)
        return self.tokens[text]

    def prepare(self, pairs):
        self.tokens.update(encode_all(self.tokenizer, pairs))

    def rows(self, pairs, swap=False):
        rows = []
        for pair in pairs:
            row = (self.encode(pair.first), self.encode(pair.second))
            rows.append(row[::-1] if swap else row)
        return rows

    @torch.no_grad()
    def scores(self, pairs):
        """The mean of the log-odds in both orders."""
        self.model.eval()
        out = []
        for start in range(0, len(pairs), 512):
            part = pairs[start : start + 512]
            both = [self.model(*batch_of(self.rows(part, swap), self.device)) for swap in (False, True)]
            out.append(((both[0] + both[1]) / 2).float().cpu().numpy())
        return np.concatenate(out)

    def train(self, pairs, soft=None):
        """`soft` has the probability for each pair that other models estimate."""
        args = self.args
        grouped = [
            {"params": [p for n, p in self.model.named_parameters() if n.startswith("head")], "lr": args.rate * 10},
            {"params": [p for n, p in self.model.named_parameters() if not n.startswith("head")], "lr": args.rate},
        ]
        optimizer = torch.optim.AdamW(grouped, weight_decay=0.01, fused=self.device == "cuda")
        steps = args.epochs * (len(pairs) // args.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, [group["lr"] for group in grouped], total_steps=steps + 1, pct_start=0.1, anneal_strategy="linear"
        )
        targets = soft if soft is not None else [pair.label for pair in pairs]
        tokens = self.rows(pairs)
        lengths = [len(first) + len(second) for first, second in tokens]
        for epoch in range(args.epochs):
            self.model.train()
            losses = []
            for chosen in batches_of(lengths, args.batch, self.chance):
                rows = [tokens[i] for i in chosen]
                rows = [row[::-1] if self.chance.random() < 0.5 else row for row in rows]
                target = torch.tensor([targets[i] for i in chosen], device=self.device)
                if soft is None:
                    target = target * (1 - args.smoothing) + args.smoothing / 2
                cast = torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")
                with cast:
                    odds = self.model(*batch_of(rows, self.device))
                loss = F.binary_cross_entropy_with_logits(odds.float(), target)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.detach())
            print(f"epoch {epoch + 1}: loss {torch.stack(losses).mean():.4f}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="+", type=Path)
    parser.add_argument("--encoder", default="models/work/encoder")
    parser.add_argument("--hold-out", type=Path)
    parser.add_argument("--test", type=Path)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--unrelated", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    trainer = Trainer(args)
    judged = [pair for path in args.pairs if path != args.hold_out for pair in read(path)]
    judged = [pair for pair in judged if pair.label is not None]
    judged += unrelated(judged, args.unrelated, args.seed)
    trainer.train(judged)
    name = {"layers": args.layers, "seed": args.seed, "rate": args.rate, "epochs": args.epochs, "held out": str(args.hold_out)}
    print(json.dumps(name), flush=True)
    for kind, path in (("held out", args.hold_out), ("test", args.test)):
        if path:
            pairs = [pair for pair in read(path) if pair.label is not None]
            scores = trainer.scores(pairs)
            report(kind, scores, pairs)
            if args.save:
                args.save.mkdir(parents=True, exist_ok=True)
                np.save(args.save / f"{kind.replace(' ', '-')}-{args.layers}-{args.seed}.npy", scores)
    if args.save:
        weights = {name: value.half().cpu().contiguous() for name, value in trainer.model.state_dict().items()}
        save_file(weights, args.save / f"judge-{args.layers}-{args.seed}.safetensors")


if __name__ == "__main__":
    main()
