//! Files that changed together with the given file, directly and in two steps.

use super::history::CommitHistory;

/// The number of small memories of the given file that count, newest first.
const MAX_MEMORIES: usize = 151;

/// The factors by which each older memory counts less: the fast one follows what is worked on now.
const FAST_DECAY: f64 = 0.85;
const SLOW_DECAY: f64 = 0.97;
const NEIGHBOUR_DECAY: f64 = 0.9;

/// The number of neighbours whose own memories are followed, and the least share of a neighbour.
const MAX_NEIGHBOURS: usize = 11;
const MIN_NEIGHBOUR_SHARE: f64 = 0.01;

/// The number of last small memories of a neighbour that are followed.
const MEMORIES_PER_NEIGHBOUR: usize = 12;

/// How often each file changed together with the given one, by number.
#[derive(Debug, Default)]
pub(super) struct CoChange {
    /// The number of small memories of the given file.
    pub(super) memories: u32,
    /// How many of them changed each file.
    pub(super) together: Vec<u32>,
    /// The share of them, in which recent ones count more.
    pub(super) recent_share: Vec<f64>,
    /// The share of them, in which those of few files count more.
    pub(super) focused_share: Vec<f64>,
    /// Whether the latest of them changed each file.
    pub(super) in_latest: Vec<bool>,
    /// The share of memories of neighbours, weighted by how near those are.
    pub(super) two_steps: Vec<f64>,
    /// The mean number of other files in them, in which recent ones count more.
    pub(super) other_files: f64,
}

impl CoChange {
    pub(super) fn of(history: &CommitHistory, given: Option<u32>) -> Self {
        let files = history.files.len();
        let mut result = CoChange {
            together: vec![0; files],
            recent_share: vec![0.0; files],
            focused_share: vec![0.0; files],
            in_latest: vec![false; files],
            two_steps: vec![0.0; files],
            ..CoChange::default()
        };
        if let Some(given) = given {
            result.add_memories(history, given);
            result.add_two_steps(history, given);
        }
        result
    }

    fn add_memories(&mut self, history: &CommitHistory, given: u32) {
        let (mut fast, mut slow) = (1.0, 1.0);
        let (mut fast_sum, mut slow_sum, mut others) = (0.0, 0.0, 0.0);
        let small = &history.files[given as usize].small_touches;
        for memory in small.iter().rev().take(MAX_MEMORIES) {
            let changed = &history.memories[*memory as usize].files;
            let other_files = changed.len() as f64 - 1.0;
            for file in changed.iter().filter(|_| changed.len() > 1).map(|file| *file as usize) {
                self.together[file] += 1;
                self.recent_share[file] += fast;
                self.focused_share[file] += slow / other_files;
                self.in_latest[file] |= self.memories == 0;
            }
            fast_sum += fast;
            slow_sum += slow;
            others += fast * other_files;
            fast *= FAST_DECAY;
            slow *= SLOW_DECAY;
            self.memories += 1;
        }
        self.recent_share.iter_mut().for_each(|share| *share /= fast_sum + 1.0);
        self.focused_share.iter_mut().for_each(|share| *share /= slow_sum + 1.0);
        self.other_files = if fast_sum > 0.0 { others / (fast_sum + 0.01) } else { 0.0 };
    }

    fn add_two_steps(&mut self, history: &CommitHistory, given: u32) {
        let share = |file: &u32| self.recent_share[*file as usize];
        let mut neighbours: Vec<u32> = (0..history.files.len() as u32)
            .filter(|file| *file != given && share(file) > MIN_NEIGHBOUR_SHARE)
            .collect();
        neighbours.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.cmp(b)));
        neighbours.truncate(MAX_NEIGHBOURS);
        for neighbour in neighbours {
            let small = &history.files[neighbour as usize].small_touches;
            let last = || small.iter().rev().take(MEMORIES_PER_NEIGHBOUR);
            let weights =
                || std::iter::successors(Some(1.0), |weight| Some(weight * NEIGHBOUR_DECAY));
            let sum: f64 = last().zip(weights()).map(|(_, weight)| weight).sum();
            let share = self.recent_share[neighbour as usize] / (sum + 1.0);
            for (memory, weight) in last().zip(weights()) {
                for file in &history.memories[*memory as usize].files {
                    self.two_steps[*file as usize] += share * weight;
                }
            }
        }
    }
}
