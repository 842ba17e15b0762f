"""Weights in files of a limited size: large matrices as bytes with a factor a row, or all in half precision."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

PART_BYTES = 34_000_000
# Matrices of fewer numbers are kept in half precision.
PACKED_MIN_SIZE = 100_000
FACTOR = "/factor"
# A matrix that is larger than a file is cut: "words.weight/rows0", "words.weight/rows1".
ROWS = "/rows"


def as_bytes(matrix):
    """A matrix as signed bytes and the factor of each row."""
    factor = np.maximum(np.abs(matrix).max(1, keepdims=True) / 127, 1e-7).astype(np.float16)
    codes = np.rint(matrix / factor.astype(np.float32)).clip(-127, 127)
    return codes.astype(np.int8), factor


def tensors_of(name, value, part_bytes, packed):
    value = np.asarray(value, dtype=np.float32)
    if packed and value.ndim == 2 and value.size >= PACKED_MIN_SIZE:
        value, factor = as_bytes(value)
        yield name + FACTOR, factor
    else:
        value = value.astype(np.float16)
    if value.nbytes <= part_bytes:
        yield name, value
        return
    step = part_bytes * len(value) // value.nbytes
    for number, start in enumerate(range(0, len(value), step)):
        yield f"{name}{ROWS}{number}", value[start : start + step]


def write_parts(weights, out, part_bytes=PART_BYTES, packed=True):
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("part*.safetensors"):
        old.unlink()
    parts, size = [{}], 0
    for name, value in weights.items():
        for key, tensor in tensors_of(name, value, part_bytes, packed):
            if size + tensor.nbytes > part_bytes and parts[-1]:
                parts.append({})
                size = 0
            parts[-1][key] = np.ascontiguousarray(tensor)
            size += tensor.nbytes
    for number, part in enumerate(parts):
        save_file(part, out / f"part{number}.safetensors")
    print(json.dumps({"folder": str(out), "parts": len(parts)}), flush=True)


def read_parts(folder):
    """The weights by name, in single precision."""
    paths = sorted(Path(folder).glob("part*.safetensors"))
    if not paths:
        raise FileNotFoundError(f"{folder} has no part*.safetensors: judge/encoder.py writes them")
    return read_files(paths)


def read_files(paths):
    """The weights in all these files."""
    read = {}
    for path in paths:
        read.update(load_file(path))
    weights = {}
    for key in sorted(read, key=lambda key: (len(key), key)):
        name = key.partition(ROWS)[0]
        if not name.endswith(FACTOR):
            weights.setdefault(name, []).append(read[key].astype(np.float32))
    weights = {name: np.concatenate(pieces) if len(pieces) > 1 else pieces[0] for name, pieces in weights.items()}
    for key, factor in read.items():
        if key.endswith(FACTOR):
            weights[key.removesuffix(FACTOR)] *= factor.astype(np.float32)
    return weights
