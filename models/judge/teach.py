"""Trains the teacher of the judge: a large encoder, first on everyday sentences and then on the pairs."""

import argparse
import csv
import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

sys.path.append(str(Path(__file__).parent.parent))
from mpnet import Teacher, batch_of, read_parts
from pairs import Pair, unrelated
from tokens import Tokenizer, read_vocabulary
from distil import read_pool
from train import batches_of, encode_all, read, report

BATCH = 32


def everyday(folder):
    """Pairs of SICK, SNLI and of negated sentences: whether they contradict each other."""
    rows = lambda name: csv.DictReader(open(folder / name, encoding="utf-8", errors="replace"), delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows("sick-train.tsv"):
        yield row["sentence_A"], row["sentence_B"], row["entailment_judgment"] == "CONTRADICTION"
    for row in rows("snli-validation.tsv"):
        if row["label"] in "012":
            yield row["premise"], row["hypothesis"], row["label"] == "2"
    for name in ("negation-snli.tsv", "negation-mnli.tsv"):
        for row in rows(name):
            yield row["Text"], row["Hypothesis"], row["gold_label"] == "contradiction"


class Trainer:
    def __init__(self, args):
        self.args = args
        vocabulary = read_vocabulary(args.encoder / "vocabulary.txt")
        self.tokenizer = Tokenizer(vocabulary)
        self.tokens = {}
        torch.manual_seed(args.seed)
        self.chance = random.Random(args.seed)
        self.model = Teacher(len(vocabulary))
        self.model.load_state_dict(read_parts(args.encoder), strict=False)
        self.model.to("cuda")

    def encode(self, text):
        if text not in self.tokens:
            self.tokens[text] = self.tokenizer.encode(text)
        return self.tokens[text]

    def rows(self, pairs):
        return [(self.encode(pair.first), self.encode(pair.second)) for pair in pairs]

    @torch.no_grad()
    def scores(self, pairs, orders=(1, -1)):
        """The mean of the log-odds in both orders."""
        self.model.eval()
        rows = self.rows(pairs)
        order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]) + len(rows[at][1]))
        out = np.zeros(len(rows), dtype=np.float32)
        for start in range(0, len(order), 512):
            part = order[start : start + 512]
            for swap in orders:
                with torch.autocast("cuda", torch.bfloat16):
                    odds = self.model(*batch_of([rows[at][::swap] for at in part], "cuda"))
                out[part] += odds.float().cpu().numpy() / len(orders)
        return out

    def train(self, pairs, epochs, rate):
        head = [p for n, p in self.model.named_parameters() if n.startswith("head")]
        rest = [p for n, p in self.model.named_parameters() if not n.startswith("head")]
        groups = [{"params": head, "lr": rate * 10}, {"params": rest, "lr": rate}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
        steps = epochs * (len(pairs) // BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, [rate * 10, rate], total_steps=steps + 1, pct_start=0.1, anneal_strategy="linear"
        )
        rows = self.rows(pairs)
        lengths = [len(first) + len(second) for first, second in rows]
        for epoch in range(epochs):
            self.model.train()
            losses = []
            for chosen in batches_of(lengths, BATCH, self.chance):
                batch = [rows[at][:: self.chance.choice((1, -1))] for at in chosen]
                target = torch.tensor([pairs[at].label for at in chosen], device="cuda")
                target = target * (1 - self.args.smoothing) + self.args.smoothing / 2
                with torch.autocast("cuda", torch.bfloat16):
                    odds = self.model(*batch_of(batch, "cuda"))
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
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--everyday", type=Path)
    parser.add_argument("--hold-out", nargs="*", type=Path, default=[])
    parser.add_argument("--score", nargs="*", type=Path, default=[], help="files of pairs to be scored into --save")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--unrelated", type=int, default=4000)
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    trainer = Trainer(args)
    if args.everyday:
        pairs = [Pair(a, b, float(label), "everyday", "") for a, b, label in everyday(args.everyday)]
        trainer.train(pairs, 1, args.rate)
    pairs = [pair for path in args.pairs for pair in read(path) if pair.label is not None]
    pairs += unrelated(pairs, args.unrelated, args.seed)
    trainer.train(pairs, args.epochs, args.rate)
    name = {"seed": args.seed, "rate": args.rate, "epochs": args.epochs, "everyday": bool(args.everyday), "pairs": len(pairs)}
    print(json.dumps(name), flush=True)
    for path in args.hold_out:
        pairs = [pair for pair in read(path) if pair.label is not None]
        report(path.stem, trainer.scores(pairs), pairs)
    for path in args.score:
        pairs = read_pool(path)
        trainer.tokens.update(encode_all(trainer.tokenizer, pairs))
        args.save.mkdir(parents=True, exist_ok=True)
        np.save(args.save / f"{path.stem}-{args.seed}.npy", trainer.scores(pairs, orders=(1,)).astype(np.float16))


if __name__ == "__main__":
    main()
