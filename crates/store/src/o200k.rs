//! Counting the tokens of a text in the o200k encoding.
//!
//! The encoding splits a text into pieces by a pattern and merges the bytes of each piece pair by
//! pair, the pair of the lowest rank first, until no pair is a token (byte-pair encoding). Published
//! crates carry prepared automata of 33 MB that take 60 ms to load; the tokens alone are 1.6 MB, and
//! a hash table of their ranks is made in a few milliseconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hasher;
use std::sync::LazyLock;

use heirloom_core::fast::Fast;
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

/// The tokens in the order of their ranks; `models/o200k.py` says how the file is made.
const TOKENS: &[u8] = include_bytes!("../../../models/o200k.bin");

const MAGIC: &[u8] = b"HEIRTOK1";

/// The pattern of pieces, but for white space before a word.
const PIECES: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
);

/// White space is a piece without its last character, which belongs to the word behind it.
const SPACE: &str = r"\s+";

/// Returns how many tokens a text has.
pub fn count(text: &str) -> usize {
    static ENCODING: LazyLock<Encoding> = LazyLock::new(Encoding::load);
    ENCODING.count(text)
}

struct Encoding {
    /// Where the bytes of each token start, by its rank; one more at the end.
    starts: Vec<u32>,
    bytes: &'static [u8],
    /// Ranks plus one, by the hash of the token, with linear probing; 0 is a free place.
    table: Vec<u32>,
    pattern: Regex,
}

impl Encoding {
    #[expect(clippy::expect_used, reason = "a test loads the file that is compiled in")]
    fn load() -> Self {
        Self::parse(TOKENS).expect("the tokens in the binary are whole")
    }

    fn parse(file: &'static [u8]) -> Option<Self> {
        let (count, rest) = file.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (lengths, bytes) = rest.split_at_checked(count)?;
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0_u32);
        let mut end = 0;
        starts.extend(lengths.iter().map(|length| {
            end += u32::from(*length);
            end
        }));
        let pattern = Regex::new_many(&[PIECES, SPACE]).ok()?;
        let table = vec![0; (count * 2).next_power_of_two()];
        let mut encoding = Encoding { starts, bytes, table, pattern };
        for rank in 0..count {
            let mut at = encoding.place(encoding.token(rank));
            while encoding.table[at] != 0 {
                at = (at + 1) & (encoding.table.len() - 1);
            }
            encoding.table[at] = rank as u32 + 1;
        }
        (end as usize == bytes.len()).then_some(encoding)
    }

    fn token(&self, rank: usize) -> &'static [u8] {
        &self.bytes[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }

    /// Returns where the search for a token starts in the table.
    fn place(&self, token: &[u8]) -> usize {
        let mut hasher = Fast::default();
        hasher.write(token);
        hasher.finish() as usize & (self.table.len() - 1)
    }

    /// Returns the rank of a token.
    fn rank(&self, token: &[u8]) -> Option<u32> {
        let mut at = self.place(token);
        loop {
            let rank = self.table[at].checked_sub(1)?;
            if self.token(rank as usize) == token {
                return Some(rank);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    fn count(&self, text: &str) -> usize {
        let mut merging = Merging::default();
        let mut count = 0;
        let mut start = 0;
        while start < text.len() {
            let end = self.piece_end(text, start);
            count += merging.count(self, &text.as_bytes()[start..end]);
            start = end;
        }
        count
    }

    /// Returns where the piece ends that starts at a byte.
    fn piece_end(&self, text: &str, start: usize) -> usize {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        // The pattern matches every character; a piece of one character is the fallback.
        let Some(found) = self.pattern.find(input) else {
            return start + text[start..].chars().next().map_or(1, char::len_utf8);
        };
        let is_space = found.pattern().as_usize() == 1;
        let piece = &text[found.range()];
        match piece.char_indices().next_back() {
            Some((last, _)) if is_space && last > 0 && found.end() < text.len() => start + last,
            _ => found.end(),
        }
    }
}

/// The parts that the bytes of a piece are merged into, as a linked list; kept for the next piece.
#[derive(Default)]
struct Merging {
    /// Where each part ends, by where it starts; 0 where no part starts.
    ends: Vec<usize>,
    /// Where the part before starts, by where a part starts.
    previous: Vec<usize>,
    /// Pairs of neighbouring parts that are a token: its rank, where it starts and where it ends.
    pairs: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

impl Merging {
    fn count(&mut self, encoding: &Encoding, piece: &[u8]) -> usize {
        if encoding.rank(piece).is_some() {
            return 1;
        }
        self.ends.clear();
        self.ends.extend(1..=piece.len());
        self.previous.clear();
        self.previous.extend((0..piece.len()).map(|at| at.saturating_sub(1)));
        self.pairs.clear();
        for at in 1..piece.len() {
            self.add_pair(encoding, piece, at - 1, at + 1);
        }
        let mut count = piece.len();
        while let Some(Reverse((_, start, end))) = self.pairs.pop() {
            let middle = self.ends[start];
            // A pair is outdated once one of its parts was merged with another.
            if middle == 0 || middle >= end || self.ends[middle] != end {
                continue;
            }
            self.ends[start] = end;
            self.ends[middle] = 0;
            count -= 1;
            if end < piece.len() {
                self.previous[end] = start;
                self.add_pair(encoding, piece, start, self.ends[end]);
            }
            if start > 0 {
                self.add_pair(encoding, piece, self.previous[start], end);
            }
        }
        count
    }

    fn add_pair(&mut self, encoding: &Encoding, piece: &[u8], start: usize, end: usize) {
        let rank = encoding.rank(&piece[start..end]);
        self.pairs.extend(rank.map(|rank| Reverse((rank, start, end))));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    /// Texts with their number of tokens, counted by the crate bpe-openai 0.3.2.
    const COUNTED: &str = include_str!("../tests/data/o200k.json");

    #[test]
    fn counts_are_those_of_the_published_encoder() {
        let counted: Vec<(String, usize)> = serde_json::from_str(COUNTED).unwrap();
        assert!(counted.len() > 200);
        for (text, tokens) in counted {
            assert_eq!(count(&text), tokens, "{text:?}");
        }
    }

    #[test]
    fn a_long_piece_is_counted_in_time() {
        assert_eq!(count(""), 0);
        assert_eq!(count(&"a".repeat(200_000)), 25_000);
    }
}
