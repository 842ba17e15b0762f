//! Texts as pieces of words, as BERT's uncased tokenizer cuts them.

use std::borrow::Cow;

use heirloom_core::recall::Lexicon;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A longer word is taken for data and skipped.
const LONGEST_WORD: usize = 100;

/// What stands before a piece that goes on with a word.
const GOES_ON: &str = "##";

/// The pieces that are known, by their ids.
#[derive(Debug)]
pub struct Vocabulary {
    /// The pieces one after the other, each with a line break.
    text: Cow<'static, str>,
    /// Where each piece starts; one more at the end.
    starts: Vec<u32>,
    /// Half of the hash of a piece and its id, found by walking on from the place of the other half.
    table: Vec<(u32, u32)>,
    /// A bit for some of the hash of each piece: most of what is no piece is known by it at once.
    seen: Vec<u64>,
    longest: usize,
}

const FREE: u32 = u32::MAX;

/// The hash of a text, taken byte by byte, so that those of all its beginnings come on the way.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    const NOTHING: Hash = Hash(0xcbf2_9ce4_8422_2325);

    fn and(self, text: &str) -> Hash {
        let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Hash(text.bytes().fold(self.0, add))
    }

    /// The place in a table of some size where a search starts, and what is compared first.
    fn place_and_mark(self, size: usize) -> (usize, u32) {
        ((self.0 ^ (self.0 >> 29)) as usize & (size - 1), (self.0 >> 32) as u32)
    }
}

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
            table: vec![(0, FREE); (count * 3).next_power_of_two()],
            seen: vec![0; (count / 8).next_power_of_two()],
            longest: 0,
        };
        let size = vocabulary.table.len();
        for id in 0..count as u32 {
            let piece = vocabulary.piece(id);
            let length = piece.len();
            let (mut at, mark) = Hash::NOTHING.and(piece).place_and_mark(size);
            while vocabulary.table[at].1 != FREE {
                at = (at + 1) & (size - 1);
            }
            let (word, bit) = vocabulary.bit(mark);
            vocabulary.seen[word] |= bit;
            vocabulary.longest = vocabulary.longest.max(length);
            vocabulary.table[at] = (mark, id);
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
        self.find(Hash::NOTHING.and(piece), "", piece)
    }

    /// Gives the ids of the pieces of each word of a text; none for a word that is not known.
    pub(crate) fn for_each_word_pieces(&self, text: &str, mut take: impl FnMut(&[u32])) {
        let (mut ids, mut beginnings) = (Vec::new(), Vec::new());
        for_each_word(text, |word| {
            ids.clear();
            self.cut(word, &mut ids, &mut beginnings);
            take(&ids);
        });
    }

    /// Returns the ids of the pieces of a text. What is not known adds nothing.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 4);
        self.add_pieces(text, &mut ids);
        ids
    }

    /// Adds the ids of the pieces of a text.
    pub(crate) fn add_pieces(&self, text: &str, ids: &mut Vec<u32>) {
        let mut beginnings = Vec::new();
        for_each_word(text, |word| self.cut(word, ids, &mut beginnings));
    }

    /// Cuts a word into the longest pieces that are known, from its start on. The last argument is
    /// scratch space.
    fn cut(&self, word: &str, ids: &mut Vec<u32>, beginnings: &mut Vec<(Hash, usize)>) {
        let before = ids.len();
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            return;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let lead = if ids.len() == before { "" } else { GOES_ON };
            self.hash_beginnings(lead, rest, beginnings);
            let mut longest_first = beginnings.iter().rev();
            let found = longest_first
                .find_map(|(hash, end)| self.find(*hash, lead, &rest[..*end]).map(|id| (id, *end)));
            let Some((id, end)) = found else { return ids.truncate(before) };
            ids.push(id);
            rest = &rest[end..];
        }
    }

    /// Hashes the beginnings of a text that are not too long for a piece, each with where it ends.
    fn hash_beginnings(&self, lead: &str, text: &str, found: &mut Vec<(Hash, usize)>) {
        found.clear();
        let mut hash = Hash::NOTHING.and(lead);
        let mut start = 0;
        for c in text.chars() {
            let end = start + c.len_utf8();
            if end > self.longest {
                return;
            }
            hash = hash.and(&text[start..end]);
            found.push((hash, end));
            start = end;
        }
    }

    /// Where the bit for a mark is.
    fn bit(&self, mark: u32) -> (usize, u64) {
        ((mark >> 6) as usize & (self.seen.len() - 1), 1 << (mark & 63))
    }

    /// Returns the id of a piece that is written in two parts.
    fn find(&self, hash: Hash, lead: &str, rest: &str) -> Option<u32> {
        let (mut at, mark) = hash.place_and_mark(self.table.len());
        let (word, bit) = self.bit(mark);
        if self.seen[word] & bit == 0 {
            return None;
        }
        loop {
            let (other, id) = self.table[at];
            if id == FREE {
                return None;
            }
            if other == mark && self.piece(id).strip_prefix(lead) == Some(rest) {
                return Some(id);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }
}

impl Lexicon for Vocabulary {
    fn knows(&self, word: &str) -> bool {
        self.id(word).is_some()
    }

    fn each_word(&self, take: &mut dyn FnMut(&str)) {
        let pieces = (0..self.len() as u32).map(|id| self.piece(id));
        pieces.filter(|piece| !piece.starts_with(GOES_ON)).for_each(take);
    }
}

/// Gives the words of a text: in small letters, without accents, each sign a word of its own.
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    if text.is_ascii() {
        let has_upper = text.bytes().any(|byte| byte.is_ascii_uppercase());
        return match has_upper {
            true => for_each_ascii_word(&text.to_ascii_lowercase(), take),
            false => for_each_ascii_word(text, take),
        };
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
