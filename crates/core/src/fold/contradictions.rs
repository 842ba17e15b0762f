//! The state of contradictions, derived from the state of the memories that they are between.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::{Memory, Standing};
use crate::record::{
    Body, ContradictionRecord, EventAction, Record, RecordKind, Referent, Resolution,
};

/// The state of a contradiction.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ContradictionState {
    /// Both memories are active, and nobody said that both hold.
    Open,
    /// Somebody resolved it.
    Resolved,
    /// One of the memories was retired or reworded meanwhile.
    Closed,
}

impl ContradictionState {
    /// Returns its name in requests and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            ContradictionState::Open => "open",
            ContradictionState::Resolved => "resolved",
            ContradictionState::Closed => "closed",
        }
    }
}

/// A contradiction with its state.
#[derive(Debug, Clone)]
pub struct StandingContradiction<'m> {
    /// The id of the pair: that of the first record that states it.
    pub id: String,
    /// The ids of the other records that state it: one of their memories had another id, and the same text.
    pub other_ids: Vec<String>,
    /// The first record that states it.
    pub record: &'m Record,
    /// What that record states.
    pub body: &'m ContradictionRecord,
    /// All records that state it.
    pub records: Vec<Uuid>,
    /// The two memories that say today what was judged; the ones that were judged if one is retired or reworded.
    pub memories: [Referent; 2],
    /// Whether both memories are active and say what was judged.
    pub is_current: bool,
    /// The state.
    pub state: ContradictionState,
    /// The events that resolved it and were not undone, each with its resolution.
    pub resolutions: Vec<(Uuid, Resolution)>,
}

/// A contradiction that was recorded before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierContradiction {
    /// Its id.
    pub id: String,
    /// Whether it was resolved as `both_valid`.
    pub is_dismissed: bool,
}

impl StandingContradiction<'_> {
    /// Returns whether somebody said that both memories hold.
    pub fn is_dismissed(&self) -> bool {
        self.resolutions.iter().any(|(_, resolution)| *resolution == Resolution::BothValid)
    }
}

impl Memory {
    /// Returns every contradiction with its state, in the order in which they were found. `text_hash` returns the hash of
    /// the text of a memory that holds today, and `None` for any other.
    ///
    /// A contradiction follows its memories to successors with the same text. While both are active, it is open unless
    /// somebody said that both hold: if a resolution is undone, the contradiction is open again.
    pub fn contradictions(
        &self,
        text_hash: impl Fn(&Referent) -> Option<String>,
    ) -> Vec<StandingContradiction<'_>> {
        let mut found: Vec<StandingContradiction<'_>> = Vec::new();
        let mut by_pair: BTreeMap<[Referent; 2], usize> = BTreeMap::new();
        let items = self.items(RecordKind::Contradiction);
        for item in items.filter(|item| item.standing == Standing::Active) {
            let Body::Contradiction(body) = &item.record.body else { continue };
            let current = |end: &Referent, number: usize| {
                let hash = body.text_hash(number);
                self.heads(end).into_iter().find(|head| {
                    self.standing(head) == Standing::Active
                        && text_hash(head).is_some_and(|now| hash.is_none_or(|hash| hash == now))
                })
            };
            let both = current(&body.a, 0).zip(current(&body.b, 1)).filter(|(a, b)| a != b);
            let is_current = both.is_some();
            let (a, b) = both.unwrap_or_else(|| (body.a.clone(), body.b.clone()));
            let mut contradiction = StandingContradiction {
                id: body.id(),
                other_ids: vec![],
                record: item.record,
                body,
                records: self.aliases(item.id),
                memories: [a, b],
                is_current,
                state: ContradictionState::Open,
                resolutions: self.resolutions_of(item.id),
            };
            let mut pair = contradiction.memories.clone();
            pair.sort();
            match by_pair.get(&pair).filter(|_| is_current) {
                // Another record of the pair, one of whose memories had another id.
                Some(first) => {
                    found[*first].other_ids.push(contradiction.id);
                    found[*first].records.append(&mut contradiction.records);
                    found[*first].resolutions.append(&mut contradiction.resolutions);
                }
                None => {
                    if is_current {
                        by_pair.insert(pair, found.len());
                    }
                    found.push(contradiction);
                }
            }
        }
        for contradiction in &mut found {
            contradiction.state = match contradiction.is_current {
                true if !contradiction.is_dismissed() => ContradictionState::Open,
                false if contradiction.resolutions.is_empty() => ContradictionState::Closed,
                _ => ContradictionState::Resolved,
            };
        }
        found
    }

    /// Returns the contradiction that is known between a memory and one that is about to be stored, each given with the hash
    /// of its text. `earlier` are the memories that the new one replaces or repeats: what is known about them holds for the
    /// new one if they say the same.
    pub fn earlier_contradiction(
        &self,
        (memory, hash): (&Referent, &str),
        (earlier, new_hash): (&[Referent], &str),
    ) -> Option<EarlierContradiction> {
        let names = |end: &Referent| [self.heads(end), vec![self.canonical(end)]].concat();
        let earlier: BTreeSet<Referent> = earlier.iter().flat_map(names).collect();
        let is_memory = |end: &Referent| names(end).iter().any(|name| name == memory);
        let is_new = |end: &Referent| names(end).iter().any(|name| earlier.contains(name));
        let mut found: Option<EarlierContradiction> = None;
        let items = self.items(RecordKind::Contradiction);
        for item in items.filter(|item| item.standing == Standing::Active) {
            let Body::Contradiction(body) = &item.record.body else { continue };
            let is_meant = [[0, 1], [1, 0]].into_iter().any(|[of_memory, of_new]| {
                let ends = [&body.a, &body.b];
                body.text_hash(of_memory) == Some(hash)
                    && body.text_hash(of_new) == Some(new_hash)
                    && is_memory(ends[of_memory])
                    && is_new(ends[of_new])
            });
            if is_meant {
                let resolutions = self.resolutions_of(item.id);
                let first = found.get_or_insert_with(|| EarlierContradiction {
                    id: body.id(),
                    is_dismissed: false,
                });
                first.is_dismissed |=
                    resolutions.iter().any(|(_, it)| *it == Resolution::BothValid);
            }
        }
        found
    }

    /// Returns the events that resolved a contradiction. An event without a resolution says that both memories hold.
    fn resolutions_of(&self, contradiction: Uuid) -> Vec<(Uuid, Resolution)> {
        let events = self.events(EventAction::Resolve, &contradiction.into()).into_iter();
        let resolution = |event: Uuid| match &self.record(event)?.body {
            Body::Event(event) => Some(event.resolution.unwrap_or(Resolution::BothValid)),
            _ => None,
        };
        events.filter_map(|event| Some((event, resolution(event)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{Line, LineLocation, fold};
    use crate::record::{Event, Fact, FactSection, Origin};
    use crate::words::short_hash;
    use jiff::Timestamp;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0000 + n)
    }

    fn line(n: u128, body: Body, supersedes: &[u128]) -> Line {
        let mut record =
            Record::new(id(n), Timestamp::from_second(n as i64 * 86_400).unwrap(), "", body);
        record.supersedes = supersedes.iter().map(|n| id(*n).into()).collect();
        if let Body::Contradiction(body) = &record.body {
            record.origin = Some(Origin::contradiction(&body.id()));
        }
        let written = crate::record::write(&record).unwrap();
        let place = LineLocation { path: "log.jsonl".into(), line: 1, is_local: false };
        Line::new(record, written.as_bytes(), place)
    }

    fn fact(n: u128, text: &str, supersedes: &[u128]) -> Line {
        line(n, Body::Fact(fact_in(FactSection::Decisions, text)), supersedes)
    }

    fn fact_in(section: FactSection, text: &str) -> Fact {
        Fact { section, content: text.into(), key: None, value: None, scope: None }
    }

    fn contradiction(n: u128, a: (u128, &str), b: (u128, &str)) -> Line {
        let body = ContradictionRecord {
            a: id(a.0).into(),
            b: id(b.0).into(),
            score: 0.9,
            certainty: "certain".into(),
            aspect: "number".into(),
            reason: String::new(),
            text_hashes: vec![short_hash(a.1), short_hash(b.1)],
        };
        line(n, Body::Contradiction(Box::new(body)), &[])
    }

    fn event(
        n: u128,
        action: EventAction,
        targets: &[u128],
        undoes: &[u128],
        resolution: Option<Resolution>,
    ) -> Line {
        let names = |list: &[u128]| list.iter().map(|n| id(*n).into()).collect();
        let event =
            Event { undoes: names(undoes), resolution, ..Event::new(action, names(targets)) };
        line(n, Body::Event(event), &[])
    }

    /// Returns the hash of the text of each record.
    fn hash_in(memory: &Memory) -> impl Fn(&Referent) -> Option<String> {
        |memory_id| Some(short_hash(&memory.record(memory_id.record_id()?)?.text()))
    }

    /// Returns the state and the memories of the contradictions of some lines.
    fn states(lines: &[Line]) -> Vec<(ContradictionState, [Referent; 2])> {
        let memory = fold(lines.to_vec(), None);
        let found = memory.contradictions(hash_in(&memory));
        found.into_iter().map(|it| (it.state, it.memories)).collect()
    }

    fn pair(a: u128, b: u128) -> [Referent; 2] {
        [id(a).into(), id(b).into()]
    }

    fn found() -> Vec<Line> {
        vec![fact(1, "five", &[]), fact(2, "six", &[]), contradiction(3, (1, "five"), (2, "six"))]
    }

    fn with(more: &[Line]) -> Vec<Line> {
        [&found(), more].concat()
    }

    #[test]
    fn a_contradiction_is_open_while_both_memories_are_active() {
        assert_eq!(states(&found()), [(ContradictionState::Open, pair(1, 2))]);
        let archived = with(&[event(4, EventAction::Archive, &[2], &[], None)]);
        assert_eq!(states(&archived)[0].0, ContradictionState::Closed);
        let replaced = with(&[fact(4, "seven", &[2])]);
        assert_eq!(states(&replaced)[0].0, ContradictionState::Closed);
    }

    #[test]
    fn a_contradiction_follows_a_memory_to_a_successor_with_the_same_text() {
        let body = Body::Fact(fact_in(FactSection::Constraints, "six"));
        let moved = with(&[line(4, body, &[2])]);
        assert_eq!(states(&moved), [(ContradictionState::Open, pair(1, 4))]);
    }

    #[test]
    fn that_both_hold_is_remembered_and_can_be_undone() {
        let dismissal = event(4, EventAction::Resolve, &[3], &[], Some(Resolution::BothValid));
        assert_eq!(
            states(&with(std::slice::from_ref(&dismissal)))[0].0,
            ContradictionState::Resolved
        );
        let undone = event(5, EventAction::Unresolve, &[], &[4], None);
        assert_eq!(states(&with(&[dismissal, undone]))[0].0, ContradictionState::Open);
    }

    #[test]
    fn a_resolution_that_is_undone_opens_the_contradiction_again() {
        let resolved = with(&[
            fact(4, "six", &[1, 2]),
            event(5, EventAction::Resolve, &[3], &[], Some(Resolution::BWins)),
        ]);
        assert_eq!(states(&resolved)[0].0, ContradictionState::Resolved);
        let undone = [&resolved[..], &[event(6, EventAction::Undo, &[4], &[], None)]].concat();
        assert_eq!(states(&undone), [(ContradictionState::Open, pair(1, 2))]);
    }

    #[test]
    fn two_branches_that_find_the_same_state_it_once() {
        let twice = with(&[contradiction(7, (1, "five"), (2, "six"))]);
        assert_eq!(states(&twice).len(), 1);
        let dismissed =
            [&twice[..], &[event(8, EventAction::Resolve, &[7], &[], Some(Resolution::BothValid))]]
                .concat();
        assert_eq!(states(&dismissed), [(ContradictionState::Resolved, pair(1, 2))]);
    }

    #[test]
    fn records_of_equal_memories_are_one_contradiction_with_all_their_ids() {
        // Another branch stored the first fact again, and found the contradiction with that record.
        let copy = contradiction(7, (6, "five"), (2, "six"));
        let merged = with(&[fact(6, "five", &[]), copy.clone()]);
        assert_eq!(states(&merged), [(ContradictionState::Open, pair(1, 2))]);
        let memory = fold(merged, None);
        let of_copy = match &copy.record.body {
            Body::Contradiction(body) => body.id(),
            other => panic!("{other:?}"),
        };
        assert_eq!(memory.contradictions(hash_in(&memory))[0].other_ids, [of_copy]);
    }

    #[test]
    fn a_reworded_entry_makes_another_contradiction() {
        let of_entry = |n: u128, text: &str| {
            let body = ContradictionRecord {
                a: id(1).into(),
                b: Referent::entry("3f2a"),
                score: 0.9,
                certainty: "certain".into(),
                aspect: "number".into(),
                reason: String::new(),
                text_hashes: vec![short_hash("five"), short_hash(text)],
            };
            line(n, Body::Contradiction(Box::new(body)), &[])
        };
        let dismissal = event(4, EventAction::Resolve, &[3], &[], Some(Resolution::BothValid));
        let lines = [fact(1, "five", &[]), of_entry(3, "six"), dismissal, of_entry(5, "seven")];
        let memory = fold(lines, None);
        for (text, expected) in [("seven", (false, true)), ("six", (true, false))] {
            let found = memory.contradictions(|memory_id| match memory_id {
                Referent::Entry(_) => Some(short_hash(text)),
                other => hash_in(&memory)(other),
            });
            assert_eq!((found[0].is_current, found[1].is_current), expected, "{text}");
            assert_eq!(
                found.iter().any(|it| it.state == ContradictionState::Open),
                text == "seven",
                "what was dismissed is the other text"
            );
        }
    }

    #[test]
    fn what_is_known_about_a_memory_is_known_about_what_repeats_or_replaces_it() {
        let archive = event(4, EventAction::Archive, &[2], &[], None);
        let dismissal = event(5, EventAction::Resolve, &[3], &[], Some(Resolution::BothValid));
        let known = |lines: &[Line], text: &str| {
            let (five, hash) = (short_hash("five"), short_hash(text));
            fold(lines.to_vec(), None)
                .earlier_contradiction((&id(1).into(), &five), (&[id(2).into()], &hash))
                .map(|it| it.is_dismissed)
        };
        assert_eq!(known(&found(), "six"), Some(false));
        assert_eq!(known(&with(std::slice::from_ref(&archive)), "six"), Some(false));
        assert_eq!(known(&with(&[archive, dismissal]), "six"), Some(true));
        assert_eq!(known(&found(), "seven"), None);
    }
}
