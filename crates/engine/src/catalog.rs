//! Every document of a workspace at once, for the operations that look at all of them.

mod chains;
mod conflicts;
mod duplicates;
mod links;
mod naming;
mod renumbering;

pub(crate) use renumbering::{Edit, PlanFolder};

use std::collections::HashMap;

use heirloom_core::adr::Adr;
use heirloom_core::cascade::Layer;
use heirloom_core::conflict::Conflict;
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::{Hierarchy, Selectors};
use heirloom_core::staleness::Staleness;
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem};
use heirloom_store::adrs::{self, Record, Scope};
use heirloom_store::layout::{self, Placed};

use crate::inherit::{self, Judged};
use crate::{Error, Session};
use chains::Places;
use naming::Names;

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
    /// Which of its level's patterns found it; they are read in order.
    pub pattern: usize,
    /// The names selected to get to it.
    pub selectors: Selectors,
    /// What it says.
    pub document: Document,
    /// Its text.
    pub text: String,
    /// What it says as a decision record.
    pub adr: Option<Adr>,
    /// Whether another decision record that took effect replaced it.
    pub is_replaced: bool,
    /// Its date and staleness.
    pub judged: Judged,
}

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
    /// Records of one folder, and plans, that have one number.
    pub duplicates: Vec<Conflict>,
    by_path: HashMap<String, usize>,
    places: Places,
    names: Names,
}

impl Filed {
    /// Returns whether it is finished, so that its age is no matter.
    pub fn is_closed(&self) -> bool {
        let stated = match &self.adr {
            Some(adr) => Some(adr.status.word().to_owned()),
            None => self.document.field("status").map(str::to_lowercase),
        };
        self.is_replaced || stated.is_some_and(|status| CLOSED.contains(&status.as_str()))
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
        let layout::Everything { placed, mut problems } = layout::read_all(root, &hierarchy);
        let (records, record_problems) = adrs::read(root, config, Scope::Everything);
        let (named, naming_problems) = chains::named_levels(root, &hierarchy, &placed);
        let documents: Vec<&Document> = placed
            .iter()
            .map(|placed| &placed.document)
            .chain(records.iter().map(|record| &record.document))
            .collect();
        let (mut judged, date_problems) = inherit::judge(session, &documents)?;
        inherit::limit_decisions_to_review(&mut judged, &documents, &records);
        problems.extend(placed.iter().flat_map(|placed| placed.document.problems.clone()));
        problems.extend(record_problems.into_iter().chain(naming_problems).chain(date_problems));
        problems.extend(root.repository_problem().cloned());
        problems.sort();
        problems.dedup();
        let judged_placed = placed.into_iter().zip(&judged);
        let mut filed: Vec<Filed> =
            judged_placed.map(|(placed, judged)| of_placed(placed, *judged)).collect();
        let judged_records = records.into_iter().zip(&judged[filed.len()..]);
        filed.extend(judged_records.map(|(record, judged)| of_record(record, *judged)));
        naming::make_unique(&mut filed);
        let adrs: Vec<Adr> = filed.iter().filter_map(|filed| filed.adr.clone()).collect();
        let supersession = Supersession::new(&adrs);
        let own_records = filed.iter_mut().filter(|filed| filed.adr.is_some());
        for (at, filed) in own_records.enumerate() {
            filed.is_replaced = supersession.is_replaced(at);
        }
        let duplicates = duplicates::find(root, config, &hierarchy, &filed);
        Ok(Catalog {
            duplicates,
            by_path: filed
                .iter()
                .enumerate()
                .map(|(at, filed)| (filed.document.path.clone(), at))
                .collect(),
            places: Places::new(&hierarchy, &filed, named),
            names: Names::new(&filed),
            adrs,
            hierarchy,
            filed,
            problems,
        })
    }

    /// Returns the document at a path.
    pub fn at_path(&self, path: &str) -> Option<&Filed> {
        self.by_path.get(path).map(|&at| &self.filed[at])
    }

    fn layers(&self, chain: &[usize]) -> Vec<Layer<'_>> {
        let documents = chain.iter().map(|&at| &self.filed[at]);
        documents
            .map(|filed| Layer {
                level: filed.level.as_deref().unwrap_or_default(),
                priority: filed.priority,
                document: &filed.document,
            })
            .collect()
    }
}

/// Returns the id of a document of a level, as relations name it.
pub(crate) fn id_of(placed: &Placed) -> String {
    naming::id_of(naming::kind_of(&placed.level, placed.part), placed)
}

/// Returns the id of a decision record, as relations name it.
pub(crate) fn id_of_record(id: &str, project: Option<&str>) -> String {
    let scope = project.map(|project| format!("{project}/")).unwrap_or_default();
    format!("adr/{scope}{id}")
}

fn of_placed(placed: Placed, judged: Judged) -> Filed {
    let kind = naming::kind_of(&placed.level, placed.part);
    Filed {
        id: naming::id_of(kind, &placed),
        kind,
        level: Some(placed.level),
        priority: placed.priority,
        pattern: placed.pattern,
        selectors: placed.selectors,
        document: placed.document,
        text: placed.text,
        adr: None,
        is_replaced: false,
        judged,
    }
}

fn of_record(record: Record, judged: Judged) -> Filed {
    Filed {
        id: id_of_record(&record.adr.id, record.project.as_deref()),
        kind: NodeKind::Adr,
        level: None,
        priority: 0,
        pattern: 0,
        selectors: record
            .project
            .into_iter()
            .map(|project| ("project".to_owned(), project))
            .collect(),
        document: record.document,
        text: record.text,
        adr: Some(record.adr),
        is_replaced: false,
        judged,
    }
}
