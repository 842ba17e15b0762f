//! Decides in what two statements differ, whether they agree in everything else, and says so in words.

use super::comparison::Comparison;
use super::cues::has_condition;
use super::modality::{Modality, Quantifier};
use super::polarity::is_negator;
use super::quantity::Quantity;
use super::statement::Statement;
use super::unit::Dimension;
use super::verdict::FindingKind;

/// The cosine from which a word says what a word of the other statement says.
const SAME_MIN_COSINE: f32 = 0.7;

/// The fewest words that two statements on one subject have in common.
const SUBJECT_MIN_WORDS: usize = 2;

/// The most words of a phrase that names the subject in a reason.
const TOPIC_MAX_WORDS: usize = 7;

/// In what two statements differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    pub(super) kind: FindingKind,
    /// Whether they say the same apart from that.
    pub(super) is_clean: bool,
    /// How many other words of each statement the other one does not say.
    pub(super) rest: [usize; 2],
    /// How many of these are names.
    pub(super) names_in_rest: [usize; 2],
    /// In what they differ, in words.
    pub(super) reason: String,
}

/// A difference with the words of each statement that make it.
struct Difference {
    kind: FindingKind,
    words_a: Vec<usize>,
    words_b: Vec<usize>,
    reason: String,
}

impl Comparison<'_, '_> {
    /// Returns in what the statements differ.
    pub(super) fn finding(&self) -> Finding {
        let topic = self.topic();
        let mut differences = Vec::new();
        differences.extend(self.different_values());
        differences.extend(self.different_amounts());
        differences.extend(self.opposites());
        differences.extend(self.denial());
        differences.extend(self.different_modality());
        differences.extend(self.different_choices());
        let is_single = differences.len() == 1;
        let [(rest_a, names_a), (rest_b, names_b)] = match differences.first() {
            Some(first) => self.rest_apart_from(&first.words_a, &first.words_b),
            None => self.rest_apart_from(&[], &[]),
        };
        let (rest, names_in_rest) = ([rest_a, rest_b], [names_a, names_b]);
        let clean = differences.iter().position(|it| is_single && self.is_clean_but_for(it));
        match differences.into_iter().nth(clean.unwrap_or(0)) {
            Some(difference) => Finding {
                kind: difference.kind,
                is_clean: clean.is_some(),
                rest,
                names_in_rest,
                reason: match topic {
                    Some(topic) => format!("{} for `{topic}`", difference.reason),
                    None => difference.reason,
                },
            },
            None => Finding {
                kind: FindingKind::Other,
                is_clean: false,
                rest,
                names_in_rest,
                reason: match topic {
                    Some(topic) => format!("different statements on `{topic}`"),
                    None => String::new(),
                },
            },
        }
    }

    fn different_values(&self) -> Option<Difference> {
        let ((a, b), _) = self.differences.values.iter().find(|(_, is_explicit)| *is_explicit)?;
        Some(self.difference_of_words(FindingKind::KeyValue, *a, *b))
    }

    fn different_amounts(&self) -> Option<Difference> {
        let found = self.quantities.exclusive.first()?;
        let (a, b) = (&self.a.quantities[found.a], &self.b.quantities[found.b]);
        let is_key = |statement: &Statement<'_>, amount: &Quantity| {
            statement.key_values.iter().any(|it| it.is_explicit && it.value == amount.first)
        };
        let first_word =
            |it: &Statement<'_>, amount: &Quantity| it.tokens[amount.first].lower.clone();
        let is_same_number = first_word(self.a, a) == first_word(self.b, b);
        let kind = match a.dimension {
            Dimension::Version => FindingKind::Version,
            _ if is_key(self.a, a) && is_key(self.b, b) => FindingKind::KeyValue,
            _ if is_same_number => FindingKind::Unit,
            _ => FindingKind::Number,
        };
        let (text_a, text_b) = (self.a.text_of(a.first, a.last), self.b.text_of(b.first, b.last));
        Some(Difference {
            kind,
            words_a: (a.first..=a.last).collect(),
            words_b: (b.first..=b.last).collect(),
            reason: format!("`{text_a}` and `{text_b}`"),
        })
    }

    fn opposites(&self) -> Option<Difference> {
        let (a, b) = *self.differences.opposites.first()?;
        // A negation takes the opposition back: `not enabled` and `disabled`.
        let is_odd = self.a.polarity.negators % 2 != self.b.polarity.negators % 2;
        (!is_odd).then(|| self.difference_of_words(FindingKind::Negation, a, b))
    }

    fn denial(&self) -> Option<Difference> {
        if !self.differences.opposites.is_empty() {
            return None;
        }
        let is_odd = self.a.polarity.negators % 2 != self.b.polarity.negators % 2;
        let (a, b) = *self.differences.denied_in_one.first().filter(|_| is_odd)?;
        let is_in_a = self.a.polarity.is_denied[a];
        let (denying, at, other, other_at) =
            if is_in_a { (self.a, a, self.b, b) } else { (self.b, b, self.a, a) };
        let negator = (0..at).rfind(|at| is_negator(&denying.tokens, *at))?;
        let word = |statement: &Statement<'_>, at: usize| statement.tokens[at].text.to_owned();
        Some(Difference {
            kind: FindingKind::Negation,
            words_a: vec![],
            words_b: vec![],
            reason: format!(
                "`{} {}` and `{}`",
                word(denying, negator),
                word(denying, at),
                word(other, other_at)
            ),
        })
    }

    fn different_modality(&self) -> Option<Difference> {
        let (a, b) = (self.a.modality, self.b.modality);
        let (less, more) = (a.min(b), a.max(b));
        let excludes = matches!(
            (less, more),
            (Modality::Required, Modality::Permitted | Modality::NotRequired | Modality::Forbidden)
                | (Modality::Permitted, Modality::Forbidden)
        );
        excludes.then(|| Difference {
            kind: FindingKind::Modality,
            words_a: vec![],
            words_b: vec![],
            reason: format!("{} and {}", name(less), name(more)),
        })
    }

    fn different_choices(&self) -> Option<Difference> {
        let (a, b) = *self.differences.choices.first()?;
        Some(self.difference_of_words(FindingKind::Value, a, b))
    }

    fn difference_of_words(&self, kind: FindingKind, a: usize, b: usize) -> Difference {
        let (text_a, text_b) = (self.a.tokens[a].text, self.b.tokens[b].text);
        let reason = format!("`{text_a}` and `{text_b}`");
        Difference { kind, words_a: vec![a], words_b: vec![b], reason }
    }

    /// Returns whether the statements say the same apart from a difference.
    fn is_clean_but_for(&self, difference: &Difference) -> bool {
        let [(rest_a, _), (rest_b, _)] =
            self.rest_apart_from(&difference.words_a, &difference.words_b);
        let is_long = self.a.content.len() > self.alignment.best_a.len()
            || self.b.content.len() > self.alignment.best_b.len();
        let common = self.alignment.pairs.iter().filter(|pair| {
            pair.cosine >= SAME_MIN_COSINE
                && !difference.words_a.contains(&pair.a)
                && !difference.words_b.contains(&pair.b)
        });
        let is_same_quantity = |a: Quantifier, b: Quantifier| {
            let of = |it: Quantifier| match it {
                Quantifier::All => Quantifier::Plain,
                other => other,
            };
            of(a) == of(b)
        };
        let is_denial = difference.kind == FindingKind::Negation;
        rest_a + rest_b == 0
            && !is_long
            && common.count() >= SUBJECT_MIN_WORDS
            && self.differences.scopes.is_empty()
            && self.quantities.exclusive.len() <= 1
            && self.quantities.unmatched_a + self.quantities.unmatched_b == 0
            && has_condition(self.a.cues) == has_condition(self.b.cues)
            && (is_denial || is_same_quantity(self.a.quantifier, self.b.quantifier))
            && self.a.polarity.denying_words % 2 == self.b.polarity.denying_words % 2
            || is_denial && rest_a + rest_b == 0 && self.is_opposite_but_equal(difference)
    }

    /// Returns for each statement how many words the other one does not say, and how many of these are names; words that make
    /// a difference do not count.
    fn rest_apart_from(&self, words_a: &[usize], words_b: &[usize]) -> [(usize, usize); 2] {
        let rest = |statement: &Statement<'_>, words: &[usize], is_a: bool| {
            let cosine_of = |at: usize| {
                let mut pairs = self.alignment.pairs.iter();
                let pair = pairs.find(|pair| at == if is_a { pair.a } else { pair.b });
                pair.map_or(0.0, |pair| pair.cosine)
            };
            let is_rest = |at: &usize| {
                let is_name = statement.tokens[*at].is_name;
                !words.contains(at) && cosine_of(*at) < if is_name { 1.0 } else { SAME_MIN_COSINE }
            };
            let rest: Vec<usize> = statement.content.iter().copied().filter(is_rest).collect();
            let names = rest.iter().filter(|at| statement.tokens[**at].is_name).count();
            (rest.len(), names)
        };
        [rest(self.a, words_a, true), rest(self.b, words_b, false)]
    }

    /// Returns whether a word that denies is itself the difference: `the cache is on`, `the cache is off`.
    fn is_opposite_but_equal(&self, difference: &Difference) -> bool {
        let [a] = difference.words_a[..] else { return false };
        let equal = self.alignment.pairs.iter().filter(|pair| pair.cosine >= 1.0 && pair.a != a);
        equal.count() >= SUBJECT_MIN_WORDS
            && self.differences.scopes.is_empty()
            && self.differences.choices.is_empty()
            && self.quantities.unmatched_a + self.quantities.unmatched_b == 0
            && has_condition(self.a.cues) == has_condition(self.b.cues)
    }

    /// Returns what both statements are about: a phrase of the first one with the words that they have in common.
    fn topic(&self) -> Option<String> {
        let mut common: Vec<usize> = self
            .alignment
            .pairs
            .iter()
            .filter(|pair| pair.cosine >= SAME_MIN_COSINE)
            .map(|pair| pair.a)
            .collect();
        common.sort_unstable();
        let first = *common.first()?;
        let is_amount =
            |at: usize| self.a.quantities.iter().any(|it| (it.first..=it.last).contains(&at));
        let end = (first..first + TOPIC_MAX_WORDS).find(|at| is_amount(*at));
        let end = end.unwrap_or(first + TOPIC_MAX_WORDS);
        let last = *common.iter().rfind(|at| **at < end)?;
        Some(self.a.text_of(first, last).replace('`', ""))
    }
}

impl Statement<'_> {
    /// Returns the text from one word to another.
    fn text_of(&self, first: usize, last: usize) -> &str {
        &self.text[self.tokens[first].start..self.tokens[last].end()]
    }
}

fn name(modality: Modality) -> &'static str {
    match modality {
        Modality::Plain => "stated",
        Modality::Recommended => "recommended",
        Modality::Required => "required",
        Modality::Permitted => "allowed",
        Modality::NotRequired => "optional",
        Modality::Forbidden => "forbidden",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(a: &str, b: &str) -> Finding {
        let nearness = |_: &str, _: &str| 0.0;
        let (a, b) = (Statement::new(a), Statement::new(b));
        Comparison::new(&a, &b, &nearness).finding()
    }

    #[test]
    fn differences_are_named() {
        let of = |a: &str, b: &str| {
            let found = finding(a, b);
            (found.kind, found.is_clean, found.reason)
        };
        assert_eq!(
            of("The timeout of requests is 30 seconds", "The timeout of requests is 60 seconds"),
            (
                FindingKind::Number,
                true,
                "`30 seconds` and `60 seconds` for `timeout of requests`".into()
            )
        );
        assert_eq!(
            of("Telemetry in builds is enabled", "Telemetry in builds is disabled"),
            (
                FindingKind::Negation,
                true,
                "`enabled` and `disabled` for `Telemetry in builds`".into()
            )
        );
        assert_eq!(
            of("Cache the builds of CI", "Never cache the builds of CI"),
            (
                FindingKind::Negation,
                true,
                "`Never cache` and `Cache` for `Cache the builds of CI`".into()
            )
        );
        assert_eq!(of("`mode = fast`", "`mode = slow`").0, FindingKind::KeyValue);
        assert_eq!(
            of("Orders use Python 3.9 now", "Orders use Python 3.12 now").0,
            FindingKind::Version
        );
        assert_eq!(of("Tokens live ten minutes", "Tokens live ten days").0, FindingKind::Unit);
        assert_eq!(
            of("Orders are kept in Redis", "Orders are kept in Memcached").0,
            FindingKind::Value
        );
        assert_eq!(of("A tag must be signed", "A tag may be signed").0, FindingKind::Modality);
    }

    #[test]
    fn another_subject_or_scope_is_not_clean() {
        for (a, b) in [
            ("The billing service has 3 replicas", "The search service has 5 replicas"),
            ("Debug logging is on in staging", "Debug logging is off in production"),
            ("Requests time out after 30 s", "Uploads time out after 60 s"),
        ] {
            assert!(!finding(a, b).is_clean, "{a} / {b}");
        }
    }
}
