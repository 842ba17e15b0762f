//! The alignment of two texts by a longest common subsequence of their words.

use super::statement::ComparableWord;

/// The words of two texts that stand for each other.
pub(super) struct Alignment<'w> {
    a: &'w [ComparableWord],
    b: &'w [ComparableWord],
    /// The positions of equal words in both texts, in order.
    pairs: Vec<(usize, usize)>,
}

impl<'w> Alignment<'w> {
    /// Aligns two texts.
    pub(super) fn new(a: &'w [ComparableWord], b: &'w [ComparableWord]) -> Self {
        let columns = b.len() + 1;
        let mut lengths = vec![0u16; (a.len() + 1) * columns];
        for at_a in (0..a.len()).rev() {
            for at_b in (0..b.len()).rev() {
                lengths[at_a * columns + at_b] = match a[at_a].lower == b[at_b].lower {
                    true => lengths[(at_a + 1) * columns + at_b + 1] + 1,
                    false => {
                        let (skip_a, skip_b) =
                            ((at_a + 1) * columns + at_b, at_a * columns + at_b + 1);
                        lengths[skip_a].max(lengths[skip_b])
                    }
                };
            }
        }
        let mut pairs = Vec::new();
        let (mut at_a, mut at_b) = (0, 0);
        while at_a < a.len() && at_b < b.len() {
            if a[at_a].lower == b[at_b].lower {
                pairs.push((at_a, at_b));
                (at_a, at_b) = (at_a + 1, at_b + 1);
            } else if lengths[(at_a + 1) * columns + at_b] >= lengths[at_a * columns + at_b + 1] {
                at_a += 1;
            } else {
                at_b += 1;
            }
        }
        Alignment { a, b, pairs }
    }

    /// Returns the number of equal words.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns what stands between the equal words: a part of each text, of which one may be empty.
    pub(super) fn parts(&self) -> Vec<(&'w [ComparableWord], &'w [ComparableWord])> {
        let mut parts = Vec::new();
        let (mut start_a, mut start_b) = (0, 0);
        let end = (self.a.len(), self.b.len());
        for (at_a, at_b) in self.pairs.iter().copied().chain([end]) {
            if at_a > start_a || at_b > start_b {
                parts.push((&self.a[start_a..at_a], &self.b[start_b..at_b]));
            }
            (start_a, start_b) = (at_a + 1, at_b + 1);
        }
        parts
    }
}
