//! The static model: a table with one vector per word piece.

use std::sync::OnceLock;

use heirloom_core::embedding::{
    BagOfWordsEmbedder, EmbedError, Embedder, embed_bag_of_words, normalise,
};
use heirloom_core::kernels;
use heirloom_core::recall::Lexicon;

use crate::Vocabulary;
use crate::near_words::{self, NearWords};
use crate::preprocess::separate_words;

/// The built-in model; `models/README.md` describes how it is made.
const BUILTIN: &[u8] = include_bytes!("../../../models/static.bin");

const MAGIC: &[u8; 8] = b"HEIREMB1";

/// How many pieces in advance a row of the table is prefetched into the CPU cache.
const PREFETCH_DISTANCE: usize = 2;

/// The name of the built-in model: a hash of it without the large table, since a newly trained model has other scales. A
/// test computes it, since that takes longer than answering a question.
const BUILTIN_NAME: &str = "static-d76321956c6385b6";

/// A static model.
#[derive(Debug)]
pub struct StaticModel {
    name: &'static str,
    vocabulary: Vocabulary,
    dimensions: usize,
    /// The factor of each row of the table, as little-endian floats.
    scales: &'static [[u8; 4]],
    /// The quantised vectors of all pieces, row by row.
    table: &'static [u8],
    /// The words that mean nearly the same, for the built-in model.
    near_words: Option<NearWords>,
}

/// Returns the built-in model.
pub fn builtin() -> &'static StaticModel {
    static MODEL: OnceLock<StaticModel> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "a test reads the file that is compiled in")]
    MODEL.get_or_init(|| StaticModel::parse_builtin().expect("the built-in model is valid"))
}

/// The parts of a model's file.
struct ModelParts {
    /// The number of word pieces.
    count: usize,
    dimensions: usize,
    /// The word pieces, each followed by a line break.
    pieces: &'static [u8],
    scales: &'static [u8],
    table: &'static [u8],
}

impl ModelParts {
    fn of(bytes: &'static [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (count, rest) = read_u32(rest)?;
        let (dimensions, rest) = read_u32(rest)?;
        let (vocabulary_bytes, rest) = read_u32(rest)?;
        let (pieces, rest) = rest.split_at_checked(vocabulary_bytes)?;
        let (scales, table) = rest.split_at_checked(count * 4)?;
        Some(ModelParts { count, dimensions, pieces, scales, table })
    }
}

impl StaticModel {
    fn parse_builtin() -> Option<Self> {
        let ModelParts { count, dimensions, pieces, scales, table } = ModelParts::of(BUILTIN)?;
        let vocabulary = Vocabulary::builtin(std::str::from_utf8(pieces).ok()?);
        let is_complete = vocabulary.len() == count && table.len() == count * dimensions;
        is_complete.then(|| StaticModel {
            name: BUILTIN_NAME,
            vocabulary,
            dimensions,
            scales: scales.as_chunks().0,
            table,
            near_words: NearWords::parse(near_words::BUILTIN, count),
        })
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the quantised vector of a piece.
    fn row(&self, id: u32) -> &[u8] {
        &self.table[id as usize * self.dimensions..][..self.dimensions]
    }

    /// Returns the vector of a text without splitting its names first.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        self.write_vector(&self.vocabulary().pieces(text), &mut vector);
        vector
    }
}

/// Reads a little-endian `u32`, and returns the rest of the bytes.
fn read_u32(bytes: &'static [u8]) -> Option<(usize, &'static [u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number) as usize, rest))
}

impl Lexicon for StaticModel {
    fn contains(&self, word: &str) -> bool {
        self.vocabulary().contains(word)
    }

    fn for_each_word(&self, take: &mut dyn FnMut(&str)) {
        self.vocabulary().for_each_word(take);
    }

    fn for_each_near_word(&self, word: &str, take: &mut dyn FnMut(&str, f32)) {
        let near = self.vocabulary().id(word).zip(self.near_words.as_ref());
        for (piece, cosine) in near.into_iter().flat_map(|(id, near)| near.of(id)) {
            take(self.vocabulary().piece(piece), cosine);
        }
    }
}

impl Embedder for StaticModel {
    fn name(&self) -> &str {
        self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        embed_bag_of_words(self, self.dimensions, texts, take);
        Ok(())
    }

    fn as_bag_of_words(&self) -> Option<&dyn BagOfWordsEmbedder> {
        Some(self)
    }
}

impl BagOfWordsEmbedder for StaticModel {
    fn append_token_ids(&self, word: &str, pieces: &mut Vec<u32>) {
        self.vocabulary().add_pieces(&separate_words(word), pieces);
    }

    fn write_vector(&self, pieces: &[u32], vector: &mut [f32]) {
        vector.fill(0.0);
        for (index, id) in pieces.iter().enumerate() {
            if let Some(upcoming) = pieces.get(index + PREFETCH_DISTANCE) {
                kernels::prefetch(self.row(*upcoming));
            }
            let scale = f32::from_le_bytes(self.scales[*id as usize]);
            kernels::add_scaled(vector, self.row(*id), scale);
        }
        normalise(vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_built_in_model_is_its_hash() {
        let table = ModelParts::of(BUILTIN).unwrap().table;
        let hashed = &BUILTIN[..BUILTIN.len() - table.len()];
        assert_eq!(BUILTIN_NAME, format!("static-{}", &blake3::hash(hashed).to_hex()[..16]));
    }
}
