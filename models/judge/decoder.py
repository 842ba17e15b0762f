"""Qwen2.5-Coder-1.5B out of a GGUF file: its first layers, and the vectors of the tokens that our statements have.

    python judge/decoder.py MODEL.gguf STATEMENTS... --layers 20 --out work/qwen

Matrices are written as numbers of four bits; each 32 of a row share a factor and a least value. `tokenizer.json` and
`tokens.json`, the tokens that were kept, go along.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

PART_BYTES = 39_000_000
SHARING = 32
STEPS = 15
# What stands for padding, unknown tokens, the start and the end of a statement; the first four of the kept tokens.
SPECIAL = ["<|endoftext|>", "<|fim_pad|>", "<|im_start|>", "<|im_end|>"]
NAMES = {
    "attn_norm.weight": "first_norm.weight",
    "ffn_norm.weight": "second_norm.weight",
    "attn_output.weight": "out.weight",
    "ffn_down.weight": "down.weight",
}
JOINED = {
    "qkv.weight": ("attn_q.weight", "attn_k.weight", "attn_v.weight"),
    "qkv.bias": ("attn_q.bias", "attn_k.bias", "attn_v.bias"),
    "gate_up.weight": ("ffn_gate.weight", "ffn_up.weight"),
}


def tensors_of(path, layers, kept):
    from gguf import GGUFReader
    from gguf.quants import dequantize

    tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
    get = lambda name: dequantize(tensors[name].data, tensors[name].tensor_type).astype(np.float32)
    yield "words.weight", get("token_embd.weight")[kept]
    for number in range(layers):
        for theirs, own in NAMES.items():
            yield f"layers.{number}.{own}", get(f"blk.{number}.{theirs}")
        for own, parts in JOINED.items():
            yield f"layers.{number}.{own}", np.concatenate([get(f"blk.{number}.{part}") for part in parts])


def packed(name, value):
    """A matrix as halves of bytes, with the factor and the least value of each group."""
    if value.ndim == 1:
        yield name, value.astype(np.float16)
        return
    groups = value.reshape(len(value), -1, SHARING)
    least = groups.min(-1).astype(np.float16)
    factor = np.maximum((groups.max(-1) - least) / STEPS, 1e-7).astype(np.float16)
    codes = np.rint((groups - least.astype(np.float32)[..., None]) / np.maximum(factor.astype(np.float32), 1e-7)[..., None])
    codes = codes.clip(0, STEPS).astype(np.uint8).reshape(len(value), -1)
    yield name + "/codes", codes[:, 0::2] | codes[:, 1::2] << 4
    yield name + "/factor", factor
    yield name + "/least", least


def unpacked(folder, device):
    """The tensors by name, in single precision."""
    read = {}
    for path in sorted(Path(folder).glob("part*.safetensors")):
        with safe_open(path, "pt", device=device) as file:
            read.update({key: file.get_tensor(key) for key in file.keys()})
    out = {}
    for key, value in read.items():
        name, _, what = key.partition("/")
        if not what:
            out[name] = value.float()
        elif what == "codes":
            codes = torch.stack([value & 15, value >> 4], -1).flatten(1).view(len(value), -1, SHARING)
            factor, least = read[name + "/factor"].float(), read[name + "/least"].float()
            out[name] = (codes * factor[..., None] + least[..., None]).flatten(1)
    return out


def tokenizer_of(path):
    """The tokenizer that the file describes."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name).backend_tokenizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("statements", nargs="+", type=Path, help="text files whose tokens are kept")
    parser.add_argument("--layers", type=int, default=20)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    tokenizer = tokenizer_of(args.model)
    tokenizer.save(str(args.out / "tokenizer.json"))
    lines = sorted({text for path in args.statements for line in open(path, encoding="utf-8") for text in line.rstrip("\n").split("\t")})
    used = {token for it in tokenizer.encode_batch(lines, add_special_tokens=False) for token in it.ids}
    special = [tokenizer.token_to_id(token) for token in SPECIAL]
    kept = [*special, *sorted(used - set(special))]
    (args.out / "tokens.json").write_text(json.dumps(kept))
    print(len(kept), "tokens", flush=True)

    part, size, number = {}, 0, 0
    for name, value in tensors_of(args.model, args.layers, kept):
        for key, tensor in packed(name, value):
            if part and size + tensor.nbytes > PART_BYTES:
                save_file(part, args.out / f"part{number:02}.safetensors")
                part, size, number = {}, 0, number + 1
            part[key] = np.ascontiguousarray(tensor)
            size += tensor.nbytes
    save_file(part, args.out / f"part{number:02}.safetensors")
    print(number + 1, "parts", flush=True)


if __name__ == "__main__":
    main()
