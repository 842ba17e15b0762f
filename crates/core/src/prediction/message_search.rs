//! Searches the messages of commits (BM25).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::file_path::path_words;
use super::history::CommitMemory;

/// The constants of BM25.
const SATURATION: f64 = 1.2;
const LENGTH_PART: f64 = 0.75;

/// A commit whose message has words that were searched for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MessageMatch {
    /// The number of the memory.
    pub memory: u32,
    /// The score of BM25.
    pub score: f64,
    /// The share of the words that it has, weighted by how rare they are.
    pub share: f64,
}

/// The words of messages.
#[derive(Debug)]
pub struct MessageSearch {
    /// The memories with a word, and how often each has it.
    postings: FxHashMap<String, Vec<(u32, f64)>>,
    lengths: Vec<f64>,
    mean_length: f64,
}

impl MessageSearch {
    /// Indexes the messages of memories.
    pub fn new(memories: &[CommitMemory]) -> Self {
        let mut postings: FxHashMap<String, Vec<(u32, f64)>> = FxHashMap::default();
        let mut lengths = Vec::with_capacity(memories.len());
        for (number, memory) in memories.iter().enumerate() {
            let words = path_words(&memory.message);
            lengths.push(words.len() as f64);
            for word in words {
                let postings = postings.entry(word).or_default();
                match postings.last_mut() {
                    Some((last, count)) if *last == number as u32 => *count += 1.0,
                    _ => postings.push((number as u32, 1.0)),
                }
            }
        }
        let mean_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        MessageSearch { postings, lengths, mean_length }
    }

    /// Returns the memories with a number below `before` that match a text best; of two with the same score, the newer.
    pub fn search(&self, text: &str, before: u32, limit: usize) -> Vec<MessageMatch> {
        let words: BTreeSet<String> = path_words(text).into_iter().collect();
        let mut matches: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        let mut total_rarity = 0.0;
        for word in words {
            let postings = self.postings.get(&word).map_or(&[][..], Vec::as_slice);
            let earlier = &postings[..postings.partition_point(|(number, _)| *number < before)];
            let count = earlier.len() as f64;
            let rarity = (1.0 + (f64::from(before) - count + 0.5) / (count + 0.5)).ln();
            total_rarity += rarity;
            for (number, frequency) in earlier {
                let length = self.lengths[*number as usize] / self.mean_length;
                let saturation = SATURATION * (1.0 - LENGTH_PART + LENGTH_PART * length);
                let (score, share) = matches.entry(*number).or_default();
                *score += rarity * frequency * (SATURATION + 1.0) / (frequency + saturation);
                *share += rarity;
            }
        }
        let found = matches.into_iter().map(|(memory, (score, share))| MessageMatch {
            memory,
            score,
            share: share / total_rarity,
        });
        let mut found: Vec<MessageMatch> = found.collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.memory.cmp(&a.memory)));
        found.truncate(limit);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_more_and_later_memories_are_left_out() {
        let memory = |message: &str| CommitMemory {
            id: String::new(),
            author: String::new(),
            time: 0,
            message: message.to_owned(),
            files: vec![],
        };
        let messages = ["Fix the parser", "Fix the lexer", "Fix the build", "Fix the parser again"];
        let search = MessageSearch::new(&messages.map(memory));
        let found = |before| -> Vec<u32> {
            search.search("fix parser", before, 2).iter().map(|found| found.memory).collect()
        };
        assert_eq!(found(3), [0, 2]);
        assert_eq!(found(4), [0, 3]);
        assert!(search.search("fix parser", 4, 1)[0].share > 0.99);
        assert!(search.search("nothing", 4, 1).is_empty());
    }
}
