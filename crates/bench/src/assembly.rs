//! The quality of assembled contexts, measured on questions with known answers.

mod replay;
mod speed;
mod support;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::{Duration, Instant};

use heirloom_engine::{ProcessCache, Session, ops};
use heirloom_store::tokens;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::AssembleArgs;
use crate::failure::Failure;
use crate::recall::dataset::{Dataset, Question};
use crate::recall::{create_workspace, parse_time};
use crate::report::Report;
use crate::scratch::temporary_folder;
use crate::timing::Latency;
pub(crate) use replay::replay;
pub(crate) use speed::measure_speed;
use support::Support;

/// How many memories are recalled to fill the budget by rank.
const RECALLED: usize = 400;

/// The report of the measurement.
#[derive(Debug, Serialize)]
pub(crate) struct AssemblyReport {
    /// The mean support of all questions.
    support: f64,
    /// The mean support if the budget is filled with whole memories in the order of recall.
    support_by_rank: f64,
    /// How many questions were measured.
    questions: usize,
    /// The mean number of tokens of a context.
    tokens: f64,
    budget: usize,
    /// The mean support of the questions of each category.
    by_category: BTreeMap<String, Category>,
    latency_ms: Latency,
}

#[derive(Debug, Default, Serialize)]
struct Category {
    support: f64,
    support_by_rank: f64,
    questions: usize,
}

impl Report for AssemblyReport {}

/// Assembles a context for each question of each file.
pub(crate) fn measure(args: &AssembleArgs) -> Result<AssemblyReport, Failure> {
    let mut all = Category::default();
    let mut by_category: BTreeMap<String, Category> = BTreeMap::new();
    let mut tokens = 0;
    let mut times: Vec<Duration> = Vec::new();
    for file in &args.files {
        let dataset = Dataset::read(file)?;
        let memory = LoadedMemory::new(&dataset)?;
        let texts: HashMap<&str, &str> = dataset
            .documents
            .iter()
            .map(|document| (document.doc.as_str(), document.text.as_str()))
            .collect();
        for question in &dataset.questions {
            let gold = question.gold.iter().filter_map(|id| texts.get(id.as_str()).copied());
            let gold: Vec<&str> = gold.collect();
            let Some(support) = Support::new(question.answer.as_deref(), &gold) else { continue };
            let started = Instant::now();
            let context = memory.assemble(question, args.budget)?;
            times.push(started.elapsed());
            tokens += tokens::count(&context);
            let measured = [
                support.in_context(&context),
                support.in_context(&memory.fill_by_rank(question, args.budget)?),
            ];
            let category = question.category.clone().unwrap_or_default();
            for group in [&mut all, by_category.entry(category).or_default()] {
                group.support += measured[0];
                group.support_by_rank += measured[1];
                group.questions += 1;
            }
        }
    }
    by_category.values_mut().for_each(Category::divide);
    all.divide();
    Ok(AssemblyReport {
        support: all.support,
        support_by_rank: all.support_by_rank,
        questions: all.questions,
        tokens: tokens as f64 / all.questions.max(1) as f64,
        budget: args.budget,
        by_category,
        latency_ms: Latency::of(times),
    })
}

impl Category {
    /// Turns sums into means.
    fn divide(&mut self) {
        let questions = self.questions.max(1) as f64;
        self.support /= questions;
        self.support_by_rank /= questions;
    }
}

/// A workspace with the documents of a file.
struct LoadedMemory {
    folder: tempfile::TempDir,
    now: jiff::Timestamp,
    cache: ProcessCache,
}

impl LoadedMemory {
    fn new(dataset: &Dataset) -> Result<Self, Failure> {
        let folder = temporary_folder()?;
        let now = create_workspace(folder.path(), &dataset.documents)?;
        let cache = ProcessCache::default();
        cache.make_long_lived();
        let memory = LoadedMemory { folder, now, cache };
        // The first question builds the index.
        memory.run(memory.now, "memory_recall", json!({"query": "first"}))?;
        Ok(memory)
    }

    fn run(&self, now: jiff::Timestamp, operation: &str, request: Value) -> Result<Value, Failure> {
        let failed = |error: heirloom_engine::Error| Failure::new(error.message);
        let op = ops::by_name(operation)
            .ok_or_else(|| Failure::new(format!("the operation `{operation}` does not exist")))?;
        let session = Session::open(self.folder.path(), now).map_err(failed)?;
        let session = session.with_process_cache(self.cache.clone());
        let reply = ops::run(op, &session, request).map_err(failed)?;
        Ok(reply.data(&|hint| format!("{hint:?}")))
    }

    fn asked_at(&self, question: &Question) -> jiff::Timestamp {
        question.at.as_deref().and_then(parse_time).unwrap_or(self.now)
    }

    /// Returns the context that is assembled for a question.
    fn assemble(&self, question: &Question, budget: usize) -> Result<String, Failure> {
        let request = json!({"task": question.text, "budget": budget});
        let answer = self.run(self.asked_at(question), "context_assemble", request)?;
        let context = answer["context"].as_str().unwrap_or_default().to_owned();
        let counted = tokens::count(&context);
        if counted > budget {
            return Err(Failure::new(format!(
                "a context has {counted} tokens, but the budget is {budget}: {}",
                question.text
            )));
        }
        Ok(context)
    }

    /// Returns whole memories in the order of recall, as many as fit.
    fn fill_by_rank(&self, question: &Question, budget: usize) -> Result<String, Failure> {
        let request = json!({"query": question.text, "limit": RECALLED, "no_instructions": true});
        let answer = self.run(self.asked_at(question), "memory_recall", request)?;
        let mut context = String::new();
        let mut left = budget;
        for hit in answer["hits"].as_array().into_iter().flatten() {
            let line = format!("{}\n", hit["text"].as_str().unwrap_or_default());
            let cost = tokens::count(&line);
            if cost <= left {
                left -= cost;
                context.push_str(&line);
            }
        }
        Ok(context)
    }
}

impl fmt::Display for AssemblyReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} questions, budget {}, {:.0} tokens used",
            self.questions, self.budget, self.tokens
        )?;
        writeln!(out, "{:<26}{:>10}{:>10}", "", "assembled", "by rank")?;
        writeln!(out, "{:<26}{:>10.4}{:>10.4}", "support", self.support, self.support_by_rank)?;
        for (name, category) in &self.by_category {
            let Category { support, support_by_rank, questions } = category;
            writeln!(
                out,
                "{name:<26}{support:>10.4}{support_by_rank:>10.4}   {questions} questions"
            )?;
        }
        let Latency { p50, p99, .. } = self.latency_ms;
        writeln!(out, "a context takes {p50:.2} ms (p50), {p99:.2} ms (p99)")
    }
}
