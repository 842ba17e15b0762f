//! Building a segment from tokenised passages, or by merging smaller segments.

use heirloom_core::recall::Slot;

use super::bytes::SegmentBytes;
use super::layout::{HEADER_BYTES, Section, Sizes, checksum, push_varint};
use super::reader::Segment;
use super::tokenizer::{TermIds, TokenizedChunks};
use crate::IndexError;
use crate::quantise::{quantise_into, sign_bytes};

/// How many occurrences of terms are buffered before they are sorted into the posting lists: enough
/// to touch each list seldom, few enough to take little memory.
const MAX_PENDING_OCCURRENCES: usize = 1 << 19;

/// Builds a segment.
#[derive(Debug)]
pub(crate) struct SegmentBuilder {
    dimensions: usize,
    term_ids: TermIds,
    /// The posting list of each term, by term id.
    lists: Vec<PostingList>,
    /// Occurrences (term id, slot) that are not yet in the lists, in slot order.
    pending: Vec<(u32, Slot)>,
    /// The vectors in slot order, in batches as they were added.
    batches: Vec<VectorRows>,
}

/// Quantised vectors, each with the slot that it belongs to, column by column.
#[derive(Debug, Default)]
pub(crate) struct VectorRows {
    slots: Vec<u8>,
    scales: Vec<u8>,
    signs: Vec<u8>,
    values: Vec<u8>,
}

impl VectorRows {
    /// Reserves room for `count` vectors.
    pub(crate) fn with_capacity(count: usize, dimensions: usize) -> Self {
        VectorRows {
            slots: Vec::with_capacity(4 * count),
            scales: Vec::with_capacity(4 * count),
            signs: Vec::with_capacity(sign_bytes(dimensions) * count),
            values: Vec::with_capacity(dimensions * count),
        }
    }

    /// Adds a vector of a slot; a zero vector is skipped.
    pub(crate) fn add(&mut self, slot: Slot, vector: &[f32]) {
        if vector.iter().all(|x| *x == 0.0) {
            return;
        }
        let scale = quantise_into(vector, &mut self.values, &mut self.signs);
        self.slots.extend(slot.to_le_bytes());
        self.scales.extend(scale.to_le_bytes());
    }

    /// Copies a vector of a segment.
    fn copy_from(&mut self, segment: &Segment, vector: usize) {
        let item = |section, width| segment.item(section, vector, width);
        self.slots.extend_from_slice(item(Section::VectorSlots, 4));
        self.scales.extend_from_slice(item(Section::VectorScales, 4));
        self.signs.extend_from_slice(item(Section::VectorSigns, segment.sign_width()));
        self.values.extend_from_slice(item(Section::VectorValues, segment.dimensions()));
    }

    fn count(&self) -> usize {
        self.slots.len() / 4
    }
}

/// An encoded posting list.
#[derive(Debug, Default)]
struct PostingList {
    bytes: Vec<u8>,
    last_slot: Slot,
    document_frequency: u32,
}

impl PostingList {
    fn add(&mut self, slot: Slot, term_frequency: u32) {
        let step = u64::from(slot - self.last_slot) << 1;
        if term_frequency == 1 {
            push_varint(&mut self.bytes, step | 1);
        } else {
            push_varint(&mut self.bytes, step);
            push_varint(&mut self.bytes, u64::from(term_frequency));
        }
        self.last_slot = slot;
        self.document_frequency += 1;
    }
}

impl SegmentBuilder {
    /// Starts an empty segment.
    pub(crate) fn new(dimensions: usize) -> Self {
        SegmentBuilder {
            dimensions,
            term_ids: TermIds::default(),
            lists: vec![],
            pending: vec![],
            batches: vec![],
        }
    }

    /// Adds the terms of passages, whose slots must ascend from call to call. `ids` maps the term
    /// ids of the tokenizer to those of this builder; terms that are new to the tokenizer are added.
    pub(crate) fn add_terms(&mut self, ids: &mut Vec<u32>, passages: TokenizedChunks) {
        ids.extend(passages.new_terms.iter().map(|term| self.term_id(term)));
        let mut start = 0;
        for (slot, end) in passages.term_ends {
            let terms = passages.terms[start..end].iter().map(|term| ids[*term as usize]);
            self.pending.extend(terms.map(|id| (id, slot)));
            start = end;
        }
        if self.pending.len() >= MAX_PENDING_OCCURRENCES {
            self.flush_pending();
        }
    }

    /// Adds vectors, whose slots must ascend from call to call.
    pub(crate) fn add_vectors(&mut self, vectors: VectorRows) {
        self.batches.push(vectors);
    }

    /// Moves pending occurrences to the posting lists, by a counting sort on term ids.
    fn flush_pending(&mut self) {
        let mut ends = vec![0_usize; self.lists.len() + 1];
        self.pending.iter().for_each(|(id, _)| ends[*id as usize + 1] += 1);
        for id in 1..ends.len() {
            ends[id] += ends[id - 1];
        }
        let mut slots = vec![0; self.pending.len()];
        for (id, slot) in self.pending.drain(..) {
            let position = &mut ends[id as usize];
            slots[*position] = slot;
            *position += 1;
        }
        let mut start = 0;
        for (list, end) in self.lists.iter_mut().zip(ends) {
            for occurrences in slots[start..end].chunk_by(|a, b| a == b) {
                list.add(occurrences[0], occurrences.len() as u32);
            }
            start = end;
        }
    }

    fn term_id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.term_ids.get(term) {
            return *id;
        }
        let id = self.lists.len() as u32;
        self.term_ids.insert(term.into(), id);
        self.lists.push(PostingList::default());
        id
    }

    /// Merges a segment whose slots are greater than all slots added so far; slots for which
    /// `is_kept` is false are dropped.
    pub(crate) fn add_segment(&mut self, segment: &Segment, is_kept: impl Fn(Slot) -> bool) {
        self.flush_pending();
        for rank in 0..segment.term_count() {
            let Ok(term) = std::str::from_utf8(segment.term(rank)) else { continue };
            let id = self.term_id(term) as usize;
            segment.postings_at(rank, |posting| {
                if is_kept(posting.slot) {
                    self.lists[id].add(posting.slot, posting.count);
                }
            });
        }
        let mut vectors = VectorRows::default();
        for vector in (0..segment.vector_count()).filter(|row| is_kept(segment.slot_of(*row))) {
            vectors.copy_from(segment, vector);
        }
        self.batches.push(vectors);
    }

    /// Encodes the segment.
    pub(crate) fn finish(mut self) -> Result<SegmentDraft, IndexError> {
        self.flush_pending();
        let mut terms: Vec<(&str, u32)> =
            self.term_ids.iter().map(|(term, id)| (&**term, *id)).collect();
        terms.retain(|(_, id)| self.lists[*id as usize].document_frequency > 0);
        terms.sort_unstable();
        let sizes = Sizes {
            dimensions: self.dimensions,
            vectors: self.batches.iter().map(VectorRows::count).sum(),
            terms: terms.len(),
            term_bytes: terms.iter().map(|(term, _)| term.len()).sum(),
            posting_bytes: terms.iter().map(|(_, id)| self.lists[*id as usize].bytes.len()).sum(),
        };
        let text = self.encode_text(&terms, &sizes)?;
        let checksum = checksum(columns(&self.batches, CHECKED_COLUMNS).chain([text.as_slice()]));
        Ok(SegmentDraft { header: sizes.header(checksum), batches: self.batches, text })
    }

    /// Encodes the sections of the terms and of their posting lists.
    fn encode_text(&self, terms: &[(&str, u32)], sizes: &Sizes) -> Result<Vec<u8>, IndexError> {
        let offsets = sizes.offsets();
        let offsets = offsets.ok_or_else(|| IndexError::damaged("a segment would be too large"))?;
        let length = offsets.end(Section::Postings) - offsets.start(Section::TermEnds);
        let mut text = Vec::with_capacity(length);
        let mut end = 0_u32;
        for (term, _) in terms {
            end += term.len() as u32;
            text.extend(end.to_le_bytes());
        }
        terms.iter().for_each(|(term, _)| text.extend_from_slice(term.as_bytes()));
        let lists = || terms.iter().map(|(_, id)| &self.lists[*id as usize]);
        lists().for_each(|list| text.extend(list.document_frequency.to_le_bytes()));
        let mut end = 0_u64;
        for list in lists() {
            end += list.bytes.len() as u64;
            text.extend(end.to_le_bytes());
        }
        lists().for_each(|list| text.extend_from_slice(&list.bytes));
        Ok(text)
    }
}

type Column = fn(&VectorRows) -> &Vec<u8>;

/// The columns of the vectors in the order of the file.
const COLUMNS: &[Column] =
    &[|rows| &rows.slots, |rows| &rows.scales, |rows| &rows.signs, |rows| &rows.values];

/// The columns that the checksum covers.
const CHECKED_COLUMNS: &[Column] = &[|rows| &rows.slots, |rows| &rows.scales, |rows| &rows.signs];

/// Returns the bytes of some columns of all batches, column by column.
fn columns<'b>(
    batches: &'b [VectorRows],
    columns: &'static [Column],
) -> impl Iterator<Item = &'b [u8]> {
    columns.iter().flat_map(move |column| batches.iter().map(|rows| column(rows).as_slice()))
}

/// An encoded segment that is not yet written to one place.
#[derive(Debug)]
pub(crate) struct SegmentDraft {
    header: [u8; HEADER_BYTES],
    batches: Vec<VectorRows>,
    /// The sections of the terms and of their posting lists.
    text: Vec<u8>,
}

impl SegmentDraft {
    /// Returns the bytes of the segment, in parts.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.header.as_slice())
            .chain(columns(&self.batches, COLUMNS))
            .chain(std::iter::once(self.text.as_slice()))
    }

    /// Copies the segment to memory and opens it.
    pub(crate) fn open_in_memory(&self) -> Result<Segment, IndexError> {
        let mut bytes = Vec::with_capacity(self.parts().map(<[u8]>::len).sum());
        self.parts().for_each(|part| bytes.extend_from_slice(part));
        Segment::new(SegmentBytes::InMemory(bytes))
    }
}
