//! Finds the conflicts of a workspace, each once.

use std::collections::HashSet;

use heirloom_core::Problem;
use heirloom_core::conflict::{
    self, Conflict, ConflictKind, Override, ReferenceResolver, ResolvedReference,
};
use heirloom_core::hierarchy::Selectors;
use heirloom_core::supersession::Supersession;

use super::chains::Step;
use super::entry::CatalogEntry;
use super::read::Catalog;
use crate::workspace::archive::Archive;
use crate::workspace::inherit;
use crate::{Error, Session};

impl Catalog {
    /// Returns the conflicts of the workspace, or only those among the documents that one plan inherits.
    pub fn conflicts(&self, session: &Session, plan: Option<&str>) -> Result<Vec<Conflict>, Error> {
        let mut conflicts: Vec<Conflict> = Vec::new();
        let mut seen = HashSet::new();
        let mut documents: HashSet<usize> = HashSet::new();
        let is_included = |selectors: &Selectors| {
            plan.is_none_or(|plan| selectors.get("plan").map(String::as_str) == Some(plan))
        };
        self.walk(is_included, |Step { level, overrides, .. }| {
            // A key that its own level removes has no value to disagree about. A key that a lower
            // level removes still conflicts above that level.
            for override_ in overrides.iter().filter(|one| one.removed_by.is_none()) {
                let Override { key, parent, child, .. } = override_;
                if seen.insert((*parent, *child, key.clone())) {
                    let (parent, child) = (&self.entries[*parent], &self.entries[*child]);
                    let freshness = Some(parent.staleness());
                    let (parent, child) = (parent.layer(), child.layer());
                    conflicts.extend(conflict::override_conflicts(
                        override_, &parent, &child, freshness,
                    ));
                }
            }
            documents.extend(level);
        });
        self.with_reference_resolver(session, |known| {
            for (at, catalog_entry) in self.entries.iter().enumerate() {
                if plan.is_none() || documents.contains(&at) {
                    conflicts
                        .extend(conflict::find_broken_references(&catalog_entry.document, known));
                }
            }
            if plan.is_none() {
                conflicts
                    .extend(conflict::find_supersession_cycles(&self.adrs, known.supersession));
                conflicts
                    .extend(conflict::find_one_sided_supersessions(&self.adrs, known.supersession));
            }
        });
        let is_of_plan = |conflict: &Conflict| {
            let catalog_entry = self.find_by_path(&conflict.path);
            plan.is_none_or(|plan| {
                catalog_entry
                    .and_then(|catalog_entry| catalog_entry.selectors.get("plan"))
                    .is_some_and(|name| name == plan)
            })
        };
        conflicts.extend(self.duplicates(session)?.into_iter().filter(is_of_plan));
        conflict::sort_by_severity(&mut conflicts);
        Ok(conflicts)
    }

    /// Returns the references whose target is missing or retired.
    pub(crate) fn broken_references(&self, session: &Session) -> Vec<Conflict> {
        let mut broken: Vec<Conflict> = self.with_reference_resolver(session, |known| {
            let all = self.entries.iter().flat_map(|catalog_entry| {
                conflict::find_broken_references(&catalog_entry.document, known)
            });
            all.filter(|conflict| conflict.kind == ConflictKind::OrphanReference).collect()
        });
        conflict::sort_by_severity(&mut broken);
        broken
    }

    /// Returns the problems of the documents, including duplicate numbers.
    pub(crate) fn all_problems(&self, session: &Session) -> Result<Vec<Problem>, Error> {
        let duplicates = self.duplicates(session)?.into_iter().map(|conflict| {
            Problem::at(&conflict.path, conflict.line, &conflict.message).hint(&conflict.hint)
        });
        Ok(self.problems.iter().cloned().chain(duplicates).collect())
    }

    /// Calls a function with everything that a document of this workspace may refer to.
    pub(super) fn with_reference_resolver<T>(
        &self,
        session: &Session,
        run: impl FnOnce(&ReferenceResolver<'_>) -> T,
    ) -> T {
        let supersession = Supersession::new(&self.adrs);
        let archive = Archive::new(session.root());
        run(&ReferenceResolver {
            adrs: &self.adrs,
            supersession: &supersession,
            by_name: &|document, typed| self.by_name(document, typed),
            by_exact_name: &|document, name| self.by_exact_name(document, name),
            exists: &|path| self.find_by_path(path).is_some() || session.root().exists(path),
            retirement_reason: &|path| {
                self.find_by_path(path).and_then(|other| inherit::retired_reason(&other.document))
            },
            is_archived: &|name| archive.holds(name),
        })
    }

    /// Returns the documents that refer to a decision record, each with the line. The records that
    /// replaced it, directly or indirectly, are left out.
    pub(crate) fn references_to(
        &self,
        session: &Session,
        record: &str,
    ) -> Vec<(&CatalogEntry, usize)> {
        self.with_reference_resolver(session, |known| {
            let Some(target) = known.supersession.index_of_path(record) else { return vec![] };
            let is_successor = |from: &CatalogEntry| {
                let at = known.supersession.index_of_path(&from.document.path);
                at.is_some_and(|at| at == target || known.supersession.is_descendant(at, target))
            };
            let others = self.entries.iter().filter(|from| !is_successor(from));
            others
                .flat_map(|from| {
                    from.document.references.iter().map(move |reference| (from, reference))
                })
                .filter(|(from, reference)| {
                    known.resolve(&from.document, reference) == ResolvedReference::Adr(target)
                })
                .map(|(from, reference)| (from, reference.line))
                .collect()
        })
    }
}
