//! The `questions` measurement: each file is a memory of its own, asked as a user asks.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heirloom_core::record::{Body, Note, Record};
use heirloom_engine::setup::init;
use heirloom_engine::{OPS, Op, Session};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::conversation::{Asked, Conversation, Document};
use super::measures::{DEPTHS, Measures};
use crate::failure::Failure;

/// Where the documents are written.
const SHARD: &str = ".heirloom/memory/note/2000-01-measured.jsonl";

/// All that a run found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// Over all questions of all files.
    #[serde(flatten)]
    pub(crate) all: Measures,
    /// Over the questions of each category.
    pub(crate) by_category: BTreeMap<String, Measures>,
    /// Documents in all files.
    pub(crate) documents: usize,
    /// What a question takes, in milliseconds: the median and the 99th of a hundred.
    pub(crate) latency_ms: Latency,
}

/// What a question takes, in milliseconds.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Latency {
    /// Half of them take no longer.
    pub(crate) p50: f64,
    /// 99 of 100 take no longer.
    pub(crate) p99: f64,
}

/// Asks all questions of all files.
pub(crate) fn measure(files: &[PathBuf]) -> Result<Report, Failure> {
    let mut all = Measures::default();
    let mut by_category: BTreeMap<String, Measures> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    let mut documents = 0;
    for file in files {
        let conversation = Conversation::read(file)?;
        documents += conversation.documents.len();
        let asked = ask_all(&conversation)?;
        for Answered { question, found, time } in asked {
            let gold =
                if question.gold.is_empty() { &question.gold_groups } else { &question.gold };
            all.add(&found, gold);
            if let Some(category) = &question.category {
                by_category.entry(category.clone()).or_default().add(&found, gold);
            }
            times.push(time);
        }
    }
    times.sort();
    let at = |share: f64| {
        let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    Ok(Report {
        all: all.means(),
        by_category: by_category.into_iter().map(|(name, own)| (name, own.means())).collect(),
        documents,
        latency_ms: Latency { p50: at(0.5), p99: at(0.99) },
    })
}

/// A question and what was found.
struct Answered<'c> {
    question: &'c Asked,
    found: Vec<String>,
    time: Duration,
}

/// Makes a memory of a file and asks its questions.
fn ask_all(conversation: &Conversation) -> Result<Vec<Answered<'_>>, Failure> {
    let folder =
        tempfile::tempdir().map_err(Failure::io("making", Path::new("a temporary folder")))?;
    let now = last_day(conversation);
    let request = init::Request {
        folder: folder.path(),
        hierarchy: "plans",
        name: Some("measured"),
        today: day_of(now),
    };
    init::run(&request).map_err(|error| Failure::new(error.message))?;
    let shard = folder.path().join(SHARD);
    write(&shard, &conversation.documents)?;
    let groups: HashMap<&str, &str> = conversation
        .documents
        .iter()
        .filter_map(|document| Some((document.doc.as_str(), document.group.as_deref()?)))
        .collect();
    let op = OPS
        .iter()
        .find(|op| op.spec.name == "memory_recall")
        .ok_or_else(|| Failure::new("there is no recall"))?;
    let most = DEPTHS[DEPTHS.len() - 1];
    // The first question finds the memory unread; what that costs is not what a question costs.
    recall(op, folder.path(), now, "first", most)?;
    let mut answers = Vec::with_capacity(conversation.questions.len());
    for question in &conversation.questions {
        let by_group = question.gold.is_empty();
        let asked_at = question.at.as_deref().and_then(moment).unwrap_or(now);
        let limit = if by_group { most * 20 } else { most };
        let started = Instant::now();
        let found = recall(op, folder.path(), asked_at, &question.text, limit)?;
        let time = started.elapsed();
        let found = if by_group { distinct_groups(&found, &groups) } else { found };
        answers.push(Answered { question, found, time });
    }
    Ok(answers)
}

fn distinct_groups(found: &[String], groups: &HashMap<&str, &str>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for group in found.iter().filter_map(|id| groups.get(id.as_str())) {
        if !distinct.iter().any(|other| other == group) {
            distinct.push((*group).to_owned());
        }
    }
    distinct
}

/// Asks as a user asks, and returns the ids of the documents that were found.
fn recall(
    op: &Op,
    folder: &Path,
    now: Timestamp,
    query: &str,
    limit: usize,
) -> Result<Vec<String>, Failure> {
    let failed = |error: heirloom_engine::Error| Failure::new(error.message);
    let session = Session::at(folder, now).map_err(failed)?.without_token_counts();
    let reply = op.call(&session, json!({"query": query, "limit": limit})).map_err(failed)?;
    let data = reply.data();
    let hits = data["hits"].as_array().cloned().unwrap_or_default();
    let sources = hits.iter().filter_map(|hit| hit["source"].as_str());
    Ok(sources.map(str::to_owned).collect())
}

/// Writes documents as lines of the log: each keeps its id as source and its group as session.
fn write(shard: &Path, documents: &[Document]) -> Result<(), Failure> {
    let mut text = String::new();
    for (at, document) in documents.iter().enumerate() {
        let moment = document.at.as_deref().and_then(moment).unwrap_or(Timestamp::UNIX_EPOCH);
        let body = Body::Note(Note { content: document.text.clone() });
        let mut record = Record::new(id_of(moment, at as u64), moment, "measured", body);
        record.source = Some(document.doc.clone());
        record.session.clone_from(&document.group);
        let line: Value =
            serde_json::to_value(&record).map_err(|error| Failure::new(error.to_string()))?;
        text.push_str(&line.to_string());
        text.push('\n');
    }
    if let Some(folder) = shard.parent() {
        std::fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    }
    std::fs::write(shard, text).map_err(Failure::io("writing", shard))
}

/// An id of a moment that keeps the order in which documents come.
fn id_of(moment: Timestamp, at: u64) -> Uuid {
    let millis = u64::try_from(moment.as_millisecond()).unwrap_or_default();
    let high = millis << 16 | 0x7000;
    let low = 0x8000_0000_0000_0000 | at;
    Uuid::from_u64_pair(high, low)
}

fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let civil: DateTime =
        text.parse().ok().or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn day_of(moment: Timestamp) -> Date {
    moment.to_zoned(TimeZone::UTC).date()
}

/// Questions are asked after the last document, unless they say when.
fn last_day(conversation: &Conversation) -> Timestamp {
    let moments = conversation.documents.iter().filter_map(|d| moment(d.at.as_deref()?));
    moments.max().unwrap_or(Timestamp::UNIX_EPOCH)
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} documents, {} questions", self.documents, self.all.questions)?;
        write!(out, "{:<12}", "")?;
        for depth in DEPTHS {
            write!(out, "{:>9}", format!("at {depth}"))?;
        }
        writeln!(out)?;
        for (name, row) in [
            ("recall", &self.all.recall),
            ("any", &self.all.any),
            ("all", &self.all.all),
            ("ndcg", &self.all.ndcg),
        ] {
            write!(out, "{name:<12}")?;
            row.values().try_for_each(|value| write!(out, "{value:>9.4}"))?;
            writeln!(out)?;
        }
        writeln!(out, "{:<12}{:>9.4}", "mrr", self.all.mrr)?;
        for (category, own) in &self.by_category {
            write!(out, "{:<12}", format!("recall {category}"))?;
            own.recall.values().try_for_each(|value| write!(out, "{value:>9.4}"))?;
            writeln!(out, "   {} questions", own.questions)?;
        }
        writeln!(
            out,
            "a question takes {:.2} ms (p50), {:.2} ms (p99)",
            self.latency_ms.p50, self.latency_ms.p99
        )
    }
}
