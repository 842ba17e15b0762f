//! `migrate`: adds missing front matter to plans and overviews.

mod documents;
mod edits;

use heirloom_core::unified_diff::unified_diff;
use heirloom_core::{Hint, Problem};
use heirloom_store::journal::Rename;
use schemars::JsonSchema;
use serde::Serialize;

use crate::memory::{RunKind, WriteTransaction};
use crate::view::{Role, View, present, span};
use crate::workspace::archive::{Archive, Unit};
use crate::workspace::inherit;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};
use edits::{DocumentEdit, FoldedAbstract, plan_edits};

pub(crate) struct Migrate;

#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only show the changes, as a unified diff.
    #[serde(default)]
    dry_run: bool,
}

/// What was added to the front matter of plans and overviews.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Migration {
    /// Documents that were changed.
    changed: Vec<ChangedDocument>,
    /// Abstracts that became the description of the overview beside them.
    folded: Vec<FoldedDocument>,
    /// How many documents need no change.
    unchanged: usize,
    /// What is still missing, because neither the text nor the history tells it, and what cannot be read.
    problems: Vec<Problem>,
    /// The changes as a unified diff, of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Whether nothing was written.
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ChangedDocument {
    /// Path of the document.
    source: String,
    /// Keys that were added.
    added: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FoldedDocument {
    /// Path of the abstract.
    source: String,
    /// Path of the overview.
    into: String,
    /// Where the abstract is kept.
    archived_to: String,
}

impl Operation for Migrate {
    type Request = Request;
    type Response = Migration;
    const SPEC: Spec = Spec {
        name: "migrate",
        usage: "migrate",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Add missing front matter to plans and overviews: name, description, status, created and tags, as far as text, file name and history tell them. An ABSTRACT.md becomes the description of the OVERVIEW.md beside it and goes to the archive.",
    };

    fn run(session: &Session, request: Request) -> Result<Migration, Error> {
        let transaction = match request.dry_run {
            true => None,
            false => Some(WriteTransaction::begin(session, false)?),
        };
        let plan = plan_edits(session)?;
        let folded = locate_abstracts(session, plan.folded)?;
        let diff = request.dry_run.then(|| diff_of(&plan.edits, &folded));
        if let Some(mut transaction) = transaction {
            for edit in &plan.edits {
                transaction.edit(&edit.path, Some(&edit.before), edit.after.clone());
            }
            for document in &folded {
                let (from, to) = (document.source.clone(), document.archived_to.clone());
                transaction.rename(Rename { from, to });
            }
            transaction.commit_as_run(RunKind::Migration)?;
        }
        let changed = plan.edits.into_iter();
        let changed = changed.map(|edit| ChangedDocument { source: edit.path, added: edit.added });
        Ok(Migration {
            changed: changed.collect(),
            folded,
            unchanged: plan.unchanged,
            problems: plan.problems,
            diff,
            dry_run: request.dry_run,
        })
    }
}

/// Chooses where each abstract is kept.
fn locate_abstracts(
    session: &Session,
    folded: Vec<FoldedAbstract>,
) -> Result<Vec<FoldedDocument>, Error> {
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let archive = Archive::new(session.root());
    let located = folded.into_iter().map(|folded| {
        let unit = Unit::of_document(&hierarchy, &folded.path);
        let version = archive.next_version(&hierarchy, &unit);
        let archived_to = heirloom_store::archive::location(&folded.path, version);
        let FoldedAbstract { path, into } = folded;
        FoldedDocument { source: path, into, archived_to }
    });
    Ok(located.collect())
}

fn diff_of(edits: &[DocumentEdit], folded: &[FoldedDocument]) -> String {
    let mut diff: String =
        edits.iter().map(|edit| unified_diff(&edit.path, &edit.before, &edit.after)).collect();
    for document in folded {
        let (from, to) = (&document.source, &document.archived_to);
        diff.push_str(&format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        ));
    }
    diff
}

impl Answer for Migration {
    fn view(&self) -> View {
        let mut view = View::new();
        if let Some(diff) = self.diff.as_ref().filter(|diff| !diff.is_empty()) {
            for line in diff.lines() {
                let role = match line {
                    line if line.starts_with("+++") || line.starts_with("---") => Role::Source,
                    line if line.starts_with('+') => Role::Good,
                    line if line.starts_with('-') => Role::Bad,
                    line if line.starts_with("@@") => Role::Dim,
                    _ => Role::Plain,
                };
                view.line([span(role, line)]);
            }
        } else if self.changed.is_empty() && self.folded.is_empty() {
            view.plain_line("nothing to change");
        } else {
            self.show_changes(&mut view);
        }
        view
    }

    fn notices(&self) -> Vec<Hint> {
        self.problems.iter().map(Problem::describe).collect()
    }
}

impl Migration {
    fn show_changes(&self, view: &mut View) {
        let row = |document: &ChangedDocument| {
            vec![
                span(Role::Good, "changed"),
                span(Role::Source, &document.source),
                span(Role::Dim, format!("added {}", document.added.join(", "))),
            ]
        };
        view.table(&[], self.changed.iter().map(row).collect());
        for FoldedDocument { source, into, archived_to } in &self.folded {
            view.line([
                span(Role::Good, "folded "),
                span(Role::Source, source),
                format!(" into {into}; it is kept as {archived_to}").into(),
            ]);
        }
        let summary = format!(
            "changed {}, folded {}; {} unchanged",
            present::count(self.changed.len(), "document"),
            present::count(self.folded.len(), "abstract"),
            self.unchanged
        );
        view.line([span(Role::Dim, summary)]);
    }
}
