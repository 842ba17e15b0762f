"""The tokenizer: BERT's uncased basic tokenizer and greedy WordPiece."""

import re
import unicodedata

ASCII_WORD = re.compile(r"[a-z0-9]+|[^ a-z0-9]")
UNKNOWN = "[UNK]"
LONGEST_WORD = 100
SPECIAL = ("[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]")


def is_punctuation(char):
    """ASCII signs all count, symbols such as "$" too; elsewhere category P."""
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(char).startswith("P")


def is_ideograph(char):
    code = ord(char)
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2B73F
        or 0x2B740 <= code <= 0x2B81F
        or 0x2B820 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )


def split_words(text):
    """Clean, lower case, strip accents; split at space, punctuation, ideographs."""
    if text.isascii() and text.isprintable():
        return ASCII_WORD.findall(text.lower())
    text = unicodedata.normalize("NFD", text.lower())
    out = []
    for char in text:
        if char.isalnum() and char.isascii():
            out.append(char)
            continue
        if char in "\t\n\r":
            out.append(" ")
            continue
        category = unicodedata.category(char)
        if char == "\ufffd" or category in ("Cc", "Cf", "Mn"):
            continue
        if category == "Zs":
            out.append(" ")
        elif is_punctuation(char) or is_ideograph(char):
            out.append(f" {char} ")
        else:
            out.append(char)
    return "".join(out).split(" ")


class Tokenizer:
    def __init__(self, vocabulary):
        self.vocabulary = list(vocabulary)
        self.ids = {token: i for i, token in enumerate(self.vocabulary)}
        self.longest = max(len(token) for token in self.vocabulary)
        self.seen = {}

    def pieces(self, word):
        """The ids of one word, longest match first; none when it does not match."""
        found = self.seen.get(word)
        if found is not None:
            return found
        out = []
        start = 0
        if len(word) > LONGEST_WORD:
            start = len(word)
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                token = self.ids.get(prefix + word[start:end])
                if token is not None:
                    break
            else:
                out = []
                break
            out.append(token)
            start = end
        self.seen[word] = out
        return out

    def encode(self, text):
        out = []
        for word in split_words(text):
            if word:
                out.extend(self.pieces(word))
        return out


def read_vocabulary(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]
