//! The static model: a vector for each piece of a word.

use std::sync::OnceLock;

use heirloom_core::embedding::{EmbedError, Embedder, normalise};
use heirloom_core::kernels;

use crate::Vocabulary;
use crate::spread::spread;
use crate::wordpiece::Cutter;

/// The model that comes with the binary; `models/README.md` says how it is made.
const BUILTIN: &[u8] = include_bytes!("../../../models/static.bin");

const MAGIC: &[u8; 8] = b"HEIREMB1";

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

    /// Returns the vector of a text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        self.vector_by(&mut Cutter::new(&self.vocabulary), text)
    }

    fn vector_by(&self, cutter: &mut Cutter<'_>, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.dimensions];
        cutter.for_each_piece(text, |id| {
            let at = id as usize * self.dimensions;
            let row = &self.table[at..at + self.dimensions];
            kernels::add_scaled(&mut sum, row, self.scales[id as usize]);
        });
        normalise(&mut sum);
        sum
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
        let mut cutter = Cutter::new(&self.vocabulary);
        texts.iter().for_each(|text| take(&self.vector_by(&mut cutter, &spread(text))));
        Ok(())
    }
}
