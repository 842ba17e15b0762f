//! Finds documents by the names that people and other documents use.

use heirloom_core::adr::Adr;
use heirloom_core::conflict::NameLookup;
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::{Hierarchy, Selectors};
use heirloom_core::name::{self, Match};
use heirloom_core::recall::{split_section_name, strip_section_prefix};
use heirloom_core::{Document, adr, path};
use heirloom_store::layout::HierarchyDocument;

use super::entry::CatalogEntry;
use super::name_index::{keys, number_of};
use super::read::Catalog;
use crate::workspace::documents::{CachedEntries, ReadScope};
use crate::{Error, Session};

/// Limits the chains that are read selectively; with more of them, reading everything is faster.
const MAX_CHAINS: usize = 16;

/// Returns which documents have to be read to show the direct relations of the document that a typed
/// name refers to. That is everything, unless it is a plan, an agent or a document of one of these.
fn needs_of(hierarchy: &Hierarchy, placed: &[HierarchyDocument], typed: &str) -> ReadScope {
    let last = typed.rsplit('/').next().unwrap_or(typed).to_lowercase();
    let number = number_of(&last);
    let may_match = |placed: &&HierarchyDocument| {
        let has_name = |name: &String| {
            name.to_lowercase() == last || number.is_some() && number_of(name) == number
        };
        placed.document.path == typed
            || placed.selectors.last().is_some_and(|(_, name)| has_name(name))
    };
    // The relations of a project depend on which plans name it, so all plans have to be read.
    let needs_everything = |placed: &HierarchyDocument| {
        let level = hierarchy.level(&placed.level);
        placed.selectors.is_empty() || level.is_none_or(|level| level.named_by.is_some())
    };
    let mut chains: Vec<Selectors> = Vec::new();
    for placed in placed.iter().filter(may_match) {
        if needs_everything(placed) || chains.len() == MAX_CHAINS {
            return ReadScope::Everything;
        }
        if !chains.contains(&placed.selectors) {
            chains.push(placed.selectors.clone());
        }
    }
    if chains.is_empty() { ReadScope::Everything } else { ReadScope::Through(chains) }
}

/// Of names with the same number, returns those that write it exactly as typed, or all of them if none
/// does: `0001` is a plan, and `001` an agent.
fn prefer_same_digits(typed: &str, found: Vec<String>) -> Vec<String> {
    let has_same_digits = |name: &String| name::leading_number(name) == Some(typed);
    let (same, others): (Vec<String>, Vec<String>) = found.into_iter().partition(has_same_digits);
    if same.is_empty() { others } else { same }
}

impl Catalog {
    /// Reads the documents that the direct relations of one document depend on. Of the others, only
    /// the paths and the references are read.
    pub(crate) fn read_neighbourhood(
        session: &Session,
        typed: &str,
    ) -> Result<(Self, CachedEntries), Error> {
        let mut needs = ReadScope::Everything;
        let (catalog, cached_entries) = Self::read_outlines(session, |hierarchy, placed| {
            needs = needs_of(hierarchy, placed, typed);
            needs.clone()
        })?;
        // The name may have matched a document whose surroundings were not read.
        match catalog
            .find(typed)
            .is_ok_and(|catalog_entry| !needs.includes_chain(&catalog_entry.selectors))
        {
            true => Self::read_without_text(session),
            false => Ok((catalog, cached_entries)),
        }
    }

    /// Finds the document that a name in `depends_on` refers to. In an agent's document, the agents of the
    /// same plan come first.
    pub(super) fn by_name(&self, from: &Document, typed: &str) -> NameLookup {
        let mut found = keys(typed).into_iter().map(|key| self.by_key(from, &key));
        found.find(|found| *found != NameLookup::NotFound).unwrap_or(NameLookup::NotFound)
    }

    /// Finds the document with exactly this name, as wiki links and plain words refer to it.
    pub(super) fn by_exact_name(&self, from: &Document, name: &str) -> NameLookup {
        self.by_key(from, &name.to_lowercase())
    }

    fn by_key(&self, from: &Document, key: &str) -> NameLookup {
        let plan = self
            .find_by_path(&from.path)
            .and_then(|catalog_entry| catalog_entry.selectors.get("plan"));
        let agents = plan.and_then(|plan| self.names.agents.get(&(plan.clone(), key.to_owned())));
        match agents.or_else(|| self.names.common.get(key)).map(Vec::as_slice) {
            Some([one]) => NameLookup::Document(self.entries[*one].document.path.clone()),
            Some(_) => NameLookup::Ambiguous,
            None => NameLookup::NotFound,
        }
    }

    /// Finds a document by its id, its path, an ADR's id, the name of a plan or a file's stem.
    pub fn find(&self, typed: &str) -> Result<&CatalogEntry, Error> {
        match self.find_all(typed)?.as_slice() {
            [one] => Ok(one),
            [] => {
                let all: Vec<String> = self
                    .entries
                    .iter()
                    .flat_map(|catalog_entry| [catalog_entry.id.clone(), catalog_entry.own_name()])
                    .collect();
                Err(Error::not_found(
                    format!("there is no document `{}`", typed.escape_default()),
                    name::nearest(typed, all.iter().map(String::as_str), 5),
                ))
            }
            several => {
                let ids = several.iter().map(|catalog_entry| catalog_entry.id.clone()).collect();
                Err(Error::not_found(format!("`{typed}` could be any of several documents"), ids)
                    .hint("use one of these ids, or a path"))
            }
        }
    }

    /// Finds the documents that a name may refer to: by id, path, an ADR's id, the name of a plan or a file's stem, or
    /// by the names of a plan and its agent (`0042/001`). Fails if it cannot be a name.
    pub(crate) fn find_all(&self, typed: &str) -> Result<Vec<&CatalogEntry>, Error> {
        // Recall refers to a section of a document as `document:docs/plan.md#2`.
        let path = strip_section_prefix(typed).unwrap_or(typed).trim_start_matches("./");
        let path = match split_section_name(typed) {
            Some((path, _)) if self.find_by_path(path).is_some() => path,
            _ => path,
        };
        let exact = self
            .find_by_path(path)
            .or_else(|| self.find_by_path(&format!(".heirloom/{path}")))
            .or_else(|| self.entries.iter().find(|catalog_entry| catalog_entry.id == typed))
            .or_else(|| self.by_project_and_adr_id(typed));
        if let Some(catalog_entry) = exact {
            return Ok(vec![catalog_entry]);
        }
        if let Some(reason) = name::unsafe_reason(typed).filter(|_| !typed.contains('/')) {
            return Err(Error::bad_input(format!(
                "`{}` cannot be the name of a document: {reason}",
                typed.escape_default()
            )));
        }
        let searches = [Self::by_adr_id, Self::by_last_name, Self::by_level_names];
        let found = searches.iter().map(|search| search(self, typed));
        Ok(found.into_iter().find(|found| !found.is_empty()).unwrap_or_default())
    }

    /// Finds a decision record by its id, path, file name or bare number.
    pub fn find_adr(&self, typed: &str) -> Result<(&CatalogEntry, &Adr), Error> {
        let records = || {
            self.entries
                .iter()
                .filter_map(|catalog_entry| Some((catalog_entry, catalog_entry.adr.as_deref()?)))
        };
        if let Some(exact) =
            records().find(|(catalog_entry, _)| catalog_entry.document.path == typed)
        {
            return Ok(exact);
        }
        let matches_name = |catalog_entry: &CatalogEntry, adr: &Adr| {
            let file = path::file_name(&adr.path);
            catalog_entry.id == typed
                || catalog_entry.id == format!("adr/{typed}")
                || file == typed
                || adr::adr_name(&adr.path) == typed
                || adr::has_id(adr, typed)
        };
        let matches: Vec<(&CatalogEntry, &Adr)> =
            records().filter(|(catalog_entry, adr)| matches_name(catalog_entry, adr)).collect();
        match matches.as_slice() {
            [one] => Ok(*one),
            [] => {
                let ids = self.adrs.iter().map(|adr| adr.id.as_str());
                let candidates = name::suggestions(typed, ids);
                let typed = typed.escape_default();
                Err(Error::not_found(format!("there is no decision record `{typed}`"), candidates))
            }
            several => {
                let ids =
                    several.iter().map(|(catalog_entry, _)| catalog_entry.id.clone()).collect();
                let message = format!("`{typed}` could be any of several decision records");
                Err(Error::not_found(message, ids).hint("use one of these ids, or a path"))
            }
        }
    }

    /// Finds the decision record of a project: `web/ADR-0007`.
    fn by_project_and_adr_id(&self, typed: &str) -> Option<&CatalogEntry> {
        let id = typed.contains('/').then(|| format!("adr/{typed}"))?;
        self.entries.iter().find(|catalog_entry| catalog_entry.id == id)
    }

    fn by_adr_id(&self, typed: &str) -> Vec<&CatalogEntry> {
        let has_prefix = typed.starts_with(|c: char| c.is_alphabetic());
        self.entries
            .iter()
            .filter(|catalog_entry| {
                has_prefix && catalog_entry.adr.as_ref().is_some_and(|adr| adr::has_id(adr, typed))
            })
            .collect()
    }

    fn by_last_name(&self, typed: &str) -> Vec<&CatalogEntry> {
        let names: Vec<(String, &CatalogEntry)> = self
            .entries
            .iter()
            .filter(|catalog_entry| {
                catalog_entry.kind != NodeKind::Memory && catalog_entry.adr.is_none()
            })
            .map(|catalog_entry| (catalog_entry.own_name(), catalog_entry))
            .collect();
        let found = match name::find(typed, names.iter().map(|(name, _)| name.as_str())) {
            Match::One(found) => vec![found],
            Match::Ambiguous(found) => prefer_same_digits(typed, found),
            Match::Unknown(_) => vec![],
        };
        names
            .into_iter()
            .filter(|(name, _)| found.contains(name))
            .map(|(_, catalog_entry)| catalog_entry)
            .collect()
    }

    /// Finds the documents of a level by the names of it and of the levels above it, or by their leading numbers:
    /// `0042/001` is an agent.
    fn by_level_names(&self, typed: &str) -> Vec<&CatalogEntry> {
        let parts: Vec<&str> = typed.split('/').collect();
        let is_named = |catalog_entry: &&CatalogEntry| {
            let names = catalog_entry.selectors.values();
            catalog_entry.kind != NodeKind::Memory
                && catalog_entry.adr.is_none()
                && names.len() == parts.len()
                && names.zip(&parts).all(|(name, typed)| name::is_name_of(typed, name))
        };
        match parts.len() {
            0 | 1 => vec![],
            _ => self.entries.iter().filter(is_named).collect(),
        }
    }
}
