//! An embedder behind an OpenAI-compatible endpoint: `POST …/embeddings`.

use std::time::Duration;

use heirloom_core::embedding::{EmbedError, Embedder, normalise};
use serde::Deserialize;
use serde_json::json;

/// How many texts are sent at once.
const BATCH: usize = 64;

/// Longer texts are cut: few models read more.
const LONGEST: usize = 8_000;

/// How long an answer may take for which somebody waits who has a question, and how long any other:
/// a model may have to be read first.
const SOON: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(60);

/// An embedder behind an endpoint.
#[derive(Debug)]
pub struct Endpoint {
    name: String,
    url: String,
    model: String,
    key: Option<String>,
    agent: ureq::Agent,
    dimensions: usize,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Returns whether a text may be the address of an endpoint.
    pub fn is_address(text: &str) -> bool {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let is_part = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '?' | '#');
        rest.is_some_and(|rest| !rest.starts_with(['/', ':']) && !rest.is_empty())
            && text.chars().all(is_part)
    }

    /// Asks an endpoint how many numbers its vectors have, and gives it a minute to answer.
    pub fn open(endpoint: &str, model: &str, key: Option<&str>) -> Result<Self, EmbedError> {
        Self::open_within(PATIENCE, endpoint, model, key)
    }

    /// Does the same for somebody who has a question and does not wait for long.
    pub fn open_soon(endpoint: &str, model: &str, key: Option<&str>) -> Result<Self, EmbedError> {
        Self::open_within(SOON, endpoint, model, key)
    }

    fn open_within(
        patience: Duration,
        endpoint: &str,
        model: &str,
        key: Option<&str>,
    ) -> Result<Self, EmbedError> {
        if !Self::is_address(endpoint) {
            let message = format!("`{endpoint}` is no endpoint of an embedder");
            return Err(EmbedError::new(message, "write it as http://127.0.0.1:11434/v1"));
        }
        // What is sent goes to the place that was named, and nowhere else.
        let agent = ureq::Agent::config_builder().max_redirects(0).build().into();
        let mut opened = Endpoint {
            name: format!("endpoint {model} at {endpoint}"),
            url: format!("{}/embeddings", endpoint.trim_end_matches('/')),
            model: model.to_owned(),
            key: key.map(str::to_owned),
            agent,
            dimensions: 0,
        };
        let asked =
            opened.ask(&["how long is a vector"], patience).map_err(|refusal| refusal.error);
        opened.dimensions = asked?.first().map_or(0, Vec::len);
        if opened.dimensions == 0 {
            return Err(opened.failed("it gives empty vectors"));
        }
        Ok(opened)
    }

    fn ask(&self, texts: &[&str], patience: Duration) -> Result<Vec<Vec<f32>>, Refusal> {
        let call = self.agent.post(&self.url).header("Content-Type", "application/json");
        let mut call = call.config().timeout_global(Some(patience)).build();
        if let Some(key) = &self.key {
            call = call.header("Authorization", &format!("Bearer {key}"));
        }
        let request = json!({"model": self.model, "input": texts});
        let mut answer = call.send(request.to_string()).map_err(|error| Refusal {
            is_of_texts: matches!(error, ureq::Error::StatusCode(400 | 413 | 422)),
            error: self.failed(error),
        })?;
        let text = answer.body_mut().read_to_string().map_err(|error| self.failed(error))?;
        let answer: Answer = serde_json::from_str(&text).map_err(|error| self.failed(error))?;
        let mut rows: Vec<(usize, Vec<f32>)> = answer
            .data
            .into_iter()
            .enumerate()
            .map(|(at, row)| (row.index.unwrap_or(at), row.embedding))
            .collect();
        rows.sort_by_key(|(at, _)| *at);
        let is_whole = rows.iter().map(|(at, _)| *at).eq(0..texts.len());
        if !is_whole {
            return Err(self.failed("not one vector for each text").into());
        }
        Ok(rows.into_iter().map(|(_, vector)| vector).collect())
    }

    /// Asks for vectors; a text that is refused by itself has none.
    fn ask_each(&self, texts: &[&str], patience: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self.ask(texts, patience) {
            Ok(vectors) => Ok(vectors),
            Err(refusal) if !refusal.is_of_texts => Err(refusal.error),
            Err(_) if texts.len() == 1 => Ok(vec![vec![0.0; self.dimensions]]),
            Err(_) => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut vectors = self.ask_each(first, patience)?;
                vectors.extend(self.ask_each(second, patience)?);
                Ok(vectors)
            }
        }
    }

    fn failed(&self, what: impl std::fmt::Display) -> EmbedError {
        EmbedError::new(
            format!("the embedder {} does not answer as it should: {what}", self.url),
            "see whether it runs and has the model, or set embedder.kind to \"static\"",
        )
    }
}

/// Why there was no answer.
struct Refusal {
    /// Whether the texts were refused, and others may not be.
    is_of_texts: bool,
    error: EmbedError,
}

impl From<EmbedError> for Refusal {
    fn from(error: EmbedError) -> Self {
        Refusal { is_of_texts: false, error }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

impl Embedder for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        self.embed_within(PATIENCE, texts, take)
    }

    fn embed_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut made = Vec::new();
        self.embed_within(SOON, &[text], &mut |vector| made = vector.to_vec())?;
        Ok(made)
    }
}

impl Endpoint {
    fn embed_within(
        &self,
        patience: Duration,
        texts: &[&str],
        take: &mut dyn FnMut(&[f32]),
    ) -> Result<(), EmbedError> {
        for batch in texts.chunks(BATCH) {
            // Some endpoints refuse a text that says nothing.
            let said = batch.iter().filter(|text| !text.trim().is_empty());
            let said: Vec<&str> = said.map(|text| cut(text)).collect();
            let mut made = match said.is_empty() {
                true => vec![],
                false => self.ask_each(&said, patience)?,
            }
            .into_iter();
            for text in batch {
                let mut vector = match text.trim().is_empty() {
                    true => vec![0.0; self.dimensions],
                    false => made.next().unwrap_or_default(),
                };
                if vector.len() != self.dimensions {
                    let (got, wanted) = (vector.len(), self.dimensions);
                    return Err(self.failed(format!("a vector of {got} numbers, not {wanted}")));
                }
                normalise(&mut vector);
                take(&vector);
            }
        }
        Ok(())
    }
}
