//! Every document of a workspace at once, for the operations that look at all of them.

mod conflicts;
mod links;
mod naming;

use std::collections::HashMap;

use heirloom_core::adr::Adr;
use heirloom_core::cascade::Layer;
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::{Hierarchy, Level, Selectors};
use heirloom_core::staleness::Staleness;
use heirloom_core::{Document, Problem};
use heirloom_store::adrs::{self, Scope};
use heirloom_store::layout;

use crate::inherit::{self, Judged};
use crate::{Error, Session};

/// States in which a document is finished and is not expected to be refreshed.
const CLOSED: &[&str] = &[
    "done",
    "complete",
    "completed",
    "abandoned",
    "closed",
    "archived",
    "superseded",
    "deprecated",
    "rejected",
    "withdrawn",
];

/// A document, what it is and how fresh it is.
#[derive(Debug, Clone)]
pub struct Filed {
    /// Its id in the graph.
    pub id: String,
    /// What it is.
    pub kind: NodeKind,
    /// Its level; none for a decision record.
    pub level: Option<String>,
    /// Its level's priority.
    pub priority: i64,
    /// The names selected to get to it.
    pub selectors: Selectors,
    /// What it says.
    pub document: Document,
    /// Its text.
    pub text: String,
    /// What it says as a decision record.
    pub adr: Option<Adr>,
    /// Its date and staleness.
    pub judged: Judged,
}

/// A level and the names selected for it: where documents are.
type Place = (String, Vec<String>);

/// Every document of a workspace.
#[derive(Debug)]
pub struct Catalog {
    /// The hierarchy that it was read by.
    pub hierarchy: Hierarchy,
    /// The documents.
    pub filed: Vec<Filed>,
    /// The decision records among them.
    pub adrs: Vec<Adr>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    by_path: HashMap<String, usize>,
    by_place: HashMap<Place, Vec<usize>>,
    /// The names of a level below the names of the levels that it needs.
    names_below: HashMap<Place, Vec<String>>,
}

impl Filed {
    /// Returns whether it is finished, so that its age is no matter.
    pub fn is_closed(&self) -> bool {
        let stated = match &self.adr {
            Some(adr) => Some(adr.status.word().to_owned()),
            None => self.document.field("status").map(str::to_lowercase),
        };
        stated.is_some_and(|status| CLOSED.contains(&status.as_str()))
    }

    /// Returns its staleness.
    pub fn staleness(&self) -> &Staleness {
        &self.judged.staleness
    }

    /// Returns the name that people use for it: an ADR's id, else its path in the workspace folder.
    pub fn short_name(&self) -> &str {
        match &self.adr {
            Some(adr) => &adr.id,
            None => self.document.path.strip_prefix(".heirloom/").unwrap_or(&self.document.path),
        }
    }
}

impl Catalog {
    /// Reads everything.
    pub fn read(session: &Session) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let (_, hierarchy) = inherit::hierarchy(config, None)?;
        let placed = layout::read_all(root, &hierarchy)?;
        let (records, mut problems) = adrs::read(root, config, Scope::Everything)?;
        let documents: Vec<&Document> = placed
            .iter()
            .map(|placed| &placed.document)
            .chain(records.iter().map(|record| &record.document))
            .collect();
        let (judged, date_problems) = inherit::judge(session, &documents)?;
        problems.extend(placed.iter().flat_map(|placed| placed.document.problems.clone()));
        problems.extend(date_problems);
        problems.sort();
        problems.dedup();
        let (of_placed, of_records) = judged.split_at(placed.len());
        let mut filed: Vec<Filed> = Vec::with_capacity(judged.len());
        for (placed, judged) in placed.into_iter().zip(of_placed) {
            let kind = naming::kind_of(&placed.level, placed.pattern, placed.memory);
            let id = naming::id_of(
                kind,
                &placed.level,
                placed.pattern,
                &placed.selectors,
                &placed.document.path,
            );
            filed.push(Filed {
                id,
                kind,
                level: Some(placed.level),
                priority: placed.priority,
                selectors: placed.selectors,
                document: placed.document,
                text: placed.text,
                adr: None,
                judged: *judged,
            });
        }
        for (record, judged) in records.into_iter().zip(of_records) {
            let scope =
                record.project.as_ref().map(|project| format!("{project}/")).unwrap_or_default();
            let id = format!("adr/{scope}{}", record.adr.id);
            let selectors = record
                .project
                .iter()
                .map(|project| ("project".to_owned(), project.clone()))
                .collect();
            filed.push(Filed {
                id,
                kind: NodeKind::Adr,
                level: None,
                priority: 0,
                selectors,
                document: record.document,
                text: record.text,
                adr: Some(record.adr),
                judged: *judged,
            });
        }
        naming::make_unique(&mut filed);
        Ok(Self::indexed(hierarchy, filed, problems))
    }

    fn indexed(hierarchy: Hierarchy, filed: Vec<Filed>, problems: Vec<Problem>) -> Self {
        let by_path =
            filed.iter().enumerate().map(|(at, filed)| (filed.document.path.clone(), at)).collect();
        let mut by_place: HashMap<Place, Vec<usize>> = HashMap::new();
        let mut names_below: HashMap<Place, Vec<String>> = HashMap::new();
        for (at, one) in filed.iter().enumerate() {
            let Some(level) = &one.level else { continue };
            let mut names: Vec<String> = one.selectors.values().cloned().collect();
            by_place.entry((level.clone(), names.clone())).or_default().push(at);
            if let Some(last) = names.pop() {
                let below = names_below.entry((level.clone(), names)).or_default();
                if below.last() != Some(&last) && !below.contains(&last) {
                    below.push(last);
                }
            }
        }
        let adrs = filed.iter().filter_map(|filed| filed.adr.clone()).collect();
        Catalog { hierarchy, filed, adrs, problems, by_path, by_place, names_below }
    }

    /// Returns the document at a path.
    pub fn at_path(&self, path: &str) -> Option<&Filed> {
        self.by_path.get(path).map(|&at| &self.filed[at])
    }

    /// Returns every way down the hierarchy: each plan, and each agent of each plan.
    pub fn chains(&self) -> Vec<Selectors> {
        let mut chains = vec![Selectors::new()];
        for level in self
            .hierarchy
            .levels
            .iter()
            .filter(|level| level.is_selected() && level.named_by.is_none())
        {
            let mut longer = Vec::with_capacity(chains.len());
            for chain in chains {
                let names = self
                    .needed(level, &chain, false)
                    .and_then(|above| self.names_below.get(&(level.name.clone(), above)));
                match names {
                    None => longer.push(chain),
                    Some(names) => longer.extend(names.iter().map(|name| {
                        let mut chain = chain.clone();
                        chain.insert(level.name.clone(), name.clone());
                        chain
                    })),
                }
            }
            chains = longer;
        }
        chains
    }

    /// Returns the documents of one way down, lowest priority first, by position.
    pub fn chain(&self, selectors: &Selectors) -> Vec<usize> {
        let mut selectors = selectors.clone();
        for level in &self.hierarchy.levels {
            if selectors.contains_key(&level.name) {
                continue;
            }
            let naming = level.named_by.as_deref().and_then(|naming| self.hierarchy.level(naming));
            let named = naming
                .map(|naming| self.on(naming, &selectors))
                .unwrap_or_default()
                .iter()
                .find_map(|&at| self.filed[at].document.field(&level.name));
            if let Some(name) = named {
                selectors.insert(level.name.clone(), name.to_owned());
            }
        }
        self.hierarchy.levels.iter().flat_map(|level| self.on(level, &selectors)).copied().collect()
    }

    /// The documents of one level on a way down.
    fn on(&self, level: &Level, selectors: &Selectors) -> &[usize] {
        let place = self.needed(level, selectors, true).map(|names| (level.name.clone(), names));
        place.and_then(|place| self.by_place.get(&place)).map_or(&[], Vec::as_slice)
    }

    /// The names that lead to a level, its own included or not; `None` when one is not selected.
    fn needed(&self, level: &Level, selectors: &Selectors, with_own: bool) -> Option<Vec<String>> {
        let needs = level.needs();
        let levels = self.hierarchy.levels.iter().filter(|other| {
            needs.contains(&other.name.as_str()) && (with_own || other.name != level.name)
        });
        levels.map(|other| selectors.get(&other.name).cloned()).collect()
    }

    fn layers(&self, chain: &[usize]) -> Vec<Layer<'_>> {
        chain
            .iter()
            .map(|&at| &self.filed[at])
            .map(|filed| Layer {
                level: filed.level.as_deref().unwrap_or_default(),
                priority: filed.priority,
                document: &filed.document,
            })
            .collect()
    }
}
