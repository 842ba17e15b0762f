//! A file of documents and questions: JSON Lines, one corpus a file.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

/// A corpus and what is asked of it.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// Its documents, in order.
    pub(crate) documents: Vec<Document>,
    /// The questions.
    pub(crate) questions: Vec<Asked>,
}

/// One document.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Document {
    /// Its id.
    pub(crate) doc: String,
    /// The session that it belongs to.
    #[serde(default)]
    pub(crate) group: Option<String>,
    /// When it was said.
    #[serde(default)]
    pub(crate) at: Option<String>,
    /// What it says.
    pub(crate) text: String,
}

/// One question and where its answer is.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Asked {
    /// What is asked.
    pub(crate) text: String,
    /// The documents that answer it.
    #[serde(default)]
    pub(crate) gold: Vec<String>,
    /// The groups that answer it, where documents are not known.
    #[serde(default)]
    pub(crate) gold_groups: Vec<String>,
    /// What sort of question it is.
    #[serde(default, deserialize_with = "word")]
    pub(crate) category: Option<String>,
    /// The day on which it is asked.
    #[serde(default)]
    pub(crate) at: Option<String>,
}

/// A category is a word in some sets and a number in others.
fn word<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let value = Option::<serde_json::Value>::deserialize(input)?;
    Ok(value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Document(Document),
    Question(Asked),
}

impl Conversation {
    /// Reads a file. A question whose answer is not in the file is left out.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
        let mut read = Conversation::default();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(Row::Document(document)) => read.documents.push(document),
                Ok(Row::Question(question)) => read.questions.push(question),
                Err(error) => {
                    let place = format!("{}:{}", path.display(), at + 1);
                    return Err(Failure::new(format!(
                        "{place}: no document and no question: {error}"
                    )));
                }
            }
        }
        let ids: HashMap<&str, ()> = read.documents.iter().map(|d| (d.doc.as_str(), ())).collect();
        for question in &mut read.questions {
            question.gold.retain(|id| ids.contains_key(id.as_str()));
            question.gold.sort();
            question.gold.dedup();
        }
        read.questions
            .retain(|question| !question.gold.is_empty() || !question.gold_groups.is_empty());
        Ok(read)
    }
}
