//! The static model: a vector for each piece of a word.

use std::sync::OnceLock;

use heirloom_core::embedding::{ByWords, EmbedError, Embedder, embed_by_words, normalise};
use heirloom_core::kernels;

use crate::Vocabulary;
use crate::spread::spread;

/// The model that comes with the binary; `models/README.md` says how it is made.
const BUILTIN: &[u8] = include_bytes!("../../../models/static.bin");

const MAGIC: &[u8; 8] = b"HEIREMB1";

/// How many pieces before it is added up a piece's numbers are fetched.
const AHEAD: usize = 2;

/// A static model.
#[derive(Debug)]
pub struct StaticModel {
    name: String,
    vocabulary: Vocabulary,
    dimensions: usize,
    /// What each piece's numbers are multiplied with.
    scales: Vec<f32>,
    /// The numbers of all pieces, one after the other.
    table: &'static [u8],
}

/// Returns the model that comes with the binary.
pub fn builtin() -> &'static StaticModel {
    static MODEL: OnceLock<StaticModel> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "a test reads the file that is compiled in")]
    MODEL.get_or_init(|| StaticModel::read(BUILTIN).expect("the model in the binary is whole"))
}

impl StaticModel {
    /// Reads a model. Nothing but the vocabulary is copied.
    pub fn read(bytes: &'static [u8]) -> Result<Self, EmbedError> {
        Self::parts(bytes).ok_or_else(|| {
            EmbedError::new("this is not a static model", "make it with models/make.py")
        })
    }

    fn parts(bytes: &'static [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (count, rest) = number(rest)?;
        let (dimensions, rest) = number(rest)?;
        let (length, rest) = number(rest)?;
        let (words, rest) = rest.split_at_checked(length)?;
        let (scales, table) = rest.split_at_checked(count * 4)?;
        let vocabulary = Vocabulary::new(std::str::from_utf8(words).ok()?);
        let is_whole = vocabulary.len() == count && table.len() == count * dimensions;
        let scales = scales
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        // Whatever is trained anew has other scales.
        let trained = &bytes[..bytes.len() - table.len()];
        let name = format!("static-{}", &blake3::hash(trained).to_hex()[..16]);
        is_whole.then(|| StaticModel {
            name,
            vocabulary,
            dimensions,
            scales: scales.collect(),
            table,
        })
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The numbers of a piece.
    fn row(&self, id: u32) -> &[u8] {
        &self.table[id as usize * self.dimensions..][..self.dimensions]
    }

    /// Returns the vector of a text as it stands.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        self.write_vector(&self.vocabulary.pieces(text), &mut vector);
        vector
    }
}

fn number(bytes: &'static [u8]) -> Option<(usize, &'static [u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number) as usize, rest))
}

impl Embedder for StaticModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        embed_by_words(self, self.dimensions, texts, take);
        Ok(())
    }

    fn by_words(&self) -> Option<&dyn ByWords> {
        Some(self)
    }
}

impl ByWords for StaticModel {
    fn add_pieces(&self, word: &str, pieces: &mut Vec<u32>) {
        self.vocabulary.add_pieces(&spread(word), pieces);
    }

    fn write_vector(&self, pieces: &[u32], vector: &mut [f32]) {
        vector.fill(0.0);
        for (at, id) in pieces.iter().enumerate() {
            if let Some(soon) = pieces.get(at + AHEAD) {
                kernels::fetch(self.row(*soon));
            }
            kernels::add_scaled(vector, self.row(*id), self.scales[*id as usize]);
        }
        normalise(vector);
    }
}
