//! What one agent inherits: the selected documents, dated, judged and laid over one another.

use std::collections::HashSet;

use heirloom_core::adr::Adr;
use heirloom_core::cascade::Layer;
use heirloom_core::conflict::{self, ByName, Conflict, Known, Severity};
use heirloom_core::hierarchy::{Hierarchy, Level, Selectors};
use heirloom_core::name::{self, Match};
use heirloom_core::staleness::{self, Freshness, Staleness};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem, day, path};
use heirloom_store::adrs::{Record, Scope};
use heirloom_store::layout::{self, Part, Placed};
use heirloom_store::{Config, Root, dates};
use jiff::civil::Date;

use crate::workspace::archive::Archive;
use crate::workspace::documents::Documents;
use crate::workspace::template;
use crate::{Error, Session};

/// A dated and judged document.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// Its date.
    pub updated: Option<Date>,
    /// Its staleness.
    pub staleness: Staleness,
}

/// What one agent inherits, before it is put into words.
#[derive(Debug)]
pub(crate) struct Inheritance {
    /// The hierarchy's name.
    pub hierarchy: String,
    /// The names that were selected, in order of level.
    pub selectors: Selectors,
    /// The documents, lowest priority first.
    pub placed: Vec<Placed>,
    /// The paths of documents in which nobody edited the template, so that nothing is left of them.
    pub unedited: Vec<String>,
    /// How fresh each is.
    pub judged: Vec<Judged>,
    /// The decision records that bear on it.
    pub records: Vec<Record>,
    /// Where values and references disagree.
    pub conflicts: Vec<Conflict>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Finds a hierarchy by name, or the default one.
pub(crate) fn hierarchy(config: &Config, name: Option<&str>) -> Result<(String, Hierarchy), Error> {
    let name = name.unwrap_or(&config.hierarchy);
    match config.find_hierarchy(name) {
        Some(hierarchy) => Ok((name.to_owned(), hierarchy)),
        None => {
            let names = config.hierarchy_names();
            let near = name::nearest(name, names.iter().map(String::as_str), 3);
            Err(Error::not_found(
                format!("there is no hierarchy `{name}`"),
                if near.is_empty() { names } else { near },
            ))
        }
    }
}

/// Finds a level of the default hierarchy whose names are chosen, such as `plan`.
pub(crate) fn level(config: &Config, level: &str) -> Result<Level, Error> {
    let (name, hierarchy) = hierarchy(config, None)?;
    let found = hierarchy.levels.into_iter().find(|own| own.name == level && own.is_selected());
    found.ok_or_else(|| {
        Error::bad_input(format!("this workspace's hierarchy, `{name}`, has no {level}s"))
            .hint("see `hierarchy` in .heirloom/config.toml")
    })
}

/// Reads what the selected names inherit. Only the files on the way to them are opened.
pub(crate) fn read(
    session: &Session,
    hierarchy_name: Option<&str>,
    typed: &Selectors,
) -> Result<Inheritance, Error> {
    let (root, config) = (session.root(), session.config()?);
    let (hierarchy_name, hierarchy) = hierarchy(config, hierarchy_name)?;
    let mut selectors = layout::select(root, &hierarchy, typed)?;
    let mut placed = layout::read_selected(root, &hierarchy, &mut selectors);
    let unedited = leave_out_templates(&mut placed);
    let scope =
        selectors.get("project").map_or(Scope::Workspace, |project| Scope::Project(project));
    let (records, record_problems) = Documents::records(session, scope)?;
    let documents: Vec<&Document> = placed.iter().map(|placed| &*placed.document).collect();
    let (mut judged, date_problems) = judge(session, &documents)?;
    limit_decisions_to_review(&mut judged, &documents, &records);
    let stalenesses: Vec<Staleness> = judged.iter().map(|judged| judged.staleness).collect();
    let mut conflicts = conflict::layers(&layers(&placed), &stalenesses);
    let chain = Chain { hierarchy: &hierarchy, selectors: &selectors, documents: &documents };
    conflicts.extend(reference_conflicts(session, &chain, &records)?);
    let mut problems: Vec<Problem> =
        placed.iter().flat_map(|placed| placed.document.problems.clone()).collect();
    problems.extend(record_problems);
    problems.extend(date_problems);
    problems.extend(root.repository_problem().cloned());
    Ok(Inheritance {
        hierarchy: hierarchy_name,
        selectors,
        placed,
        unedited,
        judged,
        records,
        conflicts,
        problems,
    })
}

/// Takes template text out of documents and returns the paths of those of which nothing is left.
/// Memory documents are read entry by entry first.
fn leave_out_templates(placed: &mut [Placed]) -> Vec<String> {
    let documents = placed.iter_mut().filter(|placed| placed.part != Part::Memory);
    let unedited = documents
        .filter_map(|placed| template::leave_out(placed).then(|| placed.document.path.clone()));
    unedited.collect()
}

/// Makes layers of documents.
pub(crate) fn layers(placed: &[Placed]) -> Vec<Layer<'_>> {
    placed
        .iter()
        .map(|placed| Layer {
            level: &placed.level,
            priority: placed.priority,
            document: &placed.document,
        })
        .collect()
}

/// Judges a document whose date is not known.
pub(crate) fn undated(session: &Session) -> Result<Judged, Error> {
    let thresholds = session.config()?.staleness;
    let staleness = staleness::judge(None, session.today(), None, &thresholds);
    Ok(Judged { updated: None, staleness })
}

/// Dates and judges documents.
pub(crate) fn judge(
    session: &Session,
    documents: &[&Document],
) -> Result<(Vec<Judged>, Vec<Problem>), Error> {
    let thresholds = session.config()?.staleness;
    let today = session.today();
    let (dates, mut problems) = dates::of_documents(session.root(), documents);
    let judged = documents
        .iter()
        .zip(dates)
        .map(|(document, updated)| {
            let interval = refresh_interval(document, &mut problems);
            // A day is allowed for: today is counted in UTC, and people write their own. A date that
            // the document does not state is not in the future, or not its fault.
            let is_ahead = updated.is_some_and(|date| staleness::days_between(today, date) > 1);
            let stated = document.field("updated").filter(|_| is_ahead).and_then(day::parse);
            if stated.is_some_and(|stated| staleness::days_between(today, stated) > 1) {
                let line = document.line_of("updated");
                problems.push(
                    Problem::at(&document.path, line, "it is dated in the future")
                        .hint("mend `updated:`"),
                );
            }
            Judged { updated, staleness: staleness::judge(updated, today, interval, &thresholds) }
        })
        .collect();
    Ok((judged, problems))
}

/// Recommends at most a review for decisions that may be in force: a decision holds until another
/// one replaces it, however old it is.
pub(crate) fn limit_decisions_to_review(
    judged: &mut [Judged],
    documents: &[&Document],
    records: &[Record],
) {
    let holding: HashSet<&str> = records
        .iter()
        .filter(|record| record.adr.status.may_hold())
        .map(|record| record.adr.path.as_str())
        .collect();
    for (judged, document) in judged.iter_mut().zip(documents) {
        if holding.contains(document.path.as_str()) {
            judged.staleness = judged.staleness.review_at_most();
        }
    }
}

fn refresh_interval(document: &Document, problems: &mut Vec<Problem>) -> Option<f64> {
    let written = document.fields.get("refresh_interval").filter(|value| !value.is_null())?;
    let days = written
        .as_f64()
        .or_else(|| written.as_str()?.trim().trim_end_matches('d').trim().parse().ok());
    let usable = days.filter(|days| *days > 0.0 && days.is_finite());
    if usable.is_none() {
        let line = document.line_of("refresh_interval");
        problems.push(
            Problem::at(
                &document.path,
                line,
                format!("`refresh_interval: {written}` is not a number of days"),
            )
            .hint("write it as 30"),
        );
    }
    usable
}

/// Checks the references of the chain alone: against its records, the names beside it and the
/// files they lead to. A record of another project does not bind this chain and is there all the
/// same, so every record is read when the chain's own do not have what is referred to.
fn reference_conflicts(
    session: &Session,
    chain: &Chain<'_>,
    records: &[Record],
) -> Result<Vec<Conflict>, Error> {
    let leads_nowhere = |document: &Document, known: &Known<'_>| {
        document.references.iter().any(|reference| known.is_broken(document, reference))
    };
    let checked = chain.with_known(session.root(), records, |known| {
        let whole = !chain.documents.iter().any(|document| leads_nowhere(document, known));
        whole.then(|| chain.conflicts(known))
    });
    if let Some(conflicts) = checked {
        return Ok(conflicts);
    }
    let (all, _) = Documents::records(session, Scope::Everything)?;
    Ok(chain.with_known(session.root(), &all, |known| chain.conflicts(known)))
}

/// One way down the hierarchy.
struct Chain<'c> {
    hierarchy: &'c Hierarchy,
    selectors: &'c Selectors,
    documents: &'c [&'c Document],
}

impl Chain<'_> {
    fn with_known<T>(
        &self,
        root: &Root,
        records: &[Record],
        run: impl FnOnce(&Known<'_>) -> T,
    ) -> T {
        let adrs: Vec<Adr> = records.iter().map(|record| record.adr.clone()).collect();
        let supersession = Supersession::new(&adrs);
        let archive = Archive::new(root);
        let retired = |path: &str| {
            layout::read_document(root, path).and_then(|(_, document)| retired_reason(&document))
        };
        run(&Known {
            adrs: &adrs,
            supersession: &supersession,
            by_name: &|_, typed| match find_named(root, self.hierarchy, self.selectors, typed) {
                ByName::Nothing => self.find_by_stem(typed),
                found => found,
            },
            by_exact_name: &|_, name| find_exactly(root, self.hierarchy, self.selectors, name),
            exists: &|path| root.exists(path),
            retired: &retired,
            archived: &|name| archive.holds(name),
        })
    }

    /// Finds the document of the chain whose file is called like this: `Roadmap`, `architecture`.
    fn find_by_stem(&self, typed: &str) -> ByName {
        let is_called =
            |document: &&&Document| path::stem(&document.path).eq_ignore_ascii_case(typed);
        let found = self.documents.iter().find(is_called);
        found.map_or(ByName::Nothing, |document| ByName::Document(document.path.clone()))
    }

    fn conflicts(&self, known: &Known<'_>) -> Vec<Conflict> {
        let references =
            self.documents.iter().flat_map(|document| conflict::references(document, known));
        let cycles = conflict::supersession(known.adrs, known.supersession);
        // What only helps an author is left to `context validate`.
        let misleading = conflict::one_sided(known.adrs, known.supersession)
            .into_iter()
            .filter(|conflict| conflict.severity > Severity::Information);
        references.chain(cycles).chain(misleading).collect()
    }
}

/// Finds the document that a name in `depends_on` means, the most specific level first.
fn find_named(root: &Root, hierarchy: &Hierarchy, selectors: &Selectors, typed: &str) -> ByName {
    let short = name::leading_number(typed).unwrap_or(typed);
    for level in hierarchy.levels.iter().rev().filter(|level| level.is_selected()) {
        let names = layout::names(root, level, selectors).unwrap_or_default();
        match name::find(short, names.iter().map(String::as_str)) {
            Match::Unknown(_) => {}
            Match::Ambiguous(_) => return ByName::Several,
            Match::One(name) => return main_document(root, level, selectors, name),
        }
    }
    ByName::Nothing
}

/// Finds the document that has this whole name, the most specific level first, without listing what
/// else a level has.
fn find_exactly(root: &Root, hierarchy: &Hierarchy, selectors: &Selectors, name: &str) -> ByName {
    if name::unsafe_reason(name).is_some() {
        return ByName::Nothing;
    }
    let mut levels = hierarchy.levels.iter().rev().filter(|level| level.is_selected());
    let found = levels.find(|level| layout::is_there(root, level, selectors, name));
    found.map_or(ByName::Nothing, |level| main_document(root, level, selectors, name.to_owned()))
}

/// The document that a level is about under a name; without one, the name is there all the same.
fn main_document(root: &Root, level: &Level, selectors: &Selectors, name: String) -> ByName {
    let mut selectors = selectors.clone();
    selectors.insert(level.name.clone(), name);
    let main = layout::read_level(root, level, &selectors);
    let main = main.into_iter().find(|placed| placed.part == Part::Main);
    main.map_or(ByName::Several, |main| ByName::Document(main.document.path))
}

/// Returns why a document should not be built on any more, if it says so.
pub(crate) fn retired_reason(document: &Document) -> Option<&'static str> {
    match document.field("status").map(str::to_lowercase).as_deref() {
        Some("superseded") => Some("is superseded"),
        Some("deprecated") => Some("is deprecated"),
        _ if document.fields.get("superseded_by").is_some_and(|by| {
            !by.is_null() && by.as_array().is_none_or(|list| !list.is_empty())
        }) =>
        {
            Some("is superseded")
        }
        _ => None,
    }
}

/// Puts a document's staleness into a sentence, if there is something to say.
pub(crate) fn staleness_warning(path: &str, staleness: &Staleness) -> Option<String> {
    match (staleness.status, staleness.days_old, staleness.threshold) {
        (Freshness::Unknown, _, _) => {
            Some(format!("⚠️ {path} has no date that can be known, so it may be stale"))
        }
        (Freshness::Warning | Freshness::Critical, Some(days), Some(threshold)) => {
            Some(format!("⚠️ {path} is {days} days old (threshold: {threshold})"))
        }
        _ => None,
    }
}
