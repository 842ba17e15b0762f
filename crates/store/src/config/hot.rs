//! The settings of hot memory.

use heirloom_core::hot::clients::CLIENTS;
use heirloom_core::hot::{self, Budget};
use heirloom_core::path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{is_in_root, plain_path};

/// Hot memory: the rules that every conversation loads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HotSettings {
    /// The folder of the rules: each of its markdown files is one.
    pub folder: String,
    /// The folder of the commands that `hot link` gives to the clients.
    pub commands: String,
    /// The most lines that a conversation may load, rules of the client itself included.
    pub lines: usize,
    /// The most tokens that a conversation may load, rules of the client itself included.
    pub tokens: usize,
    /// The share of a budget from which on it is nearly used, from 0 to 1.
    pub warning_share: f64,
    /// After how many days the rules should be reviewed again.
    pub review_days: u32,
}

impl Default for HotSettings {
    fn default() -> Self {
        HotSettings {
            folder: "agent/rules/common".to_owned(),
            commands: "agent/commands/common".to_owned(),
            lines: 300,
            tokens: 3_000,
            warning_share: 0.9,
            review_days: 90,
        }
    }
}

impl HotSettings {
    /// Returns the folder of the rules without parts that mean nothing.
    pub fn rules_folder(&self) -> String {
        plain_path(&self.folder)
    }

    /// Returns the folder of the commands without parts that mean nothing.
    pub fn commands_folder(&self) -> String {
        plain_path(&self.commands)
    }

    /// Returns the budget of the whole.
    pub fn budget(&self) -> Budget {
        Budget { lines: Some(self.lines), tokens: Some(self.tokens) }
    }

    /// Returns the key of the first setting that cannot be used, and why.
    pub(super) fn first_defect(&self) -> Option<(&'static str, String)> {
        for (key, folder) in [("folder", &self.folder), ("commands", &self.commands)] {
            let plain = plain_path(folder);
            if !is_in_root(folder) || plain.is_empty() || hot::is_reserved(&plain) {
                let message = format!(
                    "hot.{key}: `{folder}` must be a folder below the root, written with `/` as separator, and not one of git or Heirloom"
                );
                return Some((key, message));
            }
            let places = CLIENTS.iter().flat_map(|client| {
                client.rules.iter().map(|rules| rules.path).chain([client.commands.folder])
            });
            if let Some(place) = places.into_iter().find(|place| path::is_within(&plain, place)) {
                let message =
                    format!("hot.{key}: a client reads {place}; the source must be elsewhere");
                return Some((key, message));
            }
        }
        if self.rules_folder() == self.commands_folder() {
            return Some((
                "commands",
                "hot.commands must not be the folder of the rules".to_owned(),
            ));
        }
        if self.lines == 0 || self.tokens == 0 {
            let key = if self.lines == 0 { "lines" } else { "tokens" };
            return Some((key, format!("hot.{key} must be at least 1")));
        }
        if !(self.warning_share > 0.0 && self.warning_share <= 1.0) {
            return Some(("warning_share", "hot.warning_share must be between 0 and 1".to_owned()));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    #[test]
    fn folders_of_clients_and_of_git_are_refused() {
        for (line, text) in [
            (2, "[hot]\nfolder = \"../rules\"\n"),
            (2, "[hot]\nfolder = \".git/hooks\"\n"),
            (2, "[hot]\nfolder = \".\"\n"),
            (2, "[hot]\nfolder = \".claude/rules\"\n"),
            (2, "[hot]\ncommands = \"agent/rules/common/\"\n"),
            (3, "[hot]\nlines = 10\ntokens = 0\n"),
            (2, "[hot]\nwarning_share = 1.5\n"),
        ] {
            let problem = Config::parse(text).unwrap_err();
            assert_eq!(problem.line, line, "{text}: {problem}");
            assert!(problem.message.starts_with("hot."), "{problem}");
        }
        let problem = Config::parse("[hot]\nline = 3\n").unwrap_err();
        assert_eq!(problem.hint, Some("did you mean `lines`?".into()));
        assert_eq!(
            Config::parse("[hot]\nfolder = \"./rules/\"\n").unwrap().hot.rules_folder(),
            "rules"
        );
    }
}
