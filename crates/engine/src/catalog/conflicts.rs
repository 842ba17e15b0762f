//! Every conflict of a workspace, each once.

use std::collections::HashSet;

use heirloom_core::Problem;
use heirloom_core::conflict::{self, Conflict, Found, Known};
use heirloom_core::staleness::Staleness;
use heirloom_core::supersession::Supersession;

use super::{Catalog, Filed};
use crate::archive::Archive;
use crate::{Session, inherit};

impl Catalog {
    /// Returns every conflict of the workspace, or those of the documents that one plan inherits.
    pub fn conflicts(&self, session: &Session, plan: Option<&str>) -> Vec<Conflict> {
        let mut conflicts: Vec<Conflict> = Vec::new();
        let mut seen = HashSet::new();
        let mut documents: HashSet<usize> = HashSet::new();
        for selectors in self.chains().iter().filter(|selectors| {
            plan.is_none_or(|plan| selectors.get("plan").map(String::as_str) == Some(plan))
        }) {
            let chain = self.chain(selectors);
            let stalenesses: Vec<Staleness> =
                chain.iter().map(|&at| *self.filed[at].staleness()).collect();
            for conflict in conflict::layers_of_every_level(&self.layers(&chain), &stalenesses) {
                let parent = conflict.sides.first().map(|side| side.source.clone());
                if seen.insert((conflict.kind, conflict.key.clone(), parent, conflict.path.clone()))
                {
                    conflicts.push(conflict);
                }
            }
            documents.extend(chain);
        }
        self.with_known(session, |known| {
            for (at, filed) in self.filed.iter().enumerate() {
                if plan.is_none() || documents.contains(&at) {
                    conflicts.extend(conflict::references(&filed.document, known));
                }
            }
            if plan.is_none() {
                conflicts.extend(conflict::supersession(&self.adrs, known.supersession));
                conflicts.extend(conflict::one_sided(&self.adrs, known.supersession));
            }
        });
        let of_plan = |conflict: &&Conflict| {
            let filed = self.at_path(&conflict.path);
            plan.is_none_or(|plan| {
                filed.and_then(|filed| filed.selectors.get("plan")).is_some_and(|own| own == plan)
            })
        };
        conflicts.extend(self.duplicates.iter().filter(of_plan).cloned());
        conflict::worst_first(&mut conflicts);
        conflicts
    }

    /// Returns the problems of the documents, with the numbers that are given twice.
    pub(crate) fn all_problems(&self) -> Vec<Problem> {
        let duplicates = self.duplicates.iter().map(|conflict| {
            Problem::at(&conflict.path, conflict.line, &conflict.message).hint(&conflict.hint)
        });
        self.problems.iter().cloned().chain(duplicates).collect()
    }

    /// Runs with all that a document of this workspace may refer to.
    pub(super) fn with_known<T>(&self, session: &Session, run: impl FnOnce(&Known<'_>) -> T) -> T {
        let supersession = Supersession::new(&self.adrs);
        let archive = Archive::new(session.root());
        run(&Known {
            adrs: &self.adrs,
            supersession: &supersession,
            by_name: &|document, typed| self.by_name(document, typed),
            by_exact_name: &|document, name| self.by_exact_name(document, name),
            exists: &|path| self.at_path(path).is_some() || session.root().exists(path),
            retired: &|path| {
                self.at_path(path).and_then(|other| inherit::retired_reason(&other.document))
            },
            archived: &|name| archive.holds(name),
        })
    }

    /// Returns who refers to a decision record without having replaced it, with the line.
    pub fn references_to(&self, session: &Session, record: &str) -> Vec<(&Filed, usize)> {
        self.with_known(session, |known| {
            let Some(wanted) = known.supersession.at_path(record) else { return vec![] };
            let replaced_it = |from: &Filed| {
                let own = known.supersession.at_path(&from.document.path);
                own.is_some_and(|own| own == wanted || known.supersession.descends(own, wanted))
            };
            let others = self.filed.iter().filter(|from| !replaced_it(from));
            others
                .flat_map(|from| {
                    from.document.references.iter().map(move |reference| (from, reference))
                })
                .filter(|(from, reference)| {
                    known.find(&from.document, reference) == Found::Adr(wanted)
                })
                .map(|(from, reference)| (from, reference.line))
                .collect()
        })
    }
}
