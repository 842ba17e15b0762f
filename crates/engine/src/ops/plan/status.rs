//! `plan status`: shows or changes the status of a plan.

use heirloom_core::frontmatter;
use heirloom_core::name::{self, Match};
use heirloom_core::path;
use heirloom_core::plan::PlanStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::memory::WriteTransaction;
use crate::view::{Role, View, span};
use crate::workspace::found_document::FoundDocument;
use crate::workspace::plan_documents::{
    DocumentCard, plans_of_level, plans_of_scopes, unknown_status,
};
use crate::workspace::scopes::Scopes;
use crate::workspace::typed_path::path_in_workspace;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PlanStatusChange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plan: its name (`0042-graph`, `260208-workflow-engine`), the number or the words of it, or a path.
    plan: String,
    /// New status: new, in_progress, partial, done or abandoned; without it, the current one is shown.
    #[serde(default)]
    status: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusChange {
    /// Name of the plan.
    plan: String,
    /// Path of its document.
    source: String,
    /// Status before.
    before: Option<String>,
    /// Status now.
    status: Option<String>,
    /// Day on which the status last changed, as the document states it.
    updated: Option<String>,
}

impl Operation for PlanStatusChange {
    type Request = Request;
    type Response = StatusChange;
    const SPEC: Spec = Spec {
        name: "plan_status",
        usage: "plan status <plan> [status]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Show or change the status of a plan: new, in_progress, partial, done or abandoned. The day of the change is written too.",
    };

    fn run(session: &Session, request: Request) -> Result<StatusChange, Error> {
        let status = request.status.as_deref().map(parse_status).transpose()?;
        let Some(status) = status else {
            let (plan, card) = find(session, &request.plan)?;
            let status = card.field("status");
            return Ok(StatusChange {
                plan: plan.name,
                source: plan.path,
                before: status.clone(),
                status,
                updated: card.field("updated"),
            });
        };
        let mut transaction = WriteTransaction::begin(session, false)?;
        let (plan, card) = find(session, &request.plan)?;
        if let Some(problem) = card.problems.first() {
            return Err(problem.clone().into());
        }
        let before = card.field("status");
        let mut updated = card.field("updated");
        if before.as_deref() != Some(status.as_str()) {
            let today = session.today().to_string();
            let after =
                frontmatter::set(&plan.path, &card.text, "status", &json!(status.as_str()))?;
            let after = frontmatter::set(&plan.path, &after, "updated", &json!(today))?;
            transaction.edit(&plan.path, Some(&card.text), after);
            transaction.commit()?;
            updated = Some(today);
        }
        let status = Some(status.as_str().to_owned());
        Ok(StatusChange { plan: plan.name, source: plan.path, before, status, updated })
    }
}

/// Returns the status that was typed. Other spellings and words of the same meaning are named, not guessed.
fn parse_status(typed: &str) -> Result<PlanStatus, Error> {
    let letters = typed.trim().to_lowercase().replace(['-', ' '], "_");
    if let Some(status) = PlanStatus::ALL.into_iter().find(|status| status.as_str() == letters) {
        return Ok(status);
    }
    let error = unknown_status(typed);
    Err(match PlanStatus::from_word(typed) {
        Some(meant) => error.hint(format!("the word for it is `{}`", meant.as_str())),
        None => error,
    })
}

/// Finds a plan of either layout by a path or a name.
fn find(session: &Session, typed: &str) -> Result<(FoundDocument, DocumentCard), Error> {
    let root = session.root();
    let scopes = Scopes::of(root, session.config()?)?;
    let (mut plans, _) = plans_of_scopes(&scopes, &scopes.all()?);
    plans.extend(plans_of_level(session)?.0);
    let plan = choose(&plans, typed, &path_in_workspace(root, typed))?;
    let card = DocumentCard::read(root, &plan.path);
    let card = card.ok_or_else(|| Error::not_found(format!("{} is gone", plan.path), vec![]))?;
    Ok((plan, card))
}

fn choose(plans: &[FoundDocument], typed: &str, typed_path: &str) -> Result<FoundDocument, Error> {
    let is_at_path = |plan: &&FoundDocument| {
        plan.path == typed_path || path::folder(&plan.path) == typed_path.trim_end_matches('/')
    };
    let mut at_path = plans.iter().filter(is_at_path);
    if let (Some(plan), None) = (at_path.next(), at_path.next()) {
        return Ok(plan.clone());
    }
    let names = plans.iter().map(|plan| plan.name.as_str());
    let name = match name::find_loosely(typed, names) {
        Match::One(name) => name,
        Match::Ambiguous(names) => {
            let is_meant = |plan: &&FoundDocument| names.contains(&plan.name);
            return Err(ambiguous(typed, plans.iter().filter(is_meant)));
        }
        Match::Unknown(candidates) => {
            let mut names = candidates;
            names.dedup();
            let message = format!("there is no plan `{}`", typed.escape_default());
            return Err(Error::not_found(message, names));
        }
    };
    let found: Vec<&FoundDocument> = plans.iter().filter(|plan| plan.name == name).collect();
    match found.as_slice() {
        [plan] => Ok((*plan).clone()),
        several => Err(ambiguous(typed, several.iter().copied())),
    }
}

fn ambiguous<'p>(typed: &str, plans: impl Iterator<Item = &'p FoundDocument>) -> Error {
    let paths = plans.map(|plan| plan.path.clone()).collect();
    let message = format!("`{}` could be any of several plans", typed.escape_default());
    Error::not_found(message, paths).hint("use a path")
}

impl Answer for StatusChange {
    fn view(&self) -> View {
        let mut view = View::new();
        let status = self.status.as_deref().unwrap_or("no status");
        let change = match self.before.as_deref() {
            Some(before) if Some(before) != self.status.as_deref() => {
                format!("{before} → {status}")
            }
            None if self.status.is_some() => format!("no status → {status}"),
            _ => status.to_owned(),
        };
        let updated = self.updated.as_ref().map(|day| format!("  updated {day}"));
        view.line([
            span(Role::Key, &self.plan),
            format!(" {change}  ").into(),
            span(Role::Source, &self.source),
            span(Role::Dim, updated.unwrap_or_default()),
        ]);
        view
    }
}
