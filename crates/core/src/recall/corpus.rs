//! What ranking needs to know of the memories that are there.

/// The place of a memory in an index; it means nothing outside of it.
pub type Slot = u32;

/// A memory that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Which memory.
    pub slot: Slot,
    /// How often.
    pub count: u32,
}

/// The memories among which one looks. Those that are filtered out are not there at all: they
/// count for no statistics and are in no answer.
pub trait Corpus: Sync {
    /// Returns how many memories there are.
    fn size(&self) -> usize;

    /// Returns a number that every slot is less than.
    fn slots(&self) -> usize;

    /// Gives the memories that hold a term.
    fn postings(&self, term: &str, found: &mut Vec<Posting>);

    /// Gives every term that may be held, all or those that start with a character, and some that
    /// nobody holds any more; one may come twice.
    fn each_term(&self, first: Option<char>, take: &mut dyn FnMut(&str));

    /// Returns by how much less a term counts in a memory for its length: see [`damping`].
    fn damping(&self, slot: Slot) -> f32;

    /// Returns whether a memory may be in the answer.
    fn is_wanted(&self, slot: Slot) -> bool;

    /// Returns whether a memory is there.
    fn holds(&self, slot: Slot) -> bool;

    /// Returns the memory before this one in its document, session or conversation.
    fn before(&self, slot: Slot) -> Option<Slot>;

    /// Returns the memory after this one.
    fn after(&self, slot: Slot) -> Option<Slot>;

    /// Returns whether a memory is a question.
    fn asks(&self, slot: Slot) -> bool;

    /// Returns the wanted memories whose meaning is nearest to a vector, at most so many; each with
    /// its nearness, if looking for it has told that.
    fn nearest(&self, vector: &[f32], most: usize) -> Vec<(Slot, Option<f32>)>;

    /// Returns how near the meanings of memories are to a vector, -1 to 1.
    fn nearness(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32>;

    /// Returns the day of a memory, if it is known, as [`number`](crate::day::number) counts days.
    fn day(&self, slot: Slot) -> Option<i32>;

    /// Returns how sure the writer of a memory was, 0 to 1, if they said so.
    fn confidence(&self, slot: Slot) -> Option<f32>;

    /// Returns the memories that relations tie to this one, the same ones in the same order however
    /// the index was made.
    fn related(&self, slot: Slot) -> &[Slot];

    /// Returns how near the meanings of two memories are, -1 to 1.
    fn likeness(&self, a: Slot, b: Slot) -> f32;

    /// Returns what decides between memories that answer equally well.
    fn tie(&self, slot: Slot) -> u64;
}
