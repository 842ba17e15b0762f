//! The interface of a system that stores documents and answers questions, and its measurement.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::dataset::{Dataset, Document, Question};
use super::measures::{DEPTHS, EvidenceMeasures, Measures};
use crate::failure::Failure;
use crate::report::Report;
use crate::timing::Latency;

/// How many documents are asked for to find one group.
const DOCUMENTS_PER_GROUP: usize = 20;

/// With more roles, the words before the first colons are no roles.
const MAX_ROLES: usize = 4;

/// A system that stores documents and answers questions. It stops its processes when dropped.
pub(crate) trait MemorySystem {
    /// Stores documents in an empty system.
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure>;

    /// Returns the ids of the documents that answer a question, best first.
    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure>;

    /// Returns how long answers of a server took to arrive since the last call; `None` if it is no
    /// server. Parsing an answer does not count.
    fn take_response_time(&mut self) -> Option<Duration> {
        None
    }
}

/// The report of the measurement.
#[derive(Debug, Default, Serialize)]
pub(crate) struct RecallReport {
    /// The measures over all questions of all files.
    #[serde(flatten)]
    pub(crate) all: Measures,
    /// The measures over the questions of each category.
    pub(crate) by_category: BTreeMap<String, Measures>,
    /// The measures over the evidence of each role, if the texts begin with roles: `user: …`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) by_role: BTreeMap<String, EvidenceMeasures>,
    /// How many documents all files have.
    pub(crate) documents: usize,
    pub(crate) latency_ms: Latency,
}

impl Report for RecallReport {}

/// Asks all questions of all files; `create` makes a new system for each file.
pub(crate) fn measure(
    files: &[PathBuf],
    mut create: impl FnMut() -> Result<Box<dyn MemorySystem>, Failure>,
) -> Result<RecallReport, Failure> {
    let mut all = Measures::default();
    let mut by_category: BTreeMap<String, Measures> = BTreeMap::new();
    let mut by_role: BTreeMap<String, EvidenceMeasures> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    let mut documents = 0;
    let limit = DEPTHS[DEPTHS.len() - 1];
    for file in files {
        let dataset = Dataset::read(file)?;
        documents += dataset.documents.len();
        let groups = by_document(&dataset, |document| document.group.as_deref());
        let roles = by_document(&dataset, |document| role_of(&document.text));
        let mut system = create()?;
        system.load(&dataset.documents)?;
        for question in &dataset.questions {
            let by_group = question.gold.is_empty();
            let started = Instant::now();
            let limit = if by_group { limit * DOCUMENTS_PER_GROUP } else { limit };
            let results = system.ask(question, limit)?;
            times.push(started.elapsed());
            let results = if by_group { distinct_groups(&results, &groups) } else { results };
            let gold = if by_group { &question.gold_groups } else { &question.gold };
            all.add(&results, gold);
            for piece in &question.gold {
                if let Some(role) = roles.get(piece.as_str()) {
                    by_role.entry((*role).to_owned()).or_default().add(&results, piece);
                }
            }
            if let Some(category) = &question.category {
                by_category.entry(category.clone()).or_default().add(&results, gold);
            }
        }
    }
    Ok(RecallReport {
        all: all.means(),
        by_category: by_category
            .into_iter()
            .map(|(name, measures)| (name, measures.means()))
            .collect(),
        by_role: match by_role.len() {
            0..=MAX_ROLES => {
                by_role.into_iter().map(|(name, measures)| (name, measures.means())).collect()
            }
            // The words before the colons are no roles.
            _ => BTreeMap::new(),
        },
        documents,
        latency_ms: Latency::of(times),
    })
}

/// Returns a property of the documents that have it, by their ids.
fn by_document<'d>(
    dataset: &'d Dataset,
    property: impl Fn(&'d Document) -> Option<&'d str>,
) -> HashMap<&'d str, &'d str> {
    let documents = dataset.documents.iter();
    documents.filter_map(|document| Some((document.doc.as_str(), property(document)?))).collect()
}

/// Returns the role of a message: the word before the first colon.
fn role_of(text: &str) -> Option<&str> {
    let (role, _) = text.split_once(':')?;
    (!role.is_empty() && role.chars().all(char::is_alphanumeric)).then_some(role)
}

/// Returns the groups of documents, each once, in the order of the documents.
pub(super) fn distinct_groups(results: &[String], groups: &HashMap<&str, &str>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for group in results.iter().filter_map(|id| groups.get(id.as_str())) {
        if !distinct.iter().any(|other| other == group) {
            distinct.push((*group).to_owned());
        }
    }
    distinct
}

impl fmt::Display for RecallReport {
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
        for (category, measures) in &self.by_category {
            write!(out, "{:<12}", format!("recall {category}"))?;
            measures.recall.values().try_for_each(|value| write!(out, "{value:>9.4}"))?;
            writeln!(out, "   {} questions", measures.questions)?;
        }
        for (role, measures) in &self.by_role {
            write!(out, "{:<12}", format!("evidence of {role}"))?;
            measures.recall.values().try_for_each(|value| write!(out, "{value:>9.4}"))?;
            writeln!(out, "   {} pieces", measures.pieces)?;
        }
        writeln!(
            out,
            "a question takes {:.2} ms (p50), {:.2} ms (p99)",
            self.latency_ms.p50, self.latency_ms.p99
        )
    }
}
