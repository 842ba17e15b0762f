//! Circumstances of statements: where, when and for whom they hold.
//!
//! Two statements for different circumstances do not contradict each other. Whether `in the European region` is a
//! circumstance or what a statement is about does not follow from the statement alone. So the phrases that begin a statement
//! of the memory, before a comma, are collected, and only these are taken for circumstances at the end of others.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::number_words::number_word;
use crate::recall::{is_stop_word, terms};
use crate::word_list::WordList;

/// Words that begin the phrase of a circumstance, sorted.
static PREPOSITIONS: WordList = WordList::new(&[
    "after",
    "at",
    "before",
    "during",
    "for",
    "in",
    "inside",
    "on",
    "outside",
    "since",
    "throughout",
    "under",
    "until",
    "within",
]);

/// Words of phrases that connect statements and name no circumstance: `for example`, `in this case`. Sorted.
static CONNECTING_WORDS: WordList = WordList::new(&[
    "addition",
    "case",
    "comparison",
    "contrast",
    "detail",
    "effect",
    "example",
    "fact",
    "first",
    "future",
    "general",
    "instance",
    "moment",
    "now",
    "particular",
    "past",
    "practice",
    "present",
    "principle",
    "reason",
    "reasons",
    "short",
    "summary",
    "theory",
    "turn",
]);

/// Most words of a phrase after its preposition.
const MAX_PHRASE_WORDS: usize = 6;

/// Most phrases at the end of a statement.
const MAX_ENDING_PHRASES: usize = 2;

/// How often a phrase has to begin statements if two statements differ in nothing else. A statement that differs in one
/// phrase alone would otherwise often contradict the other one: `Releases go out on Mondays`.
const MIN_BEGINNINGS_OF_ONLY_DIFFERENCE: u32 = 3;

/// What the preposition of a phrase says of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Time {
    Before,
    After,
    Other,
}

/// A phrase with a preposition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Phrase {
    time: Time,
    /// The stems of its words that say something, sorted.
    stems: Vec<String>,
}

impl Phrase {
    /// Reads a phrase; `None` if it cannot name a circumstance. Amounts are what statements may differ in.
    fn read(words: &[&str]) -> Option<Self> {
        let (preposition, rest) = words.split_first()?;
        let is_number = |word: &&str| {
            word.contains(|c: char| c.is_ascii_digit())
                || number_word(&word.to_lowercase()).is_some()
        };
        let is_connecting = |word: &&str| CONNECTING_WORDS.contains(&word.to_lowercase());
        let is_too_long = rest.len() > MAX_PHRASE_WORDS;
        if is_too_long || rest.iter().any(|word| is_number(word) || is_connecting(word)) {
            return None;
        }
        let mut stems: Vec<String> = rest.iter().flat_map(|word| terms(word)).collect();
        stems.retain(|stem| !is_stop_word(stem));
        stems.sort();
        stems.dedup();
        let time = match preposition.to_lowercase().as_str() {
            "before" | "until" => Time::Before,
            "after" | "since" => Time::After,
            _ => Time::Other,
        };
        (!stems.is_empty()).then_some(Phrase { time, stems })
    }

    /// Returns whether two phrases may name one circumstance, or one of them a part of the other.
    fn may_be_same(&self, other: &Phrase) -> bool {
        let is_opposite = matches!(
            (self.time, other.time),
            (Time::Before, Time::After) | (Time::After, Time::Before)
        );
        let is_part = |one: &Phrase, other: &Phrase| {
            one.stems.iter().all(|stem| other.stems.binary_search(stem).is_ok())
        };
        !is_opposite && (is_part(self, other) || is_part(other, self))
    }
}

/// A phrase of a sentence.
#[derive(Debug, Clone, Copy)]
struct PhraseUse {
    number: u32,
    /// A sum of the hashes of its words.
    words: u64,
}

/// What is known of a sentence.
#[derive(Debug, Clone, Copy)]
struct Sentence {
    beginning: Option<PhraseUse>,
    /// The phrases at the end, the last one first.
    endings: [Option<PhraseUse>; MAX_ENDING_PHRASES],
    /// A sum of the hashes of all words, whatever their order.
    words: u64,
}

impl Sentence {
    fn phrases(&self) -> impl Iterator<Item = PhraseUse> + Clone {
        self.beginning.into_iter().chain(self.endings.into_iter().map_while(|ending| ending))
    }

    /// Returns the sum of the hashes of the words that are in no phrase.
    fn other_words(&self) -> u64 {
        self.phrases().fold(self.words, |words, phrase| words.wrapping_sub(phrase.words))
    }
}

/// The circumstances of the sentences of a memory.
#[derive(Debug, Default)]
pub(super) struct Circumstances {
    numbers: HashMap<Phrase, u32>,
    phrases: Vec<Phrase>,
    /// How many sentences begin with each phrase.
    beginnings: Vec<u32>,
    sentences: Vec<Sentence>,
}

impl Circumstances {
    /// Adds a sentence, which gets the next number.
    pub(super) fn add(&mut self, sentence: &str) {
        let (beginning, rest) = split_beginning(sentence);
        let beginning = beginning.and_then(|words| self.phrase_use(&words));
        if let Some(PhraseUse { number, .. }) = beginning {
            self.beginnings[number as usize] += 1;
        }
        let mut endings = [None; MAX_ENDING_PHRASES];
        let mut rest = rest;
        for ending in &mut endings {
            let Some(at) = start_of_ending(rest) else { break };
            let words: Vec<&str> = rest[at..].split_whitespace().map(plain).collect();
            *ending = self.phrase_use(&words);
            if ending.is_none() {
                break;
            }
            rest = rest[..at].trim_end();
        }
        let words = sum_of_words(sentence.split_whitespace().map(plain));
        self.sentences.push(Sentence { beginning, endings, words });
    }

    fn phrase_use(&mut self, words: &[&str]) -> Option<PhraseUse> {
        let phrase = Phrase::read(words)?;
        let next = self.phrases.len() as u32;
        let number = *self.numbers.entry(phrase.clone()).or_insert(next);
        if number == next {
            self.phrases.push(phrase);
            self.beginnings.push(0);
        }
        Some(PhraseUse { number, words: sum_of_words(words.iter().copied()) })
    }

    /// Ends the collection: phrases at the end of sentences stay only if others begin with them.
    pub(super) fn finish(&mut self) {
        let is_known = |phrase: &PhraseUse| self.beginnings[phrase.number as usize] > 0;
        for Sentence { endings, .. } in &mut self.sentences {
            for ending in endings {
                *ending = ending.filter(is_known);
            }
        }
    }

    /// Returns whether two sentences hold for different circumstances.
    pub(super) fn differ(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|number| &self.sentences[number]);
        if a.phrases().next().is_none() || b.phrases().next().is_none() {
            return false;
        }
        let may_be_same = |one: PhraseUse, other: PhraseUse| {
            let [one, other] = [one, other].map(|it| &self.phrases[it.number as usize]);
            one.may_be_same(other)
        };
        if a.phrases().any(|one| b.phrases().any(|other| may_be_same(one, other))) {
            return false;
        }
        let is_frequent = |phrase: PhraseUse| {
            self.beginnings[phrase.number as usize] >= MIN_BEGINNINGS_OF_ONLY_DIFFERENCE
        };
        let is_only_difference = a.other_words() == b.other_words();
        !is_only_difference || a.phrases().chain(b.phrases()).all(is_frequent)
    }
}

/// Returns the words of the phrase that a sentence begins with, before a comma, and the rest of the sentence.
fn split_beginning(sentence: &str) -> (Option<Vec<&str>>, &str) {
    let whole = (None, sentence);
    let Some((phrase, rest)) = sentence.split_once(',') else { return whole };
    let words: Vec<&str> =
        phrase.split_whitespace().take(MAX_PHRASE_WORDS + 2).map(plain).collect();
    let begins = words.first().is_some_and(|word| PREPOSITIONS.contains(&word.to_lowercase()));
    // Another word follows: no number with a thousands separator, and no list.
    match begins && rest.starts_with(char::is_whitespace) {
        true => (Some(words), rest.trim_start()),
        false => whole,
    }
}

/// Returns where the phrase starts that a sentence ends with: at its last preposition.
fn start_of_ending(sentence: &str) -> Option<usize> {
    let mut end = sentence.len();
    for _ in 0..=MAX_PHRASE_WORDS {
        let before = sentence[..end].trim_end();
        let start = before.rfind(char::is_whitespace).map(|at| at + 1)?;
        let word = &before[start..];
        // A phrase does not go on over a comma.
        if end < sentence.len() && word.ends_with([',', ';', ':', ')']) {
            return None;
        }
        if PREPOSITIONS.contains(&word.to_lowercase()) {
            return Some(start);
        }
        end = start;
    }
    None
}

/// Returns a word without punctuation around it.
fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn sum_of_words<'w>(words: impl Iterator<Item = &'w str>) -> u64 {
    let hash = |word: &str| {
        let mut hasher = DefaultHasher::new();
        word.to_lowercase().hash(&mut hasher);
        hasher.finish()
    };
    words.filter(|word| !word.is_empty()).fold(0, |sum, word| sum.wrapping_add(hash(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the first two of some sentences hold for different circumstances.
    fn differ(sentences: &[&str]) -> bool {
        let mut circumstances = Circumstances::default();
        sentences.iter().for_each(|sentence| circumstances.add(sentence));
        circumstances.finish();
        assert_eq!(circumstances.differ(0, 1), circumstances.differ(1, 0));
        circumstances.differ(0, 1)
    }

    #[test]
    fn phrases_that_begin_statements_tell_circumstances_apart() {
        for [a, b] in [
            ["In staging, logs are kept for a week.", "In production, logs are kept for a year."],
            ["Before the release, Ann approves it", "Since the release, Bob approves it"],
            ["For guests, search is off", "For members of the club, search is slow"],
        ] {
            assert!(differ(&[a, b]), "{a} / {b}");
        }
        for [a, b] in [
            ["In staging, logs are kept for a week.", "Logs are kept for a year."],
            ["In production, logs are text", "In the production cluster, logs are JSON"],
            ["After 3 failures, the account is locked", "After five failures, it is locked"],
            ["For example, logs are text", "In general, logs are JSON"],
            ["Sessions are kept in Redis", "Sessions are kept in PostgreSQL"],
        ] {
            assert!(!differ(&[a, b]), "{a} / {b}");
        }
    }

    #[test]
    fn phrases_at_the_end_count_if_others_begin_with_them() {
        let [a, b] = ["Logs are text on the demo cluster.", "Logs are JSON in production"];
        assert!(!differ(&[a, b]));
        let others = ["On the demo cluster, mail is off", "In production, mail is on"];
        assert!(differ(&[a, b, others[0], others[1]]));
    }

    #[test]
    fn a_phrase_that_is_the_only_difference_has_to_be_frequent() {
        let [a, b] = ["Releases go out on Mondays", "Releases go out on Thursdays."];
        let mut all = vec![a, b, "On Mondays, we plan", "On Thursdays, we review"];
        assert!(!differ(&all));
        for _ in 0..2 {
            all.extend(["On Mondays, nobody deploys", "On Thursdays, support is closed"]);
        }
        assert!(differ(&all));
    }

    #[test]
    fn any_text_is_read() {
        let texts = ["", ",", "in,", "In , x", " in", "in in in, in", "é, in ü", "in\u{a0}x, y in"];
        let mut circumstances = Circumstances::default();
        texts.iter().for_each(|text| circumstances.add(text));
        circumstances.finish();
        for a in 0..texts.len() {
            for b in 0..texts.len() {
                circumstances.differ(a, b);
            }
        }
    }
}
