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
pub struct Tokens {
    file: PathBuf,
    known: HashMap<String, usize>,
    new: Vec<(String, usize)>,
}

impl Tokens {
    /// Reads what is known.
    pub fn open(root: &Root) -> Self {
        let file = root.path().join(HOME).join("cache").join("tokens-o200k");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if text.len() > MAX_CACHE {
            drop(std::fs::remove_file(&file));
            return Self { file, known: HashMap::new(), new: vec![] };
        }
        let known = text
            .lines()
            .filter_map(|line| {
                line.split_once(' ')
                    .and_then(|(hash, count)| Some((hash.to_owned(), count.parse().ok()?)))
            })
            .filter(|(hash, _)| hash.len() == 32)
            .collect();
        Self { file, known, new: vec![] }
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
        let folder = self.file.parent().map(std::fs::create_dir_all);
        if matches!(folder, Some(Ok(())))
            && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(&self.file)
        {
            drop(file.write_all(lines.as_bytes()));
        }
    }
}
