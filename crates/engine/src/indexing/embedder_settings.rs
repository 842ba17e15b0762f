//! The settings of an embedder: problems with them, and the files that they lead to.

use heirloom_store::config;

use crate::Error;

/// Name of the file with a transformer's dimensions.
pub(super) const CONFIG_FILE: &str = "config.json";
/// Name of the file with a transformer's vocabulary.
pub(super) const VOCABULARY_FILE: &str = "vocab.txt";
/// Name of the file with a transformer's weights.
pub(super) const WEIGHTS_FILE: &str = "model.safetensors";

/// The files of a transformer.
pub(super) const MODEL_FILES: [&str; 3] = [CONFIG_FILE, VOCABULARY_FILE, WEIGHTS_FILE];

/// Reports a setting that the kind of embedder needs.
pub(super) fn missing_setting(setting: &str, example: &str) -> Error {
    Error::bad_input(format!("the setting embedder.{setting} is missing"))
        .hint(setting_hint(setting, example))
}

/// Returns how to write a setting.
pub(super) fn setting_hint(setting: &str, example: &str) -> String {
    format!("write `{setting} = \"{example}\"` under [embedder] in {}", config::PATH)
}
