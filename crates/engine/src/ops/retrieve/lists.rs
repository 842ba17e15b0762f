//! Visits the lists of an answer in the same way, whatever the type of their entries.

use super::entries::Shorten;

/// A list of the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListSpec {
    /// The name of the list in the answer.
    pub(super) name: &'static str,
    /// The operation that returns the list alone, if there is one.
    pub(super) operation: Option<&'static str>,
    /// The share of the budget. What a list does not use flows on to the next one.
    pub(super) share: f64,
}

/// Visits the lists of an answer, the most important first.
pub(super) trait ListVisitor {
    /// Visits a list.
    fn visit<E: Shorten>(&mut self, spec: ListSpec, entries: &mut Vec<E>);
}
