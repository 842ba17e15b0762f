//! Exact token counts (o200k), remembered by content.
//!
//! The tokenizer's tables take tens of milliseconds to load, so a count is looked up first, and
//! the tables are loaded only for a text that was never counted. The file is a cache: a line that
//! is torn or wrong in form is skipped, and losing it costs time and nothing else.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use crate::Root;
use crate::files::HOME;

/// A larger file is started anew.
const MAX_CACHE: usize = 4 * 1024 * 1024;

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
        let file = file(root);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if text.len() > MAX_CACHE {
            drop(std::fs::remove_file(&file));
            return Self { root, known: HashMap::new(), new: vec![] };
        }
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
        let count = bpe_openai::o200k_base().count(text);
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
        if self.root.cache_folder().is_some()
            && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file(self.root))
        {
            drop(file.write_all(lines.as_bytes()));
        }
    }
}

fn file(root: &Root) -> PathBuf {
    root.path().join(HOME).join("cache").join("tokens-o200k")
}
