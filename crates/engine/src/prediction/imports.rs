//! Stored memories about the files that a file imports, or that import it.

use heirloom_core::path::{file_name, is_named_in, relative_to};
use heirloom_core::prediction::{ImportNeighbours, Predictor};

use super::given_file::WorkFile;
use super::memory::PredictedMemory;
use crate::recall::{Hit, MemoryList};

/// The confidences in memories that state or name a file beside the given one. They are judgements, below those in
/// memories about the file itself.
const CONFIDENCE_OF_STATED: f64 = 0.45;
const CONFIDENCE_OF_NAMED: f64 = 0.4;

/// Maximum number of imported files, and of importing ones, whose memories are looked for.
const MAX_NEIGHBOURS: usize = 4;

/// Maximum number of memories of each that are read.
const MAX_MEMORIES_OF_NEIGHBOUR: usize = 3;

/// A file that the given one imports, or that imports it.
#[derive(Debug)]
struct Neighbour {
    path: String,
    /// How it is related to the given file.
    relation: String,
}

impl Neighbour {
    fn lists(&self) -> [MemoryList; 2] {
        [
            MemoryList::with_property("file", &self.path, MAX_MEMORIES_OF_NEIGHBOUR),
            MemoryList::with_parts_of(file_name(&self.path), MAX_MEMORIES_OF_NEIGHBOUR),
        ]
    }

    fn memories(&self, stated: &[Hit], named: &[Hit]) -> Vec<PredictedMemory> {
        let Neighbour { path, relation } = self;
        let memory = |hit: &Hit, confidence: f64, verb: &str| {
            PredictedMemory::of_hit(hit, confidence, format!("{verb} {path}, {relation}"))
        };
        let stated = stated.iter().map(|hit| {
            let verb = if hit.item.kind == "episode" { "changed" } else { "is about" };
            memory(hit, CONFIDENCE_OF_STATED, verb)
        });
        let named = named.iter().filter(|hit| is_named_in(path, &hit.item.text));
        stated.chain(named.map(|hit| memory(hit, CONFIDENCE_OF_NAMED, "names"))).collect()
    }
}

/// The files beside the given ones, by imports.
#[derive(Debug, Default)]
pub(super) struct ImportMentions(Vec<Neighbour>);

impl ImportMentions {
    /// Finds the files that some files import, and those that import them. `prefix` is what the paths of the repository
    /// have before those of the workspace.
    pub(super) fn new(predictor: &Predictor, files: &[WorkFile], prefix: &str) -> Self {
        let history = predictor.history();
        let mut neighbours: Vec<Neighbour> = Vec::new();
        for file in files.iter().filter(|file| file.is_inside()) {
            let given = &file.path;
            let ImportNeighbours { imports, importers } =
                predictor.import_neighbours(&file.given(history));
            let imports = imports.iter().map(|number| (number, format!("imported by {given}")));
            let importers =
                importers.iter().map(|number| (number, format!("which imports {given}")));
            for (number, relation) in
                imports.take(MAX_NEIGHBOURS).chain(importers.take(MAX_NEIGHBOURS))
            {
                let path = relative_to(prefix, &history.files()[*number as usize].path);
                let is_known = files.iter().any(|file| file.path == path)
                    || neighbours.iter().any(|known| known.path == path);
                if !is_known {
                    neighbours.push(Neighbour { path, relation });
                }
            }
        }
        ImportMentions(neighbours)
    }

    /// Returns the paths of the files, with how they are related to the given ones.
    pub(super) fn paths(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|file| (file.path.as_str(), file.relation.as_str()))
    }

    /// Returns the lists of memories that may be about the files.
    pub(super) fn lists(&self) -> Vec<MemoryList> {
        self.0.iter().flat_map(Neighbour::lists).collect()
    }

    /// Returns the memories about the files. `found` are those of the lists.
    pub(super) fn memories(&self, found: &[Vec<Hit>]) -> Vec<PredictedMemory> {
        let with_hits = self.0.iter().zip(found.chunks_exact(2));
        with_hits.flat_map(|(file, hits)| file.memories(&hits[0], &hits[1])).collect()
    }
}
