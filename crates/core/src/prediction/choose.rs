//! Chooses the commits that together cover the likely files, and wrote the lines of them that may change.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// The weight of lines beside that of files.
const LINE_WEIGHT: f64 = 0.8;

/// A file that may change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LikelyFile {
    /// How likely it changes, beyond what would be expected for any given file.
    pub(super) weight: f64,
    /// Its latest small memories.
    pub(super) recent: Vec<u32>,
    /// The memories that wrote its lines, each with the likelihood that lines of it change.
    pub(super) line_likelihoods: Vec<(u32, f64)>,
}

/// A chosen memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChosenMemory {
    pub(super) memory: u32,
    /// What it adds to the memories that were chosen before it.
    pub(super) gain: f64,
    /// The likely file that it covers best, by position, and whether by its lines.
    pub(super) best_file: usize,
    pub(super) is_best_by_lines: bool,
}

/// Chooses up to `limit` memories greedily, each with the largest gain; of two with the same, the newer one.
pub(super) fn choose(files: &[LikelyFile], limit: usize) -> Vec<ChosenMemory> {
    let mut cover = Cover::new(files);
    let memories: Vec<u32> = cover.parts.keys().copied().collect();
    let mut heap: BinaryHeap<HeapEntry> =
        memories.into_iter().map(|memory| HeapEntry { gain: cover.gain(memory), memory }).collect();
    let mut chosen = Vec::new();
    while let Some(entry) = heap.pop().filter(|_| chosen.len() < limit) {
        // Gains only fall, so a memory whose present gain is still the largest is the best one.
        let current = HeapEntry { gain: cover.gain(entry.memory), ..entry };
        if heap.peek().is_some_and(|next| *next > current) {
            heap.push(current);
            continue;
        }
        if current.gain <= 0.0 {
            break;
        }
        chosen.push(cover.take(current.memory, current.gain));
    }
    chosen
}

/// What a memory covers of a file.
#[derive(Debug, Default)]
struct CoveredPart {
    file: usize,
    is_recent: bool,
    line_likelihood: f64,
}

/// What is not covered yet.
struct Cover {
    /// What each memory covers.
    parts: BTreeMap<u32, Vec<CoveredPart>>,
    /// The weight of each file that no chosen memory covers.
    uncovered_files: Vec<f64>,
    /// The weight of each file's lines that no chosen memory wrote.
    uncovered_lines: Vec<f64>,
}

impl Cover {
    fn new(files: &[LikelyFile]) -> Self {
        let mut parts: BTreeMap<u32, Vec<CoveredPart>> = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            let mut part = |memory: u32, is_recent: bool, line_likelihood: f64| {
                let of_memory = parts.entry(memory).or_default();
                match of_memory.last_mut().filter(|last| last.file == number) {
                    Some(last) => last.line_likelihood = line_likelihood,
                    None => {
                        of_memory.push(CoveredPart { file: number, is_recent, line_likelihood });
                    }
                }
            };
            file.recent.iter().for_each(|memory| part(*memory, true, 0.0));
            file.line_likelihoods
                .iter()
                .for_each(|(memory, likelihood)| part(*memory, false, *likelihood));
        }
        let weights: Vec<f64> = files.iter().map(|file| file.weight).collect();
        Cover { parts, uncovered_files: weights.clone(), uncovered_lines: weights }
    }

    fn part_gains(&self, part: &CoveredPart) -> (f64, f64) {
        let of_file = if part.is_recent { self.uncovered_files[part.file] } else { 0.0 };
        (of_file, LINE_WEIGHT * self.uncovered_lines[part.file] * part.line_likelihood)
    }

    fn gain(&self, memory: u32) -> f64 {
        let parts = self.parts.get(&memory).map_or(&[][..], Vec::as_slice);
        parts.iter().map(|part| self.part_gains(part)).map(|(file, lines)| file + lines).sum()
    }

    /// Marks as covered what a memory covers.
    fn take(&mut self, memory: u32, gain: f64) -> ChosenMemory {
        let parts = self.parts.remove(&memory).unwrap_or_default();
        let mut chosen = ChosenMemory { memory, gain, best_file: 0, is_best_by_lines: false };
        let mut best = -1.0;
        for part in &parts {
            let (of_file, of_lines) = self.part_gains(part);
            if of_file + of_lines > best {
                best = of_file + of_lines;
                chosen.best_file = part.file;
                chosen.is_best_by_lines = of_lines > of_file;
            }
        }
        for part in &parts {
            if part.is_recent {
                self.uncovered_files[part.file] = 0.0;
            }
            self.uncovered_lines[part.file] *= 1.0 - part.line_likelihood;
        }
        chosen
    }
}

#[derive(Debug, Clone, Copy)]
struct HeapEntry {
    gain: f64,
    memory: u32,
}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(self.memory.cmp(&other.memory))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for HeapEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for HeapEntry {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(weight: f64, recent: &[u32]) -> LikelyFile {
        LikelyFile { weight, recent: recent.to_vec(), line_likelihoods: vec![] }
    }

    fn memories(chosen: &[ChosenMemory]) -> Vec<u32> {
        chosen.iter().map(|chosen| chosen.memory).collect()
    }

    #[test]
    fn a_covered_file_does_not_count_again() {
        let files = [file(0.5, &[1, 2]), file(0.4, &[2, 3]), file(0.3, &[4])];
        assert_eq!(memories(&choose(&files, 10)), [2, 4]);
    }

    #[test]
    fn of_equal_memories_the_newer_one_is_chosen() {
        assert_eq!(memories(&choose(&[file(0.5, &[3, 7, 5])], 10)), [7]);
    }

    fn any_files() -> impl Strategy<Value = Vec<LikelyFile>> {
        let lines = prop::collection::btree_map(0_u32..30, 0.0..1.0_f64, 0..6);
        let recent = prop::collection::btree_set(0_u32..30, 0..5);
        let file = (0.0..1.0_f64, recent, lines).prop_map(|(weight, recent, lines)| LikelyFile {
            weight,
            recent: recent.into_iter().collect(),
            line_likelihoods: lines.into_iter().rev().collect(),
        });
        prop::collection::vec(file, 0..20)
    }

    proptest! {
        #[test]
        fn no_memory_is_chosen_twice_and_gains_fall(files in any_files()) {
            let chosen = choose(&files, 10);
            let mut distinct = memories(&chosen);
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), chosen.len());
            prop_assert!(chosen.windows(2).all(|pair| pair[0].gain >= pair[1].gain - 1e-12));
            prop_assert!(chosen.iter().all(|chosen| chosen.gain > 0.0));
        }

        #[test]
        fn the_lazy_choice_is_the_greedy_one(files in any_files()) {
            let mut cover = Cover::new(&files);
            for chosen in choose(&files, 10) {
                let gains = cover.parts.keys().map(|memory| HeapEntry { gain: cover.gain(*memory), memory: *memory });
                let best = gains.max().expect("a chosen memory is left");
                prop_assert_eq!(best.memory, chosen.memory);
                cover.take(best.memory, best.gain);
            }
        }
    }
}
