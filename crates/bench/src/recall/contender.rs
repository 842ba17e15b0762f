//! Something that remembers documents and is asked for them, and how well it does that.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::conversation::{Asked, Conversation, Document};
use super::measures::{DEPTHS, Measures};
use crate::failure::Failure;

/// Something that remembers documents and is asked for them. What it started ends with it.
pub(crate) trait Contender {
    /// Remembers documents; nothing was remembered before.
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure>;

    /// Returns the ids of the documents that answer, best first.
    fn ask(&mut self, question: &Asked, limit: usize) -> Result<Vec<String>, Failure>;

    /// Returns how long one waited for its answers since this was last asked, if it is a server:
    /// what one does with an answer that is there is not its time.
    fn waited(&mut self) -> Option<Duration> {
        None
    }
}

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
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Latency {
    /// Half of them take no longer.
    pub(crate) p50: f64,
    /// 99 of 100 take no longer.
    pub(crate) p99: f64,
}

impl Latency {
    /// Sums up times.
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        let at = |share: f64| {
            let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
            times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        Latency { p50: at(0.5), p99: at(0.99) }
    }
}

/// Asks all questions of all files, each file of a contender of its own.
pub(crate) fn measure(
    files: &[PathBuf],
    mut make: impl FnMut() -> Result<Box<dyn Contender>, Failure>,
) -> Result<Report, Failure> {
    let mut all = Measures::default();
    let mut by_category: BTreeMap<String, Measures> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    let mut documents = 0;
    let most = DEPTHS[DEPTHS.len() - 1];
    for file in files {
        let conversation = Conversation::read(file)?;
        documents += conversation.documents.len();
        let groups: HashMap<&str, &str> = conversation
            .documents
            .iter()
            .filter_map(|document| Some((document.doc.as_str(), document.group.as_deref()?)))
            .collect();
        let mut contender = make()?;
        contender.load(&conversation.documents)?;
        for question in &conversation.questions {
            let by_group = question.gold.is_empty();
            let started = Instant::now();
            let found = contender.ask(question, if by_group { most * 20 } else { most })?;
            times.push(started.elapsed());
            let found = if by_group { distinct_groups(&found, &groups) } else { found };
            let gold = if by_group { &question.gold_groups } else { &question.gold };
            all.add(&found, gold);
            if let Some(category) = &question.category {
                by_category.entry(category.clone()).or_default().add(&found, gold);
            }
        }
    }
    Ok(Report {
        all: all.means(),
        by_category: by_category.into_iter().map(|(name, own)| (name, own.means())).collect(),
        documents,
        latency_ms: Latency::of(times),
    })
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
