//! Texts as terms: what two texts must share to be about the same.

use std::borrow::Cow;
use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fast::Words;
use crate::words::humps;

/// A longer run without space is data, not a word.
const LONGEST: usize = 128;

/// Words that say how a sentence is built and not what it is about, in order.
const STOP: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "d", "did", "do", "does", "done", "for", "had", "has", "have", "having", "he", "her",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "ll", "m", "may", "me",
    "might", "must", "my", "no", "not", "of", "on", "or", "our", "over", "re", "s", "shall", "she",
    "should", "so", "such", "t", "than", "that", "the", "their", "then", "there", "these", "they",
    "this", "to", "too", "under", "us", "ve", "very", "was", "we", "were", "what", "when", "where",
    "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Returns whether a word, in small letters, only builds a sentence.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Returns whether a text asks something rather than telling it.
pub fn asks(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | ')' | '\''));
    end.ends_with(['?', '？', '؟'])
}

/// Returns the terms of a text, in order and as often as they occur: words in their stems and
/// without accents, names such as `parseFrontMatter` and `src/auth/login.ts` in their parts and
/// whole, scripts that put no space between words in pairs of characters, and emoji.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::with_capacity(text.len() / 6);
    text.split_whitespace().for_each(|piece| {
        for_each_term(piece, &mut |term: &str| found.push(term.to_owned()));
    });
    found
}

/// Passes on the terms of a piece of text that has no space in it. The terms of a text are those of
/// its pieces, so the terms of a piece can be cached.
pub fn for_each_term(piece: &str, found: &mut impl FnMut(&str)) {
    let words = piece.trim_matches(|c: char| !is_part(c) && !matches!(c, '+' | '#'));
    if words.len() > LONGEST {
        // What is too long to be a name may still hold some.
        words.split(|c: char| !is_part(c)).for_each(|part| add_word(part, found));
    } else if !words.is_empty() {
        add_piece(words, found);
    }
    if !piece.is_ascii() {
        piece.chars().filter(|c| is_emoji(*c)).for_each(|c| found(c.encode_utf8(&mut [0; 4])));
    }
}

/// Returns the words that a piece of text consists of, as they are written.
pub(super) fn words_of(piece: &str) -> impl Iterator<Item = &str> {
    piece.split(|c: char| !is_part(c)).filter(|part| !part.is_empty()).flat_map(humps)
}

/// Passes on the terms that the pairs of neighbouring words in a name make when written as one:
/// `frontmatter` finds `parseFrontMatter` and `front-matter`.
pub fn for_each_joined_term(piece: &str, found: &mut impl FnMut(&str)) {
    let is_plain = piece.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_plain || piece.len() > LONGEST {
        return;
    }
    // What is two words and nothing else was found whole already.
    let whole = piece.trim_matches(|c: char| !is_part(c)).len();
    // A path is several names.
    for name in piece.split(|c: char| !is_part(c) && !matches!(c, '-' | '_')) {
        let words = name.split(['-', '_']).filter(|word| !word.is_empty()).flat_map(humps);
        let is_word = |word: &str| word.chars().all(|c| c.is_alphabetic() && !is_unspaced(c));
        let mut previous: Option<&str> = None;
        for word in words {
            let word = Some(word).filter(|word| is_word(word));
            if let (Some(first), Some(second)) = (previous, word)
                && first.len() + second.len() < whole
            {
                add_plain(&folded(&format!("{first}{second}")), found);
            }
            previous = word;
        }
    }
}

/// Whether a character is a picture that says something by itself, and no mark such as a tick.
fn is_emoji(c: char) -> bool {
    matches!(c as u32,
        0x231A..=0x231B | 0x23E9..=0x23FA | 0x2600..=0x260F | 0x2614..=0x26FF | 0x2705
        | 0x2708..=0x270D | 0x2728 | 0x274C | 0x274E | 0x2753..=0x2757 | 0x2764 | 0x2B50 | 0x2B55
        | 0x1F000..=0x1F3FA | 0x1F400..=0x1FAFF)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && is_combining_mark(c)
}

fn add_piece(piece: &str, found: &mut impl FnMut(&str)) {
    if piece.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return add_plain(piece, found);
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
        let whole = folded(bare);
        if whole.bytes().all(|byte| byte.is_ascii_lowercase()) {
            add_plain(&whole, found);
        } else {
            found(&whole);
        }
        // A file is also called by its own name.
        if let Some((_, last)) = bare.rsplit_once(['/', '\\', ':'])
            && last.contains(['.', '_', '-'])
        {
            found(&folded(last));
        }
    }
}

fn add_word(word: &str, found: &mut impl FnMut(&str)) {
    if word.is_empty() || word.len() > LONGEST {
        return;
    }
    if word.chars().any(is_unspaced) {
        return add_pairs(word, found);
    }
    add_plain(&folded(word), found);
}

/// Adds a word in lower case.
fn add_plain(word: &str, found: &mut impl FnMut(&str)) {
    thread_local! {
        static STEMS: RefCell<Stems> = RefCell::default();
    }
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return found(word);
    }
    STEMS.with_borrow_mut(|stems| stems.stem(word).map(&mut *found));
}

/// How many words the cache of stems holds.
const CACHED_STEMS: usize = 50_000;

/// Stems English words, with a cache: a hundred thousand names consist of a few thousand words.
struct Stems {
    english: Stemmer,
    /// The position of each word's stem; none for a stop word.
    cached: Words<Option<usize>>,
    stems: Vec<Box<str>>,
}

impl Default for Stems {
    fn default() -> Self {
        let english = Stemmer::create(Algorithm::English);
        Stems { english, cached: Words::default(), stems: vec![] }
    }
}

impl Stems {
    /// Returns the stem of a word; none for a stop word.
    fn stem(&mut self, word: &str) -> Option<&str> {
        let at = match self.cached.get(word) {
            Some(at) => at?,
            None => self.add(word)?,
        };
        Some(&self.stems[at])
    }

    fn add(&mut self, word: &str) -> Option<usize> {
        if self.cached.len() >= CACHED_STEMS {
            self.cached = Words::default();
            self.stems.clear();
        }
        let at = (!is_stop_word(word)).then(|| {
            self.stems.push(self.english.stem(word).into());
            self.stems.len() - 1
        });
        self.cached.insert(word, at);
        at
    }
}

/// In small letters, without accents.
pub(super) fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        let has_upper = word.bytes().any(|byte| byte.is_ascii_uppercase());
        return if has_upper { Cow::Owned(word.to_ascii_lowercase()) } else { Cow::Borrowed(word) };
    }
    Cow::Owned(word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect())
}

/// Whether a character belongs to a script that puts no space between words.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

fn add_pairs(word: &str, found: &mut impl FnMut(&str)) {
    let chars: Vec<char> = word.chars().collect();
    for run in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        if !is_unspaced(run[0]) {
            add_plain(&folded(&run.iter().collect::<String>()), found);
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
    fn words_are_stemmed_and_names_found_whole_and_in_parts() {
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
    fn the_stop_words_are_in_order() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn a_question_is_known_by_its_end() {
        assert!(asks("Why? (\"really?\") "));
        assert!(!asks("Why? Because."));
    }
}
