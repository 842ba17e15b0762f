//! A file of documents and questions with known answers, as JSON Lines.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

/// Documents, and questions about them.
#[derive(Debug, Default)]
pub(crate) struct Dataset {
    pub(crate) documents: Vec<Document>,
    pub(crate) questions: Vec<Question>,
}

/// A document.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Document {
    /// The id of the document.
    pub(crate) doc: String,
    /// The session that the document belongs to.
    #[serde(default)]
    pub(crate) group: Option<String>,
    /// When the document was written.
    #[serde(default)]
    pub(crate) at: Option<String>,
    pub(crate) text: String,
}

/// A question and its answers.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// The ids of the documents that answer it.
    #[serde(default)]
    pub(crate) gold: Vec<String>,
    /// The groups that answer it, if the documents are not known.
    #[serde(default)]
    pub(crate) gold_groups: Vec<String>,
    #[serde(default, deserialize_with = "string_or_number")]
    pub(crate) category: Option<String>,
    /// When it is asked.
    #[serde(default)]
    pub(crate) at: Option<String>,
    /// The answer, in words.
    #[serde(default, deserialize_with = "string_or_number")]
    pub(crate) answer: Option<String>,
}

/// Reads a category, which is a string in some datasets and a number in others.
fn string_or_number<'de, D: serde::Deserializer<'de>>(
    input: D,
) -> Result<Option<String>, D::Error> {
    let value = Option::<serde_json::Value>::deserialize(input)?;
    Ok(value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DatasetLine {
    Document(Document),
    Question(Question),
}

impl Dataset {
    /// Reads a file, without the questions whose answers are not in it.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
        let mut dataset = Dataset::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(DatasetLine::Document(document)) => dataset.documents.push(document),
                Ok(DatasetLine::Question(question)) => dataset.questions.push(question),
                Err(error) => {
                    let location = format!("{}:{}", path.display(), index + 1);
                    return Err(Failure::new(format!(
                        "{location}: the line is neither a document nor a question: {error}"
                    )));
                }
            }
        }
        let ids: HashSet<&str> =
            dataset.documents.iter().map(|document| document.doc.as_str()).collect();
        for question in &mut dataset.questions {
            question.gold.retain(|id| ids.contains(id.as_str()));
            question.gold.sort();
            question.gold.dedup();
        }
        dataset
            .questions
            .retain(|question| !question.gold.is_empty() || !question.gold_groups.is_empty());
        Ok(dataset)
    }
}
