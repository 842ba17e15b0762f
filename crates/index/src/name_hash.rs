//! 64-bit hashes of names, by which the tables look names up.
//!
//! A collision is harmless: it only makes a component of the log larger than necessary.

use std::ops::RangeInclusive;

use heirloom_core::fold::Line;
use heirloom_core::recall::{
    ComponentKey, ORIGIN_KEY_PREFIX, TEXT_KEY_PREFIX, component_keys_of_line,
};
use uuid::Uuid;

/// How many digits of an id must be given to look it up.
const MIN_SUFFIX_DIGITS: usize = 4;

/// How many hexadecimal digits of an id its hash consists of.
const HASHED_DIGITS: usize = 16;

/// Returns the hash of a name.
pub(crate) fn hash_name(name: &str) -> i64 {
    // The name of a fact's text is a hash already.
    if let Some(hash) = name.strip_prefix(TEXT_KEY_PREFIX)
        && let Some(Ok(start)) = hash.get(..16).map(|start| u64::from_str_radix(start, 16))
    {
        return start.cast_signed();
    }
    if name.len() == 36
        && let Ok(id) = Uuid::parse_str(name)
    {
        return hash_id(id);
    }
    truncate(&blake3::hash(name.as_bytes()))
}

/// Returns the hashes of all names that connect a line of the log to other lines.
pub(crate) fn hash_names_of(line: &Line) -> Vec<i64> {
    component_keys_of_line(line).map(hash_tie).collect()
}

/// Returns the number that orders memories of equal score, from a memory's name.
pub(crate) fn tie_breaker(name: &str) -> u64 {
    truncate(&blake3::hash(name.as_bytes())).cast_unsigned()
}

/// Equals `hash_name` of the tie's name, without building that name.
fn hash_tie(tie: ComponentKey<'_>) -> i64 {
    match tie {
        ComponentKey::Id(id) => hash_id(id),
        ComponentKey::Name(name) => hash_name(name),
        ComponentKey::Origin(origin) => {
            let mut hasher = blake3::Hasher::new();
            hasher.update(ORIGIN_KEY_PREFIX.as_bytes()).update(origin.as_bytes());
            truncate(&hasher.finalize())
        }
        ComponentKey::TextHash(hash) => {
            hash.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
        }
    }
}

/// Returns the last digits of an id in reverse, so that ids with a common suffix are a range.
fn hash_id(id: Uuid) -> i64 {
    let last = id.as_u128() as u64;
    let digits = (0..HASHED_DIGITS).map(|index| last >> (4 * index) & 0xf);
    to_ordered(concatenate(digits))
}

fn concatenate(digits: impl IntoIterator<Item = u64>) -> u64 {
    digits.into_iter().fold(0, |number, digit| number << 4 | digit)
}

/// Maps unsigned numbers to signed ones in the same order, since SQLite has no unsigned numbers.
fn to_ordered(number: u64) -> i64 {
    (number ^ 1 << 63).cast_signed()
}

fn truncate(hash: &blake3::Hash) -> i64 {
    hash.as_bytes().first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
}

/// The last digits of an id, by which a user names a record.
pub(crate) struct IdSuffix {
    text: String,
    /// The hashes of all ids that end in these digits.
    pub(crate) hashes: RangeInclusive<i64>,
}

impl IdSuffix {
    /// Parses a suffix as a user types it; `None` if it is too short or has other characters.
    pub(crate) fn parse(typed: &str) -> Option<Self> {
        let text = typed.trim().trim_start_matches("entry:").to_ascii_lowercase();
        let text = Uuid::parse_str(&text).map_or(text, |id| id.to_string());
        let reversed = text.chars().rev().filter(|c| *c != '-').take(HASHED_DIGITS);
        let digits: Option<Vec<u64>> = reversed.map(|c| c.to_digit(16).map(u64::from)).collect();
        let digits = digits.filter(|digits| digits.len() >= MIN_SUFFIX_DIGITS)?;
        let free_bits = 4 * (HASHED_DIGITS - digits.len());
        let first = concatenate(digits) << free_bits;
        let last = first | ((1_u64 << free_bits) - 1);
        Some(IdSuffix { text, hashes: to_ordered(first)..=to_ordered(last) })
    }

    /// Returns whether an id ends in these digits.
    pub(crate) fn matches(&self, id: &str) -> bool {
        id.ends_with(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_end_alike_are_in_the_range_of_the_suffix() {
        let id = Uuid::from_u128(0x0195_1234_5678_7abc_8def_0123_4567_89ab);
        for typed in ["89ab", "4567-89ab", "0123456789AB", &id.to_string()] {
            let suffix = IdSuffix::parse(typed).unwrap();
            assert!(suffix.hashes.contains(&hash_id(id)), "{typed}");
            assert!(!suffix.hashes.contains(&hash_id(Uuid::from_u128(7))), "{typed}");
        }
        assert!(IdSuffix::parse("9ab").is_none());
        assert!(IdSuffix::parse("wxyz").is_none());
    }
}
