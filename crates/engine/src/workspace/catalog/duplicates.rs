//! Numbers that are given twice, as happens when two branches each take the next one.

use std::collections::{BTreeMap, BTreeSet};

use heirloom_core::adr::{self, Adr};
use heirloom_core::conflict::{Conflict, Kind, Severity};
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::Hierarchy;
use heirloom_core::renumber::Name;
use heirloom_core::{name, path, shell};
use heirloom_store::{Config, Root, adrs};

use super::{Catalog, Filed, PlanFolder};
use crate::{Error, Session};

impl Catalog {
    /// Finds records and plans that have one number. A number is unique in a folder: projects and
    /// configured folders count by themselves.
    pub(super) fn duplicates(&self, session: &Session) -> Result<Vec<Conflict>, Error> {
        let mut conflicts = of_records(session.root(), session.config()?, &self.filed);
        conflicts.extend(of_plans(session.root(), &self.hierarchy, &self.filed));
        Ok(conflicts)
    }
}

fn of_records(root: &Root, config: &Config, filed: &[Filed]) -> Vec<Conflict> {
    let mut by_number: BTreeMap<(&str, &str, u32), Vec<&Adr>> = BTreeMap::new();
    for adr in filed.iter().filter_map(|filed| filed.adr.as_ref()) {
        // Proposals get their number from an issue; until then it is zero.
        let is_open = |number: &u32| *number > 0 || adr::folder_name(&adr.path).is_none();
        let Some(number) = adr.number.filter(is_open) else { continue };
        let prefix = adr.id.split('-').next().unwrap_or_default();
        let folder = path::folder(&adr.path);
        let is_folder = adr::folder_name(&adr.path).is_some();
        let folder = if is_folder { path::folder(folder) } else { folder };
        let same = by_number.entry((folder, prefix, number)).or_default();
        // `0001-x.md` and `0001-x.fr.md` are one decision in two languages.
        if is_folder || !same.iter().any(|other| base_name(&other.path) == base_name(&adr.path)) {
            same.push(adr);
        }
    }
    let twice = by_number.into_iter().filter(|(_, same)| same.len() > 1);
    twice
        .flat_map(|((folder, ..), same)| {
            let next = adrs::next_number(root, config, folder);
            let first = same[0];
            let others = same[1..].iter().zip(next..);
            others
                .map(|(adr, number)| {
                    let message = format!("it has the number {}, and so has {}", adr.id, first.path);
                    if adr::folder_name(&adr.path).is_some() {
                        let hint = "give one of the two folders another number";
                        return conflict(&adr.path, message, hint.to_owned());
                    }
                    let new_name = Name::of_record(path::stem(&adr.path))
                        .map_or_else(|| number.to_string(), |name| name.renumbered(number));
                    conflict(
                        &adr.path,
                        message,
                        format!(
                            "run `heir adr renumber {}`, which makes it {new_name} and rewrites what refers to it",
                            shell::word(&adr.path)
                        ),
                    )
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

fn base_name(path: &str) -> &str {
    let file = path::file_name(path);
    file.split('.').next().unwrap_or(file)
}

fn of_plans(root: &Root, hierarchy: &Hierarchy, filed: &[Filed]) -> Vec<Conflict> {
    let mut by_number: BTreeMap<(Vec<&str>, u32), BTreeSet<&str>> = BTreeMap::new();
    for selectors in filed.iter().map(|filed| &filed.selectors) {
        let Some(plan) = selectors.get("plan") else { continue };
        let above = selectors.iter().take_while(|(level, _)| *level != "plan");
        let above = above.map(|(_, name)| name.as_str()).collect();
        if let Some(number) = name::leading_number(plan).and_then(|digits| digits.parse().ok()) {
            by_number.entry((above, number)).or_default().insert(plan);
        }
    }
    let folder = hierarchy.level("plan").and_then(|level| PlanFolder::of(root, level));
    let next = folder.map(|folder| folder.next_number(root));
    let twice = by_number.into_values().filter(|same| same.len() > 1);
    twice
        .flat_map(|same| {
            let first = same.first().copied().unwrap_or_default();
            let others = same.iter().skip(1).enumerate();
            others
                .map(|(at, plan)| {
                    let hint = match next.zip(Name::of_plan(plan)) {
                        Some((next, name)) => format!(
                            "run `heir plan renumber {}`, which makes it {} and rewrites what refers to it",
                            shell::word(plan),
                            name.renumbered(next + at as u32)
                        ),
                        None => "give one of the two another number".to_owned(),
                    };
                    let message = format!("the plan {plan} has the same number as {first}");
                    conflict(&document_of(filed, plan), message, hint)
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The plan's own document, or another one where it has none.
fn document_of(filed: &[Filed], plan: &str) -> String {
    let own =
        || filed.iter().filter(|one| one.selectors.get("plan").is_some_and(|own| own == plan));
    let main = own().find(|one| one.kind == NodeKind::Plan).or_else(|| own().next());
    main.map(|one| one.document.path.clone()).unwrap_or_default()
}

fn conflict(path: &str, message: String, hint: String) -> Conflict {
    Conflict {
        kind: Kind::DuplicateNumber,
        severity: Severity::Critical,
        key: None,
        path: path.to_owned(),
        line: 1,
        message,
        sides: vec![],
        resolution: None,
        hint,
    }
}
