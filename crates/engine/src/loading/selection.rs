//! The part of a request that selects a context and its budget.

use heirloom_core::hierarchy::{self, Hierarchy, Selectors};
use heirloom_store::{Config, Root};
use schemars::JsonSchema;
use serde::Deserialize;

use super::active_memory::{apply_memory, remove_unedited};
use super::role::{RoleShares, role_shares};
use crate::workspace::inherit::{self, Inheritance};
use crate::workspace::new_names::take_new_names;
use crate::{Error, Session};

/// The most tokens that a request may ask for, so that sums cannot overflow.
const MAX_BUDGET_TOKENS: i64 = 1_000_000_000;

/// The fields of a request that select names of levels.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct LevelSelection {
    /// Agent.
    #[serde(default)]
    #[schemars(extend("x-flag-alias" = "agent-id"))]
    agent: Option<String>,
    /// Sprint.
    #[serde(default)]
    sprint: Option<String>,
    /// Stage.
    #[serde(default)]
    stage: Option<String>,
    /// Plan, by name or number (0042).
    #[serde(default)]
    #[schemars(extend("x-flag-alias" = "plan-id"))]
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
}

/// The fields of a request that select a context and its budget.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ContextSelection {
    #[serde(flatten)]
    levels: LevelSelection,
    /// Role, which decides how the budget is split; default: the one of the agent.
    #[serde(default)]
    role: Option<String>,
    /// Most tokens (o200k) to return; default: `token_budget` of the settings, 50000.
    #[serde(default)]
    budget: Option<i64>,
}

/// The names of levels that a request selects.
#[derive(Debug)]
pub(crate) struct SelectedLevels {
    /// The name of the hierarchy.
    pub(crate) hierarchy_name: String,
    /// The hierarchy.
    pub(crate) hierarchy: Hierarchy,
    /// The names, as typed, of what has files.
    pub(crate) names: Selectors,
    /// Names that the settings know and that have no files yet.
    pub(crate) without_files: Vec<(String, String)>,
}

impl SelectedLevels {
    /// Returns a warning for each name without files.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let warning =
            |(level, name): &(String, String)| format!("the {level} `{name}` has no files yet");
        self.without_files.iter().map(warning).collect()
    }
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
    /// Names and files that are missing.
    pub(crate) warnings: Vec<String>,
}

impl ContextSelection {
    /// Reads the selected context.
    pub(crate) fn read(self, session: &Session) -> Result<SelectedContext, Error> {
        let config = session.config()?;
        let budget = self.budget.map(check_budget).transpose()?;
        let (role, agent) = (self.role, self.levels.agent_name());
        let levels = self.levels.find(session)?;
        let mut inherited = inherit::read(session, Some(&levels.hierarchy_name), &levels.names)?;
        apply_memory(session, &mut inherited)?;
        remove_unedited(&mut inherited);
        let agent = inherited.selectors.get("agent").cloned().or(agent);
        let hierarchy = &levels.hierarchy;
        let shares = role_shares(config, hierarchy, &inherited, role.as_deref(), agent.as_deref())?;
        inherited.problems.extend(shares.problem.clone());
        inherited.problems.extend(config.overridden_settings(&levels.hierarchy_name));
        let budget = budget.unwrap_or_else(|| config.token_budget(&levels.hierarchy_name));
        let mut warnings = levels.warnings();
        warnings.extend(missing_files(session.root(), config, &levels, &inherited.selectors));
        Ok(SelectedContext { inherited, hierarchy: levels.hierarchy, shares, budget, warnings })
    }
}

impl LevelSelection {
    /// Finds the hierarchy, and which of the names have files.
    pub(crate) fn find(self, session: &Session) -> Result<SelectedLevels, Error> {
        let config = session.config()?;
        let hierarchy_name = self.hierarchy_name(config);
        let (hierarchy_name, hierarchy) = inherit::hierarchy(config, hierarchy_name.as_deref())?;
        let mut names = self.names();
        let without_files =
            take_new_names(session.root(), config, &hierarchy_name, &hierarchy, &mut names)?;
        Ok(SelectedLevels { hierarchy_name, hierarchy, names, without_files })
    }

    /// Returns the name of the agent, as typed.
    fn agent_name(&self) -> Option<String> {
        self.agent.clone().or_else(|| self.select.get("agent").cloned())
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

/// Returns a warning for each file that the settings always load and that does not exist.
fn missing_files(
    root: &Root,
    config: &Config,
    levels: &SelectedLevels,
    selectors: &Selectors,
) -> Vec<String> {
    let mut warnings = Vec::new();
    for level in &levels.hierarchy.levels {
        let configured = config.always_load(&levels.hierarchy_name, &level.name);
        for (path, pattern) in configured.iter().zip(&level.always) {
            let is_literal = !path.contains('*');
            let mut paths = pattern.split('|').filter_map(|pattern| expand(pattern, selectors));
            // A level without a selected name has no files.
            let is_selected = paths.clone().next().is_some();
            if is_literal && is_selected && !paths.any(|path| root.exists(&path)) {
                warnings
                    .push(format!("{path}, which the {} always loads, does not exist", level.name));
            }
        }
    }
    warnings
}

fn expand(pattern: &str, selectors: &Selectors) -> Option<String> {
    hierarchy::expand_pattern(pattern, selectors)
}
