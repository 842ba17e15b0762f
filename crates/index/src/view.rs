//! The memories of a generation as ranking sees them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use heirloom_core::fold::Standing;
use heirloom_core::recall::{Corpus, Posting, Slot, damping, mark};
use heirloom_core::{hands, kernels};

use crate::links::Links;
use crate::quantise::Small;
use crate::segment::{NO_ROW, Segment};
use crate::slots::{Slots, State};

/// What is known of the memories of a shelf taken together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measured {
    size: usize,
    /// For each slot, whether it is on the shelf.
    holds: Vec<bool>,
    /// For each slot, by how much less a term counts for the memory's length.
    damping: Vec<f32>,
}

impl Measured {
    /// Measures them.
    pub(crate) fn of(slots: &Slots, shelf: Shelf) -> Self {
        let holds: Vec<bool> = slots.all().iter().map(|entry| shelf.holds(entry.state)).collect();
        let on_shelf = slots.all().iter().zip(&holds).filter(|(_, holds)| **holds);
        let (size, length) = on_shelf.fold((0, 0_u64), |(size, length), (entry, _)| {
            (size + 1, length + u64::from(entry.length))
        });
        let mean = if size == 0 { 0.0 } else { length as f64 / size as f64 };
        let damping = slots.all().iter().map(|entry| damping(entry.length, mean)).collect();
        Measured { size, holds, damping }
    }
}

/// Among which memories one looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shelf {
    /// Those that are known to be so.
    #[default]
    Active,
    /// Those that were put away or replaced.
    Archive,
    /// All that were ever known.
    Everything,
}

impl Shelf {
    /// Returns whether things of a standing are looked for.
    pub fn is_for(self, standing: Standing) -> bool {
        match self {
            Shelf::Active => standing == Standing::Active,
            Shelf::Archive => standing != Standing::Active,
            Shelf::Everything => true,
        }
    }

    fn holds(self, state: State) -> bool {
        match self {
            Shelf::Active => state == State::Active,
            Shelf::Archive => matches!(state, State::Archived | State::Superseded),
            Shelf::Everything => {
                matches!(state, State::Active | State::Archived | State::Superseded)
            }
        }
    }
}

/// What a memory must be to be in an answer: one of each sort that is named.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Sorts, each with the words of which a memory must have one.
    pub marks: Vec<(&'static str, Vec<String>)>,
}

impl Filter {
    /// Takes the records of the log that are of a kind.
    pub fn of_records(kind: &str) -> Self {
        Filter { marks: vec![("record", vec![kind.to_owned()])] }
    }
}

/// The memories among which one looks.
pub struct View<'s> {
    pub(crate) slots: &'s Slots,
    pub(crate) segments: &'s [Arc<Segment>],
    /// Where each segment's vectors start among all.
    pub(crate) starts: &'s [u32],
    /// The first vector of each slot, among all.
    pub(crate) rows: &'s [u32],
    pub(crate) links: &'s Links,
    pub(crate) measured: Cow<'s, Measured>,
    /// Which slots may be in the answer; empty if all may.
    pub(crate) wanted: Vec<bool>,
}

impl View<'_> {
    /// Leaves out what is not of the sorts that are named.
    pub(crate) fn narrow(&mut self, filter: &Filter) {
        for (sort, words) in &filter.marks {
            let mut holds = vec![false; self.slots.len()];
            for word in words {
                let term = mark(sort, word);
                for segment in self.segments {
                    segment.postings(&term, |posting| {
                        if let Some(holds) = holds.get_mut(posting.slot as usize) {
                            *holds = true;
                        }
                    });
                }
            }
            if self.wanted.is_empty() {
                self.wanted = holds;
            } else {
                self.wanted.iter_mut().zip(holds).for_each(|(wanted, holds)| *wanted &= holds);
            }
        }
    }

    /// The segment that holds a row, and where in it.
    fn place_of_row(&self, row: u32) -> Option<(&Segment, usize)> {
        let at = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        let (segment, own) = (&self.segments[at], row - self.starts[at]);
        Some((&**segment, own as usize)).filter(|(segment, own)| *own < segment.rows())
    }
}

impl Corpus for View<'_> {
    fn size(&self) -> usize {
        self.measured.size
    }

    fn slots(&self) -> usize {
        self.slots.len()
    }

    fn postings(&self, term: &str, found: &mut Vec<Posting>) {
        for segment in self.segments {
            segment.postings(term, |posting| {
                if self.holds(posting.slot) {
                    found.push(posting);
                }
            });
        }
    }

    fn each_term(&self, first: Option<char>, take: &mut dyn FnMut(&str)) {
        self.segments.iter().for_each(|segment| segment.each_term(first, &mut *take));
    }

    fn damping(&self, slot: Slot) -> f32 {
        self.measured.damping.get(slot as usize).copied().unwrap_or_default()
    }

    fn holds(&self, slot: Slot) -> bool {
        self.measured.holds.get(slot as usize).is_some_and(|holds| *holds)
    }

    fn is_wanted(&self, slot: Slot) -> bool {
        self.holds(slot) && (self.wanted.is_empty() || self.wanted[slot as usize])
    }

    fn before(&self, slot: Slot) -> Option<Slot> {
        self.slots.get(slot).before
    }

    fn after(&self, slot: Slot) -> Option<Slot> {
        self.slots.get(slot).after
    }

    fn asks(&self, slot: Slot) -> bool {
        self.slots.get(slot).asks
    }

    fn day(&self, slot: Slot) -> Option<i32> {
        self.slots.get(slot).day
    }

    /// Looks at one bit a dimension first, then closely at those that are nearest by that. All that
    /// are equally near are looked at, so that the answer depends on nothing but what is there.
    fn nearest(&self, vector: &[f32], most: usize) -> Vec<(Slot, Option<f32>)> {
        let query = Small::new(vector);
        let closely = (most * CLOSELY).max(self.size().isqrt() * ROOTS);
        let near = self.within(&self.distances(&query), closely);
        let mut found: Vec<(f32, &Near)> = Vec::with_capacity(near.len());
        for (at, own) in near.iter().enumerate() {
            if let Some(soon) = near.get(at + AHEAD) {
                self.segments[soon.segment].fetch(soon.row);
            }
            found.push((self.segments[own.segment].nearness(own.row, &query), own));
        }
        let better = |a: &(f32, &Near), b: &(f32, &Near)| {
            b.0.total_cmp(&a.0).then_with(|| self.tie(a.1.slot).cmp(&self.tie(b.1.slot)))
        };
        if found.len() > most {
            found.select_nth_unstable_by(most, better);
            found.truncate(most);
        }
        // Of a memory that has other vectors, another one may be nearer.
        let is_only = |own: &Near| self.segments[own.segment].is_only_vector(own.row);
        found.into_iter().map(|(near, own)| (own.slot, is_only(own).then_some(near))).collect()
    }

    fn nearness(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32> {
        let query = Small::new(vector);
        let mut found = Vec::with_capacity(slots.len());
        for (at, slot) in slots.iter().enumerate() {
            let soon = slots.get(at + AHEAD).and_then(|slot| self.first_vector(*slot));
            if let Some((segment, row)) = soon {
                segment.fetch(row);
            }
            let near = self.first_vector(*slot).map(|(segment, first)| {
                let own = (first..segment.rows()).take_while(|row| segment.slot_of(*row) == *slot);
                own.map(|row| segment.nearness(row, &query)).fold(f32::MIN, f32::max)
            });
            found.push(near.unwrap_or_default());
        }
        found
    }

    fn confidence(&self, slot: Slot) -> Option<f32> {
        self.slots.get(slot).sure.map(|sure| f32::from(sure) / 100.0)
    }

    fn related(&self, slot: Slot) -> &[Slot] {
        self.links.get(&slot).map(Vec::as_slice).unwrap_or_default()
    }

    fn likeness(&self, a: Slot, b: Slot) -> f32 {
        let places = self.first_vector(a).zip(self.first_vector(b));
        places.map_or(0.0, |((segment, a), (other, b))| segment.likeness(a, other, b))
    }

    fn tie(&self, slot: Slot) -> u64 {
        self.slots.get(slot).tie
    }
}

/// How many vectors before it is looked at a vector is fetched.
const AHEAD: usize = 6;

/// So many vectors are looked at in one go, and so many goes at least are worth another hand.
const PIECE: usize = 65_536;
const WORTH_SHARING: usize = 4;

/// For each memory that is wanted, how many vectors are looked at closely.
const CLOSELY: usize = 2;
/// Among many, it is the square root of how many memories there are, times this.
const ROOTS: usize = 2;

/// A vector that is near by a first look.
struct Near {
    segment: usize,
    row: usize,
    slot: Slot,
    distance: u8,
}

/// How many vectors are at each distance.
type Counts = [usize; 256];

/// How far vectors are from a query.
struct Distances {
    all: Vec<u8>,
    counts: Counts,
}

/// Counts how many vectors are at each distance. Most are at a few, and a count that was just changed
/// is slow to change again: so there are four of each.
fn counted(distances: &[u8]) -> Counts {
    let mut counts = [[0_u32; 256]; 4];
    let (fours, rest) = distances.as_chunks::<4>();
    for [a, b, c, d] in fours {
        counts[0][*a as usize] += 1;
        counts[1][*b as usize] += 1;
        counts[2][*c as usize] += 1;
        counts[3][*d as usize] += 1;
    }
    rest.iter().for_each(|distance| counts[0][*distance as usize] += 1);
    std::array::from_fn(|at| counts.iter().map(|own| own[at] as usize).sum())
}

/// The least distance within which so many vectors are, and how many are; none if there are fewer.
fn limit(counts: &Counts, most: usize) -> Option<(u8, usize)> {
    let mut seen = 0;
    counts.iter().enumerate().find_map(|(distance, count)| {
        seen += count;
        (seen >= most).then_some((distance as u8, seen))
    })
}

impl View<'_> {
    /// Returns how far all vectors are from a query, by one bit a dimension. Many are shared among
    /// the processors, since one alone waits for memory.
    fn distances(&self, query: &Small) -> Distances {
        let pieces = self.segments.iter().flat_map(|segment| {
            let starts = (0..segment.rows()).step_by(PIECE);
            starts.map(move |start| (segment, start..segment.rows().min(start + PIECE)))
        });
        let pieces: Vec<(&Arc<Segment>, Range<usize>)> = pieces.collect();
        let look = |(segment, rows): &(&Arc<Segment>, Range<usize>)| {
            let mut found = Vec::with_capacity(rows.len());
            segment.distances(rows.clone(), query, &mut found);
            let counts = counted(&found);
            (found, counts)
        };
        let count = pieces.iter().map(|(_, rows)| rows.len()).sum();
        let mut distances = Distances { all: Vec::with_capacity(count), counts: [0; 256] };
        for (own, counts) in hands::map(&pieces, WORTH_SHARING, look) {
            distances.all.extend(own);
            distances.counts.iter_mut().zip(counts).for_each(|(count, own)| *count += own);
        }
        distances
    }

    /// Returns the wanted vectors that are at least as near as so many of them are.
    fn within(&self, distances: &Distances, most: usize) -> Vec<Near> {
        let Distances { all: distances, counts } = distances;
        // No more vectors are wanted than there are, so the limit is no less than this one.
        let mut reach = most;
        loop {
            let found = limit(counts, reach);
            let (farthest, all) = found.unwrap_or((u8::MAX, distances.len()));
            let mut near = self.wanted_within(distances, farthest);
            if near.len() < most && found.is_some() {
                reach = reach.saturating_mul(8);
                continue;
            }
            // Where some are not wanted, one looked farther than one need.
            if near.len() < all {
                let own: Vec<u8> = near.iter().map(|near| near.distance).collect();
                let farthest = limit(&counted(&own), most).map_or(u8::MAX, |(limit, _)| limit);
                near.retain(|near| near.distance <= farthest);
            }
            return near;
        }
    }

    fn wanted_within(&self, distances: &[u8], limit: u8) -> Vec<Near> {
        let (mut near, mut rows) = (Vec::new(), Vec::new());
        for (at, segment) in self.segments.iter().enumerate() {
            let own = distances.get(self.starts[at] as usize..).unwrap_or_default();
            let own = &own[..segment.rows().min(own.len())];
            rows.clear();
            kernels::within(own, limit, &mut rows);
            let found = rows.iter().map(|row| *row as usize).map(|row| Near {
                segment: at,
                row,
                slot: segment.slot_of(row),
                distance: own[row],
            });
            near.extend(found.filter(|near| self.is_wanted(near.slot)));
        }
        near
    }

    /// Where the first vector of a memory is, if it has one.
    fn first_vector(&self, slot: Slot) -> Option<(&Segment, usize)> {
        self.place_of_row(self.rows.get(slot as usize).copied().unwrap_or(NO_ROW))
    }
}
