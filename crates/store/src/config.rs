//! The settings of a workspace: `.heirloom/config.toml`. Every key has a default. An unknown key is an
//! error, so that a typo in a setting is noticed.

use heirloom_core::hierarchy::{self, Hierarchy};
use heirloom_core::name;
use heirloom_core::staleness::Thresholds;
use heirloom_core::{Problem, Value};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use crate::Root;

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
    /// Decision records.
    pub adrs: Adrs,
    /// Memory.
    pub memory: Memory,
    /// A language model that writes summaries instead of the built-in extraction.
    pub llm: Llm,
    /// The embedder that compares memories by meaning.
    pub embedder: Embedder,
    /// Hierarchies of your own, by name.
    pub hierarchies: IndexMap<String, Hierarchy>,
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
            adrs: Adrs::default(),
            memory: Memory::default(),
            llm: Llm::default(),
            embedder: Embedder::default(),
            hierarchies: IndexMap::new(),
        }
    }
}

impl Config {
    /// Reads the settings of a workspace.
    pub fn load(root: &Root) -> Result<Self, Problem> {
        match root.read(PATH)? {
            Some(text) => Self::parse(&text),
            None => Ok(Self::default()),
        }
    }

    /// Parses and validates settings.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            let problem = Problem::at(PATH, line, error.message().trim().replace('\n', " "));
            match unknown_key(text) {
                Some((key, line, hint)) => {
                    Problem::at(PATH, line, format!("there is no setting `{key}`")).hint(hint)
                }
                None => problem,
            }
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
        for (at, folder) in self.adrs.folders.iter().enumerate() {
            if folder.starts_with('/')
                || folder.contains('\\')
                || folder.split('/').any(|part| part == "..")
            {
                let message = format!(
                    "adrs.folders: `{folder}` must be a folder below the root, written with `/` as separator"
                );
                let path = [Step::key("adrs"), Step::key("folders"), Step::Item(at)];
                return Err(problem_at(text, &path, message));
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

    /// Returns a hierarchy by name; the default hierarchy includes its additional files.
    pub fn find_hierarchy(&self, name: &str) -> Option<Hierarchy> {
        let mut hierarchy = self
            .hierarchies
            .get(name)
            .cloned()
            .or_else(|| hierarchy::built_in().shift_remove(name))?;
        if name == self.hierarchy {
            for level in &mut hierarchy.levels {
                if let Some(more) = self.levels.get(&level.name) {
                    level.additional.splice(0..0, more.files.iter().cloned());
                }
            }
        }
        Some(hierarchy)
    }

    /// Returns the names of all hierarchies.
    pub fn hierarchy_names(&self) -> Vec<String> {
        hierarchy::built_in().keys().chain(self.hierarchies.keys()).cloned().collect()
    }
}

/// A step on the path from the whole file to a setting.
#[derive(Debug, Clone)]
enum Step {
    /// The key of a table.
    Key(String),
    /// The position in an array.
    Item(usize),
}

impl Step {
    fn key(name: &str) -> Self {
        Step::Key(name.to_owned())
    }
}

/// Returns a problem at the line of a setting.
fn problem_at(text: &str, path: &[Step], message: impl Into<String>) -> Problem {
    Problem::at(PATH, line_of(text, path), message)
}

/// Returns the line of a setting, or of the innermost setting around it that the file contains.
fn line_of(text: &str, path: &[Step]) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 1 };
    let file = DeValue::Table(table.into_inner());
    let (mut offset, mut value) = (0, &file);
    for step in path {
        let next = match (step, value) {
            (Step::Key(key), DeValue::Table(table)) => {
                let entry = table.iter().find(|(name, _)| name.get_ref() == key);
                entry.map(|(name, value)| (name.span().start, value))
            }
            (Step::Item(at), DeValue::Array(items)) => {
                items.get(*at).map(|item| (item.span().start, item))
            }
            _ => None,
        };
        let Some((start, inner)) = next else { break };
        (offset, value) = (start, inner.get_ref());
    }
    line_at(text, offset)
}

/// Finds a key that the schema does not define. Returns the key, its line and a hint.
fn unknown_key(text: &str) -> Option<(String, usize, String)> {
    let table: toml::Table = text.parse().ok()?;
    let schema = schemars::schema_for!(Config).to_value();
    let settings = serde_json::to_value(table).ok()?;
    let mut path = Vec::new();
    let known = first_unknown(&settings, &schema, &schema, &mut path)?;
    let keys = path.iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    });
    let keys: Vec<&str> = keys.collect();
    let last = keys.last().copied().unwrap_or_default();
    let hint = match name::nearest(last, known.iter().map(String::as_str), 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the settings of this section are {}", known.join(", ")),
    };
    Some((keys.join("."), line_of(text, &path), hint))
}

/// Extends `path` to the first key that the schema does not define, and returns the keys that it defines
/// there. `definitions` is the whole schema, which references are resolved in.
fn first_unknown(
    value: &Value,
    schema: &Value,
    definitions: &Value,
    path: &mut Vec<Step>,
) -> Option<Vec<String>> {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => definitions.pointer(reference.trim_start_matches('#'))?,
        None => schema,
    };
    match value {
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            let inner = schema.get("items")?;
            on_step(path, Step::Item(at), |path| first_unknown(item, inner, definitions, path))
        }),
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let properties = schema.get("properties").and_then(Value::as_object);
            let others = schema.get("additionalProperties").filter(|inner| inner.is_object());
            on_step(path, Step::key(key), |path| match (properties, others) {
                (Some(properties), _) => match properties.get(key) {
                    Some(inner) => first_unknown(value, inner, definitions, path),
                    None => Some(properties.keys().cloned().collect()),
                },
                (None, Some(inner)) => first_unknown(value, inner, definitions, path),
                (None, None) => None,
            })
        }),
        _ => None,
    }
}

/// Searches with one more step on the path, which is kept only if something is found.
fn on_step<T>(
    path: &mut Vec<Step>,
    step: Step,
    search: impl FnOnce(&mut Vec<Step>) -> Option<T>,
) -> Option<T> {
    path.push(step);
    let found = search(path);
    if found.is_none() {
        path.pop();
    }
    found
}

/// Returns the number of the line that contains a byte offset.
fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
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
