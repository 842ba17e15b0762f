//! Every conflict of a workspace, each once.

use std::collections::HashSet;

use heirloom_core::conflict::{self, Conflict, Known};
use heirloom_core::graph::NodeKind;
use heirloom_core::staleness::Staleness;
use heirloom_core::supersession::Supersession;

use super::{Catalog, Filed, naming};
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
            for conflict in conflict::layers(&self.layers(&chain), &stalenesses) {
                let parent = conflict.sides.first().map(|side| side.source.clone());
                if seen.insert((conflict.kind, conflict.key.clone(), parent, conflict.path.clone()))
                {
                    conflicts.push(conflict);
                }
            }
            documents.extend(chain);
        }
        let supersession = Supersession::new(&self.adrs);
        for (at, filed) in self.filed.iter().enumerate() {
            if plan.is_none() || documents.contains(&at) {
                conflicts.extend(self.reference_conflicts(session, filed, &supersession));
            }
        }
        if plan.is_none() {
            conflicts.extend(conflict::supersession(&self.adrs, &supersession));
        }
        conflicts.sort_by(|a, b| {
            b.severity
                .cmp(&a.severity)
                .then_with(|| (&a.path, a.line, a.kind).cmp(&(&b.path, b.line, b.kind)))
        });
        conflicts
    }

    fn reference_conflicts(
        &self,
        session: &Session,
        filed: &Filed,
        supersession: &Supersession<'_>,
    ) -> Vec<Conflict> {
        if filed.document.references.is_empty() {
            return vec![];
        }
        let names = self.names_for(filed);
        let retired = |path: &str| {
            self.at_path(path).and_then(|other| inherit::retired_reason(&other.document))
        };
        let known = Known {
            adrs: &self.adrs,
            supersession,
            names: &names,
            exists: &|path| session.root().exists(path),
            retired: &retired,
        };
        conflict::references(&filed.document, &known)
    }

    /// The names that a document's `depends_on` may hold: every plan and project, and the agents
    /// of its own plan.
    fn names_for(&self, from: &Filed) -> Vec<String> {
        if !["depends_on", "supersedes", "superseded_by"]
            .iter()
            .any(|key| from.document.fields.contains_key(*key))
        {
            return vec![];
        }
        let beside = |filed: &&Filed| {
            filed.kind != NodeKind::Agent
                || filed.selectors.get("plan") == from.selectors.get("plan")
        };
        self.filed
            .iter()
            .filter(|filed| !matches!(filed.kind, NodeKind::Memory | NodeKind::Adr))
            .filter(beside)
            .map(naming::last_name)
            .collect()
    }
}
