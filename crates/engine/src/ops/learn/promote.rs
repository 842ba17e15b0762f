//! `learn promote`: copies a decision or a lesson into the file of another scope.

use heirloom_core::memory::learning::NewLearning;
use heirloom_core::memory::{EntryKind, MemoryEntry};
use heirloom_core::record::Referent;
use schemars::JsonSchema;
use serde::Deserialize;

use super::add::{check_label, clean_tags};
use crate::contradictions::check_new;
use crate::memory::learnings::{add_to_file, find_duplicate, mark_id, statements};
use crate::memory::{ComparableMemory, MemoryQuery, MemorySlice, MemoryTarget, WriteTransaction};
use crate::ops::answers::WrittenEntry;
use crate::ops::record::add::require_title;
use crate::recall::read_similar_to;
use crate::view::present;
use crate::workspace::learning_file::LearningFile;
use crate::workspace::memory_document::MemoryDocument;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct LearnPromote;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Decision or lesson: its id, or devtools/common/lesson-3.
    entry: String,
    /// Scope that gets the copy (devtools).
    scope: String,
    /// Title of the copy; that of the entry by default.
    #[serde(default)]
    title: Option<String>,
    /// Category of the copy; that of the entry by default.
    #[serde(default)]
    category: Option<String>,
    /// Tags of the copy, besides those of the entry.
    #[serde(default)]
    tags: Vec<String>,
    /// Remove the entry from its file instead of leaving it there with a link.
    #[serde(default, rename = "move")]
    moves: bool,
    /// Create the scope if it has no files yet.
    #[serde(default)]
    new_scope: bool,
}

impl Operation for LearnPromote {
    type Request = Request;
    type Response = WrittenEntry;
    const SPEC: Spec = Spec {
        name: "learn_promote",
        usage: "learn promote <entry>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Copy a decision or a lesson into the file of a broader scope: one of an agent, a plan or another scope. The two are linked.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenEntry, Error> {
        let mut transaction = WriteTransaction::begin(session, true)?;
        let known = MemoryQuery::new().ids(std::slice::from_ref(&request.entry)).read(session)?;
        let (document, entry) = match known.find_unsuperseded(&request.entry)? {
            MemoryTarget::Entry(document, entry) => (document, entry),
            MemoryTarget::Record(_) => {
                let typed = request.entry.escape_default();
                return Err(Error::bad_input(format!("`{typed}` is no entry of a document")));
            }
        };
        let kind = entry.kind;
        let is_new = request.new_scope;
        let file = match kind {
            EntryKind::Decision | EntryKind::Lesson => {
                LearningFile::open(session, kind, &request.scope, is_new)?
            }
            _ => {
                let (name, word) = (entry.name(), kind.as_str());
                let message = format!("{name} is a {word}; only decisions and lessons have files");
                return Err(Error::bad_input(message));
            }
        };
        check_can_promote(&known, document, entry, &file)?;
        let (title, text) = title_and_text(entry, request.title.as_deref())?;
        let category = request.category.as_deref().map(str::trim).or(entry.category.as_deref());
        let category = category.filter(|category| !category.is_empty());
        category.map_or(Ok(()), |category| check_label("category", category))?;
        let tags = clean_tags(&[entry.tags.as_slice(), &request.tags].concat())?;
        let date = document.date_of(entry).unwrap_or_else(|| session.today());
        let from = transaction.write_entry_id(&known, document, entry)?;
        let new = NewLearning {
            title: &title,
            text: &text,
            date,
            category,
            tags: &tags,
            from: Some(&from),
        };
        let copy = add_to_file(&mut transaction, &known, &file, kind, &new)?;
        transaction.link_to_copy(document, &from, &copy.id, request.moves)?;
        let stated = ComparableMemory {
            referent: Referent::entry(&copy.id),
            selectors: file.selectors.clone(),
            ..ComparableMemory::of_text(&statements(&copy))
        };
        let similar = read_similar_to(session, &stated.text)?;
        let contradictions = check_new(&mut transaction, &similar, &stated, &[]);
        if !contradictions.is_empty() {
            mark_id(&mut transaction, &file, &copy)?;
        }
        transaction.commit()?;
        Ok(WrittenEntry {
            done: if request.moves { "moved" } else { "promoted" },
            kind,
            name: copy.name(),
            text: copy.full_text(),
            id: copy.id,
            source: file.path,
            fact: None,
            from: Some(format!("{} of {}", entry.name(), document.path)),
            contradictions,
            notices: vec![],
        })
    }
}

/// Returns an error if the entry is in the file already, or if the scope says the same.
fn check_can_promote(
    known: &MemorySlice,
    document: &MemoryDocument,
    entry: &MemoryEntry,
    file: &LearningFile,
) -> Result<(), Error> {
    if document.path == file.path {
        let message = format!("{} is in {} already", entry.name(), file.path);
        return Err(Error::bad_input(message).hint("name another scope"));
    }
    let same = find_duplicate(known, entry.kind, &file.selectors, &statements(entry), true);
    match same.filter(|(_, same)| same.id != entry.id) {
        Some((document, same)) => Err(Error::bad_input(format!(
            "{} says the same as {} of {}:{}",
            entry.name(),
            same.name(),
            document.path,
            same.line
        ))),
        None => Ok(()),
    }
}

/// Returns the title and the text of the copy. An entry without a title is titled by its opening.
fn title_and_text(entry: &MemoryEntry, typed: Option<&str>) -> Result<(String, String), Error> {
    let own = entry.title.clone().unwrap_or_else(|| present::opening(&entry.text));
    let title = require_title(typed.unwrap_or(&own), "the copy needs a title")?;
    let text = match entry.title {
        Some(_) => entry.text.clone(),
        None => entry.full_text(),
    };
    Ok((title, text))
}
