//! Replays a history.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use heirloom_core::prediction::{
    CommitHistory, GivenFile, HistoryCommit, MessageSearch, PredictedCommit, Predictor,
};
use heirloom_store::commit_history;
use heirloom_store::{Root, git::GitError};
use heirloom_syntax::read_statements;
use heirloom_testkit::SeededRng;

use super::baselines;
use super::queries::{PREDICTIONS, Query, QueryScore, queries};
use super::report::{Confidence, Measures, ReplayReport};
use super::{blame, report, speed};
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::programs;
use crate::scratch::temporary_folder;

/// The confidence from which on predictions are counted.
const MIN_CONFIDENCE: f64 = 0.5;

/// The number of commits that become memories.
const MAX_COMMITS: usize = 3_000;

/// Replays the history of a repository.
pub(crate) fn measure(args: &ReplayArgs) -> Result<ReplayReport, Failure> {
    let git = programs::git()?;
    let scratch = temporary_folder()?;
    let folder = scratch.path().join("repository");
    clone(&git, &args.repository, &folder)?;
    let root = Root::open_new(&folder).map_err(|error| Failure::new(error.to_string()))?;
    let commits = commit_history::read_commits(&root, MAX_COMMITS).map_err(git_failure)?;
    let mut whole = CommitHistory::default();
    commits.iter().cloned().for_each(|commit| whole.apply(commit));
    let mut queries = queries(&commits, &whole, args.seed);
    let numbers: HashMap<String, u32> = whole
        .memories()
        .iter()
        .zip(0..)
        .map(|(memory, number)| (memory.id.clone(), number))
        .collect();
    blame::set_writers(&folder, &git, &commits, &numbers, &mut queries)?;
    let predictions = replay(&root, commits, &queries, args.seed)?;
    let messages = MessageSearch::new(whole.memories());
    let score_each = |predict: &dyn Fn(&Query) -> Vec<u32>| -> Vec<QueryScore> {
        queries.iter().map(|query| query.score(&predict(query))).collect()
    };
    let score_all = |lists: &[Vec<u32>]| -> Vec<QueryScore> {
        queries.iter().zip(lists).map(|(query, list)| query.score(list)).collect()
    };
    let of_predictions: Vec<Vec<u32>> =
        predictions.iter().map(|each| memories(&each.predicted)).collect();
    let of_swapped: Vec<Vec<u32>> =
        predictions.iter().map(|each| memories(&each.swapped)).collect();
    let baselines = report::Baselines {
        recent: Measures::of(&score_each(&baselines::recent)),
        text: Measures::of(&score_each(&|query| baselines::text(&messages, query))),
        touched: Measures::of(&score_each(&|query| baselines::touched(&whole, query))),
        swapped: Measures::of(&score_all(&of_swapped)),
    };
    let times = match args.no_times {
        true => Err("not asked for".to_owned()),
        false => {
            let paths: Vec<String> = queries.iter().map(|query| query.given_path.clone()).collect();
            let heir = programs::heir(args.heir.as_deref())?;
            Ok(speed::measure(&heir, &folder, whole.memories(), &paths)?)
        }
    };
    let repository = args.repository.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(ReplayReport::new(
        repository.unwrap_or_default(),
        (whole.memories().len(), queries.len()),
        Measures::of(&score_all(&of_predictions)),
        baselines,
        confidence(&whole, &queries, &predictions),
        times.into(),
    ))
}

/// Clones a repository without copying its objects.
fn clone(git: &Path, repository: &Path, folder: &Path) -> Result<(), Failure> {
    let (from, to) = (repository.to_string_lossy(), folder.to_string_lossy());
    let parent = folder.parent().unwrap_or(folder);
    let repository = std::path::absolute(repository).map_err(Failure::io("finding", repository))?;
    if !repository.exists() {
        return Err(Failure::new(format!("there is no repository at {from}")));
    }
    let from = repository.to_string_lossy();
    Invocation::new(git, &["clone", "--quiet", "--shared", &from, &to], parent).output().map(drop)
}

fn git_failure(error: GitError) -> Failure {
    Failure::new(error.0)
}

/// The predictions for a query.
struct QueryPredictions {
    predicted: Vec<PredictedCommit>,
    /// Those for the file of another query.
    swapped: Vec<PredictedCommit>,
}

fn memories(predicted: &[PredictedCommit]) -> Vec<u32> {
    predicted.iter().map(|commit| commit.memory).collect()
}

/// Predicts commits for each query from the commits before it.
fn replay(
    root: &Root,
    commits: Vec<HistoryCommit>,
    queries: &[Query],
    seed: u64,
) -> Result<Vec<QueryPredictions>, Failure> {
    let mut rng = SeededRng::new(seed.wrapping_add(1));
    let mut history = CommitHistory::default();
    let mut predictions = Vec::new();
    let mut waiting = queries.iter().peekable();
    for (position, commit) in commits.into_iter().enumerate() {
        if let Some(query) = waiting.next_if(|query| query.commit == position) {
            commit_history::read_files(root, &mut history, read_statements, &mut |_, _| {})
                .map_err(git_failure)?;
            let predictor = Predictor::new(history);
            let predict = |query: &Query| {
                // The history may not have a file yet that existed before its first commit.
                let number = Some(query.given)
                    .filter(|it| (*it as usize) < predictor.history().files().len());
                let given = GivenFile { number, path: &query.given_path, ..GivenFile::default() };
                predictor.predict(&given, PREDICTIONS)
            };
            let others: Vec<&Query> =
                queries.iter().filter(|other| other.given != query.given).collect();
            predictions.push(QueryPredictions {
                predicted: predict(query),
                swapped: rng.pick(&others).map(|other| predict(other)).unwrap_or_default(),
            });
            history = predictor.into_history();
        }
        history.apply(commit);
    }
    Ok(predictions)
}

/// Measures whether the confidence is justified.
fn confidence(
    history: &CommitHistory,
    queries: &[Query],
    predictions: &[QueryPredictions],
) -> Confidence {
    let mut counts = Confidence { queries: queries.len(), ..Confidence::default() };
    for (query, prediction) in queries.iter().zip(predictions) {
        let all: HashSet<u32> = query.others.iter().map(|other| other.file).collect();
        let quiet: HashSet<u32> =
            query.others.iter().filter(|other| !other.is_hot).map(|other| other.file).collect();
        let confident =
            prediction.predicted.iter().filter(|commit| commit.confidence >= MIN_CONFIDENCE);
        let mut has_one = false;
        for commit in confident {
            let files = &history.memories()[commit.memory as usize].files;
            has_one = true;
            counts.confident += 1;
            counts.touch_other += usize::from(files.iter().any(|file| all.contains(file)));
            counts.touch_quiet_other += usize::from(files.iter().any(|file| quiet.contains(file)));
        }
        counts.queries_with_one += usize::from(has_one);
        let quietly_confident =
            prediction.predicted.iter().filter(|it| it.quiet_confidence >= MIN_CONFIDENCE);
        for commit in quietly_confident {
            let files = &history.memories()[commit.memory as usize].files;
            counts.quiet_confident += 1;
            counts.quiet_right += usize::from(files.iter().any(|file| quiet.contains(file)));
        }
    }
    counts
}
