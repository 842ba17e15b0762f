//! Judges which of the memories in an agent's context it used, by what it said and did afterwards.
//!
//! A memory is cited if the work names it, contains identifiers of it (paths, code, numbers), or enough of its distinctive
//! words close together. Words of the task, of the user and of several injected memories say little: the agent would have
//! used them anyway. A memory that the agent contradicts was used too.

mod identifiers;
mod work;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::recall::{is_stop_word, terms};
use identifiers::Identifiers;

pub use work::AgentWork;

/// The evidence from which on a memory is cited.
const MIN_EVIDENCE: f64 = 0.7;

/// The evidence of the id of a memory.
const NAMED_EVIDENCE: f64 = 3.0;

/// The evidence of an identifier that only this memory has.
const IDENTIFIER_EVIDENCE: f64 = 1.0;

/// The factor on the weight of a word that most texts about software have.
const COMMON_WORD_FACTOR: f64 = 0.3;

/// The factor on the weight of a word that another injected memory has too.
const SHARED_WORD_FACTOR: f64 = 0.4;

/// The least share of the weight of a memory's words that a passage of the work must have, and the least weight.
const MIN_SHARE_NEARBY: f64 = 0.34;
const MIN_WEIGHT_NEARBY: f64 = 1.5;

/// The same for the whole of the work, in which words come together by chance.
const MIN_SHARE_ANYWHERE: f64 = 0.55;
const MIN_WEIGHT_ANYWHERE: f64 = 2.4;

/// The most evidence of words.
const MAX_WORD_EVIDENCE: f64 = 2.0;

/// The least number of words.
const MIN_WORDS: usize = 2;

/// Words that most texts about software and work have.
const COMMON_WORDS: &str = "accept add all allow already also always another answer any app apply ask available avoid back \
    because before begin behaviour between both break bug build call case change check choose class clean clear client code \
    come command commit common complete config configure contain copy correct count create current data date day default \
    define delete describe detail different directly disable do document each edit empty enable end ensure entry error even \
    every example exist existing expect fail feature field file fill find first fix folder follow format found full function \
    general get give go good group handle happen help high hold hour however id ignore implement improve include input insert \
    inside install instead integration issue item job keep key know large last late later layer leave less let level library \
    like limit line link list live load local log long look low make many match mean message method migrate minute miss mode \
    module month more most move much name need never new next none note now number object off old once one only open option \
    order other output own package page part pass path people per place plan please point possible prefer present print \
    problem process product production program project provide public pull push put query question read ready reason record \
    reduce refactor release remain remove rename replace report request require result return review right row rule run same \
    save schema script second section see select send separate server service set setting several share should show side \
    simple single small source split stage staging start state status stay step still stop store string support sure switch \
    system table take task team tell test text than thing through time today together tool top total touch track try turn \
    two type unit until update upgrade use user value variable version view want warn way week well whole without word work \
    worker write wrong year yet";

static COMMON_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| terms(COMMON_WORDS).into_iter().collect());

/// A memory that was part of a context.
#[derive(Debug, Clone)]
pub struct InjectedText<'m> {
    /// The forms of its id by which an agent may name it.
    pub ids: Vec<&'m str>,
    /// The text that the agent saw.
    pub text: &'m str,
    /// The first line of the transcript after it was injected.
    pub first_line: usize,
}

/// Whether a memory was used, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether it was used.
    pub is_cited: bool,
    /// How much says so; from 0.7 on it was used.
    pub score: f64,
    /// What of it the work contains: its id, identifiers or words.
    pub evidence: Vec<String>,
}

/// What is known about the words of a conversation besides the injected memories.
pub struct CitationContext<'c> {
    /// The tasks that the contexts were assembled for, and what the user said.
    pub asked: &'c str,
    /// How rare a term is among the memories of the workspace, 0 to 1.
    pub rarity: &'c dyn Fn(&str) -> f64,
}

/// Judges memories by what the agent did.
pub fn judge(
    memories: &[InjectedText<'_>],
    work: &AgentWork,
    context: &CitationContext<'_>,
) -> Vec<Verdict> {
    let work = work.without_repeated_context(memories);
    let asked_terms: HashSet<String> = terms(context.asked).into_iter().collect();
    let asked_identifiers = Identifiers::of(context.asked);
    let described: Vec<Described> = memories.iter().map(|memory| Described::new(memory)).collect();
    let mut word_counts: HashMap<&str, usize> = HashMap::new();
    let mut identifier_counts: HashMap<&str, usize> = HashMap::new();
    for described in &described {
        described.words.iter().for_each(|word| *word_counts.entry(word).or_default() += 1);
        let names = described.identifiers.iter();
        names.for_each(|name| *identifier_counts.entry(name).or_default() += 1);
    }
    let weight = |word: &str| -> f64 {
        if asked_terms.contains(word) {
            return 0.0;
        }
        let common = if COMMON_TERMS.contains(word) { COMMON_WORD_FACTOR } else { 1.0 };
        let is_shared = word_counts.get(word).is_some_and(|count| *count > 1);
        let shared = if is_shared { SHARED_WORD_FACTOR } else { 1.0 };
        (context.rarity)(word).clamp(0.0, 1.0) * common * shared
    };
    let judge_one = |(memory, described): (&InjectedText<'_>, &Described)| {
        let units = work.units_after(memory.first_line);
        let named = memory.ids.iter().find(|id| units.iter().any(|unit| unit.names(id)));
        if let Some(id) = named {
            return Verdict {
                is_cited: true,
                score: NAMED_EVIDENCE,
                evidence: vec![(*id).to_owned()],
            };
        }
        let mut found: Vec<String> = Vec::new();
        let mut evidence = 0.0;
        for name in described.identifiers.iter().filter(|name| !asked_identifiers.contains(name)) {
            if units.iter().any(|unit| unit.has(name)) {
                let sharers = identifier_counts.get(name).copied().unwrap_or(1) as f64;
                evidence += IDENTIFIER_EVIDENCE / sharers;
                found.push(name.to_owned());
            }
        }
        let (of_words, words) = described.word_evidence(&units, &weight);
        found.extend(words);
        let score = evidence + of_words;
        Verdict { is_cited: score >= MIN_EVIDENCE, score, evidence: found }
    };
    memories.iter().zip(&described).map(judge_one).collect()
}

/// What is looked for of a memory.
struct Described {
    identifiers: Identifiers,
    /// The terms of its words, each once.
    words: Vec<String>,
}

impl Described {
    fn new(memory: &InjectedText<'_>) -> Self {
        let text = without_pointer(memory);
        let mut words: Vec<String> = Vec::new();
        for term in terms(text) {
            let is_word = term.len() > 2 && term.chars().all(char::is_alphabetic);
            if is_word && !is_stop_word(&term) && !words.contains(&term) {
                words.push(term);
            }
        }
        Described { identifiers: Identifiers::of(text), words }
    }

    /// Returns the evidence of the words, and which were found.
    fn word_evidence(
        &self,
        units: &[&work::WorkUnit],
        weight: &dyn Fn(&str) -> f64,
    ) -> (f64, Vec<String>) {
        let weighed: Vec<(&str, f64)> =
            self.words.iter().map(|word| (word.as_str(), weight(word))).collect();
        let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
        if total <= 0.0 {
            return (0.0, vec![]);
        }
        let sum_of = |has: &dyn Fn(&str) -> bool| -> (f64, Vec<&str>) {
            let found = weighed.iter().filter(|(word, weight)| *weight > 0.0 && has(word));
            let found: Vec<(&str, f64)> = found.copied().collect();
            let sum = found.iter().map(|(_, weight)| weight).sum();
            (sum, found.into_iter().map(|(word, _)| word).collect())
        };
        let evidence = |(sum, words): &(f64, Vec<&str>), min_share: f64, min_weight: f64| {
            if words.len() < MIN_WORDS {
                return 0.0;
            }
            (sum / total / min_share).min(sum / min_weight).min(MAX_WORD_EVIDENCE)
        };
        let nearby = units.iter().map(|unit| sum_of(&|word| unit.terms.contains(word)));
        let nearby = nearby.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        let anywhere = sum_of(&|word| units.iter().any(|unit| unit.terms.contains(word)));
        let of_nearby = evidence(&nearby, MIN_SHARE_NEARBY, MIN_WEIGHT_NEARBY);
        let of_anywhere = evidence(&anywhere, MIN_SHARE_ANYWHERE, MIN_WEIGHT_ANYWHERE);
        let found = if of_nearby >= of_anywhere { nearby.1 } else { anywhere.1 };
        (of_nearby.max(of_anywhere), found.into_iter().map(str::to_owned).collect())
    }
}

/// Returns the text of a memory without the id at its end.
fn without_pointer<'m>(memory: &InjectedText<'m>) -> &'m str {
    let text = memory.text.trim_end();
    let pointer = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    match pointer {
        Some((before, pointer)) if memory.ids.contains(&pointer) => before,
        _ => text,
    }
}
