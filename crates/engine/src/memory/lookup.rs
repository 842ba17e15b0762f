//! Resolves typed ids to records and entries.

use heirloom_core::fold::{IdMatch, Standing};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::record::{short_id, short_ids};
use uuid::Uuid;

use super::MemorySlice;
use crate::Error;
use crate::workspace::memory_document::{MemoryDocument, entry_ref};

/// Minimum length of the last characters of an entry's id that stand for it.
const ID_SUFFIX_MIN_BYTES: usize = 4;

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

impl MemorySlice {
    /// Resolves a typed id: the id of a record or its last characters, the id of an entry, or a path
    /// such as `plan/agent/finding-3`.
    pub(crate) fn find(&self, typed: &str) -> Result<MemoryTarget<'_>, Error> {
        let typed = typed.trim();
        let id = typed.strip_prefix("entry:").unwrap_or(typed).to_lowercase();
        let mut found: Vec<MemoryTarget<'_>> = match self.memory.find(&id) {
            IdMatch::One(id) => vec![MemoryTarget::Record(id)],
            IdMatch::Several(ids) => ids.into_iter().map(MemoryTarget::Record).collect(),
            IdMatch::Missing => vec![],
        };
        let entries: Vec<MemoryTarget<'_>> = self.entries_where(|_, entry| entry.id == id);
        if !entries.is_empty() {
            found = entries;
        } else if id.len() >= ID_SUFFIX_MIN_BYTES {
            found.extend(self.entries_where(|_, entry| entry.id.ends_with(&id)));
        }
        if found.is_empty() {
            found = self.find_by_path(typed);
        }
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(Error::not_found(
                format!("there is no memory with the id `{}`", typed.escape_default()),
                vec![],
            )
            .hint("`heir recall` and `heir fact list` show ids, of which the last 8 characters suffice; an entry can also be named like plan/agent/finding-3")),
            several => Err(Error::not_found(
                format!("`{typed}` could be any of several memories"),
                several.iter().map(|target| self.candidate(target)).collect(),
            )
            .hint("type more of the id; an entry can also be named like plan/agent/finding-3")),
        }
    }

    /// Resolves a typed id to a memory that was not superseded, since an action on a superseded one
    /// would fork its history or have no effect.
    pub(crate) fn find_unsuperseded(&self, typed: &str) -> Result<MemoryTarget<'_>, Error> {
        let target = self.find(typed)?;
        let name = match target {
            MemoryTarget::Record(id) => id.to_string(),
            MemoryTarget::Entry(_, entry) => entry_ref(&entry.id),
        };
        if self.memory.standing(&name) != Standing::Superseded {
            return Ok(target);
        }
        let heads = self.memory.heads(&name);
        let candidates: Vec<String> = heads
            .iter()
            .filter_map(|head| self.item(head))
            .map(|item| format!("{} {}", Self::short_name(&item.id), truncate(&item.text)))
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
        let is_name = |typed: &str, name: &str| {
            use heirloom_core::name::{Match, find};
            matches!(find(typed, [name]), Match::One(_))
        };
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

    /// Shortens names that are shown together, each to a length at which it is unambiguous.
    pub(crate) fn short_names<'i>(names: impl IntoIterator<Item = &'i str>) -> Vec<&'i str> {
        let without_prefix = |name: &'i str| name.split_once(':').map_or(name, |(_, id)| id);
        let names: Vec<&str> = names.into_iter().collect();
        let ids: Vec<&str> = names.iter().map(|name| without_prefix(name)).collect();
        let short = short_ids(&ids);
        let names = names.iter().zip(ids.iter().zip(short));
        names.map(|(name, (id, short))| if name.contains(':') { *id } else { short }).collect()
    }

    /// Shortens a stored name for display.
    pub(crate) fn short_name(name: &str) -> &str {
        match name.split_once(':') {
            Some((_, id)) => id,
            None => short_id(name),
        }
    }
}

/// Truncates a text for a list of candidates.
fn truncate(text: &str) -> String {
    let first: String = text.chars().take(CANDIDATE_MAX_CHARS).collect();
    if first.len() < text.len() { format!("{first}…") } else { first }
}
