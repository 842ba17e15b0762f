//! Whether what is forgotten is needed later: conversations as memories over time, with a monthly consolidation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use super::workspace::{MeasuredWorkspace, time_of};
use crate::failure::Failure;
use crate::recall::dataset::{Dataset, Document, Question};
use crate::report::{Bar, Report, write_bars};

/// The time between two consolidations.
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How many months consolidation goes on after the last memory.
const MONTHS_AFTER: i32 = 6;

/// How many hits a question gets.
const HITS: usize = 10;

/// How many hits are looked through for an archived memory.
const DEEP_HITS: usize = 50;

/// The least share of memories that are archived.
const MIN_ARCHIVED: f64 = 0.1;

/// The share of later evidence that may be archived.
const MAX_LOST: f64 = 0.01;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct ForgettingReport {
    files: Vec<FileResult>,
    all: Counts,
    /// The share of memories that are archived at the end.
    archived_share: f64,
    /// The share of the evidence of later questions that is archived.
    lost_share: f64,
    /// The archived evidence of later questions.
    lost: Vec<LostEvidence>,
    bars: Vec<Bar>,
}

/// The result of a file.
#[derive(Serialize)]
struct FileResult {
    file: String,
    #[serde(flatten)]
    counts: Counts,
}

/// What is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Counts {
    memories: usize,
    archived: usize,
    /// Questions that were asked while memories came in.
    questions_before: usize,
    /// Questions that are asked after the last consolidation.
    questions_later: usize,
    /// Memories that later questions need.
    needed: usize,
    /// How many of them are archived.
    lost: usize,
    /// How many of these recall finds by the question, as a labelled hit.
    found_by_question: usize,
    /// How many of these recall finds by their own words, as a labelled hit.
    found_by_text: usize,
    /// How many of these are active after they were restored.
    restored: usize,
}

/// A memory that a later question needs, and that is archived.
#[derive(Serialize)]
struct LostEvidence {
    file: String,
    doc: String,
    text: String,
    question: String,
}

/// Measures each file, and adds them up.
pub(crate) fn measure(files: &[PathBuf]) -> Result<ForgettingReport, Failure> {
    let (mut results, mut lost) = (vec![], vec![]);
    for file in files {
        let dataset = Dataset::read(file)?;
        let counts = measure_dataset(file, &dataset, &mut lost)?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        eprintln!("{name}: {} of {} archived", counts.archived, counts.memories);
        results.push(FileResult { file: name, counts });
    }
    Ok(report(results, lost))
}

fn report(files: Vec<FileResult>, lost: Vec<LostEvidence>) -> ForgettingReport {
    let mut all = Counts::default();
    for FileResult { counts, .. } in &files {
        all.add(counts);
    }
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let (archived_share, lost_share) =
        (share(all.archived, all.memories), share(all.lost, all.needed));
    let min = format!("share of memories that are archived >= {MIN_ARCHIVED}");
    let judge_all = |what: &str, count: usize| {
        let found = share(count, all.lost.max(1));
        let found = if all.lost == 0 { 1.0 } else { found };
        Bar::judge(format!("share of archived evidence {what} >= 1"), found, found >= 1.0)
    };
    let bars = vec![
        Bar::judge(min, archived_share, archived_share >= MIN_ARCHIVED),
        Bar::judge(
            format!("share of later evidence that is archived < {MAX_LOST}"),
            lost_share,
            lost_share < MAX_LOST,
        ),
        judge_all("that recall finds, labelled", all.found_by_text),
        judge_all("that is restored", all.restored),
    ];
    ForgettingReport { files, all, archived_share, lost_share, lost, bars }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.memories += other.memories;
        self.archived += other.archived;
        self.questions_before += other.questions_before;
        self.questions_later += other.questions_later;
        self.needed += other.needed;
        self.lost += other.lost;
        self.found_by_question += other.found_by_question;
        self.found_by_text += other.found_by_text;
        self.restored += other.restored;
    }
}

/// Lets time pass in a workspace, and asks the questions.
fn measure_dataset(
    file: &Path,
    dataset: &Dataset,
    lost: &mut Vec<LostEvidence>,
) -> Result<Counts, Failure> {
    let documents: BTreeMap<&str, &Document> =
        dataset.documents.iter().map(|document| (document.doc.as_str(), document)).collect();
    let mut waiting: Vec<(usize, &Document)> = dataset.documents.iter().enumerate().collect();
    waiting.sort_by_key(|(_, document)| time_of(document));
    let (Some((_, first)), Some((_, last))) = (waiting.first(), waiting.last()) else {
        return Ok(Counts::default());
    };
    let end = time_of(last) + MONTH * MONTHS_AFTER;
    let mut now = time_of(first);
    let mut workspace = MeasuredWorkspace::new(now)?;
    // Every second question is asked in the month in which its evidence is complete, the others after the last one.
    let (mut before, later): (Vec<_>, Vec<_>) =
        dataset.questions.iter().enumerate().partition(|(number, _)| number % 2 == 0);
    let mut counts = Counts {
        memories: dataset.documents.len(),
        questions_before: before.len(),
        questions_later: later.len(),
        ..Counts::default()
    };
    while now < end {
        now += MONTH;
        let (new, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(_, document)| time_of(document) <= now);
        waiting = rest;
        if !new.is_empty() {
            workspace.add(&new)?;
        }
        let is_complete = |question: &Question| {
            let gold = question.gold.iter().filter_map(|doc| documents.get(doc.as_str()));
            gold.map(|document| time_of(document)).max().is_none_or(|at| at <= now)
        };
        let (due, rest): (Vec<_>, Vec<_>) =
            before.into_iter().partition(|(_, question)| is_complete(question));
        before = rest;
        for (_, question) in due {
            ask(&workspace, now, question)?;
        }
        workspace.run(now, "consolidate", json!({}))?;
    }
    let archive = archived(&workspace, now)?;
    counts.archived = archive.len();
    let mut needed: BTreeMap<&str, &str> = BTreeMap::new();
    for (_, question) in &later {
        for doc in &question.gold {
            needed.entry(doc).or_insert(&question.text);
        }
    }
    counts.needed = needed.len();
    for (doc, question) in needed {
        let Some(id) = archive.get(doc) else { continue };
        let text = documents.get(doc).map_or("", |document| document.text.as_str());
        counts.lost += 1;
        let is_found = |query: &str| is_labelled_hit(&workspace, now, query, id);
        counts.found_by_question += usize::from(is_found(question)?);
        counts.found_by_text += usize::from(is_found(text)?);
        lost.push(LostEvidence {
            file: file.display().to_string(),
            doc: doc.to_owned(),
            text: text.to_owned(),
            question: question.to_owned(),
        });
        workspace.run(now, "memory_restore", json!({"fact_ids": [id]}))?;
    }
    let still_archived: BTreeSet<String> = archived(&workspace, now)?.into_keys().collect();
    counts.restored = counts.lost
        - archive
            .keys()
            .filter(|doc| {
                still_archived.contains(*doc)
                    && lost
                        .iter()
                        .any(|lost| lost.doc == **doc && lost.file == file.display().to_string())
            })
            .count();
    Ok(counts)
}

/// Asks a question; its evidence among the hits is used.
fn ask(workspace: &MeasuredWorkspace, now: Timestamp, question: &Question) -> Result<(), Failure> {
    let answer =
        workspace.run(now, "memory_recall", json!({"query": question.text, "limit": HITS}))?;
    let hits = answer["hits"].as_array().into_iter().flatten();
    let is_evidence = |hit: &&Value| {
        hit["source"].as_str().is_some_and(|source| question.gold.iter().any(|doc| doc == source))
    };
    let used: Vec<&str> = hits.filter(is_evidence).filter_map(|hit| hit["id"].as_str()).collect();
    if !used.is_empty() {
        workspace.run(now, "memory_used", json!({"ids": used}))?;
    }
    Ok(())
}

/// Returns the archived memories: their documents with their ids.
fn archived(
    workspace: &MeasuredWorkspace,
    now: Timestamp,
) -> Result<BTreeMap<String, String>, Failure> {
    let list = workspace.run(now, "memory_search_archive", json!({"limit": 1_000_000}))?;
    let hits = list["hits"].as_array().into_iter().flatten();
    let named = hits.filter_map(|hit| {
        Some((hit["source"].as_str()?.to_owned(), hit["id"].as_str()?.to_owned()))
    });
    Ok(named.collect())
}

/// Returns whether recall shows an archived memory, and says that it is archived.
fn is_labelled_hit(
    workspace: &MeasuredWorkspace,
    now: Timestamp,
    query: &str,
    id: &str,
) -> Result<bool, Failure> {
    let answer =
        workspace.run(now, "memory_recall", json!({"query": query, "limit": DEEP_HITS}))?;
    let mut near = answer["near_misses"].as_array().into_iter().flatten();
    Ok(near.any(|hit| hit["id"] == id && hit["standing"] == "archived"))
}

impl Report for ForgettingReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for ForgettingReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for FileResult { file, counts } in &self.files {
            let Counts { memories, archived, needed, lost, .. } = counts;
            writeln!(
                out,
                "{file}: {archived} of {memories} archived, {lost} of {needed} needed later"
            )?;
        }
        for LostEvidence { file, doc, text, question } in &self.lost {
            writeln!(out, "archived {file} {doc}: {text}\n  needed for: {question}")?;
        }
        let Counts { questions_before, questions_later, lost, found_by_question, .. } = &self.all;
        writeln!(out, "{questions_before} questions before, {questions_later} later")?;
        writeln!(out, "{found_by_question} of {lost} found by the question alone")?;
        write_bars(out, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(doc: &str, at: &str, text: &str) -> Document {
        Document {
            doc: doc.to_owned(),
            group: Some("1".to_owned()),
            at: Some(at.to_owned()),
            text: text.to_owned(),
        }
    }

    #[test]
    fn small_talk_is_archived_and_evidence_is_not() {
        let dataset = Dataset {
            documents: vec![
                document("1", "2024-01-01", "Ann: Hey Bob! Good to see you!"),
                document("2", "2024-01-01", "Bob: I adopted two cats last week."),
                document("3", "2024-02-01", "Ann: Wow, that's awesome, Bob!"),
            ],
            questions: vec![
                Question {
                    text: "?".to_owned(),
                    gold: vec!["1".to_owned()],
                    ..Question::default()
                },
                Question {
                    text: "What did Bob adopt?".to_owned(),
                    gold: vec!["2".to_owned()],
                    ..Question::default()
                },
                Question {
                    text: "?".to_owned(),
                    gold: vec!["1".to_owned()],
                    ..Question::default()
                },
                Question {
                    text: "Who is awesome?".to_owned(),
                    gold: vec!["3".to_owned()],
                    ..Question::default()
                },
            ],
        };
        let mut lost = vec![];
        let counts = measure_dataset(Path::new("talk"), &dataset, &mut lost).unwrap();
        assert_eq!((counts.memories, counts.archived, counts.needed), (3, 2, 2));
        assert_eq!((counts.lost, counts.found_by_text, counts.restored), (1, 1, 1), "{counts:?}");
        assert_eq!(lost[0].doc, "3");
    }
}
