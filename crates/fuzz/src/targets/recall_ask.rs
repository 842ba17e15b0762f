//! Questions to the index.

use heirloom_core::embedding::Embedder;
use heirloom_core::fold::Standing;
use heirloom_core::recall::{AnswerUnit, Passage, Question, RankedMemory, rank};
use heirloom_index::{ChangedFile, Filter, Index, IndexFolder, Source, StandingFilter, Update};
use jiff::civil::Date;

use crate::signature::Signature;

/// The limit of results.
const MOST: usize = 10;
/// The most lines of the input that become memories.
const REMEMBERED: usize = 40;
/// The day of the question.
const TODAY: Date = jiff::civil::date(2026, 2, 22);

/// Asks a question, the first line of the input, of memories, the other lines: ranking never panics, is deterministic
/// and sorted, scores are finite, and a memory with the text of the question is an answer.
pub fn recall_ask(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    let (query, rest) = text.split_once('\n').unwrap_or((text, ""));
    let memories: Vec<&str> = rest.lines().take(REMEMBERED).collect();
    let model = heirloom_embed::builtin();
    let read = ChangedFile {
        source: Source { path: "notes.md".to_owned(), ..Source::default() },
        passages: memories.iter().enumerate().map(|(at, text)| passage(at, text)).collect(),
        ..ChangedFile::default()
    };
    let update = Update { changed: vec![read], ..Update::default() };
    let snapshot = Index::new(IndexFolder::unavailable(), model)
        .build_in_memory(update, model)
        .unwrap_or_else(|error| panic!("memories are not taken: {error}"));
    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let vector =
        model.embed_one(query).unwrap_or_else(|error| panic!("a question has no vector: {error}"));
    let question = Question::new(query, vector, TODAY, model);
    let answers = rank(&view, &question, AnswerUnit::Memory, MOST);
    assert_eq!(
        answers,
        rank(&view, &question, AnswerUnit::Memory, MOST),
        "ranking is not deterministic"
    );
    assert!(answers.len() <= MOST.min(memories.len()), "more answers than there are memories");
    assert!(answers.iter().all(|answer| answer.score.is_finite()), "a score is not finite");
    assert!(answers.is_sorted_by(|a, b| a.score >= b.score), "the best is not first");
    let is_said = memories.contains(&query) && !question.terms.is_empty();
    assert!(
        !is_said || answers.iter().any(RankedMemory::is_answer),
        "a memory with the text of the question is no answer"
    );
    let answering = answers.iter().filter(|answer| answer.is_answer()).count();
    let repeats = answers.iter().any(|answer| answer.parts.is_repetition);
    Signature::of((answering.min(4), question.terms.len().min(8), question.time.is_some(), repeats))
}

fn passage(at: usize, text: &str) -> Passage {
    let name = format!("entry:{at}");
    Passage {
        subject_override: None,
        name,
        text: text.to_owned(),
        title: None,
        summary: None,
        filter_terms: vec![],
        may_instruct: true,
        group: Some("document:notes.md".to_owned()),
        position: at as i64,
        day: None,
        confidence: None,
        duplicate_of: None,
        standing: Standing::Active,
        part: None,
    }
}
