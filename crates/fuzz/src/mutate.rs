//! Mutates one input into another.

use heirloom_testkit::SeededRng;

/// Longer inputs are truncated: what breaks a parser is seldom long, and short inputs run faster.
pub const MAX_INPUT_BYTES: usize = 2048;

/// Syntax of the formats, and values that parsers often get wrong.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "---", "---\n", "\n---\n", "...", ": ", ":", "- ", "-", "? ", "&a ", "*a", "<<: *a",
    "!!str ", "!t ", "|", "|+\n", "|2-\n", ">-\n", ">", "'", "''", "\"", "\\", "\\\"",
    "\\u0041", "{", "}", "[", "]", "{}", "[]", ", ", ",", "#", " # c", "%YAML 1.2\n", "@", "`",
    "~", "null", "true", "0042", "0x1f", "-0", "1e3", ".inf", "18446744073709551616", "\r\n",
    "\r", "\n", "\n\n", "\t", " ", "  ", "\u{feff}", "\u{2028}", "\u{85}", "\u{a0}", "\u{3000}",
    "\u{0}", "\u{7f}", "😀", "é", "İ", "\u{212a}", "ß", "e\u{301}", "<!--", "-->", "~~", "~~~",
    "```", "```yaml\n", "```yaml heirloom\n", "# T\n", "## Status\n",
    "\n## Status\n\nAccepted\n", "## Status: Accepted\n", "## Defaults\n", "## Links\n",
    "Status:", "Status: Accepted\n", "- **Status:** ", "| Status | Accepted |\n",
    "* - Status\n  - Final\n", "Accepted", "superseded", "Superseded by [ADR-0001](0001-x.md)",
    "Supersedes ADR-2", "This ADR is superseded by ADR-7", "Replaces: 3", "ADR-0010",
    "[x](0003-old.md)", ":ref:`a`", "status: accepted\n", "superseded_by: ",
    "supersedes: [ADR-0001]\n", "title: t\n", "======\n", "<<<<<<< a\n", "=======\n",
    ">>>>>>> b\n", "||||||| c\n", "a: 1\n", "override: true", "inherit: false", "[staleness]\n",
    "[levels.plan]\n", "[[hierarchies.x.levels]]\n", "files = [\"*.md\"]\n", "name = ",
    "priority = 0\n", "always = [\"a/{x}.md\"]\n", "{plan}", "**", "../", " = ", "\"\"\"",
    "'''", "nan", "-inf", "2026-02-02",
    "## Findings\n", "## Decisions\n", "## Blockers\n", "\n## Open Questions\n",
    "## Session Log\n", "### Session 3 — 2026-02-02\n", "- [ ] ", "- [x] ", " — ", "1. ",
    "| a | b |\n", "|---|---|\n", "\\|", " <!-- id:0042 -->", "<br>", "&amp;", "&#35;",
    " (found by: 001)", " · ", "updated: 2026-02-02\n", "sessions: 3\n", "contributors: [a]\n",
    "{\"v\":1,", "\"kind\":\"fact\",", "\"supersedes\":[", "\"targets\":[", "\"undoes\":[",
    "\"0198c0de-0000-7000-8000-000000000001\"", "\"0198c0de-0000-7000-8000-000000000002\"",
    "\"0198c0de-0000-7000-8000-000000000003\"", "\"action\":\"archive\",", "\"origin\":\"o\",",
    "\"visibility\":\"private\",", "\"confidence\":0.1,", "\"at\":\"2026-02-02T00:00:00Z\",",
    "\"role\":\"user\",", "\"role\":\"assistant\",", "\"type\":\"tool_use\",", "\"content\":[",
    "\"text\":\"We decided to use it.\"", "\"name\":\"Bash\",", "User: ", "Assistant: ", "> ",
    "⏺ Bash(git commit -m x)\n", "Should we?", "</system-reminder>", "password: ", "token=",
    "AKIA", "ghp_", "sk-", "://u:p4ssw0rd!@h", "-----BEGIN ", "PRIVATE KEY-----", "Bearer ",
    "--password ",
];

/// A mutation of an input; the last argument is another input to take parts from.
type Mutation = fn(&mut SeededRng, &mut Vec<u8>, &[u8]);

/// Mutations of tokens and lines are more frequent than those of bits, which are seldom valid UTF-8.
#[rustfmt::skip]
const MUTATIONS: &[Mutation] = &[
    insert_token, insert_token, insert_token, replace_with_token, replace_with_token, flip_bit,
    set_byte, insert_byte, delete_bytes, delete_bytes, duplicate_bytes, swap_bytes, delete_line,
    duplicate_line, swap_lines, indent_line, take_line, take_line, splice, cut_end,
];

/// Mutates an input in one to eight steps.
pub fn mutate(random: &mut SeededRng, input: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = input.to_vec();
    let steps = 1 << random.below(4);
    for _ in 0..steps {
        if let Some(mutation) = random.pick(MUTATIONS) {
            mutation(random, &mut out, other);
        }
    }
    out.truncate(MAX_INPUT_BYTES);
    out
}

fn token(random: &mut SeededRng) -> &'static [u8] {
    random.pick(TOKENS).map_or(b"", |token| token.as_bytes())
}

fn insert_token(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let at = place(random, out);
    out.splice(at..at, token(random).iter().copied());
}

fn replace_with_token(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let range = range(random, out, 12);
    out.splice(range, token(random).iter().copied());
}

#[expect(clippy::ptr_arg, reason = "every mutation has one signature")]
fn flip_bit(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let (at, bit) = (below(random, out.len()), random.below(8));
    if let Some(byte) = out.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

#[expect(clippy::ptr_arg, reason = "every mutation has one signature")]
fn set_byte(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let (at, new) = (below(random, out.len()), random.below(128));
    if let Some(byte) = out.get_mut(at) {
        *byte = new as u8;
    }
}

fn insert_byte(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let at = place(random, out);
    out.insert(at, random.below(128) as u8);
}

fn delete_bytes(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    out.drain(range(random, out, 16));
}

fn duplicate_bytes(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let copy = out[range(random, out, 64)].to_vec();
    let at = place(random, out);
    let times = 1 << (random.below(8) / 2);
    out.splice(at..at, copy.repeat(times));
    out.truncate(MAX_INPUT_BYTES);
}

fn swap_bytes(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    let range = range(random, out, 16);
    let taken: Vec<u8> = out.drain(range).collect();
    let at = place(random, out);
    out.splice(at..at, taken);
}

fn delete_line(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    edit_lines(random, out, |random, lines| {
        lines.remove(random.below(lines.len()));
    });
}

fn duplicate_line(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    edit_lines(random, out, |random, lines| {
        let copy = lines[random.below(lines.len())].clone();
        lines.insert(random.below(lines.len() + 1), copy);
    });
}

fn swap_lines(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    edit_lines(random, out, |random, lines| {
        let (a, b) = (random.below(lines.len()), random.below(lines.len()));
        lines.swap(a, b);
    });
}

fn indent_line(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    edit_lines(random, out, |random, lines| {
        let at = random.below(lines.len());
        if random.below(2) == 0 {
            lines[at].splice(0..0, *b"  ");
        } else {
            let blanks = lines[at].iter().take_while(|byte| **byte == b' ').count();
            lines[at].drain(..blanks);
        }
    });
}

fn take_line(random: &mut SeededRng, out: &mut Vec<u8>, other: &[u8]) {
    let lines = lines_of(other);
    let Some(line) = random.pick(&lines).cloned() else { return };
    edit_lines(random, out, |random, lines| lines.insert(random.below(lines.len() + 1), line));
}

fn splice(random: &mut SeededRng, out: &mut Vec<u8>, other: &[u8]) {
    let (keep, from) = (place(random, out), random.below(other.len() + 1));
    out.truncate(keep);
    out.extend_from_slice(&other[from..]);
}

fn cut_end(random: &mut SeededRng, out: &mut Vec<u8>, _: &[u8]) {
    out.truncate(place(random, out));
}

/// Returns a number below `end`, or 0 if `end` is 0.
fn below(random: &mut SeededRng, end: usize) -> usize {
    random.below(end.max(1))
}

fn place(random: &mut SeededRng, out: &[u8]) -> usize {
    random.below(out.len() + 1)
}

fn range(random: &mut SeededRng, out: &[u8], longest: usize) -> std::ops::Range<usize> {
    let start = place(random, out);
    start..out.len().min(start + random.below(longest + 1))
}

fn edit_lines(
    random: &mut SeededRng,
    out: &mut Vec<u8>,
    edit: impl FnOnce(&mut SeededRng, &mut Vec<Vec<u8>>),
) {
    let mut lines = lines_of(out);
    if !lines.is_empty() {
        edit(random, &mut lines);
        *out = lines.concat();
    }
}

fn lines_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutation_takes_an_empty_input() {
        let mut random = SeededRng::new(1);
        for mutation in MUTATIONS {
            for _ in 0..50 {
                mutation(&mut random, &mut Vec::new(), b"");
            }
        }
    }

    #[test]
    fn inputs_stay_short() {
        let mut random = SeededRng::new(2);
        let mut input = b"a: 1\nb: 2\n".to_vec();
        for _ in 0..2000 {
            input = mutate(&mut random, &input, b"c: 3\n");
            assert!(input.len() <= MAX_INPUT_BYTES);
        }
    }
}
