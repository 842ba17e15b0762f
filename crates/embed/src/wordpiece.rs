//! WordPiece tokenization, as in BERT's uncased tokenizer.

use std::borrow::Cow;

use heirloom_core::recall::Lexicon;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::piece_table::{Hash, PieceTable};

/// A longer word is skipped, because it is likely to be data.
const MAX_WORD_CHARS: usize = 100;

/// The prefix of a piece that continues a word.
const CONTINUATION_PREFIX: &str = "##";

/// The lookup table of the built-in model.
mod builtin_table {
    include!(concat!(env!("OUT_DIR"), "/builtin_table.rs"));

    pub(super) const TABLE: super::PieceTable = super::PieceTable {
        starts: std::borrow::Cow::Borrowed(&STARTS),
        slots: std::borrow::Cow::Borrowed(&SLOTS),
        filter: std::borrow::Cow::Borrowed(&FILTER),
        max_piece_bytes: MAX_PIECE_BYTES,
    };
}

/// A set of word pieces with their ids.
#[derive(Debug)]
pub struct Vocabulary {
    /// All pieces in the order of their ids, each followed by a line break.
    text: Cow<'static, str>,
    table: PieceTable,
}

impl Vocabulary {
    /// Parses pieces in the order of their ids, each followed by a line break.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        Vocabulary { table: PieceTable::new(&text), text }
    }

    /// Takes the pieces of the built-in model, whose table was made when this crate was built.
    pub(crate) const fn builtin(text: &'static str) -> Self {
        Vocabulary { text: Cow::Borrowed(text), table: builtin_table::TABLE }
    }

    /// Returns the number of pieces.
    pub fn len(&self) -> usize {
        self.table.starts.len() - 1
    }

    /// Returns whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the piece with an id.
    pub fn piece(&self, id: u32) -> &str {
        let starts = &*self.table.starts;
        let (start, end) = (starts[id as usize] as usize, starts[id as usize + 1] as usize);
        &self.text[start..end - 1]
    }

    /// Returns the id of a piece.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.find(Hash::INITIAL.extend(piece), "", piece)
    }

    /// Calls a function with the piece ids of each word of a text; they are empty for an unknown word.
    #[cfg(feature = "transformer")]
    pub(crate) fn for_each_word_pieces(&self, text: &str, mut take: impl FnMut(&[u32])) {
        let (mut ids, mut prefixes) = (Vec::new(), Vec::new());
        for_each_word(text, |word| {
            ids.clear();
            self.split_word(word, &mut ids, &mut prefixes);
            take(&ids);
        });
    }

    /// Returns the piece ids of a text. Unknown words are skipped.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 4);
        self.add_pieces(text, &mut ids);
        ids
    }

    /// Appends the piece ids of a text.
    pub(crate) fn add_pieces(&self, text: &str, ids: &mut Vec<u32>) {
        let mut prefixes = Vec::new();
        for_each_word(text, |word| self.split_word(word, ids, &mut prefixes));
    }

    /// Splits a word greedily into the longest known pieces. `prefixes` is scratch space.
    fn split_word(&self, word: &str, ids: &mut Vec<u32>, prefixes: &mut Vec<(Hash, usize)>) {
        let before = ids.len();
        if word.len() > MAX_WORD_CHARS && word.chars().count() > MAX_WORD_CHARS {
            return;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let marker = if ids.len() == before { "" } else { CONTINUATION_PREFIX };
            self.hash_prefixes(marker, rest, prefixes);
            let mut longest_first = prefixes.iter().rev();
            let found = longest_first.find_map(|(hash, end)| {
                self.find(*hash, marker, &rest[..*end]).map(|id| (id, *end))
            });
            let Some((id, end)) = found else { return ids.truncate(before) };
            ids.push(id);
            rest = &rest[end..];
        }
    }

    /// Collects the hash and the end of each prefix of a text that is short enough for a piece.
    fn hash_prefixes(&self, marker: &str, text: &str, prefixes: &mut Vec<(Hash, usize)>) {
        prefixes.clear();
        let mut hash = Hash::INITIAL.extend(marker);
        let mut start = 0;
        for c in text.chars() {
            let end = start + c.len_utf8();
            if end > self.table.max_piece_bytes {
                return;
            }
            hash = hash.extend(&text[start..end]);
            prefixes.push((hash, end));
            start = end;
        }
    }

    /// Returns the id of the piece that consists of a marker and a text.
    fn find(&self, hash: Hash, marker: &str, text: &str) -> Option<u32> {
        self.table.find(hash, |id| self.piece(id).strip_prefix(marker) == Some(text))
    }
}

impl Lexicon for Vocabulary {
    fn contains(&self, word: &str) -> bool {
        self.id(word).is_some()
    }

    fn for_each_word(&self, take: &mut dyn FnMut(&str)) {
        let pieces = (0..self.len() as u32).map(|id| self.piece(id));
        pieces.filter(|piece| !piece.starts_with(CONTINUATION_PREFIX)).for_each(take);
    }
}

/// Calls a function with each word of a text: in lower case, without accents, with every punctuation
/// character as a word of its own.
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    if text.is_ascii() {
        let has_upper = text.bytes().any(|byte| byte.is_ascii_uppercase());
        return match has_upper {
            true => for_each_ascii_word(&text.to_ascii_lowercase(), take),
            false => for_each_ascii_word(text, take),
        };
    }
    let mut word = String::new();
    let mut finish = |word: &mut String| {
        if !word.is_empty() {
            take(word);
            word.clear();
        }
    };
    let mut add = |c: char| match classify(c) {
        CharClass::Letter => word.push(c),
        CharClass::Ignored => {}
        CharClass::Space => finish(&mut word),
        CharClass::Punctuation => {
            finish(&mut word);
            word.push(c);
            finish(&mut word);
        }
    };
    text.to_lowercase().nfd().for_each(&mut add);
    finish(&mut word);
}

/// The same for a lower-case ASCII text, whose words are slices of the text.
fn for_each_ascii_word(text: &str, mut take: impl FnMut(&str)) {
    if text.bytes().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        let is_ignored = |c: char| matches!(classify(c), CharClass::Ignored);
        let cleaned: String = text.chars().filter(|c| !is_ignored(*c)).collect();
        return for_each_ascii_word(&cleaned, take);
    }
    let mut start = 0;
    let mut emit = |from: usize, to: usize| {
        if from < to {
            take(&text[from..to]);
        }
    };
    let separators = text.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_alphanumeric());
    for (index, byte) in separators {
        emit(start, index);
        start = index + 1;
        if byte.is_ascii_punctuation() {
            emit(index, index + 1);
        }
    }
    emit(start, text.len());
}

/// How the tokenizer treats a character.
enum CharClass {
    Letter,
    Space,
    Punctuation,
    Ignored,
}

fn classify(c: char) -> CharClass {
    if c.is_ascii_alphanumeric() {
        return CharClass::Letter;
    }
    if matches!(c, '\t' | '\n' | '\r' | ' ') {
        return CharClass::Space;
    }
    if c.is_ascii_punctuation() || is_ideograph(c) {
        return CharClass::Punctuation;
    }
    match c.general_category() {
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::NonspacingMark => {
            CharClass::Ignored
        }
        GeneralCategory::SpaceSeparator => CharClass::Space,
        _ if c == '\u{fffd}' => CharClass::Ignored,
        _ if c.general_category_group() == GeneralCategoryGroup::Punctuation => {
            CharClass::Punctuation
        }
        _ => CharClass::Letter,
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c as u32,
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B820..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn the_built_in_table_is_that_of_the_built_in_vocabulary() {
        let made = Vocabulary::new(builtin().vocabulary().text.clone());
        assert!(made.table == builtin().vocabulary().table);
        assert_eq!(made.id("budget"), builtin().vocabulary().id("budget"));
    }
}
