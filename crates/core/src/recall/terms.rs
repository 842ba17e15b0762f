//! Splits texts into terms: stemmed words and names.

use std::borrow::Cow;
use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::word_list::WordList;
use crate::word_map::WordMap;
use crate::words::split_camel_case;

/// A longer run without a space is data, not a word.
const MAX_WORD_BYTES: usize = 128;

/// English stop words, sorted.
static STOP_WORDS: WordList = WordList::new(&[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "d", "did", "do", "does", "done", "for", "had", "has", "have", "having", "he", "her",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "ll", "m", "may", "me",
    "might", "must", "my", "no", "not", "of", "on", "or", "our", "over", "re", "s", "shall", "she",
    "should", "so", "such", "t", "than", "that", "the", "their", "then", "there", "these", "they",
    "this", "to", "too", "under", "us", "ve", "very", "was", "we", "were", "what", "when", "where",
    "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
]);

/// Returns whether a word, in lower case, is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Returns whether a text ends with a question.
pub fn is_question(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | ')' | '\''));
    end.ends_with(['?', '？', '؟'])
}

/// Returns the terms of a text, in order and with repetitions: stems of words without accents; names such as
/// `parseFrontMatter` and `src/auth/login.ts` both whole and in parts; bigrams of characters for scripts without
/// spaces; emoji.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::with_capacity(text.len() / 6);
    text.split_whitespace().for_each(|piece| {
        for_each_term(piece, &mut |term: &str| found.push(term.to_owned()));
    });
    found
}

/// Passes the terms of a piece of text without spaces to `found`. The terms of a text are those of its pieces, so
/// callers can cache the terms of a piece.
pub fn for_each_term(piece: &str, found: &mut impl FnMut(&str)) {
    let words = piece.trim_matches(|c: char| !is_word_char(c) && !matches!(c, '+' | '#'));
    if words.len() > MAX_WORD_BYTES {
        // Too long for a name, but it may contain words.
        words.split(|c: char| !is_word_char(c)).for_each(|part| add_word(part, found));
    } else if !words.is_empty() {
        add_piece(words, found);
    }
    if !piece.is_ascii() {
        piece.chars().filter(|c| is_emoji(*c)).for_each(|c| found(c.encode_utf8(&mut [0; 4])));
    }
}

/// Returns the terms of the parts of a name. Whatever names it has all of them.
pub fn part_terms(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    words_of(name).for_each(|word| add_word(word, &mut |term: &str| found.push(term.to_owned())));
    found
}

/// Returns the words in a piece of text, as written.
pub(super) fn words_of(piece: &str) -> impl Iterator<Item = &str> {
    piece
        .split(|c: char| !is_word_char(c))
        .filter(|part| !part.is_empty())
        .flat_map(split_camel_case)
}

/// Passes the terms of each two neighbouring words in a name, joined, to `found`, so that `frontmatter` finds
/// `parseFrontMatter` and `front-matter`.
pub fn for_each_joined_term(piece: &str, found: &mut impl FnMut(&str)) {
    let is_plain = piece.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_plain || piece.len() > MAX_WORD_BYTES {
        return;
    }
    // A name of exactly two words is already a term as a whole.
    let whole = piece.trim_matches(|c: char| !is_word_char(c)).len();
    // A path consists of several names.
    for name in piece.split(|c: char| !is_word_char(c) && !matches!(c, '-' | '_')) {
        let words =
            name.split(['-', '_']).filter(|word| !word.is_empty()).flat_map(split_camel_case);
        let is_word = |word: &str| word.chars().all(|c| c.is_alphabetic() && !is_unspaced(c));
        let mut previous: Option<&str> = None;
        for word in words {
            let word = Some(word).filter(|word| is_word(word));
            if let (Some(first), Some(second)) = (previous, word)
                && first.len() + second.len() < whole
            {
                add_stem(&fold_case(&format!("{first}{second}")), found);
            }
            previous = word;
        }
    }
}

/// Returns whether a character is an emoji; marks such as a tick are not.
fn is_emoji(c: char) -> bool {
    matches!(c as u32,
        0x231A..=0x231B | 0x23E9..=0x23FA | 0x2600..=0x260F | 0x2614..=0x26FF | 0x2705
        | 0x2708..=0x270D | 0x2728 | 0x274C | 0x274E | 0x2753..=0x2757 | 0x2764 | 0x2B50 | 0x2B55
        | 0x1F000..=0x1F3FA | 0x1F400..=0x1FAFF)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && is_combining_mark(c)
}

fn add_piece(piece: &str, found: &mut impl FnMut(&str)) {
    if piece.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return add_stem(piece, found);
    }
    let bare = piece.strip_suffix("'s").or_else(|| piece.strip_suffix("’s")).unwrap_or(piece);
    let mut parts = 0;
    for word in words_of(bare) {
        add_word(word, found);
        parts += 1;
    }
    let is_name =
        parts > 1 && !bare.contains(['\'', '’']) || parts > 0 && bare.ends_with(['+', '#']);
    if is_name && !bare.chars().any(is_unspaced) {
        let whole = fold_case(bare);
        if whole.bytes().all(|byte| byte.is_ascii_lowercase()) {
            add_stem(&whole, found);
        } else {
            found(&whole);
        }
        // People also refer to a file by its name without the folders.
        if let Some((_, last)) = bare.rsplit_once(['/', '\\', ':'])
            && last.contains(['.', '_', '-'])
        {
            found(&fold_case(last));
        }
    }
}

fn add_word(word: &str, found: &mut impl FnMut(&str)) {
    if word.is_empty() || word.len() > MAX_WORD_BYTES {
        return;
    }
    if word.chars().any(is_unspaced) {
        return add_bigrams(word, found);
    }
    add_stem(&fold_case(word), found);
}

/// Adds the stem of a word in lower case, unless it is a stop word.
fn add_stem(word: &str, found: &mut impl FnMut(&str)) {
    thread_local! {
        static STEMMER: RefCell<CachedStemmer> = RefCell::default();
    }
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return found(word);
    }
    STEMMER.with_borrow_mut(|stemmer| stemmer.stem(word).map(&mut *found));
}

/// The number of words at which the cache of stems is cleared.
const MAX_CACHED_WORDS: usize = 50_000;

/// A stemmer for English words with a cache: a hundred thousand names consist of a few thousand words.
struct CachedStemmer {
    english: Stemmer,
    /// The index of each word's stem; `None` for a stop word.
    cached: WordMap<Option<usize>>,
    stems: Vec<Box<str>>,
}

impl Default for CachedStemmer {
    fn default() -> Self {
        let english = Stemmer::create(Algorithm::English);
        CachedStemmer { english, cached: WordMap::default(), stems: vec![] }
    }
}

impl CachedStemmer {
    /// Returns the stem of a word, or `None` for a stop word.
    fn stem(&mut self, word: &str) -> Option<&str> {
        let index = match self.cached.get(word) {
            Some(index) => index?,
            None => self.add(word)?,
        };
        Some(&self.stems[index])
    }

    fn add(&mut self, word: &str) -> Option<usize> {
        if self.cached.len() >= MAX_CACHED_WORDS {
            self.cached = WordMap::default();
            self.stems.clear();
        }
        let index = (!is_stop_word(word)).then(|| {
            self.stems.push(self.english.stem(word).into());
            self.stems.len() - 1
        });
        self.cached.insert(word, index);
        index
    }
}

/// Returns a word in lower case without accents.
pub(super) fn fold_case(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        let has_upper = word.bytes().any(|byte| byte.is_ascii_uppercase());
        return if has_upper { Cow::Owned(word.to_ascii_lowercase()) } else { Cow::Borrowed(word) };
    }
    Cow::Owned(word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect())
}

/// Returns whether a character belongs to a script without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

fn add_bigrams(word: &str, found: &mut impl FnMut(&str)) {
    let chars: Vec<char> = word.chars().collect();
    for run in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        if !is_unspaced(run[0]) {
            add_stem(&fold_case(&run.iter().collect::<String>()), found);
        } else if run.len() == 1 {
            found(run[0].encode_utf8(&mut [0; 4]));
        } else {
            run.windows(2).for_each(|pair| found(&pair.iter().collect::<String>()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stemmed_and_names_are_split() {
        assert_eq!(terms("The tests were Running."), ["test", "run"]);
        assert_eq!(
            terms("parseFrontMatter in src/auth/login.ts"),
            [
                "pars",
                "front",
                "matter",
                "parsefrontmatt",
                "src",
                "auth",
                "login",
                "ts",
                "src/auth/login.ts",
                "login.ts"
            ]
        );
        assert_eq!(
            terms("C++, what's Melanie's HTTPServer?"),
            ["c", "c++", "melani", "http", "server", "httpserver"]
        );
        assert_eq!(terms("schema.ts"), ["schema", "ts", "schema.ts"]);
        let joined = |piece: &str| {
            let mut found = vec![];
            for_each_joined_term(piece, &mut |term: &str| found.push(term.to_owned()));
            found
        };
        assert_eq!(joined("`parseFrontMatter`"), ["parsefront", "frontmatt"]);
        assert_eq!(joined("src/front_matter.rs,"), ["frontmatt"]);
        assert_eq!(joined("front-end"), ["frontend"]);
        assert_eq!(joined("FrontMatter::new()"), ["frontmatt"]);
        for piece in [
            "`FrontMatter`",
            "--dryRun",
            "plain",
            "2024-05-01",
            "it's",
            "--",
            "数据-库",
            "",
            "src/auth",
        ] {
            assert_eq!(joined(piece), Vec::<String>::new(), "{piece}");
        }
        assert_eq!(terms("Café NAÏVE"), ["cafe", "naiv"]);
        assert_eq!(terms("数据库连接"), ["数据", "据库", "库连", "连接"]);
        assert_eq!(terms("🎉 shipped 👍🏽!"), ["🎉", "ship", "👍"]);
        assert_eq!(terms("\" — … ← ✓ ❯"), Vec::<String>::new());
    }

    #[test]
    fn a_text_that_ends_with_a_question_mark_is_a_question() {
        assert!(is_question("Why? (\"really?\") "));
        assert!(!is_question("Why? Because."));
    }
}
