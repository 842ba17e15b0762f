"""Reads the documentation in archives of packages as sections of paragraphs."""

import ast
import gzip
import html
import io
import json
import re
import subprocess
import tarfile
from html.parser import HTMLParser

SKIPPED = re.compile(
    r"(^|/)(locale|locales|tests?|testing|vendor|_vendor|node_modules|licenses?|i18n|translations|releasenotes|release[-_]notes|"
    r"egg-info|whatsnew|releases|changes|html/_sources|examples?/data)(/|$)|licen[sc]e|copying|authors|thanks|contributors|"
    r"requirements|change_?log|changes|history|news|sources\.txt|cmakelists|genindex|searchindex",
    re.I,
)
MAX_FILE_BYTES = 40_000_000
BLOCKS = {"p", "li", "dd", "dt", "td", "th", "div", "blockquote", "tr", "section", "table", "ul", "ol", "dl", "br", "hr"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
UNREAD = {"pre", "script", "style", "nav", "head", "footer", "table", "svg"}
ROLE = re.compile(r":[\w:+.-]+:`([^`<]*?)\s*(?:<[^`>]*>)?`")
LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_+")
MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
TAG = re.compile(r"</?[a-zA-Z][^>]{0,300}>")
UNDERLINE = re.compile(r"^([=\-~^\"'#*+`.:_])\1{2,}\s*$")
ITEM = re.compile(r"^\s*([-*+]|\d+[.)]|#\.)\s+")
FIELD = re.compile(r"^\s*[:@](?:param|ivar|vartype|keyword|arg|var|cvar|raises?|returns?)\b[^:]*:\s*")
DOC_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.S)


def tar_members(data, ending):
    with tarfile.open(fileobj=data) as archive:
        for member in archive:
            name = member.name.removesuffix(".gz")
            if member.isfile() and name.endswith(ending) and member.size < MAX_FILE_BYTES and not SKIPPED.search(name):
                text = archive.extractfile(member).read()
                yield name, (gzip.decompress(text) if member.name.endswith(".gz") else text).decode("utf-8", "replace")


def members(path, ending):
    """Names and texts of the files of an archive that end so, without licences, tests and lists of changes."""
    if path.suffix == ".deb":
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE, check=True).stdout
        yield from tar_members(io.BytesIO(unpacked), ending)
    else:
        with open(path, "rb") as data:
            yield from tar_members(data, ending)


def clean(text):
    """A paragraph without markup, in one line."""
    text = html.unescape(TAG.sub(" " if "<p" in text or "<li" in text else "", text))
    text = ROLE.sub(lambda match: match.group(1).lstrip("~!"), text)
    text = LINK.sub(r"\1", text)
    text = MARKDOWN_LINK.sub(r"\1", text)
    text = re.sub(r"\{@link(?:code|plain)?\s+([^}|]*)(?:\|[^}]*)?\}", r"\1", text)
    text = re.sub(r"\|\w+\||\[\^?[\w.-]*\]_?", "", text)
    text = text.replace("``", "").replace("`", "").replace("**", "").replace("__", "_" if "_" in text.replace("__", "") else "")
    text = re.sub(r"(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)
    for old, new in (("’", "'"), ("“", '"'), ("”", '"'), ("\u00a0", " "), ("…", "..."), ("‘", "'")):
        text = text.replace(old, new)
    return re.sub(r"\s+", " ", text).strip(" -*|")


class Page(HTMLParser):
    """Collects the paragraphs of an HTML page with the headings above them."""

    def __init__(self):
        super().__init__()
        self.sections, self.text, self.unread, self.heading, self.in_heading = [], [], 0, "", False

    def flush(self):
        text = clean("".join(self.text))
        self.text = []
        if text and not self.in_heading:
            self.sections.append((self.heading, text))
        return text

    def handle_starttag(self, tag, attributes):
        classes = dict(attributes).get("class") or ""
        if tag in UNREAD and not (tag == "table" and "variablelist" in classes):
            self.unread += 1
        elif tag in HEADINGS:
            self.flush()
            self.in_heading = True
        elif tag in BLOCKS:
            self.flush()

    def handle_endtag(self, tag):
        if tag in UNREAD:
            self.unread = max(0, self.unread - 1)
        elif tag in HEADINGS:
            self.heading = clean("".join(self.text))
            self.text, self.in_heading = [], False
        elif tag in BLOCKS:
            self.flush()

    def handle_data(self, data):
        if not self.unread:
            self.text.append(data)


def html_sections(text):
    page = Page()
    page.feed(text)
    page.flush()
    return page.sections


def markup_sections(text):
    """Paragraphs and list items of reStructuredText or Markdown."""
    text = re.sub(r"^\s*(```|~~~).*?^\s*\1", "", text, flags=re.S | re.M)
    heading, block, found = "", [], []

    def flush():
        if block:
            paragraph = clean(" ".join(block))
            block.clear()
            if paragraph:
                found.append((heading, paragraph))

    lines = text.split("\n")
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        bare = line.strip()
        if line.startswith("#") and " " in line:
            flush()
            heading = clean(line.strip("# "))
        elif bare and UNDERLINE.match(following):
            flush()
            heading = clean(bare)
        elif not bare or UNDERLINE.match(line) or bare.startswith((".. ", "|", "+-", ">>>", "$ ", "<!--")):
            flush()
        elif re.match(r":\w[\w -]*:(?!`)", bare) or (line.startswith("    ") and not block and not ITEM.match(line)):
            flush()
        elif ITEM.match(line):
            flush()
            block.append(ITEM.sub("", line))
        else:
            block.append(bare)
    flush()
    return found


def python_sections(text, seen):
    """Docstrings: their paragraphs, and what they say of parameters."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            continue
        said = ast.get_docstring(node)
        if not said or len(said) < 30 or said in seen:
            continue
        seen.add(said)
        name = getattr(node, "name", "")
        for part in re.split(r"\n\s*\n|\n(?=\s*[:@-])", said):
            if part.lstrip().startswith((">>>", "..", ":type", ":rtype")) or "\n---" in part:
                continue
            yield name, clean(re.sub(r"# noqa.*", "", FIELD.sub("", part)))


def comment_sections(text):
    """The comments of TypeScript declarations, under the interface or the function that they describe."""
    for match in DOC_COMMENT.finditer(text):
        name = re.search(r"\n(?:export )?(?:declare )?(?:interface|class|namespace|type) (\w+)", text[max(0, match.start() - 3000) : match.start()])
        said = re.sub(r"^\s*\* ?", "", match.group(1), flags=re.M)
        said = re.sub(r"^@(?!default|remarks|returns)\w+.*?(?=^@|\Z)", "", said, flags=re.M | re.S)
        for heading, paragraph in markup_sections(re.sub(r"^@\w+\s*-?", "", said, flags=re.M)):
            yield name.group(1) if name else heading, paragraph


def manual_sections(text):
    """The paragraphs of a manual page in roff."""
    heading, block = "", []
    for line in text.split("\n"):
        macro = re.match(r"^[.'](\w*)\s*(.*)", line)
        if macro and macro.group(1) in ("B", "I", "BR", "IR", "BI", "RB", "RI", "IB") and block:
            block.append(macro.group(2).replace('"', ""))
        elif macro:
            if block:
                yield heading, roff_text(block)
            block = []
            if macro.group(1) in ("SH", "SS"):
                heading = roff_text([macro.group(2)])
        elif line.strip():
            block.append(line)
        elif block:
            yield heading, roff_text(block)
            block = []


def roff_text(lines):
    text = re.sub(r"\\f[A-Z]|\\f\(\w\w|\\f\[\w*\]|\\&|\\s[-+]?\d", "", " ".join(lines))
    text = re.sub(r"\\\*\([LR]q|\\\(lq|\\\(rq|\\\*\(C[\"']", '"', text).replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'")
    return clean(text.replace("\\ ", " ").replace("\\.", "."))


def json_sections(value, seen, name=""):
    """The descriptions of the operations and shapes of a service; a shape is a section. Many are the same."""
    if isinstance(value, dict):
        said = value.get("documentation") or value.get("description")
        if isinstance(said, str) and len(said) > 25 and said not in seen:
            seen.add(said)
            for part in re.split(r"</p>|</li>|<br */?>|\n\s*\n", said):
                yield name, clean(part)
        for key, inner in value.items():
            own = name if key in ("members", "properties", "parameters", "items") or name and key[:1].islower() else key
            yield from json_sections(inner, seen, own or key)
    elif isinstance(value, list):
        for inner in value:
            yield from json_sections(inner, seen, name)


def documents(path, reader):
    """The documents of an archive: a name, and its paragraphs with their headings."""
    if reader == "html":
        for name, text in members(path, (".html", ".htm")):
            yield name, html_sections(text)
    elif reader == "manual":
        for name, text in members(path, tuple(f".{number}" for number in range(1, 9)) + ("ssl",)):
            yield name, list(manual_sections(text))
    elif reader == "declarations":
        for name, text in members(path, (".d.ts", ".md")):
            yield name, list(comment_sections(text)) if name.endswith(".d.ts") else markup_sections(text)
    elif reader == "services":
        seen = set()
        for name, text in members(path, ("/service-2.json", ".v1.json", ".v2.json", ".v3.json")):
            yield name, list(json_sections(json.loads(text), seen))
    else:
        seen = set()
        for name, text in members(path, (".rst", ".md", ".txt", ".py")):
            if name.endswith(".py"):
                yield name, list(python_sections(text, seen))
            elif "/doc" in name.lower() or name.endswith((".rst", ".md")):
                yield name, markup_sections(text)
