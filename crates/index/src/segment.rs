//! An immutable part of the index: posting lists of terms, and quantised vectors.
//!
//! ```text
//! header    magic, section sizes, a checksum of the sections, a checksum of the header
//! vectors   the slot of each vector, then its scale
//! signs     one bit a dimension, for the first pass of a nearest-neighbour search
//! values    one byte a dimension, for the second pass
//! terms     where each term ends, then their bytes, sorted
//! postings  the document frequency of each term, where its list ends, then the lists
//! ```
//! A posting list holds slots in ascending order as varints of the delta from the previous slot,
//! shifted left by one. A set lowest bit means a term frequency of 1; otherwise the term frequency
//! follows as another varint.

mod builder;
mod bytes;
mod layout;
mod reader;
mod tokenizer;

pub(crate) use builder::{SegmentBuilder, SegmentDraft, VectorRows};
pub(crate) use bytes::{MappedFile, SegmentBytes};
pub(crate) use reader::Segment;
pub(crate) use tokenizer::{Chunk, EmbedderPieces, TokenizedChunks, Tokenizer};
