//! The numbers from which the model computes how likely two statements contradict each other.

use super::alignment::{Alignment, SYNONYM_MIN_COSINE};
use super::comparison::Comparison;
use super::cues::CUES;
use super::finding::Finding;
use super::modality::{MODALITIES, QUANTIFIERS};
use super::statement::Statement;
use super::unit::Dimension;
use super::verdict::FindingKind;

impl Comparison<'_, '_> {
    /// Returns the features, always in the same order.
    pub(super) fn features(&self, finding: &Finding) -> Features {
        self.add_all(Features { names: None, values: vec![] }, finding)
    }

    /// Returns the features with their names.
    pub(super) fn named_features(&self, finding: &Finding) -> Features {
        self.add_all(Features { names: Some(vec![]), values: vec![] }, finding)
    }

    fn add_all(&self, mut features: Features, finding: &Finding) -> Features {
        self.add_overlap(&mut features);
        self.add_places(&mut features);
        self.add_phrases(&mut features);
        self.add_names(&mut features);
        self.add_differences(&mut features);
        self.add_quantities(&mut features);
        self.add_classes(&mut features);
        self.add_cues(&mut features);
        add_finding(&mut features, finding);
        features
    }

    fn add_overlap(&self, features: &mut Features) {
        let Alignment { best_a, best_b, only_a, only_b, rest_max, rest_mean, pairs } =
            &self.alignment;
        let equal = pairs.iter().filter(|pair| pair.cosine >= 1.0).count();
        let near = pairs.iter().filter(|pair| (SYNONYM_MIN_COSINE..1.0).contains(&pair.cosine));
        let loose = pairs.iter().filter(|pair| pair.cosine < SYNONYM_MIN_COSINE);
        let all = self.a.content.len() + self.b.content.len();
        features.add("equal words", equal as f32);
        features.add("near words", near.count() as f32);
        features.add("loose words", loose.count() as f32);
        features.add("overlap", 2.0 * equal as f32 / all.max(1) as f32);
        features.add_both("other words", only_a.len() as f32, only_b.len() as f32);
        features.add_both("coverage", mean(best_a), mean(best_b));
        features.add_both("least", least(best_a), least(best_b));
        let uncovered = |best: &[f32]| best.iter().filter(|it| **it < SYNONYM_MIN_COSINE).count();
        features.add_both("uncovered", uncovered(best_a) as f32, uncovered(best_b) as f32);
        features.add("rest max", *rest_max);
        features.add("rest mean", *rest_mean);
        let nearest_rest = |only: &[usize], is_a: bool| -> f32 {
            let best = only.iter().map(|at| {
                let pair = pairs.iter().find(|pair| (if is_a { pair.a } else { pair.b }) == *at);
                pair.map_or(0.0, |pair| pair.cosine)
            });
            let best: Vec<f32> = best.collect();
            mean(&best)
        };
        features.add_both("rest nearest", nearest_rest(only_a, true), nearest_rest(only_b, false));
    }

    fn add_places(&self, features: &mut Features) {
        let Alignment { best_a, best_b, .. } = &self.alignment;
        let at = |best: &[f32], index: Option<usize>| index.map_or(0.0, |index| best[index]);
        features.add_both("first word", at(best_a, first(best_a)), at(best_b, first(best_b)));
        features.add_both("last word", at(best_a, last(best_a)), at(best_b, last(best_b)));
        let part = |statement: &Statement<'_>, best: &[f32], is_subject: bool| {
            let words = statement.content.iter().zip(best);
            let words = words.filter(|(at, _)| (**at < statement.subject_end) == is_subject);
            let best: Vec<f32> = words.map(|(_, best)| *best).collect();
            if best.is_empty() { -1.0 } else { mean(&best) }
        };
        features.add_both("subject", part(self.a, best_a, true), part(self.b, best_b, true));
        features.add_both("predicate", part(self.a, best_a, false), part(self.b, best_b, false));
        let in_subjects = self.alignment.pairs.iter().filter(|pair| {
            pair.cosine >= SYNONYM_MIN_COSINE
                && pair.a < self.a.subject_end
                && pair.b < self.b.subject_end
        });
        features.add("common in subjects", in_subjects.count() as f32);
        let is_reordered = self.alignment.pairs.windows(2).filter(|two| {
            let is_equal = two.iter().all(|pair| pair.cosine >= 1.0);
            is_equal && (two[0].a < two[1].a) != (two[0].b < two[1].b)
        });
        features.add("reordered", is_reordered.count() as f32);
    }

    /// Adds how many words of the phrases that name things or circumstances the other statement does not say: statements
    /// on different things, or for different circumstances, do not contradict each other.
    fn add_phrases(&self, features: &mut Features) {
        let is_said = |at: usize, is_a: bool| {
            let mut pairs = self.alignment.pairs.iter();
            let pair = pairs.find(|pair| at == if is_a { pair.a } else { pair.b });
            pair.is_some_and(|pair| pair.cosine >= SAID_MIN_COSINE)
        };
        let of_both = [phrases(self.a), phrases(self.b)];
        for (name, is_of) in PHRASES {
            let [a, b] = [(&of_both[0], true), (&of_both[1], false)].map(|(words, is_a)| {
                let words = words.iter().filter(|(_, phrase)| is_of.contains(phrase));
                let other = words.clone().filter(|(at, _)| !is_said(*at, is_a)).count();
                (other as f32, words.count() as f32)
            });
            features.add_both(&format!("other in {name}"), a.0, b.0);
            features.add_both(&format!("said in {name}"), a.1 - a.0, b.1 - b.0);
        }
    }

    fn add_names(&self, features: &mut Features) {
        let names = |statement: &Statement<'_>, only: &[usize]| {
            only.iter().filter(|at| statement.tokens[**at].is_name).count() as f32
        };
        let Alignment { only_a, only_b, pairs, .. } = &self.alignment;
        let common = pairs.iter().filter(|pair| {
            pair.cosine >= 1.0 && (self.a.tokens[pair.a].is_name || self.b.tokens[pair.b].is_name)
        });
        features.add("common names", common.count() as f32);
        features.add_both("other names", names(self.a, only_a), names(self.b, only_b));
        let replaced = pairs.iter().filter(|pair| {
            pair.cosine < 1.0 && self.a.tokens[pair.a].is_name && self.b.tokens[pair.b].is_name
        });
        features.add("replaced names", replaced.count() as f32);
    }

    fn add_differences(&self, features: &mut Features) {
        let found = &self.differences;
        features.add("opposites", found.opposites.len() as f32);
        features.add("choices", found.choices.len() as f32);
        features.add("scopes", found.scopes.len() as f32);
        features.add("common members", found.common_members as f32);
        features.add("values", found.values.len() as f32);
        let explicit = found.values.iter().filter(|(_, is_explicit)| *is_explicit);
        features.add("explicit values", explicit.count() as f32);
        features.add("denied in one", found.denied_in_one.len() as f32);
        features.add("denied in both", found.denied_in_both as f32);
        features.add("in denied clause of one", found.in_denied_clause_of_one as f32);
        features.add_both("denied only", found.denied_only_a as f32, found.denied_only_b as f32);
        let (a, b) = (&self.a.polarity, &self.b.polarity);
        features.add_both("negators", a.negators as f32, b.negators as f32);
        features.add_both("denying words", a.denying_words as f32, b.denying_words as f32);
        let differs = a.is_odd() != b.is_odd();
        features.add("polarity differs", f32::from(u8::from(differs)));
        let is_odd = found.opposites.len() % 2 == 1;
        features.add("polarity and opposites differ", f32::from(u8::from(differs != is_odd)));
        let scope_in_subjects = found
            .scopes
            .iter()
            .chain(&found.choices)
            .filter(|(at_a, at_b)| *at_a < self.a.subject_end && *at_b < self.b.subject_end);
        features.add("members in subjects differ", scope_in_subjects.count() as f32);
        let explicit = |statement: &Statement<'_>| {
            statement.key_values.iter().filter(|pair| pair.is_explicit).count() as f32
        };
        features.add_both("key values", explicit(self.a), explicit(self.b));
    }

    fn add_quantities(&self, features: &mut Features) {
        let found = &self.quantities;
        let (a, b) = (&self.a.quantities, &self.b.quantities);
        features.add_both("amounts", a.len() as f32, b.len() as f32);
        features.add("equal amounts", found.equal as f32);
        features.add("compatible amounts", found.compatible as f32);
        features.add("compatible context", found.compatible_context);
        features.add("equal context", found.equal_context);
        features.add("exclusive amounts", found.exclusive.len() as f32);
        features.add("exclusive context", found.exclusive.first().map_or(-1.0, |it| it.context));
        features.add_both("unmatched", found.unmatched_a as f32, found.unmatched_b as f32);
        let of = |dimensions: &[Dimension]| {
            let exclusive = found.exclusive.iter();
            exclusive.filter(|it| dimensions.contains(&a[it.a].dimension)).count() as f32
        };
        features.add("exclusive counts", of(&[Dimension::Count]));
        features.add("exclusive times", of(&[Dimension::Time, Dimension::Rate]));
        features.add("exclusive versions", of(&[Dimension::Version]));
        let ratio = found.exclusive.first().map_or(0.0, |it| {
            let (one, other) = (a[it.a].high.abs(), b[it.b].high.abs());
            (one.max(other) / one.min(other).max(1e-12)).log10().min(6.0)
        });
        features.add("exclusive ratio", ratio as f32);
    }

    fn add_classes(&self, features: &mut Features) {
        let pair = |x: usize, y: usize| (x.min(y), x.max(y));
        let modalities = pair(self.a.modality as usize, self.b.modality as usize);
        for (i, one) in MODALITIES.iter().enumerate() {
            for (j, other) in MODALITIES.iter().enumerate().skip(i) {
                features.add_named(
                    || format!("modality {one:?} {other:?}"),
                    f32::from(u8::from(modalities == (i, j))),
                );
            }
        }
        let quantifiers = pair(self.a.quantifier as usize, self.b.quantifier as usize);
        for (i, one) in QUANTIFIERS.iter().enumerate() {
            for (j, other) in QUANTIFIERS.iter().enumerate().skip(i) {
                features.add_named(
                    || format!("quantifier {one:?} {other:?}"),
                    f32::from(u8::from(quantifiers == (i, j))),
                );
            }
        }
    }

    fn add_cues(&self, features: &mut Features) {
        for (number, cue) in CUES.iter().enumerate() {
            let (in_a, in_b) = (self.a.cues.has(number), self.b.cues.has(number));
            features.add_named(|| format!("one has {cue}"), f32::from(u8::from(in_a != in_b)));
            features.add_named(|| format!("both have {cue}"), f32::from(u8::from(in_a && in_b)));
        }
    }
}

/// The cosine from which a word of the other statement says the same.
const SAID_MIN_COSINE: f32 = 0.7;

/// A kind of phrase that a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phrase {
    /// After an article or a word like it.
    Named,
    /// After `of`.
    Part,
    /// After another preposition.
    Circumstance,
}

/// The kinds of phrases, with their names in features.
const PHRASES: [(&str, &[Phrase]); 3] = [
    ("named things", &[Phrase::Named, Phrase::Part]),
    ("parts", &[Phrase::Part]),
    ("circumstances", &[Phrase::Circumstance]),
];

/// Returns the words of phrases with the kinds of these. A phrase goes on up to the next word that says nothing.
fn phrases(statement: &Statement<'_>) -> Vec<(usize, Phrase)> {
    let mut found = Vec::new();
    let (mut phrase, mut clause) = (None, 0);
    let is_amount =
        |at: usize| statement.quantities.iter().any(|it| (it.first..=it.last).contains(&at));
    for (at, token) in statement.tokens.iter().enumerate() {
        if token.clause != clause {
            (phrase, clause) = (None, token.clause);
        }
        match token.lower.as_str() {
            "the" | "a" | "an" | "our" | "its" | "their" | "each" | "every" | "all" | "this" => {
                phrase = phrase.or(Some(Phrase::Named));
            }
            "of" => phrase = Some(Phrase::Part),
            "in" | "on" | "for" | "at" | "during" | "before" | "after" | "since" | "under"
            | "by" | "from" | "to" | "with" => phrase = Some(Phrase::Circumstance),
            _ if token.is_content() && !is_amount(at) => {
                found.extend(phrase.map(|phrase| (at, phrase)));
            }
            _ => phrase = None,
        }
    }
    found
}

fn add_finding(features: &mut Features, finding: &Finding) {
    features.add("is clean", f32::from(u8::from(finding.is_clean)));
    let [rest_a, rest_b] = finding.rest.map(|count| count as f32);
    features.add_both("rest", rest_a, rest_b);
    let [names_a, names_b] = finding.names_in_rest.map(|count| count as f32);
    features.add_both("names in rest", names_a, names_b);
    for kind in FindingKind::ALL {
        let is_kind = f32::from(u8::from(finding.kind == kind));
        features.add_named(|| format!("finding {kind}"), is_kind);
    }
}

/// Numbers with names.
#[derive(Debug)]
pub(super) struct Features {
    /// The names, if they are wanted.
    pub(super) names: Option<Vec<String>>,
    pub(super) values: Vec<f32>,
}

impl Features {
    fn add(&mut self, name: &str, value: f32) {
        self.add_named(|| name.to_owned(), value);
    }

    fn add_named(&mut self, name: impl FnOnce() -> String, value: f32) {
        if let Some(names) = &mut self.names {
            names.push(name());
        }
        self.values.push(value);
    }

    /// Adds the lesser and the greater of two numbers, so that the order of the statements does not matter.
    fn add_both(&mut self, name: &str, a: f32, b: f32) {
        self.add_named(|| format!("less {name}"), a.min(b));
        self.add_named(|| format!("more {name}"), a.max(b));
    }
}

fn mean(numbers: &[f32]) -> f32 {
    if numbers.is_empty() { 0.0 } else { numbers.iter().sum::<f32>() / numbers.len() as f32 }
}

fn least(numbers: &[f32]) -> f32 {
    if numbers.is_empty() { 0.0 } else { numbers.iter().copied().fold(1.0, f32::min) }
}

fn first(numbers: &[f32]) -> Option<usize> {
    (!numbers.is_empty()).then_some(0)
}

fn last(numbers: &[f32]) -> Option<usize> {
    numbers.len().checked_sub(1)
}
