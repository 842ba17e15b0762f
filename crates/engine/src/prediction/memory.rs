//! A predicted memory, as operations return it.

use heirloom_core::record::Referent;
use schemars::JsonSchema;
use serde::Serialize;

use crate::recall::Hit;
use crate::view::present::opening;

/// The kind of a commit that no stored memory belongs to.
pub(crate) const COMMIT: &str = "commit";

/// A memory that will likely be needed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PredictedMemory {
    /// The hash of a commit, or the id of a stored memory.
    pub(crate) id: String,
    /// Its kind: commit, fact, episode, adr, plan, ….
    pub(crate) kind: String,
    /// The first line of a commit's message, or the title or opening of a memory.
    pub(crate) title: String,
    /// Its day, if known.
    pub(crate) date: Option<String>,
    /// Its author.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) author: String,
    /// The files that a commit changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<String>,
    /// How likely it is needed, 0 to 1.
    pub(crate) confidence: f64,
    /// How likely a commit touches another file of the work that does not change with nearly every commit, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quiet_confidence: Option<f64>,
    /// Why it is predicted.
    pub(crate) reason: String,
    /// The hash of the commit that a stored memory belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// With `explain`: what a commit adds to those before it, in files that may change and lines of theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gain: Option<f64>,
    /// The stored memory.
    #[serde(skip)]
    pub(crate) hit: Option<Hit>,
}

impl PredictedMemory {
    /// Makes a prediction of a stored memory.
    pub(super) fn of_hit(hit: &Hit, confidence: f64, reason: String) -> Self {
        let item = &hit.item;
        let id = match &item.referent {
            Referent::Document(id) => id.strip_prefix("adr/").unwrap_or(id).to_owned(),
            _ => item.id.clone(),
        };
        PredictedMemory {
            id,
            kind: item.kind.clone(),
            title: item.title.clone().unwrap_or_else(|| opening(&item.text)),
            date: item.date.clone(),
            author: item.by.clone(),
            files: vec![],
            confidence: rounded(confidence),
            quiet_confidence: None,
            reason,
            commit: None,
            gain: None,
            hit: Some(hit.clone()),
        }
    }

    /// Returns the first digits of a commit's hash, and any other id whole.
    pub(crate) fn short_id(&self) -> &str {
        match &self.hit {
            None if self.kind == COMMIT => short_hash(&self.id),
            Some(hit) if !matches!(hit.item.referent, Referent::Document(_)) => hit.item.short_id(),
            _ => &self.id,
        }
    }
}

/// The number of digits by which people name a commit.
const SHORT_HASH_DIGITS: usize = 7;

pub(super) fn short_hash(hash: &str) -> &str {
    hash.get(..SHORT_HASH_DIGITS).unwrap_or(hash)
}

/// Rounds a confidence to 3 decimal places.
pub(super) fn rounded(confidence: f64) -> f64 {
    (confidence * 1_000.0).round() / 1_000.0
}
