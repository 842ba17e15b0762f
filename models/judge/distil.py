"""Trains the judge on what teachers say of the pools of pairs and on the labels of the written pairs, for a given time."""

import argparse
import json
import re
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import torch
from bert import SEPARATORS, Judge
from fit import by_time, fit
from pairs import pool_name, read_judged, read_pool, unrelated
from parts import read_parts, write_parts
from quantise import round_weights, set_bits
from report import report
from rows import PairRows
from tokens import read_vocabulary

PART_BYTES = 15 * 2**20
# The share of the training after which the weights are rounded.
ROUNDED_FROM = 0.7


def judgements(folder, path, count):
    """The probability that the teachers give to each pair of a pool: that of their mean log-odds."""
    name = pool_name(path)
    files = sorted(file for file in folder.glob("*.npy") if re.fullmatch(rf"{re.escape(name)}-\d+", file.stem))
    if not files:
        raise FileNotFoundError(f"{folder} has no {name}-SEED.npy: judge/teach.py --score {path} writes them")
    odds = np.mean([np.load(file).astype(np.float32) for file in files], axis=0)
    if len(odds) != count:
        raise ValueError(f"{path} has {count} pairs, but {files[0]} judges {len(odds)}")
    return 1 / (1 + np.exp(-odds))


def read_all(args):
    """The pairs of all pools, then the written ones, with the targets of both."""
    pairs, targets = [], []
    for path in args.pools:
        pool = read_pool(path)
        pairs += pool
        targets.append(judgements(args.scores, path, len(pool)))
    written = read_judged(args.written)
    if written:
        written += unrelated(written, args.unrelated, args.seed)
        labels = np.array([pair.label for pair in written])
        targets.append(labels * (1 - args.smoothing) + args.smoothing / 2)
    pooled = len(pairs)
    pairs += [(pair.first, pair.second) for pair in written]
    return pairs, pooled, np.concatenate(targets).astype(np.float32)


def epochs(pooled, count, share, device):
    """The rows of a pass: every pair of the pools, and as many written pairs as make up their share."""
    if pooled == 0 or pooled == count:
        return lambda: torch.arange(count, device=device)
    drawn = int(pooled * share / (1 - share))
    return lambda: torch.cat([torch.arange(pooled, device=device), torch.randint(pooled, count, (drawn,), device=device)])


class Progress:
    """Prints the loss every few seconds and the report on the held-out pairs every few minutes."""

    def __init__(self, args, model, held):
        self.args, self.model, self.held = args, model, held
        self.losses, self.logged = [], (time.monotonic(), 0)
        self.reported = self.logged[0]

    def after_step(self, step, done, loss):
        self.losses.append(loss)
        if self.args.bits and done >= ROUNDED_FROM and self.model.words.bits is None:
            set_bits(self.model, self.args.bits)
            print(json.dumps({"step": step, "weights rounded to bits": self.args.bits}), flush=True)
        now = time.monotonic()
        if now - self.logged[0] > 15:
            mean = torch.stack(self.losses).mean().item()
            speed = (step - self.logged[1]) * self.args.batch / (time.monotonic() - self.logged[0])
            print(f"{done:.1%} step {step}: loss {mean:.4f}, {speed:.0f} pairs/s", file=sys.stderr, flush=True)
            self.losses, self.logged = [], (time.monotonic(), step)
        if now - self.reported > 60 * self.args.report_every:
            self.report()
            self.model.train()
            self.reported = time.monotonic()

    def report(self):
        for name, judged, rows in self.held:
            report(name, rows.scores(self.model), judged)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pools", nargs="*", type=Path, help="files of pairs, a line each, separated by a tab")
    parser.add_argument("--scores", type=Path, help="folder with the log-odds of each pool by each teacher")
    parser.add_argument("--written", nargs="*", type=Path, default=[], help="pairs with labels")
    parser.add_argument("--share", type=float, default=0.15, help="of the written pairs among all that are trained on")
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--hold-out", nargs="*", type=Path, default=[])
    parser.add_argument("--report-every", type=float, default=2, help="minutes")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--bits", type=int, choices=[4, 8], help="round the weights in the last part of the training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--unrelated", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    if args.pools and not args.scores:
        parser.error("pools need --scores FOLDER")
    if not args.pools and not args.written:
        parser.error("there is nothing to learn: name pools or --written pairs")

    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    vocabulary = read_vocabulary(args.encoder / "vocabulary.txt")
    make_rows = lambda texts: PairRows(vocabulary, texts, SEPARATORS, args.device, sides=True)
    pairs, pooled, targets = read_all(args)
    rows = make_rows(pairs)
    held = [(path.stem, read_judged([path])) for path in args.hold_out]
    held = [(name, judged, make_rows([(pair.first, pair.second) for pair in judged])) for name, judged in held]
    length = round(rows.lengths.float().mean().item(), 1)
    print(json.dumps({"pairs": len(pairs), "of the pools": pooled, "mean length": length}), flush=True)

    model = Judge(len(vocabulary), args.layers, args.dropout)
    model.load_encoder(read_parts(args.encoder))
    model.to(args.device)
    progress = Progress(args, model, held)
    forward = torch.compile(model, dynamic=True) if args.compile else model
    epoch = epochs(pooled, len(pairs), args.share, args.device)
    targets = torch.from_numpy(targets).to(args.device)
    steps = fit(model, rows, targets, epoch, by_time(args.minutes), args.batch, args.rate, progress.after_step, forward)
    if args.bits:
        round_weights(model, args.bits)
    names = ("layers", "bits", "seed", "minutes", "rate", "dropout", "share", "batch")
    settings = {name: getattr(args, name) for name in names} | {"steps": steps}
    print(json.dumps(settings), flush=True)
    progress.report()
    if args.save:
        weights = {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
        write_parts(weights, args.save, PART_BYTES, packed=False)
        (args.save / "judge.json").write_text(json.dumps(settings) + "\n", encoding="utf-8")
        shutil.copy(args.encoder / "vocabulary.txt", args.save)


if __name__ == "__main__":
    main()
