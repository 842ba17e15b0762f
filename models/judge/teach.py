"""Trains teachers of the judge, large encoders or decoders, on the pairs; each scores the pairs that have no label."""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

import mpnet
import numpy as np
import qwen
import torch
from fit import by_steps, by_time, fit, log_odds
from pairs import pool_name, read_judged, read_pool, unrelated
from parts import read_parts, write_parts
from report import report
from rows import PairRows
from tokenised import load, tokenise
from tokens import read_vocabulary

SCORED_BATCH = 2048


def save(folder, name, scores):
    """Writes a file that is whole as soon as it has its name."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{name}.npy"
    np.save(unfinished, scores.astype(np.float16))
    unfinished.rename(folder / f"{name}.npy")


def log(*words):
    print(f"{time.strftime('%H:%M:%S')}", *words, file=sys.stderr, flush=True)


class School:
    """The pairs as tokens, made once for the teachers of all seeds."""

    def __init__(self, args):
        self.args = args
        self.vocabulary = read_vocabulary(args.encoder / "vocabulary.txt")
        self.weights = read_parts(args.encoder)

    def rows(self, tokenised):
        return PairRows(tokenised, mpnet.SEPARATORS, self.args.device)

    def rows_of(self, pairs):
        return self.rows(tokenise(self.vocabulary, [(pair.first, pair.second) for pair in pairs]))

    def pool(self, path):
        return self.rows(load(path, self.vocabulary))

    def teacher(self, seed):
        torch.manual_seed(seed)
        model = mpnet.Teacher(len(self.vocabulary))
        model.load_encoder(self.weights)
        return model.to(self.args.device)

    def train(self, model, rows, pairs, progress):
        labels = torch.tensor([pair.label for pair in pairs], device=self.args.device)
        losses = []

        def after_step(step, done, loss):
            losses.append(loss)
            if step % 500 == 0:
                log(f"{done:.0%} of the training, step {step}: loss {torch.stack(losses).mean():.4f}")
                losses.clear()

        everything = torch.arange(len(rows), device=self.args.device)
        targets = log_odds(labels, self.args.smoothing)
        return fit(model, rows, targets, lambda done: everything, progress, self.args.batch, self.args.rate, after_step)


class DecoderSchool(School):
    """The same with the tokens of the decoder."""

    def __init__(self, args):
        self.args = args
        self.tokens = qwen.Tokens(args.decoder)

    def rows_of(self, pairs):
        return self.pool_rows([(pair.first, pair.second) for pair in pairs])

    def pool_rows(self, pairs):
        return PairRows(self.tokens.tokenise(pairs), qwen.SEPARATORS, self.args.device)

    def pool(self, path):
        return self.pool_rows(read_pool(path))

    def teacher(self, seed):
        torch.manual_seed(seed)
        return qwen.load(self.args.decoder, self.args.layers, self.args.device)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="+", type=Path)
    parser.add_argument("--encoder", type=Path, help="folder of an encoder that judge/encoder.py wrote")
    parser.add_argument("--decoder", type=Path, help="folder of a decoder that judge/decoder.py wrote, in place of --encoder")
    parser.add_argument("--layers", type=int, default=20, help="of the decoder")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--hold-out", nargs="*", type=Path, default=[])
    parser.add_argument("--score", nargs="*", type=Path, default=[], help="files of pairs to be scored into --save")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1], help="a teacher for each")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--minutes", type=float, help="of training for each teacher at most")
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--unrelated", type=int, default=4000)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--keep", type=Path, help="folder for the weights of the first teacher, which judge/prune.py reads")
    args = parser.parse_args()
    if args.score and not args.save:
        parser.error("--score needs --save FOLDER")
    if (args.encoder is None) == (args.decoder is None):
        parser.error("name either --encoder or --decoder")

    pairs = read_judged(args.pairs)
    pairs += unrelated(pairs, args.unrelated, 1)
    held = [(path.stem, read_judged([path])) for path in args.hold_out]
    torch.set_float32_matmul_precision("high")
    school = (School if args.encoder else DecoderSchool)(args)
    rows = school.rows_of(pairs)
    held = [(name, judged, school.rows_of(judged)) for name, judged in held]
    pools = [(pool_name(path), school.pool(path)) for path in args.score]
    log(len(pairs), "pairs to learn,", sum(len(pool) for _, pool in pools), "to score")

    together = {}
    for seed in args.seeds:
        model = school.teacher(seed)
        clock = by_time(args.minutes) if args.minutes else lambda step: 0
        planned = by_steps(args.epochs * (len(pairs) // args.batch))
        steps = school.train(model, rows, pairs, lambda step: max(planned(step), clock(step)))
        print(json.dumps({"seed": seed, "rate": args.rate, "steps": steps, "pairs": len(pairs)}), flush=True)
        for name, judged, held_rows in held:
            scores = held_rows.scores(model)
            together.setdefault(name, []).append(scores)
            report(name, scores, judged)
            if args.save:
                save(args.save, f"{name}-{seed}", scores)
        if args.keep and args.encoder and seed == args.seeds[0]:
            write_parts({name: value.float().cpu().numpy() for name, value in model.state_dict().items()}, args.keep, packed=False)
            shutil.copy(args.encoder / "vocabulary.txt", args.keep)
        model.halve()
        for name, pool in pools:
            # Half of the teachers read the statements in the other order, so that their mean knows both.
            save(args.save, f"{name}-{seed}", pool.scores(model, orders=(seed % 2 == 0,), size=SCORED_BATCH))
            log("scored", name)
        del model
    if len(args.seeds) > 1:
        for name, judged, _ in held:
            report(f"{name}, mean of the teachers", np.mean(together[name], axis=0), judged)


if __name__ == "__main__":
    main()
