//! The settings of a workspace: `.heirloom/config.toml`. Every key has a default. An unknown key is an
//! error, so that a typo in a setting is noticed.

mod consolidation;
mod contradictions;
mod hot;
mod loading;
mod place;
mod sprint_settings;

pub use consolidation::ConsolidationSettings;
pub use contradictions::{ContradictionJudge, ContradictionSettings};
pub use hot::HotSettings;
pub use loading::{DEFAULT_ROLE, LevelLoading};
pub use sprint_settings::PATH as SPRINT_SETTINGS_PATH;

use heirloom_core::Problem;
use heirloom_core::document::conflict_marker;
use heirloom_core::hierarchy::{self, Hierarchy};
use heirloom_core::name;
use heirloom_core::staleness::Thresholds;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Root;
use loading::LoadingSettings;
use place::{Step, line_at, problem_at, unknown_key, wrong_value};
use sprint_settings::SprintSettings;

/// The path of the settings file.
pub const PATH: &str = ".heirloom/config.toml";

/// The settings of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The hierarchy that is used unless a command names another: `plans`, `sprints`, `domains` or
    /// one of `hierarchies`.
    pub hierarchy: String,
    /// After how many days a document needs attention.
    pub staleness: Thresholds,
    /// Additional files for levels of the default hierarchy, by level. They are read before the files
    /// of the level, which take precedence.
    pub levels: IndexMap<String, LevelFiles>,
    /// How levels of the default hierarchy load into a token budget, by level.
    pub loading_strategy: IndexMap<String, LevelLoading>,
    /// How a token budget is split, by role: the share of each level, from 0 to 1. The role of an agent is what
    /// `role:` in its document says, else its name. `default` is for all other agents.
    pub token_allocation: IndexMap<String, IndexMap<String, f64>>,
    /// The token budget of commands that load or build a context; 50000 if it is not set.
    pub token_budget: Option<usize>,
    /// The stages in their order: the summary of one is loaded by the next. The default is that of the V-model:
    /// planning, requirements, design, coding, testing, integration, validation.
    pub stages: Vec<String>,
    /// Decision records.
    pub adrs: Adrs,
    /// Documents that are searched and belong to no level.
    pub documents: Documents,
    /// Hot memory: the rules that every conversation loads.
    pub hot: HotSettings,
    /// Memory.
    pub memory: Memory,
    /// Consolidation of memory.
    pub consolidation: ConsolidationSettings,
    /// Contradictions between memories.
    pub contradictions: ContradictionSettings,
    /// Prediction.
    pub prediction: Prediction,
    /// A language model that writes summaries instead of the built-in extraction.
    pub llm: Llm,
    /// The embedder that compares memories by meaning.
    pub embedder: Embedder,
    /// Hierarchies of your own, by name.
    pub hierarchies: IndexMap<String, Hierarchy>,
    /// The settings of `.memory/config.yaml`, or why they cannot be used.
    #[serde(skip, default = "no_sprint_settings")]
    sprints: Result<SprintSettings, Problem>,
}

/// Additional files for a level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LevelFiles {
    /// Path patterns, relative to the root.
    pub files: Vec<String>,
}

/// The locations of decision records.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adrs {
    /// Folders besides `.heirloom/adrs`, searched with their subfolders.
    pub folders: Vec<String>,
}

/// Documents that are searched and belong to no level: `heir recall` finds them, and contexts point to them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Documents {
    /// Files, and folders whose markdown files are searched with those of their subfolders.
    pub paths: Vec<String>,
}

/// Settings of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// The maximum number of pins in working memory.
    pub pins: usize,
    /// After how many hours without a call a session that was left open is ended.
    pub session_hours: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { pins: 25, session_hours: 12 }
    }
}

/// The greatest number of commits that can be learnt from. Settings come with the repository, and must not keep a machine
/// busy for hours.
const MAX_PREDICTION_COMMITS: usize = 100_000;

/// Settings of prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prediction {
    /// How many of the latest commits are learnt from; merges and commits of bots do not count.
    #[schemars(range(min = 1, max = MAX_PREDICTION_COMMITS))]
    pub commits: usize,
}

impl Default for Prediction {
    fn default() -> Self {
        Prediction { commits: 3_000 }
    }
}

/// A language model behind an OpenAI-compatible endpoint. `HEIRLOOM_LLM_KEY` holds the API key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llm {
    /// The base URL, such as `http://127.0.0.1:11434/v1`; without it no model is used. Settings come
    /// with the repository, so the URL is used only if `HEIRLOOM_LLM_ENDPOINT` is set too.
    pub endpoint: Option<String>,
    /// The name of the model at the endpoint.
    pub model: String,
}

/// The embedder that compares memories by meaning. Changing it rebuilds the index.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Embedder {
    /// The kind of embedder: `static` is built into the program and needs no setup.
    pub kind: EmbedderKind,
    /// The folder of a transformer in the workspace: a sentence transformer of the BERT family with
    /// `config.json`, `vocab.txt` and `model.safetensors`. For a folder outside of the workspace, set
    /// `HEIRLOOM_EMBEDDER_FOLDER`.
    pub folder: Option<String>,
    /// The base URL of an OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. Settings
    /// come with the repository, so the endpoint is used only if `HEIRLOOM_EMBEDDER_ENDPOINT` is set
    /// too; the key in `HEIRLOOM_EMBEDDER_KEY` is sent to that endpoint.
    pub endpoint: Option<String>,
    /// The name of the model at the endpoint.
    pub model: String,
}

/// The kinds of embedders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The model that is built into the program.
    #[default]
    Static,
    /// A sentence transformer from a folder.
    Transformer,
    /// An OpenAI-compatible endpoint.
    Endpoint,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hierarchy: hierarchy::DEFAULT_HIERARCHY.to_owned(),
            staleness: Thresholds::default(),
            levels: IndexMap::new(),
            loading_strategy: IndexMap::new(),
            token_allocation: IndexMap::new(),
            token_budget: None,
            stages: vec![],
            adrs: Adrs::default(),
            documents: Documents::default(),
            hot: HotSettings::default(),
            memory: Memory::default(),
            consolidation: ConsolidationSettings::default(),
            contradictions: ContradictionSettings::default(),
            prediction: Prediction::default(),
            llm: Llm::default(),
            embedder: Embedder::default(),
            hierarchies: IndexMap::new(),
            sprints: no_sprint_settings(),
        }
    }
}

impl Documents {
    /// Returns the paths without `./` and slashes that mean nothing.
    pub(crate) fn plain_paths(&self) -> impl Iterator<Item = String> {
        self.paths.iter().map(|path| plain_path(path))
    }
}

/// Returns a path without parts that mean nothing.
fn plain_path(path: &str) -> String {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.collect::<Vec<_>>().join("/")
}

/// Returns whether a path stays in the root.
fn is_in_root(path: &str) -> bool {
    !path.starts_with('/') && !path.contains('\\') && !path.split('/').any(|part| part == "..")
}

fn no_sprint_settings() -> Result<SprintSettings, Problem> {
    Ok(SprintSettings::default())
}

impl Config {
    /// Reads the settings of a workspace.
    pub fn load(root: &Root) -> Result<Self, Problem> {
        let config = match root.read(PATH)? {
            Some(text) => Self::parse(&text)?,
            None => Self::default(),
        };
        match root.read(SPRINT_SETTINGS_PATH) {
            Ok(Some(text)) => config.with_sprint_settings(SprintSettings::parse(&text)),
            Ok(None) => Ok(config),
            Err(problem) => config.with_sprint_settings(Err(problem)),
        }
    }

    fn with_sprint_settings(
        self,
        sprints: Result<SprintSettings, Problem>,
    ) -> Result<Self, Problem> {
        // Another tool may have a file of this name, which matters only where sprints are used.
        match sprints {
            Err(problem) if self.hierarchy == hierarchy::SPRINTS => Err(problem),
            sprints => Ok(Config { sprints, ..self }),
        }
    }

    /// Parses and validates the settings of sprints, `.memory/config.yaml`, besides the default ones.
    pub fn parse_sprint_settings(text: &str) -> Result<Self, Problem> {
        let sprints = Ok(SprintSettings::parse(text)?);
        Ok(Config { hierarchy: hierarchy::SPRINTS.to_owned(), sprints, ..Self::default() })
    }

    /// Parses and validates settings.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            let problem = Problem::at(PATH, line, error.message().trim().replace('\n', " "));
            let is_unmerged = conflict_marker(PATH, text).map(unfinished_merge);
            is_unmerged.or_else(|| wrong_setting(text)).unwrap_or(problem)
        })?;
        config.check(text)?;
        Ok(config)
    }

    fn check(&self, text: &str) -> Result<(), Problem> {
        let Thresholds { warning, critical, archive } = self.staleness;
        if !(warning > 0.0 && warning <= critical && critical <= archive && archive.is_finite()) {
            let message = "staleness: the days must be positive, and warning ≤ critical ≤ archive";
            return Err(problem_at(text, &[Step::key("staleness")], message));
        }
        if !(1..=MAX_PREDICTION_COMMITS).contains(&self.prediction.commits) {
            let message =
                format!("prediction.commits must be between 1 and {MAX_PREDICTION_COMMITS}");
            return Err(problem_at(
                text,
                &[Step::key("prediction"), Step::key("commits")],
                message,
            ));
        }
        for (name, hierarchy) in &self.hierarchies {
            if let Some(defect) = hierarchy.first_defect() {
                let path = [Step::key("hierarchies"), Step::key(name)];
                return Err(problem_at(text, &path, format!("hierarchies.{name}: {defect}")));
            }
        }
        let Some(hierarchy) = self.find_hierarchy(&self.hierarchy) else {
            return Err(self.unknown_hierarchy(text));
        };
        self.check_levels(text, &hierarchy)?;
        let loading = self.loading_settings();
        if let Some((path, message)) = loading.first_defect(&hierarchy) {
            return Err(problem_at(text, &path, message));
        }
        if let Some((key, message)) = self.consolidation.first_defect() {
            let path = [Step::key("consolidation"), Step::key(key)];
            return Err(problem_at(text, &path, message));
        }
        if let Some((key, message)) = self.hot.first_defect() {
            return Err(problem_at(text, &[Step::key("hot"), Step::key(key)], message));
        }
        let folders = ("adrs", "folders", "a folder", &self.adrs.folders);
        let documents = ("documents", "paths", "a file or folder", &self.documents.paths);
        for (table, key, what, paths) in [folders, documents] {
            // Records may lie in the root itself.
            let is_allowed =
                |path: &str| is_in_root(path) && (table == "adrs" || !plain_path(path).is_empty());
            if let Some((at, path)) = paths.iter().enumerate().find(|(_, path)| !is_allowed(path)) {
                let message = format!(
                    "{table}.{key}: `{path}` must be {what} below the root, written with `/` as separator"
                );
                let place = [Step::key(table), Step::key(key), Step::Item(at)];
                return Err(problem_at(text, &place, message));
            }
        }
        Ok(())
    }

    fn unknown_hierarchy(&self, text: &str) -> Problem {
        let names = self.hierarchy_names();
        let near = name::nearest(&self.hierarchy, names.iter().map(String::as_str), 1);
        let hint = near.first().map_or_else(
            || format!("existing hierarchies: {}", names.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("there is no hierarchy `{}`", self.hierarchy);
        problem_at(text, &[Step::key("hierarchy")], message).hint(hint)
    }

    /// Checks that additional files name existing levels and valid patterns.
    fn check_levels(&self, text: &str, hierarchy: &Hierarchy) -> Result<(), Problem> {
        for (name, more) in &self.levels {
            let path = [Step::key("levels"), Step::key(name)];
            let mut extended = hierarchy.clone();
            let Some(level) = extended.levels.iter_mut().find(|level| level.name == *name) else {
                let names: Vec<&str> =
                    hierarchy.levels.iter().map(|level| level.name.as_str()).collect();
                let message =
                    format!("levels.{name}: the hierarchy `{}` has no such level", self.hierarchy);
                return Err(problem_at(text, &path, message)
                    .hint(format!("its levels are {}", names.join(", "))));
            };
            level.additional.extend(more.files.iter().cloned());
            if let Some(defect) = extended.first_defect() {
                return Err(problem_at(text, &path, format!("levels.{name}: {defect}")));
            }
        }
        Ok(())
    }

    /// Returns a hierarchy by name; the default hierarchy includes its additional files and its loading strategy.
    pub fn find_hierarchy(&self, name: &str) -> Option<Hierarchy> {
        let mut hierarchy = self
            .hierarchies
            .get(name)
            .cloned()
            .or_else(|| hierarchy::built_in().shift_remove(name))?;
        if let (hierarchy::SPRINTS, Ok(sprints)) = (name, &self.sprints) {
            sprints.loading.apply(&mut hierarchy);
        }
        if name == self.hierarchy {
            self.loading_settings().apply(&mut hierarchy);
            for level in &mut hierarchy.levels {
                if let Some(more) = self.levels.get(&level.name) {
                    level.additional.splice(0..0, more.files.iter().cloned());
                }
            }
        }
        Some(hierarchy)
    }

    fn loading_settings(&self) -> LoadingSettings {
        LoadingSettings {
            loading_strategy: self.loading_strategy.clone(),
            token_allocation: self.token_allocation.clone(),
            token_budget: self.token_budget,
            stages: self.stages.clone(),
        }
    }

    /// Returns the settings of budgets that apply to a hierarchy: those of `.heirloom/config.toml` if it is the default
    /// one, and for sprints those of `.memory/config.yaml`.
    fn loading_settings_of(&self, hierarchy: &str) -> LoadingSettings {
        let own = if hierarchy == self.hierarchy {
            self.loading_settings()
        } else {
            LoadingSettings { token_budget: self.token_budget, ..LoadingSettings::default() }
        };
        match (&self.sprints, hierarchy) {
            (Ok(sprints), hierarchy::SPRINTS) => own.or(&sprints.loading),
            _ => own,
        }
    }

    /// Returns the token budget of a hierarchy, unless a request states another.
    pub fn token_budget(&self, hierarchy: &str) -> usize {
        self.loading_settings_of(hierarchy).token_budget.unwrap_or(loading::DEFAULT_TOKEN_BUDGET)
    }

    /// Returns the share of each level by role, for a hierarchy.
    pub fn token_allocation(&self, hierarchy: &str) -> IndexMap<String, IndexMap<String, f64>> {
        self.loading_settings_of(hierarchy).token_allocation
    }

    /// Returns the paths that the settings always load on a level of a hierarchy, as they are written; nothing if they
    /// leave it to the hierarchy.
    pub fn always_load(&self, hierarchy: &str, level: &str) -> Vec<String> {
        let own = self.loading_strategy.get(level).filter(|_| hierarchy == self.hierarchy);
        let of_sprints = match (&self.sprints, hierarchy) {
            (Ok(sprints), hierarchy::SPRINTS) => sprints.loading.loading_strategy.get(level),
            _ => None,
        };
        let always = |loading: &LevelLoading| loading.always_load.clone();
        own.and_then(always).or_else(|| of_sprints.and_then(always)).unwrap_or_default()
    }

    /// Returns the stages of sprints in their order.
    pub fn stages(&self) -> Vec<String> {
        let stages = self.loading_settings_of(hierarchy::SPRINTS).stages;
        if stages.is_empty() {
            return loading::V_MODEL_STAGES.iter().map(|&stage| stage.to_owned()).collect();
        }
        stages
    }

    /// Returns why the settings of a hierarchy cannot be used.
    pub fn hierarchy_problem(&self, hierarchy: &str) -> Option<&Problem> {
        self.sprints.as_ref().err().filter(|_| hierarchy == hierarchy::SPRINTS)
    }

    /// Returns the settings of `.memory/config.yaml` that are ignored because `.heirloom/config.toml` sets them too.
    pub fn overridden_settings(&self, hierarchy: &str) -> Vec<Problem> {
        match &self.sprints {
            Ok(sprints) if hierarchy == hierarchy::SPRINTS && hierarchy == self.hierarchy => {
                sprints.overridden_by(&self.loading_settings())
            }
            _ => vec![],
        }
    }

    /// Returns the names of all hierarchies.
    pub fn hierarchy_names(&self) -> Vec<String> {
        hierarchy::built_in().keys().chain(self.hierarchies.keys()).cloned().collect()
    }
}

/// Returns a problem for the first key that is not a setting, or the first value that has the wrong type.
fn wrong_setting(text: &str) -> Option<Problem> {
    let table: toml::Table = text.parse().ok()?;
    let schema = schemars::schema_for!(Config).to_value();
    let settings = serde_json::to_value(table).ok()?;
    if let Some(unknown) = unknown_key(&settings, &schema) {
        return Some(problem_at(text, &unknown.path, unknown.message).hint(unknown.hint));
    }
    wrong_value(&settings, &schema).map(|wrong| problem_at(text, &wrong.path, wrong.message))
}

/// Returns the problem of settings with a conflict marker, given that of a document with one.
fn unfinished_merge(marker: Problem) -> Problem {
    let message = "a git conflict marker; the settings cannot be read until the merge is finished";
    Problem { message: message.to_owned(), ..marker }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_means_the_defaults() {
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }

    #[test]
    fn an_unknown_key_is_reported_with_line_and_suggestion() {
        let problem =
            Config::parse("hierarchy = \"plans\"\n\n[stalenes]\nwarning = 3\n").unwrap_err();
        assert_eq!((problem.line, problem.hint), (3, Some("did you mean `staleness`?".into())));
        let problem = Config::parse("[staleness]\nwarnin = 3\n").unwrap_err();
        assert_eq!(
            (problem.line, problem.message.as_str(), problem.hint),
            (2, "there is no setting `staleness.warnin`", Some("did you mean `warning`?".into()))
        );
    }

    #[test]
    fn a_value_of_a_wrong_type_is_described() {
        let problem = |text: &str| {
            let problem = Config::parse(text).unwrap_err();
            (problem.line, problem.message)
        };
        assert_eq!(
            problem("[loading_strategy.agent]\nmax_tokens = -5\n"),
            (2, "loading_strategy.agent.max_tokens: -5 is not a whole number from 0 on".into())
        );
        assert_eq!(problem("stages = 7\n"), (1, "stages: 7 is not a list".into()));
        let conflict = "<<<<<<< HEAD\nhierarchy = \"plans\"\n=======\n>>>>>>> theirs\n";
        let message =
            "a git conflict marker; the settings cannot be read until the merge is finished";
        assert_eq!(problem(conflict), (1, message.into()));
    }

    #[test]
    fn a_problem_has_the_line_of_its_own_setting() {
        // The same name stands earlier in a comment, in another table and in a value.
        for (line, text) in [
            (4, "# staleness\n[llm]\nmodel = \"staleness\"\n[staleness]\nwarning = 40\n"),
            (3, "[embedder]\nmodel = \"warnin\"\n[staleness.warnin]\n"),
            (4, "[llm]\nmodel = \"m\"\n[memory]\nmodel = \"m\"\n"),
            (3, "[levels.workspace]\nfiles = [\"team.md\"]\n[levels.team]\nfiles = []\n"),
            (4, "[adrs]\nfolders = [\n  \"docs/etc\",\n  \"/etc\",\n]\n"),
            (3, "levels.plan.files = []\n[[hierarchies.a.levels]]\nplan = 1\nname = \"x\"\n"),
        ] {
            assert_eq!(Config::parse(text).unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn invalid_values_are_rejected() {
        for text in [
            "hierarchy = \"plan\"",
            "[staleness]\nwarning = 40",
            "[levels.team]\nfiles = []",
            "[levels.plan]\nfiles = [\"../x.md\"]",
            "[adrs]\nfolders = [\"/etc\"]",
            "x =",
        ] {
            assert!(Config::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_custom_hierarchy_can_be_the_default() {
        let config = Config::parse("hierarchy = \"teams\"\n[[hierarchies.teams.levels]]\nname = \"org\"\npriority = 0\nalways = [\"org.md\"]\n[[hierarchies.teams.levels]]\nname = \"team\"\npriority = 10\nalways = [\"teams/{team}.md\"]\n").unwrap();
        assert_eq!(config.find_hierarchy("teams").unwrap().levels.len(), 2);
    }
}
