//! The counters in the front matter of a memory document: dates, sessions, contributors.
//!
//! Two branches that each write a memory file change the same lines of its front matter, and a union merge keeps both.
//! Repeated keys are read as the latest date, the greatest number and the union of the lists; the next write removes
//! the repetition.

use std::borrow::Cow;

use jiff::civil::Date;
use serde_json::json;

use super::read::remove_copies;
use crate::frontmatter::{self, FrontMatterLocation};
use crate::name::{self, Match};
use crate::yaml::{YamlKind, YamlNode};
use crate::{Problem, Value, day, yaml};

const COUNTER_KEYS: &[&str] = &["created", "updated", "sessions", "contributors"];

/// The counters to set in the front matter of a memory document.
#[derive(Debug, Clone, Default)]
pub struct Counters<'c> {
    /// The day of the change.
    pub updated: Option<Date>,
    /// The number of sessions.
    pub sessions: Option<usize>,
    /// The agent or person that contributed.
    pub contributor: Option<&'c str>,
    /// The names of the plan's agents: a contributor that is an agent's number is replaced by its name.
    pub agents: &'c [String],
}

impl Counters<'_> {
    /// Sets the counters, and removes what a merge repeated: keys, and copies of entries.
    pub fn set(&self, path: &str, text: &str) -> Result<String, Problem> {
        let text = remove_copies(text);
        let mut text = merge_repeated(&text, RemovedLines::Dropped).into_owned();
        if let Some(day) = self.updated {
            text = frontmatter::set(path, &text, "updated", &json!(day.to_string()))?;
        }
        if let Some(sessions) = self.sessions {
            text = frontmatter::set(path, &text, "sessions", &json!(sessions))?;
        }
        if let Some(contributor) = self.contributor {
            let contributor = full_name(contributor, self.agents);
            text = frontmatter::append_to_list(path, &text, "contributors", &contributor)?;
        }
        if let Some(contributors) = with_full_names(&text, self.agents) {
            text = frontmatter::set(path, &text, "contributors", &json!(contributors))?;
        }
        Ok(text)
    }
}

fn full_name(typed: &str, agents: &[String]) -> String {
    match name::find(typed, agents.iter().map(String::as_str)) {
        Match::One(name) => name,
        Match::Ambiguous(_) | Match::Unknown(_) => typed.to_owned(),
    }
}

/// Returns the distinct contributors by their full names, if that differs from the text.
fn with_full_names(text: &str, agents: &[String]) -> Option<Vec<Value>> {
    let FrontMatterLocation::Block { yaml, .. } = frontmatter::split(text) else { return None };
    let root = yaml::parse(&text[yaml]).ok()??;
    let Value::Array(current) = root.entry("contributors")?.value.value() else { return None };
    let mut named: Vec<Value> = Vec::new();
    for item in &current {
        let item = match item.as_str() {
            Some(item) => json!(full_name(item, agents)),
            None => item.clone(),
        };
        if !named.contains(&item) {
            named.push(item);
        }
    }
    (named != current).then_some(named)
}

/// Returns the text with repeated counters merged into one, without changing line numbers.
pub fn merge_repeated_counters(text: &str) -> Cow<'_, str> {
    merge_repeated(text, RemovedLines::Blank)
}

/// What replaces the lines of a removed repetition.
#[derive(Clone, Copy, PartialEq)]
enum RemovedLines {
    Blank,
    Dropped,
}

/// A top-level key of the front matter with the lines of its value.
struct KeyBlock<'t> {
    key: &'t str,
    text: &'t str,
}

fn merge_repeated(text: &str, removed: RemovedLines) -> Cow<'_, str> {
    let FrontMatterLocation::Block { yaml, .. } = frontmatter::split(text) else {
        return Cow::Borrowed(text);
    };
    let blocks = split_keys(&text[yaml.clone()]);
    let is_repeated = |key: &str| {
        COUNTER_KEYS.contains(&key) && blocks.iter().filter(|block| block.key == key).count() > 1
    };
    if !blocks.iter().any(|block| is_repeated(block.key)) {
        return Cow::Borrowed(text);
    }
    let mut out = text[..yaml.start].to_owned();
    let mut written: Vec<&str> = Vec::new();
    for block in &blocks {
        if !is_repeated(block.key) {
            out.push_str(block.text);
            continue;
        }
        let newlines: String = block.text.chars().filter(|c| matches!(c, '\n' | '\r')).collect();
        if written.contains(&block.key) {
            if removed == RemovedLines::Blank {
                out.push_str(&newlines);
            }
            continue;
        }
        written.push(block.key);
        let texts = blocks.iter().filter(|other| other.key == block.key).map(|other| other.text);
        out.push_str(&format!("{}: {}", block.key, merged_value(block.key, texts)));
        out.push_str(match removed {
            RemovedLines::Blank => &newlines,
            RemovedLines::Dropped => newline(block.text),
        });
    }
    out.push_str(&text[yaml.end..]);
    Cow::Owned(out)
}

fn newline(text: &str) -> &str {
    if text.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Splits a block of YAML at its top-level keys.
fn split_keys(yaml: &str) -> Vec<KeyBlock<'_>> {
    let mut blocks: Vec<KeyBlock<'_>> = Vec::new();
    let mut start = 0;
    let mut offset = 0;
    let mut key = "";
    for line in yaml.split_inclusive('\n') {
        let starts_key = !line.starts_with([' ', '\t', '-']);
        if starts_key {
            if offset > start {
                blocks.push(KeyBlock { key, text: &yaml[start..offset] });
            }
            start = offset;
            key = key_of(line);
        }
        offset += line.len();
    }
    if offset > start {
        blocks.push(KeyBlock { key, text: &yaml[start..offset] });
    }
    blocks
}

/// Returns the key of a line: the text before a colon that a space follows.
fn key_of(line: &str) -> &str {
    let ends_key = |(offset, _): &(usize, &str)| {
        line[offset + 1..].chars().next().is_none_or(|after| after.is_ascii_whitespace())
    };
    line.match_indices(':').find(ends_key).map_or("", |(offset, _)| line[..offset].trim_end())
}

fn merged_value<'t>(key: &str, texts: impl Iterator<Item = &'t str>) -> String {
    let values: Vec<String> = texts.flat_map(|text| raw_values(key, text)).collect();
    match key {
        "sessions" => {
            let greatest = values.iter().filter_map(|value| value.parse::<u64>().ok()).max();
            greatest.map_or_else(String::new, |greatest| greatest.to_string())
        }
        "contributors" => {
            let mut all: Vec<String> = Vec::new();
            for item in values {
                if !all.contains(&item) {
                    all.push(item);
                }
            }
            format!("[{}]", all.join(", "))
        }
        _ => {
            let days = values.iter().filter_map(|value| day::parse(value));
            let day = if key == "created" { days.min() } else { days.max() };
            day.map_or_else(String::new, |day| day.to_string())
        }
    }
}

/// Returns the values of a key as written, since `007` is a name and not a number. A value over several lines is
/// rewritten as one line.
fn raw_values(key: &str, text: &str) -> Vec<String> {
    let Ok(Some(root)) = yaml::parse(text) else { return vec![] };
    let slice = |node: &YamlNode| match &text[node.bytes.clone()] {
        raw if raw.contains(['\n', '\r']) => node.value().to_string(),
        raw => raw.to_owned(),
    };
    match root.entry(key).map(|entry| &entry.value) {
        Some(YamlNode { kind: YamlKind::List { items, .. }, .. }) => {
            items.iter().map(slice).collect()
        }
        Some(single) => vec![slice(single)],
        None => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const MERGED: &str = "---\nplan: p\nupdated: 2026-02-01\nupdated: 2026-02-03\nsessions: 4\nsessions: 3\ncontributors: [000, a]\ncontributors: [b, 000]\n# c\n---\nbody\n";

    #[test]
    fn repeated_keys_are_read_as_latest_greatest_and_union() {
        let read = merge_repeated_counters(MERGED);
        assert_eq!(read.lines().count(), MERGED.lines().count());
        let lines: Vec<&str> = read.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            lines,
            [
                "---",
                "plan: p",
                "updated: 2026-02-03",
                "sessions: 4",
                "contributors: [000, a, b]",
                "# c",
                "---",
                "body"
            ]
        );
    }

    #[test]
    fn the_next_write_removes_repeated_keys() {
        let counters = Counters {
            updated: Some(date(2026, 2, 22)),
            sessions: Some(5),
            contributor: Some("c"),
            agents: &[],
        };
        assert_eq!(
            counters.set("m.md", MERGED).unwrap(),
            "---\nplan: p\nupdated: 2026-02-22\nsessions: 5\ncontributors: [000, a, b, c]\n# c\n---\nbody\n"
        );
    }

    #[test]
    fn a_contributor_is_listed_once_by_its_full_name() {
        let agents = ["000-schema".to_owned(), "001-api".to_owned(), "001-web".to_owned()];
        let set = |text: &str, contributor| {
            let counters = Counters { contributor, agents: &agents, ..Counters::default() };
            counters.set("m.md", text).unwrap()
        };
        let text = "---\ncontributors: [000, ada, 001] # who\n---\n";
        let expected = "---\ncontributors: [000-schema, ada, 001] # who\n---\n";
        assert_eq!(set(text, Some("000-schema")), expected);
        assert_eq!(set(text, Some("000")), expected);
        assert_eq!(set(text, None), expected);
        assert_eq!(set(expected, Some("0")), expected);
    }

    #[test]
    fn a_name_over_several_lines_is_one_name() {
        let text = "---\ncontributors: [a]\ncontributors:\n- b\n  c\n---\nbody\n";
        let expected = "---\ncontributors: [a, \"b c\"]\n\n\n\n---\nbody\n";
        assert_eq!(merge_repeated_counters(text), expected);
    }

    #[test]
    fn other_repeated_keys_are_not_changed() {
        let text = "---\nupdated: 2026-02-01\ntags: [a]\ntags: [b]\n---\n";
        assert_eq!(merge_repeated_counters(text), text);
    }
}
