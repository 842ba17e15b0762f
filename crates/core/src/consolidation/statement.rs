//! The form of a text in which it is compared with others: what must be equal, and what may differ a little.

use std::collections::BTreeSet;

use super::guards::{MODALS, NUMBER_WORDS, OPPOSITES, QUANTIFIERS, unit};
use crate::compression::is_negation;
use crate::recall::{is_question, is_stop_word, terms};
use crate::word_list::WordList;

/// Words that introduce or pad a statement without being part of what it says, sorted.
static FILLERS: WordList = WordList::new(&[
    "according",
    "actually",
    "added",
    "adding",
    "also",
    "basically",
    "currently",
    "even",
    "however",
    "indeed",
    "meanwhile",
    "now",
    "please",
    "quite",
    "really",
    "reported",
    "said",
    "say",
    "says",
    "simply",
    "stated",
    "still",
    "thus",
    "told",
]);

/// Numbers in words, with their digits.
const DIGITS_OF_WORDS: [(&str, &str); 12] = [
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
];

/// A text as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparableText {
    /// What must be equal: numbers with units, versions, modality, quantity, conditions, identifiers, spans of code, and the
    /// number of negations.
    pub(super) guards: BTreeSet<String>,
    /// What is negated or limited.
    pub(super) negations: Vec<Negation>,
    /// All words in order, in lower case, without punctuation.
    pub(super) words: Vec<ComparableWord>,
}

/// A word that negates or limits a statement, with what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Negation {
    /// `not` for all that negate; a word that limits, such as `only`, stands for itself.
    pub(super) kind: String,
    /// The stems after it in its clause, at most [`NEGATED_WORDS`].
    pub(super) stems: Vec<String>,
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComparableWord {
    /// The word in lower case.
    pub(super) lower: String,
    /// Its stem if it says something, and is not compared as a guard.
    pub(super) stem: Option<String>,
    /// The guard that it is: a number, an identifier or a span of code.
    pub(super) guard: Option<String>,
    /// Whether it is written like a name.
    pub(super) is_name: bool,
    /// Whether it has an opposite.
    pub(super) is_opposite: bool,
}

impl ComparableWord {
    /// Returns what the word is compared by, if it says something.
    pub(super) fn key(&self) -> Option<&str> {
        self.stem.as_deref().or(self.guard.as_deref())
    }
}

impl ComparableText {
    /// Reads a text.
    pub fn new(text: &str) -> Self {
        let mut reader = Reader::default();
        let joined = text.contains("per cent").then(|| text.replace("per cent", "percent"));
        let text = joined.as_deref().unwrap_or(text);
        // Every second part stands between backticks, if each is closed.
        let has_code = text.matches('`').count().is_multiple_of(2);
        for (number, part) in text.split('`').enumerate() {
            if has_code && number % 2 == 1 {
                let code: Vec<&str> = part.split_whitespace().collect();
                reader.add_guard(&code.join(" "), format!("`{}", code.join(" ")));
            } else {
                reader.read(part);
            }
        }
        reader.finish(text)
    }

    /// Returns the stems of the words that say something, with repetitions, in order.
    pub(super) fn stems(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(|word| word.stem.as_deref())
    }
}

/// How many words after a negation are kept.
pub(super) const NEGATED_WORDS: usize = 3;

/// Words that limit a statement without negating it, sorted.
static LIMITS: WordList =
    WordList::new(&["except", "instead", "only", "rather", "unless", "until"]);

/// Words that make a statement conditional, or ask, sorted.
static CONDITIONS: WordList = WordList::new(&["how", "if", "whether", "why"]);

/// Reads the parts of a text.
#[derive(Default)]
struct Reader {
    guards: BTreeSet<String>,
    words: Vec<ComparableWord>,
    negations: Vec<Negation>,
    /// The number of negations at the end of `negations` whose clause goes on.
    open: usize,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let pieces: Vec<&str> = text.split_whitespace().flat_map(split_piece).collect();
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            let next = pieces.get(at + 1).map(|piece| lower(bare(piece)));
            at += 1 + usize::from(self.read_word(bare(piece), next.as_deref()));
            if piece.ends_with([',', ';', ':', '.', '!', '?']) {
                self.open = 0;
            }
        }
    }

    /// Reads a word. Returns whether the word after it was its unit.
    fn read_word(&mut self, word: &str, next: Option<&str>) -> bool {
        if word.is_empty() {
            return false;
        }
        let lower = lower(word);
        let plain = lower.strip_suffix("'s").unwrap_or(&lower);
        let digits = DIGITS_OF_WORDS.iter().find(|(spelling, _)| *spelling == plain);
        if word.contains(|c: char| c.is_numeric()) || digits.is_some() {
            let number = digits.map_or(plain, |(_, digits)| digits);
            let unit_of_next = next.and_then(unit);
            self.add_guard(plain, number_key(number, unit_of_next));
            return unit_of_next.is_some();
        }
        if is_negation(word) {
            self.begin_negation(if LIMITS.contains(plain) { plain } else { "not" });
            let base = match plain {
                "can't" | "cannot" => "can",
                _ => plain.strip_suffix("n't").unwrap_or_default(),
            };
            if MODALS.contains(base) {
                self.guards.insert(format!("modal {base}"));
            }
            self.add(plain, None, false);
        } else if is_identifier(without_possessive(word)) {
            self.add_guard(plain, format!("name {plain}"));
        } else if CONDITIONS.contains(plain) {
            self.guards.insert(format!("condition {plain}"));
            self.add(plain, None, false);
        } else if MODALS.contains(plain) {
            self.guards.insert(format!("modal {plain}"));
            self.add(plain, None, false);
        } else if QUANTIFIERS.contains(plain) {
            let quantity = if matches!(plain, "each" | "every") { "all" } else { plain };
            self.guards.insert(format!("quantity {quantity}"));
            self.add(plain, None, false);
        } else if NUMBER_WORDS.contains(plain) {
            self.add_guard(plain, number_key(plain, None));
        } else if (is_stop_word(plain) && !OPPOSITES.contains(plain)) || FILLERS.contains(plain) {
            self.add(plain, None, false);
        } else {
            let stem = terms(plain).into_iter().next().unwrap_or_else(|| plain.to_owned());
            self.tie_negations(&stem);
            let is_name = word.starts_with(char::is_uppercase);
            self.add(plain, Some(stem), is_name);
        }
        false
    }

    fn add(&mut self, lower: &str, stem: Option<String>, is_name: bool) {
        let is_opposite = stem.is_some() && OPPOSITES.contains(lower);
        let (lower, guard) = (lower.to_owned(), None);
        self.words.push(ComparableWord { lower, stem, guard, is_name, is_opposite });
    }

    /// Adds a word that must be equal.
    fn add_guard(&mut self, lower: &str, guard: String) {
        self.tie_negations(&guard);
        self.guards.insert(guard.clone());
        self.words.push(ComparableWord {
            lower: lower.to_owned(),
            stem: None,
            guard: Some(guard),
            is_name: false,
            is_opposite: false,
        });
    }

    /// Begins a negation. One directly after another cancels it.
    fn begin_negation(&mut self, kind: &str) {
        let is_open = |last: &Negation| last.kind == "not" && last.stems.is_empty();
        if kind == "not" && self.open > 0 && self.negations.last().is_some_and(is_open) {
            self.negations.pop();
            self.open -= 1;
            return;
        }
        self.negations.push(Negation { kind: kind.to_owned(), stems: vec![] });
        self.open += 1;
    }

    /// Ties the negations of this clause to a word after them.
    fn tie_negations(&mut self, word: &str) {
        let first = self.negations.len() - self.open;
        for negation in &mut self.negations[first..] {
            if negation.stems.len() < NEGATED_WORDS {
                negation.stems.push(word.to_owned());
            }
        }
    }

    fn finish(mut self, text: &str) -> ComparableText {
        for Negation { kind, .. } in &self.negations {
            let count = self.negations.iter().filter(|other| other.kind == *kind).count();
            self.guards.insert(format!("{kind} {count}×"));
        }
        if is_question(text) {
            self.guards.insert("question".to_owned());
        }
        let Reader { guards, words, negations, .. } = self;
        ComparableText { guards, negations, words }
    }
}

/// Splits words that hyphens and dashes join. Dates, ranges and identifiers stay whole.
fn split_piece(piece: &str) -> impl Iterator<Item = &str> {
    let word = bare(piece);
    let has_letters = word.contains(|c: char| c.is_alphabetic());
    let is_split = word.contains(['-', '–', '—'])
        && has_letters
        && !word.starts_with('-')
        && !word.contains(['_', '/', '.', ':', '@', '=']);
    let mut parts = is_split.then(|| word.split(['-', '–', '—']));
    let mut whole = (!is_split).then_some(piece);
    std::iter::from_fn(move || match &mut parts {
        Some(parts) => parts.next(),
        None => whole.take(),
    })
}

/// Returns a word without the punctuation around it. Signs that belong to numbers and names stay.
fn bare(word: &str) -> &str {
    let word =
        word.trim_start_matches(|c: char| !c.is_alphanumeric() && !"$€£_@#-/+<>=~".contains(c));
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !"%+#_/€£$*".contains(c));
    let has_text = word.contains(char::is_alphanumeric);
    if has_text { word.trim_end_matches(['/', '*']) } else { "" }
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

fn lower(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// Returns the form in which a number is compared: without separators of thousands and the `v` of a version, and with its
/// unit.
fn number_key(number: &str, unit_of_next: Option<&str>) -> String {
    let number = number.replace(',', "");
    let number = number.strip_prefix('v').filter(|rest| starts_with_digit(rest)).unwrap_or(&number);
    let end = number
        .rfind(|c: char| c.is_numeric())
        .map_or(0, |at| at + number[at..].chars().next().map_or(0, char::len_utf8));
    let (amount, tail) = number.split_at(end);
    match unit(tail).or(unit_of_next.filter(|_| tail.is_empty())) {
        Some(unit) => format!("{amount} {unit}"),
        None => number.to_owned(),
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether a word is the name of something in code: it has a mark inside, or capitals after small letters.
fn is_identifier(word: &str) -> bool {
    let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    let has_mark = inner.contains(['_', '/', ':', '@', '=', '(', '#', '\\', '<', '>', '+'])
        || word.starts_with(['_', '$', '@', '/', '#', '-', '+', '<'])
        || word.ends_with(['+', '#', '_', '%']);
    // `U.S` and `e.g` are abbreviations.
    let has_dot = inner.contains('.') && word.split('.').any(|part| part.chars().count() > 1);
    let mut chars = word.chars();
    let has_small = chars.by_ref().any(char::is_lowercase);
    let has_capital_inside = has_small && word.chars().skip(1).any(char::is_uppercase);
    has_mark || has_dot || has_capital_inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guards(text: &str) -> Vec<String> {
        ComparableText::new(text).guards.into_iter().collect()
    }

    #[test]
    fn what_must_be_equal_is_read_in_one_form() {
        assert_eq!(guards("Timeout: 30 seconds"), guards("timeout 30s"));
        assert_eq!(guards("Use v5.1 of `a  b`."), guards("use 5.1 of `a b`"));
        assert_eq!(guards("three retries"), ["3"]);
        assert_eq!(guards("Never cache builds"), guards("do not cache builds"));
        assert_eq!(guards("We can't deploy"), ["modal can", "not 1×"]);
        assert_ne!(guards("Only admins deploy"), guards("No admins deploy"));
        assert_ne!(guards("Deploys need approval"), guards("If deploys need approval"));
        assert_eq!(guards("The API's limit"), guards("The API limit"));
        assert_eq!(
            guards("It must call parse_line in src/a.rs"),
            ["modal must", "name parse_line", "name src/a.rs"]
        );
        assert_eq!(guards("The U.S. team, e.g. Ann"), [""; 0]);
        assert_eq!(guards("1,500 rows"), guards("1500 rows"));
        assert_ne!(guards("5 ms"), guards("5 s"));
        assert_ne!(guards("all hosts"), guards("some hosts"));
    }

    #[test]
    fn negations_are_tied_to_the_words_of_their_clause() {
        let negations = |text: &str| ComparableText::new(text).negations;
        let not = |stems: &[&str]| Negation {
            kind: "not".to_owned(),
            stems: stems.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(negations("do not use tabs; use spaces"), [not(&["use", "tab"])]);
        assert_eq!(negations("it is not impossible and never not used"), [not(&["imposs", "use"])]);
    }

    #[test]
    fn stems_leave_out_words_of_grammar() {
        let text = ComparableText::new("The job also cleans up old sessions.");
        assert_eq!(text.stems().collect::<Vec<_>>(), ["job", "clean", "up", "old", "session"]);
    }
}
