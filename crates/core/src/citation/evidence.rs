//! What says that an agent used a memory, and how likely that makes it.

use std::collections::{HashMap, HashSet};

use super::code_names::all_names;
use super::common_words::is_common_term;
use super::described::Described;
use super::values::numbers_in;
use super::work::{RepeatedContext, WorkUnit, WorkUnits};
use super::{AgentWork, CitationContext, InjectedText};
use crate::embedding::{EmbedError, Embedder};
use crate::recall::terms;

/// The factor on the weight of a word that most texts about software have.
const COMMON_WORD_FACTOR: f64 = 0.3;

/// The factor on the weight of a word that another injected memory has too.
const SHARED_WORD_FACTOR: f64 = 0.4;

/// The weight of words beside a number from which on they surely mean the same number.
const FULL_VALUE_CONTEXT: f64 = 1.0;

/// The evidence of a value from which on it is reported.
const MIN_REPORTED_VALUE: f64 = 0.3;

/// A sentence with fewer words has no meaning to compare.
const MIN_SENTENCE_WORDS: usize = 4;

/// A feature counts at most so much: the likelihood is near one by then.
const MAX_FEATURE: f64 = 3.0;

/// The means of the two features that are compared within a session, over many sessions, and how many memories of the
/// session they weigh as much as.
const MEAN_SIMILARITY: f64 = 0.415;
const MEAN_SHARE_IN_PASSAGE: f64 = 0.28;
const WEIGHT_OF_MEANS: f64 = 12.0;

/// What is found of a memory in the work of an agent.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Whether the work names its id.
    is_named: bool,
    /// The names in code that the work has, each divided by the memories that have it.
    names: f64,
    /// The values that stand beside words of the memory, by how specific they are.
    values: f64,
    /// The values that stand anywhere.
    values_anywhere: f64,
    /// The weight of its words in the best passage, without those of the task.
    words: f64,
    /// The share of all its words, by weight, that one passage has.
    share_in_passage: f64,
    /// The highest cosine of a sentence of the work.
    similarity: f64,
    /// The logarithm of its number of words: a longer memory is rarely found whole.
    length: f64,
    /// What was found, for people.
    pub(super) found: Vec<String>,
}

impl Evidence {
    /// Returns how likely the memory was used: a logistic regression on judged memories of six authors. Trained on five of
    /// them it is right on 0.87 to 0.96 of the memories of the sixth, and on 0.80 of one who planted coincidences.
    pub(super) fn likelihood(&self, base: &BaseLevel) -> f64 {
        if self.is_named {
            return 1.0;
        }
        let weighted = [
            (2.6, self.names),
            (1.8, self.values),
            (1.5, self.values_anywhere),
            (1.05, self.words),
            (4.2, self.share_in_passage - base.share_in_passage),
            (5.7, self.similarity - base.similarity),
            (1.65, self.length),
        ];
        let features = weighted.iter().map(|(weight, feature)| weight * feature.min(MAX_FEATURE));
        1.0 / (1.0 + (4.7 - features.sum::<f64>()).exp())
    }
}

/// What the memories of a session have in common with its work on the average, since it is about one topic.
#[derive(Debug)]
pub(super) struct BaseLevel {
    share_in_passage: f64,
    similarity: f64,
}

impl BaseLevel {
    pub(super) fn of(found: &[Evidence]) -> Self {
        let mean = |usual: f64, feature: fn(&Evidence) -> f64| {
            let sum: f64 = found.iter().map(feature).sum();
            (sum + WEIGHT_OF_MEANS * usual) / (found.len() as f64 + WEIGHT_OF_MEANS)
        };
        BaseLevel {
            share_in_passage: mean(MEAN_SHARE_IN_PASSAGE, |it| it.share_in_passage),
            similarity: mean(MEAN_SIMILARITY, |it| it.similarity),
        }
    }
}

/// The work of an agent, prepared to look for memories.
pub(super) struct Search<'s> {
    /// What is looked for of each memory.
    pub(super) memories: Vec<Described>,
    work: WorkUnits,
    /// The vectors of the sentences of the work, with their lines in the transcript.
    sentences: Vec<(usize, Vec<f32>)>,
    asked_terms: HashSet<String>,
    asked_names: HashSet<String>,
    asked_numbers: Vec<f64>,
    /// How many of the memories have a word, and a name.
    word_counts: HashMap<String, usize>,
    name_counts: HashMap<String, usize>,
    rarity: &'s dyn Fn(&str) -> f64,
    /// The rarity of the rarest word of the memories, which depends on the size of the workspace.
    max_rarity: f64,
    embedder: &'s dyn Embedder,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        memories: &[InjectedText<'_>],
        work: &AgentWork,
        context: &CitationContext<'s>,
    ) -> Result<Self, EmbedError> {
        let repeated = RepeatedContext::new(memories);
        let work = work.divide(&repeated);
        let asked: Vec<String> =
            context.asked.iter().map(|text| repeated.removed_from(text)).collect();
        let asked = asked.join("\n");
        let memories: Vec<Described> = memories.iter().map(Described::new).collect();
        let mut word_counts: HashMap<String, usize> = HashMap::new();
        let mut name_counts: HashMap<String, usize> = HashMap::new();
        for described in &memories {
            for word in &described.words {
                *word_counts.entry(word.clone()).or_default() += 1;
            }
            for name in described.names.keys() {
                *name_counts.entry(name.clone()).or_default() += 1;
            }
        }
        let rarities = word_counts.keys().map(|word| (context.rarity)(word));
        let max_rarity = rarities.fold(f64::MIN_POSITIVE, f64::max);
        Ok(Search {
            memories,
            sentences: embed_sentences(&work, context.embedder)?,
            work,
            asked_terms: terms(&asked).into_iter().collect(),
            asked_names: all_names(&asked),
            asked_numbers: numbers_in(&asked),
            word_counts,
            name_counts,
            rarity: context.rarity,
            max_rarity,
            embedder: context.embedder,
        })
    }

    /// Looks for a memory in what the agent did after it was injected.
    pub(super) fn evidence(
        &self,
        memory: &InjectedText<'_>,
        described: &Described,
    ) -> Result<Evidence, EmbedError> {
        let units = self.work.units_after(memory.first_line);
        let mut evidence =
            Evidence { length: (described.words.len() as f64).ln_1p(), ..Evidence::default() };
        if let Some(id) = memory.ids.iter().find(|id| units.iter().any(|unit| unit.names(id))) {
            evidence.is_named = true;
            evidence.found.push((*id).to_owned());
        }
        self.add_names(described, &units, &mut evidence);
        self.add_values(described, &units, &mut evidence);
        self.add_words(described, &units, &mut evidence);
        let vector = self.embedder.embed_one(memory.without_id())?;
        let after = self.sentences.iter().filter(|(line, _)| *line >= memory.first_line);
        evidence.similarity = after.map(|(_, it)| cosine(it, &vector)).fold(0.0, f64::max);
        Ok(evidence)
    }

    fn add_names(&self, described: &Described, units: &[&WorkUnit], found: &mut Evidence) {
        let own = described.names.iter();
        for (name, written) in own.filter(|(name, _)| !self.asked_names.contains(*name)) {
            if units.iter().any(|unit| unit.names.contains(name)) {
                let sharers = self.name_counts.get(name).copied().unwrap_or(1);
                found.names += 1.0 / sharers as f64;
                found.found.push(written.clone());
            }
        }
    }

    fn add_values(&self, described: &Described, units: &[&WorkUnit], found: &mut Evidence) {
        let own = described.values.iter();
        for value in own.filter(|value| !self.asked_numbers.contains(&value.number())) {
            let (mut beside_words, mut anywhere): (f64, f64) = (0.0, 0.0);
            for line in units.iter().flat_map(|unit| &unit.lines_with_numbers) {
                let specificity = value.specificity_among(&line.numbers);
                let context = self.weight_in(described, &line.terms).min(FULL_VALUE_CONTEXT);
                beside_words = beside_words.max(specificity * context);
                anywhere = anywhere.max(specificity);
            }
            found.values += beside_words;
            found.values_anywhere += anywhere;
            if beside_words >= MIN_REPORTED_VALUE {
                found.found.push(value.written.clone());
            }
        }
    }

    fn add_words(&self, described: &Described, units: &[&WorkUnit], found: &mut Evidence) {
        let total: f64 = described.words.iter().map(|word| self.weight(word)).sum();
        let in_passages = units.iter().map(|unit| self.weight_in(described, &unit.terms));
        if total > 0.0 {
            found.share_in_passage = in_passages.fold(0.0, f64::max) / total;
        }
        let distinctive = |unit: &&&WorkUnit| -> f64 {
            let words = self.distinctive_words(described, unit);
            words.map(|word| self.weight(word)).sum()
        };
        let best = units.iter().max_by(|a, b| distinctive(a).total_cmp(&distinctive(b)));
        if let Some(best) = best {
            found.words = distinctive(&best);
            found.found.extend(self.distinctive_words(described, best).cloned());
        }
    }

    /// Returns the words of a memory that a passage has, and the task has not.
    fn distinctive_words<'d>(
        &'d self,
        described: &'d Described,
        unit: &'d WorkUnit,
    ) -> impl Iterator<Item = &'d String> {
        let words = described.words.iter().filter(|word| unit.terms.contains(*word));
        words.filter(|word| !self.asked_terms.contains(*word))
    }

    /// Returns the weight of the words of a memory that are among some terms.
    fn weight_in(&self, described: &Described, terms: &HashSet<String>) -> f64 {
        let words = described.words.iter().filter(|word| terms.contains(*word));
        words.map(|word| self.weight(word)).sum()
    }

    /// Returns how much a word says about which memory is meant, 0 to 1.
    fn weight(&self, word: &str) -> f64 {
        let common = if is_common_term(word) { COMMON_WORD_FACTOR } else { 1.0 };
        let is_shared = self.word_counts.get(word).is_some_and(|count| *count > 1);
        let shared = if is_shared { SHARED_WORD_FACTOR } else { 1.0 };
        ((self.rarity)(word) / self.max_rarity).max(0.0) * common * shared
    }
}

fn embed_sentences(
    work: &WorkUnits,
    embedder: &dyn Embedder,
) -> Result<Vec<(usize, Vec<f32>)>, EmbedError> {
    let units = work.units_after(0);
    let sentences = units.iter().flat_map(|unit| unit.sentences().map(|text| (unit.line, text)));
    let (lines, texts): (Vec<usize>, Vec<&str>) =
        sentences.filter(|(_, text)| text.split_whitespace().count() >= MIN_SENTENCE_WORDS).unzip();
    let mut vectors = Vec::with_capacity(texts.len());
    embedder.embed(&texts, &mut |vector| vectors.push(vector.to_vec()))?;
    Ok(lines.into_iter().zip(vectors).collect())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}
