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
    /// Returns the id of the pair and of what the two say, in the form of the ids of records: whoever finds the
    /// contradiction, whenever, and in whichever order, its id is the same. A memory that is reworded makes another
    /// contradiction, since an entry keeps its id then.
    pub fn id(&self) -> String {
        let end = |memory: &Referent, number: usize| match self.text_hash(number) {
            Some(hash) => format!("{memory} ({hash})"),
            None => memory.to_string(),
        };
        let (a, b) = (end(&self.a, 0), end(&self.b, 1));
        let (first, second) = if self.a <= self.b { (a, b) } else { (b, a) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_depends_on_the_memories_and_on_what_they_say_and_not_on_their_order() {
        let contradiction = |[a, b]: [(&str, &str); 2]| ContradictionRecord {
            a: Referent::entry(a.0),
            b: Referent::entry(b.0),
            score: 0.9,
            certainty: CERTAIN.into(),
            aspect: "number".into(),
            reason: String::new(),
            text_hashes: vec![a.1.into(), b.1.into()],
        };
        let id = contradiction([("1", "aa"), ("2", "bb")]).id();
        assert_eq!(contradiction([("2", "bb"), ("1", "aa")]).id(), id);
        for other in
            [[("1", "aa"), ("3", "bb")], [("1", "aa"), ("2", "cc")], [("1", "bb"), ("2", "aa")]]
        {
            assert_ne!(contradiction(other).id(), id, "{other:?}");
        }
    }
}
