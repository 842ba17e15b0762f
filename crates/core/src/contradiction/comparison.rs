//! Two statements with all that the rules found when they compared them.

use super::alignment::Alignment;
use super::compare_quantities::{QuantityComparison, compare_quantities};
use super::differences::Differences;
use super::statement::Statement;
use crate::consolidation::WordNearness;

/// Two statements with all that the rules found.
#[derive(Debug)]
pub(super) struct Comparison<'s, 't> {
    pub(super) a: &'s Statement<'t>,
    pub(super) b: &'s Statement<'t>,
    pub(super) alignment: Alignment,
    pub(super) quantities: QuantityComparison,
    pub(super) differences: Differences,
}

impl<'s, 't> Comparison<'s, 't> {
    /// Compares two statements.
    pub(super) fn new(
        a: &'s Statement<'t>,
        b: &'s Statement<'t>,
        nearness: WordNearness<'_>,
    ) -> Self {
        let alignment = Alignment::new(a, b, nearness);
        let quantities = compare_quantities(a, b, &alignment, nearness);
        let differences = Differences::new(a, b, &alignment, nearness);
        Comparison { a, b, alignment, quantities, differences }
    }

    /// Returns whether the statements have the same words and amounts, which may be spelt differently: `30 s` and `30
    /// seconds`.
    pub(super) fn have_equal_words(&self) -> bool {
        let QuantityComparison { compatible, exclusive, unmatched_a, unmatched_b, .. } =
            &self.quantities;
        exclusive.is_empty()
            && compatible + unmatched_a + unmatched_b == 0
            && self.a.words_without_amounts().eq(self.b.words_without_amounts())
    }
}
