//! An index of documents by name.

use std::collections::HashMap;

use heirloom_core::graph::NodeKind;
use heirloom_core::name;

use super::entry::CatalogEntry;

/// An index of documents by name, for the references in `depends_on`.
#[derive(Debug)]
pub(super) struct NameIndex {
    /// Plans, projects and context documents, by key.
    pub(super) common: HashMap<String, Vec<usize>>,
    /// Agents, by plan and key.
    pub(super) agents: HashMap<(String, String), Vec<usize>>,
}

impl NameIndex {
    pub(super) fn new(catalog_entry: &[CatalogEntry]) -> Self {
        let mut names = NameIndex { common: HashMap::new(), agents: HashMap::new() };
        for (at, document) in catalog_entry.iter().enumerate() {
            if document.kind == NodeKind::Memory || document.adr.is_some() {
                continue;
            }
            let plan = document.selectors.get("plan").filter(|_| document.kind == NodeKind::Agent);
            for key in keys(&document.own_name()) {
                match plan {
                    Some(plan) => names.agents.entry((plan.clone(), key)).or_default().push(at),
                    None => names.common.entry(key).or_default().push(at),
                }
            }
        }
        names
    }
}

/// Returns the keys under which a name is indexed: the name in lowercase, and its number without leading
/// zeros.
pub(super) fn keys(name: &str) -> Vec<String> {
    let number = number_of(name).map(|number| format!("#{number}"));
    std::iter::once(name.to_lowercase()).chain(number).collect()
}

/// Returns the number that a name starts with, without leading zeros.
pub(super) fn number_of(name: &str) -> Option<&str> {
    name::leading_number(name).map(|digits| digits.trim_start_matches('0'))
}
