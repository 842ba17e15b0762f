//! Resolves typed ids to records and entries.

use heirloom_core::Hint;
use heirloom_core::fold::{IdMatch, Standing};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::record::{Body, Referent};
use uuid::Uuid;

use super::MemorySlice;
use crate::Error;
use crate::workspace::memory_document::MemoryDocument;

/// Minimum length of the last characters of an entry's id that stand for it.
const MIN_ID_SUFFIX_BYTES: usize = 4;

/// Maximum length of a candidate's text.
const CANDIDATE_MAX_CHARS: usize = 60;

/// The memory that a typed id stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MemoryTarget<'r> {
    /// A record of the log.
    Record(Uuid),
    /// An entry of a memory document.
    Entry(&'r MemoryDocument, &'r MemoryEntry),
}

impl MemoryTarget<'_> {
    /// Returns what the log refers to it by.
    pub(crate) fn referent(&self) -> Referent {
        match self {
            MemoryTarget::Record(id) => Referent::Record(*id),
            MemoryTarget::Entry(_, entry) => Referent::entry(&entry.id),
        }
    }
}

impl MemorySlice {
    /// Resolves a typed id: the id of a record or its last characters, the id of an entry, or a path
    /// such as `plan/agent/finding-3`.
    pub(crate) fn find(&self, typed: &str) -> Result<MemoryTarget<'_>, Error> {
        let typed = typed.trim();
        let id = Referent::strip_entry_prefix(typed).to_lowercase();
        let mut found: Vec<MemoryTarget<'_>> = match self.memory.find(&id) {
            IdMatch::One(id) => vec![MemoryTarget::Record(id)],
            IdMatch::Several(ids) => ids.into_iter().map(MemoryTarget::Record).collect(),
            IdMatch::Missing => vec![],
        };
        let entries: Vec<MemoryTarget<'_>> = self.entries_where(|_, entry| entry.id == id);
        if !entries.is_empty() {
            found = entries;
        } else if id.len() >= MIN_ID_SUFFIX_BYTES {
            found.extend(self.entries_where(|_, entry| entry.id.ends_with(&id)));
        }
        if found.is_empty() {
            found = self.find_by_path(typed);
        }
        match found.as_slice() {
            [one] => Ok(*one),
            [] if self.is_purged(&id) => {
                Err(Error::not_found(format!("`{typed}` was purged"), vec![]))
            }
            [] => Err(Error::not_found(
                format!("there is no memory with the id `{}`", typed.escape_default()),
                vec![],
            )
            .hint(
                Hint::default()
                    .operation("memory_recall")
                    .then(" and ")
                    .operation("memory_query")
                    .then(" show ids, of which the last 8 characters suffice; an entry can also be named like plan/agent/finding-3"),
            )),
            several => Err(Error::not_found(
                format!("`{typed}` could be any of several memories"),
                several.iter().map(|target| self.candidate(target)).collect(),
            )
            .hint("type more of the id; an entry can also be named like plan/agent/finding-3")),
        }
    }

    /// Returns whether a typed id, or the end of one, is that of a purged record.
    pub(crate) fn is_purged(&self, typed: &str) -> bool {
        typed.len() >= MIN_ID_SUFFIX_BYTES
            && self.memory.records().any(|record| match &record.body {
                Body::Tombstone(tombstone) => {
                    let purged = tombstone.purged.record_id();
                    purged.is_some_and(|id| id.to_string().ends_with(typed))
                }
                _ => false,
            })
    }

    /// Resolves a typed id to a memory that was not superseded, since an action on a superseded one
    /// would fork its history or have no effect.
    pub(crate) fn find_unsuperseded(&self, typed: &str) -> Result<MemoryTarget<'_>, Error> {
        let target = self.find(typed)?;
        let referent = target.referent();
        if self.memory.standing(&referent) != Standing::Superseded {
            return Ok(target);
        }
        let heads = self.memory.heads(&referent);
        let candidates: Vec<String> = heads
            .iter()
            .filter_map(|head| self.item(head))
            .map(|item| format!("{} {}", item.short_id(), truncate(&item.text)))
            .collect();
        Err(Error::not_found(format!("`{typed}` was superseded"), candidates)
            .hint("use the id of the memory that superseded it"))
    }

    /// Resolves a typed id to a record; an entry is an error.
    pub(crate) fn find_record(&self, typed: &str) -> Result<Uuid, Error> {
        match self.find(typed)? {
            MemoryTarget::Record(id) => Ok(id),
            MemoryTarget::Entry(document, entry) => Err(Error::bad_input(format!(
                "`{typed}` is {} in {}, not a record of the log",
                entry.name(),
                document.path
            ))),
        }
    }

    fn entries_where(
        &self,
        predicate: impl Fn(&MemoryDocument, &MemoryEntry) -> bool,
    ) -> Vec<MemoryTarget<'_>> {
        self.entries()
            .filter(|(document, entry)| predicate(document, entry))
            .map(|(document, entry)| MemoryTarget::Entry(document, entry))
            .collect()
    }

    /// Finds entries by a path such as `0042/001/finding-3` or `0042/lesson-1`, whose parts are names of
    /// levels or their leading numbers.
    fn find_by_path(&self, typed: &str) -> Vec<MemoryTarget<'_>> {
        let parts: Vec<&str> = typed.split('/').collect();
        let Some((name, owners)) = parts.split_last().filter(|(_, owners)| !owners.is_empty())
        else {
            return vec![];
        };
        let is_name = heirloom_core::name::is_name_of;
        self.entries_where(|document, entry| {
            entry.name() == *name
                && document.selectors.len() == owners.len()
                && document.selectors.values().zip(owners).all(|(name, typed)| is_name(typed, name))
        })
    }

    /// Describes a candidate of an ambiguous id.
    fn candidate(&self, target: &MemoryTarget<'_>) -> String {
        match target {
            MemoryTarget::Record(id) => {
                let text = self.memory.record(*id).map(|record| record.text().into_owned());
                format!("{id} {}", truncate(&text.unwrap_or_default()))
            }
            MemoryTarget::Entry(document, entry) => {
                format!("{} {} in {}:{}", entry.id, entry.name(), document.path, entry.line)
            }
        }
    }
}

/// Truncates a text for a list of candidates.
fn truncate(text: &str) -> String {
    let first: String = text.chars().take(CANDIDATE_MAX_CHARS).collect();
    if first.len() < text.len() { format!("{first}…") } else { first }
}
