//! The index keeps what every index promises: made at once, bit by bit, or laid over another.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeMap;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use heirloom_core::fold::Standing;
use heirloom_core::recall::{Passage, Question, Slot, mark, rank};
use heirloom_index::{Filter, Index, IndexFolder, Read, Shelf, Snapshot, Source, Update};
use heirloom_testkit::Chance;
use heirloom_testkit::corpus::{Anything, Letters, check};

const WORDS: &[&str] = &[
    "token",
    "parseFrontMatter",
    "src/auth/login.ts",
    "café",
    "retry",
    "Retries",
    "C++",
    "数据库",
    "the",
    "budget",
    "why?",
    "🎉",
    "schema.ts",
    "HTTPServer",
    "nightly",
    "ledger",
];

/// A memory that says nothing but its text.
fn passage(name: String, text: String) -> Passage {
    Passage {
        own_subject: None,
        name,
        text,
        title: None,
        summary: None,
        marks: vec![mark("kind", "finding").into()],
        group: None,
        position: 0,
        day: None,
        confidence: None,
        repeats: None,
        standing: Standing::Active,
        part: None,
    }
}

/// A document with some memories in it.
fn document(path: &str, chance: &mut Chance) -> Read {
    let group = (chance.below(3) > 0).then(|| format!("document:{path}"));
    let passages = (0..chance.below(6)).map(|at| {
        let text: Vec<&str> =
            (0..chance.below(9)).filter_map(|_| chance.pick(WORDS).copied()).collect();
        Passage {
            title: (chance.below(4) == 0).then(|| "token budget".to_owned()),
            summary: (chance.below(4) == 0).then(|| "a summary of the ledger".to_owned()),
            group: group.clone(),
            position: chance.below(3) as i64,
            day: (chance.below(2) == 0).then(|| jiff::civil::date(2026, 1, 1 + at as i8)),
            confidence: (chance.below(2) == 0).then_some(chance.below(101) as f64 / 100.0),
            ..passage(format!("entry:{at}@{path}"), text.join(" "))
        }
    });
    let source = Source { path: path.to_owned(), ..Source::default() };
    Read { passages: passages.collect(), source, ..Read::default() }
}

/// What should be there, by the slots where it is.
fn by_slots(
    snapshot: &Snapshot,
    there: &BTreeMap<String, Vec<Passage>>,
) -> BTreeMap<Slot, Passage> {
    let named: BTreeMap<&str, &Passage> =
        there.values().flatten().map(|passage| (passage.name.as_str(), passage)).collect();
    let mut found = BTreeMap::new();
    for slot in 0..100_000 {
        if found.len() == named.len() {
            break;
        }
        if let Some(subject) = snapshot.subject(slot).unwrap() {
            found.insert(slot, (*named[subject.as_str()]).clone());
        }
    }
    assert_eq!(found.len(), named.len(), "something is missing");
    found
}

fn check_all(snapshot: &Snapshot, there: &BTreeMap<String, Vec<Passage>>) {
    check(&snapshot.view(Shelf::Active, &Filter::default()), &by_slots(snapshot, there));
}

#[test]
fn an_index_keeps_its_promises_however_it_came_to_be() {
    for seed in 0..12 {
        let mut chance = Chance::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let opened = Dir::open_ambient_dir(folder.path(), ambient_authority());
        let index = Index::at(IndexFolder::new(folder.path().to_path_buf(), opened), &Letters);
        let lock = index.lock().unwrap();
        let mut snapshot = index.begin(&lock).unwrap();
        let mut there: BTreeMap<String, Vec<Passage>> = BTreeMap::new();
        for _ in 0..6 {
            let mut update = Update::default();
            for _ in 0..1 + chance.below(4) {
                let path = format!("plans/{}.md", chance.below(5));
                let is_known = there.contains_key(&path);
                if update.gone.contains(&path)
                    || update.read.iter().any(|read| read.source.path == path)
                {
                    continue;
                }
                if is_known && chance.below(3) == 0 {
                    there.remove(&path);
                    update.gone.push(path);
                } else {
                    let read = document(&path, &mut chance);
                    there.insert(path, read.passages.clone());
                    update.read.push(read);
                }
            }
            snapshot = index.commit(&lock, snapshot, update, &Letters, &|_, _| {}).unwrap();
            check_all(&snapshot, &there);
        }
        let again = Update {
            gone: vec![],
            read: there
                .iter()
                .map(|(path, passages)| Read {
                    source: Source { path: path.clone(), ..Source::default() },
                    passages: passages.clone(),
                    ..Read::default()
                })
                .collect(),
        };
        check_all(&index.in_memory(again, &Letters).unwrap(), &there);
        let read = document("plans/over.md", &mut chance);
        there.insert(read.source.path.clone(), read.passages.clone());
        let over = Update { gone: vec![], read: vec![read] };
        check_all(&index.overlaid(snapshot, over, &Letters).unwrap(), &there);
    }
}

#[test]
fn the_best_of_many_that_hold_a_word_are_found() {
    const ALL: usize = 5_000;
    let is_best = |at: usize| at % 500 == 3;
    let passages = (0..ALL).map(|at| {
        let text =
            if is_best(at) { "the budget of the quokka" } else { "the budget of the ledger" };
        passage(format!("entry:{at}"), text.to_owned())
    });
    let source = Source { path: "plans/all.md".to_owned(), ..Source::default() };
    let read = vec![Read { source, passages: passages.collect(), ..Read::default() }];
    let index = Index::at(IndexFolder::none(), &Letters);
    let snapshot = index.in_memory(Update { gone: vec![], read }, &Letters).unwrap();
    let today = jiff::civil::date(2026, 1, 1);
    let question = Question::new("the budget of the quokka", vec![], today, &Anything);
    let found = rank(&snapshot.view(Shelf::Active, &Filter::default()), &question, 10);
    let mut names: Vec<String> =
        found.iter().map(|scored| snapshot.subject(scored.slot).unwrap().unwrap()).collect();
    let mut best: Vec<String> =
        (0..ALL).filter(|at| is_best(*at)).map(|at| format!("entry:{at}")).collect();
    names.sort();
    best.sort();
    assert_eq!(names, best);
}
