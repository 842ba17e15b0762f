//! A markdown document as values: what it sets, what it says, what it refers to, and what is wrong
//! with it.

mod markdown;
mod reference;

pub(crate) use markdown::link_ranges;
pub use reference::{How, LinkField, Reference, adr_mentions};
pub(crate) use reference::{names_plan_or_adr, without_ending};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::frontmatter::{self, Split};
use crate::keypath;
use crate::merge::Tree;
use crate::yaml::{self, Node};
use crate::{Problem, Value};

/// Front-matter keys that describe the document itself and so are nobody's inheritance.
pub const OWN_KEYS: &[&str] = &[
    "name",
    "title",
    "description",
    "type",
    "status",
    "workType",
    "created",
    "updated",
    "tags",
    "project",
    "plan",
    "agent",
    "depends_on",
    "refresh_interval",
    "supersedes",
    "superseded_by",
    "overrides",
    "sessions",
    "contributors",
    "budget",
    "globs",
    "alwaysApply",
];

/// Keys whose value is a text even where YAML would read a number (`project: 2024`).
const TEXT_KEYS: &[&str] =
    &["name", "title", "description", "type", "status", "project", "plan", "agent"];

/// A parsed document. Parsing never fails: what cannot be read is among the problems.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Document {
    /// Its path relative to the root, with `/`.
    pub path: String,
    /// Its front matter, whole.
    pub fields: Map<String, Value>,
    /// What it hands down, markers included.
    pub values: Tree,
    /// The line on which each key path is set.
    pub lines: BTreeMap<String, usize>,
    /// Its title: the `title` field, else the first top heading, else the `name` field.
    pub title: Option<String>,
    /// Its text after the front matter. A cached document has none: what needs it reads the file.
    #[serde(skip)]
    pub prose: String,
    /// The line on which the prose starts.
    pub prose_line: usize,
    /// Its headings. A cached document has none either.
    #[serde(skip)]
    pub headings: Vec<Heading>,
    /// What it refers to.
    pub references: Vec<Reference>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A heading of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// Its line in the file.
    pub line: usize,
}

/// A part of a document: a heading, unless it is the part before the first, and what follows it.
#[derive(Debug, Clone)]
pub struct Section<'d> {
    /// Its heading.
    pub heading: Option<&'d Heading>,
    /// The position of its first line after the heading among the lines of the prose.
    pub start: usize,
    /// Its lines after the heading.
    pub lines: Vec<&'d str>,
}

impl Document {
    /// Parses a markdown document.
    pub fn parse(path: &str, text: &str) -> Self {
        let mut document = Document { path: path.to_owned(), prose_line: 1, ..Document::default() };
        if let Some(problem) = conflict_marker(path, text) {
            document.problems.push(problem);
            return document;
        }
        let body = document.read_front_matter(text);
        document.prose = text[body..].to_owned();
        document.prose_line = 1 + count_lines(&text[..body]);
        document.read_markdown();
        document.title = document
            .field("title")
            .map(str::to_owned)
            .or_else(|| document.top_heading())
            .or_else(|| document.field("name").map(str::to_owned));
        document
    }

    /// Takes a file that is text and nothing more (JSON, YAML): all prose, no values.
    pub fn plain(path: &str, text: &str) -> Self {
        Document {
            path: path.to_owned(),
            prose: text.to_owned(),
            prose_line: 1,
            ..Document::default()
        }
    }

    /// Records a document that could not be read at all.
    pub fn unreadable(problem: Problem) -> Self {
        Document { path: problem.path.clone(), problems: vec![problem], ..Document::default() }
    }

    /// Returns a text field of the front matter.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Returns a field of the front matter as a list of texts; a single value is a list of one.
    pub fn field_list(&self, key: &str) -> Vec<String> {
        list_of(self.fields.get(key))
    }

    /// Returns the line of a front-matter key, or 1.
    pub fn line_of(&self, key: &str) -> usize {
        self.lines.get(key).copied().unwrap_or(1)
    }

    /// Cuts the prose at its headings.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let lines: Vec<&str> = self.prose.lines().collect();
        let headings = self.headings.iter().filter_map(|heading| {
            Some((heading.line.checked_sub(self.prose_line)? + 1, Some(heading)))
        });
        let starts: Vec<(usize, Option<&Heading>)> =
            std::iter::once((0, None)).chain(headings).collect();
        let mut sections = Vec::with_capacity(starts.len());
        for (at, (start, heading)) in starts.iter().enumerate() {
            // A heading is a line of its own, which the section before it does not hold.
            let end = starts.get(at + 1).map_or(lines.len(), |(next, _)| next - 1);
            let own = lines.get(*start..end.min(lines.len())).unwrap_or_default();
            sections.push(Section { heading: *heading, start: *start, lines: own.to_vec() });
        }
        sections
    }

    fn top_heading(&self) -> Option<String> {
        self.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone())
    }

    /// Reads the front matter and returns where the body starts.
    fn read_front_matter(&mut self, text: &str) -> usize {
        let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let (yaml, body) = match frontmatter::split(text) {
            Split::None => return bom,
            Split::Unclosed => {
                self.problems.push(frontmatter::unclosed(&self.path));
                return bom;
            }
            Split::Block { yaml, body } => (yaml, body),
        };
        match yaml::parse(&text[yaml]) {
            Ok(Some(node)) => self.take_front_matter(&node),
            Ok(None) => {}
            Err(error) => self.problems.push(
                Problem::at(&self.path, error.line + 1, format!("front matter: {}", error.message))
                    .hint("nothing in this front matter is used until it is mended"),
            ),
        }
        body
    }

    fn take_front_matter(&mut self, node: &Node) {
        let Value::Object(fields) = node.value() else {
            self.problems.push(
                Problem::at(
                    &self.path,
                    node.line + 1,
                    "the front matter is not a mapping of keys to values",
                )
                .hint("write `key: value` lines"),
            );
            return;
        };
        keypath::lines(node, 1, &mut self.lines);
        let handed_down: Map<String, Value> = fields
            .iter()
            .filter(|(key, _)| !OWN_KEYS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        self.values = Tree::from_document(Value::Object(handed_down));
        for field in LinkField::ALL {
            let key = field.key();
            let line = node.entry(key).map_or(1, |entry| entry.line + 1);
            for target in list_of(fields.get(key)) {
                self.references.push(Reference { target, line, how: How::Field(field) });
            }
        }
        self.fields = fields;
        for key in TEXT_KEYS {
            if let Some(value) =
                self.fields.get_mut(*key).filter(|value| value.is_number() || value.is_boolean())
            {
                *value = Value::String(value.to_string());
            }
        }
    }

    fn read_markdown(&mut self) {
        let read = markdown::read(&self.prose);
        let breaks: Vec<usize> = self.prose.match_indices('\n').map(|(at, _)| at).collect();
        let line = |offset: usize| self.prose_line + breaks.partition_point(|&at| at < offset);
        self.headings.extend(read.headings.iter().map(|(at, level, text)| Heading {
            level: *level,
            text: text.clone(),
            line: line(*at),
        }));
        self.references.extend(read.references.iter().map(|(at, target, how)| Reference {
            target: target.clone(),
            line: line(*at),
            how: *how,
        }));
        let fences: Vec<_> = read.fences.into_iter().map(|fence| (line(fence.at), fence)).collect();
        for (first_line, fence) in fences {
            self.take_fence(&fence, first_line);
        }
        // What is linked and named on one line is one reference, and the link is the stronger one.
        self.references.sort_by_key(|reference| (reference.line, reference.how == How::Word));
        let mut seen = std::collections::HashSet::new();
        self.references.retain(|reference| seen.insert((reference.target.clone(), reference.line)));
    }

    fn take_fence(&mut self, fence: &markdown::Fence, first_line: usize) {
        match yaml::parse(&fence.text) {
            Ok(Some(node)) if node.value().is_object() => {
                keypath::lines(&node, first_line - 1, &mut self.lines);
                let values = std::mem::take(&mut self.values);
                self.values = values.join(Tree::from_document(node.value()));
            }
            Ok(_) if fence.marked => self.problems.push(Problem::at(
                &self.path,
                first_line,
                "this `yaml heirloom` block is not a mapping of keys to values",
            )),
            Ok(_) => {}
            Err(error) => self.problems.push(Problem::at(
                &self.path,
                first_line - 1 + error.line,
                format!("yaml block: {}", error.message),
            )),
        }
    }
}

fn list_of(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(scalar_text).collect(),
        Some(single) => scalar_text(single).into_iter().collect(),
        None => vec![],
    }
}

/// Returns a scalar as the text a person would write for it.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A file in the middle of a merge says two things at once; neither side is believed.
pub(crate) fn conflict_marker(path: &str, text: &str) -> Option<Problem> {
    let marker = |line: &str| {
        ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| {
            line.strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
        })
    };
    let line = text.lines().position(marker)?;
    Some(
        Problem::at(
            path,
            line + 1,
            "a git conflict marker; the file is left out until the merge is finished",
        )
        .hint("resolve the conflict and remove the marker lines"),
    )
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_come_from_front_matter_and_default_fences() {
        let text = "---\nname: w\nbrand_voice: casual\n---\n# W\n\n## Defaults\n\n```yaml\ndefaults:\n  language: Rust\n```\n\n## Other\n\n```yaml\nnot: taken\n```\n\n```yaml heirloom\ntaken: 1\n```\n";
        let document = Document::parse("w.md", text);
        assert_eq!(document.problems, []);
        assert_eq!(
            document.values.clone().into_value(),
            Some(json!({"brand_voice": "casual", "defaults": {"language": "Rust"}, "taken": 1}))
        );
        assert_eq!(
            (
                document.lines["brand_voice"],
                document.lines["defaults.language"],
                document.lines["taken"]
            ),
            (3, 11, 21)
        );
        assert_eq!(document.title.as_deref(), Some("W"));
    }

    #[test]
    fn bad_front_matter_is_a_problem_and_the_prose_stays() {
        let document = Document::parse("w.md", "---\na: 1\na: 2\n---\n# Still here\n");
        assert_eq!(document.problems[0].line, 3);
        assert_eq!(document.title.as_deref(), Some("Still here"));
    }

    #[test]
    fn a_half_merged_file_is_left_out() {
        let document = Document::parse(
            "w.md",
            "---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n---\n",
        );
        assert_eq!(document.problems[0].line, 3);
        assert!(document.values.is_empty());
    }

    #[test]
    fn references_are_fields_links_and_mentions() {
        let text = "---\ndepends_on: [0042-graph]\n---\nSee ADR-0003, [x](../b.md#s) and `ADR-0009`.\n\n```\nADR-0008\n```\nAfter 0043-auth: [[0043-auth]] and [[0044-b#Goals|that]].\n";
        let targets: Vec<_> = Document::parse("a/w.md", text)
            .references
            .into_iter()
            .map(|r| (r.target, r.line, r.how))
            .collect();
        assert_eq!(
            targets,
            [
                ("0042-graph".into(), 2, How::Field(LinkField::DependsOn)),
                ("ADR-0003".into(), 4, How::Mention),
                ("../b.md".into(), 4, How::Link),
                ("ADR-0009".into(), 4, How::Word),
                ("0043-auth".into(), 9, How::Wiki),
                ("0044-b".into(), 9, How::Wiki),
            ]
        );
    }
}
