//! 64-bit hashes of the keys of records, by which the tables look them up.
//!
//! A collision is harmless: it only makes a component of the log larger than necessary.

use std::ops::RangeInclusive;

use heirloom_core::fold::Line;
use heirloom_core::recall::{ComponentKey, component_keys_of_line};
use heirloom_core::record::Referent;
use uuid::Uuid;

/// How many digits of an id must be given to look it up.
const MIN_SUFFIX_DIGITS: usize = 4;

/// Keeps the hash of an origin apart from that of another key with the same text.
const ORIGIN_DOMAIN: &[u8] = b"origin:";

/// How many hexadecimal digits of an id its hash consists of.
const HASHED_DIGITS: usize = 16;

/// Returns the hash of something that a record refers to.
pub(crate) fn hash_referent(referent: &Referent) -> i64 {
    match referent {
        Referent::Record(id) => hash_id(*id),
        other => hash_text(&other.to_string()),
    }
}

/// Returns the hash of a text.
pub(crate) fn hash_text(text: &str) -> i64 {
    truncate(&blake3::hash(text.as_bytes()))
}

/// Returns the hash of a key that records share.
pub(crate) fn hash_key(key: &ComponentKey<'_>) -> i64 {
    match key {
        ComponentKey::Referent(referent) => hash_referent(referent),
        ComponentKey::Origin(origin) => {
            let mut hasher = blake3::Hasher::new();
            hasher.update(ORIGIN_DOMAIN).update(origin.as_str().as_bytes());
            truncate(&hasher.finalize())
        }
        ComponentKey::TextHash(hash) => {
            hash.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
        }
    }
}

/// Returns the hashes of all keys that connect a line of the log to other lines.
pub(crate) fn hash_keys_of(line: &Line) -> Vec<i64> {
    component_keys_of_line(line).map(|key| hash_key(&key)).collect()
}

/// Returns the number that orders memories of equal score, from a memory's name.
pub(crate) fn tie_breaker(name: &str) -> u64 {
    hash_text(name).cast_unsigned()
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
        let text = Referent::strip_entry_prefix(typed).to_ascii_lowercase();
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
