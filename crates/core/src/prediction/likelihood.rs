//! How likely each file changes together with the given one: a logistic regression on 20 features.
//!
//! The target is the expected share of the files of a piece of work, so a commit of many files counts as much as one of
//! few. The features were chosen among 48; leaving out the others cost 0.002 of average precision.
//!
//! The weights of imports were fitted afterwards on nine repositories, with the other weights as they are, between files
//! that never changed together. They count for a file without commits only: for others they left FF10 of axum and flask
//! as it was and lowered L10 by 0.001 and 0.004.

use super::cochange::CoChange;
use super::file_path::PathFeatures;
use super::history::CommitHistory;
use super::import_graph::{ImportGraph, ImportNeighbours};
use super::predictor::GivenFile;
use super::sigmoid;
use super::statistics::{Activity, Statistics};

/// The weights of the features that depend on the given file.
mod weight {
    pub(super) const INTERCEPT: f64 = -7.075_076;
    pub(super) const LOG_TWO_STEPS: f64 = 0.263_493;
    pub(super) const LOG_REVERSE_SHARE: f64 = 0.164_916;
    pub(super) const SHARED_IDENTIFIERS_SHARE: f64 = 3.405_309;
    pub(super) const LOG_SHARED_IDENTIFIERS: f64 = 0.195_708;
    pub(super) const NEVER_TOGETHER: f64 = -0.563_571;
    pub(super) const COMMON_FOLDERS: f64 = 1.150_373;
    pub(super) const COMMON_WORDS: f64 = 1.053_713;
    pub(super) const SAME_FOLDER_RECENCY: f64 = -0.615_891;
    pub(super) const FOCUSED_SHARE: f64 = 6.025_286;
    pub(super) const REVERSE_SHARE: f64 = 0.772_816;
    pub(super) const TEST_PAIR: f64 = 0.730_419;
    pub(super) const IN_LATEST: f64 = 0.238_864;
    pub(super) const NEW_GIVEN_FILE: f64 = 0.678_724;
    pub(super) const LOG_OTHER_FILES: f64 = -0.392_136;
    pub(super) const IMPORTED: f64 = 1.574;
    pub(super) const IMPORTS_GIVEN: f64 = 2.549;
}

/// The weights of the features of a file's activity.
mod activity_weight {
    pub(super) const RECENCY_100: f64 = 0.875_805;
    pub(super) const LOG_DECAYED_500: f64 = 0.565_125;
    pub(super) const YOUTH: f64 = 0.885_249;
    pub(super) const LOG_LAST_THREE: f64 = 1.040_031;
}

/// The weights of a second regression, on a file's activity alone.
mod unconditional_weight {
    pub(super) const INTERCEPT: f64 = -7.424_551;
    pub(super) const LOG_DECAYED_20: f64 = 0.483_176;
    pub(super) const LOG_DECAYED_100: f64 = 0.666_869;
    pub(super) const LOG_DECAYED_500: f64 = 0.574_012;
    pub(super) const RECENCY_10: f64 = 0.350_68;
    pub(super) const RECENCY_100: f64 = 0.314_915;
    pub(super) const LOG_COUNT: f64 = 0.298_688;
    pub(super) const LOG_LAST_THREE: f64 = 1.255_653;
    pub(super) const YOUTH: f64 = 1.332_775;
}

/// What a share is increased by before its logarithm is taken.
const LOG_SHARE_OFFSET: f64 = 0.01;

/// Returns the part of the score that a file's activity makes.
pub(super) fn base_score(activity: &Activity) -> f64 {
    activity_weight::RECENCY_100 * activity.recency_100
        + activity_weight::LOG_DECAYED_500 * activity.decayed_500.ln_1p()
        + activity_weight::YOUTH * activity.youth
        + activity_weight::LOG_LAST_THREE * activity.last_three.ln_1p()
}

/// Returns how likely a file changes, whatever file is given.
pub(super) fn unconditional_likelihood(activity: &Activity) -> f64 {
    sigmoid(
        unconditional_weight::INTERCEPT
            + unconditional_weight::LOG_DECAYED_20 * activity.decayed_20.ln_1p()
            + unconditional_weight::LOG_DECAYED_100 * activity.decayed_100.ln_1p()
            + unconditional_weight::LOG_DECAYED_500 * activity.decayed_500.ln_1p()
            + unconditional_weight::RECENCY_10 * activity.recency_10
            + unconditional_weight::RECENCY_100 * activity.recency_100
            + unconditional_weight::LOG_COUNT * activity.count.ln_1p()
            + unconditional_weight::LOG_LAST_THREE * activity.last_three.ln_1p()
            + unconditional_weight::YOUTH * activity.youth,
    )
}

/// How likely each file changes together with the given one, and what makes it likely.
#[derive(Debug)]
pub(super) struct Likelihoods {
    pub(super) cochange: CoChange,
    /// The weight of the rare identifiers that each file shares with the given one, and that of all of the given one.
    pub(super) shared_identifiers: Vec<f64>,
    pub(super) all_identifiers: f64,
    /// The files that the given one imports, and those that import it.
    pub(super) neighbours: ImportNeighbours,
    /// The likelihood of each file, by number; 0 for the given file and those that are no candidates.
    pub(super) likelihood: Vec<f64>,
}

impl Likelihoods {
    pub(super) fn of(
        history: &CommitHistory,
        statistics: &Statistics,
        imports: &ImportGraph,
        given: &GivenFile<'_>,
    ) -> Self {
        let cochange = CoChange::of(history, given.number);
        let files = history.files.len();
        let words = match given.number {
            Some(number) if given.identifiers.is_empty() => history.identifiers.of_file(number),
            _ => given.identifiers,
        };
        let (shared_identifiers, all_identifiers) =
            history.identifiers.shared_weights(words, files);
        let mut result = Likelihoods {
            cochange,
            shared_identifiers,
            all_identifiers,
            neighbours: imports.neighbours(history, given),
            likelihood: vec![0.0; files],
        };
        let import_scores = result.import_scores(imports, given, files);
        let path = PathFeatures::of(given.path);
        let common_words = common_words(statistics, &path, files);
        let folders = common_folders(statistics, given.path);
        let given_folder = given.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for number in statistics.candidates.iter().filter(|number| Some(**number) != given.number) {
            let file = *number as usize;
            let other = &history.files[file].path_features;
            let folder = statistics.folder[file] as usize;
            let is_pair = !path.subject.is_empty()
                && other.subject == path.subject
                && other.is_test != path.is_test;
            let is_same_folder = statistics.folders[folder] == given_folder;
            let score = result.constant_score()
                + statistics.base_score[file]
                + result.history_score(file, statistics.activity[file].count)
                + import_scores[file]
                + weight::COMMON_FOLDERS * folders[folder]
                + weight::COMMON_WORDS * common_words[file]
                + if is_pair { weight::TEST_PAIR } else { 0.0 }
                + match is_same_folder {
                    true => weight::SAME_FOLDER_RECENCY * statistics.activity[file].recency_100,
                    false => 0.0,
                };
            result.likelihood[file] = sigmoid(score);
        }
        result
    }

    /// Returns the part of the score that is the same for every file.
    fn constant_score(&self) -> f64 {
        weight::INTERCEPT
            + weight::NEW_GIVEN_FILE / (1.0 + f64::from(self.cochange.memories))
            + weight::LOG_OTHER_FILES * self.cochange.other_files.ln_1p()
    }

    /// Returns the part of each file's score that imports make: nothing if the given file has commits, which say more. A
    /// file that many import says less.
    fn import_scores(
        &self,
        imports: &ImportGraph,
        given: &GivenFile<'_>,
        files: usize,
    ) -> Vec<f64> {
        let mut scores = vec![0.0; files];
        if self.cochange.memories > 0 {
            return scores;
        }
        let share = |file: u32| 1.0 / (1.0 + (imports.importers_of(file) as f64).ln_1p());
        let given_share = given.number.map_or(0.0, share);
        let ImportNeighbours { imports, importers } = &self.neighbours;
        for file in imports {
            scores[*file as usize] += weight::IMPORTED * share(*file);
        }
        for file in importers {
            scores[*file as usize] += weight::IMPORTS_GIVEN * given_share;
        }
        scores
    }

    /// Returns the part of the score that commits and contents make.
    fn history_score(&self, file: usize, count: f64) -> f64 {
        let cochange = &self.cochange;
        let shared = self.shared_identifiers[file];
        let mut score = 0.0;
        if shared > 0.0 {
            score += weight::SHARED_IDENTIFIERS_SHARE * (shared / self.all_identifiers).min(1.0)
                + weight::LOG_SHARED_IDENTIFIERS * shared.ln_1p();
        }
        if cochange.two_steps[file] > 0.0 {
            score += weight::LOG_TWO_STEPS * log_share(cochange.two_steps[file]);
        }
        match cochange.together[file] {
            0 => score += weight::NEVER_TOGETHER,
            together => {
                let reverse = f64::from(together) / (count + 2.0);
                score += weight::LOG_REVERSE_SHARE * log_share(reverse)
                    + weight::REVERSE_SHARE * reverse
                    + weight::FOCUSED_SHARE * cochange.focused_share[file]
                    + if cochange.in_latest[file] { weight::IN_LATEST } else { 0.0 };
            }
        }
        score
    }
}

fn log_share(share: f64) -> f64 {
    ((share + LOG_SHARE_OFFSET) / LOG_SHARE_OFFSET).ln()
}

/// Returns the share of the words of the given path, weighted by how rare they are, that each path has.
fn common_words(statistics: &Statistics, path: &PathFeatures, files: usize) -> Vec<f64> {
    let candidates = statistics.candidates.len().max(2) as f64;
    let mut common = vec![0.0; files];
    let mut total = 0.0;
    for word in &path.words {
        let with_word = statistics.files_with_word.get(word).map_or(&[][..], Vec::as_slice);
        let weight = (candidates / with_word.len().max(1) as f64).ln();
        if weight > 0.0 {
            total += weight;
            with_word.iter().for_each(|file| common[*file as usize] += weight);
        }
    }
    if total > 0.0 {
        common.iter_mut().for_each(|weight| *weight /= total);
    }
    common
}

/// Returns for each folder how much of its path is that of the given file's folder.
fn common_folders(statistics: &Statistics, path: &str) -> Vec<f64> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let parts = |folder: &'_ str| folder.split('/').filter(|part| !part.is_empty()).count();
    let depth = parts(folder);
    let share = |other: &String| {
        let same =
            other.split('/').zip(folder.split('/')).take_while(|(a, b)| a == b && !a.is_empty());
        (same.count() as f64 + 0.5) / (depth.max(parts(other)) as f64 + 0.5)
    };
    statistics.folders.iter().map(share).collect()
}
