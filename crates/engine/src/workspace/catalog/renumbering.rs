//! Rewrites the references to a decision record or a plan that gets another number.

use std::collections::HashSet;

use heirloom_core::conflict::{self, NameLookup};
use heirloom_core::graph::NodeKind;
use heirloom_core::path;
use heirloom_core::path::percent_decode;
use heirloom_core::renumber::{
    self, AmbiguousOccurrence, Meaning, NumberedName, Occurrence, OccurrenceForm, TextOwner,
};
use heirloom_core::supersession::Supersession;
use heirloom_store::Root;

use super::entry::CatalogEntry;
use super::plan_folder::PlanFolder;
use super::read::Catalog;

/// A document that refers to the renumbered record or plan.
#[derive(Debug)]
pub(crate) struct RenumberEdit<'c> {
    /// The document.
    pub(crate) catalog_entry: &'c CatalogEntry,
    /// The new text.
    pub(crate) after: String,
    /// The number of replaced references.
    pub(crate) replaced: usize,
    /// AmbiguousOccurrence references, which are left for a person to decide.
    pub(crate) unclear: Vec<AmbiguousOccurrence>,
}

impl Catalog {
    /// Rewrites every document that refers to a record by its file or its number.
    pub(crate) fn renumber_adr_document(
        &self,
        record: &CatalogEntry,
        name: &NumberedName,
        number: u32,
    ) -> Vec<RenumberEdit<'_>> {
        let supersession = Supersession::new(&self.adrs);
        let path = &record.document.path;
        let owner = |catalog_entry: &CatalogEntry| match &catalog_entry.adr {
            Some(adr) if adr.path == *path => TextOwner::This,
            Some(adr) if adr.number == Some(name.number()) => TextOwner::SameNumber,
            _ => TextOwner::Other,
        };
        self.rewrite(name, number, &owner, &|catalog_entry, found| {
            self.resolve_record(&supersession, catalog_entry, found, path)
        })
    }

    /// Rewrites every document that refers to a plan by its folder or its number.
    pub(crate) fn renumber_plan(
        &self,
        root: &Root,
        plans: &PlanFolder,
        plan: &str,
        name: &NumberedName,
        number: u32,
    ) -> Vec<RenumberEdit<'_>> {
        let supersession = Supersession::new(&self.adrs);
        let has_number = |other: &str| {
            NumberedName::of_plan(other).is_some_and(|other| other.number() == name.number())
        };
        let owner = |catalog_entry: &CatalogEntry| match catalog_entry.selectors.get("plan") {
            Some(other) if catalog_entry.kind == NodeKind::Plan && other == plan => TextOwner::This,
            Some(other) if catalog_entry.kind == NodeKind::Plan && has_number(other) => {
                TextOwner::SameNumber
            }
            _ => TextOwner::Other,
        };
        let folder = plans.folder_of(plan);
        let is_unique = plans.names.iter().filter(|other| has_number(other)).count() == 1;
        self.rewrite(name, number, &owner, &|catalog_entry, found| match found.form {
            OccurrenceForm::Name => {
                self.resolve_plan_name(root, &supersession, catalog_entry, found.written, &folder)
            }
            OccurrenceForm::Number => {
                self.resolve_plan_number(catalog_entry, found, &folder, is_unique)
            }
        })
    }

    fn rewrite(
        &self,
        name: &NumberedName,
        number: u32,
        owner: &dyn Fn(&CatalogEntry) -> TextOwner,
        meaning: &dyn Fn(&CatalogEntry, &Occurrence<'_>) -> Meaning,
    ) -> Vec<RenumberEdit<'_>> {
        let mut seen = HashSet::new();
        let distinct = self
            .entries
            .iter()
            .filter(|catalog_entry| seen.insert(catalog_entry.document.path.as_str()));
        distinct
            .filter_map(|catalog_entry| {
                let rewritten = renumber::rewrite(
                    &catalog_entry.text,
                    name,
                    number,
                    owner(catalog_entry),
                    &|found| meaning(catalog_entry, found),
                );
                let is_affected =
                    rewritten.replacement_count > 0 || !rewritten.ambiguous.is_empty();
                is_affected.then_some(RenumberEdit {
                    catalog_entry,
                    after: rewritten.text,
                    replaced: rewritten.replacement_count,
                    unclear: rewritten.ambiguous,
                })
            })
            .collect()
    }

    /// Decides whether a reference refers to the record at a path.
    fn resolve_record(
        &self,
        supersession: &Supersession<'_>,
        from: &CatalogEntry,
        found: &Occurrence<'_>,
        record: &str,
    ) -> Meaning {
        let from_path = from.document.path.as_str();
        let written = match found.form {
            OccurrenceForm::Name => Some(found.written),
            OccurrenceForm::Number => found.link,
        };
        let linked = written.and_then(|written| {
            let paths = candidate_paths(from_path, written, record);
            paths.iter().find_map(|path| supersession.index_of_path(path))
        });
        if let Some(at) = linked {
            return if self.adrs[at].path == record { Meaning::This } else { Meaning::Other };
        }
        if written.is_some_and(is_url) {
            return Meaning::Other;
        }
        let adr = supersession.index_of_path(record).map(|at| &self.adrs[at]);
        let Some(adr) = adr else { return Meaning::Other };
        let same_name: Vec<usize> = match found.form {
            OccurrenceForm::Name => supersession.indexes_with_stem(path::stem(record)).to_vec(),
            OccurrenceForm::Number if !supersession.indexes_with_stem(found.written).is_empty() => {
                return Meaning::Other;
            }
            OccurrenceForm::Number => {
                let prefix = |id: &str| id.split('-').next().unwrap_or_default().to_owned();
                adr.number
                    .into_iter()
                    .flat_map(|number| supersession.indexes_with_number(number))
                    .filter(|&at| prefix(&self.adrs[at].id) == prefix(&adr.id))
                    .collect()
            }
        };
        let nearby: Vec<usize> = same_name
            .iter()
            .copied()
            .filter(|&at| conflict::is_near(from_path, &self.adrs[at].path))
            .collect();
        let matching = if nearby.is_empty() { same_name } else { nearby };
        match matching.as_slice() {
            [one] if self.adrs[*one].path == record => Meaning::This,
            several if several.iter().any(|&at| self.adrs[at].path == record) => Meaning::Ambiguous,
            _ => Meaning::Other,
        }
    }

    /// Decides whether a reference by name refers to the plan with a folder.
    fn resolve_plan_name(
        &self,
        root: &Root,
        supersession: &Supersession<'_>,
        from: &CatalogEntry,
        written: &str,
        folder: &str,
    ) -> Meaning {
        let is_in_plan = |path: &String| {
            path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let paths = candidate_paths(&from.document.path, written, "");
        let has_path = written.contains('/');
        let is_other =
            |path: &String| self.find_by_path(path).is_some() || has_path && root.exists(path);
        if paths.iter().any(is_in_plan) {
            Meaning::This
        } else if is_url(written) || paths.iter().any(is_other) {
            Meaning::Other
        } else if supersession.indexes_with_stem(path::file_name(folder)).is_empty() {
            Meaning::This
        } else {
            Meaning::Ambiguous
        }
    }

    /// Decides whether a reference by number refers to the plan with a folder.
    fn resolve_plan_number(
        &self,
        from: &CatalogEntry,
        found: &Occurrence<'_>,
        folder: &str,
        is_unique: bool,
    ) -> Meaning {
        let is_bare = found.written.bytes().all(|byte| byte.is_ascii_digit());
        if !is_bare {
            return if is_unique { Meaning::This } else { Meaning::Ambiguous };
        }
        // In `depends_on` of an agent, a bare number refers to an agent of the same plan first.
        match self.by_name(&from.document, found.written) {
            NameLookup::Document(path) if path::folder(&path) == folder => Meaning::This,
            NameLookup::Ambiguous => Meaning::Ambiguous,
            NameLookup::Document(_) | NameLookup::NotFound => Meaning::Other,
        }
    }
}

/// Returns the paths that a written path may refer to: relative to its document and to the root, with
/// and without the extension that wiki links omit. The extension is that of `like`.
fn candidate_paths(from: &str, written: &str, like: &str) -> Vec<String> {
    let target = percent_decode(written.split(['#', '?']).next().unwrap_or(written));
    let extension = like.rsplit_once('.').map_or("md", |(_, extension)| extension);
    let with_extension = format!("{target}.{extension}");
    [target, with_extension]
        .iter()
        .flat_map(|target| [path::resolve_link(from, target), path::resolve_link("", target)])
        .flatten()
        .collect()
}

/// Returns whether a written target is a URL, or the rest of one after its scheme: `//example.org/…`.
fn is_url(written: &str) -> bool {
    written.starts_with("//") || written.contains("://")
}
