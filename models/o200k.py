"""Makes o200k.bin, the tokens of the o200k encoding in the order of their ranks.

    python o200k.py o200k_base.tiktoken.gz

The input is in the published Rust package bpe-openai 0.3.2 (MIT licence), as
`data/o200k_base.tiktoken.gz`: a line for each token, its bytes in base64 and its rank.

The output, little endian: `HEIRTOK1`; u32 tokens N; N u8 lengths; the bytes of all tokens.
"""

import base64
import gzip
import pathlib
import struct
import sys

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def main(path: str) -> None:
    text = gzip.decompress(pathlib.Path(path).read_bytes())
    check(text)
    lines = [line.split() for line in text.splitlines()]
    tokens = [base64.b64decode(token) for token, _ in lines]
    if [int(rank) for _, rank in lines] != list(range(len(tokens))):
        sys.exit("the ranks are not 0, 1, 2, …")
    out = pathlib.Path(__file__).with_name("o200k.bin")
    lengths = bytes(len(token) for token in tokens)
    out.write_bytes(b"HEIRTOK1" + struct.pack("<I", len(tokens)) + lengths + b"".join(tokens))
    print(f"{out}: {len(tokens)} tokens, {out.stat().st_size} bytes")


def check(text: bytes) -> None:
    import hashlib

    found = hashlib.sha256(text).hexdigest()
    if found != SHA256:
        sys.exit(f"this is another file: SHA-256 {found}")


if __name__ == "__main__":
    main(sys.argv[1])
