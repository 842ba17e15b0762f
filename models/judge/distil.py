"""Trains the judge on what teachers say of the pool of pairs, and measures it on pairs that are held out."""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

sys.path.append(str(Path(__file__).parent.parent))
from pairs import Pair
from train import Trainer, read, report


def read_pool(path):
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    return [Pair(first, second, None, "pool", "") for first, second in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pools", nargs="+", type=Path, help="files of pairs, a line each, separated by a tab")
    parser.add_argument("--scores", type=Path, required=True, help="folder with the log-odds of each pool by each teacher")
    parser.add_argument("--encoder", default="models/work/encoder")
    parser.add_argument("--hold-out", nargs="*", type=Path, default=[])
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    args.smoothing = 0.0
    pairs, soft = [], []
    for pool in args.pools:
        pairs += read_pool(pool)
        odds = np.mean([np.load(path).astype(np.float32) for path in args.scores.glob(f"{pool.stem}-*.npy")], axis=0)
        soft += (1 / (1 + np.exp(-odds))).tolist()
    trainer = Trainer(args)
    trainer.prepare(pairs)
    trainer.train(pairs, soft)
    print(json.dumps({key: str(value) for key, value in vars(args).items() if key in ("layers", "seed", "epochs", "rate", "batch", "pools")}))
    for path in args.hold_out:
        held = [pair for pair in read(path) if pair.label is not None]
        report(path.stem, trainer.scores(held), held)
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
        weights = {name: value.half().cpu().contiguous() for name, value in trainer.model.state_dict().items()}
        save_file(weights, args.save / f"judge-{args.layers}-{args.seed}.safetensors")


if __name__ == "__main__":
    main()
