"""Lists the words near each word of the static model, for recall to look for as well.

The file is `HEIRNEAR`, the number of tokens, and for each token of the vocabulary the
number of its near words and these, nearest first: the token's number in two bytes, and
the cosine in one, as a share of 255. Little-endian.
"""

import struct

import numpy as np

import model

MAGIC = b"HEIRNEAR"
MIN_COSINE = 0.5
MOST = 12
SHORTEST_WORD = 3
ROWS_AT_ONCE = 2000


def is_word(token):
    return token.isascii() and token.isalpha() and len(token) >= SHORTEST_WORD


def write(model_path, path):
    static = model.Static(model_path)
    vocabulary = static.tokenizer.vocabulary
    ids = np.array([i for i, token in enumerate(vocabulary) if is_word(token)])
    rows = static.table[ids]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)[:, None]
    near = {}
    for start in range(0, len(ids), ROWS_AT_ONCE):
        cosines = rows[start : start + ROWS_AT_ONCE] @ rows.T
        for offset, row in enumerate(cosines):
            row[start + offset] = -1
            found = np.flatnonzero(row >= MIN_COSINE)
            found = found[np.lexsort((found, -row[found]))][:MOST]
            near[ids[start + offset]] = [(ids[i], row[i]) for i in found]
    with open(path, "wb") as out:
        out.write(MAGIC + struct.pack("<I", len(vocabulary)))
        for token in range(len(vocabulary)):
            words = near.get(token, [])
            out.write(struct.pack("<B", len(words)))
            for word, cosine in words:
                out.write(struct.pack("<HB", word, min(255, round(float(cosine) * 255))))
    print(f"{path.stat().st_size} bytes, {sum(map(len, near.values()))} near words")
