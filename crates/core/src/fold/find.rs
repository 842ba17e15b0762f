//! Looks up a record by a typed id.

use uuid::Uuid;

use super::Memory;

/// The result of looking up a typed id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdMatch {
    /// Exactly this record.
    One(Uuid),
    /// The id fits all of these records.
    Several(Vec<Uuid>),
    /// No record has this id.
    Missing,
}

/// The shortest suffix that is accepted: shorter ones are rarely unique.
const MIN_SUFFIX_CHARS: usize = 4;

impl Memory {
    /// Finds a record by its id or a suffix of it.
    pub fn find(&self, typed: &str) -> IdMatch {
        let typed = typed.trim().to_ascii_lowercase();
        if let Ok(id) = Uuid::parse_str(&typed) {
            return if self.lines.contains_key(&id) { IdMatch::One(id) } else { IdMatch::Missing };
        }
        let is_suffix = typed.len() >= MIN_SUFFIX_CHARS
            && typed.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-');
        if !is_suffix {
            return IdMatch::Missing;
        }
        let mut found: Vec<Uuid> =
            self.lines.keys().copied().filter(|id| id.to_string().ends_with(&typed)).collect();
        match found.len() {
            0 => IdMatch::Missing,
            1 => IdMatch::One(found.remove(0)),
            _ => IdMatch::Several(found),
        }
    }
}
