//! The conversations that transcripts are made of, from files in the format of `questions`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::failure::Failure;

/// A message: whether the user said it, and its text.
pub(super) struct Turn {
    pub(super) is_user: bool,
    pub(super) text: String,
}

/// Conversations, and questions that they answer.
#[derive(Default)]
pub(super) struct Conversations {
    pub(super) all: Vec<Vec<Turn>>,
    pub(super) questions: Vec<String>,
}

impl Conversations {
    /// Reads files, each group of which is a conversation.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut conversations = Conversations::default();
        for path in paths {
            let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
            let mut groups: BTreeMap<String, Vec<Turn>> = BTreeMap::new();
            for (number, line) in (1..).zip(text.lines()) {
                let value: Value = serde_json::from_str(line).map_err(|error| {
                    Failure::new(format!("{}:{number}: {error}", path.display()))
                })?;
                let text = value["text"].as_str().unwrap_or_default().to_owned();
                if value.get("question").is_some() {
                    conversations.questions.push(text);
                    continue;
                }
                let (is_user, said) = match text.split_once(": ") {
                    Some(("user", said)) => (true, said),
                    Some(("assistant", said)) => (false, said),
                    _ => (groups.len().is_multiple_of(2), text.as_str()),
                };
                let group = value["group"].as_str().unwrap_or_default().to_owned();
                groups.entry(group).or_default().push(Turn { is_user, text: said.to_owned() });
            }
            conversations.all.extend(groups.into_values());
        }
        match conversations.all.is_empty() || conversations.questions.is_empty() {
            true => Err(Failure::new("the files have no documents or no questions")),
            false => Ok(conversations),
        }
    }
}
