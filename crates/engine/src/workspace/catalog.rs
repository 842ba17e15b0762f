//! Every document of a workspace at once, for the operations that look at all of them.

mod chains;
mod conflicts;
mod duplicates;
mod links;
mod naming;
mod renumbering;

pub(crate) use links::Extent;
pub(crate) use renumbering::{Edit, PlanFolder};

use std::collections::HashMap;

use heirloom_core::adr::{self, Adr};
use heirloom_core::cascade::Layer;
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::{Hierarchy, Selectors};
use heirloom_core::staleness::Staleness;
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem, hands};
use heirloom_store::Root;
use heirloom_store::adrs::{self, Record, Scope};
use heirloom_store::layout::{self, Placed};

use crate::workspace::documents::{Documents, Flags, Needs, Notebooks};
use crate::workspace::inherit::{self, Judged};
use crate::workspace::template;
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

/// So many documents at least are worth another processor.
const WORTH_SHARING: usize = 1000;

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
    pub document: Box<Document>,
    /// Its text.
    pub text: String,
    /// What it says as a decision record.
    pub adr: Option<Box<Adr>>,
    /// Whether more was read of it than its path.
    pub(crate) is_read: bool,
    /// Whether nothing in it was edited since a template made it.
    pub is_unedited: bool,
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

    /// Returns it as a layer of values.
    fn layer(&self) -> Layer<'_> {
        Layer {
            level: self.level.as_deref().unwrap_or_default(),
            priority: self.priority,
            document: &self.document,
        }
    }

    /// Returns its staleness.
    pub fn staleness(&self) -> &Staleness {
        &self.judged.staleness
    }

    /// Refuses to edit a decision record that is a folder: its status and its number are not in its
    /// text.
    pub(crate) fn check_is_file(&self, root: &Root) -> Result<(), Error> {
        let beside = adr::metadata_path(&self.document.path).filter(|beside| root.exists(beside));
        match beside {
            None => Ok(()),
            Some(beside) => Err(Error::bad_input(format!(
                "{} is a folder, and {beside} states its status",
                self.short_name()
            ))
            .hint("change the folder by hand")),
        }
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
    /// Reads everything, with the text of every document.
    pub fn read(session: &Session) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let (_, hierarchy) = inherit::hierarchy(config, None)?;
        let layout::Everything { placed, mut problems } = layout::read_all(root, &hierarchy);
        let (records, record_problems) = adrs::read(root, config, Scope::Everything);
        problems.extend(record_problems);
        let of_levels = placed.iter().map(|placed| &*placed.document);
        let all = of_levels.chain(records.iter().map(|record| &record.document));
        let flags: Vec<Flags> = all
            .map(|document| Flags { is_read: true, is_unedited: template::is_unedited(document) })
            .collect();
        Self::of(session, hierarchy, placed, records, problems, &flags)
    }

    /// Reads everything but the text of documents, from the cache where a file is as it was; what the
    /// memory documents hold is read when it is asked for.
    pub(crate) fn overview(session: &Session) -> Result<(Self, Notebooks), Error> {
        Self::outlined(session, |_, _| Needs::Everything)
    }

    /// Reads what the direct relations of a document need, and of the other documents the path and
    /// the references.
    pub(crate) fn around(session: &Session, typed: &str) -> Result<(Self, Notebooks), Error> {
        let mut needs = Needs::Everything;
        let (catalog, notebooks) = Self::outlined(session, |hierarchy, placed| {
            needs = naming::needs_of(hierarchy, placed, typed);
            needs.clone()
        })?;
        // A name may mean a document that it was not expected to mean.
        match catalog.find(typed).is_ok_and(|filed| !needs.leads_through(&filed.selectors)) {
            true => Self::overview(session),
            false => Ok((catalog, notebooks)),
        }
    }

    fn outlined(
        session: &Session,
        needs: impl FnOnce(&Hierarchy, &[Placed]) -> Needs,
    ) -> Result<(Self, Notebooks), Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let Documents { placed, records, flags, notebooks, problems } =
            Documents::read(session, &hierarchy, |placed| needs(&hierarchy, placed))?;
        let catalog = Self::of(session, hierarchy, placed, records, problems, &flags)?;
        Ok((catalog, notebooks))
    }

    /// Drops it on another thread: freeing many documents takes a while.
    pub(crate) fn let_go(self) {
        let documents = self.filed.len();
        hands::let_go(self, documents);
    }

    /// Makes it of the documents of levels and the decision records, with the flags of both in this
    /// order.
    fn of(
        session: &Session,
        hierarchy: Hierarchy,
        placed: Vec<Placed>,
        records: Vec<Record>,
        mut problems: Vec<Problem>,
        flags: &[Flags],
    ) -> Result<Self, Error> {
        let root = session.root();
        let (named, naming_problems) = chains::named_levels(root, &hierarchy, &placed);
        let (judged, date_problems) = judge(session, &placed, &records, flags)?;
        problems.extend(placed.iter().flat_map(|placed| placed.document.problems.iter().cloned()));
        problems.extend(naming_problems.into_iter().chain(date_problems));
        problems.extend(root.repository_problem().cloned());
        problems.sort();
        problems.dedup();
        let mut filed: Vec<Filed> = Vec::with_capacity(flags.len());
        let mut known = judged.into_iter().zip(flags);
        let of_levels = placed.into_iter().zip(known.by_ref());
        filed.extend(of_levels.map(|(placed, (judged, flags))| of_placed(placed, judged, flags)));
        let of_records = records.into_iter().zip(known);
        filed.extend(of_records.map(|(record, (judged, flags))| of_record(record, judged, flags)));
        naming::make_unique(&mut filed);
        let adrs: Vec<Adr> =
            filed.iter().filter_map(|filed| filed.adr.as_deref().cloned()).collect();
        let supersession = Supersession::new(&adrs);
        let own_records = filed.iter_mut().filter(|filed| filed.adr.is_some());
        for (at, filed) in own_records.enumerate() {
            filed.is_replaced = supersession.is_replaced(at);
        }
        let is_much = filed.len() >= WORTH_SHARING;
        let names = || {
            let paths = filed.iter().enumerate();
            let by_path = paths.map(|(at, filed)| (filed.document.path.clone(), at)).collect();
            (by_path, Names::new(&filed))
        };
        let ((by_path, names), places) =
            hands::both(is_much, names, || Places::new(&hierarchy, &filed, named));
        Ok(Catalog { by_path, places, names, adrs, hierarchy, filed, problems })
    }

    /// Returns whether everything inherits from a document, or another tool reads it: the main one of
    /// a level that has no names (`workspace.md`), and one that was adopted for it (`CLAUDE.md`).
    pub(crate) fn is_root_document(&self, filed: &Filed) -> bool {
        let level = filed.level.as_deref().and_then(|level| self.hierarchy.level(level));
        level.filter(|level| !level.is_selected()).is_some_and(|level| {
            let pattern = level.patterns().nth(filed.pattern);
            let is_adopted = |pattern: &str| level.adopted.iter().any(|own| own == pattern);
            pattern.is_some_and(|pattern| level.is_main(pattern) || is_adopted(pattern))
        })
    }

    /// Returns the document at a path.
    pub fn at_path(&self, path: &str) -> Option<&Filed> {
        self.by_path.get(path).map(|&at| &self.filed[at])
    }
}

/// Dates and judges the documents of levels, then the decision records. A document that was not read
/// has no date.
fn judge(
    session: &Session,
    placed: &[Placed],
    records: &[Record],
    flags: &[Flags],
) -> Result<(Vec<Judged>, Vec<Problem>), Error> {
    let of_levels = placed.iter().map(|placed| &*placed.document);
    let all = of_levels.chain(records.iter().map(|record| &record.document));
    let read: Vec<&Document> =
        all.zip(flags).filter(|(_, flags)| flags.is_read).map(|(document, _)| document).collect();
    let (mut judged, problems) = inherit::judge(session, &read)?;
    inherit::limit_decisions_to_review(&mut judged, &read, records);
    if read.len() == flags.len() {
        return Ok((judged, problems));
    }
    let undated = inherit::undated(session)?;
    let mut judged = judged.into_iter();
    let next = |flags: &Flags| if flags.is_read { judged.next() } else { None };
    let all = flags.iter().map(next).map(|judged| judged.unwrap_or(undated)).collect();
    Ok((all, problems))
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

fn of_placed(placed: Placed, judged: Judged, flags: &Flags) -> Filed {
    let kind = naming::kind_of(&placed.level, placed.part);
    Filed {
        id: naming::id_of(kind, &placed),
        kind,
        level: Some(placed.level),
        priority: placed.priority,
        pattern: placed.pattern,
        selectors: placed.selectors,
        is_read: flags.is_read,
        is_unedited: flags.is_unedited,
        document: placed.document,
        text: placed.text,
        adr: None,
        is_replaced: false,
        judged,
    }
}

fn of_record(record: Record, judged: Judged, flags: &Flags) -> Filed {
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
        is_read: flags.is_read,
        is_unedited: flags.is_unedited,
        document: Box::new(record.document),
        text: record.text,
        adr: Some(Box::new(record.adr)),
        is_replaced: false,
        judged,
    }
}
