//! Exact token counts (o200k), cached by the hash of the text.
//!
//! The tables of the tokenizer take some milliseconds to load, so they are loaded only for a text that
//! is not in the cache. Damaged lines of the cache file are skipped.

use std::collections::HashMap;
use std::io::{Seek, SeekFrom, Write};

pub use crate::o200k::count;
use crate::{Root, o200k};

/// The file name in the cache folder.
const FILE: &str = "tokens-o200k";

/// A larger cache file is deleted and started over.
const MAX_CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// A token counter with a cache.
#[derive(Debug)]
pub struct TokenCounter<'r> {
    root: &'r Root,
    counts: HashMap<String, usize>,
    /// The counts that are not in the cache file yet.
    unsaved: Vec<(String, usize)>,
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
            Some((hash.to_owned(), count.parse().ok()?))
        };
        let counts = text.lines().filter_map(parse).filter(|(hash, _)| hash.len() == 32).collect();
        Self { root, counts, unsaved: vec![] }
    }

    /// Counts the tokens of a text.
    pub fn count(&mut self, text: &str) -> usize {
        let hash = blake3::hash(text.as_bytes()).to_hex()[..32].to_owned();
        if let Some(count) = self.counts.get(&hash) {
            return *count;
        }
        let count = o200k::count(text);
        self.counts.insert(hash.clone(), count);
        self.unsaved.push((hash, count));
        count
    }

    /// Appends the new counts to the cache file. Best effort: without them, the next run counts again.
    pub fn save(self) {
        if self.unsaved.is_empty() {
            return;
        }
        let lines: String =
            self.unsaved.iter().map(|(hash, count)| format!("{hash} {count}\n")).collect();
        let written = self.root.open_cache("").and_then(|cache| {
            let mut file = cache.open_to_write(FILE)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(lines.as_bytes())
        });
        drop(written);
    }
}
