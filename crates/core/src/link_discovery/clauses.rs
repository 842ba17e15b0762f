//! Finds the memory that states what a clause of another memory says: `… because the queue drops messages`.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{LinkRole, LinkableMemory, SENTENCE_MAX_BYTES};
use crate::compression::is_negation;
use crate::prose::split_sentences;
use crate::recall::{is_stop_word, terms};
use crate::record::Relation;

/// A clause of a memory, with the relation of the memory to what the clause says.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// The memory.
    pub(super) source: usize,
    /// The relation.
    pub(super) relation: Relation,
    /// Where the sentence that contains it stands in the text of the memory, in bytes.
    pub(super) sentence: Range<usize>,
    terms: Vec<String>,
    numbers: Vec<String>,
    is_negated: bool,
}

/// The memory that states what a clause says.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClauseMatch {
    pub(super) target: usize,
    /// How likely the two mean the same, from 0 to 1.
    pub(super) confidence: f64,
}

/// The phrases that begin a clause, with the relation of the sentence to it.
const OPENINGS: &[(&str, Relation)] = &[
    ("because of", Relation::MotivatedBy),
    ("because", Relation::MotivatedBy),
    ("due to", Relation::MotivatedBy),
    ("owing to", Relation::MotivatedBy),
    ("as a result of", Relation::MotivatedBy),
    ("motivated by", Relation::MotivatedBy),
    ("now that", Relation::MotivatedBy),
    ("since we moved to", Relation::MotivatedBy),
    ("since we switched to", Relation::MotivatedBy),
    ("after we moved to", Relation::MotivatedBy),
    ("after we switched to", Relation::MotivatedBy),
    ("after moving to", Relation::MotivatedBy),
    ("after switching to", Relation::MotivatedBy),
    ("depends on", Relation::DependsOn),
    ("depend on", Relation::DependsOn),
    ("requires", Relation::DependsOn),
    ("relies on", Relation::DependsOn),
    ("rely on", Relation::DependsOn),
    ("builds on", Relation::DependsOn),
    ("only works with", Relation::DependsOn),
    ("only works if", Relation::DependsOn),
    ("instead of", Relation::Replaces),
    ("rather than", Relation::Replaces),
    ("in place of", Relation::Replaces),
    ("replaces", Relation::Replaces),
    ("so that", Relation::Enables),
    ("enables", Relation::Enables),
    ("makes it possible to", Relation::Enables),
    ("needed for", Relation::Enables),
    ("prerequisite for", Relation::Enables),
    ("unblocks", Relation::Enables),
];

/// The fewest and the most terms of a clause that is looked for.
const MIN_TERMS: usize = 3;
const MAX_TERMS: usize = 24;

/// The share of the weight of a clause that the other statement contains, at least.
const MIN_COVERAGE: f64 = 0.75;

/// The share of the terms of the other statement that the clause contains, at least: a long statement says more.
const MIN_REVERSE_COVERAGE: f64 = 0.4;

/// How much better the best statement fits than the next one, at least.
const MIN_LEAD: f64 = 0.1;

/// The most clauses of a memory that are looked for: the first ones.
const MAX_CLAUSES: usize = 16;

/// A term of more statements finds none of them, but still counts in their comparison.
const MAX_POSTINGS: usize = 400;

/// Verbs that say nothing about a subject.
const GENERIC_TERMS: [&str; 18] = [
    "use", "add", "make", "keep", "need", "need", "get", "set", "new", "one", "go", "only", "also",
    "all", "any", "each", "support", "allow",
];

/// The confidence in a statement that contains all of a clause.
const FULL_CONFIDENCE: f64 = 0.8;

/// Words that begin a clause which says what may be, and not what is.
const CONDITIONS: [&str; 5] = ["if", "whether", "when", "unless", "how"];

/// Words after which a statement must go on.
const OPEN_ENDS: [&str; 6] = ["is", "are", "was", "were", "that", "be"];

/// Returns the clauses of a memory.
pub(super) fn clauses_of(at: usize, memory: &LinkableMemory) -> Vec<Clause> {
    let mut found = Vec::new();
    if matches!(memory.role, LinkRole::DecisionRecord | LinkRole::Document) {
        return found;
    }
    for sentence in readable_sentences(&memory.text) {
        let start = sentence.as_ptr() as usize - memory.text.as_ptr() as usize;
        for (relation, range) in openings(sentence) {
            let clause = &sentence[range.end..];
            let numbers = numbers_of(clause);
            let end = clause.find([';', ':', '(', ')', '—']).unwrap_or(clause.len());
            let clause = &clause[..end];
            let is_condition =
                clause.split_whitespace().next().is_some_and(|word| CONDITIONS.contains(&word));
            let terms = content_terms(clause);
            if (MIN_TERMS..=MAX_TERMS).contains(&terms.len()) && !is_condition {
                found.push(Clause {
                    source: at,
                    relation,
                    sentence: start..start + sentence.len(),
                    terms,
                    numbers,
                    is_negated: is_negated(clause),
                });
            }
            if found.len() == MAX_CLAUSES {
                return found;
            }
        }
    }
    found
}

/// Returns the sentences of a text that are short enough to be read.
fn readable_sentences(text: &str) -> impl Iterator<Item = &str> {
    let sentences = text.lines().flat_map(split_sentences);
    sentences.filter(|sentence| sentence.len() <= SENTENCE_MAX_BYTES)
}

/// Returns where clauses begin in a sentence; of phrases at one place the longest, and none that is denied.
fn openings(sentence: &str) -> Vec<(Relation, Range<usize>)> {
    let lower = sentence.to_lowercase();
    if lower.len() != sentence.len() {
        return vec![];
    }
    let is_word_start =
        |at: usize| !lower[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
    let is_word_end =
        |at: usize| !lower[at..].starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let is_denied = |at: usize| lower[..at].split_whitespace().next_back().is_some_and(is_negation);
    let mut found: Vec<(Relation, Range<usize>)> = Vec::new();
    for (phrase, relation) in OPENINGS {
        for (at, _) in lower.match_indices(phrase) {
            let range = at..at + phrase.len();
            let is_known = found.iter().any(|(_, known)| known.start <= at && at < known.end);
            if is_word_start(at) && is_word_end(range.end) && !is_denied(at) && !is_known {
                found.push((*relation, range));
            }
        }
    }
    found
}

fn is_negated(text: &str) -> bool {
    text.split_whitespace().any(is_negation)
}

/// Returns the words of a text that contain a digit.
fn numbers_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '/'));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    words.filter(|word| word.contains(|c: char| c.is_numeric())).collect()
}

/// Returns the stems of the words of a text that say something about a subject, each once.
fn content_terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for term in terms(text) {
        let is_content = !is_stop_word(&term)
            && !GENERIC_TERMS.contains(&term.as_str())
            && term.chars().any(char::is_alphabetic);
        if is_content && !found.contains(&term) {
            found.push(term);
        }
    }
    found
}

/// The statements of memories that contain terms of clauses.
pub(super) struct StatementIndex {
    statements: Vec<Statement>,
    postings: FxHashMap<String, Vec<usize>>,
    memory_count: usize,
}

struct Statement {
    memory: usize,
    terms: FxHashSet<String>,
    numbers: Vec<String>,
    is_negated: bool,
}

impl StatementIndex {
    /// Indexes what memories state, as far as clauses ask for it.
    pub(super) fn new(memories: &[LinkableMemory], clauses: &[Clause]) -> Self {
        let wanted: FxHashSet<&str> =
            clauses.iter().flat_map(|clause| clause.terms.iter().map(String::as_str)).collect();
        let mut index = StatementIndex {
            statements: vec![],
            postings: FxHashMap::default(),
            memory_count: memories.len(),
        };
        if wanted.is_empty() {
            return index;
        }
        for (at, memory) in memories.iter().enumerate().filter(|(_, memory)| memory.is_current) {
            for statement in main_statements(memory) {
                let terms = content_terms(&statement);
                let asked: Vec<&String> =
                    terms.iter().filter(|term| wanted.contains(term.as_str())).collect();
                if asked.len() < 2 {
                    continue;
                }
                for term in asked {
                    index.postings.entry(term.clone()).or_default().push(index.statements.len());
                }
                index.statements.push(Statement {
                    memory: at,
                    terms: terms.into_iter().collect(),
                    numbers: numbers_of(&statement),
                    is_negated: is_negated(&statement),
                });
            }
        }
        index
    }

    /// Returns the memory that states what a clause says, if there is exactly one.
    pub(super) fn find(&self, clause: &Clause, memories: &[LinkableMemory]) -> Option<ClauseMatch> {
        let weights: Vec<(&String, f64)> =
            clause.terms.iter().map(|term| (term, self.weight(term))).collect();
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let mut shared: FxHashMap<usize, f64> = FxHashMap::default();
        for (term, _) in &weights {
            let postings = self.postings.get(*term).filter(|it| it.len() <= MAX_POSTINGS);
            postings.into_iter().flatten().for_each(|at| {
                shared.entry(*at).or_default();
            });
        }
        let mut best: FxHashMap<usize, f64> = FxHashMap::default();
        for at in shared.into_keys() {
            let statement = &self.statements[at];
            if !self.can_be_meant(clause, statement, memories) {
                continue;
            }
            let common = weights.iter().filter(|(term, _)| statement.terms.contains(*term));
            let (count, weight) =
                common.fold((0, 0.0), |(n, sum), (_, weight)| (n + 1, sum + weight));
            let reverse = f64::from(count) / statement.terms.len() as f64;
            let coverage = weight / total;
            let is_same = count as usize >= MIN_TERMS
                && coverage >= MIN_COVERAGE
                && reverse >= MIN_REVERSE_COVERAGE;
            if is_same {
                let kept = best.entry(statement.memory).or_default();
                *kept = kept.max(coverage * reverse.sqrt());
            }
        }
        let mut ranked: Vec<(usize, f64)> = best.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let next = ranked.get(1).map_or(0.0, |(_, score)| *score);
        let (target, score) = *ranked.first().filter(|(_, score)| score - next >= MIN_LEAD)?;
        Some(ClauseMatch { target, confidence: FULL_CONFIDENCE * score.min(1.0).sqrt() })
    }

    /// Returns whether a statement can be what a clause refers to: it has its numbers, and is denied if the clause is. What was
    /// replaced is older.
    fn can_be_meant(
        &self,
        clause: &Clause,
        other: &Statement,
        memories: &[LinkableMemory],
    ) -> bool {
        let (source, target) = (&memories[clause.source], &memories[other.memory]);
        let is_replaced = clause.relation == Relation::Replaces;
        let is_older = source.day.zip(target.day).is_some_and(|(source, target)| target < source);
        clause.source != other.memory
            && clause.is_negated == other.is_negated
            && clause.numbers.iter().all(|number| other.numbers.contains(number))
            && (is_older || !is_replaced)
    }

    /// Returns the weight of a term: the fewer statements contain it, the greater.
    fn weight(&self, term: &str) -> f64 {
        let count = self.postings.get(term).map_or(0, Vec::len);
        (1.0 + self.memory_count as f64 / (1.0 + count as f64)).ln()
    }
}

/// Returns what a memory states: its title, and its first sentence without the clauses that explain it. Two memories with
/// one reason do not state it. A sentence that only leads to what follows states nothing.
fn main_statements(memory: &LinkableMemory) -> Vec<String> {
    let mut found: Vec<String> = memory.title.iter().cloned().collect();
    let is_open = |statement: &str| {
        let last = statement.split_whitespace().next_back().unwrap_or_default();
        last.ends_with(':') || OPEN_ENDS.contains(&last)
    };
    let is_told_by_title = matches!(memory.role, LinkRole::DecisionRecord | LinkRole::Document);
    let first = readable_sentences(&memory.text).next();
    if let Some(first) = first.filter(|first| !is_told_by_title && !is_open(first)) {
        let end = openings(first).iter().map(|(_, range)| range.start).min();
        found.push(first[..end.unwrap_or(first.len())].to_owned());
    }
    found
}
