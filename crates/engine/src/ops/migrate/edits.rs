//! Plans the changes of a migration.

use std::collections::HashMap;

use heirloom_core::plan::{DocumentKind, KnownDates, date_in_name, fold_abstract, missing_fields};
use heirloom_core::{Document, Problem, Value, frontmatter, parallel, path};
use heirloom_store::git;
use jiff::civil::Date;

use super::documents::{self, MigratedDocument};
use crate::workspace::template;
use crate::{Error, Session};

/// From this many documents on, documents are read in parallel.
const MIN_PARALLEL_DOCUMENTS: usize = 32;

/// The changes of a migration.
#[derive(Debug, Default)]
pub(super) struct MigrationPlan {
    pub(super) edits: Vec<DocumentEdit>,
    pub(super) folded: Vec<FoldedAbstract>,
    pub(super) unchanged: usize,
    pub(super) problems: Vec<Problem>,
}

/// A document with its text before and after.
#[derive(Debug)]
pub(super) struct DocumentEdit {
    pub(super) path: String,
    pub(super) before: String,
    pub(super) after: String,
    /// The keys that are added.
    pub(super) added: Vec<&'static str>,
}

/// An abstract that becomes the description of an overview.
#[derive(Debug)]
pub(super) struct FoldedAbstract {
    pub(super) path: String,
    /// The path of the overview.
    pub(super) into: String,
}

/// A document that was read.
struct ParsedDocument {
    document: MigratedDocument,
    text: String,
    parsed: Document,
}

/// Reads the documents and plans what to change. Nothing is written.
pub(super) fn plan_edits(session: &Session) -> Result<MigrationPlan, Error> {
    let root = session.root();
    let (found, problems) = documents::find(session)?;
    let mut plan = MigrationPlan { problems, ..MigrationPlan::default() };
    let texts = parallel::map(&found, MIN_PARALLEL_DOCUMENTS, |document| root.read(&document.path));
    let mut read = Vec::with_capacity(found.len());
    for (document, text) in found.into_iter().zip(texts) {
        match text {
            Ok(None) => plan.check_lone_abstract(session, &document),
            Ok(Some(text)) => {
                let parsed = Document::parse(&document.path, &text);
                let is_unreadable = !parsed.problems.is_empty() && parsed.fields.is_empty();
                match is_unreadable && has_broken_start(&text) {
                    true => plan.problems.extend(parsed.problems),
                    false => read.push(ParsedDocument { document, text, parsed }),
                }
            }
            Err(problem) => plan.problems.push(problem),
        }
    }
    let added_on = days_of_addition(session, &read, &mut plan.problems);
    for read in read {
        plan.add(session, read, &added_on);
    }
    plan.problems.sort();
    plan.problems.dedup();
    Ok(plan)
}

/// Returns whether a text has front matter, or conflict markers, that cannot be edited.
fn has_broken_start(text: &str) -> bool {
    !matches!(frontmatter::split(text), frontmatter::FrontMatterLocation::None)
        || heirloom_core::document::conflict_marker("", text).is_some()
}

/// Returns the days on which documents were committed first, for those whose creation neither their front matter nor their
/// name tells.
fn days_of_addition(
    session: &Session,
    read: &[ParsedDocument],
    problems: &mut Vec<Problem>,
) -> HashMap<String, Date> {
    let needs_day = |read: &&ParsedDocument| {
        let has_day = read.parsed.fields.get("created").is_some_and(|value| !value.is_null());
        read.document.kind == DocumentKind::Plan
            && !has_day
            && date_in_name(path::stem(&read.document.path)).is_none()
    };
    let undated: Vec<&str> =
        read.iter().filter(needs_day).map(|read| read.document.path.as_str()).collect();
    git::first_commit_days(session.root(), &undated).unwrap_or_else(|error| {
        let message = format!(
            "the history could not be read, so no day of creation comes from it: {}",
            error.0
        );
        problems.push(Problem::in_file(".git", message));
        HashMap::new()
    })
}

impl MigrationPlan {
    /// Plans the change of one document.
    fn add(&mut self, session: &Session, read: ParsedDocument, added_on: &HashMap<String, Date>) {
        let ParsedDocument { document, text, parsed } = read;
        if template::is_unedited(&parsed) {
            self.unchanged += 1;
            return;
        }
        let dates = KnownDates { added: added_on.get(&document.path).copied() };
        let mut fields = missing_fields(&parsed, document.kind, &dates);
        if document.has_title && parsed.field("title").is_some() {
            fields.retain(|(key, _)| *key != "name");
        }
        if document.kind == DocumentKind::Overview && document.has_title {
            fields.retain(|(key, _)| *key != "tags");
        }
        let folded = self.fold(session, &document, &parsed, &mut fields);
        let edited = fields.iter().try_fold(text.clone(), |text, (key, value)| {
            frontmatter::set(&document.path, &text, key, value)
        });
        match edited {
            Err(problem) => self.problems.push(problem),
            Ok(after) => {
                self.folded.extend(folded);
                self.report_missing(&document, &parsed, &fields);
                if fields.is_empty() {
                    self.unchanged += 1;
                    return;
                }
                let added = fields.into_iter().map(|(key, _)| key).collect();
                self.edits.push(DocumentEdit { path: document.path, before: text, after, added });
            }
        }
    }

    /// Takes the description from the abstract beside an overview.
    fn fold(
        &mut self,
        session: &Session,
        document: &MigratedDocument,
        parsed: &Document,
        fields: &mut Vec<(&'static str, Value)>,
    ) -> Option<FoldedAbstract> {
        let abstract_path = document.abstract_path.as_deref()?;
        let text = match session.root().read(abstract_path) {
            Ok(text) => text?,
            Err(problem) => {
                self.problems.push(problem);
                return None;
            }
        };
        let refuse = |reason: String| {
            Problem::in_file(abstract_path, format!("this is kept, because {reason}")).hint(
                format!("write its gist as `description:` of {} and remove it", document.path),
            )
        };
        let description = match fold_abstract(&Document::parse(abstract_path, &text)) {
            Ok(description) => description,
            Err(error) => {
                self.problems.push(refuse(error.to_string()));
                return None;
            }
        };
        match parsed.field("description") {
            Some(other) if other.trim() != description => {
                let path = &document.path;
                self.problems.push(refuse(format!("{path} has another description")));
                return None;
            }
            Some(_) => {}
            None => {
                fields.retain(|(key, _)| *key != "description");
                let position = fields.iter().take_while(|(key, _)| *key == "name").count();
                fields.insert(position, ("description", description.into()));
            }
        }
        let (path, into) = (abstract_path.to_owned(), document.path.clone());
        Some(FoldedAbstract { path, into })
    }

    /// Reports an abstract without an overview beside it.
    fn check_lone_abstract(&mut self, session: &Session, document: &MigratedDocument) {
        let Some(abstract_path) = &document.abstract_path else { return };
        if session.root().exists(abstract_path) {
            let message = "this is kept, because there is no OVERVIEW.md beside it";
            let problem = Problem::in_file(abstract_path, message);
            self.problems.push(problem.hint("rename it to OVERVIEW.md"));
        }
    }

    /// Reports the required keys that a document has neither before nor after.
    fn report_missing(
        &mut self,
        document: &MigratedDocument,
        parsed: &Document,
        added: &[(&'static str, Value)],
    ) {
        let is_missing = |key: &&str| {
            let is_stated = parsed.fields.get(*key).is_some_and(|value| !value.is_null());
            let is_title = *key == "name" && document.has_title;
            !is_stated && !is_title && !added.iter().any(|(other, _)| other == key)
        };
        let missing: Vec<String> = document
            .kind
            .required_keys()
            .iter()
            .copied()
            .filter(is_missing)
            .map(|key| format!("`{key}`"))
            .collect();
        if !missing.is_empty() {
            let message = format!("nothing tells its {}", missing.join(", "));
            let problem = Problem::at(&document.path, 1, message);
            self.problems.push(problem.hint("write it into the front matter"));
        }
    }
}
