//! An embedder behind an OpenAI-compatible endpoint: `POST …/embeddings`.

use std::time::Duration;

use heirloom_core::embedding::{EmbedError, Embedder, normalise};
use serde::Deserialize;
use serde_json::json;

/// The number of texts per request.
const BATCH_SIZE: usize = 64;

/// Longer texts are truncated, because few models read more.
const MAX_TEXT_BYTES: usize = 8_000;

/// The timeout of a request that an interactive query waits for.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout of any other request, in which the endpoint may have to load the model first.
const INDEXING_TIMEOUT: Duration = Duration::from_secs(60);

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

/// The body of a response.
#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<EmbeddingRow>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Returns whether a text has the form of an endpoint's base URL.
    pub fn is_valid_url(text: &str) -> bool {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let is_allowed = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '?' | '#');
        rest.is_some_and(|rest| !rest.starts_with(['/', ':']) && !rest.is_empty())
            && text.chars().all(is_allowed)
    }

    /// Connects to an endpoint and determines the dimensions of its vectors, with the timeout of
    /// indexing.
    pub fn open(endpoint: &str, model: &str, key: Option<&str>) -> Result<Self, EmbedError> {
        Self::open_within(INDEXING_TIMEOUT, endpoint, model, key)
    }

    /// Connects as [`Endpoint::open`] does, with the shorter timeout of a query.
    pub fn open_for_query(
        endpoint: &str,
        model: &str,
        key: Option<&str>,
    ) -> Result<Self, EmbedError> {
        Self::open_within(QUERY_TIMEOUT, endpoint, model, key)
    }

    fn open_within(
        timeout: Duration,
        endpoint: &str,
        model: &str,
        key: Option<&str>,
    ) -> Result<Self, EmbedError> {
        if !Self::is_valid_url(endpoint) {
            let message = format!("`{endpoint}` is not the URL of an embedder endpoint");
            return Err(EmbedError::new(message, "write it as http://127.0.0.1:11434/v1"));
        }
        // Redirects are not followed, so that texts and key are sent to the named endpoint only.
        let agent = ureq::Agent::config_builder().max_redirects(0).build().into();
        let mut opened = Endpoint {
            name: format!("endpoint {model} at {endpoint}"),
            url: format!("{}/embeddings", endpoint.trim_end_matches('/')),
            model: model.to_owned(),
            key: key.map(str::to_owned),
            agent,
            dimensions: 0,
        };
        let vectors = opened.request(&["how long is a vector"], timeout);
        let vectors = vectors.map_err(|failure| failure.error)?;
        opened.dimensions = vectors.first().map_or(0, Vec::len);
        if opened.dimensions == 0 {
            return Err(opened.error("the vectors are empty"));
        }
        Ok(opened)
    }

    /// Sends texts and returns their vectors in the same order.
    fn request(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, RequestFailure> {
        let call = self.agent.post(&self.url).header("Content-Type", "application/json");
        let mut call = call.config().timeout_global(Some(timeout)).build();
        if let Some(key) = &self.key {
            call = call.header("Authorization", &format!("Bearer {key}"));
        }
        let request = json!({"model": self.model, "input": texts});
        let mut response = call.send(request.to_string()).map_err(|error| RequestFailure {
            rejects_texts: matches!(error, ureq::Error::StatusCode(400 | 413 | 422)),
            error: self.error(error),
        })?;
        let body = response.body_mut().read_to_string().map_err(|error| self.error(error))?;
        let response: EmbeddingsResponse =
            serde_json::from_str(&body).map_err(|error| self.error(error))?;
        let mut rows: Vec<(usize, Vec<f32>)> = response
            .data
            .into_iter()
            .enumerate()
            .map(|(position, row)| (row.index.unwrap_or(position), row.embedding))
            .collect();
        rows.sort_by_key(|(index, _)| *index);
        let is_complete = rows.iter().map(|(index, _)| *index).eq(0..texts.len());
        if !is_complete {
            return Err(self.error("the response does not have one vector for each text").into());
        }
        Ok(rows.into_iter().map(|(_, vector)| vector).collect())
    }

    /// Requests vectors. If the endpoint rejects the texts, the batch is bisected to find the offending
    /// ones, which get a zero vector.
    fn request_bisecting(
        &self,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self.request(texts, timeout) {
            Ok(vectors) => Ok(vectors),
            Err(failure) if !failure.rejects_texts => Err(failure.error),
            Err(_) if texts.len() == 1 => Ok(vec![vec![0.0; self.dimensions]]),
            Err(_) => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut vectors = self.request_bisecting(first, timeout)?;
                vectors.extend(self.request_bisecting(second, timeout)?);
                Ok(vectors)
            }
        }
    }

    fn error(&self, reason: impl std::fmt::Display) -> EmbedError {
        EmbedError::new(
            format!("the embedder at {} failed: {reason}", self.url),
            "check that it is running and has the model, or set embedder.kind to \"static\"",
        )
    }
}

/// A failed request.
struct RequestFailure {
    /// Whether the endpoint rejected these texts, so that others may succeed.
    rejects_texts: bool,
    error: EmbedError,
}

impl From<EmbedError> for RequestFailure {
    fn from(error: EmbedError) -> Self {
        RequestFailure { rejects_texts: false, error }
    }
}

fn truncate(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

impl Embedder for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        self.embed_within(INDEXING_TIMEOUT, texts, take)
    }

    fn embed_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut embedded = Vec::new();
        self.embed_within(QUERY_TIMEOUT, &[text], &mut |vector| embedded = vector.to_vec())?;
        Ok(embedded)
    }
}

impl Endpoint {
    fn embed_within(
        &self,
        timeout: Duration,
        texts: &[&str],
        take: &mut dyn FnMut(&[f32]),
    ) -> Result<(), EmbedError> {
        for batch in texts.chunks(BATCH_SIZE) {
            // Some endpoints reject an empty text.
            let sent = batch.iter().filter(|text| !text.trim().is_empty());
            let sent: Vec<&str> = sent.map(|text| truncate(text)).collect();
            let mut vectors = match sent.is_empty() {
                true => vec![],
                false => self.request_bisecting(&sent, timeout)?,
            }
            .into_iter();
            for text in batch {
                let mut vector = match text.trim().is_empty() {
                    true => vec![0.0; self.dimensions],
                    false => vectors.next().unwrap_or_default(),
                };
                if vector.len() != self.dimensions {
                    let (actual, expected) = (vector.len(), self.dimensions);
                    let reason = format!("a vector has {actual} dimensions instead of {expected}");
                    return Err(self.error(reason));
                }
                normalise(&mut vector);
                take(&vector);
            }
        }
        Ok(())
    }
}
