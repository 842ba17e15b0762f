//! Which files import each other.

use super::history::{CommitHistory, TrackedFile};
use super::predictor::GivenFile;
use crate::imports::SourceFiles;

/// The imports between the files of a history, by number.
#[derive(Debug, Default)]
pub(super) struct ImportGraph {
    /// The files that each file imports.
    imports: Vec<Vec<u32>>,
    /// The files that import each file.
    importers: Vec<Vec<u32>>,
}

impl ImportGraph {
    pub(super) fn of(history: &CommitHistory) -> Self {
        let sources = source_files(history);
        let of_file = |file: &TrackedFile| match file.is_alive {
            true => sources.imports(&file.path, &file.statements),
            false => vec![],
        };
        let imports: Vec<Vec<u32>> = history.files.iter().map(of_file).collect();
        let mut importers = vec![vec![]; imports.len()];
        for (importer, imported) in imports.iter().enumerate() {
            imported.iter().for_each(|file| importers[*file as usize].push(importer as u32));
        }
        ImportGraph { imports, importers }
    }

    /// Returns the imports of the given file as it is now, and the files that import it.
    pub(super) fn neighbours(
        &self,
        history: &CommitHistory,
        given: &GivenFile<'_>,
    ) -> ImportNeighbours {
        let number = given.number.map(|number| number as usize);
        let known = |files: &[Vec<u32>]| number.and_then(|it| files.get(it)).cloned();
        let committed = number.and_then(|it| history.files.get(it));
        let is_committed = given.statements.is_empty()
            || committed.is_some_and(|file| file.statements == given.statements);
        let imports = match is_committed {
            true => known(&self.imports).unwrap_or_default(),
            false => source_files(history).imports(given.path, given.statements),
        };
        ImportNeighbours { imports, importers: known(&self.importers).unwrap_or_default() }
    }

    /// Returns how many files import a file.
    pub(super) fn importers_of(&self, file: u32) -> usize {
        self.importers.get(file as usize).map_or(0, Vec::len)
    }
}

/// The files that a file imports, and those that import it, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportNeighbours {
    /// The files that it imports, in the order of its statements.
    pub imports: Vec<u32>,
    /// The files that import it.
    pub importers: Vec<u32>,
}

fn source_files(history: &CommitHistory) -> SourceFiles<'_> {
    let alive = history.files.iter().zip(0..).filter(|(file, _)| file.is_alive);
    SourceFiles::new(
        alive.map(|(file, number)| (number, file.path.as_str(), file.statements.as_slice())),
    )
}
