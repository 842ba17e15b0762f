use proptest::prelude::*;

use super::*;
use crate::record::{Event, Fact, FactSection, Tombstone};

fn id(n: u128) -> Uuid {
    Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0000 + n)
}

fn line(record: Record) -> Line {
    let written = crate::record::write(&record).unwrap();
    let place = LineLocation { path: "log.jsonl".into(), line: 1, is_local: false };
    Line::new(record, written.as_bytes(), place)
}

fn fact(n: u128, text: &str, supersedes: &[u128]) -> Line {
    let body = Body::Fact(Fact {
        section: FactSection::Decisions,
        content: text.to_owned(),
        key: None,
        value: None,
        scope: None,
    });
    let mut record =
        Record::new(id(n), Timestamp::from_second(n as i64 * 86_400).unwrap(), "", body);
    record.supersedes = supersedes.iter().map(|n| id(*n).into()).collect();
    line(record)
}

fn event(n: u128, action: EventAction, targets: &[u128], undoes: &[u128]) -> Line {
    let names = |list: &[u128]| list.iter().map(|n| id(*n).into()).collect();
    let body = Body::Event(Event { undoes: names(undoes), ..Event::new(action, names(targets)) });
    line(Record::new(id(n), Timestamp::from_second(n as i64 * 86_400).unwrap(), "", body))
}

fn tombstone(n: u128, purged: u128, supersedes: &[u128]) -> Line {
    let body = Body::Tombstone(Tombstone { purged: id(purged).into(), line_hashes: vec![] });
    let mut record =
        Record::new(id(n), Timestamp::from_second(n as i64 * 86_400).unwrap(), "", body);
    record.supersedes = supersedes.iter().map(|n| id(*n).into()).collect();
    line(record)
}

fn standing(memory: &Memory, n: u128) -> Standing {
    memory.standing(&id(n).into())
}

fn heads(memory: &Memory, n: u128) -> Vec<Referent> {
    memory.heads(&id(n).into())
}

#[test]
fn the_head_of_a_chain_is_the_last_successor() {
    let memory = fold(vec![fact(3, "c", &[2]), fact(1, "a", &[]), fact(2, "b", &[1])], None);
    assert_eq!(standing(&memory, 1), Standing::Superseded);
    assert_eq!(heads(&memory, 1), [id(3).into()]);
}

#[test]
fn archiving_a_successor_does_not_restore_what_it_replaced() {
    let memory = fold(
        vec![fact(1, "a", &[]), fact(2, "b", &[1]), event(9, EventAction::Archive, &[2], &[])],
        None,
    );
    assert_eq!(standing(&memory, 1), Standing::Superseded);
    assert_eq!(standing(&memory, 2), Standing::Archived);
}

#[test]
fn an_archive_is_valid_until_an_event_undoes_it_whatever_the_dates() {
    let archived = [fact(1, "a", &[]), event(9, EventAction::Archive, &[1], &[])];
    let restore = event(2, EventAction::Restore, &[], &[9]);
    assert_eq!(standing(&fold(archived.to_vec(), None), 1), Standing::Archived);
    let restored = [archived.as_slice(), &[restore]].concat();
    assert_eq!(standing(&fold(restored.clone(), None), 1), Standing::Active);
    let again = [restored.as_slice(), &[event(3, EventAction::Archive, &[1], &[])]].concat();
    assert_eq!(standing(&fold(again, None), 1), Standing::Archived);
}

#[test]
fn undoing_a_supersession_withdraws_the_successor() {
    let lines = [fact(1, "a", &[]), fact(2, "b", &[1]), event(9, EventAction::Undo, &[2], &[])];
    let memory = fold(lines.to_vec(), None);
    assert_eq!((standing(&memory, 1), heads(&memory, 1)), (Standing::Active, vec![id(1).into()]));
    assert_eq!(standing(&memory, 2), Standing::Archived);
    let restored = [&lines[..], &[event(10, EventAction::Restore, &[], &[9])]].concat();
    let memory = fold(restored, None);
    assert_eq!(
        (standing(&memory, 1), standing(&memory, 2)),
        (Standing::Superseded, Standing::Active)
    );
}

#[test]
fn a_withdrawn_record_that_another_branch_replaced_is_a_fork() {
    let lines = [
        fact(1, "a", &[]),
        fact(2, "b", &[1]),
        fact(3, "c", &[2]),
        event(9, EventAction::Undo, &[2], &[]),
    ];
    let memory = fold(lines.to_vec(), None);
    assert_eq!(standing(&memory, 2), Standing::Superseded);
    assert_eq!(
        memory.forks(),
        [Fork { replaced: id(1).into(), heads: vec![id(1).into(), id(3).into()] }]
    );
    let resolved = [&lines[..], &[fact(4, "d", &[1, 3])]].concat();
    assert_eq!(fold(resolved, None).forks(), []);
}

#[test]
fn undoing_one_of_two_equal_supersessions_leaves_the_other() {
    let lines = vec![
        fact(1, "a", &[]),
        fact(2, "b", &[1]),
        fact(3, "b", &[]),
        event(9, EventAction::Undo, &[2], &[]),
    ];
    let memory = fold(lines, None);
    assert_eq!((standing(&memory, 1), standing(&memory, 2)), (Standing::Active, Standing::Active));
    assert_eq!(memory.forks(), []);
}

#[test]
fn a_purged_record_is_gone_now_and_in_the_past() {
    let lines = [fact(1, "a", &[]), fact(2, "b", &[1]), tombstone(9, 2, &[1])];
    for as_of in [None, Some(Timestamp::from_second(5 * 86_400).unwrap())] {
        let memory = fold(lines.to_vec(), as_of);
        assert_eq!(memory.record(id(2)), None);
    }
    let memory = fold(lines.to_vec(), None);
    assert_eq!(standing(&memory, 1), Standing::Superseded);
    let purged_twice = [&lines[..], &[tombstone(10, 9, &[])]].concat();
    let memory = fold(purged_twice, None);
    assert_eq!(memory.record(id(2)), None, "a tombstone is not purged");
}

#[test]
fn equal_facts_are_one_item_and_an_archive_applies_to_named_ids() {
    let lines = vec![
        fact(2, "Use SQLite.", &[]),
        fact(1, "use  sqlite", &[]),
        event(9, EventAction::Archive, &[1], &[]),
    ];
    let memory = fold(lines, None);
    let items: Vec<Item<'_>> = memory.items(RecordKind::Fact).collect();
    assert_eq!(items.len(), 1);
    assert_eq!(
        (items[0].id, items[0].record.id, items[0].standing),
        (id(1), id(2), Standing::Active)
    );
}

#[test]
fn two_successors_are_a_fork_until_one_record_replaces_both() {
    let fork = vec![fact(1, "a", &[]), fact(2, "b", &[1]), fact(3, "c", &[1])];
    let memory = fold(fork.clone(), None);
    assert_eq!(memory.forks()[0].heads, [id(2).into(), id(3).into()]);
    assert_eq!(standing(&memory, 2), Standing::Active);
    let resolved = [fork.as_slice(), &[fact(4, "d", &[2, 3])]].concat();
    assert_eq!(fold(resolved, None).forks(), []);
}

#[test]
fn a_cycle_of_supersessions_has_no_head() {
    let memory = fold(vec![fact(1, "a", &[2]), fact(2, "b", &[1])], None);
    assert_eq!(heads(&memory, 1), []);
    assert_eq!(standing(&memory, 1), Standing::Superseded);
}

#[test]
fn one_id_with_two_contents_is_reported_and_the_greater_hash_wins() {
    let (a, b) = (fact(1, "a", &[]), fact(1, "b", &[]));
    let one = fold(vec![a.clone(), b.clone()], None);
    let other = fold(vec![b, a], None);
    assert_eq!(one.record(id(1)), other.record(id(1)));
    assert_eq!((one.problems().len(), other.problems().len()), (1, 1));
}

#[test]
fn past_knowledge_and_past_validity_are_distinguished() {
    let mut moved = fact(20, "b", &[1]);
    moved.record.valid_from = day::parse("1970-01-11");
    let lines = vec![fact(1, "a", &[]), moved];
    let early = fold(lines.clone(), Some(Timestamp::from_second(5 * 86_400).unwrap()));
    assert_eq!(standing(&early, 1), Standing::Active);
    let memory = fold(lines, None);
    let valid = |n: u128, on: &str| {
        memory.was_valid(memory.record(id(n)).unwrap(), day::parse(on).unwrap())
    };
    assert!(valid(1, "1970-01-05") && !valid(20, "1970-01-05"));
    assert!(!valid(1, "1970-01-12") && valid(20, "1970-01-12"));
    assert!(!valid(1, "1970-01-01"));
}

#[test]
fn ids_are_found_by_a_suffix() {
    let memory = fold(vec![fact(0x1_0042, "a", &[]), fact(0x2_0042, "b", &[])], None);
    assert_eq!(memory.find("00010042"), IdMatch::One(id(0x1_0042)));
    assert_eq!(memory.find("0042"), IdMatch::Several(vec![id(0x1_0042), id(0x2_0042)]));
    assert_eq!(memory.find("42"), IdMatch::Missing);
    assert_eq!(memory.find("what's"), IdMatch::Missing);
}

fn any_line() -> impl Strategy<Value = Line> {
    let number = 0u128..12;
    let numbers = || proptest::collection::vec(0u128..12, 0..3);
    prop_oneof![
        (number.clone(), "[ab]{1,2}", numbers()).prop_map(|(n, text, old)| fact(n, &text, &old)),
        (12u128..24, numbers()).prop_map(|(n, targets)| event(
            n,
            EventAction::Archive,
            &targets,
            &[]
        )),
        (24u128..36, proptest::collection::vec(12u128..24, 0..3)).prop_map(|(n, undoes)| event(
            n,
            EventAction::Restore,
            &[],
            &undoes
        )),
        (48u128..60, 0u128..12, numbers()).prop_map(|(n, purged, old)| tombstone(n, purged, &old)),
        (36u128..48, numbers()).prop_map(|(n, targets)| event(n, EventAction::Undo, &targets, &[])),
    ]
}

fn describe(memory: &Memory) -> Vec<String> {
    let items = memory.items(RecordKind::Fact).map(|item| {
        format!(
            "{} {:?} {:?} {:?}",
            item.id,
            item.record,
            item.standing,
            memory.heads(&item.id.into())
        )
    });
    items.chain(memory.forks().iter().map(|fork| format!("{fork:?}"))).collect()
}

proptest! {
    #[test]
    fn order_and_repetition_do_not_matter(
        lines in proptest::collection::vec(any_line(), 0..24),
        seed in any::<u64>(),
        repeated in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let expected = describe(&fold(lines.clone(), None));
        let mut other = lines.clone();
        if !lines.is_empty() {
            other.extend(repeated.iter().map(|index| index.get(&lines).clone()));
        }
        let mut state = seed | 1;
        // A Fisher-Yates shuffle with a xorshift generator.
        for index in (1..other.len()).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            other.swap(index, (state % (index as u64 + 1)) as usize);
        }
        prop_assert_eq!(expected, describe(&fold(other, None)));
    }
}
