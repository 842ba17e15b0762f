//! An index of transcripts answers the same however it was built: at once, in parts, with transcripts that grew, were
//! taken out or were read again.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![allow(clippy::disallowed_methods, reason = "the test damages files of an index on purpose")]

use heirloom_core::embedding::Embedder;
use heirloom_core::recall::Question;
use heirloom_core::transcript::Role;
use heirloom_index::cold::{
    ChunkBatch, ColdFilter, ColdIndex, ColdSnapshot, MessageToIndex, StoredTranscript,
    TranscriptUpdate,
};
use heirloom_index::{IndexError, IndexFolder};
use heirloom_testkit::SeededRng;
use heirloom_testkit::corpus::{CharacterEmbedder, UniversalLexicon};
use tempfile::TempDir;

/// A transcript: its name and its messages.
type Conversation = (String, Vec<String>);

struct Harness {
    folder: TempDir,
    index: ColdIndex,
}

impl Harness {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let index = open(&folder);
        Harness { folder, index }
    }

    /// Indexes messages from some number on, in one commit; takes transcripts out first.
    fn write(&self, conversations: &[(&Conversation, usize)], removed: &[&str]) {
        let mut writer = self.index.write(self.index.lock().unwrap()).unwrap();
        let stored = writer.transcripts().unwrap();
        let id_of = |name: &str| stored.iter().find(|it| it.name == name).map_or(0, |it| it.id);
        if !removed.is_empty() {
            let ids: Vec<i64> = removed.iter().map(|name| id_of(name)).collect();
            writer.remove(&ids, []).unwrap();
        }
        let mut pending = conversations.iter().enumerate();
        let mut fill = |batch: &mut ChunkBatch| -> Result<bool, IndexError> {
            while !batch.is_full() {
                let Some((number, ((_, messages), from))) = pending.next() else {
                    return Ok(false);
                };
                for (line, text) in messages.iter().enumerate().skip(*from) {
                    let role = if line % 2 == 0 { Role::User } else { Role::Assistant };
                    let message = MessageToIndex {
                        text,
                        offset: line as u64 * 100,
                        line: line as u32 + 1,
                        part: 0,
                        role,
                        day: Some(20_000 + line as i32 % 50),
                    };
                    batch.push(number, &message);
                }
            }
            Ok(true)
        };
        let built = writer.build(&CharacterEmbedder, &mut fill).unwrap();
        assert!(built.is_last());
        let updates: Vec<(usize, TranscriptUpdate)> = conversations
            .iter()
            .enumerate()
            .map(|(number, ((name, messages), from))| {
                let id = id_of(name);
                let transcript = StoredTranscript {
                    id,
                    name: name.clone(),
                    agent: name[..1].to_owned(),
                    session: None,
                    title: None,
                    stamp: Some(messages.len().to_string()),
                    state: String::new(),
                    bytes: messages.len() as u64,
                    problems: vec![],
                };
                (number, TranscriptUpdate { transcript, replaces: id != 0 && *from == 0 })
            })
            .collect();
        writer.commit(built, &updates).unwrap();
    }

    fn open(&self) -> ColdSnapshot {
        self.index.open(None).unwrap().unwrap()
    }

    /// Returns the places and scores of answers to a question.
    fn ask(&self, question: &str, filter: &ColdFilter<'_>) -> Vec<(String, u32, u16, String)> {
        let snapshot = self.open();
        let vector = CharacterEmbedder.embed_one(question).unwrap();
        let today = jiff::civil::date(2026, 2, 22);
        let question = Question::new(question, vector, today, &UniversalLexicon);
        let ranked = snapshot.view(filter).rank(&question, 20);
        let place = |ranked: heirloom_core::recall::RankedMemory| {
            let (transcript, place) = snapshot.place(ranked.slot).unwrap();
            (transcript.name.clone(), place.line, place.chunk, format!("{:.6}", ranked.score))
        };
        ranked.into_iter().map(place).collect()
    }
}

fn open(folder: &TempDir) -> ColdIndex {
    let dir = cap_std::fs::Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority());
    ColdIndex::new(IndexFolder::new(folder.path().to_path_buf(), dir), &CharacterEmbedder)
}

const WORDS: &[&str] = &[
    "cache", "index", "table", "invoice", "refund", "login", "token", "queue", "retry", "schema",
    "graph", "vector", "deploy", "branch", "review", "budget", "kernel", "parser", "socket",
    "thread",
];

fn conversations(count: usize) -> Vec<Conversation> {
    let mut rng = SeededRng::new(7);
    (0..count)
        .map(|number| {
            let messages = (0..3 + rng.below(9)).map(|_| {
                let words = 5 + rng.below(120);
                let words: Vec<&str> = (0..words).map(|_| *rng.pick(WORDS).unwrap()).collect();
                words.join(" ") + "."
            });
            (format!("{}-{number}.jsonl", ["a", "b"][number % 2]), messages.collect())
        })
        .collect()
}

const QUESTIONS: &[&str] =
    &["invoice refund", "retry the queue", "graph", "kernel thread socket", "cache"];

#[test]
fn an_index_that_was_built_in_parts_answers_like_one_that_was_built_at_once() {
    let all = conversations(40);
    let at_once = Harness::new();
    at_once.write(&all.iter().map(|it| (it, 0)).collect::<Vec<_>>(), &[]);
    let in_parts = Harness::new();
    // First the beginnings, and some that will be taken out.
    let gone: Vec<Conversation> =
        conversations(6).into_iter().map(|(name, it)| (format!("gone-{name}"), it)).collect();
    let begun: Vec<Conversation> =
        all.iter().map(|(name, it)| (name.clone(), it[..it.len() / 2].to_vec())).collect();
    in_parts.write(&begun[..10].iter().map(|it| (it, 0)).collect::<Vec<_>>(), &[]);
    in_parts.write(&gone.iter().map(|it| (it, 0)).collect::<Vec<_>>(), &[]);
    for part in begun[10..].chunks(7) {
        in_parts.write(&part.iter().map(|it| (it, 0)).collect::<Vec<_>>(), &[]);
    }
    // Some are read again, the others grow.
    let removed: Vec<&str> = gone.iter().map(|(name, _)| name.as_str()).collect();
    in_parts.write(&all[..5].iter().map(|it| (it, 0)).collect::<Vec<_>>(), &removed);
    for part in all[5..].chunks(4) {
        in_parts.write(&part.iter().map(|it| (it, it.1.len() / 2)).collect::<Vec<_>>(), &[]);
    }
    let (whole, parts) = (at_once.open(), in_parts.open());
    assert_eq!(whole.message_count(), parts.message_count());
    assert_eq!(whole.chunk_count(), parts.chunk_count());
    assert!(parts.segment_count() > 1, "{}", parts.segment_count());
    let of_a = |transcript: &StoredTranscript| transcript.agent == "a";
    for question in QUESTIONS {
        for filter in [
            ColdFilter::default(),
            ColdFilter { transcript: Some(&of_a), since: None },
            ColdFilter { transcript: None, since: Some(20_004) },
        ] {
            let expected = at_once.ask(question, &filter);
            assert!(!expected.is_empty(), "{question}");
            assert_eq!(in_parts.ask(question, &filter), expected, "{question}");
        }
    }
}

#[test]
fn threads_number_terms_in_the_order_of_their_batches() {
    // So many messages that some wait, each with a word of its own.
    let texts =
        |first: usize| (first..first + 500).map(|number| format!("Only here: word{number}q."));
    let all: Vec<Conversation> =
        (0..40).map(|at| (format!("a-{at:02}"), texts(at * 500).collect())).collect();
    let harness = Harness::new();
    harness.write(&all.iter().map(|it| (it, 0)).collect::<Vec<_>>(), &[]);
    for number in [0, 511, 512, 7_777, 13_000, 19_999] {
        let (name, line, ..) = &harness.ask(&format!("word{number}q"), &ColdFilter::default())[0];
        assert_eq!(
            (name.as_str(), *line as usize),
            (&*format!("a-{:02}", number / 500), number % 500 + 1)
        );
    }
}

#[test]
fn what_does_not_pass_the_filter_is_in_no_answer() {
    let all = conversations(20);
    let harness = Harness::new();
    harness.write(&all.iter().map(|it| (it, 0)).collect::<Vec<_>>(), &[]);
    let of_b = |transcript: &StoredTranscript| transcript.agent == "b";
    let filter = ColdFilter { transcript: Some(&of_b), since: Some(20_002) };
    let answers = harness.ask("invoice refund", &filter);
    assert!(!answers.is_empty());
    assert!(
        answers.iter().all(|(name, line, ..)| name.starts_with('b') && *line > 2),
        "{answers:?}"
    );
}

#[test]
fn a_damaged_or_foreign_index_is_not_opened_and_is_replaced() {
    let all = conversations(3);
    let pending: Vec<(&Conversation, usize)> = all.iter().map(|it| (it, 0)).collect();
    for extension in ["seg", "chunks", "db"] {
        let harness = Harness::new();
        harness.write(&pending, &[]);
        let files = std::fs::read_dir(harness.folder.path()).unwrap();
        let is_it = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == extension);
        let file = files.map(|entry| entry.unwrap().path()).find(is_it).unwrap();
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        let opened = harness.index.open(None);
        assert!(opened.is_ok_and(|opened| opened.is_none()), "{extension}");
    }
    let original = Harness::new();
    original.write(&pending, &[]);
    let copy = Harness::new();
    for entry in std::fs::read_dir(original.folder.path()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.folder.path().join(entry.file_name())).unwrap();
    }
    assert!(copy.index.open(None).unwrap().is_none(), "it was made elsewhere");
    copy.write(&pending, &[]);
    assert_eq!(copy.open().message_count(), original.open().message_count());
}
