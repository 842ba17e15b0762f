"""Trains a pruned encoder on what teachers say of the pools of pairs and on the labels of the written pairs, for a given time."""

import argparse
import json
import re
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from fit import by_time, fit, log_odds, loss_of
from guide import Guide
from mpnet import SEPARATORS
from pairs import pool_name, read_judged, unrelated
from parts import read_parts, write_parts
from quantise import round_weights, start_rounding
from report import report
from rounds import Rounds
from rows import PairRows
from student import student_of, weights_of
from tokenised import joined, load, tokenise
from tokens import read_vocabulary

PART_BYTES = 15 * 2**20


def judgements(folder, path, count, teachers, patience):
    """The log-odds that the teachers give to each pair of a pool: their mean.

    Waits for teachers that still judge; after `patience` minutes one is enough, and after twice that there must be one.
    """
    name = pool_name(path)
    started = time.monotonic()
    while True:
        files = sorted(file for file in folder.glob("*.npy") if re.fullmatch(rf"{re.escape(name)}-\d+", file.stem))
        waited = (time.monotonic() - started) / 60
        if len(files) >= teachers or files and waited >= patience:
            break
        if waited >= 2 * patience:
            raise FileNotFoundError(f"{folder} has no file {name}-SEED.npy: judge/teach.py --score {path} writes it")
        time.sleep(0.5)
    print(json.dumps({"pool": name, "teachers": len(files)}), flush=True)
    odds = np.mean([np.load(file).astype(np.float32) for file in files], axis=0)
    if len(odds) != count:
        raise ValueError(f"{path} has {count} pairs, but {files[0]} judges {len(odds)}")
    return torch.from_numpy(odds)


def read_written(args):
    pairs = read_judged(args.written)
    if pairs:
        pairs += unrelated(pairs, args.unrelated, args.seed)
    return pairs


class Progress:
    """Prints the loss every few seconds and the report on the held-out pairs every few minutes."""

    def __init__(self, args, model, guide, held):
        self.args, self.model, self.guide, self.held = args, model, guide, held
        self.losses, self.logged, self.rounded = [], (time.monotonic(), 0), False
        self.reported = self.logged[0]

    def after_step(self, step, done, loss):
        self.losses.append(loss)
        self.guide.done = done
        if done >= self.args.rounded and not self.rounded:
            start_rounding(self.model)
            self.rounded = True
            print(json.dumps({"step": step, "weights": "rounded"}), flush=True)
        now = time.monotonic()
        if now - self.logged[0] > 15:
            mean = torch.stack(self.losses).mean().item()
            speed = (step - self.logged[1]) * self.args.batch / (time.monotonic() - self.logged[0])
            print(f"{done:.1%} step {step}: loss {mean:.4f}, {speed:.0f} pairs/s", file=sys.stderr, flush=True)
            self.losses, self.logged = [], (time.monotonic(), step)
        if now - self.reported > 60 * self.args.report_every:
            self.guide.report()
            self.report()
            self.model.train()
            self.reported = time.monotonic()

    def report(self):
        """The log-odds of the held-out pairs, by the name of their file."""
        found = {}
        for name, judged, rows in self.held:
            found[name] = rows.scores(self.model)
            report(name, found[name], judged)
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pools", nargs="*", type=Path, help="files of pairs, a line each, separated by a tab")
    parser.add_argument("--scores", type=Path, help="folder with the log-odds of each pool by each teacher")
    parser.add_argument("--teachers", type=int, default=1, help="how many judge each pool")
    parser.add_argument("--wait", type=float, default=0, help="minutes to wait for all of them, and as many more for any")
    parser.add_argument("--easy", type=float, default=1.0, help="how often a pair is drawn that surely is no contradiction, relative to others")
    parser.add_argument("--finish", type=float, default=0.0, help="the last share of the training, without all pools but the last")
    parser.add_argument("--written", nargs="*", type=Path, default=[], help="pairs with labels")
    parser.add_argument("--share", type=float, default=0.15, help="of the written pairs among all that are trained on")
    parser.add_argument("--pruned", type=Path, required=True, help="folder with what judge/prune.py left of a teacher")
    parser.add_argument("--guide", type=Path, help="folder of the whole teacher, whose layers are followed at first")
    parser.add_argument("--guided", type=float, default=0.4, help="the share of the training in which they are")
    parser.add_argument("--hold-out", nargs="*", type=Path, default=[])
    parser.add_argument("--report-every", type=float, default=2, help="minutes")
    parser.add_argument("--minutes", type=float, help="how long to train")
    parser.add_argument("--until", type=float, help="when to end, in seconds since 1970, in place of --minutes")
    parser.add_argument("--rounded", type=float, default=0.5, help="the share of the training after which weights are rounded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--temperature", type=float, default=1.0, help="by which all log-odds are divided in the loss")
    parser.add_argument("--unrelated", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    if args.pools and not args.scores:
        parser.error("pools need --scores FOLDER")
    if not args.pools and not args.written:
        parser.error("there is nothing to learn: name pools or --written pairs")
    if (args.minutes is None) == (args.until is None):
        parser.error("name either --minutes or --until")

    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    vocabulary = read_vocabulary(args.pruned / "vocabulary.txt")
    make_rows = lambda tokenised: PairRows(tokenised, SEPARATORS, args.device)
    tokens_of = lambda pairs: tokenise(vocabulary, [(pair.first, pair.second) for pair in pairs])
    pools, written = [load(path, vocabulary) for path in args.pools], read_written(args)
    rows = make_rows(joined([*pools, tokens_of(written)]))
    held = [(path.stem, read_judged([path])) for path in args.hold_out]
    held = [(name, judged, make_rows(tokens_of(judged))) for name, judged in held]
    length = round(rows.lengths.float().mean().item(), 1)
    print(json.dumps({"pairs": len(rows), "of the pools": len(rows) - len(written), "mean length": length}), flush=True)

    model = student_of(read_parts(args.pruned)).to(args.device)
    whole = student_of(read_parts(args.guide)).to(args.device) if args.guide else None
    guide = Guide(model, whole, args.guided if args.guide else 0, partial(loss_of, temperature=args.temperature))
    targets = [judgements(args.scores, path, len(pool), args.teachers, args.wait) for path, pool in zip(args.pools, pools)]
    targets.append(log_odds(torch.tensor([pair.label for pair in written]), args.smoothing))
    targets = torch.cat(targets).float().to(args.device)
    rounds = Rounds(targets, [len(pool) for pool in pools], args)
    if args.until:
        args.minutes = round((args.until - time.time()) / 60, 2)
        print(json.dumps({"minutes": args.minutes}), flush=True)
    progress = Progress(args, model, guide, held)
    steps = fit(model, rows, targets, rounds, by_time(args.minutes), args.batch, args.rate, progress.after_step, guide, guide.loss)
    round_weights(model)
    names = ("rounded", "guided", "seed", "minutes", "rate", "share", "easy", "finish", "temperature", "batch")
    settings = {name: getattr(args, name) for name in names} | {"steps": steps, "heads and neurons": model.sizes()}
    print(json.dumps(settings), flush=True)
    found = progress.report()
    if args.save:
        write_parts(weights_of(model), args.save, PART_BYTES, packed=False)
        (args.save / "judge.json").write_text(json.dumps(settings) + "\n", encoding="utf-8")
        shutil.copy(args.pruned / "vocabulary.txt", args.save)
        for name, scores in found.items():
            np.save(args.save / f"{name}.npy", scores)


if __name__ == "__main__":
    main()
