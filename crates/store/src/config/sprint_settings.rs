//! `.memory/config.yaml`: the settings of token budgets for the hierarchy of sprints.

use heirloom_core::document::conflict_marker;
use heirloom_core::hierarchy::{self, Hierarchy};
use heirloom_core::yaml::{self, YamlNode};
use heirloom_core::{Problem, Value};

use super::loading::LoadingSettings;
use super::place::{Step, unknown_key, wrong_value, yaml_line_of};

/// The path of the file.
pub const PATH: &str = ".memory/config.yaml";

/// The settings of the file, with their places.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SprintSettings {
    pub(super) loading: LoadingSettings,
    file: Option<YamlNode>,
}

impl SprintSettings {
    /// Parses and validates the file.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        if let Some(problem) = conflict_marker(PATH, text) {
            return Err(super::unfinished_merge(problem));
        }
        let parsed = yaml::parse(text)
            .map_err(|error| Problem::at(PATH, error.line, error.message).hint("fix the YAML"))?;
        let Some(file) = parsed.filter(|file| !file.value().is_null()) else {
            return Ok(SprintSettings::default());
        };
        let value = file.value();
        if !value.is_object() {
            let problem = Problem::at(PATH, file.line, "this is not a mapping of settings");
            return Err(problem.hint("write `loading_strategy:` and `token_allocation:`"));
        }
        let loading = Self::read(&file, &value)?;
        let sprints = sprints();
        if let Some((path, message)) = loading.first_defect(&sprints) {
            return Err(Problem::at(PATH, yaml_line_of(&file, &path), message));
        }
        Ok(SprintSettings { loading, file: Some(file) })
    }

    fn read(file: &YamlNode, value: &Value) -> Result<LoadingSettings, Problem> {
        let schema = schemars::schema_for!(LoadingSettings).to_value();
        if let Some(unknown) = unknown_key(value, &schema) {
            let line = yaml_line_of(file, &unknown.path);
            return Err(Problem::at(PATH, line, unknown.message).hint(unknown.hint));
        }
        if let Some(wrong) = wrong_value(value, &schema) {
            return Err(Problem::at(PATH, yaml_line_of(file, &wrong.path), wrong.message));
        }
        serde_json::from_value(value.clone())
            .map_err(|error| Problem::in_file(PATH, error.to_string()))
    }

    /// Returns a problem for each setting that is ignored because another file sets it too.
    pub(super) fn overridden_by(&self, other: &LoadingSettings) -> Vec<Problem> {
        let Some(file) = &self.file else { return vec![] };
        let own = &self.loading;
        let mut paths: Vec<Vec<&str>> = Vec::new();
        for (level, loading) in &own.loading_strategy {
            let Some(others) = other.loading_strategy.get(level) else { continue };
            let keys = [
                ("always_load", loading.always_load.is_some() && others.always_load.is_some()),
                (
                    "conditional_load",
                    loading.conditional_load.is_some() && others.conditional_load.is_some(),
                ),
                ("max_tokens", loading.max_tokens.is_some() && others.max_tokens.is_some()),
            ];
            let twice = keys.into_iter().filter(|(_, is_twice)| *is_twice);
            paths.extend(twice.map(|(key, _)| vec!["loading_strategy", level.as_str(), key]));
        }
        let roles = own.token_allocation.keys();
        let roles = roles.filter(|role| other.token_allocation.contains_key(*role));
        paths.extend(roles.map(|role| vec!["token_allocation", role.as_str()]));
        if own.token_budget.is_some() && other.token_budget.is_some() {
            paths.push(vec!["token_budget"]);
        }
        if !own.stages.is_empty() && !other.stages.is_empty() {
            paths.push(vec!["stages"]);
        }
        let problem = |path: &Vec<&str>| {
            let steps: Vec<Step> = path.iter().map(|key| Step::key(key)).collect();
            let message =
                format!("`{}` is ignored, because {} sets it too", path.join("."), super::PATH);
            Problem::at(PATH, yaml_line_of(file, &steps), message).hint("remove one of the two")
        };
        paths.iter().map(problem).collect()
    }
}

fn sprints() -> Hierarchy {
    hierarchy::built_in().shift_remove(hierarchy::SPRINTS).unwrap_or(Hierarchy { levels: vec![] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_reported_with_line_and_suggestion() {
        let problem = SprintSettings::parse("loading_strategy:\n  agent:\n    always_loads: []\n")
            .unwrap_err();
        assert_eq!(
            (problem.line, problem.message.as_str(), problem.hint),
            (
                3,
                "there is no setting `loading_strategy.agent.always_loads`",
                Some("did you mean `always_load`?".into())
            )
        );
    }

    #[test]
    fn invalid_values_are_rejected_with_their_line() {
        for (line, text) in [
            (1, "- a\n"),
            (2, "token_budget: 1\nstages: 7\n"),
            (2, "token_allocation:\n  coder:\n    agent: 0.7\n    stage: 0.7\n"),
            (3, "token_allocation:\n  coder:\n    agent: -1\n"),
            (3, "token_allocation:\n  coder:\n    agnet: 0.5\n"),
            (2, "loading_strategy:\n  sprints:\n    max_tokens: 1\n"),
            (2, "loading_strategy:\n  agent:\n    always_load: [../../x.md]\n"),
            (2, "loading_strategy:\n  agent:\n    always_load: [/etc/passwd]\n"),
            (1, "stages: [a, a]\n"),
            (2, "stages:\n- ../a\n"),
            (2, "stages: [a]\nstages: [b]\n"),
            (3, "loading_strategy:\n  agent:\n    max_tokens: -5\n"),
            (3, "token_allocation:\n  coder:\n    agent: .nan\n"),
            (2, "stages: [a]\n<<<<<<< HEAD\ntoken_budget: 1\n=======\n>>>>>>> x\n"),
        ] {
            let problem = SprintSettings::parse(text).unwrap_err();
            assert_eq!(problem.line, line, "{text}{problem}");
        }
    }

    #[test]
    fn a_value_of_a_wrong_type_is_described() {
        let message = |text: &str| SprintSettings::parse(text).unwrap_err().message;
        for (text, expected) in [
            (
                "loading_strategy:\n  agent:\n    max_tokens: -5\n",
                "loading_strategy.agent.max_tokens: -5 is not a whole number from 0 on",
            ),
            ("token_budget: many\n", "token_budget: \"many\" is not a whole number from 0 on"),
            (
                "token_allocation:\n  coder:\n    agent: half\n",
                "token_allocation.coder.agent: \"half\" is not a number",
            ),
            (
                "loading_strategy:\n  agent:\n    always_load: prompt.md\n",
                "loading_strategy.agent.always_load: \"prompt.md\" is not a list",
            ),
            ("stages: [a, 7]\n", "stages.2: 7 is not a text"),
            (
                "<<<<<<< HEAD\n",
                "a git conflict marker; the settings cannot be read until the merge is finished",
            ),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        for text in ["", "# nothing\n", "null\n"] {
            assert_eq!(SprintSettings::parse(text), Ok(SprintSettings::default()));
        }
    }
}
