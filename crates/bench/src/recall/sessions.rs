//! How well sessions are found when all files of a set are one memory, beside baselines.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::baselines::{bm25, fusion, static_vectors};
use super::dataset::{Dataset, Document, Question};
use super::heir::Heir;
use super::measures::{DEPTHS, Measures};
use super::memory_system::{MemorySystem, distinct_groups};
use crate::failure::Failure;
use crate::report::Report;

/// How many documents are asked for to find one session.
const DOCUMENTS_PER_SESSION: usize = 20;

/// How far heir must be ahead of the best baseline, in questions with a session among the first five.
const MIN_LEAD: f64 = 0.02;

/// The depth at which systems are compared.
const COMPARED_DEPTH: usize = 5;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct SessionsReport {
    documents: usize,
    sessions: usize,
    /// Each system, heir first.
    systems: Vec<SystemResult>,
    /// By how much heir is ahead of the best baseline in `any` at 5.
    lead: f64,
}

#[derive(Serialize)]
struct SystemResult {
    name: &'static str,
    #[serde(flatten)]
    measures: Measures,
    by_category: BTreeMap<String, Measures>,
}

impl Report for SessionsReport {}

/// Documents and questions of several files as one set, whose ids begin with the names of their files.
struct PooledSet {
    documents: Vec<Document>,
    /// Each question with the sessions that answer it.
    questions: Vec<(Question, Vec<String>)>,
}

impl PooledSet {
    fn read(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut set = PooledSet { documents: Vec::new(), questions: Vec::new() };
        for file in files {
            set.add(file, Dataset::read(file)?);
        }
        Ok(set)
    }

    fn add(&mut self, file: &Path, dataset: Dataset) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let unique = |id: &str| format!("{name}/{id}");
        let session_of = |document: &Document| {
            unique(document.group.as_deref().unwrap_or(document.doc.as_str()))
        };
        let sessions: HashMap<String, String> = dataset
            .documents
            .iter()
            .map(|document| (document.doc.clone(), session_of(document)))
            .collect();
        for question in dataset.questions {
            let of_documents = question.gold.iter().filter_map(|id| sessions.get(id).cloned());
            let stated = question.gold_groups.iter().map(|group| unique(group));
            let mut gold: Vec<String> = of_documents.chain(stated).collect();
            gold.sort();
            gold.dedup();
            self.questions.push((question, gold));
        }
        self.documents.extend(dataset.documents.into_iter().map(|document| Document {
            group: Some(session_of(&document)),
            doc: unique(&document.doc),
            ..document
        }));
    }

    /// Returns each session as one document, in order.
    fn whole_sessions(&self) -> Vec<Document> {
        let mut order: Vec<&str> = Vec::new();
        let mut texts: HashMap<&str, Vec<&str>> = HashMap::new();
        for document in &self.documents {
            let session = document.group.as_deref().unwrap_or_default();
            let texts = texts.entry(session).or_insert_with(|| {
                order.push(session);
                Vec::new()
            });
            texts.push(&document.text);
        }
        let whole = order.into_iter().map(|session| Document {
            doc: session.to_owned(),
            group: Some(session.to_owned()),
            at: None,
            text: texts[session].join("\n"),
        });
        whole.collect()
    }
}

/// Pools the files of a set, and measures heir and the baselines.
pub(crate) fn measure_sessions(files: &[PathBuf]) -> Result<SessionsReport, Failure> {
    let set = PooledSet::read(files)?;
    let whole = set.whole_sessions();
    let heir: Box<dyn MemorySystem> = Box::new(Heir::new()?.asking_for_sessions());
    let systems: Vec<(&'static str, Box<dyn MemorySystem>, &[Document])> = vec![
        ("heir recall --sessions", heir, &set.documents),
        ("BM25 over turns", bm25()?, &set.documents),
        ("BM25 over sessions", bm25()?, &whole),
        ("vectors of turns", static_vectors()?, &set.documents),
        ("vectors of sessions", static_vectors()?, &whole),
        ("rank fusion over turns", fusion()?, &set.documents),
        ("rank fusion over sessions", fusion()?, &whole),
    ];
    let mut results = Vec::new();
    for (name, mut system, documents) in systems {
        eprintln!("asking {name}");
        results.push(measure_system(name, &mut *system, documents, &set.questions)?);
    }
    let any = |result: &SystemResult| result.measures.any[&COMPARED_DEPTH];
    let best_baseline = results[1..].iter().map(any).fold(0.0, f64::max);
    Ok(SessionsReport {
        documents: set.documents.len(),
        sessions: whole.len(),
        lead: any(&results[0]) - best_baseline,
        systems: results,
    })
}

fn measure_system(
    name: &'static str,
    system: &mut dyn MemorySystem,
    documents: &[Document],
    questions: &[(Question, Vec<String>)],
) -> Result<SystemResult, Failure> {
    system.load(documents)?;
    let mut groups: HashMap<&str, &str> = HashMap::new();
    for document in documents {
        let session = document.group.as_deref().unwrap_or_default();
        groups.extend([(document.doc.as_str(), session), (session, session)]);
    }
    let limit = DEPTHS[DEPTHS.len() - 1] * DOCUMENTS_PER_SESSION;
    let mut measures = Measures::default();
    let mut by_category: BTreeMap<String, Measures> = BTreeMap::new();
    for (question, gold) in questions {
        let found = distinct_groups(&system.ask(question, limit)?, &groups);
        measures.add(&found, gold);
        if let Some(category) = &question.category {
            by_category.entry(category.clone()).or_default().add(&found, gold);
        }
    }
    let by_category = by_category.into_iter().map(|(name, sums)| (name, sums.means())).collect();
    Ok(SystemResult { name, measures: measures.means(), by_category })
}

impl fmt::Display for SessionsReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let questions = self.systems[0].measures.questions;
        writeln!(
            out,
            "{} documents in {} sessions, {questions} questions",
            self.documents, self.sessions
        )?;
        write!(out, "{:<26}", "")?;
        for (measure, depth) in ["any", "all"].into_iter().flat_map(|m| DEPTHS.map(|d| (m, d))) {
            write!(out, "{:>11}", format!("{measure} at {depth}"))?;
        }
        writeln!(out)?;
        for SystemResult { name, measures, .. } in &self.systems {
            write!(out, "{name:<26}")?;
            for value in measures.any.values().chain(measures.all.values()) {
                write!(out, "{value:>11.4}")?;
            }
            writeln!(out)?;
        }
        let verdict = if self.lead >= MIN_LEAD { "enough" } else { "too little" };
        let lead = self.lead;
        writeln!(out, "ahead of the best baseline at {COMPARED_DEPTH}: {lead:.4} ({verdict})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_pooled_with_unique_sessions() {
        let document = |doc: &str, group: &str| Document {
            doc: doc.to_owned(),
            group: Some(group.to_owned()),
            at: None,
            text: format!("text of {doc}"),
        };
        let question =
            Question { gold: vec!["1".to_owned(), "2".to_owned()], ..Question::default() };
        let mut set = PooledSet { documents: Vec::new(), questions: Vec::new() };
        for file in ["a.jsonl", "b.jsonl"] {
            let documents = vec![document("1", "s"), document("2", "s"), document("3", "t")];
            set.add(Path::new(file), Dataset { documents, questions: vec![question.clone()] });
        }
        let gold: Vec<&[String]> = set.questions.iter().map(|(_, gold)| gold.as_slice()).collect();
        assert_eq!(gold, [["a/s".to_owned()], ["b/s".to_owned()]]);
        let whole = set.whole_sessions();
        let ids: Vec<&str> = whole.iter().map(|session| session.doc.as_str()).collect();
        assert_eq!(ids, ["a/s", "a/t", "b/s", "b/t"]);
        assert_eq!(whole[0].text, "text of 1\ntext of 2");
    }
}
