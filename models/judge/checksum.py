"""The BLAKE3 hash of a file, in numpy: all chunks of 1,024 bytes at once."""

import numpy as np

START = np.array(
    [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19], np.uint32
)
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
BLOCK = 64
CHUNK = 1024


def rotate(words, by):
    return (words >> np.uint32(by)) | (words << np.uint32(32 - by))


def compress(chaining, block, counter, length, flags):
    """The new chaining value of each row; all arguments have a row for each node of the tree."""
    state = [chaining[:, i] for i in range(8)] + [np.full(len(chaining), word, np.uint32) for word in START[:4]]
    state += [counter.astype(np.uint32), (counter >> 32).astype(np.uint32), length, flags]
    block = [block[:, i] for i in range(16)]

    def mix(a, b, c, d, x, y):
        state[a] = state[a] + state[b] + x
        state[d] = rotate(state[d] ^ state[a], 16)
        state[c] = state[c] + state[d]
        state[b] = rotate(state[b] ^ state[c], 12)
        state[a] = state[a] + state[b] + y
        state[d] = rotate(state[d] ^ state[a], 8)
        state[c] = state[c] + state[d]
        state[b] = rotate(state[b] ^ state[c], 7)

    for _ in range(7):
        for i in range(4):
            mix(i, 4 + i, 8 + i, 12 + i, block[2 * i], block[2 * i + 1])
        for i in range(4):
            mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, block[8 + 2 * i], block[9 + 2 * i])
        block = [block[i] for i in ORDER]
    return np.stack([state[i] ^ state[i + 8] for i in range(8)], axis=1)


def chunk_values(data, is_root):
    """The chaining value of each chunk."""
    count = max(1, -(-len(data) // CHUNK))
    padded = np.zeros(count * CHUNK, np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    blocks = padded.view("<u4").astype(np.uint32).reshape(count, CHUNK // BLOCK, 16)
    sizes = np.full(count, CHUNK)
    sizes[-1] = len(data) - CHUNK * (count - 1)
    counter = np.arange(count, dtype=np.uint64)
    values = np.tile(START, (count, 1))
    for number in range(CHUNK // BLOCK):
        left = sizes - number * BLOCK
        present = (left > 0) | (number == 0)
        length = np.clip(left, 0, BLOCK).astype(np.uint32)
        flags = np.full(count, CHUNK_START if number == 0 else 0, np.uint32)
        flags |= np.where(left <= BLOCK, CHUNK_END | (ROOT if is_root else 0), 0).astype(np.uint32)
        values = np.where(present[:, None], compress(values, blocks[:, number], counter, length, flags), values)
    return values


def blake3(data):
    """The hash of 32 bytes."""
    values = chunk_values(data, len(data) <= CHUNK)
    while len(values) > 1:
        pairs = len(values) // 2
        blocks = values[: 2 * pairs].reshape(pairs, 16)
        flags = np.full(pairs, PARENT | (ROOT if len(values) == 2 else 0), np.uint32)
        zero, length = np.zeros(pairs, np.uint64), np.full(pairs, BLOCK, np.uint32)
        joined = compress(np.tile(START, (pairs, 1)), blocks, zero, length, flags)
        # A node without a partner moves up as it is.
        values = np.concatenate([joined, values[2 * pairs :]])
    return values[0].astype("<u4").tobytes()
