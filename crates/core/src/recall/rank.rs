//! Which memories answer a question best.
//!
//! The score of a memory is the share of what the question says that is held by it and by those
//! around it, plus half of how near its meaning is. A term's weight is what it tells (a rare one
//! tells more), and it counts in full when the memory holds it often for its length. A neighbour's
//! terms count half as much with every step away. A question in memory is not an answer, and what
//! follows one is: it counts for less, and lends more to the next. What relations tie to a memory
//! speaks for it as a neighbour does.
//!
//! A memory of the time that the question names gains something, and as much as all words together
//! if the question names nothing else. How sure and how fresh a memory is only decides between those
//! that answer almost equally well. One that says what a better one says comes later.

use jiff::civil::Date;

use super::slip::{may_be_a_slip, meant};
use super::{Corpus, Posting, Question, Slot, Time};
use crate::{day, hands};

/// How many neighbours on each side speak for a memory.
const AROUND: usize = 4;
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
const NEAR: f32 = 0.3;
/// What a memory gains for being of the time that the question names.
const TIMELY: f32 = 0.1;
/// What it gains if the question names nothing else.
const TIMELY_ALONE: f32 = 1.0;
/// What the terms of a memory count that a relation ties to this one, and how many such are looked at.
const RELATED: (f32, usize) = (0.5, 4);
/// Memories whose scores differ by less than this are told apart by how sure and how fresh they are.
const NEAR_TIE: f32 = 0.01;
/// How sure one is taken to be who does not say so.
const SURE: f32 = 0.8;
/// After so many days a memory is half as fresh.
const FRESH: f32 = 90.0;
/// From this likeness on, a memory says what another one says.
const SAME: f32 = 0.97;
/// Among how many of the best one looks for repetitions, and how many are kept to take their place.
const REPEATS: usize = 200;
const SPARE: usize = 20;
/// What is left of the score of a memory that says what a better one says.
const REPEATED: f32 = 0.8;
/// What a term counts that was probably meant.
const MISSPELT: f32 = 0.7;
/// For how many words of a question one guesses what was meant.
const GUESSES: usize = 32;
/// Among so many memories, words and meanings are looked for at the same time.
const MANY: usize = 200_000;
/// How many memories at least are looked at closely for their words, and how many for their meaning.
const CLOSELY: usize = 100;
/// Among many, it is the square root of how many there are, divided by this.
const ROOT_SHARE: usize = 2;
/// To see who of many may be among the best at all, one looks at so many for each that is wanted.
const SAMPLE: usize = 16;

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

impl Scored {
    /// Returns whether it answers, or only comes nearer than others.
    pub fn answers(&self) -> bool {
        self.parts.words > 0.0
            || self.parts.meaning >= MEANING * NEAR
            || self.parts.time >= TIMELY_ALONE
    }
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
    /// What it gains by being sure and fresh.
    pub standing: f32,
    /// Whether a better one says the same.
    pub repeats: bool,
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
    /// The word that was typed, if the term is only what was probably meant by it.
    pub typed: Option<String>,
    /// What it adds.
    pub share: f32,
    /// Whether the memory itself holds it, or only one around it.
    pub own: bool,
}

/// A term of the question and who holds it.
struct Wanted {
    term: String,
    /// The word that was typed, if this is only what was probably meant by it.
    typed: Option<String>,
    weight: f32,
    holders: Vec<Posting>,
}

/// Returns by how much less a term counts in a memory that has so many terms, where they have so
/// many on average.
pub fn damping(length: u32, mean: f64) -> f32 {
    1.0 / (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length as f32 / mean.max(1.0) as f32)
}

/// Returns the memories that answer best, best first, at most so many.
pub fn rank(corpus: &impl Corpus, question: &Question<'_>, most: usize) -> Vec<Scored> {
    let often = |posting: &Posting| posting.count as f32 * corpus.damping(posting.slot);
    let most = most.min(corpus.slots());
    let enough = CLOSELY.max(corpus.size().isqrt() / ROOT_SHARE);
    let closely = enough.max(most.saturating_mul(4)).min(corpus.slots().max(enough));
    let by_meaning = || match question.vector.is_empty() {
        true => vec![],
        false => corpus.nearest(&question.vector, closely),
    };
    let by_words = || {
        let (wanted, whole) = wanted(corpus, question);
        let mut ground = Ground::new(corpus.slots());
        ground.add_around(corpus, anchors(corpus, &wanted, &often, closely));
        (wanted, whole, ground)
    };
    // Meanings take longer, and do not wait for another hand.
    let ((wanted, whole, mut ground), near) =
        hands::both(corpus.slots() >= MANY, by_words, by_meaning);
    ground.add_around(corpus, near.iter().map(|(slot, _)| *slot));
    if let Some(time) = &question.time {
        ground.add_around(corpus, timely(corpus, time, closely));
    }
    let ranking = Ranking {
        corpus,
        question,
        wanted: &wanted,
        whole,
        ground: &ground,
        meanings: meanings(corpus, question, &ground, &near),
        today: day::number(question.today),
    };
    ranking.best(&Held::by(&ground, &wanted, &often), most)
}

/// Returns how near the memories of a ground are to a question; of some that is known.
fn meanings(
    corpus: &impl Corpus,
    question: &Question<'_>,
    ground: &Ground,
    known: &[(Slot, Option<f32>)],
) -> Vec<f32> {
    if question.vector.is_empty() {
        return vec![0.0; ground.slots.len()];
    }
    let mut found: Vec<Option<f32>> = vec![None; ground.slots.len()];
    known.iter().for_each(|(slot, near)| found[ground.places[*slot as usize] as usize] = *near);
    let unknown = ground.slots.iter().zip(&found).filter(|(_, near)| near.is_none());
    let unknown: Vec<Slot> = unknown.map(|(slot, _)| *slot).collect();
    let mut others = corpus.nearness(&unknown, &question.vector).into_iter();
    found.into_iter().map(|near| near.or_else(|| others.next()).unwrap_or_default()).collect()
}

/// All that decides which of the memories that are looked at closely answer best.
struct Ranking<'r, C> {
    corpus: &'r C,
    question: &'r Question<'r>,
    wanted: &'r [Wanted],
    whole: f32,
    ground: &'r Ground,
    /// How near each of them is to the question.
    meanings: Vec<f32>,
    /// The number of the day on which one asks.
    today: i32,
}

impl<C: Corpus> Ranking<'_, C> {
    fn best(&self, held: &Held, most: usize) -> Vec<Scored> {
        let (slots, meanings) = (&self.ground.slots, &self.meanings);
        let scores = slots.iter().enumerate().filter(|(_, slot)| self.corpus.is_wanted(**slot));
        let mut oftens = Vec::new();
        let mut scores: Vec<(f32, usize)> = scores
            .map(|(at, slot)| {
                self.count(held, at, &mut oftens);
                let words = sum(self.shares(&oftens, at).map(|(_, share)| share));
                let gains = self.gained_by_time(*slot) + self.standing(*slot);
                (words + MEANING * meanings[at] + gains, at)
            })
            .collect();
        let tie = |at: usize| self.corpus.tie(slots[at]);
        let better = |a: &(f32, usize), b: &(f32, usize)| {
            b.0.total_cmp(&a.0).then_with(|| tie(a.1).cmp(&tie(b.1)))
        };
        // A few more than are wanted, to take the place of those that only repeat others.
        let enough = most.saturating_add(SPARE);
        if scores.len() > enough {
            scores.select_nth_unstable_by(enough, better);
            scores.truncate(enough);
        }
        scores.sort_by(better);
        let repeating = self.repeating(&scores, most);
        for (score, _) in scores.iter_mut().zip(&repeating).filter(|(_, repeats)| **repeats) {
            score.0 *= REPEATED;
        }
        let mut scores: Vec<((f32, usize), bool)> = scores.into_iter().zip(repeating).collect();
        scores.sort_by(|(a, _), (b, _)| better(a, b));
        scores.truncate(most);
        let explained = |((score, at), repeats): ((f32, usize), bool)| {
            self.count(held, at, &mut oftens);
            let shares = || self.shares(&oftens, at);
            let parts = Parts {
                words: sum(shares().map(|(_, share)| share)),
                meaning: MEANING * meanings[at],
                time: self.gained_by_time(slots[at]),
                standing: self.standing(slots[at]),
                repeats,
                terms: shares()
                    .map(|(term, share)| TermShare {
                        term: self.wanted[term].term.clone(),
                        typed: self.wanted[term].typed.clone(),
                        share,
                        own: held.of(at)[term] > 0.0,
                    })
                    .collect(),
                asks: self.corpus.asks(slots[at]),
            };
            Scored { slot: slots[at], score, parts }
        };
        scores.into_iter().map(explained).collect()
    }

    /// Counts how often a memory and those around it hold each term, for their lengths.
    fn count(&self, held: &Held, at: usize, oftens: &mut Vec<f32>) {
        oftens.clear();
        oftens.resize(self.wanted.len(), 0.0);
        let add = |oftens: &mut [f32], at: usize, weight: f32| {
            oftens.iter_mut().zip(held.of(at)).for_each(|(often, held)| *often += weight * held);
        };
        let (near, count) = self.ground.neighbours(self.corpus, at);
        near[..count].iter().for_each(|(at, weight)| add(oftens, *at as usize, *weight));
        add(oftens, at, 1.0);
    }

    /// What each term adds for a memory, by how often it is held.
    fn shares(&self, oftens: &[f32], at: usize) -> impl Iterator<Item = (usize, f32)> {
        let asking = if self.corpus.asks(self.ground.slots[at]) { ASKING } else { 1.0 };
        oftens.iter().enumerate().filter(|(_, often)| **often > 0.0).map(move |(term, often)| {
            let share = self.wanted[term].weight * often / (often + SATURATION) / self.whole;
            (term, share * asking)
        })
    }

    /// For each memory, best first, whether it says what a better one says; as far as it matters for
    /// which of them are the best so many.
    fn repeating(&self, scores: &[(f32, usize)], most: usize) -> Vec<bool> {
        let mut repeating = vec![false; scores.len()];
        let mut own: Vec<Slot> = Vec::with_capacity(most);
        for ((_, at), repeats) in scores.iter().zip(&mut repeating).take(REPEATS) {
            // Whatever comes after so many that say something of their own comes too late.
            if own.len() == most {
                break;
            }
            let slot = self.ground.slots[*at];
            *repeats = own.iter().any(|better| self.corpus.likeness(*better, slot) >= SAME);
            if !*repeats {
                own.push(slot);
            }
        }
        repeating
    }

    fn gained_by_time(&self, slot: Slot) -> f32 {
        let Some(time) = &self.question.time else { return 0.0 };
        let day = self.corpus.day(slot).and_then(day::of_number);
        let gain = if time.is_alone { TIMELY_ALONE } else { TIMELY };
        day.map_or(0.0, |day| gain * time.fit(day))
    }

    fn standing(&self, slot: Slot) -> f32 {
        let sure = self.corpus.confidence(slot).unwrap_or(SURE);
        let age = self.corpus.day(slot).map(|day| self.today.saturating_sub(day).max(0));
        let fresh = age.map_or(0.0, |age| FRESH / (FRESH + age as f32));
        NEAR_TIE * (sure + fresh) / 2.0
    }
}

/// Adds up, from a zero that has no sign.
fn sum(shares: impl Iterator<Item = f32>) -> f32 {
    shares.fold(0.0, |sum, share| sum + share)
}

/// Finds who holds the terms of a question, and what all of them together weigh. A term that nobody
/// holds weighs as well: what says nothing of it answers less.
fn wanted(corpus: &impl Corpus, question: &Question<'_>) -> (Vec<Wanted>, f32) {
    let size = corpus.size() as f32;
    let weigh = |holding: usize| {
        let holding = holding as f32;
        (1.0 + (size - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
    };
    let mut whole = 0.0;
    let mut guesses = 0;
    let mut wanted = Vec::with_capacity(question.terms.len());
    for asked in &question.terms {
        let mut holders = Vec::new();
        corpus.postings(&asked.term, &mut holders);
        let weight = weigh(holders.len());
        whole += weight;
        if !holders.is_empty() {
            wanted.push(Wanted { term: asked.term.clone(), typed: None, weight, holders });
            continue;
        }
        if guesses == GUESSES || !may_be_a_slip(asked) {
            continue;
        }
        guesses += 1;
        let meant = meant(corpus, question.lexicon, asked);
        // Who types a word twice, once wrong, does not mean it more.
        let is_new = |term: &str| {
            wanted.iter().all(|wanted: &Wanted| wanted.term != term)
                && question.terms.iter().all(|asked| asked.term != term)
        };
        if let Some((term, holders)) = meant.filter(|(term, _)| is_new(term)) {
            let weight = MISSPELT * weigh(holders.len());
            wanted.push(Wanted { term, typed: asked.unknown.clone(), weight, holders });
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
    let better = |a: &(f32, Slot), b: &(f32, Slot)| {
        b.0.total_cmp(&a.0).then_with(|| corpus.tie(a.1).cmp(&corpus.tie(b.1)))
    };
    let first = |slots: &[Slot]| {
        let score = |slot: &Slot| scores[*slot as usize];
        // Who has less than the best of a few have is not among the best of all.
        let mut least = 0.0;
        if slots.len() > most * SAMPLE * 2 {
            let few = slots.iter().step_by(slots.len() / (most * SAMPLE));
            let mut few: Vec<f32> = few.map(score).collect();
            least = *few.select_nth_unstable_by(most, |a, b| b.total_cmp(a)).1;
        }
        let scored = slots.iter().map(|slot| (score(slot), *slot));
        let mut best: Vec<(f32, Slot)> = scored.filter(|(score, _)| *score >= least).collect();
        if best.len() > most {
            best.select_nth_unstable_by(most, better);
            best.truncate(most);
        }
        best.into_iter().map(|(_, slot)| slot)
    };
    let of_wanted: Vec<Slot> =
        touched.iter().copied().filter(|slot| corpus.is_wanted(*slot)).collect();
    let all_are = of_wanted.len() == touched.len();
    let mut found: Vec<Slot> = first(&of_wanted).collect();
    if !all_are {
        found.extend(first(&touched));
    }
    found
}

/// Returns the memories that fit a time best; of those that fit equally well, the latest. Where none
/// fits and nothing else is asked for, those that come nearest.
fn timely(corpus: &impl Corpus, time: &Time, most: usize) -> Vec<Slot> {
    let fitting = best_by(corpus, most, |day| Some(time.fit(day)).filter(|fit| *fit > 0.0));
    match fitting.is_empty() && time.is_alone {
        true => best_by(corpus, most, |day| Some(-(time.distance(day) as f32))),
        false => fitting,
    }
}

/// Returns the memories whose days are the best; of those that are equally good, the latest.
fn best_by(corpus: &impl Corpus, most: usize, worth: impl Fn(Date) -> Option<f32>) -> Vec<Slot> {
    // Many are of the same day as the one before.
    let (mut last, mut own) = (i32::MIN, None);
    let mut found: Vec<(f32, i32, Slot)> = Vec::new();
    for slot in (0..corpus.slots() as Slot).filter(|slot| corpus.is_wanted(*slot)) {
        let Some(day) = corpus.day(slot) else { continue };
        if day != last {
            (last, own) = (day, day::of_number(day).and_then(&worth));
        }
        found.extend(own.map(|worth| (worth, day, slot)));
    }
    if found.len() > most {
        found.select_nth_unstable_by(most, |a, b| {
            let by_worth = b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1));
            by_worth.then_with(|| corpus.tie(a.2).cmp(&corpus.tie(b.2)))
        });
        found.truncate(most);
    }
    found.into_iter().map(|(_, _, slot)| slot).collect()
}

/// The memories that are looked at closely, with those around them.
struct Ground {
    slots: Vec<Slot>,
    /// Where a slot stands among them.
    places: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// How many may speak for a memory.
const NEIGHBOURS: usize = 2 * AROUND + RELATED.1;

impl Ground {
    /// Looks at none yet, of so many slots.
    fn new(slots: usize) -> Self {
        Ground { slots: Vec::new(), places: vec![NOWHERE; slots] }
    }

    /// Looks at some, and at those around them.
    fn add_around(&mut self, corpus: &impl Corpus, candidates: impl IntoIterator<Item = Slot>) {
        for slot in candidates {
            self.add(slot);
            related(corpus, slot).for_each(|slot| self.add(slot));
            for step in [Step::Before, Step::After] {
                let mut at = slot;
                for _ in 0..AROUND {
                    let Some(next) = step.from(corpus, at) else { break };
                    self.add(next);
                    at = next;
                }
            }
        }
    }

    fn add(&mut self, slot: Slot) {
        let place = &mut self.places[slot as usize];
        if *place == NOWHERE {
            *place = self.slots.len() as u32;
            self.slots.push(slot);
        }
    }

    /// The neighbours of one of them that are looked at as well, what they count, and how many
    /// they are.
    fn neighbours(&self, corpus: &impl Corpus, at: usize) -> ([(u32, f32); NEIGHBOURS], usize) {
        let mut near = [(0, 0.0); NEIGHBOURS];
        let mut count = 0;
        for (step, backwards) in [(Step::Before, true), (Step::After, false)] {
            let (mut slot, mut weight) = (self.slots[at], 1.0);
            for distance in 1..=AROUND {
                let Some(next) = step.from(corpus, slot) else { break };
                weight *= STEP;
                let place = self.places[next as usize];
                if place != NOWHERE {
                    let answers = backwards && distance == 1 && corpus.asks(next);
                    near[count] = (place, if answers { ANSWERED } else { weight });
                    count += 1;
                }
                slot = next;
            }
        }
        for related in related(corpus, self.slots[at]) {
            let place = self.places[related as usize];
            if place != NOWHERE {
                near[count] = (place, RELATED.0);
                count += 1;
            }
        }
        (near, count)
    }
}

/// How often each term is held by each memory that is looked at closely, for its length.
struct Held {
    terms: usize,
    /// All terms of the first memory, then all of the next.
    oftens: Vec<f32>,
}

impl Held {
    fn by(ground: &Ground, wanted: &[Wanted], often: &impl Fn(&Posting) -> f32) -> Self {
        let terms = wanted.len();
        let mut oftens = vec![0.0; terms * ground.slots.len()];
        for (term, wanted) in wanted.iter().enumerate() {
            for posting in &wanted.holders {
                let place = ground.places[posting.slot as usize];
                if place != NOWHERE {
                    oftens[place as usize * terms + term] = often(posting);
                }
            }
        }
        Held { terms, oftens }
    }

    fn of(&self, place: usize) -> &[f32] {
        &self.oftens[place * self.terms..][..self.terms]
    }
}

/// The memories that relations tie to one, as many as are looked at.
fn related<C: Corpus>(corpus: &C, slot: Slot) -> impl Iterator<Item = Slot> {
    let there = corpus.related(slot).iter().copied().filter(|slot| corpus.holds(*slot));
    there.take(RELATED.1)
}

/// A way to go from a memory to one beside it.
#[derive(Clone, Copy)]
enum Step {
    Before,
    After,
}

impl Step {
    fn from(self, corpus: &impl Corpus, slot: Slot) -> Option<Slot> {
        match self {
            Step::Before => corpus.before(slot),
            Step::After => corpus.after(slot),
        }
    }
}
