//! The form of a text in which it is compared with others: what must be equal, and what may differ a little.

use super::guards::{
    DENIALS, INFORMAL_NEGATIONS, LOWER_CASE_NAMES, MODALS, NEGATIONS_OF_OTHER_LANGUAGES,
    NUMBER_WORDS, OPPOSITES, QUANTIFIERS, unit,
};
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
    "e.g",
    "even",
    "however",
    "i.e",
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
    /// What must be equal: numbers with units and bounds, versions, operators, modality, quantity, conditions, identifiers,
    /// spans of code, emoji, and the number of negations. Sorted, with repetitions.
    pub(super) guards: Vec<String>,
    /// What is negated or limited.
    pub(super) negations: Vec<Negation>,
    /// All words in order, in lower case, without punctuation.
    pub(super) words: Vec<ComparableWord>,
    /// Whether it has letters besides those of English, whose words of grammar are the only ones that are known.
    pub(super) has_foreign_letters: bool,
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
    /// The guard that it is: a number, an identifier, a span of code or a mark.
    pub(super) guard: Option<String>,
    /// What it says of the words around it: modality, quantity, a condition, or that something is lacking.
    pub(super) qualifier: Option<String>,
    /// Whether it is written like a name, or is one in any writing.
    pub(super) is_name: bool,
    /// Whether hyphens join it with words of the same text, by the place of these words in it.
    pub(super) compound: Option<usize>,
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

/// Words before a number that make it a bound, with the sign that stands for them. Where several match, the first one counts.
const BOUNDS: [(&[&str], &str); 27] = [
    (&["more", "than"], ">"),
    (&["greater", "than"], ">"),
    (&["higher", "than"], ">"),
    (&["larger", "than"], ">"),
    (&["longer", "than"], ">"),
    (&["later", "than"], ">"),
    (&["above"], ">"),
    (&["beyond"], ">"),
    (&["exceed"], ">"),
    (&["exceeding"], ">"),
    (&["exceeds"], ">"),
    (&["over"], ">"),
    (&["past"], ">"),
    (&["less", "than"], "<"),
    (&["fewer", "than"], "<"),
    (&["lower", "than"], "<"),
    (&["smaller", "than"], "<"),
    (&["shorter", "than"], "<"),
    (&["earlier", "than"], "<"),
    (&["below"], "<"),
    (&["under"], "<"),
    (&["at", "least"], "≥"),
    (&["minimum", "of"], "≥"),
    (&["at", "most"], "≤"),
    (&["maximum", "of"], "≤"),
    (&["up", "to"], "≤"),
    (&["within"], "≤"),
];

/// Reads the parts of a text.
#[derive(Default)]
struct Reader {
    guards: Vec<String>,
    words: Vec<ComparableWord>,
    /// The place of the compound that is read.
    compound: Option<usize>,
    negations: Vec<Negation>,
    /// The number of negations at the end of `negations` whose clause goes on.
    open: usize,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut pieces: Vec<&str> = Vec::new();
        let mut compounds: Vec<Option<usize>> = Vec::new();
        for piece in text.split_whitespace() {
            let start = pieces.len();
            pieces.extend(split_piece(piece));
            let is_compound = pieces.len() > start + 1 && bare(piece).contains('-');
            compounds.resize(pieces.len(), is_compound.then_some(self.words.len() + start));
        }
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            self.compound = compounds[at];
            let next =
                pieces.get(at + 1).map(|piece| if *piece == "%" { piece } else { bare(piece) });
            let begins_sentence = at == 0 || pieces[at - 1].ends_with(['.', '!', '?', ':']);
            at += 1 + usize::from(self.read_piece(piece, next, begins_sentence));
            if piece.ends_with([',', ';', ':', '.', '!', '?']) {
                self.open = 0;
            }
        }
    }

    /// Reads a word with the marks around it. Returns whether the word after it was its unit.
    fn read_piece(&mut self, piece: &str, next: Option<&str>, begins_sentence: bool) -> bool {
        let word = bare(piece);
        let (before, after) = match word.is_empty() {
            true if matches!(piece.trim_end_matches([',', '.']), "[x]" | "[X]") => ("✓", ""),
            true => (piece, ""),
            false => {
                let start = word.as_ptr() as usize - piece.as_ptr() as usize;
                (&piece[..start], &piece[start + word.len()..])
            }
        };
        // A mark before a word denies it: `!important`.
        self.add_marks(before, before.contains('!') && !word.is_empty());
        let is_ending = piece.starts_with(['\'', '’']) && word.chars().nth(1).is_none();
        // An initial of a name, or a letter that names something at the end of a sentence.
        let is_initial = after.starts_with('.') && is_letter_name(word, begins_sentence);
        if is_initial {
            self.add(&lower(word), Some(format!("letter {word}")), true);
        }
        let has_unit = !is_ending && !is_initial && self.read_word(word, next, begins_sentence);
        self.add_marks(after, false);
        has_unit
    }

    /// Adds the marks among the punctuation beside a word, or between words.
    fn add_marks(&mut self, text: &str, is_denial: bool) {
        if is_denial || text.contains(is_mark) {
            let marks: String = text.chars().filter(|c| is_mark(*c) || "!-".contains(*c)).collect();
            self.add_guard(&marks, format!("mark {marks}"));
        }
    }

    /// Reads a word. Returns whether the word after it was its unit.
    fn read_word(&mut self, word: &str, next: Option<&str>, begins_sentence: bool) -> bool {
        if word.is_empty() {
            return false;
        }
        let lower = lower(word);
        let plain = lower.strip_suffix("'s").unwrap_or(&lower);
        let digits = DIGITS_OF_WORDS.iter().find(|(spelling, _)| *spelling == plain);
        if word.contains(|c: char| c.is_numeric()) || digits.is_some() {
            let number = digits.map_or(without_possessive(word), |(_, digits)| digits);
            let unit_of_next = next.and_then(unit_of);
            let bound = self.bound();
            self.add_guard(plain, format!("{bound}{}", number_key(number, unit_of_next)));
            return unit_of_next.is_some();
        }
        if is_negation(word)
            || INFORMAL_NEGATIONS.contains(plain)
            || NEGATIONS_OF_OTHER_LANGUAGES.contains(plain)
        {
            self.begin_negation(if LIMITS.contains(plain) { plain } else { "not" });
            let base = match plain {
                "can't" | "cannot" | "cant" => "can",
                _ => plain.strip_suffix("n't").or(plain.strip_suffix("nt")).unwrap_or_default(),
            };
            let modal = MODALS.contains(base).then(|| format!("modal {base}"));
            self.add_qualified(plain, None, modal);
        } else if is_identifier(without_possessive(word)) {
            self.add_guard(plain, format!("name {}", without_possessive(word)));
        } else if is_letter_name(word, begins_sentence) {
            self.add_guard(plain, format!("letter {word}"));
        } else if CONDITIONS.contains(plain) {
            self.add_qualified(plain, None, Some(format!("condition {plain}")));
        } else if MODALS.contains(plain) {
            self.add_qualified(plain, None, Some(format!("modal {plain}")));
        } else if QUANTIFIERS.contains(plain) {
            let quantity = if matches!(plain, "each" | "every") { "all" } else { plain };
            self.add_qualified(plain, None, Some(format!("quantity {quantity}")));
        } else if NUMBER_WORDS.contains(plain) {
            let bound = self.bound();
            self.add_guard(plain, format!("{bound}{plain}"));
        } else if (is_stop_word(plain) && !OPPOSITES.contains(plain)) || FILLERS.contains(plain) {
            self.add(plain, None, false);
        } else {
            let stem = stem(plain);
            self.tie_negations(&stem);
            let is_name = word.starts_with(char::is_uppercase) || LOWER_CASE_NAMES.contains(plain);
            self.add(plain, Some(stem), is_name);
        }
        false
    }

    /// Returns the sign of the bound that the last words make of a number after them.
    fn bound(&self) -> &'static str {
        let ends_with = |phrase: &[&str]| {
            let start = self.words.len().checked_sub(phrase.len());
            start.is_some_and(|start| self.words[start..].iter().map(|word| &word.lower).eq(phrase))
        };
        BOUNDS.iter().find(|(phrase, _)| ends_with(phrase)).map_or("", |(_, sign)| sign)
    }

    fn add(&mut self, lower: &str, stem: Option<String>, is_name: bool) {
        let is_opposite = stem.is_some() && OPPOSITES.contains(lower);
        let denied = stem.as_ref().filter(|_| DENIALS.contains(lower));
        let qualifier = denied.map(|stem| format!("denial {stem}"));
        self.guards.extend(qualifier.clone());
        let (lower, guard, compound) = (lower.to_owned(), None, self.compound);
        let word = ComparableWord { lower, stem, guard, qualifier, is_name, compound, is_opposite };
        self.words.push(word);
    }

    /// Adds a word that says something of the words around it.
    fn add_qualified(&mut self, lower: &str, stem: Option<String>, qualifier: Option<String>) {
        self.guards.extend(qualifier.clone());
        self.words.push(ComparableWord {
            lower: lower.to_owned(),
            stem,
            guard: None,
            qualifier,
            is_name: false,
            compound: self.compound,
            is_opposite: false,
        });
    }

    /// Adds a word that must be equal.
    fn add_guard(&mut self, lower: &str, guard: String) {
        self.tie_negations(&guard);
        self.guards.push(guard.clone());
        self.words.push(ComparableWord {
            lower: lower.to_owned(),
            stem: None,
            guard: Some(guard),
            qualifier: None,
            is_name: false,
            compound: self.compound,
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
        self.guards.extend(self.negations.iter().map(|negation| negation.kind.clone()));
        if is_question(text) {
            self.guards.push("question".to_owned());
        }
        self.guards.sort_unstable();
        let Reader { guards, words, negations, .. } = self;
        let has_foreign_letters = text.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
        ComparableText { guards, negations, words, has_foreign_letters }
    }
}

/// Returns what a word is compared by: its stem. One of several parts, or in a script without spaces, stays whole.
fn stem(lower: &str) -> String {
    let mut terms = terms(lower).into_iter();
    match (terms.next(), terms.next()) {
        (Some(only), None) => only,
        _ => lower.to_owned(),
    }
}

/// Splits words that dashes, commas or hyphens join. Dates, ranges and identifiers stay whole.
fn split_piece(piece: &str) -> impl Iterator<Item = &str> {
    let word = bare(piece);
    let is_identifier = word.starts_with('-') || word.contains(['_', '/', '.', ':', '@', '=', '(']);
    let has_letters = word.contains(|c: char| c.is_alphabetic());
    let begins_with_number =
        word.split('-').next().is_some_and(|it| it.chars().all(char::is_numeric));
    let splits_hyphens = begins_with_number || word.contains("--") || !is_joined_name(word);
    let is_joint =
        move |c: char| matches!(c, '–' | '—' | ',' | ';' | '…') || (c == '-' && splits_hyphens);
    let is_split = !is_identifier && has_letters && word.contains(is_joint);
    let mut parts = is_split.then(|| piece.split(is_joint));
    let mut whole = (!is_split).then_some(piece);
    std::iter::from_fn(move || match &mut parts {
        Some(parts) => parts.next(),
        None => whole.take(),
    })
}

/// Returns whether a word with hyphens is the name of something in code or of a host, and not a compound of prose.
fn is_joined_name(word: &str) -> bool {
    word.contains('-') && word.contains(|c: char| c.is_numeric())
}

/// Returns whether a word of a single letter names something: `Team A`, `drive d`.
fn is_letter_name(word: &str, begins_sentence: bool) -> bool {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => {
            !(matches!(letter, 'a' | 'i' | 'I') || letter == 'A' && begins_sentence)
        }
        // A number in Roman digits.
        (Some(_), Some(_)) => word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')),
        _ => false,
    }
}

/// Returns a word without the punctuation around it. Signs that belong to numbers and names stay.
fn bare(word: &str) -> &str {
    let start =
        word.trim_start_matches(|c: char| !c.is_alphanumeric() && !"$€£_@#-/+<>=~".contains(c));
    // `.env` and `.5` begin with their dot, and `*.rs` with its star.
    let cut = &word[..word.len() - start.len()];
    let dotted = match () {
        () if !start.starts_with(char::is_alphanumeric) => 0,
        () if cut.ends_with("*.") => 2,
        () if cut.ends_with('.') && !cut.ends_with("..") => 1,
        () => 0,
    };
    let word = &word[cut.len() - dotted..];
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !"%+#_/€£$*".contains(c));
    let has_text = word.contains(char::is_alphanumeric);
    match has_text {
        // All files of a folder.
        true if word.ends_with("/*") || word.ends_with("/**") => word,
        true => word.trim_end_matches(['/', '*']),
        false => "",
    }
}

/// Returns whether a character is neither text nor punctuation: operators, arrows, currency signs, emoji.
fn is_mark(c: char) -> bool {
    const PUNCTUATION: &str = ".,;:!?'\"()[]{}-*#|&/_`\\";
    !c.is_alphanumeric()
        && !c.is_whitespace()
        && !c.is_control()
        && !PUNCTUATION.contains(c)
        && !matches!(c,
            '¡' | '¿' | '«' | '»' | '·' | '´' | '¨' | '\u{200b}'..='\u{200f}' | '‐'..='‟' | '•'..='…'
            | '‹' | '›' | '◦' | '▪' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '、'..='〃' | '〈'..='】'
            | '〔'..='〟' | '・' | '！'..='／' | '：' | '；' | '？' | '｡'..='･')
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
    let number = without_thousands_separators(number);
    let number =
        number.strip_prefix(['v', 'V']).filter(|rest| starts_with_digit(rest)).unwrap_or(&number);
    let end = number
        .rfind(|c: char| c.is_numeric())
        .map_or(0, |at| at + number[at..].chars().next().map_or(0, char::len_utf8));
    let (amount, tail) = number.split_at(end);
    let amount = amount.to_lowercase();
    match unit_of(tail).or(unit_of_next.filter(|_| tail.is_empty())) {
        Some(unit) => format!("{amount} {unit}"),
        None => number.to_lowercase(),
    }
}

/// Returns a number without the commas between groups of three digits. Any other comma is a decimal point, or separates two
/// numbers.
fn without_thousands_separators(number: &str) -> String {
    let digits = number.trim_matches(|c: char| !c.is_ascii_digit());
    let mut groups = digits.split('.').next().unwrap_or_default().split(',');
    let is_group = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = groups.next().is_some_and(|first| first.len() <= 3 && is_group(first))
        && groups.all(|group| group.len() == 3 && is_group(group));
    if is_grouped { number.replace(',', "") } else { number.to_owned() }
}

/// Returns the unit that a word is. Capitals matter where they make another unit: `M` is no minute, and `Mb` no megabyte.
fn unit_of(word: &str) -> Option<&'static str> {
    match word {
        "M" => Some("million"),
        "B" => Some("B"),
        "Kb" => Some("kbit"),
        "Mb" => Some("mbit"),
        "Gb" => Some("gbit"),
        "Tb" => Some("tbit"),
        _ => unit(&lower(word)),
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether a word is the name of something in code: it has a mark inside, or capitals after small letters.
fn is_identifier(word: &str) -> bool {
    let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    let has_mark = inner.contains([
        '_', '/', ':', '@', '=', '(', '#', '\\', '<', '>', '+', '&', '|', '*', '~', '^',
    ]) || word
        .starts_with(['_', '$', '@', '/', '#', '-', '+', '<', '>', '=', '~', '.', '*'])
        || word.ends_with(['+', '#', '_', '%', '*'])
        || is_joined_name(word);
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
        ComparableText::new(text).guards
    }

    #[test]
    fn what_must_be_equal_is_read_in_one_form() {
        assert_eq!(guards("Timeout: 30 seconds"), guards("timeout 30s"));
        assert_eq!(guards("Use v5.1 of `a  b`."), guards("use 5.1 of `a b`"));
        assert_eq!(guards("three retries"), ["3"]);
        assert_eq!(guards("Never cache builds"), guards("do not cache builds"));
        assert_eq!(guards("We can't deploy"), ["modal can", "not"]);
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
