//! The parts of requests that retrieve: the scope and the filters.

use std::borrow::Cow;

use heirloom_core::plan::PlanStatus;
use heirloom_core::{Hint, Value, json};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::answer::Retrieval;
use super::budget;
use crate::view::formats::EntryFormat;
use crate::workspace::plan_documents::unknown_status;
use crate::workspace::scopes::{ScopePath, Scopes};
use crate::{Error, Session};

/// The scope of a request, in one of three forms.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ScopeRequest {
    /// Workspace; default: the only one, or this repository.
    #[serde(default)]
    workspace: Option<String>,
    /// Domain.
    #[serde(default)]
    domain: Option<String>,
    /// Repository.
    #[serde(default)]
    repository: Option<String>,
    /// All names: `devtools/common/metan`.
    #[serde(default)]
    scope: Option<ScopeInput>,
}

/// The scope that a request is about, with the scopes in it.
pub(super) struct ScopeSelection<'r> {
    pub(super) scopes: Scopes<'r>,
    /// The scope; `None` if the plans of the repository itself are meant.
    pub(super) scope: Option<ScopePath>,
    /// The scope and all scopes in it.
    pub(super) within: Vec<ScopePath>,
}

/// The form of an answer.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct AnswerOptions {
    /// Most tokens of the answer; default: 8000 for a context, else no limit.
    #[serde(default)]
    budget: Option<usize>,
    /// Format of the text; default: yaml.
    #[serde(default)]
    format: Option<EntryFormat>,
}

impl AnswerOptions {
    /// Returns whether the request states a budget.
    pub(super) fn has_budget(&self) -> bool {
        self.budget.is_some()
    }

    /// Completes an answer about a scope.
    pub(super) fn complete(
        self,
        session: &Session,
        scope: Option<ScopePath>,
        mut answer: Retrieval,
    ) -> Result<Retrieval, Error> {
        answer.scope = scope.map(|scope| scope.to_string());
        answer.format = self.format;
        answer.problems.sort();
        answer.problems.dedup();
        if let Some(budget) = self.budget {
            budget::fit(session, &mut answer, budget)?;
        }
        Ok(answer)
    }
}

/// A scope as a text, `devtools/common`, or as an object, `{workspace, domain, repository}`.
#[derive(Debug)]
struct ScopeInput([Option<String>; 3]);

/// The keys of a scope as an object, the outermost first.
const SCOPE_KEYS: [&str; 3] = ["workspace", "domain", "repository"];

impl<'de> Deserialize<'de> for ScopeInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => {
                let names: Vec<&str> = text.trim_matches('/').split('/').collect();
                if names.len() > SCOPE_KEYS.len() || names.iter().any(|name| name.is_empty()) {
                    let text = text.escape_default();
                    return Err(D::Error::custom(format!(
                        "`{text}` is not a scope; write it as devtools/common/metan"
                    )));
                }
                let mut names = names.into_iter().map(str::to_owned);
                Ok(ScopeInput([names.next(), names.next(), names.next()]))
            }
            Value::Object(fields) => {
                let unknown = fields.keys().find(|key| !SCOPE_KEYS.contains(&key.as_str()));
                if let Some(unknown) = unknown {
                    let unknown = unknown.escape_default();
                    return Err(D::Error::custom(format!(
                        "a scope has no `{unknown}`, but workspace, domain and repository"
                    )));
                }
                let name = |key: &str| match fields.get(key) {
                    None | Some(Value::Null) => Ok(None),
                    Some(Value::String(name)) => Ok(Some(name.clone())),
                    Some(other) => Err(D::Error::custom(format!(
                        "the {key} of a scope is a text, and {} was given",
                        json::describe(other)
                    ))),
                };
                Ok(ScopeInput([name("workspace")?, name("domain")?, name("repository")?]))
            }
            other => Err(D::Error::custom(format!(
                "{} is neither a text nor an object",
                json::describe(&other)
            ))),
        }
    }
}

impl JsonSchema for ScopeInput {
    fn schema_name() -> Cow<'static, str> {
        "ScopeInput".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}

impl ScopeRequest {
    /// Finds the scope and the scopes in it.
    pub(super) fn select(self, session: &Session) -> Result<ScopeSelection<'_>, Error> {
        let scopes = Scopes::of(session.root(), session.config()?)?;
        let scope = self.find(session, &scopes)?;
        let within = scope.as_ref().map_or(Ok(vec![]), |scope| scopes.within(scope))?;
        Ok(ScopeSelection { scopes, scope, within })
    }

    /// Finds the scope. Without names it is the only workspace, or `None` if the default hierarchy has no scopes: then
    /// the plans of the repository are meant.
    fn find(self, session: &Session, scopes: &Scopes<'_>) -> Result<Option<ScopePath>, Error> {
        let names = self.names()?;
        let [workspace, domain, repository] = names;
        let typed = match (workspace, domain, repository) {
            (None, None, None) => return default_scope(session, scopes),
            (Some(workspace), None, None) => vec![workspace],
            (Some(workspace), Some(domain), None) => vec![workspace, domain],
            (Some(workspace), Some(domain), Some(repository)) => {
                vec![workspace, domain, repository]
            }
            (None, domain, repository) => {
                let only = default_scope(session, scopes)?;
                let Some(only) = only else { return Err(missing_name("workspace")) };
                let Some(domain) = domain else { return Err(missing_name("domain")) };
                only.names().iter().cloned().chain([domain]).chain(repository).collect()
            }
            (Some(_), None, Some(_)) => return Err(missing_name("domain")),
        };
        scopes.find(&typed).map(Some)
    }

    /// Combines the forms in which a scope may be given.
    fn names(self) -> Result<[Option<String>; 3], Error> {
        let fields = [self.workspace, self.domain, self.repository];
        let Some(ScopeInput(stated)) = self.scope else { return Ok(fields) };
        let mut names = [None, None, None];
        for (position, (field, stated)) in fields.into_iter().zip(stated).enumerate() {
            names[position] = match (field, stated) {
                (Some(field), Some(stated)) if field != stated => {
                    let key = SCOPE_KEYS[position];
                    let message =
                        format!("the {key} is given twice, as `{field}` and as `{stated}`");
                    return Err(Error::bad_input(message).hint("give one"));
                }
                (field, stated) => field.or(stated),
            };
        }
        Ok(names)
    }
}

fn missing_name(level: &str) -> Error {
    let message = format!("the {level} is missing: a scope is named from the outside in");
    let hint = Hint::text("name all of it with ").field("scope").then(": devtools/common/metan");
    Error::bad_input(message).hint(hint)
}

/// Returns the only workspace. Where the default hierarchy has plans of its own and no scopes, it is none.
fn default_scope(session: &Session, scopes: &Scopes<'_>) -> Result<Option<ScopePath>, Error> {
    if !scopes.are_default(session.config()?)? {
        return Ok(None);
    }
    let mut workspaces = scopes.workspaces()?;
    match workspaces.len() {
        0 => Err(Error::not_found("there is no workspace yet", vec![])
            .hint("make a folder for it in resources/workspaces, with an OVERVIEW.md")),
        1 => Ok(workspaces.pop()),
        _ => {
            let names = workspaces.iter().map(ToString::to_string).collect();
            Err(Error::not_found("it is not clear which workspace is meant", names)
                .hint(Hint::text("name it with ").field("workspace")))
        }
    }
}

/// Which entries are returned. An entry without the field of a filter does not pass it.
#[derive(Debug, Default, Clone)]
pub(super) struct Filters {
    pub(super) status: Vec<String>,
    pub(super) tags: Vec<String>,
    pub(super) category: Option<String>,
}

/// Filters as an object, as other tools write them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FilterInput {
    /// One of these statuses.
    #[serde(default)]
    status: Vec<String>,
    /// One of these tags.
    #[serde(default)]
    tags: Vec<String>,
    /// This category.
    #[serde(default)]
    category: Option<String>,
}

/// The fields of a request that filter entries of any kind.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct FilterRequest {
    /// Only entries with one of these tags.
    #[serde(default)]
    tags: Vec<String>,
    /// The filters in one object: `{status, tags}` for plans, `{tags, category}` for decisions and lessons.
    #[serde(default)]
    #[schemars(extend("x-no-flag" = true))]
    filters: Option<FilterInput>,
}

impl FilterRequest {
    /// Returns the filters, with those that the request of an operation has beside these.
    pub(super) fn combine(self, status: Vec<String>, category: Option<String>) -> Filters {
        let mut filters = Filters { status, tags: self.tags, category };
        if let Some(input) = self.filters {
            filters.status.extend(input.status);
            filters.tags.extend(input.tags);
            filters.category = filters.category.or(input.category);
        }
        filters
    }
}

impl Filters {
    /// Refuses a category of plans, which have none: ignored, it would return plans that do not pass it.
    pub(super) fn refuse_category(&self) -> Result<(), Error> {
        match self.category {
            None => Ok(()),
            Some(_) => {
                let hint = Hint::text("filter them by ").field("status").then(" or ").field("tags");
                Err(Error::bad_input("plans have no category").hint(hint))
            }
        }
    }

    /// Refuses a status of decisions and lessons, which have none.
    pub(super) fn refuse_status(&self) -> Result<(), Error> {
        match self.status.is_empty() {
            true => Ok(()),
            false => {
                let hint =
                    Hint::text("filter them by ").field("category").then(" or ").field("tags");
                Err(Error::bad_input("decisions and lessons have no status").hint(hint))
            }
        }
    }

    /// Returns whether a status passes.
    pub(super) fn accept_status(&self, status: Option<&str>) -> bool {
        let is_same = |wanted: &String, status: &str| {
            wanted.eq_ignore_ascii_case(status)
                || PlanStatus::from_word(wanted)
                    .is_some_and(|wanted| PlanStatus::from_word(status) == Some(wanted))
        };
        self.status.is_empty()
            || status.is_some_and(|status| self.status.iter().any(|wanted| is_same(wanted, status)))
    }

    /// Returns whether tags pass: one of them is wanted.
    pub(super) fn accept_tags(&self, tags: &[String]) -> bool {
        let is_wanted =
            |tag: &String| self.tags.iter().any(|wanted| plain_tag(wanted) == plain_tag(tag));
        self.tags.is_empty() || tags.iter().any(is_wanted)
    }

    /// Returns whether a category passes.
    pub(super) fn accept_category(&self, category: Option<&str>) -> bool {
        self.category.as_deref().is_none_or(|wanted| {
            category.is_some_and(|category| category.trim().eq_ignore_ascii_case(wanted.trim()))
        })
    }

    /// Refuses an unknown status: it is neither a status of plans nor that of any of the listed documents.
    pub(super) fn check_status<'s>(
        &self,
        known: &(impl Iterator<Item = &'s str> + Clone),
    ) -> Result<(), Error> {
        let is_known = |wanted: &&String| {
            PlanStatus::from_word(wanted).is_some()
                || known.clone().any(|status| status.eq_ignore_ascii_case(wanted))
        };
        let Some(unknown) = self.status.iter().find(|wanted| !is_known(wanted)) else {
            return Ok(());
        };
        Err(unknown_status(unknown))
    }
}

fn plain_tag(tag: &str) -> String {
    tag.trim().trim_start_matches('#').to_lowercase()
}
