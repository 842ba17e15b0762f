//! The settings of a workspace: `.heirloom/config.toml`. Every key has a default; a key that is not
//! known is an error, because a typo in a setting must not be silent.

use heirloom_core::hierarchy::{self, Hierarchy};
use heirloom_core::name;
use heirloom_core::staleness::Thresholds;
use heirloom_core::{Problem, Value};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Root;

/// Where the settings are.
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
    /// Further files for levels of the default hierarchy, by level. They are read before the
    /// level's own, which win.
    pub levels: IndexMap<String, MoreFiles>,
    /// Decision records.
    pub adrs: Adrs,
    /// What is remembered.
    pub memory: Memory,
    /// A language model that writes summaries in the place of our own extraction.
    pub llm: Llm,
    /// What tells which memories are near in meaning.
    pub embedder: Embedder,
    /// Hierarchies of your own, by name.
    pub hierarchies: IndexMap<String, Hierarchy>,
}

/// Further files for a level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MoreFiles {
    /// Path patterns, relative to the root.
    pub files: Vec<String>,
}

/// Where decision records are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adrs {
    /// Folders besides `.heirloom/adrs`, searched with their subfolders.
    pub folders: Vec<String>,
}

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// How many pins working memory holds.
    pub pins: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { pins: 25 }
    }
}

/// A language model behind an OpenAI-compatible endpoint. Its key is in `HEIRLOOM_LLM_KEY`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llm {
    /// Where it is, such as `http://127.0.0.1:11434/v1`; without it there is none. Settings come with
    /// the repository, so it is used only if `HEIRLOOM_LLM_ENDPOINT` names one too.
    pub endpoint: Option<String>,
    /// What it is called there.
    pub model: String,
}

/// What tells which memories are near in meaning. Another one makes the index anew.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Embedder {
    /// Which one: `static` is inside the program and needs nothing.
    pub kind: EmbedderKind,
    /// The folder of a transformer in the workspace: a sentence transformer of the BERT family with
    /// `config.json`, `vocab.txt` and `model.safetensors`. `HEIRLOOM_EMBEDDER_FOLDER` names one
    /// anywhere else.
    pub folder: Option<String>,
    /// Where an OpenAI-compatible endpoint is, such as `http://127.0.0.1:11434/v1`. Settings come with
    /// the repository, so it is used only if `HEIRLOOM_EMBEDDER_ENDPOINT` names one too, which then
    /// gets the key in `HEIRLOOM_EMBEDDER_KEY`.
    pub endpoint: Option<String>,
    /// What the model is called at the endpoint.
    pub model: String,
}

/// The sorts of embedders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The model inside the program.
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
            hierarchy: hierarchy::DEFAULT.to_owned(),
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

    /// Reads settings.
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
        let at = |needle: &str, message: String| {
            Problem::at(
                PATH,
                text.lines().position(|line| line.contains(needle)).map_or(1, |line| line + 1),
                message,
            )
        };
        let Thresholds { warning, critical, archive } = self.staleness;
        if !(warning > 0.0 && warning <= critical && critical <= archive && archive.is_finite()) {
            return Err(at(
                "staleness",
                "staleness: the days must be positive, and warning ≤ critical ≤ archive".into(),
            ));
        }
        for (name, hierarchy) in &self.hierarchies {
            if let Some(defect) = hierarchy.defect() {
                return Err(at(name, format!("hierarchies.{name}: {defect}")));
            }
        }
        let Some(hierarchy) = self.find_hierarchy(&self.hierarchy) else {
            let near = name::nearest(
                &self.hierarchy,
                self.hierarchy_names().iter().map(String::as_str),
                1,
            );
            let hint = near.first().map_or_else(
                || format!("there are {}", self.hierarchy_names().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(
                at("hierarchy", format!("there is no hierarchy `{}`", self.hierarchy)).hint(hint)
            );
        };
        for (level, more) in &self.levels {
            if hierarchy.level(level).is_none() {
                let names: Vec<&str> =
                    hierarchy.levels.iter().map(|level| level.name.as_str()).collect();
                return Err(at(
                    level,
                    format!("levels.{level}: the hierarchy `{}` has no such level", self.hierarchy),
                )
                .hint(format!("its levels are {}", names.join(", "))));
            }
            let mut widened = hierarchy.clone();
            widened
                .levels
                .iter_mut()
                .filter(|own| own.name == *level)
                .for_each(|own| own.adopted.extend(more.files.iter().cloned()));
            if let Some(defect) = widened.defect() {
                return Err(at(level, format!("levels.{level}: {defect}")));
            }
        }
        for folder in &self.adrs.folders {
            if folder.starts_with('/')
                || folder.contains('\\')
                || folder.split('/').any(|part| part == "..")
            {
                return Err(at(
                    folder,
                    format!("adrs.folders: `{folder}` must be a folder below the root, with `/`"),
                ));
            }
        }
        Ok(())
    }

    /// Returns a hierarchy, the default one with its further files.
    pub fn find_hierarchy(&self, name: &str) -> Option<Hierarchy> {
        let mut hierarchy = self
            .hierarchies
            .get(name)
            .cloned()
            .or_else(|| hierarchy::built_in().shift_remove(name))?;
        if name == self.hierarchy {
            for level in &mut hierarchy.levels {
                if let Some(more) = self.levels.get(&level.name) {
                    level.adopted.splice(0..0, more.files.iter().cloned());
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

/// Finds a key that the schema does not have: the key, its line and what may have been meant.
fn unknown_key(text: &str) -> Option<(String, usize, String)> {
    let table: toml::Table = text.parse().ok()?;
    let schema = schemars::schema_for!(Config).to_value();
    let written = serde_json::to_value(table).ok()?;
    let (path, known) = first_unknown(&written, &schema, &schema, "")?;
    let last = path.rsplit('.').next().unwrap_or(&path).to_owned();
    let line = text.lines().position(|line| line.contains(&last)).map_or(1, |line| line + 1);
    let hint = match name::nearest(&last, known.iter().map(String::as_str), 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the settings here are {}", known.join(", ")),
    };
    Some((path, line, hint))
}

fn first_unknown(
    value: &Value,
    schema: &Value,
    whole: &Value,
    path: &str,
) -> Option<(String, Vec<String>)> {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => whole.pointer(reference.trim_start_matches('#'))?,
        None => schema,
    };
    match value {
        Value::Array(items) => {
            items.iter().find_map(|item| first_unknown(item, schema.get("items")?, whole, path))
        }
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let here = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match (schema.get("properties"), schema.get("additionalProperties")) {
                (Some(properties), _) => match properties.get(key) {
                    Some(inner) => first_unknown(value, inner, whole, &here),
                    None => Some((here, properties.as_object()?.keys().cloned().collect())),
                },
                (None, Some(inner)) if inner.is_object() => {
                    first_unknown(value, inner, whole, &here)
                }
                _ => None,
            }
        }),
        _ => None,
    }
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_defaults() {
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }

    #[test]
    fn an_unknown_key_names_its_line_and_the_nearest() {
        let problem =
            Config::parse("hierarchy = \"plans\"\n\n[stalenes]\nwarning = 3\n").unwrap_err();
        assert_eq!((problem.line, problem.hint.as_deref()), (3, Some("did you mean `staleness`?")));
        let problem = Config::parse("[staleness]\nwarnin = 3\n").unwrap_err();
        assert_eq!(
            (problem.line, problem.message.as_str(), problem.hint.as_deref()),
            (2, "there is no setting `staleness.warnin`", Some("did you mean `warning`?"))
        );
    }

    #[test]
    fn wrong_values_are_refused() {
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
    fn a_hierarchy_of_your_own() {
        let config = Config::parse("hierarchy = \"teams\"\n[[hierarchies.teams.levels]]\nname = \"org\"\npriority = 0\nalways = [\"org.md\"]\n[[hierarchies.teams.levels]]\nname = \"team\"\npriority = 10\nalways = [\"teams/{team}.md\"]\n").unwrap();
        assert_eq!(config.find_hierarchy("teams").unwrap().levels.len(), 2);
    }
}
