//! Finds duplicate numbers, which arise when two branches each take the next one.

use std::collections::{BTreeMap, BTreeSet};

use heirloom_core::adr::{self, Adr};
use heirloom_core::conflict::{Conflict, ConflictKind, Severity};
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::Hierarchy;
use heirloom_core::renumber::NumberedName;
use heirloom_core::{Hint, name, path};
use heirloom_store::{Config, Root, adrs};

use super::entry::CatalogEntry;
use super::plan_folder::PlanFolder;
use super::read::Catalog;
use crate::{Error, Session};

impl Catalog {
    /// Finds decision records and plans that share a number. Numbers are unique per folder: each project
    /// and each configured folder is numbered separately.
    pub(super) fn duplicates(&self, session: &Session) -> Result<Vec<Conflict>, Error> {
        let mut conflicts = duplicate_records(session.root(), session.config()?, &self.entries);
        conflicts.extend(duplicate_plans(session.root(), &self.hierarchy, &self.entries));
        Ok(conflicts)
    }
}

fn duplicate_records(
    root: &Root,
    config: &Config,
    catalog_entry: &[CatalogEntry],
) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for ((folder, ..), same) in records_by_number(catalog_entry) {
        let Some((first, others)) = same.split_first().filter(|(_, others)| !others.is_empty())
        else {
            continue;
        };
        let free_numbers = adrs::next_number(root, config, folder)..;
        let others = others.iter().zip(free_numbers);
        conflicts.extend(others.map(|(adr, number)| record_conflict(adr, first, number)));
    }
    conflicts
}

/// Groups the decision records by folder, prefix and number.
fn records_by_number(catalog_entry: &[CatalogEntry]) -> BTreeMap<(&str, &str, u32), Vec<&Adr>> {
    let mut by_number: BTreeMap<(&str, &str, u32), Vec<&Adr>> = BTreeMap::new();
    for adr in catalog_entry.iter().filter_map(|catalog_entry| catalog_entry.adr.as_ref()) {
        let is_folder = adr::folder_name(&adr.path).is_some();
        // A proposal that is a folder has the number 0 until it gets one from an issue.
        let is_assigned = |number: &u32| *number > 0 || !is_folder;
        let Some(number) = adr.number.filter(is_assigned) else { continue };
        let prefix = adr.id.split('-').next().unwrap_or_default();
        let folder = path::folder(&adr.path);
        let folder = if is_folder { path::folder(folder) } else { folder };
        let same = by_number.entry((folder, prefix, number)).or_default();
        // `0001-x.md` and `0001-x.fr.md` are one decision in two languages.
        if is_folder || !same.iter().any(|other| base_name(&other.path) == base_name(&adr.path)) {
            same.push(adr);
        }
    }
    by_number
}

fn record_conflict(adr: &Adr, first: &Adr, free_number: u32) -> Conflict {
    let message = format!("it has the number {}, and so has {}", adr.id, first.path);
    if adr::folder_name(&adr.path).is_some() {
        let hint = "give one of the two folders another number";
        return conflict(&adr.path, message, hint.into());
    }
    let new_name = NumberedName::of_adr(path::stem(&adr.path))
        .map_or_else(|| free_number.to_string(), |name| name.with_number(free_number));
    let hint = Hint::text("run ")
        .call("adr_renumber", [("record", &adr.path)])
        .then(format!(", which renames it to {new_name} and updates all references"));
    conflict(&adr.path, message, hint)
}

/// Returns a file name up to its first dot.
fn base_name(path: &str) -> &str {
    let file = path::file_name(path);
    file.split('.').next().unwrap_or(file)
}

fn duplicate_plans(
    root: &Root,
    hierarchy: &Hierarchy,
    catalog_entry: &[CatalogEntry],
) -> Vec<Conflict> {
    let mut by_number: BTreeMap<(Vec<&str>, u32), BTreeSet<&str>> = BTreeMap::new();
    for selectors in catalog_entry.iter().map(|catalog_entry| &catalog_entry.selectors) {
        let Some(plan) = selectors.get("plan") else { continue };
        let above = selectors.iter().take_while(|(level, _)| *level != "plan");
        let above = above.map(|(_, name)| name.as_str()).collect();
        if let Some(number) = name::leading_number(plan).and_then(|digits| digits.parse().ok()) {
            by_number.entry((above, number)).or_default().insert(plan);
        }
    }
    let folder = hierarchy.level("plan").and_then(|level| PlanFolder::of(root, level));
    let next = folder.map(|folder| folder.next_number(root));
    let mut conflicts = Vec::new();
    for same in by_number.into_values() {
        let first = same.first().copied().unwrap_or_default();
        for (at, plan) in same.iter().skip(1).enumerate() {
            let hint = match next.zip(NumberedName::of_plan(plan)) {
                Some((next, name)) => {
                    let new_name = name.with_number(next + at as u32);
                    Hint::text("run ").call("plan_renumber", [("plan", *plan)]).then(format!(
                        ", which renames it to {new_name} and updates all references"
                    ))
                }
                None => "give one of the two another number".into(),
            };
            let message = format!("the plan {plan} has the same number as {first}");
            conflicts.push(conflict(&main_document(catalog_entry, plan), message, hint));
        }
    }
    conflicts
}

/// Returns the path of a plan's main document, or of another document of it if there is none.
fn main_document(catalog_entry: &[CatalogEntry], plan: &str) -> String {
    let of_plan = || {
        catalog_entry
            .iter()
            .filter(|entry| entry.selectors.get("plan").is_some_and(|name| name == plan))
    };
    let main = of_plan().find(|entry| entry.kind == NodeKind::Plan).or_else(|| of_plan().next());
    main.map(|entry| entry.document.path.clone()).unwrap_or_default()
}

fn conflict(path: &str, message: String, hint: Hint) -> Conflict {
    Conflict::at(ConflictKind::DuplicateNumber, Severity::Critical, (path, 1), message, hint)
}
