//! Which record, entry or document is meant.

use heirloom_core::fold::{Found, Standing};
use heirloom_core::memory::Entry;
use heirloom_core::record::{short, short_ids};
use uuid::Uuid;

use super::MemorySlice;
use crate::Error;
use crate::workspace::memory_document::{MemoryDocument, entry_ref};

/// What was meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MemoryTarget<'r> {
    /// A record of the log.
    Record(Uuid),
    /// An entry of a memory document.
    Entry(&'r MemoryDocument, &'r Entry),
}

impl MemorySlice {
    /// Finds what a typed id means: a record by its id or the end of it, an entry by its id, or by
    /// `plan/agent/finding-3`.
    pub(crate) fn find(&self, typed: &str) -> Result<MemoryTarget<'_>, Error> {
        let typed = typed.trim();
        let bare = typed.strip_prefix("entry:").unwrap_or(typed).to_lowercase();
        let mut found: Vec<MemoryTarget<'_>> = match self.memory.find(&bare) {
            Found::One(id) => vec![MemoryTarget::Record(id)],
            Found::Several(ids) => ids.into_iter().map(MemoryTarget::Record).collect(),
            Found::Nothing => vec![],
        };
        let whole: Vec<MemoryTarget<'_>> = self.entries_where(|_, entry| entry.id == bare);
        if !whole.is_empty() {
            found = whole;
        } else if bare.len() >= 4 {
            found.extend(self.entries_where(|_, entry| entry.id.ends_with(&bare)));
        }
        if found.is_empty() {
            found = self.by_path(typed);
        }
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(Error::not_found(
                format!("nothing is remembered under `{}`", typed.escape_default()),
                vec![],
            )
            .hint("`heir recall` and `heir fact list` show ids, whose last 8 characters will do; an entry is also called plan/agent/finding-3")),
            several => Err(Error::not_found(
                format!("`{typed}` could be any of several"),
                several.iter().map(|target| self.candidate(target)).collect(),
            )
            .hint("type more of the id; an entry is also called plan/agent/finding-3")),
        }
    }

    /// Finds what a typed id means, which must not have been replaced already: acting on what nobody
    /// builds on any more would fork the history, or do nothing.
    pub(crate) fn find_standing(&self, typed: &str) -> Result<MemoryTarget<'_>, Error> {
        let target = self.find(typed)?;
        let name = match target {
            MemoryTarget::Record(id) => id.to_string(),
            MemoryTarget::Entry(_, entry) => entry_ref(&entry.id),
        };
        if self.memory.standing(&name) != Standing::Superseded {
            return Ok(target);
        }
        let heads = self.memory.heads(&name);
        let named: Vec<String> = heads
            .iter()
            .filter_map(|head| self.thing(head))
            .map(|thing| format!("{} {}", Self::short_name(&thing.id), shortened(&thing.text)))
            .collect();
        Err(Error::not_found(format!("`{typed}` was superseded"), named)
            .hint("name what stands in its place"))
    }

    /// Finds a record by its id.
    pub(crate) fn find_record(&self, typed: &str) -> Result<Uuid, Error> {
        match self.find(typed)? {
            MemoryTarget::Record(id) => Ok(id),
            MemoryTarget::Entry(document, entry) => Err(Error::bad_input(format!(
                "`{typed}` is {} in {}, and no record of the log",
                entry.name(),
                document.path
            ))),
        }
    }

    fn entries_where(
        &self,
        wanted: impl Fn(&MemoryDocument, &Entry) -> bool,
    ) -> Vec<MemoryTarget<'_>> {
        self.entries()
            .filter(|(document, entry)| wanted(document, entry))
            .map(|(document, entry)| MemoryTarget::Entry(document, entry))
            .collect()
    }

    /// `0042/001/finding-3`, `0042/lesson-1`: names or leading numbers.
    fn by_path(&self, typed: &str) -> Vec<MemoryTarget<'_>> {
        let parts: Vec<&str> = typed.split('/').collect();
        let Some((name, owners)) = parts.split_last().filter(|(_, owners)| !owners.is_empty())
        else {
            return vec![];
        };
        let is = |own: &str, typed: &str| {
            use heirloom_core::name::{Match, find};
            matches!(find(typed, [own]), Match::One(_))
        };
        self.entries_where(|document, entry| {
            entry.name() == *name
                && document.selectors.len() == owners.len()
                && document.selectors.values().zip(owners).all(|(own, typed)| is(own, typed))
        })
    }

    fn candidate(&self, target: &MemoryTarget<'_>) -> String {
        match target {
            MemoryTarget::Record(id) => {
                let text = self.memory.record(*id).map(|record| record.text().into_owned());
                format!("{id} {}", shortened(&text.unwrap_or_default()))
            }
            MemoryTarget::Entry(document, entry) => {
                format!("{} {} in {}:{}", entry.id, entry.name(), document.path, entry.line)
            }
        }
    }

    /// Returns the short forms of names that are shown together, each long enough to tell it apart.
    pub(crate) fn short_names<'i>(names: impl IntoIterator<Item = &'i str>) -> Vec<&'i str> {
        let bare = |name: &'i str| name.split_once(':').map_or(name, |(_, id)| id);
        let names: Vec<&str> = names.into_iter().collect();
        let bares: Vec<&str> = names.iter().map(|name| bare(name)).collect();
        let shorts = short_ids(&bares);
        let shown = names.iter().zip(bares.iter().zip(shorts));
        shown.map(|(name, (bare, short))| if name.contains(':') { *bare } else { short }).collect()
    }

    /// Returns the short form of a stored name.
    pub(crate) fn short_name(name: &str) -> &str {
        match name.split_once(':') {
            Some((_, id)) => id,
            None => short(name),
        }
    }
}

fn shortened(text: &str) -> String {
    let first: String = text.chars().take(60).collect();
    if first.len() < text.len() { format!("{first}…") } else { first }
}
