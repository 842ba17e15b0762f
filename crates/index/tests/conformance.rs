//! The index passes the conformance suite: built at once, built incrementally, or overlaid in memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeMap;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use heirloom_core::fold::Standing;
use heirloom_core::recall::{AnswerUnit, Corpus, Passage, Question, Slot, filter_term, rank};
use heirloom_index::{
    ChangedFile, Filter, Index, IndexFolder, Snapshot, Source, StandingFilter, Update,
};
use heirloom_testkit::SeededRng;
use heirloom_testkit::corpus::{CharacterEmbedder, UniversalLexicon, check};

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

/// Creates a passage with a text and a mark, and no other property.
fn passage(name: String, text: String) -> Passage {
    Passage {
        subject_override: None,
        name,
        text,
        title: None,
        summary: None,
        filter_terms: vec![filter_term("kind", "finding").into()],
        may_instruct: true,
        group: None,
        position: 0,
        day: None,
        confidence: None,
        duplicate_of: None,
        standing: Standing::Active,
        part: None,
    }
}

/// Creates a document with random passages.
fn random_document(path: &str, chance: &mut SeededRng) -> ChangedFile {
    let group = (chance.below(3) > 0).then(|| format!("document:{path}"));
    let passages = (0..chance.below(6)).map(|number| {
        let text: Vec<&str> =
            (0..chance.below(9)).filter_map(|_| chance.pick(WORDS).copied()).collect();
        Passage {
            title: (chance.below(4) == 0).then(|| "token budget".to_owned()),
            summary: (chance.below(4) == 0).then(|| "a summary of the ledger".to_owned()),
            group: group.clone(),
            position: chance.below(3) as i64,
            day: (chance.below(2) == 0).then(|| jiff::civil::date(2026, 1, 1 + number as i8)),
            confidence: (chance.below(2) == 0).then_some(chance.below(101) as f64 / 100.0),
            ..passage(format!("entry:{number}@{path}"), text.join(" "))
        }
    });
    document(path, passages.collect())
}

fn document(path: &str, passages: Vec<Passage>) -> ChangedFile {
    let source = Source { path: path.to_owned(), ..Source::default() };
    ChangedFile { passages, source, ..ChangedFile::default() }
}

/// The passages that an index should hold, by the path of their document.
#[derive(Default)]
struct Expected(BTreeMap<String, Vec<Passage>>);

impl Expected {
    /// Returns the passages by the slots that an index gave them.
    fn by_slot(&self, snapshot: &Snapshot) -> BTreeMap<Slot, Passage> {
        let by_name: BTreeMap<&str, &Passage> =
            self.0.values().flatten().map(|passage| (passage.name.as_str(), passage)).collect();
        let mut by_slot = BTreeMap::new();
        for slot in 0..100_000 {
            if by_slot.len() == by_name.len() {
                break;
            }
            if let Some(subject) = snapshot.subject(slot).unwrap() {
                by_slot.insert(slot, (*by_name[subject.to_string().as_str()]).clone());
            }
        }
        assert_eq!(by_slot.len(), by_name.len(), "a passage is missing");
        by_slot
    }

    fn check(&self, snapshot: &Snapshot) {
        check(&snapshot.view(StandingFilter::Active, &Filter::default()), &self.by_slot(snapshot));
    }

    fn add(&mut self, read: &ChangedFile) {
        self.0.insert(read.source.path.clone(), read.passages.clone());
    }

    /// Creates an update that adds, changes or removes up to four of five documents.
    fn random_update(&mut self, chance: &mut SeededRng) -> Update {
        let mut update = Update::default();
        for _ in 0..1 + chance.below(4) {
            let path = format!("plans/{}.md", chance.below(5));
            let is_known = self.0.contains_key(&path);
            let is_changed = update.changed.iter().any(|read| read.source.path == path);
            if is_changed || update.removed.contains(&path) {
                continue;
            }
            if is_known && chance.below(3) == 0 {
                self.0.remove(&path);
                update.removed.push(path);
            } else {
                let read = random_document(&path, chance);
                self.add(&read);
                update.changed.push(read);
            }
        }
        update
    }

    /// Creates an update that adds all documents.
    fn as_update(&self) -> Update {
        let read = self.0.iter().map(|(path, passages)| document(path, passages.clone()));
        Update { changed: read.collect(), ..Update::default() }
    }
}

#[test]
fn an_index_passes_the_suite_however_it_was_built() {
    for seed in 0..12 {
        let mut chance = SeededRng::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let opened = Dir::open_ambient_dir(folder.path(), ambient_authority());
        let index =
            Index::new(IndexFolder::new(folder.path().to_path_buf(), opened), &CharacterEmbedder);
        let lock = index.lock().unwrap();
        let mut snapshot = index.create(&lock).unwrap();
        let mut expected = Expected::default();
        for _ in 0..6 {
            let update = expected.random_update(&mut chance);
            snapshot =
                index.commit(&lock, snapshot, update, &CharacterEmbedder, &|_, _| {}).unwrap();
            expected.check(&snapshot);
        }
        expected.check(&index.build_in_memory(expected.as_update(), &CharacterEmbedder).unwrap());
        let read = random_document("plans/overlay.md", &mut chance);
        expected.add(&read);
        let update = Update { changed: vec![read], ..Update::default() };
        expected.check(&index.overlay_in_memory(snapshot, update, &CharacterEmbedder).unwrap());
    }
}

#[test]
fn the_best_of_many_memories_with_common_words_are_ranked_first() {
    const COUNT: usize = 5_000;
    let is_best = |number: usize| number % 500 == 3;
    let passages = (0..COUNT).map(|number| {
        let text =
            if is_best(number) { "the budget of the quokka" } else { "the budget of the ledger" };
        passage(format!("entry:{number}"), text.to_owned())
    });
    let read = vec![document("plans/all.md", passages.collect())];
    let index = Index::new(IndexFolder::unavailable(), &CharacterEmbedder);
    let snapshot = index
        .build_in_memory(Update { changed: read, ..Update::default() }, &CharacterEmbedder)
        .unwrap();
    let today = jiff::civil::date(2026, 1, 1);
    let question = Question::new("the budget of the quokka", vec![], today, &UniversalLexicon);
    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let ranked = rank(&view, &question, AnswerUnit::Memory, 10);
    let subject = |slot: Slot| snapshot.subject(slot).unwrap().unwrap().to_string();
    let mut names: Vec<String> = ranked.iter().map(|scored| subject(scored.slot)).collect();
    let best = (0..COUNT).filter(|number| is_best(*number));
    let mut best: Vec<String> = best.map(|number| format!("entry:{number}")).collect();
    names.sort();
    best.sort();
    assert_eq!(names, best);
}

/// Returns a passage of a group whose text has three chunks, with a word that is only in the second one.
fn long_passage(position: i64, name: &str) -> Passage {
    let sentence = |word: &str| format!("{}{word} ends here.", "ledger ".repeat(57));
    let text = [sentence("first"), sentence("quokka"), sentence("third")].join(" ");
    Passage { group: Some("talk".to_owned()), position, ..passage(name.to_owned(), text) }
}

fn short_passage(position: i64, name: &str, text: &str) -> Passage {
    Passage {
        group: Some("talk".to_owned()),
        position,
        ..passage(name.to_owned(), text.to_owned())
    }
}

/// Returns the subjects of all chunks in the order in which they follow each other, and the numbers of the chunks.
fn chain(snapshot: &Snapshot) -> Vec<(String, usize)> {
    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let members: Vec<Slot> =
        (0..view.slot_bound() as Slot).filter(|slot| view.contains(*slot)).collect();
    let mut slot = members.iter().copied().find(|slot| view.previous(*slot).is_none());
    let mut chain = vec![];
    while let Some(current) = slot {
        let subject = snapshot.subject(current).unwrap().unwrap().to_string();
        chain.push((subject, snapshot.chunk_number(current)));
        slot = view.next(current);
        assert!(slot.is_none_or(|next| view.previous(next) == Some(current)));
    }
    assert_eq!(chain.len(), members.len());
    chain
}

#[test]
fn the_chunks_of_a_long_text_are_neighbours_and_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Dir::open_ambient_dir(folder.path(), ambient_authority());
    let index =
        Index::new(IndexFolder::new(folder.path().to_path_buf(), opened), &CharacterEmbedder);
    let lock = index.lock().unwrap();
    let commit = |snapshot: Snapshot, update: Update| {
        index.commit(&lock, snapshot, update, &CharacterEmbedder, &|_, _| {}).unwrap()
    };
    let change = |path: &str, passages: Vec<Passage>| Update {
        changed: vec![document(path, passages)],
        ..Update::default()
    };
    let named = |name: &str, chunk: usize| (name.to_owned(), chunk);
    let snapshot = index.create(&lock).unwrap();
    let snapshot = commit(snapshot, change("a.md", vec![short_passage(1, "entry:a", "before")]));
    let snapshot = commit(snapshot, change("b.md", vec![long_passage(2, "entry:b")]));
    let snapshot = commit(snapshot, change("c.md", vec![short_passage(3, "entry:c", "after")]));
    let all = [named("entry:a", 0), named("entry:b", 0), named("entry:b", 1), named("entry:b", 2)];
    assert_eq!(chain(&snapshot), [&all[..], &[named("entry:c", 0)]].concat());

    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let question =
        Question::new("quokka", vec![], jiff::civil::date(2026, 1, 1), &UniversalLexicon);
    let ranked = rank(&view, &question, AnswerUnit::Memory, 10);
    let found: Vec<(String, usize)> = ranked
        .iter()
        .filter(|ranked| ranked.is_answer())
        .map(|ranked| {
            let subject = snapshot.subject(ranked.slot).unwrap().unwrap().to_string();
            (subject, snapshot.chunk_number(ranked.slot))
        })
        .collect();
    assert_eq!(found[0], named("entry:b", 1));
    assert_eq!(found.iter().filter(|(name, _)| name == "entry:b").count(), 1, "{found:?}");
    assert_eq!((view.size(), view.passage_count()), (5, 3));
    let mut postings = vec![];
    view.postings("ledger", &mut postings);
    assert_eq!((postings.len(), view.count_passages(&postings)), (3, 1));
    let everything = Filter { terms: vec![("kind", vec!["finding".to_owned()])] };
    assert_eq!(snapshot.subjects_in(StandingFilter::Active, &everything).unwrap().len(), 3);
    drop(view);

    let update = Update { removed: vec!["b.md".to_owned()], ..Update::default() };
    let snapshot = commit(snapshot, update);
    assert_eq!(chain(&snapshot), [named("entry:a", 0), named("entry:c", 0)]);
    let snapshot = commit(snapshot, change("a.md", vec![long_passage(1, "entry:a")]));
    assert_eq!(chain(&snapshot).len(), 4);
    assert_eq!(snapshot.subjects_in(StandingFilter::Active, &everything).unwrap().len(), 2);
}
