//! The words that mean nearly the same as each word of the static model; `models/near.py` makes the list.

/// The list for the built-in model.
pub(crate) const BUILTIN: &[u8] = include_bytes!("../../../models/near.bin");

const MAGIC: &[u8; 8] = b"HEIRNEAR";

/// The size of a near word: the id of its piece, and the cosine as a share of 255.
const WORD_BYTES: usize = 3;

// Where the words of each piece start, which the build script finds.
include!(concat!(env!("OUT_DIR"), "/near_starts.rs"));

/// The near words of all pieces of a vocabulary.
#[derive(Debug)]
pub(crate) struct NearWords {
    bytes: &'static [u8],
}

impl NearWords {
    /// Parses a list for a vocabulary with `count` pieces. The bytes are not copied.
    pub(crate) fn parse(bytes: &'static [u8], count: usize) -> Option<Self> {
        let (stated_count, words) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        let is_of_vocabulary =
            u32::from_le_bytes(*stated_count) as usize == count && NEAR_STARTS.len() == count;
        let last = *NEAR_STARTS.last()? as usize;
        let end = last + 1 + usize::from(*words.get(last)?) * WORD_BYTES;
        (is_of_vocabulary && end == words.len()).then_some(NearWords { bytes: words })
    }

    /// Returns the pieces that are near a piece, nearest first, with their cosines.
    pub(crate) fn of(&self, piece: u32) -> impl Iterator<Item = (u32, f32)> {
        let start =
            NEAR_STARTS.get(piece as usize).map_or(self.bytes.len(), |start| *start as usize);
        let count = self.bytes.get(start).copied().map_or(0, usize::from);
        let words = self.bytes.get(start + 1..).unwrap_or_default();
        let words = &words[..words.len().min(count * WORD_BYTES)];
        words.as_chunks::<WORD_BYTES>().0.iter().map(|[low, high, share]| {
            (u32::from(u16::from_le_bytes([*low, *high])), f32::from(*share) / 255.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use heirloom_core::recall::Lexicon;

    use super::*;
    use crate::builtin;

    #[test]
    fn the_built_in_list_belongs_to_the_built_in_model() {
        let mut near = vec![];
        builtin().for_each_near_word("budget", &mut |word, cosine| {
            assert!((0.5..=1.0).contains(&cosine), "{word} {cosine}");
            near.push(word.to_owned());
        });
        assert!(near.contains(&"spending".to_owned()), "{near:?}");
        assert!(!near.contains(&"budget".to_owned()), "{near:?}");
        builtin().for_each_near_word("no-such-word", &mut |word, _| panic!("{word}"));
    }

    #[test]
    fn a_list_of_another_vocabulary_is_refused() {
        assert!(NearWords::parse(BUILTIN, 7).is_none());
        assert!(
            NearWords::parse(&BUILTIN[..BUILTIN.len() - 1], builtin().vocabulary().len()).is_none()
        );
        assert!(NearWords::parse(b"", 0).is_none());
    }
}
