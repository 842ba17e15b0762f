//! Contradictions: two memories that cannot both be true, as a judge found.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::body::RecordBody;
use crate::record::Referent;

/// The word for a contradiction that is certain, as far as the judge can tell.
pub const CERTAIN: &str = "certain";

/// Two memories that a judge found to contradict each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContradictionRecord {
    /// The first memory: of two records, the older one; of two of one time, the one with the lesser id.
    pub a: Referent,
    /// The second memory.
    pub b: Referent,
    /// How likely they contradict each other, 0 to 1.
    pub score: f64,
    /// `certain` or `possible`. Later versions may know other words.
    pub certainty: String,
    /// In what they differ, such as `number`. Later versions may know other words.
    pub aspect: String,
    /// In what they differ, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Hashes of the two texts that were judged, in the order of the memories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text_hashes: Vec<String>,
}

impl ContradictionRecord {
    /// Returns the id of the pair, in the form of the ids of records: whoever finds the contradiction, whenever, and in
    /// whichever order, its id is the same.
    pub fn id(&self) -> String {
        let (first, second) =
            if self.a <= self.b { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let pair = format!("{first} contradicts {second}");
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(pair.as_bytes()).as_bytes()[..16]);
        Uuid::from_bytes(id).to_string()
    }

    /// Returns the hash of the text of the first memory, or of the second one, if it is known.
    pub fn text_hash(&self, number: usize) -> Option<&str> {
        self.text_hashes.get(number).map(String::as_str)
    }
}

impl RecordBody for ContradictionRecord {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{} contradicts {}", self.a, self.b))
    }

    fn text_only_scanned_for_secrets(&self) -> Vec<String> {
        vec![self.reason.clone()]
    }

    fn referents(&self) -> Vec<&Referent> {
        vec![&self.a, &self.b]
    }
}
