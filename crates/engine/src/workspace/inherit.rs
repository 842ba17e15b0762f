//! The context that one plan or agent inherits: the selected documents with their dates, staleness and
//! conflicts.

use std::collections::HashSet;

use heirloom_core::adr::Adr;
use heirloom_core::cascade::Layer;
use heirloom_core::conflict::{self, Conflict, NameLookup, ReferenceResolver, Severity};
use heirloom_core::hierarchy::{Hierarchy, Level, Selectors};
use heirloom_core::name::{self, Match};
use heirloom_core::staleness::{self, Freshness, Staleness};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem, day, path};
use heirloom_store::adrs::{AdrDocument, Scope};
use heirloom_store::layout::{self, DocumentRole, HierarchyDocument};
use heirloom_store::{Config, Root, dates};
use jiff::civil::Date;

use crate::workspace::archive::Archive;
use crate::workspace::documents::Documents;
use crate::workspace::template;
use crate::{Error, Session};

/// The date and staleness of a document.
#[derive(Debug, Clone, Copy)]
pub struct Assessment {
    /// The date of the last change, if known.
    pub updated: Option<Date>,
    /// The staleness.
    pub staleness: Staleness,
}

/// The context that the selected names inherit.
#[derive(Debug)]
pub(crate) struct Inheritance {
    /// The hierarchy's name.
    pub hierarchy: String,
    /// The names that were selected, in order of level.
    pub selectors: Selectors,
    /// The documents, lowest priority first.
    pub placed: Vec<HierarchyDocument>,
    /// The paths of documents that are unedited templates and therefore left out.
    pub unedited: Vec<String>,
    /// The date and staleness of each document.
    pub assessments: Vec<Assessment>,
    /// The decision records that apply.
    pub records: Vec<AdrDocument>,
    /// The conflicts of values and references.
    pub conflicts: Vec<Conflict>,
    /// Problems found while reading.
    pub problems: Vec<Problem>,
}

/// Finds a hierarchy by name, or the default one.
pub(crate) fn hierarchy(config: &Config, name: Option<&str>) -> Result<(String, Hierarchy), Error> {
    let name = name.unwrap_or(&config.hierarchy);
    if let Some(problem) = config.hierarchy_problem(name) {
        return Err(problem.clone().into());
    }
    match config.find_hierarchy(name) {
        Some(hierarchy) => Ok((name.to_owned(), hierarchy)),
        None => {
            let names = config.hierarchy_names();
            let similar = name::nearest(name, names.iter().map(String::as_str), 3);
            Err(Error::not_found(
                format!("there is no hierarchy `{name}`"),
                if similar.is_empty() { names } else { similar },
            ))
        }
    }
}

/// Finds a level of the default hierarchy that is selected by name, such as `plan`.
pub(crate) fn level(config: &Config, level: &str) -> Result<Level, Error> {
    let (name, hierarchy) = hierarchy(config, None)?;
    let mut levels = hierarchy.levels.into_iter();
    let found = levels.find(|found| found.name == level && found.needs_selection());
    found.ok_or_else(|| {
        Error::bad_input(format!("this workspace's hierarchy, `{name}`, has no {level}s"))
            .hint("see `hierarchy` in .heirloom/config.toml")
    })
}

/// Reads the context that the selected names inherit. Only the files on that chain are opened.
pub(crate) fn read(
    session: &Session,
    hierarchy_name: Option<&str>,
    typed: &Selectors,
) -> Result<Inheritance, Error> {
    let (root, config) = (session.root(), session.config()?);
    let (hierarchy_name, hierarchy) = hierarchy(config, hierarchy_name)?;
    let mut selectors = layout::resolve_selectors(root, &hierarchy, typed)?;
    let mut placed = layout::read_selected(root, &hierarchy, &mut selectors);
    let unedited = remove_templates(&mut placed);
    let scope =
        selectors.get("project").map_or(Scope::Workspace, |project| Scope::Project(project));
    let (records, record_problems) = Documents::records(session, scope)?;
    let documents: Vec<&Document> = placed.iter().map(|placed| &*placed.document).collect();
    let (mut assessments, date_problems) = assess(session, &documents)?;
    limit_decisions_to_review(&mut assessments, &documents, &records);
    let stalenesses: Vec<Staleness> =
        assessments.iter().map(|assessment| assessment.staleness).collect();
    let mut conflicts = conflict::find_value_conflicts(&layers(&placed), &stalenesses);
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
        assessments,
        records,
        conflicts,
        problems,
    })
}

/// Removes template text from documents and returns the paths of those that are empty afterwards. Memory
/// documents are not changed here, because their entries are read first.
fn remove_templates(placed: &mut [HierarchyDocument]) -> Vec<String> {
    let documents = placed.iter_mut().filter(|placed| placed.role != DocumentRole::Memory);
    let unedited = documents.filter_map(|placed| {
        template::remove_template_text(placed).then(|| placed.document.path.clone())
    });
    unedited.collect()
}

/// Returns documents as layers of values.
pub(crate) fn layers(placed: &[HierarchyDocument]) -> Vec<Layer<'_>> {
    placed
        .iter()
        .map(|placed| Layer {
            level: &placed.level,
            priority: placed.priority,
            document: &placed.document,
        })
        .collect()
}

/// Returns the staleness of a document without a known date.
pub(crate) fn assess_undated(session: &Session) -> Result<Assessment, Error> {
    let thresholds = session.config()?.staleness;
    let staleness = staleness::evaluate(None, session.today(), None, &thresholds);
    Ok(Assessment { updated: None, staleness })
}

/// Determines the date and staleness of documents.
pub(crate) fn assess(
    session: &Session,
    documents: &[&Document],
) -> Result<(Vec<Assessment>, Vec<Problem>), Error> {
    let thresholds = session.config()?.staleness;
    let today = session.today();
    let (dates, mut problems) = dates::of_documents(session.root(), documents);
    let assessments = documents
        .iter()
        .zip(dates)
        .map(|(document, updated)| {
            let interval = refresh_interval(document, &mut problems);
            // One day of tolerance: today is in UTC, while people write local dates. Only a date that
            // the document states can be corrected in it.
            let is_ahead = updated.is_some_and(|date| staleness::days_between(today, date) > 1);
            let stated = document.field("updated").filter(|_| is_ahead).and_then(day::parse);
            if stated.is_some_and(|stated| staleness::days_between(today, stated) > 1) {
                let line = document.line_of("updated");
                problems.push(
                    Problem::at(&document.path, line, "its date is in the future")
                        .hint("correct `updated:`"),
                );
            }
            Assessment {
                updated,
                staleness: staleness::evaluate(updated, today, interval, &thresholds),
            }
        })
        .collect();
    Ok((assessments, problems))
}

/// Limits the recommended action for decisions in force to a review: a decision holds until another one
/// replaces it, however old it is.
pub(crate) fn limit_decisions_to_review(
    assessments: &mut [Assessment],
    documents: &[&Document],
    records: &[AdrDocument],
) {
    let in_force: HashSet<&str> = records
        .iter()
        .filter(|record| record.adr.status.may_be_in_force())
        .map(|record| record.adr.path.as_str())
        .collect();
    for (assessment, document) in assessments.iter_mut().zip(documents) {
        if in_force.contains(document.path.as_str()) {
            assessment.staleness = assessment.staleness.without_archiving();
        }
    }
}

fn refresh_interval(document: &Document, problems: &mut Vec<Problem>) -> Option<f64> {
    let written = document.fields.get("refresh_interval").filter(|value| !value.is_null())?;
    let days = written
        .as_f64()
        .or_else(|| written.as_str()?.trim().trim_end_matches('d').trim().parse().ok());
    let valid = days.filter(|days| *days > 0.0 && days.is_finite());
    if valid.is_none() {
        let line = document.line_of("refresh_interval");
        problems.push(
            Problem::at(
                &document.path,
                line,
                format!("`refresh_interval: {written}` is not a number of days"),
            )
            .hint("write a positive number of days, such as 30"),
        );
    }
    valid
}

/// Checks the references of the documents on a chain. They are checked against the records that apply to
/// it first. If a reference is broken, all records are read, because it may name a record of another
/// project.
fn reference_conflicts(
    session: &Session,
    chain: &Chain<'_>,
    records: &[AdrDocument],
) -> Result<Vec<Conflict>, Error> {
    let has_broken_reference = |document: &Document, known: &ReferenceResolver<'_>| {
        document.references.iter().any(|reference| known.is_broken(document, reference))
    };
    let checked = chain.with_reference_resolver(session.root(), records, |known| {
        let is_broken =
            chain.documents.iter().any(|document| has_broken_reference(document, known));
        (!is_broken).then(|| chain.conflicts(known))
    });
    if let Some(conflicts) = checked {
        return Ok(conflicts);
    }
    let (all, _) = Documents::records(session, Scope::AllProjects)?;
    Ok(chain.with_reference_resolver(session.root(), &all, |known| chain.conflicts(known)))
}

/// The selected names and their documents, from the top of the hierarchy down.
struct Chain<'c> {
    hierarchy: &'c Hierarchy,
    selectors: &'c Selectors,
    documents: &'c [&'c Document],
}

impl Chain<'_> {
    /// Calls a function with everything that the documents of the chain may refer to.
    fn with_reference_resolver<T>(
        &self,
        root: &Root,
        records: &[AdrDocument],
        run: impl FnOnce(&ReferenceResolver<'_>) -> T,
    ) -> T {
        let adrs: Vec<Adr> = records.iter().map(|record| record.adr.clone()).collect();
        let supersession = Supersession::new(&adrs);
        let archive = Archive::new(root);
        let retired = |path: &str| {
            layout::read_document(root, path).and_then(|(_, document)| retired_reason(&document))
        };
        run(&ReferenceResolver {
            adrs: &adrs,
            supersession: &supersession,
            by_name: &|_, typed| match find_by_name(root, self.hierarchy, self.selectors, typed) {
                NameLookup::NotFound => self.find_by_stem(typed),
                found => found,
            },
            by_exact_name: &|_, name| {
                find_by_exact_name(root, self.hierarchy, self.selectors, name)
            },
            exists: &|path| root.exists(path),
            retirement_reason: &retired,
            is_archived: &|name| archive.holds(name),
        })
    }

    /// Finds a document of the chain by the stem of its file: `Roadmap`, `architecture`.
    fn find_by_stem(&self, typed: &str) -> NameLookup {
        let has_stem =
            |document: &&&Document| path::stem(&document.path).eq_ignore_ascii_case(typed);
        let found = self.documents.iter().find(has_stem);
        found.map_or(NameLookup::NotFound, |document| NameLookup::Document(document.path.clone()))
    }

    fn conflicts(&self, known: &ReferenceResolver<'_>) -> Vec<Conflict> {
        let references = self
            .documents
            .iter()
            .flat_map(|document| conflict::find_broken_references(document, known));
        let cycles = conflict::find_supersession_cycles(known.adrs, known.supersession);
        // Conflicts that only concern authors are reported by `context validate`.
        let misleading = conflict::find_one_sided_supersessions(known.adrs, known.supersession)
            .into_iter()
            .filter(|conflict| conflict.severity > Severity::Information);
        references.chain(cycles).chain(misleading).collect()
    }
}

/// Finds the document that a name in `depends_on` refers to, searching the most specific level first.
fn find_by_name(
    root: &Root,
    hierarchy: &Hierarchy,
    selectors: &Selectors,
    typed: &str,
) -> NameLookup {
    let number_or_name = name::leading_number(typed).unwrap_or(typed);
    for level in hierarchy.levels.iter().rev().filter(|level| level.needs_selection()) {
        let names = layout::list_names(root, level, selectors).unwrap_or_default();
        match name::find(number_or_name, names.iter().map(String::as_str)) {
            Match::Unknown(_) => {}
            Match::Ambiguous(_) => return NameLookup::Ambiguous,
            Match::One(name) => return main_document(root, level, selectors, name),
        }
    }
    NameLookup::NotFound
}

/// Finds the document with exactly this name, searching the most specific level first. Folders are not
/// listed.
fn find_by_exact_name(
    root: &Root,
    hierarchy: &Hierarchy,
    selectors: &Selectors,
    name: &str,
) -> NameLookup {
    if name::unsafe_reason(name).is_some() {
        return NameLookup::NotFound;
    }
    let mut levels = hierarchy.levels.iter().rev().filter(|level| level.needs_selection());
    let found = levels.find(|level| layout::has_name(root, level, selectors, name));
    found.map_or(NameLookup::NotFound, |level| {
        main_document(root, level, selectors, name.to_owned())
    })
}

/// Finds the main document of a name. A name without one is reported as `Several`, so that the reference
/// is not taken for broken.
fn main_document(root: &Root, level: &Level, selectors: &Selectors, name: String) -> NameLookup {
    let mut selectors = selectors.clone();
    selectors.insert(level.name.clone(), name);
    let main = layout::read_level(root, level, &selectors);
    let main = main.into_iter().find(|placed| placed.role == DocumentRole::Main);
    main.map_or(NameLookup::Ambiguous, |main| NameLookup::Document(main.document.path))
}

/// Returns why a document no longer applies, if its front matter says so.
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

/// Formats a warning about a stale document; `None` if it is fresh.
pub(crate) fn staleness_warning(path: &str, staleness: &Staleness) -> Option<String> {
    match (staleness.status, staleness.days_old, staleness.threshold) {
        (Freshness::Unknown, _, _) => {
            Some(format!("⚠️ {path} has no known date, so it may be stale"))
        }
        (Freshness::Warning | Freshness::Critical, Some(days), Some(threshold)) => {
            Some(format!("⚠️ {path} is {days} days old (threshold: {threshold})"))
        }
        _ => None,
    }
}
