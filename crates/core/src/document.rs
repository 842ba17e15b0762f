//! A markdown document as values: the fields it sets, its text, its references and its problems.

pub(crate) mod adr_id;
mod form;
mod markdown;
mod reference;

pub use form::{DocumentForm, smaller_form_of_data, smaller_forms};
pub(crate) use markdown::link_ranges;
pub use reference::{LinkField, Reference, ReferenceKind};
pub(crate) use reference::{is_plan_or_adr_name, strip_extension};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::frontmatter::{self, FrontMatterLocation};
use crate::keypath;
use crate::merge::Tree;
use crate::yaml::{self, YamlNode};
use crate::{Problem, Value, byte_order_mark};

/// Front-matter keys that describe the document itself and are not inherited.
pub(crate) const NOT_INHERITED_KEYS: &[&str] = &[
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

/// Keys whose value is read as text even if YAML reads a number (`project: 2024`).
const TEXT_KEYS: &[&str] =
    &["name", "title", "description", "type", "status", "project", "plan", "agent"];

/// A parsed document. Parsing never fails: whatever cannot be read becomes a problem.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Document {
    /// The path relative to the root, with `/`.
    pub path: String,
    /// The whole front matter.
    pub fields: Map<String, Value>,
    /// The values that other documents inherit, including the markers `override` and `inherit`.
    pub values: Tree,
    /// The line on which each key path is set.
    pub lines: BTreeMap<String, usize>,
    /// The `title` field, or the first top-level heading, or the `name` field.
    pub title: Option<String>,
    /// The text after the front matter. Empty in a cached document: callers that need it read the file.
    #[serde(skip)]
    pub prose: String,
    /// The line on which the prose starts.
    pub prose_line: usize,
    /// The headings. Empty in a cached document.
    #[serde(skip)]
    pub headings: Vec<Heading>,
    /// The references to other documents.
    pub references: Vec<Reference>,
    /// The problems of the document.
    pub problems: Vec<Problem>,
}

/// A heading of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The level, from 1 to 6.
    pub level: u8,
    /// The text without markup.
    pub text: String,
    /// The line in the file, from 1.
    pub line: usize,
}

/// A section of a document: a heading with the lines up to the next one.
#[derive(Debug, Clone)]
pub struct DocumentSection<'d> {
    /// The heading; `None` for the lines before the first heading.
    pub heading: Option<&'d Heading>,
    /// The index of the first line after the heading among the lines of the prose.
    pub start: usize,
    /// The lines after the heading.
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

    /// Reads the front matter of a markdown document, which is many times as fast as reading all of it where the front
    /// matter is simple. Problems of the rest may not be found.
    pub fn read_fields(path: &str, text: &str) -> (Map<String, Value>, Vec<Problem>) {
        let simple = match frontmatter::split(text) {
            FrontMatterLocation::Block { yaml, .. } => yaml::parse_simple_mapping(&text[yaml]),
            FrontMatterLocation::None | FrontMatterLocation::Unclosed => None,
        };
        match simple.filter(|_| conflict_marker(path, text).is_none()) {
            Some(mut fields) => {
                read_as_text(&mut fields);
                (fields, vec![])
            }
            None => {
                let document = Document::parse(path, text);
                (document.fields, document.problems)
            }
        }
    }

    /// Wraps a file without front matter and markdown (JSON, YAML): it is all prose and sets no values.
    pub fn from_plain_text(path: &str, text: &str) -> Self {
        if let Some(problem) = conflict_marker(path, text) {
            return Self::unreadable(problem);
        }
        Document {
            path: path.to_owned(),
            prose: text.to_owned(),
            prose_line: 1,
            ..Document::default()
        }
    }

    /// Makes an empty document for a file that could not be read.
    pub fn unreadable(problem: Problem) -> Self {
        Document { path: problem.path.clone(), problems: vec![problem], ..Document::default() }
    }

    /// Returns a text field of the front matter; an empty text counts as absent.
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

    /// Splits the prose at its headings.
    pub fn sections(&self) -> Vec<DocumentSection<'_>> {
        let lines: Vec<&str> = self.prose.lines().collect();
        let headings = self.headings.iter().filter_map(|heading| {
            Some((heading.line.checked_sub(self.prose_line)? + 1, Some(heading)))
        });
        let starts: Vec<(usize, Option<&Heading>)> =
            std::iter::once((0, None)).chain(headings).collect();
        let mut sections = Vec::with_capacity(starts.len());
        for (index, (start, heading)) in starts.iter().enumerate() {
            // The line of the next heading itself is in no section.
            let end = starts.get(index + 1).map_or(lines.len(), |(next, _)| next - 1);
            let section_lines = lines.get(*start..end.min(lines.len())).unwrap_or_default();
            sections.push(DocumentSection {
                heading: *heading,
                start: *start,
                lines: section_lines.to_vec(),
            });
        }
        sections
    }

    fn top_heading(&self) -> Option<String> {
        self.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone())
    }

    /// Reads the front matter and returns the byte offset of the body.
    fn read_front_matter(&mut self, text: &str) -> usize {
        let bom = byte_order_mark::split(text).0.len();
        let (yaml, body) = match frontmatter::split(text) {
            FrontMatterLocation::None => return bom,
            FrontMatterLocation::Unclosed => {
                self.problems.push(frontmatter::unclosed_problem(&self.path));
                return bom;
            }
            FrontMatterLocation::Block { yaml, body } => (yaml, body),
        };
        match yaml::parse(&text[yaml]) {
            Ok(Some(node)) => self.add_front_matter(&node),
            Ok(None) => {}
            Err(error) => self.problems.push(
                Problem::at(&self.path, error.line + 1, format!("front matter: {}", error.message))
                    .hint("fix the YAML; until then nothing in this front matter is used"),
            ),
        }
        body
    }

    fn add_front_matter(&mut self, node: &YamlNode) {
        let Value::Object(fields) = node.value() else {
            self.problems.push(
                Problem::at(&self.path, node.line + 1, yaml::NOT_A_MAPPING)
                    .hint("write `key: value` lines"),
            );
            return;
        };
        keypath::collect_lines(node, 1, &mut self.lines);
        let inherited: Map<String, Value> = fields
            .iter()
            .filter(|(key, _)| !NOT_INHERITED_KEYS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        self.values = Tree::from_document(Value::Object(inherited));
        for field in LinkField::ALL {
            let key = field.key();
            let line = node.entry(key).map_or(1, |entry| entry.line + 1);
            for target in list_of(fields.get(key)) {
                self.references.push(Reference { target, line, kind: ReferenceKind::Field(field) });
            }
        }
        self.fields = fields;
        read_as_text(&mut self.fields);
    }

    fn read_markdown(&mut self) {
        let parts = markdown::read(&self.prose);
        let newlines: Vec<usize> = self.prose.match_indices('\n').map(|(at, _)| at).collect();
        let line = |offset: usize| self.prose_line + newlines.partition_point(|&at| at < offset);
        self.headings.extend(parts.headings.iter().map(|(offset, level, text)| Heading {
            level: *level,
            text: text.clone(),
            line: line(*offset),
        }));
        self.references.extend(parts.references.iter().map(|(offset, target, how)| Reference {
            target: target.clone(),
            line: line(*offset),
            kind: *how,
        }));
        let blocks: Vec<_> =
            parts.value_blocks.into_iter().map(|block| (line(block.offset), block)).collect();
        for (first_line, block) in blocks {
            self.add_value_block(&block, first_line);
        }
        // A target is kept once per line; words sort last, so that a link is kept rather than a word.
        self.references
            .sort_by_key(|reference| (reference.line, reference.kind == ReferenceKind::Word));
        let mut seen = std::collections::HashSet::new();
        self.references.retain(|reference| seen.insert((reference.target.clone(), reference.line)));
    }

    fn add_value_block(&mut self, block: &markdown::ValueBlock, first_line: usize) {
        match yaml::parse(&block.text) {
            Ok(Some(node)) if node.value().is_object() => {
                keypath::collect_lines(&node, first_line - 1, &mut self.lines);
                let values = std::mem::take(&mut self.values);
                self.values = values.join(Tree::from_document(node.value()));
            }
            Ok(_) if block.is_marked => self.problems.push(Problem::at(
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

/// Returns a value as a list of texts; a single value is a list of one.
pub fn list_of(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(scalar_to_text).collect(),
        Some(single) => scalar_to_text(single).into_iter().collect(),
        None => vec![],
    }
}

/// Returns a scalar as text; `None` for an empty text, null, a list or a map.
pub fn scalar_to_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns a problem for the first conflict marker of a text. Neither side of an unfinished merge can
/// be trusted.
pub fn conflict_marker(path: &str, text: &str) -> Option<Problem> {
    const MARKS: [&str; 3] = ["<<<<<<<", ">>>>>>>", "|||||||"];
    // Nearly every text has none. A marker covers one of every seven bytes.
    let mut samples = text.as_bytes().iter().skip(MARKS[0].len() - 1).step_by(MARKS[0].len());
    if !samples.any(|byte| matches!(byte, b'<' | b'>' | b'|')) {
        return None;
    }
    let is_marker = |line: &str| {
        MARKS.iter().any(|mark| {
            line.strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
        })
    };
    let line = text.lines().position(is_marker)?;
    Some(
        Problem::at(
            path,
            line + 1,
            "a git conflict marker; the file is left out until the merge is finished",
        )
        .hint("resolve the conflict and remove the marker lines"),
    )
}

/// Reads the values of [`TEXT_KEYS`] as text.
fn read_as_text(fields: &mut Map<String, Value>) {
    for key in TEXT_KEYS {
        if let Some(value) =
            fields.get_mut(*key).filter(|value| value.is_number() || value.is_boolean())
        {
            *value = Value::String(value.to_string());
        }
    }
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_come_from_front_matter_and_value_blocks() {
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
    fn invalid_front_matter_is_a_problem_and_the_prose_is_read() {
        let document = Document::parse("w.md", "---\na: 1\na: 2\n---\n# Still here\n");
        assert_eq!(document.problems[0].line, 3);
        assert_eq!(document.title.as_deref(), Some("Still here"));
    }

    #[test]
    fn a_file_with_conflict_markers_is_ignored() {
        let document = Document::parse(
            "w.md",
            "---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n---\n",
        );
        assert_eq!(document.problems[0].line, 3);
        assert!(document.values.is_empty());
    }

    #[test]
    fn references_are_fields_links_mentions_and_words() {
        let text = "---\ndepends_on: [0042-graph]\n---\nSee ADR-0003, [x](../b.md#s) and `ADR-0009`.\n\n```\nADR-0008\n```\nAfter 0043-auth: [[0043-auth]] and [[0044-b#Goals|that]].\n";
        let targets: Vec<_> = Document::parse("a/w.md", text)
            .references
            .into_iter()
            .map(|reference| (reference.target, reference.line, reference.kind))
            .collect();
        assert_eq!(
            targets,
            [
                ("0042-graph".into(), 2, ReferenceKind::Field(LinkField::DependsOn)),
                ("ADR-0003".into(), 4, ReferenceKind::Mention),
                ("../b.md".into(), 4, ReferenceKind::Link),
                ("ADR-0009".into(), 4, ReferenceKind::Word),
                ("0043-auth".into(), 9, ReferenceKind::Wiki),
                ("0044-b".into(), 9, ReferenceKind::Wiki),
            ]
        );
    }
}
