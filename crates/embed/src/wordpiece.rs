//! Texts as pieces of words, as BERT's uncased tokenizer cuts them.

use std::borrow::Cow;

use heirloom_core::fast::Words;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A longer word is taken for data and skipped.
const LONGEST_WORD: usize = 100;

/// How many words are remembered with their pieces.
const REMEMBERED: usize = 200_000;

/// What stands before a piece that goes on with a word.
const GOES_ON: &str = "##";

/// The pieces that are known, by their ids.
#[derive(Debug)]
pub struct Vocabulary {
    /// The pieces one after the other, each with a line break.
    text: Cow<'static, str>,
    /// Where each piece starts; one more at the end.
    starts: Vec<u32>,
    /// Ids in the order of their hashes, found by walking on from the place of a hash.
    table: Vec<u32>,
    longest: usize,
}

const FREE: u32 = u32::MAX;

impl Vocabulary {
    /// Reads pieces, each with a line break, in the order of their ids.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        let count = starts.len() - 1;
        let mut vocabulary = Vocabulary {
            text,
            starts,
            table: vec![FREE; (count * 3).next_power_of_two()],
            longest: 0,
        };
        for id in 0..count as u32 {
            let piece = vocabulary.piece(id);
            let (mut at, length) = (vocabulary.place(&[piece]), piece.len());
            while vocabulary.table[at] != FREE {
                at = (at + 1) & (vocabulary.table.len() - 1);
            }
            vocabulary.longest = vocabulary.longest.max(length);
            vocabulary.table[at] = id;
        }
        vocabulary
    }

    /// Returns how many pieces there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a piece.
    pub fn piece(&self, id: u32) -> &str {
        let (start, end) =
            (self.starts[id as usize] as usize, self.starts[id as usize + 1] as usize);
        &self.text[start..end - 1]
    }

    /// Returns the id of a piece.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.find(&["", piece])
    }

    /// Gives the ids of the pieces of each word of a text; none for a word that is not known.
    pub(crate) fn for_each_word_pieces(&self, text: &str, mut take: impl FnMut(&[u32])) {
        let mut ids = Vec::new();
        for_each_word(text, |word| {
            ids.clear();
            self.add_pieces(word, &mut ids);
            take(&ids);
        });
    }

    /// Returns the ids of the pieces of a text. What is not known adds nothing.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 4);
        for_each_word(text, |word| self.add_pieces(word, &mut ids));
        ids
    }

    /// Cuts a word into the longest pieces that are known, from its start on.
    fn add_pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            return;
        }
        let mut start = 0;
        while start < word.len() {
            let lead = if start == 0 { "" } else { GOES_ON };
            let mut end = word.floor_char_boundary(start + self.longest);
            let found = loop {
                if end <= start {
                    break None;
                }
                if let Some(id) = self.find(&[lead, &word[start..end]]) {
                    break Some(id);
                }
                end = word.floor_char_boundary(end - 1);
            };
            match found {
                Some(id) => ids.push(id),
                None => return ids.truncate(before),
            }
            start = end;
        }
    }

    fn find(&self, parts: &[&str; 2]) -> Option<u32> {
        let mut at = self.place(parts);
        loop {
            let id = self.table[at];
            if id == FREE {
                return None;
            }
            if self.piece(id).strip_prefix(parts[0]) == Some(parts[1]) {
                return Some(id);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    /// The place in the table where the search for a piece starts.
    fn place(&self, parts: &[&str]) -> usize {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in parts.iter().flat_map(|part| part.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        (hash ^ (hash >> 29)) as usize & (self.table.len() - 1)
    }
}

/// Cuts many texts, and remembers what the words come to that it has seen.
pub(crate) struct Cutter<'v> {
    vocabulary: &'v Vocabulary,
    /// Where the pieces of a word start and end.
    known: Words<(u32, u32)>,
    /// The pieces of all known words, one after the other.
    cut: Vec<u32>,
}

impl<'v> Cutter<'v> {
    /// Knows no word yet.
    pub(crate) fn new(vocabulary: &'v Vocabulary) -> Self {
        Cutter { vocabulary, known: Words::default(), cut: vec![] }
    }

    /// Gives the ids of the pieces of a text, as [`Vocabulary::pieces`] returns them.
    pub(crate) fn for_each_piece(&mut self, text: &str, mut take: impl FnMut(u32)) {
        for_each_word(text, |word| {
            let (start, end) = self.known.get(word).unwrap_or_else(|| {
                if self.known.len() >= REMEMBERED {
                    self.known = Words::default();
                    self.cut.clear();
                }
                let start = self.cut.len() as u32;
                self.vocabulary.add_pieces(word, &mut self.cut);
                let range = (start, self.cut.len() as u32);
                self.known.insert(word, range);
                range
            });
            self.cut[start as usize..end as usize].iter().for_each(|id| take(*id));
        });
    }
}

/// Gives the words of a text: in small letters, without accents, each sign a word of its own.
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    if text.is_ascii() {
        return for_each_ascii_word(&text.to_ascii_lowercase(), take);
    }
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            take(word);
            word.clear();
        }
    };
    let mut add = |c: char| match sort_of(c) {
        Sort::Letter => word.push(c),
        Sort::Nothing => {}
        Sort::Space => end(&mut word),
        Sort::Sign => {
            end(&mut word);
            word.push(c);
            end(&mut word);
        }
    };
    text.to_lowercase().nfd().for_each(&mut add);
    end(&mut word);
}

/// The same for a text of plain letters, which are words as they stand.
fn for_each_ascii_word(text: &str, mut take: impl FnMut(&str)) {
    if text.bytes().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        let bare: String = text.chars().filter(|c| !matches!(sort_of(*c), Sort::Nothing)).collect();
        return for_each_ascii_word(&bare, take);
    }
    let mut start = 0;
    let mut end = |from: usize, to: usize| {
        if from < to {
            take(&text[from..to]);
        }
    };
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_alphanumeric()) {
        end(start, at);
        start = at + 1;
        if byte.is_ascii_punctuation() {
            end(at, at + 1);
        }
    }
    end(start, text.len());
}

enum Sort {
    Letter,
    Space,
    Sign,
    Nothing,
}

fn sort_of(c: char) -> Sort {
    if c.is_ascii_alphanumeric() {
        return Sort::Letter;
    }
    if matches!(c, '\t' | '\n' | '\r' | ' ') {
        return Sort::Space;
    }
    if c.is_ascii_punctuation() || is_ideograph(c) {
        return Sort::Sign;
    }
    match c.general_category() {
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::NonspacingMark => {
            Sort::Nothing
        }
        GeneralCategory::SpaceSeparator => Sort::Space,
        _ if c == '\u{fffd}' => Sort::Nothing,
        _ if c.general_category_group() == GeneralCategoryGroup::Punctuation => Sort::Sign,
        _ => Sort::Letter,
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c as u32,
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B820..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}
