"""The file format: HEIREMB1, read and written, and the vector of a text."""

import struct

import numpy as np

from tokens import Tokenizer

MAGIC = b"HEIREMB1"


def write(path, vocabulary, table):
    """Quantises each row of the table to int8 with a scale of its own."""
    table = np.asarray(table, dtype=np.float32)
    top = np.abs(table).max(axis=1)
    scale = np.where(top > 0, top / 127, 0).astype("<f4")
    rows = np.rint(table / np.where(top > 0, scale, 1)[:, None])
    rows = np.clip(rows, -127, 127).astype(np.int8)
    words = "".join(token + "\n" for token in vocabulary).encode()
    with open(path, "wb") as out:
        out.write(MAGIC + struct.pack("<III", *table.shape, len(words)))
        out.write(words)
        out.write(scale.tobytes())
        out.write(rows.tobytes())


class Static:
    """A static model read from its file."""

    def __init__(self, path):
        with open(path, "rb") as source:
            data = source.read()
        if data[:8] != MAGIC:
            raise ValueError(f"{path} is no static model")
        count, size, length = struct.unpack("<III", data[8:20])
        end = 20 + length
        words = data[20:end].decode().split("\n")[:-1]
        self.scale = np.frombuffer(data, "<f4", count, end)
        rows = np.frombuffer(data, np.int8, count * size, end + 4 * count)
        self.rows = rows.reshape(count, size)
        self.table = self.rows.astype(np.float32) * self.scale[:, None]
        self.tokenizer = Tokenizer(words)

    def vector(self, text):
        total = self.table[self.tokenizer.encode(text)].sum(axis=0)
        norm = np.linalg.norm(total)
        return total / norm if norm > 0 else total

    def vectors(self, texts):
        return np.stack([self.vector(text) for text in texts])
