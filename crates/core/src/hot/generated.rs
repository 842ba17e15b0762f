//! The marks of what `hot link` generates: whole files, and blocks in instruction files.
//!
//! A mark has a hash of the generated text, so that text that a person changed is not replaced. Line breaks do not count,
//! because git may convert them.

use std::ops::Range;

use crate::document::link_ranges;
use crate::frontmatter::{self, FrontMatterLocation};
use crate::hot::SourceFile;
use crate::lines::{breaks_to_empty_line, detect_newline, newline_after};
use crate::{Value, byte_order_mark, path, words, yaml};

/// The word by which marks are recognised.
const MARK: &str = "heirloom:hot";

const BLOCK_START: &str = "<!-- heirloom:hot begin ";
const BLOCK_END: &str = "<!-- heirloom:hot end -->";

/// Whether a file was generated, and whether it was changed afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneratedState {
    /// It is as it was generated.
    Unchanged,
    /// It was generated and changed since.
    Changed,
    /// It has no mark.
    NotGenerated,
}

/// Returns whether a text contains a mark, which a source must not.
pub fn has_mark(text: &str) -> bool {
    text.contains(MARK)
}

/// Adds the mark of a generated file after its front matter.
pub fn mark_file(file: &str, text: &str, source: &str) -> String {
    let newline = detect_newline(text);
    let start = frontmatter::body_start(text);
    let (front_matter, body) = text.split_at(start);
    let gap = if front_matter.is_empty() || front_matter.ends_with('\n') { "" } else { newline };
    let hash = hash(&format!("{front_matter}{gap}{body}"));
    let (open, close) = if is_json(file) { ("//", "") } else { ("<!--", " -->") };
    format!(
        "{front_matter}{gap}{open} Made by `heir hot link` from {source}: edit that instead. {MARK} {hash}{close}{newline}{body}"
    )
}

fn is_json(file: &str) -> bool {
    file.ends_with(".jsonc") || file.ends_with(".json")
}

/// Returns whether a text is a generated file.
pub fn file_state(text: &str) -> GeneratedState {
    let mut start = 0;
    let mark = text.split_inclusive('\n').find_map(|line| {
        let bytes = start..start + line.len();
        start += line.len();
        let stated = line.trim().trim_end_matches("-->").trim_end().rsplit_once(MARK)?.1.trim();
        let is_mark = line.starts_with("<!-- Made by ") || line.starts_with("// Made by ");
        is_mark.then_some((bytes, stated))
    });
    match mark {
        None => GeneratedState::NotGenerated,
        Some((bytes, stated)) => {
            let rest = format!("{}{}", &text[..bytes.start], &text[bytes.end..]);
            if hash(&rest) == stated { GeneratedState::Unchanged } else { GeneratedState::Changed }
        }
    }
}

fn hash(text: &str) -> String {
    words::short_hash(&text.replace("\r\n", "\n"))
}

/// A block in an instruction file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The bytes from the first mark to the line break after the last one.
    bytes: Range<usize>,
    /// The number of line breaks before it that were added with it.
    gap: usize,
    /// Whether the file was made for it.
    is_new_file: bool,
    /// The text between the marks.
    body: Range<usize>,
    /// Whether a person changed that text.
    pub is_changed: bool,
}

/// Why the block of a file cannot be told from the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockError {
    /// There are several.
    Several,
    /// Its end is missing.
    Unclosed,
    /// Its first line cannot be read.
    Damaged,
}

impl BlockError {
    /// Describes it.
    pub fn message(self) -> &'static str {
        match self {
            BlockError::Several => "it has more than one block of `heir hot link`",
            BlockError::Unclosed => "the block of `heir hot link` in it has no end",
            BlockError::Damaged => {
                "the first line of the block of `heir hot link` in it was changed"
            }
        }
    }
}

/// Finds the block of an instruction file.
pub fn find_block(text: &str) -> Result<Option<Block>, BlockError> {
    let starts: Vec<usize> = line_starts_with(text, BLOCK_START);
    let ends: Vec<usize> = line_starts_with(text, BLOCK_END);
    let (start, end) = match (starts.as_slice(), ends.as_slice()) {
        ([], []) => return Ok(None),
        ([start], [end]) if start < end => (*start, *end),
        ([_, _, ..], _) | (_, [_, _, ..]) => return Err(BlockError::Several),
        _ => return Err(BlockError::Unclosed),
    };
    let line_end = text[start..].find('\n').map_or(end, |at| start + at + 1);
    let words: Vec<&str> = text[start + BLOCK_START.len()..line_end].split([' ', ';']).collect();
    let (stated, gap, is_new_file) = match words.as_slice() {
        [hash, "gap", gap, "new", ..] => (*hash, gap.parse(), true),
        [hash, "gap", gap, ..] => (*hash, gap.parse(), false),
        _ => return Err(BlockError::Damaged),
    };
    let gap = gap.ok().filter(|gap| *gap <= 2).ok_or(BlockError::Damaged)?;
    let block_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let is_changed = hash(&text[line_end..end]) != stated;
    let body = line_end..end;
    Ok(Some(Block { bytes: start..block_end, gap, is_new_file, body, is_changed }))
}

fn line_starts_with(text: &str, prefix: &str) -> Vec<usize> {
    let found = text.match_indices(prefix).map(|(at, _)| at);
    found.filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n').collect()
}

/// Adds a block to the end of an instruction file, or replaces the one that it has. `None` is a file that does not exist.
pub fn with_block(before: Option<&str>, found: Option<&Block>, body: &str, source: &str) -> String {
    let text = before.unwrap_or_default();
    let newline = newline_after(text);
    let body = match newline {
        "\n" => body.replace("\r\n", "\n"),
        newline => body.replace("\r\n", "\n").replace('\n', newline),
    };
    let body_end = if body.is_empty() || body.ends_with('\n') { "" } else { newline };
    let (gap, is_new_file) = match found {
        Some(block) => (block.gap, block.is_new_file),
        None => (breaks_to_empty_line(text), before.is_none()),
    };
    let hash = hash(&format!("{body}{body_end}"));
    let new = if is_new_file { " new" } else { "" };
    let block = format!(
        "{BLOCK_START}{hash} gap {gap}{new}; `heir hot link` makes this block from {source}: edit the files there -->{newline}{body}{body_end}{BLOCK_END}{newline}"
    );
    match found {
        Some(Block { bytes, .. }) => {
            let tail = &text[bytes.end..];
            format!("{}{block}{tail}", &text[..bytes.start])
        }
        None => format!("{text}{}{block}", newline.repeat(gap)),
    }
}

/// Returns an instruction file without its block; `None` if nothing is left of a file that was made for it.
pub fn without_block(text: &str, block: &Block) -> Option<String> {
    let mut start = block.bytes.start;
    for _ in 0..block.gap {
        let Some(before) = text[..start].strip_suffix('\n') else { break };
        start = before.strip_suffix('\r').unwrap_or(before).len();
    }
    let rest = format!("{}{}", &text[..start], &text[block.bytes.end..]);
    (!block.is_new_file || !rest.is_empty()).then_some(rest)
}

/// Returns an instruction file with nothing in its block, to measure what people wrote.
pub fn outside_of_block(text: &str) -> String {
    match find_block(text) {
        Ok(Some(block)) => without_block(text, &block).unwrap_or_default(),
        _ => text.to_owned(),
    }
}

/// Returns whether the front matter of a source states all of some keys.
pub fn states_keys(text: &str, keys: &[(&str, &str)]) -> bool {
    keys.is_empty() || {
        let stated = front_matter_keys(text);
        keys.iter().all(|(key, _)| stated.iter().any(|(name, _)| name == key))
    }
}

/// Returns the keys of a text's front matter with their values.
pub fn front_matter_keys(text: &str) -> Vec<(String, Value)> {
    let FrontMatterLocation::Block { yaml: range, .. } = frontmatter::split(text) else {
        return vec![];
    };
    let node = yaml::parse(&text[range]).ok().flatten();
    let entries = node.iter().flat_map(yaml::YamlNode::entries);
    entries.map(|entry| (entry.key.clone(), entry.value.value())).collect()
}

/// Returns the copy of a source for another place: with the keys of the front matter that are missing, and with relative
/// links that lead to the same files.
pub fn copy_for(source: &SourceFile, place: &str, keys: &[(&str, &str)]) -> String {
    let text = byte_order_mark::strip(&source.text);
    let text = with_links_from(text, &source.path, place);
    let newline = detect_newline(&text);
    let stated = front_matter_keys(&text);
    let missing = keys.iter().filter(|(key, _)| !stated.iter().any(|(name, _)| name == key));
    let lines: String = missing.map(|(key, value)| format!("{key}: {value}{newline}")).collect();
    match frontmatter::split(&text) {
        _ if lines.is_empty() => text,
        FrontMatterLocation::Block { yaml, .. } => {
            format!("{}{lines}{}", &text[..yaml.start], &text[yaml.start..])
        }
        _ => format!("---{newline}{lines}---{newline}{newline}{text}"),
    }
}

/// Returns the text of a source without its front matter, for an instruction file.
pub fn body_for(source: &SourceFile, place: &str) -> String {
    let text = byte_order_mark::strip(&source.text);
    let text = with_links_from(text, &source.path, place);
    text[frontmatter::body_start(&text)..].trim_matches(['\n', '\r']).to_owned()
}

/// Rewrites relative links so that they lead from another place to the same files.
fn with_links_from(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut written = 0;
    for (range, destination) in link_ranges(text) {
        let is_relative = !destination.is_empty()
            && !destination.starts_with(['#', '/', '\\'])
            && !destination.split('/').next().is_some_and(|first| first.contains(':'));
        let (file, rest) = match destination.find(['#', '?']) {
            Some(at) => destination.split_at(at),
            None => (destination.as_str(), ""),
        };
        let target = is_relative.then(|| path::resolve_link(from, file)).flatten();
        let Some(target) = target else { continue };
        // A label may hold the same text; the destination stands last. A link by reference has none here.
        let link = &text[range.clone()];
        let Some(at) = link.rfind(&destination).filter(|_| range.start >= written) else {
            continue;
        };
        if !link[..at].contains("](") {
            continue;
        }
        out.push_str(&text[written..range.start + at]);
        out.push_str(&path::relative_link(to, &target));
        out.push_str(rest);
        written = range.start + at + destination.len();
    }
    out.push_str(&text[written..]);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_generated_file_is_recognised_until_it_is_changed() {
        for text in ["# A\n", "---\na: 1\n---\n# A", "---\na: 1\n---", "", "# A\r\nb\r\n"] {
            let marked = mark_file("x.md", text, "a.md");
            assert_eq!(file_state(&marked), GeneratedState::Unchanged, "{marked}");
            let converted = marked.replace("\r\n", "\n").replace('\n', "\r\n");
            assert_eq!(file_state(&converted), GeneratedState::Unchanged);
            assert_eq!(file_state(&format!("{marked}x")), GeneratedState::Changed, "{marked}");
            assert_eq!(file_state(text), GeneratedState::NotGenerated);
        }
        assert!(mark_file("x.jsonc", "{}\n", "a").starts_with("// Made by"));
    }

    #[test]
    fn a_source_is_copied_with_what_the_client_needs() {
        let source = |text: &str| SourceFile { path: "agent/rules/a.md".into(), text: text.into() };
        let copy = |text: &str| copy_for(&source(text), ".x/a.md", &[("alwaysApply", "true")]);
        assert_eq!(copy("# A\n"), "---\nalwaysApply: true\n---\n\n# A\n");
        assert_eq!(copy("---\nb: 1\n---\nA"), "---\nalwaysApply: true\nb: 1\n---\nA");
        assert_eq!(copy("---\nalwaysApply: false\n---\n"), "---\nalwaysApply: false\n---\n");
        let linked = "[b](b.md), [c](../../docs/c.md#x), [d](https://d.e/f), [`b.md`](b.md \"t\")";
        assert_eq!(
            body_for(&source(linked), "AGENTS.md"),
            "[b](agent/rules/b.md), [c](docs/c.md#x), [d](https://d.e/f), [`b.md`](agent/rules/b.md \"t\")"
        );
    }

    #[test]
    fn a_damaged_block_is_not_touched() {
        let text = with_block(Some("mine\n"), None, "rules", "agent");
        let block = find_block(&text).unwrap().unwrap();
        assert!(!block.is_changed);
        assert!(find_block(&text.replace("rules\n", "mine\n")).unwrap().unwrap().is_changed);
        assert_eq!(find_block(&format!("{text}{text}")), Err(BlockError::Several));
        assert_eq!(find_block(&text.replace(BLOCK_END, "")), Err(BlockError::Unclosed));
        assert_eq!(find_block(&text.replace(" gap 1", " gap 9")), Err(BlockError::Damaged));
    }

    proptest! {
        #[test]
        fn a_block_leaves_the_rest_as_it_was(
            before in proptest::option::of("([a-c #-]{0,3}(\r\n|\n)){0,4}[a-c]{0,2}\r?"),
            body in "([a-c]{0,3}(\r\n|\n)){0,3}[a-c]{0,2}",
            other in "([a-c]{0,3}\n){0,3}[a-c]{0,2}",
        ) {
            let text = with_block(before.as_deref(), None, &body, "agent");
            let block = find_block(&text).unwrap().unwrap();
            prop_assert!(!block.is_changed);
            prop_assert_eq!(without_block(&text, &block), before.clone());
            let text = with_block(Some(&text), Some(&block), &other, "agent");
            let block = find_block(&text).unwrap().unwrap();
            prop_assert!(!block.is_changed);
            prop_assert_eq!(without_block(&text, &block), before.clone());
            // What people add around the block stays.
            let edited = format!("{text}more\n");
            let block = find_block(&edited).unwrap().unwrap();
            let rest = without_block(&edited, &block);
            prop_assert_eq!(rest, Some(format!("{}more\n", before.unwrap_or_default())));
        }
    }
}
