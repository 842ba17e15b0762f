//! Where what is remembered does not agree.

use std::collections::BTreeMap;

use heirloom_core::conflict::{self, Conflict, Kind, Severity, Sheet};
use heirloom_core::fold::Standing;
use heirloom_core::record::Relation;

use super::MemorySlice;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;

impl MemorySlice {
    /// Returns every dispute, or those of one plan.
    pub(crate) fn disputes(&self, plan: Option<&str>) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let mut plans: BTreeMap<&str, Vec<&MemoryDocument>> = BTreeMap::new();
        for document in &self.documents {
            if let Some(own) = document.selectors.get("plan") {
                plans.entry(own).or_default().push(document);
            }
        }
        for (_, document) in
            plans.into_iter().filter(|(own, _)| plan.is_none_or(|plan| plan == *own))
        {
            conflicts.extend(self.decided_apart(document.into_iter()));
        }
        if plan.is_none() {
            conflicts.extend(self.forked());
            conflicts.extend(self.contradicting());
        }
        conflicts
    }

    /// Decisions of a plan and its agents that do not agree.
    fn decided_apart<'n>(
        &'n self,
        document: impl Iterator<Item = &'n MemoryDocument>,
    ) -> Vec<Conflict> {
        let sheets: Vec<Sheet<'_>> = document
            .map(|document| Sheet {
                level: &document.level,
                owner: document.selectors.last().map_or("", |(_, name)| name),
                path: &document.path,
                entries: document
                    .notebook
                    .entries
                    .iter()
                    .filter(|entry| self.memory.standing(&entry_ref(&entry.id)) == Standing::Active)
                    .collect(),
            })
            .collect();
        let (plans, agents): (Vec<_>, Vec<_>) =
            sheets.into_iter().partition(|sheet| sheet.level == "plan");
        conflict::decisions(plans.first(), &agents)
    }

    /// Facts that were replaced by several which all stand.
    fn forked(&self) -> Vec<Conflict> {
        let forks = self.memory.forks().into_iter();
        forks
            .map(|fork| {
                let texts: Vec<String> = fork
                    .heads
                    .iter()
                    .filter_map(|head| self.thing(head))
                    .map(|thing| format!("`{}` ({})", thing.text, Self::short_name(&thing.id)))
                    .collect();
                let (path, line) = self.written_at(&fork.heads);
                warning(
                    path,
                    line,
                    format!(
                        "{} was replaced by {}, which all stand",
                        Self::short_name(&fork.replaced),
                        texts.join(" and ")
                    ),
                    "supersede them by one with `heir fact edit ID TEXT --supersedes OTHER`",
                )
            })
            .collect()
    }

    /// Things that are said to contradict each other, and all stand.
    fn contradicting(&self) -> Vec<Conflict> {
        let edges = self.memory.edges();
        let pairs = edges.keys().filter(|(from, to, relation)| {
            *relation == Relation::Contradicts
                && [from, to].iter().all(|name| self.memory.standing(name) == Standing::Active)
        });
        pairs
            .map(|(from, to, _)| {
                let said = |name: &str| match self.thing(name) {
                    Some(thing) => format!("`{}`", thing.text),
                    None => name.trim_start_matches("doc:").to_owned(),
                };
                let (path, line) = self.written_at(&[from.clone(), to.clone()]);
                warning(
                    path,
                    line,
                    format!("{} contradicts {}, and both stand", said(from), said(to)),
                    "archive or supersede one of the two",
                )
            })
            .collect()
    }

    /// Where the first of some things is written.
    fn written_at(&self, names: &[String]) -> (String, usize) {
        let source = names.iter().find_map(|name| self.thing(name)).map(|thing| thing.source);
        let source = source.unwrap_or_default();
        match source.rsplit_once(':') {
            Some((path, line)) => (path.to_owned(), line.parse().unwrap_or(1)),
            None => (source, 1),
        }
    }
}

fn warning(path: String, line: usize, message: String, hint: &str) -> Conflict {
    Conflict {
        kind: Kind::DirectContradiction,
        severity: Severity::Warning,
        key: None,
        path,
        line,
        message,
        sides: vec![],
        resolution: None,
        hint: hint.to_owned(),
    }
}
