//! `retrieve learnings`: the decisions and lessons of a scope.

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::memory::{EntryKind, MemoryEntries, MemoryEntry, learning};
use heirloom_core::record::Referent;
use heirloom_core::{Problem, day, parallel};
use heirloom_store::Root;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{HiddenCount, Retrieval};
use super::entries::{EntryMeta, LearningEntry, Tier};
use super::request::{AnswerOptions, FilterRequest, Filters, ScopeRequest, ScopeSelection};
use crate::memory::MemoryQuery;
use crate::workspace::scopes::ScopePath;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct RetrieveLearnings;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    scope: ScopeRequest,
    #[serde(flatten)]
    filters: FilterRequest,
    /// Only entries of this category.
    #[serde(default)]
    category: Option<String>,
    /// How much of each entry: T0 its title, T1 and T2 all of it (the default).
    #[serde(default)]
    tier: Option<Tier>,
    #[serde(flatten)]
    options: AnswerOptions,
}

impl Operation for RetrieveLearnings {
    type Request = Request;
    type Response = Retrieval;
    const SPEC: Spec = Spec {
        name: "retrieve_learnings",
        usage: "retrieve learnings",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List the decisions and lessons of a workspace, a domain or a repository, those of the nearest scope first; those of the scopes around it hold too.",
    };

    fn run(session: &Session, request: Request) -> Result<Retrieval, Error> {
        let selected = request.scope.select(session)?;
        let filters = request.filters.combine(vec![], request.category);
        filters.refuse_status()?;
        let found = read(session, &selected, &filters, request.tier)?;
        let answer = Retrieval {
            decisions: Some(found.decisions),
            lessons: Some(found.lessons),
            not_shown: found.hidden,
            problems: found.problems,
            ..Retrieval::default()
        };
        request.options.complete(session, selected.scope, answer)
    }
}

/// The decisions and lessons that hold in a scope.
#[derive(Debug, Default)]
pub(super) struct Learnings {
    pub(super) decisions: Vec<LearningEntry>,
    pub(super) lessons: Vec<LearningEntry>,
    pub(super) hidden: HiddenCount,
    pub(super) problems: Vec<Problem>,
}

/// Reads the decisions and lessons that hold in a scope: its own first, then those of the scopes in it, then those of the
/// scopes around it, the nearest first. Without a scope there are none.
pub(super) fn read(
    session: &Session,
    selected: &ScopeSelection<'_>,
    filters: &Filters,
    tier: Option<Tier>,
) -> Result<Learnings, Error> {
    let ScopeSelection { scopes, scope, within } = selected;
    let around = scope.iter().flat_map(ScopePath::ancestors);
    let places: Vec<ScopePath> = within.iter().cloned().chain(around).collect();
    let mut learnings = Learnings::default();
    let files = learning::FILES.into_iter().flat_map(|(kind, name)| {
        places.iter().filter_map(move |scope| Some((kind, scope, scopes.file(scope, name)?)))
    });
    let files: Vec<(EntryKind, &ScopePath, String)> = files.collect();
    let root = session.root();
    let read = parallel::map(&files, MIN_PARALLEL_FILES, |(kind, _, path)| {
        ParsedFile::read(root, *kind, path)
    });
    let memory = read_log_if_needed(session, read.iter().flatten(), &mut learnings.problems);
    for ((kind, scope, path), file) in files.into_iter().zip(read) {
        let Some(file) = file else { continue };
        learnings.problems.extend(file.content.problems);
        let list = match kind {
            EntryKind::Lesson => &mut learnings.lessons,
            _ => &mut learnings.decisions,
        };
        let is_wanted = |shown: &LearningEntry| {
            filters.accept_tags(&shown.tags) && filters.accept_category(shown.category.as_deref())
        };
        for entry in &file.content.entries {
            match standing(memory.as_ref(), entry) {
                Standing::Active | Standing::Expired => {
                    let shown = learning_entry(entry, scope, &path, tier);
                    list.extend(Some(shown).filter(is_wanted));
                }
                Standing::Archived => learnings.hidden.archived += 1,
                Standing::Superseded => {
                    learnings.hidden.superseded += 1;
                    for successor in find_successors(memory.as_ref(), entry) {
                        let shown = successor_entry(&successor, entry, scope);
                        // One record may supersede several entries.
                        let id = &shown.meta.document_id;
                        let is_listed = list.iter().any(|other| other.meta.document_id == *id);
                        list.extend(Some(shown).filter(|shown| !is_listed && is_wanted(shown)));
                    }
                }
            }
        }
    }
    Ok(learnings)
}

/// From this many files on, files are read in parallel.
const MIN_PARALLEL_FILES: usize = 8;

/// A file with decisions or lessons, as it was read.
struct ParsedFile {
    /// Whether records may refer to an entry of it.
    has_written_ids: bool,
    content: MemoryEntries,
}

impl ParsedFile {
    /// Reads a file; `None` if it does not exist.
    fn read(root: &Root, kind: EntryKind, path: &str) -> Option<Self> {
        match root.read(path) {
            Ok(None) => None,
            Ok(Some(text)) => Some(ParsedFile {
                has_written_ids: text.contains(WRITTEN_ID),
                content: learning::read(path, kind, &text),
            }),
            Err(problem) => {
                let content = MemoryEntries { entries: vec![], problems: vec![problem] };
                Some(ParsedFile { has_written_ids: false, content })
            }
        }
    }
}

/// What the comment with the id of an entry begins with. Records refer only to entries with such a comment.
const WRITTEN_ID: &str = "<!-- id:";

/// Reads what the log says about entries, if it may say anything.
fn read_log_if_needed<'f>(
    session: &Session,
    files: impl Iterator<Item = &'f ParsedFile>,
    problems: &mut Vec<Problem>,
) -> Option<Memory> {
    let referents: Vec<Referent> = files
        .filter(|file| file.has_written_ids)
        .flat_map(|file| &file.content.entries)
        .filter(|entry| entry.has_stored_id())
        .map(|entry| Referent::entry(&entry.id))
        .collect();
    if referents.is_empty() {
        return None;
    }
    let query = MemoryQuery::new().referents_without_relations(referents);
    let (memory, found) = query.read_log(session);
    problems.extend(found);
    Some(memory)
}

fn standing(memory: Option<&Memory>, entry: &MemoryEntry) -> Standing {
    memory.map_or(Standing::Active, |memory| memory.standing(&Referent::entry(&entry.id)))
}

/// Returns the active records that superseded an entry.
fn find_successors<'m>(memory: Option<&'m Memory>, entry: &MemoryEntry) -> Vec<Item<'m>> {
    let Some(memory) = memory else { return vec![] };
    let heads = memory.heads(&Referent::entry(&entry.id)).into_iter();
    let items = heads.filter_map(|head| memory.item(head.record_id()?));
    items.filter(|item| item.standing == Standing::Active).collect()
}

/// Makes an entry of a record that superseded another entry: it holds in the same scope.
fn successor_entry(successor: &Item<'_>, entry: &MemoryEntry, scope: &ScopePath) -> LearningEntry {
    let record = successor.record;
    let tags = if record.tags.is_empty() { &entry.tags } else { &record.tags };
    LearningEntry {
        title: None,
        content: record.text().into_owned(),
        date: Some(day::of_timestamp(record.at).to_string()),
        category: entry.category.clone(),
        tags: tags.clone(),
        scope: scope.to_string(),
        meta: EntryMeta {
            document_path: successor.place.path.to_string(),
            document_id: successor.id.to_string(),
        },
    }
}

fn learning_entry(
    entry: &MemoryEntry,
    scope: &ScopePath,
    path: &str,
    tier: Option<Tier>,
) -> LearningEntry {
    let title = entry.title.clone().filter(|title| !title.is_empty());
    let text = entry.text.trim();
    let content = match (&title, tier) {
        (Some(title), Some(Tier::T0)) => title.clone(),
        (Some(title), _) if text.is_empty() => title.clone(),
        _ => text.to_owned(),
    };
    LearningEntry {
        title: title.filter(|title| *title != content),
        content,
        date: entry.date().map(|date| date.to_string()),
        category: entry.category.clone(),
        tags: entry.tags.clone(),
        scope: scope.to_string(),
        meta: EntryMeta { document_path: path.to_owned(), document_id: entry.id.clone() },
    }
}
