"""Quantises the trained table, writes the file and the texts to check it by."""

import json

import numpy as np

import model

SAMPLES = [
    "",
    " \t\n",
    "hello",
    "Hello, World!",
    "parseFrontMatter",
    "parse_front_matter",
    "crates/store/src/journal.rs",
    "C:\\Users\\anna\\notes.txt",
    "https://example.org/a?b=1&c=2#top",
    "v1.2.3-rc.1+build.7",
    "fn main() { println!(\"{}\", x); }",
    "SELECT * FROM users WHERE id = 42;",
    "café",
    "Crème brûlée à la carte",
    "Ångström, naïve, Zürich, São Paulo",
    "cafe\u0301 in two code points",
    "İstanbul and Straße",
    "Łódź, Ørsted, œuvre",
    "I love it 😊",
    "great😊",
    "👩\u200d💻 codes",
    "日本語のテキスト",
    "mixed 漢字 and English",
    "word漢word",
    "Привет, мир",
    "Ελληνικά",
    "a" * 101,
    "b" * 100,
    "before " + "x" * 150 + " after",
    "zero\u200bwidth and soft\u00adhyphen",
    "no\u00a0break\u2003spaces",
    "control\u0000\u0007characters",
    "don't, won't; it's (really) \"quoted\" — and – dashed…",
    "$5 + 3 = 8 ^ 2 ~ `tick` | pipe < >",
    "the the the",
    "When did Anna adopt the puppy?",
    "Anna: I adopted a puppy last week!",
    "Kubernetes pods restart after an OOM kill.",
    "We chose PostgreSQL over MongoDB because of transactions.",
    "2023-05-08T13:56:00",
]


def export(work, path, samples):
    """The file, and the checks computed from the file as it was written."""
    with np.load(work / "trained.npz") as trained:
        model.write(path, trained["tokens"].tolist(), trained["table"])
    print(f"{path.stat().st_size} bytes")
    check(path, samples)


def check(path, samples):
    found = model.Static(path)
    rows = []
    for text in SAMPLES:
        tokens = [found.tokenizer.vocabulary[i] for i in found.tokenizer.encode(text)]
        first = [round(float(part), 6) for part in found.vector(text)[:8]]
        rows.append({"text": text, "tokens": tokens, "vector": first})
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    samples.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
