"""Distils the teacher into a table of token vectors and trains the table."""

import random
import re
import time
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

from teacher import Teacher
from tokens import SPECIAL, Tokenizer

SEED = 7
SIZE = 256
MOST_BYTES = 9_980_000
TEXTS = 650_000
VARIANTS = 650_000
HELD_OUT = 5_000
PAIRS_HELD_OUT = 20_000
WIDTH = 96
# Lines of a group, and how many of them have a question.
GROUP, TOLD = 16, 12
# The rarity prior: weight = SMOOTH / (SMOOTH + share of the token in English).
SMOOTH = 1e-3

# The losses' weights: likeness of all texts of a batch, of near texts, the order
# of likeness, pairs, and groups; the rest are the optimiser's settings.
STEPS = 6000
BATCH = 1024
RATE = 1e-3
ALL, NEAR, ORDER, PAIRS, GROUPS = 10.0, 10.0, 3.0, 0.1, 0.5
ORDER_HEAT, PAIRS_HEAT = 0.1, 0.05
# The share of a text's tokens left out, in pairs and groups.
DROP = 0.1


def useful(token):
    """Latin tokens, digits and signs; no special token, no foreign script."""
    if token.startswith("[unused") or token in SPECIAL:
        return False
    bare = token[2:] if token.startswith("##") else token
    if len(bare) > 1:
        return all(ord(char) < 0x400 for char in bare)
    return ord(bare) < 0x250 or 0x2000 <= ord(bare) < 0x2100


def choose_vocabulary(teacher, texts):
    """The teacher's useful tokens, then the corpus's most frequent other words."""
    tokens = [token for token in teacher.vocabulary if useful(token)]
    known = set(tokens)
    count = Counter()
    word = re.compile(r"[a-z]{3,24}")
    for text in texts:
        count.update(set(word.findall(text.lower())))
    spent = 20 + sum(len(token.encode()) + 1 + 4 + SIZE for token in tokens)
    for new, times in sorted(count.items(), key=lambda item: (-item[1], item[0])):
        if new in known:
            continue
        spent += len(new) + 1 + 4 + SIZE
        if spent > MOST_BYTES or times < 5:
            break
        tokens.append(new)
    return tokens


def distil(teacher, tokens):
    """The teacher's own vector of every token, reduced and weighted by rarity."""
    ids = teacher.tokenizer.ids
    rows = [[ids[t]] if t in ids else teacher.tokenizer.encode(t) for t in tokens]
    vectors = teacher.vectors(rows).astype(np.float32)
    vectors -= vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    # The teacher's vocabulary is in order of frequency, after Zipf's law.
    share = 1 / (np.arange(len(tokens)) + 3.7)
    share /= share.sum()
    return (vectors @ axes[:SIZE].T) * (SMOOTH / (SMOOTH + share))[:, None]


def vary(chance, text, near):
    """The text with a part left out, or with words changed for near ones."""
    words = text.split()
    out = list(words)
    way = chance.random()
    if way < 0.35 and len(words) > 5:
        length = chance.randint(1, max(1, len(words) // 3))
        start = chance.randrange(len(words) - length)
        del out[start : start + length]
    else:
        for _ in range(chance.choice((1, 1, 2, 3))):
            i = chance.randrange(len(out))
            bare = out[i].strip(".,;:!?\"'()").lower()
            if bare in near:
                out[i] = chance.choice(near[bare])
    if way > 0.85:
        chance.shuffle(out)
    return " ".join(out)


def near_words(tokens, vectors, device):
    """For each whole word its nearest words, by the teacher's token vectors."""
    chosen = [i for i, t in enumerate(tokens) if t.isalpha() and len(t) > 2]
    table = torch.tensor(vectors[chosen], device=device)
    table = F.normalize(table, dim=1)
    out = {}
    for start in range(0, len(chosen), 2048):
        found = (table[start : start + 2048] @ table.T).topk(13, dim=1).indices.cpu()
        for row, best in enumerate(found.tolist()):
            word = tokens[chosen[start + row]]
            out[word] = [tokens[chosen[i]] for i in best if i != start + row]
    return out


def neighbours(vectors, device, count=8, size=1500):
    """Each text's nearest texts, searched within its cluster alone."""
    rows = torch.from_numpy(vectors).to(device)
    if device == "cpu":
        rows = rows.float()
    made = torch.Generator().manual_seed(SEED)
    centres = rows[torch.randperm(len(rows), generator=made)[: len(rows) // size + 1].to(device)]
    home = torch.cat([(part @ centres.T).argmax(1) for part in rows.split(65536)])
    out = torch.zeros((len(rows), count), dtype=torch.int64, device=device)
    for centre in range(len(centres)):
        inside = (home == centre).nonzero()[:, 0]
        if len(inside) < 2:
            out[inside] = inside[:, None]
            continue
        own = rows[inside]
        for start in range(0, len(inside), 4096):
            part = inside[start : start + 4096]
            close = rows[part] @ own.T
            close[torch.arange(len(part)), torch.arange(start, start + len(part))] = -2
            best = close.topk(min(count, len(inside) - 1), dim=1).indices
            best = best[:, torch.arange(count, device=device) % best.shape[1]]
            out[part] = inside[best]
    return out


def padded(tokenizer, texts, empty):
    out = np.full((len(texts), WIDTH), empty, dtype=np.int32)
    for i, text in enumerate(texts):
        row = tokenizer.encode(text)[:WIDTH]
        out[i, : len(row)] = row
    return torch.from_numpy(out)


def prepare(work, device):
    """All that training needs: token rows, teacher vectors, companions."""
    started = time.time()

    def say(what):
        print(f"{time.time() - started:6.0f} s  {what}", flush=True)

    with open(work / "texts.txt", encoding="utf-8") as lines:
        texts = lines.read().split("\n")[:-1]
    with open(work / "pairs.tsv", encoding="utf-8") as lines:
        pairs = [line.split("\t") for line in lines.read().split("\n")[:-1]]
    with open(work / "groups.tsv", encoding="utf-8") as lines:
        groups = [line.split("\t") for line in lines.read().split("\n")[:-1]]
    teacher = Teacher(device)
    tokens = choose_vocabulary(teacher, texts)
    texts = texts[:TEXTS]
    say(f"{len(tokens)} tokens")
    table = distil(teacher, tokens)
    say("token vectors")
    near = near_words(tokens, table, device)
    chance = random.Random(SEED)
    variants = [vary(chance, text, near) for text in texts[:VARIANTS]]
    vectors = teacher.encode(texts + variants)
    say(f"teacher vectors of {len(vectors)} texts")
    close = neighbours(vectors[: len(texts)], device)
    say("neighbours")
    tokenizer = Tokenizer(tokens)
    empty = len(tokens)
    data = {
        "tokens": tokens,
        "table": torch.from_numpy(table),
        "rows": padded(tokenizer, texts + variants, empty).to(device),
        "vectors": torch.from_numpy(vectors).to(device),
        "close": close,
        "texts": len(texts),
        "variants": len(variants),
        "asks": padded(tokenizer, [pair[0] for pair in pairs], empty).to(device),
        "answers": padded(tokenizer, [pair[1] for pair in pairs], empty).to(device),
    }
    for side, name in enumerate(("group_asks", "group_answers")):
        rows = padded(tokenizer, [pair[side] for pair in groups], empty)
        data[name] = rows.view(-1, GROUP, WIDTH)[:, : TOLD if side == 0 else GROUP].to(device)
    say("token rows")
    return data


class Student:
    def __init__(self, data, device):
        table = data["table"].to(device)
        self.empty = len(table)
        self.table = torch.cat([table, torch.zeros(1, table.shape[1], device=device)])
        self.table.requires_grad_(True)

    def __call__(self, rows, drop=0.0):
        rows = rows.long()
        if drop:
            gone = torch.rand(rows.shape, device=rows.device) < drop
            rows = rows.masked_fill(gone, self.empty)
        total = F.embedding_bag(rows, self.table, mode="sum", padding_idx=self.empty)
        return F.normalize(total, dim=1, eps=1e-6)


def companions(data, chosen, made):
    """For each text its variant, or one of its nearest texts."""
    device = chosen.device
    which = torch.randint(data["close"].shape[1], chosen.shape, generator=made).to(device)
    out = data["close"][chosen, which]
    varied = (torch.rand(chosen.shape, generator=made).to(device) < 0.5) & (
        chosen < data["variants"]
    )
    return torch.where(varied, chosen + data["texts"], out)


def check(student, data):
    """Held-out: correlation with the teacher, and recall at 10 of pairs."""
    from measure import spearman

    with torch.no_grad():
        made = torch.Generator().manual_seed(1)
        chosen = torch.arange(HELD_OUT, device=data["rows"].device)
        other = companions(data, chosen, made)
        ours = (student(data["rows"][chosen]) * student(data["rows"][other])).sum(1)
        theirs = (data["vectors"][chosen].float() * data["vectors"][other].float()).sum(1)
        asks, answers = student(data["asks"][:HELD_OUT]), student(data["answers"][:PAIRS_HELD_OUT])
        scores = asks @ answers.T
        right = scores[torch.arange(len(scores)), torch.arange(len(scores))]
        found = ((scores > right[:, None]).sum(1) < 10).float().mean().item()
    return spearman(ours.cpu().numpy(), theirs.cpu().numpy()), found


def likeness_loss(student, data, made):
    """The teacher's likeness of each text to each, as numbers and as an order."""
    device = data["rows"].device
    chosen = torch.randint(HELD_OUT, data["texts"], (BATCH,), generator=made).to(device)
    both = torch.cat([chosen, companions(data, chosen, made)])
    ours, theirs = student(data["rows"][both]), data["vectors"][both].float()
    mine, wanted = ours @ ours.T, theirs @ theirs.T
    gap = mine - wanted
    loss = ALL * gap.square().mean() + NEAR * gap.diagonal(BATCH).square().mean()
    own = torch.eye(len(both), dtype=torch.bool, device=device)
    aim = F.softmax(wanted.masked_fill(own, -9) / ORDER_HEAT, dim=1)
    guess = F.log_softmax(mine.masked_fill(own, -9) / ORDER_HEAT, dim=1)
    return loss + ORDER * F.kl_div(guess, aim, reduction="batchmean")


def pairs_loss(student, data, made):
    """Each query finds its passage among all passages of the batch, and back."""
    device = data["asks"].device
    chosen = torch.randint(PAIRS_HELD_OUT, len(data["asks"]), (BATCH,), generator=made)
    chosen = chosen.to(device)
    asks = student(data["asks"][chosen], DROP)
    answers = student(data["answers"][chosen], DROP)
    scores = asks @ answers.T / PAIRS_HEAT
    right = torch.arange(BATCH, device=device)
    return (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2


def groups_loss(student, data, made):
    """Each question finds its turn among the turns of the same talk."""
    device = data["group_asks"].device
    chosen = torch.randint(len(data["group_asks"]), (BATCH // TOLD,), generator=made)
    chosen = chosen.to(device)
    asks = student(data["group_asks"][chosen].flatten(0, 1), DROP).view(-1, TOLD, SIZE)
    answers = student(data["group_answers"][chosen].flatten(0, 1), DROP)
    scores = asks @ answers.view(-1, GROUP, SIZE).transpose(1, 2) / PAIRS_HEAT
    right = torch.arange(TOLD, device=device).repeat(len(asks))
    return F.cross_entropy(scores.flatten(0, 1), right)


def fit(data, device):
    torch.manual_seed(SEED)
    made = torch.Generator().manual_seed(SEED)
    student = Student(data, device)
    optimiser = torch.optim.Adam([student.table], lr=RATE, betas=(0.9, 0.99))
    started = time.time()
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, step / 100) * (1 - step / STEPS)
        loss = likeness_loss(student, data, made)
        loss = loss + PAIRS * pairs_loss(student, data, made)
        loss = loss + GROUPS * groups_loss(student, data, made)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 1000 == 999:
            like, found = check(student, data)
            print(
                f"{time.time() - started:6.0f} s  step {step + 1}: loss {loss.item():.4f}, "
                f"held-out correlation {like:.4f}, recall {found:.4f}",
                flush=True,
            )
    return student.table.detach()[:-1].cpu().numpy()


def train(work, device):
    data = prepare(work, device)
    np.savez(work / "plain.npz", tokens=np.array(data["tokens"]), table=data["table"].numpy())
    table = fit(data, device)
    np.savez(work / "trained.npz", tokens=np.array(data["tokens"]), table=table)
