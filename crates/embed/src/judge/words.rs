//! The vectors of the tokens, product-quantised: a vector is cut into parts, and each part is one of 256 of a codebook.

/// The parts that a codebook has: a code is a byte.
pub(super) const CODEBOOK_PARTS: usize = 256;

#[derive(Debug)]
pub(super) struct Words {
    /// The codes of each token's parts.
    pub(super) codes: &'static [u8],
    /// The number of parts of a vector.
    pub(super) parts: usize,
    /// For each part of a vector, its codebook.
    pub(super) codebooks: Vec<f32>,
}

impl Words {
    /// Writes the vector of a token.
    pub(super) fn write_vector(&self, id: u32, vector: &mut [f32]) {
        let part_width = vector.len() / self.parts;
        let codes = &self.codes[id as usize * self.parts..][..self.parts];
        let codebooks = self.codebooks.chunks_exact(CODEBOOK_PARTS * part_width);
        for ((part, codebook), code) in
            vector.chunks_exact_mut(part_width).zip(codebooks).zip(codes)
        {
            part.copy_from_slice(&codebook[usize::from(*code) * part_width..][..part_width]);
        }
    }
}
