//! An embedder behind an OpenAI-compatible endpoint: `POST …/embeddings`.

use std::time::Duration;

use heirloom_core::embedding::{EmbedError, Embedder, normalise};
use serde::Deserialize;
use serde_json::json;

/// How many texts are sent at once.
const BATCH: usize = 64;

/// How long one answer may take.
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
    /// Asks an endpoint how many numbers its vectors have.
    pub fn open(endpoint: &str, model: &str, key: Option<&str>) -> Result<Self, EmbedError> {
        let agent = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).build().into();
        let mut opened = Endpoint {
            name: format!("endpoint {model} at {endpoint}"),
            url: format!("{}/embeddings", endpoint.trim_end_matches('/')),
            model: model.to_owned(),
            key: key.map(str::to_owned),
            agent,
            dimensions: 0,
        };
        opened.dimensions = opened.ask(&["how long is a vector"])?.first().map_or(0, Vec::len);
        if opened.dimensions == 0 {
            return Err(opened.failed("it gives empty vectors"));
        }
        Ok(opened)
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut call = self.agent.post(&self.url).header("Content-Type", "application/json");
        if let Some(key) = &self.key {
            call = call.header("Authorization", &format!("Bearer {key}"));
        }
        let request = json!({"model": self.model, "input": texts});
        let sent = call.send(request.to_string());
        let mut answer = sent.map_err(|error| self.failed(error))?;
        let text = answer.body_mut().read_to_string().map_err(|error| self.failed(error))?;
        let answer: Answer = serde_json::from_str(&text).map_err(|error| self.failed(error))?;
        let mut rows: Vec<(usize, Vec<f32>)> = answer
            .data
            .into_iter()
            .enumerate()
            .map(|(at, row)| (row.index.unwrap_or(at), row.embedding))
            .collect();
        rows.sort_by_key(|(at, _)| *at);
        if rows.len() != texts.len() {
            return Err(self.failed(format!("{} vectors for {} texts", rows.len(), texts.len())));
        }
        Ok(rows.into_iter().map(|(_, vector)| vector).collect())
    }

    fn failed(&self, what: impl std::fmt::Display) -> EmbedError {
        EmbedError::new(
            format!("the embedder {} does not answer as it should: {what}", self.url),
            "see whether it runs and has the model, or set embedder.kind to \"static\"",
        )
    }
}

impl Embedder for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        for batch in texts.chunks(BATCH) {
            // Some endpoints refuse a text that says nothing.
            let said: Vec<&str> =
                batch.iter().copied().filter(|text| !text.trim().is_empty()).collect();
            let mut made = match said.is_empty() {
                true => vec![],
                false => self.ask(&said)?,
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
