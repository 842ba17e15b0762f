//! `show`: shows all of anything that has an id.

use heirloom_core::compression::{self, Level};
use heirloom_core::recall::strip_section_prefix;
use heirloom_core::record::{Record, Referent};
use heirloom_core::{Document, Hint, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::expand::expand;
use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, item_details, short_memory_id};
use crate::ops::record::show::{RecordDetails, show_additions};
use crate::prediction::{CommitDetails, find_commit};
use crate::usage::Usage;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, ErrorKind, Group, Operation, Session, Spec};

pub(crate) struct MemoryExpand;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids of memories or their ends, sections (docs/plan.md#2), documents by name or path, sessions, commits.
    ids: Vec<String>,
    /// How long the texts are: full, summary, compressed or index.
    #[serde(default)]
    level: Option<Level>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Expanded {
    /// What the ids stand for, in their order; for a session, all its memories.
    items: Vec<RecordDetails>,
    /// The commits that ids stand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<CommitDetails>,
    /// The ids that stand for nothing, or for several things.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_found: Vec<UnknownId>,
}

/// An id that stands for nothing, or for several things.
#[derive(Debug, Serialize, JsonSchema)]
struct UnknownId {
    /// The id.
    id: String,
    /// What is wrong.
    message: String,
    /// Ids that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<String>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Hint>,
}

impl Expanded {
    /// Returns the error of a request with no known id, given that of its first id.
    fn no_id_found(&self, first: Error) -> Error {
        let messages: Vec<&str> = self.not_found.iter().map(|id| id.message.as_str()).collect();
        let candidates = self.not_found.iter().flat_map(|id| id.candidates.clone()).collect();
        Error { message: messages.join("; "), candidates, ..first }
    }
}

impl UnknownId {
    fn new(typed: &str, error: Error) -> Self {
        let Error { message, candidates, hint, .. } = error;
        UnknownId { id: typed.to_owned(), message, candidates, hint }
    }

    /// Describes it in one line, with its candidates.
    fn describe(&self) -> String {
        match self.candidates.is_empty() {
            true => self.message.clone(),
            false => format!("{}; candidates: {}", self.message, self.candidates.join(", ")),
        }
    }
}

/// Prints the ids that were not found, and each hint once.
fn show_unknown_ids(view: &mut View, unknown: &[UnknownId]) {
    for id in unknown {
        view.line([span(Role::Bad, "⚠️ "), span(Role::Plain, id.describe())]);
    }
    let mut hints: Vec<&Hint> = Vec::new();
    for hint in unknown.iter().filter_map(|id| id.hint.as_ref()) {
        if !hints.contains(&hint) {
            hints.push(hint);
            view.line([span(Role::Dim, Hint::text("   hint: ").then_hint(hint))]);
        }
    }
}

impl Operation for MemoryExpand {
    type Request = Request;
    type Response = Expanded;
    const SPEC: Spec = Spec {
        name: "memory_expand",
        usage: "show <ids>...",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show all of a memory, a section, a document, a session or a commit, by its id: the whole text, its history and its relations.",
    };

    fn run(session: &Session, request: Request) -> Result<Expanded, Error> {
        if request.ids.is_empty() {
            return Err(Error::bad_input("no id is given"));
        }
        let known = MemoryQuery::new().ids(&request.ids).read(session)?;
        let mut expanded = Expanded { items: vec![], commits: vec![], not_found: vec![] };
        let mut first_error = None;
        for typed in request.ids.iter().map(|typed| typed.trim()) {
            match expand_or_commit(session, &known, typed) {
                Ok(ExpandedId::Items(items)) => expanded.items.extend(items),
                Ok(ExpandedId::Commit(commit)) => expanded.commits.push(*commit),
                // One wrong id does not hide what the others stand for.
                Err(error) if error.kind != ErrorKind::System => {
                    first_error.get_or_insert_with(|| error.clone());
                    expanded.not_found.push(UnknownId::new(typed, error));
                }
                Err(error) => return Err(error),
            }
        }
        let usage = Usage::read(session);
        expanded.items.iter_mut().for_each(|details| details.add_usage(&usage));
        if let Some(level) = request.level.filter(|level| *level != Level::Full) {
            expanded.items.iter_mut().for_each(|details| shorten(&mut details.item, level));
        }
        match first_error {
            Some(error) if expanded.items.is_empty() && expanded.commits.is_empty() => {
                Err(expanded.no_id_found(error))
            }
            _ => Ok(expanded),
        }
    }
}

/// What an id stands for.
enum ExpandedId {
    Items(Vec<RecordDetails>),
    Commit(Box<CommitDetails>),
}

/// Returns what an id stands for; a commit if nothing stored has it.
fn expand_or_commit(
    session: &Session,
    known: &MemorySlice,
    typed: &str,
) -> Result<ExpandedId, Error> {
    let error = match expand(session, known, typed) {
        Ok(items) => return Ok(ExpandedId::Items(items)),
        Err(error) if error.kind == ErrorKind::NotFound && error.candidates.is_empty() => error,
        Err(error) => return Err(error),
    };
    let commit = find_commit(session, typed)?;
    commit.map(|commit| ExpandedId::Commit(Box::new(commit))).ok_or(error)
}

/// Replaces the text of a memory by that at a level, or at the next longer one that it has.
fn shorten(item: &mut MemoryItem, level: Level) {
    let record =
        item.record.take().and_then(|fields| serde_json::from_value::<Record>(fields).ok());
    let document = is_document(item).then(|| Document::parse(&item.path, &item.text));
    let text = compression::nearest_level(level, |level| match (&record, &document) {
        (Some(record), _) => compression::record_at_level(record, level),
        (None, Some(document)) => compression::document_at_level(document, level),
        (None, None) if item.text.contains(" › ") && strip_section_prefix(&item.id).is_some() => {
            compression::section_at_level(&item.text, level)
        }
        (None, None) => {
            compression::at_level(&item.text, item.title.as_deref(), &item.short_texts, level)
        }
    });
    item.text = text.unwrap_or_else(|| item.text.clone());
}

/// The kinds of records that consist of one text.
const KINDS_OF_ONE_TEXT: [&str; 2] = ["fact", "note"];

/// The fields of a record that its heading shows.
const FIELDS_OF_HEADING: [&str; 9] =
    ["v", "id", "kind", "at", "by", "source", "tags", "confidence", "supersedes"];

impl Answer for Expanded {
    fn view(&self) -> View {
        let mut view = View::new();
        for details in &self.items {
            let item = &details.item;
            view.title(heading(item));
            view.wrapped_line(0, item_details(item));
            if let Some(workspace) = &details.workspace {
                view.line([span(Role::Dim, "in workspace "), span(Role::Source, workspace)]);
            }
            view.blank();
            let record = item.record.as_ref().and_then(Value::as_object);
            match record.filter(|_| !KINDS_OF_ONE_TEXT.contains(&item.kind.as_str())) {
                Some(fields) => show_fields(&mut view, fields),
                None if is_document(item) => {
                    view.text(&item.text);
                }
                None => {
                    for line in item.text.lines() {
                        view.wrapped_line(0, [line]);
                    }
                }
            }
            show_additions(&mut view, details);
        }
        self.commits.iter().for_each(|commit| show_commit(&mut view, commit));
        let has_found = !self.items.is_empty() || !self.commits.is_empty();
        if has_found && !self.not_found.is_empty() {
            view.blank();
        }
        show_unknown_ids(&mut view, &self.not_found);
        view
    }

    fn has_findings(&self) -> bool {
        !self.not_found.is_empty()
    }
}

fn show_commit(view: &mut View, commit: &CommitDetails) {
    view.title(&commit.id);
    let mut details = vec!["commit"];
    details.extend(commit.date.as_deref());
    details.push(&commit.author);
    view.wrapped_line(0, [span(Role::Dim, details.join(" · "))]);
    view.blank();
    view.wrapped_line(0, [commit.subject.as_str()]);
    if !commit.body.is_empty() {
        view.blank();
        view.text(&commit.body);
    }
    view.blank();
    view.line([span(Role::Key, "files:")]);
    for file in &commit.files {
        view.wrapped_line(2, [span(Role::Source, format!("- {file}"))]);
    }
    if !commit.memories.is_empty() {
        view.line([span(Role::Key, "memories:")]);
    }
    for memory in &commit.memories {
        let name = span(Role::Source, &memory.short_id);
        let kind = span(Role::Dim, format!(" ({})", memory.kind));
        view.wrapped_line(2, ["- ".into(), name, format!(" {}", memory.title).into(), kind]);
    }
}

/// Returns whether an item is a whole document, whose lines are left as they are.
fn is_document(item: &MemoryItem) -> bool {
    matches!(item.referent, Referent::Document(_)) && strip_section_prefix(&item.id).is_none()
}

/// Returns the short id of a record or an entry, and the name of a section or a document.
fn heading(item: &MemoryItem) -> &str {
    match &item.referent {
        Referent::Record(_) | Referent::Entry(_) => short_memory_id(&item.id),
        Referent::Document(_) | Referent::Unknown(_) => {
            strip_section_prefix(&item.id).unwrap_or(&item.id)
        }
    }
}

/// Prints the fields of a record with several texts, each under its name.
fn show_fields(view: &mut View, fields: &Map<String, Value>) {
    let shown = fields.iter().filter(|(name, _)| !FIELDS_OF_HEADING.contains(&name.as_str()));
    for (name, value) in shown {
        match value {
            Value::String(text) if text.contains('\n') => {
                view.line([span(Role::Key, format!("{name}:"))]);
                view.text(text);
            }
            Value::Array(items) => {
                view.line([span(Role::Key, format!("{name}:"))]);
                for item in items {
                    view.wrapped_line(2, [format!("- {}", present::value(item))]);
                }
            }
            value => {
                let text = present::value(value);
                view.wrapped_line(2, [span(Role::Key, format!("{name}: ")), text.into()]);
            }
        }
    }
}
