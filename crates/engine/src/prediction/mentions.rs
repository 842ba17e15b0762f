//! Stored memories that name a file, or identifiers of it.

use heirloom_core::path::is_named_in;
use heirloom_core::prediction::distinctive_names;
use heirloom_core::words::has_word;

use super::given_file::WorkFile;
use super::memory::PredictedMemory;
use crate::recall::{Hit, MemoryList};
use crate::signals::reason_from;

/// The confidences in stored memories. They are judgements: no history says which memories were needed.
const CONFIDENCE_OF_FILE: f64 = 0.8;
const CONFIDENCE_OF_NAME: f64 = 0.7;
const CONFIDENCE_OF_IDENTIFIER: f64 = 0.5;

/// Maximum number of memories that are read for a property, a name or an identifier.
const MAX_MEMORIES_OF_FILE: usize = 5;
const MAX_MEMORIES_OF_NAME: usize = 10;
const MAX_MEMORIES_OF_IDENTIFIER: usize = 3;

/// Maximum number of identifiers of a file that are looked for.
const MAX_IDENTIFIERS: usize = 12;

/// What is looked for about a file.
#[derive(Debug)]
pub(super) struct FileMentions<'f> {
    file: &'f WorkFile,
    is_remembered: bool,
    identifiers: Vec<&'f str>,
}

impl<'f> FileMentions<'f> {
    pub(super) fn new(file: &'f WorkFile, is_remembered: bool) -> Self {
        let text = file.text.as_deref().unwrap_or_default();
        let identifiers = distinctive_names(text, MAX_IDENTIFIERS);
        FileMentions { file, is_remembered, identifiers }
    }

    /// Returns the lists of memories that may be about the file: those that state it, that may contain its name, and that
    /// may contain one of its identifiers.
    pub(super) fn lists(&self) -> Vec<MemoryList> {
        let path = &self.file.path;
        let name = path.rsplit('/').next().unwrap_or(path);
        let by_identifier =
            |name: &&str| MemoryList::with_parts_of(name, MAX_MEMORIES_OF_IDENTIFIER);
        let mut lists = vec![
            MemoryList::with_property("file", path, MAX_MEMORIES_OF_FILE),
            MemoryList::with_parts_of(name, MAX_MEMORIES_OF_NAME),
        ];
        lists.extend(self.identifiers.iter().map(by_identifier));
        lists
    }

    /// Returns the memories that are about the file. `found` are those of the lists.
    pub(super) fn memories(&self, found: &[Vec<Hit>]) -> Vec<PredictedMemory> {
        let path = &self.file.path;
        let mut memories = Vec::new();
        let [stated, named, identified @ ..] = found else { return memories };
        memories.extend(stated.iter().map(|hit| {
            let verb = if hit.item.kind == "episode" { "changed" } else { "is about" };
            PredictedMemory::of_hit(hit, CONFIDENCE_OF_FILE, self.reason(format!("{verb} {path}")))
        }));
        let named = named.iter().filter(|hit| is_named_in(path, &hit.item.text));
        memories.extend(named.map(|hit| {
            PredictedMemory::of_hit(hit, CONFIDENCE_OF_NAME, self.reason(format!("names {path}")))
        }));
        for (name, hits) in self.identifiers.iter().zip(identified) {
            let reason = self.reason(format!("names {name}, which {path} uses"));
            let hits = hits.iter().filter(|hit| has_word(&hit.item.text, name));
            memories.extend(
                hits.map(|hit| {
                    PredictedMemory::of_hit(hit, CONFIDENCE_OF_IDENTIFIER, reason.clone())
                }),
            );
        }
        memories
    }

    fn reason(&self, reason: String) -> String {
        reason_from(reason, self.is_remembered)
    }
}
