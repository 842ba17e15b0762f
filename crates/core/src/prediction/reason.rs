//! Why a commit was predicted.

use super::history::CommitHistory;
use super::likelihood::Likelihoods;

/// Why a commit was predicted. Files are numbers of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredictionReason {
    /// It changed a file that changed together with the given one.
    ChangedTogether {
        /// The file.
        file: u32,
        /// In how many small commits of the given file.
        together: u32,
        /// The number of small commits of the given file.
        of: u32,
    },
    /// It wrote lines of a file that may change.
    WroteLines {
        /// The file.
        file: u32,
        /// The lines of it that are still there.
        lines: u32,
        /// All lines of the file.
        of: u32,
    },
    /// It changed a file that the given one imports.
    Imported {
        /// The file.
        file: u32,
    },
    /// It changed a file that imports the given one.
    Importer {
        /// The file.
        file: u32,
    },
    /// It changed a file that uses the same rare identifiers.
    SharedIdentifiers {
        /// The file.
        file: u32,
    },
    /// It changed a file that changes together with neighbours of the given one.
    CommonNeighbours {
        /// The file.
        file: u32,
    },
    /// It changed a file whose path is similar, or that changes often.
    Nearby {
        /// The file.
        file: u32,
    },
}

/// A larger share of the rare identifiers is a reason.
const MIN_IDENTIFIER_SHARE: f64 = 0.1;

impl PredictionReason {
    /// Finds the reason why a memory was chosen that covers a file best, by its lines or by the file itself.
    pub(super) fn find(
        history: &CommitHistory,
        likelihoods: &Likelihoods,
        (memory, file): (u32, u32),
        is_by_lines: bool,
    ) -> Self {
        let number = file as usize;
        if is_by_lines {
            let (lines, of) = history.files[number].lines_of(memory);
            return PredictionReason::WroteLines { file, lines, of };
        }
        let cochange = &likelihoods.cochange;
        let together = cochange.together[number];
        let shared = likelihoods.shared_identifiers[number];
        match () {
            () if together > 0 => {
                PredictionReason::ChangedTogether { file, together, of: cochange.memories }
            }
            () if likelihoods.neighbours.imports.contains(&file) => {
                PredictionReason::Imported { file }
            }
            () if likelihoods.neighbours.importers.contains(&file) => {
                PredictionReason::Importer { file }
            }
            () if shared > MIN_IDENTIFIER_SHARE * likelihoods.all_identifiers && shared > 0.0 => {
                PredictionReason::SharedIdentifiers { file }
            }
            () if cochange.two_steps[number] > 0.0 => PredictionReason::CommonNeighbours { file },
            () => PredictionReason::Nearby { file },
        }
    }
}
