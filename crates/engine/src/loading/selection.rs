//! The part of a request that selects a context and its budget.

use heirloom_core::hierarchy::{self, Hierarchy, Selectors};
use heirloom_core::name;
use heirloom_store::{Config, layout};
use schemars::JsonSchema;
use serde::Deserialize;

use super::active_memory::{apply_memory, remove_unedited};
use super::role::{RoleShares, role_shares};
use crate::workspace::inherit::{self, Inheritance};
use crate::{Error, Session};

/// The most tokens that a request may ask for, so that sums cannot overflow.
const MAX_BUDGET_TOKENS: i64 = 1_000_000_000;

/// The fields of a request that select a context and its budget.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ContextSelection {
    /// Agent.
    #[serde(default)]
    agent: Option<String>,
    /// Sprint.
    #[serde(default)]
    sprint: Option<String>,
    /// Stage.
    #[serde(default)]
    stage: Option<String>,
    /// Plan, by name or number (0042).
    #[serde(default)]
    plan: Option<String>,
    /// Project; default: the one the plan states.
    #[serde(default)]
    project: Option<String>,
    /// Hierarchy; default: the workspace's own, or sprints if a sprint or a stage is named.
    #[serde(default)]
    hierarchy: Option<String>,
    /// Names for levels of that hierarchy (level=name).
    #[serde(default)]
    select: Selectors,
    /// Role, which decides how the budget is split; default: the one of the agent.
    #[serde(default)]
    role: Option<String>,
    /// Most tokens (o200k) to return; default: `token_budget` of the settings, 50000.
    #[serde(default)]
    budget: Option<i64>,
}

/// A context with its budget, before anything is chosen.
#[derive(Debug)]
pub(crate) struct SelectedContext {
    /// The documents, with their dates and problems.
    pub(crate) inherited: Inheritance,
    /// The hierarchy.
    pub(crate) hierarchy: Hierarchy,
    /// The shares of the levels.
    pub(crate) shares: RoleShares,
    /// The budget in tokens.
    pub(crate) budget: usize,
    /// Names that the settings know and that have no files yet.
    pub(crate) without_files: Vec<(String, String)>,
}

impl ContextSelection {
    /// Reads the selected context.
    pub(crate) fn read(self, session: &Session) -> Result<SelectedContext, Error> {
        let config = session.config()?;
        let budget = self.budget.map(check_budget).transpose()?;
        let hierarchy_name = self.hierarchy_name(config);
        let (name, hierarchy) = inherit::hierarchy(config, hierarchy_name.as_deref())?;
        let role = self.role.clone();
        let mut names = self.names();
        let agent = names.get("agent").cloned();
        let without_files = remove_names_without_files(session, &name, &hierarchy, &mut names)?;
        let mut inherited = inherit::read(session, Some(&name), &names)?;
        apply_memory(session, &mut inherited)?;
        remove_unedited(&mut inherited);
        let agent = inherited.selectors.get("agent").cloned().or(agent);
        let shares =
            role_shares(config, &hierarchy, &inherited, role.as_deref(), agent.as_deref())?;
        inherited.problems.extend(shares.problem.clone());
        inherited.problems.extend(config.overridden_settings(&name));
        let budget = budget.unwrap_or_else(|| config.token_budget(&name));
        Ok(SelectedContext { inherited, hierarchy, shares, budget, without_files })
    }

    /// Returns the hierarchy to use; `None` for the default one. A sprint or a stage is of the sprints, unless the
    /// default hierarchy has such a level.
    fn hierarchy_name(&self, config: &Config) -> Option<String> {
        let typed = [("sprint", &self.sprint), ("stage", &self.stage)];
        let is_missing = |level: &str| {
            config.find_hierarchy(&config.hierarchy).is_none_or(|own| own.level(level).is_none())
        };
        let needs_sprints = typed.iter().any(|(level, name)| name.is_some() && is_missing(level));
        self.hierarchy.clone().or_else(|| needs_sprints.then(|| hierarchy::SPRINTS.to_owned()))
    }

    fn names(self) -> Selectors {
        let mut names = self.select;
        let fields = [
            ("project", self.project),
            ("sprint", self.sprint),
            ("stage", self.stage),
            ("plan", self.plan),
            ("agent", self.agent),
        ];
        for (level, name) in fields {
            if let Some(name) = name {
                names.insert(level.to_owned(), name);
            }
        }
        names
    }
}

/// Checks a number of tokens of a request.
pub(crate) fn check_budget(tokens: i64) -> Result<usize, Error> {
    let valid = (0..=MAX_BUDGET_TOKENS).contains(&tokens).then_some(tokens);
    valid.and_then(|tokens| usize::try_from(tokens).ok()).ok_or_else(|| {
        Error::bad_input(format!("a budget of {tokens} tokens is not possible"))
            .hint(format!("state a number from 0 to {MAX_BUDGET_TOKENS}"))
    })
}

/// Removes names that have no files yet, and returns them: stages of the settings, and agents with a role of their
/// own. Git keeps no empty folders, so a stage that has not begun has none.
fn remove_names_without_files(
    session: &Session,
    hierarchy_name: &str,
    hierarchy: &Hierarchy,
    names: &mut Selectors,
) -> Result<Vec<(String, String)>, Error> {
    let config = session.config()?;
    let (stages, roles) = (config.stages(), config.token_allocation(hierarchy_name));
    let is_known = |level: &str, name: &str| match level {
        "stage" => hierarchy_name == hierarchy::SPRINTS && stages.iter().any(|stage| stage == name),
        "agent" => roles.contains_key(name),
        _ => false,
    };
    let has_files = |level: &str, typed: &str| {
        hierarchy.level(level).is_none_or(|level| {
            let found = layout::list_names(session.root(), level, names).unwrap_or_default();
            !matches!(
                name::find_loosely(typed, found.iter().map(String::as_str)),
                name::Match::Unknown(_)
            )
        })
    };
    if let Some(typed) = names.get("stage").filter(|typed| {
        hierarchy_name == hierarchy::SPRINTS
            && !is_known("stage", typed)
            && name::unsafe_reason(typed).is_none()
            && !has_files("stage", typed)
    }) {
        let similar = name::nearest(typed, stages.iter().map(String::as_str), 3);
        let candidates = if similar.is_empty() { stages } else { similar };
        return Err(Error::not_found(format!("there is no stage `{typed}`"), candidates)
            .hint("add it to `stages` in the settings, or complete it with an artifact"));
    }
    let missing: Vec<(String, String)> = names
        .iter()
        .filter(|(level, name)| is_known(level, name) && !has_files(level, name))
        .map(|(level, name)| (level.clone(), name.clone()))
        .collect();
    names.retain(|level| !missing.iter().any(|(other, _)| other == level));
    Ok(missing)
}
