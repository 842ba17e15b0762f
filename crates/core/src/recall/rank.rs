//! Which memories answer a question best.
//!
//! The score of a memory is the share of what the question says that is held by it and by those
//! around it, plus half of how near its meaning is. A term's weight is what it tells (a rare one
//! tells more), and it counts in full when the memory holds it often for its length. A neighbour's
//! terms count half as much with every step away. A question in memory is not an answer, and what
//! follows one is: it counts for less, and lends more to the next.

use jiff::civil::Date;

use super::{Corpus, Posting, Slot, terms};

/// How many neighbours on each side speak for a memory.
pub const AROUND: usize = 4;
/// How soon a repeated term counts for less.
const SATURATION: f32 = 1.0;
/// How much a long text counts for less.
const LENGTH_WEIGHT: f32 = 0.5;
/// What a neighbour counts, of what the one before it counts.
const STEP: f32 = 0.5;
/// What a question lends to the memory that follows it.
const ANSWERED: f32 = 0.8;
/// What a memory that is itself a question counts.
const ASKING: f32 = 0.8;
/// What meaning counts beside words.
const MEANING: f32 = 0.5;
/// From this nearness on, a memory answers though it holds no word of the question.
const NEAR: f32 = 0.45;
/// What a memory gains for being of the time that the question names.
const TIMELY: f32 = 0.1;
/// What a term counts that was probably meant.
const MISSPELT: f32 = 0.7;
/// How many memories are looked at closely for their words, and how many for their meaning.
const CLOSELY: usize = 400;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Its terms, each once.
    pub terms: Vec<String>,
    /// Its meaning; empty if nobody can tell.
    pub vector: Vec<f32>,
    /// The time that it names, the last day included.
    pub days: Option<(Date, Date)>,
}

impl Scored {
    /// Returns whether it answers, or only comes nearer than others.
    pub fn answers(&self) -> bool {
        self.parts.words > 0.0 || self.parts.meaning >= MEANING * NEAR
    }
}

impl Question {
    /// Reads a text, whatever it is.
    pub fn new(text: &str, vector: Vec<f32>) -> Self {
        let mut terms = terms(text);
        let mut seen = std::collections::HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        Question { terms, vector, days: None }
    }
}

/// A memory that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Which memory.
    pub slot: Slot,
    /// How well it answers.
    pub score: f32,
    /// What that is made of.
    pub parts: Parts,
}

/// What a score is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    /// The share of what the question says that is held by the memory and by those around it.
    pub words: f32,
    /// How near its meaning is.
    pub meaning: f32,
    /// What it gains by its time.
    pub time: f32,
    /// The terms that it, or one around it, holds.
    pub terms: Vec<TermShare>,
    /// Whether it is a question, which counts less.
    pub asks: bool,
}

/// What a term adds to a score.
#[derive(Debug, Clone, PartialEq)]
pub struct TermShare {
    /// The term.
    pub term: String,
    /// What it adds.
    pub share: f32,
    /// Whether the memory itself holds it, or only one around it.
    pub own: bool,
}

/// A term of the question and who holds it.
struct Wanted {
    term: String,
    weight: f32,
    holders: Vec<Posting>,
}

/// Returns the memories that answer best, best first, at most so many.
pub fn rank(corpus: &impl Corpus, question: &Question, most: usize) -> Vec<Scored> {
    let (wanted, whole) = wanted(corpus, question);
    let mean = corpus.mean_length().max(1.0) as f32;
    let often = |posting: &Posting| {
        let length = corpus.length(posting.slot) as f32;
        posting.count as f32 / (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / mean)
    };
    let closely = CLOSELY.max(most * 4);
    let mut candidates = anchors(corpus, &wanted, &often, closely);
    if !question.vector.is_empty() {
        candidates.extend(corpus.nearest(&question.vector, closely));
    }
    let ground = Ground::around(corpus, candidates);
    let held = ground.held(&wanted, &often);
    let mut scored: Vec<Scored> = Vec::new();
    for (at, &slot) in ground.slots.iter().enumerate() {
        if !corpus.is_wanted(slot) {
            continue;
        }
        let mut parts = Parts { asks: corpus.asks(slot), ..Parts::default() };
        let near = ground.neighbours(corpus, at);
        for (term, row) in wanted.iter().zip(&held) {
            let around: f32 = near.iter().map(|(at, weight)| weight * row[*at]).sum();
            let often = row[at] + around;
            if often > 0.0 {
                let share = term.weight * often / (often + SATURATION) / whole;
                let share = if parts.asks { share * ASKING } else { share };
                parts.words += share;
                let own = row[at] > 0.0;
                parts.terms.push(TermShare { term: term.term.clone(), share, own });
            }
        }
        if !question.vector.is_empty() {
            parts.meaning = MEANING * corpus.nearness(slot, &question.vector);
        }
        if let Some((first, last)) = question.days
            && corpus.day(slot).is_some_and(|day| first <= day && day <= last)
        {
            parts.time = TIMELY;
        }
        let score = parts.words + parts.meaning + parts.time;
        scored.push(Scored { slot, score, parts });
    }
    scored.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| corpus.tie(a.slot).cmp(&corpus.tie(b.slot)))
    });
    scored.truncate(most);
    scored
}

/// Finds who holds the terms of a question, and what all of them together weigh. A term that nobody
/// holds weighs as well: what says nothing of it answers less.
fn wanted(corpus: &impl Corpus, question: &Question) -> (Vec<Wanted>, f32) {
    let size = corpus.size() as f32;
    let weigh = |holding: usize| {
        let holding = holding as f32;
        (1.0 + (size - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
    };
    let mut whole = 0.0;
    let mut wanted = Vec::with_capacity(question.terms.len());
    for term in &question.terms {
        let mut holders = Vec::new();
        corpus.postings(term, &mut holders);
        let weight = weigh(holders.len());
        whole += weight;
        if !holders.is_empty() {
            wanted.push(Wanted { term: term.clone(), weight, holders });
            continue;
        }
        if let Some(meant) = corpus.alike(term).into_iter().next() {
            corpus.postings(&meant, &mut holders);
            let weight = MISSPELT * weigh(holders.len());
            wanted.push(Wanted { term: meant, weight, holders });
        }
    }
    (wanted, whole.max(f32::EPSILON))
}

/// Returns the memories that hold most by themselves: of all, and of those that are wanted.
fn anchors(
    corpus: &impl Corpus,
    wanted: &[Wanted],
    often: &impl Fn(&Posting) -> f32,
    most: usize,
) -> Vec<Slot> {
    let mut scores = vec![0.0_f32; corpus.slots()];
    let mut touched: Vec<Slot> = Vec::new();
    for term in wanted {
        for posting in &term.holders {
            let often = often(posting);
            let score = &mut scores[posting.slot as usize];
            if *score == 0.0 {
                touched.push(posting.slot);
            }
            *score += term.weight * often / (often + SATURATION);
        }
    }
    let better = |a: &Slot, b: &Slot| {
        let by_score = scores[*b as usize].total_cmp(&scores[*a as usize]);
        by_score.then_with(|| corpus.tie(*a).cmp(&corpus.tie(*b)))
    };
    let first = |mut slots: Vec<Slot>| {
        if slots.len() > most {
            slots.select_nth_unstable_by(most, better);
            slots.truncate(most);
        }
        slots
    };
    let of_wanted: Vec<Slot> =
        touched.iter().copied().filter(|slot| corpus.is_wanted(*slot)).collect();
    let all_are = of_wanted.len() == touched.len();
    let mut found = first(of_wanted);
    if !all_are {
        found.extend(first(touched));
    }
    found
}

/// The memories that are looked at closely, with those around them.
struct Ground {
    slots: Vec<Slot>,
    /// Where a slot stands among them.
    places: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Ground {
    fn around(corpus: &impl Corpus, candidates: Vec<Slot>) -> Self {
        let mut ground = Ground { slots: Vec::new(), places: vec![NOWHERE; corpus.slots()] };
        for slot in candidates {
            ground.add(slot);
            for step in [Corpus::before, Corpus::after] {
                let mut at = slot;
                for _ in 0..AROUND {
                    let Some(next) = step(corpus, at) else { break };
                    ground.add(next);
                    at = next;
                }
            }
        }
        ground
    }

    fn add(&mut self, slot: Slot) {
        let place = &mut self.places[slot as usize];
        if *place == NOWHERE {
            *place = self.slots.len() as u32;
            self.slots.push(slot);
        }
    }

    /// How often each term is held by each of them, for its length.
    fn held(&self, wanted: &[Wanted], often: &impl Fn(&Posting) -> f32) -> Vec<Vec<f32>> {
        let rows = wanted.iter().map(|term| {
            let mut row = vec![0.0; self.slots.len()];
            for posting in &term.holders {
                let place = self.places[posting.slot as usize];
                if place != NOWHERE {
                    row[place as usize] = often(posting);
                }
            }
            row
        });
        rows.collect()
    }

    /// The neighbours of one of them that are looked at as well, and what they count.
    fn neighbours(&self, corpus: &impl Corpus, at: usize) -> Vec<(usize, f32)> {
        let mut near = Vec::with_capacity(2 * AROUND);
        let mut walk = |step: fn(&_, Slot) -> Option<Slot>, backwards: bool| {
            let (mut slot, mut weight) = (self.slots[at], 1.0);
            for distance in 1..=AROUND {
                let Some(next) = step(corpus, slot) else { break };
                weight *= STEP;
                let place = self.places[next as usize];
                if place != NOWHERE {
                    let answers = backwards && distance == 1 && corpus.asks(next);
                    near.push((place as usize, if answers { ANSWERED } else { weight }));
                }
                slot = next;
            }
        };
        walk(Corpus::before, true);
        walk(Corpus::after, false);
        near
    }
}
