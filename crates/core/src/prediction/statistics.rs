//! What is known about each file whatever file is given: how often and how lately it changed, its folder and its words.

use rustc_hash::FxHashMap;

use super::history::CommitHistory;
use super::likelihood::{base_score, unconditional_likelihood};

/// A file that so many of the last [`HOT_WINDOW`] memories changed is hot: it changes with everything.
const MIN_HOT_CHANGES: u32 = 5;

/// The number of memories among which changes of hot files are counted.
const HOT_WINDOW: usize = 100;

/// The number of last memories of which [`Activity::last_three`] counts the changes.
const LAST_MEMORIES: usize = 3;

/// How often and how lately a file changed. Ages are counted in memories.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Activity {
    /// e^(-age/10) and e^(-age/100) of the last small memory that changed it.
    pub(super) recency_10: f64,
    pub(super) recency_100: f64,
    /// e^(-age/100) of the first memory that changed it.
    pub(super) youth: f64,
    /// The number of small memories that changed it, in which one counts e^(-age/20), e^(-age/100) and e^(-age/500).
    pub(super) decayed_20: f64,
    pub(super) decayed_100: f64,
    pub(super) decayed_500: f64,
    /// The number of small memories that changed it.
    pub(super) count: f64,
    /// How many of the last three memories changed it and are small.
    pub(super) last_three: f64,
}

/// What is known about each file, by number.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    /// The living files with a small memory.
    pub(super) candidates: Vec<u32>,
    /// Whether a file changes with everything.
    pub(super) is_hot: Vec<bool>,
    pub(super) activity: Vec<Activity>,
    /// The part of the score that does not depend on the given file.
    pub(super) base_score: Vec<f64>,
    /// How likely a file changes, whatever file is given.
    pub(super) unconditional: Vec<f64>,
    /// The number of the folder of each file, and the paths of the folders.
    pub(super) folder: Vec<u32>,
    pub(super) folders: Vec<String>,
    /// The files with a word in their path.
    pub(super) files_with_word: FxHashMap<u32, Vec<u32>>,
}

impl Statistics {
    pub(super) fn of(history: &CommitHistory) -> Self {
        let mut statistics = Statistics { is_hot: hot_files(history), ..Statistics::default() };
        let last_three = last_three(history);
        let decay = Decay::new(history.memories.len());
        let mut folder_numbers: FxHashMap<&str, u32> = FxHashMap::default();
        for (number, file) in history.files.iter().enumerate() {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let folder_number = *folder_numbers.entry(folder).or_insert_with(|| {
                statistics.folders.push(folder.to_owned());
                statistics.folders.len() as u32 - 1
            });
            statistics.folder.push(folder_number);
            for word in &file.path_features.words {
                statistics.files_with_word.entry(*word).or_default().push(number as u32);
            }
            let is_candidate = file.is_alive && !file.small_touches.is_empty();
            let activity = match is_candidate {
                true => decay.activity(&file.touches, &file.small_touches, last_three[number]),
                false => Activity::default(),
            };
            if is_candidate {
                statistics.candidates.push(number as u32);
            }
            statistics.base_score.push(base_score(&activity));
            statistics.unconditional.push(unconditional_likelihood(&activity));
            statistics.activity.push(activity);
        }
        statistics
    }
}

/// Returns which files are lock files, changelogs, or changed by many of the last memories.
fn hot_files(history: &CommitHistory) -> Vec<bool> {
    let mut changes = vec![0; history.files.len()];
    for memory in history.memories.iter().rev().take(HOT_WINDOW) {
        memory.files.iter().for_each(|file| changes[*file as usize] += 1);
    }
    let is_hot = |(file, changes): (&super::TrackedFile, &u32)| {
        file.path_features.is_hot || *changes >= MIN_HOT_CHANGES
    };
    history.files.iter().zip(&changes).map(is_hot).collect()
}

/// Returns how many of the last three memories changed each file and are small.
fn last_three(history: &CommitHistory) -> Vec<f64> {
    let mut counts = vec![0.0; history.files.len()];
    for memory in history.memories.iter().rev().take(LAST_MEMORIES).filter(|it| it.is_small()) {
        memory.files.iter().for_each(|file| counts[*file as usize] += 1.0);
    }
    counts
}

/// Tables of e^(-age/n) for every age.
struct Decay {
    /// The number of memories.
    now: usize,
    by_10: Vec<f64>,
    by_20: Vec<f64>,
    by_100: Vec<f64>,
    by_500: Vec<f64>,
}

impl Decay {
    fn new(now: usize) -> Self {
        let table = |scale: f64| (0..=now).map(|age| (-(age as f64) / scale).exp()).collect();
        Decay {
            now,
            by_10: table(10.0),
            by_20: table(20.0),
            by_100: table(100.0),
            by_500: table(500.0),
        }
    }

    fn activity(&self, touches: &[u32], small: &[u32], last_three: f64) -> Activity {
        let age = |memory: Option<&u32>| self.now - memory.map_or(0, |memory| *memory as usize);
        let last_age = age(small.last());
        // The latest memory has the age 1, and counts fully.
        let sum = |table: &[f64]| small.iter().map(|memory| table[age(Some(memory)) - 1]).sum();
        Activity {
            recency_10: self.by_10[last_age],
            recency_100: self.by_100[last_age],
            youth: self.by_100[age(touches.first())],
            decayed_20: sum(&self.by_20),
            decayed_100: sum(&self.by_100),
            decayed_500: sum(&self.by_500),
            count: small.len() as f64,
            last_three,
        }
    }
}
