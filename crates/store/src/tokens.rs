//! Exact token counts (o200k), cached by the hash of the text.
//!
//! The tables of the tokenizer take some milliseconds to load, so they are loaded only for a text that
//! is not in the cache. Damaged lines of the cache file are skipped.

use std::io::{Seek, SeekFrom, Write};

use rustc_hash::FxHashMap;

pub use crate::o200k::count;
use crate::{Root, o200k};

/// The file name in the cache folder.
const FILE: &str = "tokens-o200k";

/// A larger cache file is deleted and started over.
const MAX_CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// The hexadecimal digits of a hash in the cache file.
const HASH_DIGITS: usize = 32;

/// The first half of the BLAKE3 hash of a text.
type TextHash = [u8; 16];

/// A token counter with a cache.
#[derive(Debug)]
pub struct TokenCounter<'r> {
    root: &'r Root,
    counts: FxHashMap<TextHash, usize>,
    /// The counts that are not in the cache file yet.
    unsaved: Vec<(TextHash, usize)>,
}

impl<'r> TokenCounter<'r> {
    /// Loads the cached counts.
    pub fn open(root: &'r Root) -> Self {
        let cache = root.existing_cache();
        let text = match cache.as_ref().map(|cache| (cache, cache.read_text(FILE, MAX_CACHE_BYTES)))
        {
            Some((_, Ok(text))) => text,
            Some((cache, Err(error))) => {
                if error.kind() == std::io::ErrorKind::FileTooLarge {
                    drop(cache.remove(FILE));
                }
                String::new()
            }
            None => String::new(),
        };
        let parse = |line: &str| {
            let (hash, count) = line.split_once(' ')?;
            let hash = u128::from_str_radix(hash, 16).ok().filter(|_| hash.len() == HASH_DIGITS)?;
            Some((hash.to_be_bytes(), count.parse().ok()?))
        };
        let counts = text.lines().filter_map(parse).collect();
        Self { root, counts, unsaved: vec![] }
    }

    /// Counts the tokens of a text.
    pub fn count(&mut self, text: &str) -> usize {
        let mut hash = TextHash::default();
        let length = hash.len();
        hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..length]);
        if let Some(count) = self.counts.get(&hash) {
            return *count;
        }
        let count = o200k::count(text);
        self.counts.insert(hash, count);
        self.unsaved.push((hash, count));
        count
    }

    /// Appends the new counts to the cache file. Best effort: without them, the next run counts again.
    pub fn save(self) {
        if self.unsaved.is_empty() {
            return;
        }
        let lines: String = self.unsaved.iter().map(|(hash, count)| line(*hash, *count)).collect();
        let written = self.root.open_cache("").and_then(|cache| {
            let mut file = cache.open_to_write(FILE)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(lines.as_bytes())
        });
        drop(written);
    }
}

fn line(hash: TextHash, count: usize) -> String {
    format!("{:032x} {count}\n", u128::from_be_bytes(hash))
}
