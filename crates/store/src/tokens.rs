//! Exact token counts (o200k), remembered by content.
//!
//! The tokenizer's tables take tens of milliseconds to load, so a count is looked up first, and
//! the tables are loaded only for a text that was never counted. The file is a cache: a line that
//! is torn or wrong in form is skipped, and losing it costs time and nothing else.

use std::collections::HashMap;
use std::io::{Seek, SeekFrom, Write};

pub use crate::o200k::count;
use crate::{Root, o200k};

/// The file, in the folder of derived files.
const FILE: &str = "tokens-o200k";

/// A larger file is started anew.
const MAX_CACHE: u64 = 4 * 1024 * 1024;

/// Counts tokens.
#[derive(Debug)]
pub struct Tokens<'r> {
    root: &'r Root,
    known: HashMap<String, usize>,
    new: Vec<(String, usize)>,
}

impl<'r> Tokens<'r> {
    /// Reads what is known.
    pub fn open(root: &'r Root) -> Self {
        let cache = root.existing_cache();
        let text = match cache.as_ref().map(|cache| (cache, cache.read_text(FILE, MAX_CACHE))) {
            Some((_, Ok(text))) => text,
            Some((cache, Err(error))) => {
                if error.kind() == std::io::ErrorKind::FileTooLarge {
                    drop(cache.remove(FILE));
                }
                String::new()
            }
            None => String::new(),
        };
        let entry = |line: &str| {
            let (hash, count) = line.split_once(' ')?;
            Some((hash.to_owned(), count.parse().ok()?))
        };
        let known = text.lines().filter_map(entry).filter(|(hash, _)| hash.len() == 32).collect();
        Self { root, known, new: vec![] }
    }

    /// Counts the tokens of a text.
    pub fn count(&mut self, text: &str) -> usize {
        let hash = blake3::hash(text.as_bytes()).to_hex()[..32].to_owned();
        if let Some(count) = self.known.get(&hash) {
            return *count;
        }
        let count = o200k::count(text);
        self.known.insert(hash.clone(), count);
        self.new.push((hash, count));
        count
    }

    /// Remembers the new counts. A cache that cannot be written is no failure: the next run counts
    /// again.
    pub fn save(self) {
        if self.new.is_empty() {
            return;
        }
        let lines: String =
            self.new.iter().map(|(hash, count)| format!("{hash} {count}\n")).collect();
        let written = self.root.cache("").and_then(|cache| {
            let mut file = cache.open_to_write(FILE)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(lines.as_bytes())
        });
        drop(written);
    }
}
