//! The memory log.

use std::collections::BTreeSet;

use heirloom_core::byte_order_mark;
use heirloom_core::fold::{Line, Memory, fold};
use heirloom_core::record::{self, EventAction, RecordKind, Referent};
use heirloom_store::log::Log;

use crate::signature::{Signature, kind_of};

const PATH: &str = "m.jsonl";

/// Parses a shard of the log and folds it: every line is a record, blank or a problem, and neither the order nor the
/// repetition of lines changes the result.
pub fn log_read(data: &[u8]) -> Signature {
    let mut log = Log::default();
    log.parse_text(PATH, data);
    check_all_lines(data, &log);
    log.lines.iter().for_each(|line| check_record(line));
    let lines = log.lines;
    let doubled = [lines.as_slice(), &lines].concat();
    let reversed: Vec<Box<Line>> = lines.iter().rev().cloned().collect();
    let halves = lines.split_at(lines.len() / 2);
    let turned = [halves.1, halves.0, halves.1].concat();
    for as_of in [None, lines.first().map(|line| line.record.at)] {
        let known = shown(&fold(lines.clone(), as_of));
        for (how, other) in [("twice", &doubled), ("backwards", &reversed), ("turned", &turned)] {
            let again = shown(&fold(other.clone(), as_of));
            assert_eq!(known, again, "folding {how} gives another result");
        }
    }
    let memory = fold(lines.clone(), None);
    let standings: BTreeSet<_> = lines
        .iter()
        .map(|line| (line.record.kind(), memory.standing(&line.record.id.into())))
        .collect();
    let problems = log.problems.iter().chain(memory.problems());
    let problems: Vec<String> = problems.map(|problem| kind_of(&problem.message)).take(3).collect();
    let standings: Vec<_> =
        standings.iter().map(|(kind, standing)| (*kind, standing.as_str())).collect();
    Signature::of((standings, problems, memory.forks().len().min(3), memory.edges().len().min(3)))
}

fn check_all_lines(data: &[u8], log: &Log) {
    let mut records = log.lines.iter().map(|line| line.place.line).peekable();
    for (number, line) in (1..).zip(data.split(|byte| *byte == b'\n')) {
        let line = byte_order_mark::strip_bytes(line);
        let is_record = records.next_if_eq(&number).is_some();
        let is_blank = line.trim_ascii().is_empty();
        let is_problem = log.problems.iter().any(|problem| problem.line == number);
        assert!(is_record || is_blank || is_problem, "line {number} was dropped silently");
        assert!(!(is_record && is_blank), "the blank line {number} is a record");
    }
    assert_eq!(records.next(), None, "a record without a line");
    let of_another = log.problems.iter().find(|problem| problem.path != PATH);
    assert_eq!(of_another, None, "a problem of another file");
}

/// Checks that a parsed record can be written and parsed again.
fn check_record(line: &Line) {
    let written = match record::write(&line.record) {
        Ok(written) => written,
        Err(error) => panic!("{:?} cannot be written: {error}", line.record),
    };
    assert!(!written.contains('\n'), "a record of several lines: {written}");
    assert_eq!(record::read(written.as_bytes()), Ok(Some(line.record.clone())), "{written}");
}

/// Describes a folded memory, to compare it with another.
fn shown(memory: &Memory) -> Vec<String> {
    let mut shown = Vec::new();
    for kind in RecordKind::ALL {
        for item in memory.items(kind) {
            let (place, standing) = (item.place, item.standing);
            shown.push(format!("{} {:?} {place:?} {standing:?}", item.id, item.record));
        }
    }
    for record in memory.records() {
        let id = Referent::Record(record.id);
        for name in record.referents().into_iter().chain([&id]) {
            let acts = [
                EventAction::Archive,
                EventAction::Pin,
                EventAction::Reinforce,
                EventAction::Resolve,
                EventAction::Undo,
            ];
            shown.push(format!(
                "{name} {} {:?} {:?} {:?}",
                memory.canonical(name),
                memory.standing(name),
                memory.heads(name),
                acts.map(|action| memory.events(action, name)),
            ));
        }
    }
    shown.push(format!("{:?} {:?}", memory.forks(), memory.edges()));
    shown
}
