//! Chance for tests that try many cases: seeded, so that what failed fails again.

/// A seeded source of chance.
#[derive(Debug, Clone)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// Starts from a seed; equal seeds bring equal chances.
    pub fn new(seed: u64) -> Self {
        Chance { state: seed }
    }

    /// Returns a number below another, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        // SplitMix64: every seed is a good one, 0 included.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    /// Returns one of several; `None` where there is none.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    /// Puts items in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// Returns whether the long form of a test is wanted: `HEIRLOOM_LONG=1`.
pub fn is_long() -> bool {
    std::env::var("HEIRLOOM_LONG").is_ok_and(|value| value == "1")
}
