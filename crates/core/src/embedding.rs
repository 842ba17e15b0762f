//! Texts as vectors whose nearness tells how near their meanings are.

use crate::kernels;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns what tells its vectors from those of every other embedder: vectors of two names are
    /// never compared.
    fn name(&self) -> &str;

    /// Returns how many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// Gives a vector of length one for each text, in order; all zeros for a text that says nothing.
    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError>;

    /// Returns the vector of one text.
    fn embed_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = Vec::new();
        self.embed(&[text], &mut |made| vector = made.to_vec())?;
        Ok(vector)
    }

    /// Returns itself as one for which a text is no more than its words, if it is one: whoever cuts
    /// texts into words anyway need not have them cut again.
    fn by_words(&self) -> Option<&dyn ByWords> {
        None
    }
}

/// Turns texts into vectors by their words, which are parted by white space.
pub trait ByWords: Sync {
    /// Adds the ids of the pieces that a word consists of. A word of ASCII letters and digits with a
    /// punctuation mark behind it consists of those of the two.
    fn add_pieces(&self, word: &str, pieces: &mut Vec<u32>);

    /// Writes the vector of a text, given the pieces of its words.
    fn write_vector(&self, pieces: &[u32], vector: &mut [f32]);
}

impl<E: Embedder + ?Sized> Embedder for &E {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn dimensions(&self) -> usize {
        (**self).dimensions()
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        (**self).embed(texts, take)
    }

    fn by_words(&self) -> Option<&dyn ByWords> {
        (**self).by_words()
    }
}

/// Gives the vectors of texts, word by word: what [`Embedder::embed`] is for one that goes by words.
pub fn embed_by_words(
    embedder: &dyn ByWords,
    dimensions: usize,
    texts: &[&str],
    take: &mut dyn FnMut(&[f32]),
) {
    let mut pieces = Vec::new();
    let mut vector = vec![0.0; dimensions];
    for text in texts {
        pieces.clear();
        text.split_whitespace().for_each(|word| embedder.add_pieces(word, &mut pieces));
        embedder.write_vector(&pieces, &mut vector);
        take(&vector);
    }
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbedError {
    /// What happened.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

impl EmbedError {
    /// Makes one.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        EmbedError { message: message.into(), hint: hint.into() }
    }
}

/// Makes a vector's length one, unless it is nothing at all.
pub fn normalise(vector: &mut [f32]) {
    let length = kernels::squares(vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
