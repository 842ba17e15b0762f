//! Decides whether two statements say the same in nearly the same words.

use std::collections::HashMap;

use super::alignment::Alignment;
use super::guards::LOWER_CASE_NAMES;
use super::statement::{ComparableText, ComparableWord, NEGATED_WORDS, Negation};
use crate::word_list::WordList;

/// The fewest common words of two statements of which one only adds words.
const MIN_COMMON_WORDS: usize = 3;

/// The fewest common words of two statements that each have words of their own.
const MIN_COMMON_WORDS_IF_BOTH_DIFFER: usize = 5;

/// The fewest common words of two statements of which one adds a name.
const MIN_COMMON_WORDS_IF_NAMED: usize = 6;

/// The least cosine of two words that stand in place of each other.
const MIN_NEARNESS_IN_PLACE: f32 = 0.6;

/// The fewest words of its own by which a text has a clause that the other one does not have.
const MIN_CLAUSE_WORDS: usize = 3;

/// Words with which clauses begin, sorted.
static CLAUSE_WORDS: WordList = WordList::new(&[
    "after", "and", "as", "because", "before", "but", "he", "it", "she", "that", "they", "we",
    "when", "where", "which", "while", "who", "whom", "whose",
]);

/// The fewest words of grammar, or in another order, by which two texts are phrased differently.
const MIN_REPHRASED_WORDS: usize = 2;

/// The fewest common words of two statements that are so long that words of another meaning may stand in place of others, and
/// that a sentence may be turned round besides.
const MIN_COMMON_WORDS_IF_FAR: usize = 9;

/// The same if only one word does.
const MIN_COMMON_WORDS_IF_ONE_IS_FAR: usize = 11;

/// A longer text is the same as another only if it has the same words, in words.
const MAX_ALIGNED_WORDS: usize = 160;

/// The most words that a negation must have in common with that of another text; a further one may follow later there.
const COMPARED_NEGATED_WORDS: usize = NEGATED_WORDS - 1;

/// Words before what has another role than the words around it, sorted: "from a to b" is not "from b to a".
static ROLE_WORDS: WordList = WordList::new(&[
    "above", "after", "against", "before", "behind", "below", "by", "from", "into", "onto", "over",
    "than", "through", "to", "under", "via", "with",
]);

/// Words of the passive, sorted.
static PASSIVE_WORDS: WordList =
    WordList::new(&["are", "be", "been", "being", "by", "is", "was", "were"]);

/// Words between two things of which one is preferred or comes first, sorted.
static COMPARING_WORDS: WordList =
    WordList::new(&["above", "after", "before", "over", "than", "to"]);

/// Returns how near two words are in meaning: the cosine of their vectors.
pub type WordNearness<'n> = &'n dyn Fn(&str, &str) -> f32;

/// Returns the share of the words of the longer text that the other one has, too; `None` if the texts do not say the same:
/// if a number, a version, a unit, a negation, an identifier, a span of code or the modality differs, if words have other
/// roles, or if a word stands in place of another one that does not mean nearly the same.
pub fn duplicate_similarity(
    a: &ComparableText,
    b: &ComparableText,
    nearness: WordNearness<'_>,
) -> Option<f64> {
    if a.guards != b.guards {
        return None;
    }
    if a.has_foreign_letters || b.has_foreign_letters {
        return has_same_words(a, b).then_some(1.0);
    }
    // A longest common subsequence is not unique, and the result must not depend on the order.
    fn words(text: &ComparableText) -> impl Iterator<Item = &str> {
        text.words.iter().map(|word| word.lower.as_str())
    }
    let (a, b) = if words(a).le(words(b)) { (a, b) } else { (b, a) };
    if !has_same_negations(a, b) {
        return None;
    }
    let (only_a, only_b, common) = compare_words(a, b);
    let others = only_a.len().max(only_b.len());
    if common + others == 0 {
        return has_same_words(a, b).then_some(1.0);
    }
    let both_differ = !only_a.is_empty() && !only_b.is_empty();
    if !has_same_roles(a, b, both_differ && common < MIN_COMMON_WORDS_IF_FAR) {
        return None;
    }
    if a.words.len().max(b.words.len()) > MAX_ALIGNED_WORDS {
        return has_same_words(a, b).then_some(1.0);
    }
    let alignment = Alignment::new(&a.words, &b.words);
    let differences = Differences { a, b, only_a, only_b, common, alignment };
    let is_report = is_reported(a) || is_reported(b);
    if (differences.changes_tense() && !differences.is_rephrased() && !is_report)
        || differences.extends_compound()
    {
        return None;
    }
    if others > 0 {
        let min_common = match both_differ {
            true => MIN_COMMON_WORDS_IF_BOTH_DIFFER,
            false => MIN_COMMON_WORDS,
        };
        let is_named = |words: &[&ComparableWord]| words.iter().any(|word| word.is_name);
        let (is_named_a, is_named_b) =
            (is_named(&differences.only_a), is_named(&differences.only_b));
        if common < min_common
            || ((is_named_a || is_named_b) && common < MIN_COMMON_WORDS_IF_NAMED)
            || (is_named_a && is_named_b && common < MIN_COMMON_WORDS_IF_FAR)
            || differences.adds_clause()
            || (both_differ && !differences.replaces_only_near_words(nearness))
        {
            return None;
        }
    }
    Some(common as f64 / (common + others) as f64)
}

/// Returns whether two texts have the same words in the same order.
fn has_same_words(a: &ComparableText, b: &ComparableText) -> bool {
    a.words.iter().map(|word| &word.lower).eq(b.words.iter().map(|word| &word.lower))
}

/// Returns the words of each text that the other does not have, and the number of common ones.
fn compare_words<'t>(
    a: &'t ComparableText,
    b: &'t ComparableText,
) -> (Vec<&'t ComparableWord>, Vec<&'t ComparableWord>, usize) {
    let sorted = |text: &'t ComparableText| {
        let mut words: Vec<&ComparableWord> =
            text.words.iter().filter(|word| word.stem.is_some()).collect();
        words.sort_by(|a, b| a.stem.cmp(&b.stem));
        words
    };
    let (words_a, words_b) = (sorted(a), sorted(b));
    let (mut only_a, mut only_b, mut common) = (vec![], vec![], 0);
    let (mut at_a, mut at_b) = (0, 0);
    loop {
        match (words_a.get(at_a), words_b.get(at_b)) {
            (Some(one), Some(other)) if one.stem == other.stem => {
                common += 1;
                at_a += 1;
                at_b += 1;
            }
            (Some(one), Some(other)) if one.stem < other.stem => {
                only_a.push(*one);
                at_a += 1;
            }
            (Some(one), None) => {
                only_a.push(*one);
                at_a += 1;
            }
            (_, Some(other)) => {
                only_b.push(*other);
                at_b += 1;
            }
            (None, None) => return (only_a, only_b, common),
        }
    }
}

/// Returns whether each negation belongs to the same words in both texts. A word that only one of the texts has may stand
/// between; a word that both have must not be negated in one alone: "do not use tabs; use spaces" is not "use tabs; do not
/// use spaces".
fn has_same_negations(a: &ComparableText, b: &ComparableText) -> bool {
    let has_key =
        |text: &ComparableText, key: &str| text.words.iter().any(|it| it.key() == Some(key));
    let is_within = |one: &Negation, other: &Negation, other_text: &ComparableText| {
        let compared = one.stems.iter().take(COMPARED_NEGATED_WORDS);
        compared.into_iter().all(|stem| other.stems.contains(stem) || !has_key(other_text, stem))
    };
    let is_same = |one: &Negation, other: &Negation| {
        let shares_a_word = one.stems.iter().any(|stem| other.stems.contains(stem));
        one.kind == other.kind
            && (shares_a_word || (one.stems.is_empty() && other.stems.is_empty()))
            && is_within(one, other, b)
            && is_within(other, one, a)
    };
    let mut others: Vec<&Negation> = b.negations.iter().collect();
    let all_found = a.negations.iter().all(|one| {
        let found = others.iter().position(|other| is_same(one, other));
        found.map(|at| others.swap_remove(at)).is_some()
    });
    all_found && others.is_empty()
}

/// The words that both texts have, by their positions in the first text, in the order of the second one.
fn shared_order(a: &ComparableText, b: &ComparableText) -> Vec<usize> {
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word) in a.words.iter().enumerate().rev() {
        if let Some(key) = word.key() {
            positions.entry(key).or_default().push(at);
        }
    }
    let keys = b.words.iter().filter_map(ComparableWord::key);
    keys.filter_map(|key| positions.get_mut(key)?.pop()).collect()
}

/// Returns whether the words that both texts have play the same roles in them.
fn has_same_roles(a: &ComparableText, b: &ComparableText, is_replaced: bool) -> bool {
    let order = shared_order(a, b);
    let is_same_order = order.is_sorted();
    if has_opposed_prepositions(a, b) || !has_same_guard_order(a, b, is_same_order) {
        return false;
    }
    if is_same_order {
        return !has_other_agent(a, b) && !has_other_agent(b, a);
    }
    // A sentence may be turned round, but not if a word is replaced as well: what does what can then not be told.
    if is_replaced && order.first() > order.last() {
        return false;
    }
    !exchanges_sides(a, b) && !has_other_role(a, b) && !has_other_role(b, a)
}

/// Pairs of prepositions of which one says the opposite of the other one.
const OPPOSED_PREPOSITIONS: [(&[&str], &[&str]); 8] = [
    (&["to", "into", "onto", "toward", "towards"], &["from"]),
    (&["over", "above", "beyond"], &["under", "below", "beneath", "within"]),
    (&["before", "until", "till"], &["after", "since", "following"]),
    (&["with", "including", "plus"], &["without", "excluding", "except"]),
    (&["for"], &["against"]),
    (&["in", "inside", "within"], &["outside"]),
    (&["on"], &["off"]),
    (&["up"], &["down"]),
];

/// Returns whether a word that both texts have stands after opposed prepositions in them: "to postgres" is not "from postgres".
fn has_opposed_prepositions(a: &ComparableText, b: &ComparableText) -> bool {
    let (words_a, words_b) = (words_before_keys(a), words_before_keys(b));
    words_a.iter().any(|(before, key)| {
        words_b.iter().any(|(other, other_key)| {
            key == other_key
                && OPPOSED_PREPOSITIONS.iter().any(|(one_side, other_side)| {
                    (one_side.contains(before) && other_side.contains(other))
                        || (other_side.contains(before) && one_side.contains(other))
                })
                && !words_b.contains(&(before, key))
        })
    })
}

/// Returns the words of grammar before each word that says something, with that word.
fn words_before_keys(text: &ComparableText) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    for word in &text.words {
        if let Some(key) = word.key() {
            found.extend(before.iter().map(|before| (*before, key)));
            before.clear();
        }
        before.push(&word.lower);
    }
    found
}

/// Returns whether one text names with "by" who does something, and the other one has the same words in the same order: "the
/// parser is called by the lexer" is not "the parser calls the lexer".
fn has_other_agent(a: &ComparableText, b: &ComparableText) -> bool {
    let has_by = |text: &ComparableText| text.words.iter().any(|word| word.lower == "by");
    let is_passive = a.words.windows(2).any(|pair| {
        PASSIVE_WORDS.contains(&pair[0].lower) && pair[0].lower != "by" && pair[1].stem.is_some()
    });
    has_by(a) && is_passive && !has_by(b)
}

/// How many words on each side of a word are looked at.
const WORDS_BESIDE: usize = 2;

/// Returns whether a word before and a word after another one have changed places: "the parser calls the lexer" is not "the
/// lexer calls the parser". In the passive they have, and say the same.
fn exchanges_sides(a: &ComparableText, b: &ComparableText) -> bool {
    let passive = |text: &ComparableText| {
        let words = text.words.iter().filter(|word| PASSIVE_WORDS.contains(&word.lower));
        words.count()
    };
    if passive(a) != passive(b) {
        return false;
    }
    fn keys(text: &ComparableText) -> Vec<&str> {
        text.words.iter().filter_map(ComparableWord::key).collect()
    }
    let (keys_a, keys_b) = (keys(a), keys(b));
    let before = |keys: &[&str], at: usize| -> Vec<String> {
        keys[at.saturating_sub(WORDS_BESIDE)..at].iter().map(ToString::to_string).collect()
    };
    let after = |keys: &[&str], at: usize| -> Vec<String> {
        keys.iter().skip(at + 1).take(WORDS_BESIDE).map(ToString::to_string).collect()
    };
    let is_shared = |one: &[String], other: &[String]| one.iter().any(|it| other.contains(it));
    keys_a.iter().enumerate().any(|(at_a, key)| {
        let same = keys_b.iter().enumerate().filter(|(_, other)| *other == key);
        let mut same = same.map(|(at_b, _)| at_b);
        same.any(|at_b| {
            is_shared(&before(&keys_a, at_a), &after(&keys_b, at_b))
                && is_shared(&after(&keys_a, at_a), &before(&keys_b, at_b))
        })
    })
}

/// The words that play a role, with the word that states it.
fn roles(text: &ComparableText) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, word) in text.words.iter().enumerate() {
        if ROLE_WORDS.contains(&word.lower) {
            let next = text.words[at + 1..].iter().find_map(ComparableWord::key);
            found.extend(next.map(|next| (word.lower.as_str(), next)));
        }
    }
    found
}

/// Returns whether a role that one text states belongs to another word in the other text, which has both words.
fn has_other_role(a: &ComparableText, b: &ComparableText) -> bool {
    let (roles_a, roles_b) = (roles(a), roles(b));
    let has = |text: &ComparableText, key: &str| text.words.iter().any(|it| it.key() == Some(key));
    roles_a.iter().any(|(role, word)| {
        let is_like = |other: &str| {
            other == *role || (COMPARING_WORDS.contains(role) && COMPARING_WORDS.contains(other))
        };
        let same_role = || roles_b.iter().filter(|(other, _)| is_like(other));
        has(b, word)
            && same_role().next().is_some()
            && same_role().all(|(_, other)| other != word)
            && same_role().any(|(other, with)| has(a, with) && !roles_a.contains(&(*other, *with)))
    })
}

/// A number, an identifier or a word that says how binding a statement is, with the words beside it.
struct PlacedGuard<'t> {
    guard: &'t str,
    preposition: Option<&'t str>,
    before: Option<&'t str>,
    after: Option<&'t str>,
}

impl PlacedGuard<'_> {
    /// Returns whether two guards are equal and belong to the same word.
    fn has_same_place(&self, other: &PlacedGuard<'_>) -> bool {
        let is_same = |one: Option<&str>, other: Option<&str>| one.is_some() && one == other;
        self.guard == other.guard
            && (is_same(self.preposition, other.preposition)
                || is_same(self.before, other.before)
                || is_same(self.after, other.after))
    }
}

fn placed_guards(text: &ComparableText) -> Vec<PlacedGuard<'_>> {
    let words = &text.words;
    let guards = words
        .iter()
        .enumerate()
        .filter_map(|(at, word)| Some((at, word.guard.as_deref().or(word.qualifier.as_deref())?)));
    let before = |at: usize| at.checked_sub(1).map(|before| words[before].lower.as_str());
    let placed = guards.map(|(at, guard)| PlacedGuard {
        guard,
        preposition: before(at).filter(|word| ROLE_WORDS.contains(word)),
        before: words[..at].iter().rev().find_map(ComparableWord::key),
        after: words[at + 1..].iter().find_map(ComparableWord::key),
    });
    placed.collect()
}

/// Returns whether numbers, identifiers, code and words of modality and quantity stand in the same order, or each beside the
/// same word.
fn has_same_guard_order(a: &ComparableText, b: &ComparableText, is_same_order: bool) -> bool {
    let (guards_a, mut guards_b) = (placed_guards(a), placed_guards(b));
    let in_order = guards_a.iter().map(|it| it.guard).eq(guards_b.iter().map(|it| it.guard));
    let is_one = guards_a.windows(2).all(|pair| pair[0].guard == pair[1].guard);
    if (in_order && is_same_order) || is_one {
        return true;
    }
    guards_a.iter().all(|one| {
        let found = guards_b.iter().position(|other| one.has_same_place(other));
        found.map(|at| guards_b.swap_remove(at)).is_some()
    })
}

/// Words of the present and the past, sorted.
static PRESENT_WORDS: WordList =
    WordList::new(&["am", "are", "do", "does", "has", "have", "is", "will"]);
static PAST_WORDS: WordList = WordList::new(&["did", "had", "was", "were", "would"]);

/// Verbs of reported speech, sorted.
static REPORTING_WORDS: WordList = WordList::new(&[
    "according",
    "added",
    "announced",
    "asked",
    "claimed",
    "reported",
    "said",
    "say",
    "says",
    "stated",
    "statement",
    "told",
    "writes",
    "wrote",
]);

/// Returns whether a text is reported speech, whose tense is that of the report.
fn is_reported(text: &ComparableText) -> bool {
    text.words.iter().any(|word| REPORTING_WORDS.contains(&word.lower))
}

/// How two texts differ.
struct Differences<'t> {
    a: &'t ComparableText,
    b: &'t ComparableText,
    /// The words that only the first one has.
    only_a: Vec<&'t ComparableWord>,
    only_b: Vec<&'t ComparableWord>,
    /// The number of common words.
    common: usize,
    alignment: Alignment<'t>,
}

impl Differences<'_> {
    /// Returns whether one of the texts has a clause of its own, and so states more than the other one.
    fn adds_clause(&self) -> bool {
        let is_clause = |run: &[ComparableWord], own: &[&ComparableWord]| {
            run.iter().filter(|word| is_of(word, own)).count() >= MIN_CLAUSE_WORDS
                && run.iter().any(|word| CLAUSE_WORDS.contains(&word.lower))
        };
        let has_clause = |part: &[ComparableWord], own: &[&ComparableWord]| {
            // What stands elsewhere in the other text ends a run of words.
            let mut runs = part.split(|word| word.stem.is_some() && !is_of(word, own));
            runs.any(|run| is_clause(run, own))
        };
        let mut parts = self.alignment.parts().into_iter();
        parts.any(|(a, b)| has_clause(a, &self.only_a) || has_clause(b, &self.only_b))
    }

    /// Returns whether one text tells in the past what the other one tells in the present.
    fn changes_tense(&self) -> bool {
        let has = |part: &[ComparableWord], list: &WordList| {
            part.iter().any(|word| list.contains(&word.lower))
        };
        self.alignment.parts().into_iter().any(|(a, b)| {
            (has(a, &PRESENT_WORDS) && has(b, &PAST_WORDS))
                || (has(a, &PAST_WORDS) && has(b, &PRESENT_WORDS))
        })
    }

    /// Returns whether a word that only one text has is joined with one that both have: "react-dom" is not "react".
    fn extends_compound(&self) -> bool {
        let extends = |text: &ComparableText, own: &[&ComparableWord]| {
            own.iter().filter(|word| word.compound.is_some()).any(|word| {
                let joined = text.words.iter().filter(|other| other.compound == word.compound);
                joined.into_iter().any(|other| other.stem.is_some() && !is_of(other, own))
            })
        };
        extends(self.a, &self.only_a) || extends(self.b, &self.only_b)
    }

    /// Returns whether words that stand in place of each other can mean the same.
    ///
    /// Two texts that are equal word by word but for one part differ in just what they are about: "the billing service keeps
    /// its sessions for a day" is not "the order service keeps its sessions for a day", however near these words are. Texts
    /// that are phrased differently differ in words that mean nearly the same, or, if they are long, in any but names.
    fn replaces_only_near_words(&self, nearness: WordNearness<'_>) -> bool {
        let mut replaced: Vec<(Vec<&ComparableWord>, Vec<&ComparableWord>)> = Vec::new();
        for (part_a, part_b) in self.alignment.parts() {
            let own_a = part_a.iter().filter(|word| is_of(word, &self.only_a));
            let own_b = part_b.iter().filter(|word| is_of(word, &self.only_b));
            let (own_a, own_b): (Vec<_>, Vec<_>) = (own_a.collect(), own_b.collect());
            if !own_a.is_empty() && !own_b.is_empty() {
                replaced.push((own_a, own_b));
            }
        }
        let both_have = |test: fn(&ComparableWord) -> bool| {
            replaced.iter().any(|(a, b)| a.iter().any(|it| test(it)) && b.iter().any(|it| test(it)))
        };
        let own_pairs = || self.only_a.iter().flat_map(|a| self.only_b.iter().map(move |b| (a, b)));
        let is_lower_case_name = |word: &ComparableWord| LOWER_CASE_NAMES.contains(&word.lower);
        if both_have(|word| word.is_name)
            || both_have(|word| word.is_opposite)
            || own_pairs().any(|(a, b)| {
                is_denial_of(&a.lower, &b.lower) || (is_lower_case_name(a) && is_lower_case_name(b))
            })
        {
            return false;
        }
        if !self.is_rephrased() {
            let spelling = |words: &[&ComparableWord]| -> String {
                words.iter().map(|word| word.lower.as_str()).collect()
            };
            let is_spelled_alike = |a, b| spelling_key(&spelling(a)) == spelling_key(&spelling(b));
            return replaced.iter().all(|(a, b)| is_spelled_alike(a, b));
        }
        let nearest = |(a, b): &(Vec<&ComparableWord>, Vec<&ComparableWord>)| {
            let pairs = a.iter().flat_map(|a| b.iter().map(|b| nearness(&a.lower, &b.lower)));
            pairs.fold(f32::MIN, f32::max)
        };
        // Long texts may differ in words of other meanings, but hardly in a single one: it is what they are about.
        let is_one_word = matches!(replaced.as_slice(), [(a, b)] if a.len() == 1 && b.len() == 1);
        let min_common = match is_one_word && !is_reported(self.a) && !is_reported(self.b) {
            true => MIN_COMMON_WORDS_IF_ONE_IS_FAR,
            false => MIN_COMMON_WORDS_IF_FAR,
        };
        let is_far_allowed = self.common >= min_common;
        is_far_allowed || replaced.iter().all(|words| nearest(words) >= MIN_NEARNESS_IN_PLACE)
    }

    /// Returns whether the texts differ in words of grammar, or in the order of words, besides the words of their own.
    fn is_rephrased(&self) -> bool {
        let others = |text: &ComparableText, own: &[&ComparableWord]| {
            text.words.len() - self.alignment.len() - own.len()
        };
        others(self.a, &self.only_a).max(others(self.b, &self.only_b)) >= MIN_REPHRASED_WORDS
    }
}

/// Returns whether a word is one of some, or is repeated by one.
fn is_of(word: &ComparableWord, list: &[&ComparableWord]) -> bool {
    list.iter().any(|other| std::ptr::eq(*other, word) || other.stem == word.stem)
}

/// Returns whether one word is another one with a prefix that denies it: "supported", "unsupported".
fn is_denial_of(a: &str, b: &str) -> bool {
    const PREFIXES: [&str; 9] = ["un", "non", "in", "im", "ir", "il", "dis", "de", "mis"];
    let is_denied = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|prefix| PREFIXES.contains(&prefix))
    };
    is_denied(a, b) || is_denied(b, a)
}

/// Returns a form of a word that is the same in British and American English: "neighbour" and "neighbor".
fn spelling_key(word: &str) -> String {
    const VARIANTS: [(&str, &str); 8] = [
        ("our", "or"),
        ("yse", "yze"),
        ("ise", "ize"),
        ("isi", "izi"),
        ("isa", "iza"),
        ("ence", "ense"),
        ("ogue", "og"),
        ("ll", "l"),
    ];
    let key = VARIANTS.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from, to));
    match key.strip_suffix("re") {
        Some(root) if root.len() > 2 => format!("{root}er"),
        _ => key,
    }
}
