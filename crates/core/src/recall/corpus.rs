//! The view of an index that ranking needs.

/// The position of a chunk in one index; it has no meaning outside of that index.
pub type Slot = u32;

/// An occurrence of a term in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The chunk.
    pub slot: Slot,
    /// The term frequency.
    pub count: u32,
}

/// The chunks that ranking searches. A memory consists of passages: a document of its sections, any other memory of one.
/// A passage with a long text consists of several chunks. A chunk that is not part of the corpus counts in no statistics
/// and is in no answer; one that is part of it but fails the filter still counts and contributes to its neighbours.
///
/// Archived chunks may be ranked beside the corpus. They change nothing about the answers: they count in no statistics and
/// contribute to archived chunks only.
pub trait Corpus: Sync {
    /// Returns the number of chunks.
    fn size(&self) -> usize;

    /// Returns the number of passages.
    fn passage_count(&self) -> usize;

    /// Returns the number of passages of the corpus among the postings of a term, which are sorted by slot.
    fn count_passages(&self, postings: &[Posting]) -> usize;

    /// Returns a number that is greater than every slot.
    fn slot_bound(&self) -> usize;

    /// Appends the posting list of a term to `found`, sorted by slot, with the archived chunks that are ranked beside the
    /// corpus.
    fn postings(&self, term: &str, found: &mut Vec<Posting>);

    /// Returns whether the posting list of a term has at most so many postings, without reading more than that.
    fn has_at_most(&self, term: &str, most: usize) -> bool;

    /// Passes all terms, or the ones that start with a character, to `take`. The same term may come twice, and terms
    /// may come that no chunk contains any more.
    fn for_each_term(&self, first: Option<char>, take: &mut dyn FnMut(&str));

    /// Returns the factor by which the length of a chunk dampens its term frequencies: see
    /// [`length_normalisation`](super::length_normalisation).
    fn length_normalisation(&self, slot: Slot) -> f32;

    /// Returns the number of terms in a chunk.
    fn term_count(&self, slot: Slot) -> u32;

    /// Returns whether a chunk passes the filter, so that it may be in the answer.
    fn is_selected(&self, slot: Slot) -> bool;

    /// Returns whether a chunk is part of the corpus.
    fn contains(&self, slot: Slot) -> bool;

    /// Returns whether a chunk is archived, passes the filter and is ranked beside the corpus.
    fn is_archived(&self, _slot: Slot) -> bool {
        false
    }

    /// Returns whether archived chunks are ranked beside the corpus.
    fn has_archived(&self) -> bool {
        false
    }

    /// Returns a number that all chunks of a memory share, and those of no other memory.
    fn memory(&self, slot: Slot) -> u64;

    /// Returns the first chunk of the passage that a chunk belongs to.
    fn passage(&self, slot: Slot) -> Slot;

    /// Returns the number of chunks in the passage of a chunk.
    fn chunk_count(&self, slot: Slot) -> u32;

    /// Returns the chunk before this one in its document, session or conversation.
    fn previous(&self, slot: Slot) -> Option<Slot>;

    /// Returns the chunk after this one in its document, session or conversation.
    fn next(&self, slot: Slot) -> Option<Slot>;

    /// Returns whether a chunk ends with a question.
    fn is_question(&self, slot: Slot) -> bool;

    /// Returns at most `most` chunks that pass the filter and are nearest to a vector, each with its cosine if the
    /// search computed it.
    fn nearest(&self, vector: &[f32], most: usize) -> Vec<(Slot, Option<f32>)>;

    /// Returns the same, and then at most `most_archived` archived chunks that are nearest to the vector.
    fn nearest_with_archived(
        &self,
        vector: &[f32],
        most: usize,
        _most_archived: usize,
    ) -> Vec<(Slot, Option<f32>)> {
        self.nearest(vector, most)
    }

    /// Returns the cosine of each chunk and a vector, -1 to 1.
    fn cosines(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32>;

    /// Returns the day of a chunk's memory, if it is known, as [`to_number`](crate::day::to_number) counts days.
    fn day(&self, slot: Slot) -> Option<i32>;

    /// Returns the confidence that a chunk's memory states, 0 to 1.
    fn confidence(&self, slot: Slot) -> Option<f32>;

    /// Returns the first chunks of the passages that relations link to a chunk's passage, in an order that does not
    /// depend on how the index was built.
    fn related(&self, slot: Slot) -> &[Slot];

    /// Returns the cosine of two chunks, -1 to 1.
    fn cosine(&self, a: Slot, b: Slot) -> f32;

    /// Returns the tie-break key of a chunk's passage: the smaller one comes first among equal scores.
    fn tie_break_key(&self, slot: Slot) -> u64;
}
