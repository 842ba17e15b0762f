//! Which record a typed id means.

use uuid::Uuid;

use super::Memory;

/// What a typed id means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// This record.
    One(Uuid),
    /// Any of these.
    Several(Vec<Uuid>),
    /// Nothing.
    Nothing,
}

/// A shorter tail would soon mean several.
const SHORTEST: usize = 4;

impl Memory {
    /// Finds a record by its id or by the end of it.
    pub fn find(&self, typed: &str) -> Found {
        let typed = typed.trim().to_ascii_lowercase();
        if let Ok(id) = Uuid::parse_str(&typed) {
            return if self.held.contains_key(&id) { Found::One(id) } else { Found::Nothing };
        }
        let is_tail =
            typed.len() >= SHORTEST && typed.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-');
        if !is_tail {
            return Found::Nothing;
        }
        let mut found: Vec<Uuid> =
            self.held.keys().copied().filter(|id| id.to_string().ends_with(&typed)).collect();
        match found.len() {
            0 => Found::Nothing,
            1 => Found::One(found.remove(0)),
            _ => Found::Several(found),
        }
    }
}
