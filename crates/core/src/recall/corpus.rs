//! The view of an index that ranking needs.

/// The position of a memory in one index; it has no meaning outside of that index.
pub type Slot = u32;

/// An occurrence of a term in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The memory.
    pub slot: Slot,
    /// The term frequency.
    pub count: u32,
}

/// The memories that ranking searches. A memory that is not part of the corpus counts in no statistics and is in no
/// answer; a memory that is part of it but fails the filter still counts and contributes to its neighbours.
pub trait Corpus: Sync {
    /// Returns the number of memories.
    fn size(&self) -> usize;

    /// Returns a number that is greater than every slot.
    fn slot_bound(&self) -> usize;

    /// Appends the posting list of a term to `found`.
    fn postings(&self, term: &str, found: &mut Vec<Posting>);

    /// Passes all terms, or the ones that start with a character, to `take`. The same term may come twice, and terms
    /// may come that no memory contains any more.
    fn for_each_term(&self, first: Option<char>, take: &mut dyn FnMut(&str));

    /// Returns the factor by which the length of a memory dampens its term frequencies: see
    /// [`length_normalisation`](super::length_normalisation).
    fn length_normalisation(&self, slot: Slot) -> f32;

    /// Returns whether a memory passes the filter, so that it may be in the answer.
    fn is_selected(&self, slot: Slot) -> bool;

    /// Returns whether a memory is part of the corpus.
    fn contains(&self, slot: Slot) -> bool;

    /// Returns the memory before this one in its document, session or conversation.
    fn previous(&self, slot: Slot) -> Option<Slot>;

    /// Returns the memory after this one in its document, session or conversation.
    fn next(&self, slot: Slot) -> Option<Slot>;

    /// Returns whether a memory is a question.
    fn is_question(&self, slot: Slot) -> bool;

    /// Returns at most `most` memories that pass the filter and are nearest to a vector, each with its cosine if the
    /// search computed it.
    fn nearest(&self, vector: &[f32], most: usize) -> Vec<(Slot, Option<f32>)>;

    /// Returns the cosine of each memory and a vector, -1 to 1.
    fn cosines(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32>;

    /// Returns the day of a memory, if it is known, as [`to_number`](crate::day::to_number) counts days.
    fn day(&self, slot: Slot) -> Option<i32>;

    /// Returns the confidence that a memory states, 0 to 1.
    fn confidence(&self, slot: Slot) -> Option<f32>;

    /// Returns the memories that relations link to this one, in an order that does not depend on how the index was
    /// built.
    fn related(&self, slot: Slot) -> &[Slot];

    /// Returns the cosine of two memories, -1 to 1.
    fn cosine(&self, a: Slot, b: Slot) -> f32;

    /// Returns the tie-break key of a memory: the smaller one comes first among equal scores.
    fn tie_break_key(&self, slot: Slot) -> u64;
}
