"""Pairs of statements as tokens. As a script it writes them to a file, so that no training needs to tokenise them again.

    python judge/tokenised.py POOL --vocabulary work/mpnet/vocabulary.txt --out work/pool.npz
"""

import argparse
import hashlib
import sys
from dataclasses import dataclass
from itertools import chain
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from pairs import read_pool

sys.path.append(str(Path(__file__).parent.parent))
from tokens import Tokenizer, read_vocabulary

# The tokens of a statement that are read.
LONGEST = 48
# Texts that a process encodes at once.
CHUNK = 5000

_tokenizer = None


def _begin(vocabulary):
    global _tokenizer
    _tokenizer = Tokenizer(vocabulary)


def _encode(texts):
    rows = [_tokenizer.encode(text)[:LONGEST] for text in texts]
    sizes = np.array([len(row) for row in rows], dtype=np.uint8)
    return np.fromiter(chain.from_iterable(rows), dtype=np.uint16, count=int(sizes.sum())), sizes


def encode_all(vocabulary, texts, processes):
    """The tokens of all texts one after another, and the number of each text's tokens."""
    chunks = [texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)]
    if len(chunks) < 4 or processes == 1:
        _begin(vocabulary)
        done = [_encode(chunk) for chunk in chunks]
    else:
        with Pool(processes, initializer=_begin, initargs=(vocabulary,)) as pool:
            done = pool.map(_encode, chunks, chunksize=1)
    tokens, sizes = zip(_encode([]), *done)
    return np.concatenate(tokens), np.concatenate(sizes)


def digest(vocabulary):
    return hashlib.sha256("\n".join(vocabulary).encode()).hexdigest()


@dataclass
class Tokenised:
    """Every distinct statement once; a pair is the number of its first and of its second statement."""

    tokens: np.ndarray
    sizes: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def __len__(self):
        return len(self.first)

    @staticmethod
    def of_rows(rows, first, second):
        sizes = np.array([len(row) for row in rows], dtype=np.uint8)
        tokens = np.fromiter(chain.from_iterable(rows), dtype=np.uint16, count=int(sizes.sum()))
        return Tokenised(tokens, sizes, first, second)

    def save(self, path, vocabulary):
        parts = {name: getattr(self, name) for name in ("tokens", "sizes", "first", "second")}
        np.savez(path, vocabulary=digest(vocabulary), **parts)


def numbered(pairs):
    """Every distinct text once, and the numbers of each pair's texts. Neighbouring texts get neighbouring numbers, so that a
    file of sorted pairs compresses well."""
    texts = list(dict.fromkeys(chain.from_iterable(pairs)))
    number = {text: at for at, text in enumerate(texts)}
    of_pairs = np.fromiter((number[text] for pair in pairs for text in pair), dtype=np.uint32, count=2 * len(pairs))
    return texts, of_pairs[0::2], of_pairs[1::2]


def tokenise(vocabulary, pairs, processes=None):
    texts, first, second = numbered(pairs)
    tokens, sizes = encode_all(vocabulary, texts, processes)
    return Tokenised(tokens, sizes, first, second)


def load(path, vocabulary):
    """The pairs of a file that this script or `pool.py` wrote."""
    if path.suffix != ".npz":
        return tokenise(vocabulary, read_pool(path))
    with np.load(path) as parts:
        if str(parts["vocabulary"]) != digest(vocabulary):
            raise ValueError(f"{path} was made with another vocabulary: make it again with judge/tokenised.py")
        return Tokenised(*(parts[name] for name in ("tokens", "sizes", "first", "second")))


def joined(several):
    """The pairs of several one after another."""
    offsets = np.cumsum([0, *(len(it.sizes) for it in several)])[:-1]
    together = lambda name: np.concatenate([getattr(it, name) for it in several])
    numbers = lambda name: np.concatenate([getattr(it, name).astype(np.int64) + offset for it, offset in zip(several, offsets)])
    return Tokenised(together("tokens"), together("sizes"), numbers("first"), numbers("second"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pool", type=Path, help="pairs, two statements a line, separated by a tab")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    vocabulary = read_vocabulary(args.vocabulary)
    made = tokenise(vocabulary, read_pool(args.pool), args.processes)
    made.save(args.out, vocabulary)
    print(f"{len(made)} pairs of {len(made.sizes)} statements, {len(made.tokens)} tokens")


if __name__ == "__main__":
    main()
