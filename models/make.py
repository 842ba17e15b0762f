#!/usr/bin/env python3
"""Makes the static embedding model: gather, train, export, near, measure, or all."""

import argparse
import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"
MODEL = HERE / "static.bin"
NEAR_WORDS = HERE / "near.bin"


def gather(_):
    from gather import gather as run

    with open(HERE / "sources.json", encoding="utf-8") as source:
        run(json.load(source), WORK)


def train(options):
    from train import train as run

    run(WORK, options.device)


def export(options):
    from export import export as run

    run(WORK, MODEL, HERE / "vectors.json")
    near(options)


def near(_):
    from near import write

    write(MODEL, NEAR_WORDS)


def measure(options):
    from measure import recall, similarity
    from model import Static

    found = Static(options.model)
    for depth, share in recall(found.vectors, options.locomo).items():
        print(f"LoCoMo, recall at {depth}: {share:.4f}")
    print(f"STS-B, Spearman: {similarity(found.vectors, options.stsb):.4f}")


def everything(options):
    gather(options)
    train(options)
    export(options)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    stages = parser.add_subparsers(required=True)
    for name, run in (
        ("gather", gather),
        ("train", train),
        ("export", export),
        ("near", near),
        ("measure", measure),
        ("all", everything),
    ):
        stage = stages.add_parser(name)
        stage.set_defaults(run=run)
        if name in ("train", "all"):
            stage.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        if name == "measure":
            stage.add_argument("locomo", help="a folder of LoCoMo files")
            stage.add_argument("stsb", help="STS-B as CSV: two texts and a score")
            stage.add_argument("--model", default=MODEL, help="another static model")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
