//! Looking up terms in the posting lists of several segments.

use std::sync::Arc;

use heirloom_core::recall::{Corpus, Posting, Slot};

use crate::segment::Segment;

/// Appends the postings of a term whose slots are wanted.
pub(crate) fn collect(
    segments: &[Arc<Segment>],
    term: &str,
    is_wanted: impl Fn(Slot) -> bool,
    found: &mut Vec<Posting>,
) {
    for segment in segments {
        let list = segment.posting_list(term);
        found.reserve(list.max_len());
        list.for_each(|posting| {
            if is_wanted(posting.slot) {
                found.push(posting);
            }
        });
    }
}

/// Returns whether a term has at most so many postings whose slots are part of the corpus.
pub(crate) fn has_at_most(
    segments: &[Arc<Segment>],
    term: &str,
    corpus: &impl Corpus,
    most: usize,
) -> bool {
    let mut count = 0;
    segments.iter().all(|segment| {
        segment.posting_list(term).for_each_while(|posting| {
            count += usize::from(corpus.contains(posting.slot));
            count <= most
        });
        count <= most
    })
}

/// Counts the passages among postings, which are sorted by slot. `chunk_number` returns the number of a slot's chunk in
/// its passage.
pub(crate) fn count_passages(postings: &[Posting], chunk_number: impl Fn(Slot) -> u16) -> usize {
    let continues_passage = |pair: &&[Posting]| {
        let [previous, next] = [pair[0].slot, pair[1].slot];
        next - previous <= Slot::from(chunk_number(next))
    };
    postings.len() - postings.windows(2).filter(continues_passage).count()
}
