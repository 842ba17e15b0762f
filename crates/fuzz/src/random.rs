//! A small generator of numbers (SplitMix64), so that a seed means the same inputs everywhere.

/// A deterministic source of numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed; a label gives every target a sequence of its own.
    pub fn new(seed: u64, label: &str) -> Self {
        let mixed = label.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Random(mixed)
    }

    /// Returns a number below `end`, and 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// Picks one of several.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_one_sequence() {
        let draw = |seed, label| {
            let mut random = Random::new(seed, label);
            [random.below(1000), random.below(1000), random.below(1000)]
        };
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_eq!(Random::new(1, "a").below(0), 0);
    }
}
