//! Predicts commits for a file.

use super::choose::{ChosenMemory, LikelyFile, choose};
use super::confidence::Evidence;
use super::history::CommitHistory;
use super::import_graph::{ImportGraph, ImportNeighbours};
use super::likelihood::Likelihoods;
use super::line_model::line_likelihoods;
use super::reason::PredictionReason;
use super::statistics::Statistics;
use crate::imports::SourceStatement;

/// The number of likely files that are covered, and how many of them with their lines.
const MAX_LIKELY_FILES: usize = 150;
const MAX_FILES_WITH_LINES: usize = 80;

/// The number of latest small memories that stand for a file.
const RECENT_MEMORIES: usize = 5;

/// The number of latest memories of the given file that a writer of lines is compared with.
const MEMORIES_OF_GIVEN: usize = 200;

/// How much of a file's popularity is subtracted: in proportion to how much of all activity falls on the
/// [`CONCENTRATION_FILES`] most popular files, from [`MIN_CONCENTRATION`] on. Without it, predictions are nearly the same
/// for every file. The rule keeps the factor low in large repositories, where popular files are few.
const POPULARITY_SLOPE: f64 = 2.4;
const MIN_CONCENTRATION: f64 = 0.42;
const MIN_POPULARITY_FACTOR: f64 = 0.1;
const MAX_POPULARITY_FACTOR: f64 = 1.3;
const CONCENTRATION_FILES: usize = 30;

/// The file that is worked on.
#[derive(Debug, Clone, Copy, Default)]
pub struct GivenFile<'f> {
    /// Its number, if the history has it.
    pub number: Option<u32>,
    /// Its path.
    pub path: &'f str,
    /// Its identifiers, sorted; empty for those of the committed content.
    pub identifiers: &'f [u32],
    /// What it states about other files; empty for the statements of the committed content.
    pub statements: &'f [SourceStatement],
}

/// A predicted commit.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedCommit {
    /// Its number among the memories of the history.
    pub memory: u32,
    /// How likely it touches another file of the work, 0 to 1.
    pub confidence: f64,
    /// How likely it touches another file of the work that does not change with everything, 0 to 1.
    pub quiet_confidence: f64,
    /// What it adds to the commits before it.
    pub gain: f64,
    /// Why it was predicted.
    pub reason: PredictionReason,
}

/// A history that is ready for predictions.
#[derive(Debug)]
pub struct Predictor {
    history: CommitHistory,
    statistics: Statistics,
    popularity_factor: f64,
    imports: ImportGraph,
}

impl Predictor {
    /// Prepares a history for predictions.
    pub fn new(history: CommitHistory) -> Self {
        let statistics = Statistics::of(&history);
        let popularity_factor = popularity_factor(&statistics);
        let imports = ImportGraph::of(&history);
        Predictor { history, statistics, popularity_factor, imports }
    }

    /// Returns the history.
    pub fn history(&self) -> &CommitHistory {
        &self.history
    }

    /// Returns the history, which can then be updated.
    pub fn into_history(self) -> CommitHistory {
        self.history
    }

    /// Returns whether a file changes with everything.
    pub fn is_hot(&self, file: u32) -> bool {
        self.statistics.is_hot.get(file as usize).copied().unwrap_or_default()
    }

    /// Returns the files that a file imports, those that few others import first, and the files that import it, those that
    /// changed last first.
    pub fn import_neighbours(&self, given: &GivenFile<'_>) -> ImportNeighbours {
        let mut neighbours = self.imports.neighbours(&self.history, given);
        neighbours.imports.sort_by_key(|file| self.imports.importers_of(*file));
        let last_touch = |file: &u32| self.history.files[*file as usize].touches.last();
        neighbours.importers.sort_by_key(|file| std::cmp::Reverse(last_touch(file)));
        neighbours
    }

    /// Predicts up to `limit` commits for a file, the best first. Commits of hot files come after all others: they matter
    /// little, but a young repository has hardly any other files.
    pub fn predict(&self, given: &GivenFile<'_>, limit: usize) -> Vec<PredictedCommit> {
        let likelihoods = Likelihoods::of(&self.history, &self.statistics, &self.imports, given);
        let mut predicted: Vec<PredictedCommit> = Vec::new();
        for is_hot in [false, true] {
            if predicted.len() < limit {
                let (numbers, files) = self.likely_files(&likelihoods, given, is_hot);
                for chosen in choose(&files, limit) {
                    if predicted.len() < limit
                        && predicted.iter().all(|it| it.memory != chosen.memory)
                    {
                        let commit = self.predicted(
                            &likelihoods,
                            given,
                            &chosen,
                            &numbers,
                            predicted.is_empty(),
                        );
                        predicted.push(commit);
                    }
                }
            }
        }
        predicted
    }

    fn predicted(
        &self,
        likelihoods: &Likelihoods,
        given: &GivenFile<'_>,
        chosen: &ChosenMemory,
        numbers: &[u32],
        is_first: bool,
    ) -> PredictedCommit {
        let best = (chosen.memory, numbers[chosen.best_file]);
        let evidence = self.evidence(likelihoods, given, chosen, is_first);
        PredictedCommit {
            memory: chosen.memory,
            confidence: evidence.confidence(),
            quiet_confidence: evidence.quiet_confidence(),
            gain: chosen.gain,
            reason: PredictionReason::find(
                &self.history,
                likelihoods,
                best,
                chosen.is_best_by_lines,
            ),
        }
    }

    /// Returns the numbers of the hot files or of the others that are likely to change, and the files, the likeliest first.
    /// Files that are not hot must be likelier than their popularity says.
    fn likely_files(
        &self,
        likelihoods: &Likelihoods,
        given: &GivenFile<'_>,
        is_hot: bool,
    ) -> (Vec<u32>, Vec<LikelyFile>) {
        let Statistics { candidates, unconditional, .. } = &self.statistics;
        let weight = |number: u32| {
            let file = number as usize;
            let factor = if is_hot { 0.0 } else { self.popularity_factor };
            likelihoods.likelihood[file] - factor * unconditional[file]
        };
        let mut weights: Vec<(u32, f64)> = candidates
            .iter()
            .filter(|number| Some(**number) != given.number && self.is_hot(**number) == is_hot)
            .map(|number| (*number, weight(*number)))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weights.truncate(MAX_LIKELY_FILES);
        let of_given = given.number.map_or(&[][..], |number| {
            let touches = &self.history.files[number as usize].touches;
            &touches[touches.len().saturating_sub(MEMORIES_OF_GIVEN)..]
        });
        let likely = |(rank, (number, weight)): (usize, &(u32, f64))| {
            let file = &self.history.files[*number as usize];
            let small = &file.small_touches;
            let recent = small[small.len().saturating_sub(RECENT_MEMORIES)..].to_vec();
            let line_likelihoods = match rank < MAX_FILES_WITH_LINES {
                true => line_likelihoods(&self.history, file, &recent, of_given),
                false => vec![],
            };
            LikelyFile { weight: *weight, recent, line_likelihoods }
        };
        let files = weights.iter().enumerate().map(likely).collect();
        (weights.into_iter().map(|(number, _)| number).collect(), files)
    }

    fn evidence(
        &self,
        likelihoods: &Likelihoods,
        given: &GivenFile<'_>,
        chosen: &ChosenMemory,
        is_first: bool,
    ) -> Evidence {
        let files = &self.history.memories[chosen.memory as usize].files;
        let touches_given = given.number.is_some_and(|number| files.contains(&number));
        let mut evidence = Evidence::new(files.len(), touches_given, is_first, chosen.gain);
        for file in files {
            let likelihood = likelihoods.likelihood[*file as usize];
            evidence.add_file(likelihood, self.is_hot(*file));
        }
        evidence
    }
}

/// Returns how much of a file's popularity is subtracted.
fn popularity_factor(statistics: &Statistics) -> f64 {
    let quiet = statistics
        .candidates
        .iter()
        .map(|file| *file as usize)
        .filter(|file| !statistics.is_hot[*file]);
    let mut popularity: Vec<f64> = quiet.map(|file| statistics.unconditional[file]).collect();
    popularity.sort_by(|a, b| b.total_cmp(a));
    let total: f64 = popularity.iter().sum();
    let top: f64 = popularity.iter().take(CONCENTRATION_FILES).sum();
    let concentration = if total > 0.0 { top / total } else { 0.0 };
    (POPULARITY_SLOPE * (concentration - MIN_CONCENTRATION))
        .clamp(MIN_POPULARITY_FACTOR, MAX_POPULARITY_FACTOR)
}
