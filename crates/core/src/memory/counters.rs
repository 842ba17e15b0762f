//! The front matter of a memory document, which counts.
//!
//! Two branches that each write a memory file change the same lines of its front matter, and a
//! merge by union keeps both. They are read as the latest date, the greatest number and the union of
//! the lists; the next write leaves one of each.

use std::borrow::Cow;

use jiff::civil::Date;
use serde_json::json;

use crate::frontmatter::{self, Split};
use crate::name::{self, Match};
use crate::yaml::{Kind, Node};
use crate::{Problem, Value, day, yaml};

const COUNTED: &[&str] = &["created", "updated", "sessions", "contributors"];

/// What to set in the front matter of a memory document.
#[derive(Debug, Clone, Default)]
pub struct Counters<'c> {
    /// The day of the change.
    pub updated: Option<Date>,
    /// How many sessions there were.
    pub sessions: Option<usize>,
    /// Who took part.
    pub contributor: Option<&'c str>,
    /// The names of the plan's agents: a contributor that is written as one's number gets its name.
    pub agents: &'c [String],
}

impl Counters<'_> {
    /// Sets them, and tidies what a merge left.
    pub fn set(&self, path: &str, text: &str) -> Result<String, Problem> {
        let mut text = folded(text, Leaving::Nothing).into_owned();
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
        if let Some(named) = with_full_names(&text, self.agents) {
            text = frontmatter::set(path, &text, "contributors", &json!(named))?;
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

/// Returns the contributors by their full names, each once, if they are not written so.
fn with_full_names(text: &str, agents: &[String]) -> Option<Vec<Value>> {
    let Split::Block { yaml, .. } = frontmatter::split(text) else { return None };
    let root = yaml::parse(&text[yaml]).ok()??;
    let Value::Array(written) = root.entry("contributors")?.value.value() else { return None };
    let mut named: Vec<Value> = Vec::new();
    for item in &written {
        let item = match item.as_str() {
            Some(item) => json!(full_name(item, agents)),
            None => item.clone(),
        };
        if !named.contains(&item) {
            named.push(item);
        }
    }
    (named != written).then_some(named)
}

/// Returns the text with repeated counters folded into one; every line keeps its number.
pub fn readable(text: &str) -> Cow<'_, str> {
    folded(text, Leaving::BlankLines)
}

#[derive(Clone, Copy, PartialEq)]
enum Leaving {
    BlankLines,
    Nothing,
}

/// One key of the front matter with the lines of its value.
struct Part<'t> {
    key: &'t str,
    text: &'t str,
}

fn folded(text: &str, leaving: Leaving) -> Cow<'_, str> {
    let Split::Block { yaml, .. } = frontmatter::split(text) else { return Cow::Borrowed(text) };
    let parts = parts(&text[yaml.clone()]);
    let repeated = |key: &str| {
        COUNTED.contains(&key) && parts.iter().filter(|part| part.key == key).count() > 1
    };
    if !parts.iter().any(|part| repeated(part.key)) {
        return Cow::Borrowed(text);
    }
    let mut out = text[..yaml.start].to_owned();
    let mut written: Vec<&str> = Vec::new();
    for part in &parts {
        if !repeated(part.key) {
            out.push_str(part.text);
            continue;
        }
        let newlines: String = part.text.chars().filter(|c| matches!(c, '\n' | '\r')).collect();
        if written.contains(&part.key) {
            if leaving == Leaving::BlankLines {
                out.push_str(&newlines);
            }
            continue;
        }
        written.push(part.key);
        let values = parts.iter().filter(|other| other.key == part.key).map(|other| other.text);
        out.push_str(&format!("{}: {}", part.key, merged(part.key, values)));
        let kept =
            if leaving == Leaving::BlankLines { newlines.as_str() } else { newline(part.text) };
        out.push_str(kept);
    }
    out.push_str(&text[yaml.end..]);
    Cow::Owned(out)
}

fn newline(text: &str) -> &str {
    if text.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Splits a block of YAML at its top-level keys.
fn parts(yaml: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut key = "";
    for line in yaml.split_inclusive('\n') {
        let begins = !line.starts_with([' ', '\t', '-']);
        if begins {
            if at > start {
                parts.push(Part { key, text: &yaml[start..at] });
            }
            start = at;
            key = key_of(line);
        }
        at += line.len();
    }
    if at > start {
        parts.push(Part { key, text: &yaml[start..at] });
    }
    parts
}

/// Returns the key of a line: what is before a colon that ends a word.
fn key_of(line: &str) -> &str {
    let ends = |(at, _): &(usize, &str)| {
        line[at + 1..].chars().next().is_none_or(|after| after.is_ascii_whitespace())
    };
    line.match_indices(':').find(ends).map_or("", |(at, _)| line[..at].trim_end())
}

fn merged<'t>(key: &str, parts: impl Iterator<Item = &'t str>) -> String {
    let values: Vec<String> = parts.flat_map(|part| written(key, part)).collect();
    match key {
        "sessions" => {
            let most = values.iter().filter_map(|value| value.parse::<u64>().ok()).max();
            most.map_or_else(String::new, |most| most.to_string())
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

/// The values of a key as they are written: `007` is a name, and no number. What goes over several
/// lines is written anew on one.
fn written(key: &str, part: &str) -> Vec<String> {
    let Ok(Some(root)) = yaml::parse(part) else { return vec![] };
    let slice = |node: &Node| match &part[node.bytes.clone()] {
        text if text.contains(['\n', '\r']) => node.value().to_string(),
        text => text.to_owned(),
    };
    match root.entry(key).map(|entry| &entry.value) {
        Some(Node { kind: Kind::List { items, .. }, .. }) => items.iter().map(slice).collect(),
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
    fn a_merge_reads_as_latest_greatest_and_union() {
        let read = readable(MERGED);
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
    fn the_next_write_leaves_one_of_each() {
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
    fn an_agent_contributes_under_its_full_name_once() {
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
    fn a_name_over_several_lines_stays_one_name() {
        let text = "---\ncontributors: [a]\ncontributors:\n- b\n  c\n---\nbody\n";
        let expected = "---\ncontributors: [a, \"b c\"]\n\n\n\n---\nbody\n";
        assert_eq!(readable(text), expected);
    }

    #[test]
    fn what_was_not_merged_stays_as_it_is() {
        let text = "---\nupdated: 2026-02-01\ntags: [a]\ntags: [b]\n---\n";
        assert_eq!(readable(text), text);
    }
}
