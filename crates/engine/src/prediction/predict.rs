//! Predicts from all signals, and merges what they say.

use std::collections::HashMap;

use heirloom_core::Problem;
use heirloom_core::prediction::ErrorSignature;

use super::branch::{branch_words, plans};
use super::commits::CommitPredictions;
use super::errors::similar_errors;
use super::memory::PredictedMemory;
use super::mentions::FileMentions;
use super::person::{person_lists, person_memories, unknown_people};
use super::recurring::{recurring_lists, recurring_memories};
use super::used_daily::used_daily;
use super::used_with::used_with;
use crate::recall::{ContextAnswers, ContextQuery, ContextQuestion, Hit, MemoryList};
use crate::signals::{WorkSignals, reason_from};
use crate::usage::Usage;
use crate::{Error, Session};

/// Maximum number of chunks that are recalled for a question.
const MAX_ANSWERS: usize = 30;

/// A memory that answers the words of a branch with less usefulness is not predicted.
const MIN_USEFULNESS: f64 = 0.2;

/// The confidence in a memory that answers the words of a branch as well as can be. It is a judgement, and low
/// since a few words match many memories.
const CONFIDENCE_OF_WORDS: f64 = 0.7;

/// What the work will likely need.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
    /// The memories, the best first.
    pub(crate) memories: Vec<PredictedMemory>,
    /// What could not be taken into account.
    pub(crate) warnings: Vec<String>,
    /// Problems of the files that were searched.
    pub(crate) problems: Vec<Problem>,
}

/// Predicts up to `limit` memories.
pub(crate) fn predict(
    session: &Session,
    signals: &WorkSignals,
    limit: usize,
) -> Result<Prediction, Error> {
    let errors: Vec<ErrorSignature> =
        signals.errors.iter().map(|error| ErrorSignature::of(error)).collect();
    let mut commits = CommitPredictions::new(session, signals, &errors, limit);
    let mut warnings = signals.warnings.clone();
    warnings.extend(commits.warnings());
    let imports = commits.import_mentions();
    let usage = Usage::read(session);
    let mut of_usage = used_with(session, &usage, &commits)?;
    of_usage.extend(used_daily(session, &usage)?);
    let files = std::mem::take(&mut commits.files);
    let remembered = signals.remembered;
    let mentions: Vec<FileMentions> =
        files.iter().map(|file| FileMentions::new(file, remembered.files)).collect();
    let people = &signals.people;
    let branch = signals.branch.as_deref().unwrap_or_default();
    let words = branch_words(branch);
    let error_texts: Vec<String> = errors.iter().map(ErrorSignature::query).collect();
    let texts = std::iter::once(&words).chain(&error_texts);
    let questions = texts
        .map(|text| ContextQuestion { text, limit: MAX_ANSWERS, limit_with_notes: MAX_ANSWERS })
        .collect();
    let of_files: Vec<Vec<MemoryList>> = mentions.iter().map(FileMentions::lists).collect();
    let lengths: Vec<usize> = of_files.iter().map(Vec::len).collect();
    let (of_imports, of_people) = (imports.lists(), person_lists(people));
    let (imports_length, people_length) = (of_imports.len(), of_people.len());
    let lists = recurring_lists().into_iter().chain(of_files.into_iter().flatten());
    let lists = lists.chain(of_imports).chain(of_people).chain(commits.lists()).collect();
    let query = ContextQuery { questions, instructions: 0, lists };
    let mut found = query.read(session)?;
    let mut lists = std::mem::take(&mut found.lists).into_iter();
    let mut take = |count: usize| lists.by_ref().take(count).collect::<Vec<Vec<Hit>>>();
    let of_time = take(2);
    let of_files = take(lengths.iter().sum());
    let (of_imports, of_people) = (take(imports_length), take(people_length));
    let of_commits = lists.collect();
    let mut memories = person_memories(people, &of_people, remembered.people);
    warnings.extend(unknown_people(people, &memories, &commits.authors));
    memories.extend(of_usage);
    memories.extend(recurring_memories(session, &of_time[0], &of_time[1]));
    let mut of_files = of_files.as_slice();
    for (mentions, length) in mentions.iter().zip(lengths) {
        let (of_file, rest) = of_files.split_at(length);
        memories.extend(mentions.memories(of_file));
        of_files = rest;
    }
    memories.extend(imports.memories(&of_imports));
    if let Some((of_branch, of_errors)) = found.answers.split_first() {
        memories.extend(plans(session, branch, remembered.branch));
        let reason = reason_from(format!("concerns {words}"), remembered.branch);
        memories.extend(matching(of_branch, &reason));
        for (error, answers) in errors.iter().zip(of_errors) {
            let similar = similar_errors(session, error, answers, &commits).into_iter();
            memories.extend(similar.map(|memory| PredictedMemory {
                reason: reason_from(memory.reason, remembered.errors),
                ..memory
            }));
        }
    }
    memories.extend(commits.into_memories(of_commits));
    Ok(Prediction { memories: best(memories, limit), warnings, problems: found.problems })
}

/// Returns the memories that match the words of a branch well enough.
fn matching(answers: &ContextAnswers, reason: &str) -> Vec<PredictedMemory> {
    let memory = |(rank, hit): (usize, &Hit)| {
        let usefulness = hit.usefulness_for_signal(rank, false, None);
        (usefulness >= MIN_USEFULNESS).then(|| {
            PredictedMemory::of_hit(hit, CONFIDENCE_OF_WORDS * usefulness, reason.to_owned())
        })
    };
    answers.hits.iter().enumerate().filter_map(memory).collect()
}

/// Returns each memory once with its greatest confidence, the best first. Equally likely ones stay in their order.
fn best(memories: Vec<PredictedMemory>, limit: usize) -> Vec<PredictedMemory> {
    let mut distinct: Vec<PredictedMemory> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for memory in memories {
        match positions.get(&memory.id) {
            Some(position) if distinct[*position].confidence >= memory.confidence => {}
            Some(position) => distinct[*position] = memory,
            None => {
                positions.insert(memory.id.clone(), distinct.len());
                distinct.push(memory);
            }
        }
    }
    // Commits of files were chosen one after another, each for what it adds, so none is placed before an earlier one.
    let mut least = f64::INFINITY;
    let mut ranked: Vec<(f64, PredictedMemory)> = Vec::new();
    for memory in distinct {
        if memory.gain.is_none() {
            ranked.push((memory.confidence, memory));
        } else {
            least = least.min(memory.confidence);
            ranked.push((least, memory));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(limit).map(|(_, memory)| memory).collect()
}
