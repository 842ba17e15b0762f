//! The settings of token budgets: what each level loads, how a budget is split, and the order of stages. They have the
//! same keys in `.heirloom/config.toml` and in `.memory/config.yaml`.

use heirloom_core::hierarchy::{Hierarchy, Level, MAX_SHARE_SUM};
use heirloom_core::name;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::Step;

/// The token budget if neither a request nor the settings state one.
pub(super) const DEFAULT_TOKEN_BUDGET: usize = 50_000;

/// The stages of the V-model.
pub(super) const V_MODEL_STAGES: &[&str] =
    &["planning", "requirements", "design", "coding", "testing", "integration", "validation"];

/// The role whose shares apply to agents without a role of their own.
pub const DEFAULT_ROLE: &str = "default";

/// Files of sprints that have two names; either is read.
const SECOND_NAMES: &[(&str, &str)] = &[
    ("artifacts/*", "current_artifacts/*"),
    ("prompt.md", "prompt_template.md"),
    ("tools.yaml", "tools_config.yaml"),
    ("context.json", "recent_actions.json"),
];

/// How a level loads into a token budget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LevelLoading {
    /// Path patterns of files that are loaded even beyond the share of the level. They replace `always`. In sprints,
    /// paths are relative to the folder of the level.
    pub always_load: Option<Vec<String>>,
    /// Path patterns of files that share what is left, the newest first. They replace `if_room`.
    pub conditional_load: Option<Vec<String>>,
    /// The most tokens that the level may use.
    pub max_tokens: Option<usize>,
}

/// The settings of token budgets.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LoadingSettings {
    pub(super) loading_strategy: IndexMap<String, LevelLoading>,
    pub(super) token_allocation: IndexMap<String, IndexMap<String, f64>>,
    pub(super) token_budget: Option<usize>,
    pub(super) stages: Vec<String>,
}

impl LoadingSettings {
    /// Changes the levels of a hierarchy as the loading strategy says.
    pub(super) fn apply(&self, hierarchy: &mut Hierarchy) {
        for level in &mut hierarchy.levels {
            let Some(loading) = self.loading_strategy.get(&level.name) else { continue };
            let patterns = |paths: &Vec<String>, level: &Level| {
                paths.iter().map(|path| level_pattern(level, path)).collect::<Vec<_>>()
            };
            if let Some(paths) = &loading.always_load {
                level.always = patterns(paths, level);
            }
            if let Some(paths) = &loading.conditional_load {
                level.if_room = patterns(paths, level);
            }
            level.max_tokens = loading.max_tokens.or(level.max_tokens);
        }
    }

    /// Adds the settings of another file that are not set here.
    pub(super) fn or(mut self, other: &LoadingSettings) -> Self {
        for (role, shares) in &other.token_allocation {
            self.token_allocation.entry(role.clone()).or_insert_with(|| shares.clone());
        }
        self.token_budget = self.token_budget.or(other.token_budget);
        if self.stages.is_empty() {
            self.stages.clone_from(&other.stages);
        }
        self
    }

    /// Returns the path of the first setting that is not valid for a hierarchy, and what is wrong with it.
    pub(super) fn first_defect(&self, hierarchy: &Hierarchy) -> Option<(Vec<Step>, String)> {
        self.strategy_defect(hierarchy)
            .or_else(|| self.allocation_defect(hierarchy))
            .or_else(|| self.stages_defect())
    }

    fn strategy_defect(&self, hierarchy: &Hierarchy) -> Option<(Vec<Step>, String)> {
        for (name, loading) in &self.loading_strategy {
            let path = vec![Step::key("loading_strategy"), Step::key(name)];
            if hierarchy.level(name).is_none() {
                return Some((path, format!("loading_strategy: {}", no_level(hierarchy, name))));
            }
            let one = IndexMap::from_iter([(name.clone(), loading.clone())]);
            let one = LoadingSettings { loading_strategy: one, ..LoadingSettings::default() };
            let mut changed = hierarchy.clone();
            one.apply(&mut changed);
            if let Some(defect) = changed.first_defect() {
                return Some((path, format!("loading_strategy.{name}: {defect}")));
            }
        }
        None
    }

    fn allocation_defect(&self, hierarchy: &Hierarchy) -> Option<(Vec<Step>, String)> {
        for (role, shares) in &self.token_allocation {
            let role_path = vec![Step::key("token_allocation"), Step::key(role)];
            for (level, share) in shares {
                let mut path = role_path.clone();
                path.push(Step::key(level));
                if hierarchy.level(level).is_none() {
                    return Some((
                        path,
                        format!("token_allocation.{role}: {}", no_level(hierarchy, level)),
                    ));
                }
                if !(0.0..=1.0).contains(share) {
                    return Some((
                        path,
                        format!(
                            "token_allocation.{role}.{level}: {share} is not a share from 0 to 1"
                        ),
                    ));
                }
            }
            let sum: f64 = shares.values().sum();
            if sum > MAX_SHARE_SUM {
                return Some((
                    role_path,
                    format!(
                        "token_allocation.{role}: the shares add up to {sum:.2}, which is more than 1"
                    ),
                ));
            }
        }
        None
    }

    fn stages_defect(&self) -> Option<(Vec<Step>, String)> {
        self.stages.iter().enumerate().find_map(|(at, stage)| {
            let path = vec![Step::key("stages"), Step::Item(at)];
            if let Some(reason) = name::unsafe_reason(stage) {
                return Some((path, format!("stages: {stage:?} cannot be a name: {reason}")));
            }
            let is_repeated = self.stages[..at].contains(stage);
            is_repeated.then(|| (path, format!("stages: `{stage}` is listed twice")))
        })
    }
}

fn no_level(hierarchy: &Hierarchy, name: &str) -> String {
    let names: Vec<&str> = hierarchy.levels.iter().map(|level| level.name.as_str()).collect();
    let near = name::nearest(name, names.iter().copied(), 1);
    match near.first() {
        Some(near) => format!("there is no level `{name}`; did you mean `{near}`?"),
        None => format!("there is no level `{name}`; the levels are {}", names.join(", ")),
    }
}

/// Returns the pattern of a level for a path of the loading strategy. A path with a variable is relative to the root.
/// Files of a level that needs no name may also be in the root, such as `CLAUDE.md`.
fn level_pattern(level: &Level, path: &str) -> String {
    let Some(folder) = level.folder.as_deref().filter(|_| !path.contains('{')) else {
        return path.to_owned();
    };
    let mut names: Vec<&str> = path.split('|').collect();
    for name in names.clone() {
        let second = SECOND_NAMES.iter().find_map(|(one, other)| match name {
            _ if name == *one => Some(*other),
            _ if name == *other => Some(*one),
            _ => None,
        });
        names.extend(second.filter(|second| !path.split('|').any(|name| name == *second)));
    }
    let mut alternatives = Vec::new();
    for name in names {
        let in_folder = format!("{folder}/{name}");
        match (level.needs_selection(), name.contains('/')) {
            (true, _) => alternatives.push(in_folder),
            (false, true) => alternatives.extend([in_folder, name.to_owned()]),
            (false, false) => alternatives.extend([name.to_owned(), in_folder]),
        }
    }
    alternatives.join("|")
}

#[cfg(test)]
mod tests {
    use heirloom_core::hierarchy;

    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder_of_the_level() {
        let sprints = &hierarchy::built_in()["sprints"];
        let pattern = |level: &str, path: &str| level_pattern(sprints.level(level).unwrap(), path);
        assert_eq!(pattern("project", "CLAUDE.md"), "CLAUDE.md|.memory/project/CLAUDE.md");
        assert_eq!(
            pattern("project", "decisions/*.md"),
            ".memory/project/decisions/*.md|decisions/*.md"
        );
        assert_eq!(pattern("sprint", "goals.md"), ".memory/sprint/{sprint}/goals.md");
        assert_eq!(
            pattern("stage", "current_artifacts/*"),
            ".memory/stage/{stage}/current_artifacts/*|.memory/stage/{stage}/artifacts/*"
        );
        assert_eq!(pattern("sprint", "notes/{sprint}.md"), "notes/{sprint}.md");
    }
}
