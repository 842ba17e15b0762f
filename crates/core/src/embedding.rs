//! Embeddings: vectors of texts whose cosine is high for similar meanings.

use crate::kernels;

/// Computes embeddings of texts.
pub trait Embedder: Send + Sync {
    /// Returns its unique name: vectors of embedders with different names are never compared.
    fn name(&self) -> &str;

    /// Returns the number of dimensions of its vectors.
    fn dimensions(&self) -> usize;

    /// Passes the unit vector of each text, in order, to `take`; all zeros for a text without words.
    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError>;

    /// Returns the vector of one text.
    fn embed_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = Vec::new();
        self.embed(&[text], &mut |embedded| vector = embedded.to_vec())?;
        Ok(vector)
    }

    /// Returns its bag-of-words form, if it has one: a caller that splits texts into words anyway saves splitting them
    /// again.
    fn as_bag_of_words(&self) -> Option<&dyn BagOfWordsEmbedder> {
        None
    }
}

/// An embedder for which a text is a bag of words, separated by white space.
pub trait BagOfWordsEmbedder: Sync {
    /// Appends the token ids of a word. The tokens of ASCII letters and digits followed by a punctuation mark must be
    /// the tokens of the two parts, so that callers can cache the parts.
    fn append_token_ids(&self, word: &str, pieces: &mut Vec<u32>);

    /// Writes the vector of a text, given the token ids of its words.
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

    fn as_bag_of_words(&self) -> Option<&dyn BagOfWordsEmbedder> {
        (**self).as_bag_of_words()
    }
}

/// Implements [`Embedder::embed`] for a bag-of-words embedder.
pub fn embed_bag_of_words(
    embedder: &dyn BagOfWordsEmbedder,
    dimensions: usize,
    texts: &[&str],
    take: &mut dyn FnMut(&[f32]),
) {
    let mut pieces = Vec::new();
    let mut vector = vec![0.0; dimensions];
    for text in texts {
        pieces.clear();
        text.split_whitespace().for_each(|word| embedder.append_token_ids(word, &mut pieces));
        embedder.write_vector(&pieces, &mut vector);
        take(&vector);
    }
}

/// A failure to embed texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbedError {
    /// What went wrong.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

impl EmbedError {
    /// Creates an error.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        EmbedError { message: message.into(), hint: hint.into() }
    }
}

/// Scales a vector to length one; a zero vector stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = kernels::sum_of_squares(vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
