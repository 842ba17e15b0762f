//! Commits that are predicted from the history, and the stored memories that belong to them.

use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::day;
use heirloom_core::path::relative_to;
use heirloom_core::prediction::{
    CommitHistory, CommitMemory, ErrorSignature, MessageSearch, PredictionReason, Predictor,
};
use heirloom_core::recall::commit_filter_value;
use jiff::Timestamp;

use super::error_text::{describe, files_of_traces};
use super::given_file::{WorkFile, repository_prefix};
use super::history::{self, MissingHistory};
use super::imports::ImportMentions;
use super::memory::{COMMIT, PredictedMemory, rounded};
use super::person::is_same_person;
use crate::Session;
use crate::recall::{Hit, MemoryList};
use crate::signals::{RememberedKinds, WorkSignals, reason_from};

/// The confidence in a commit whose message has all words of an error, and the least share that counts if it has one of
/// its codes or names. They are judgements: no history says which errors people saw.
const ERROR_CONFIDENCE: f64 = 0.6;
const MIN_SHARE_OF_NAME: f64 = 0.5;

/// How many times as many messages are compared with an error as commits are predicted.
const MESSAGES_PER_COMMIT: usize = 5;

/// The confidence in a commit of a collaborator, which is low: they do many things.
const PERSON_CONFIDENCE: f64 = 0.4;

/// Maximum number of commits of a collaborator.
const MAX_COMMITS_PER_PERSON: usize = 3;

/// Maximum number of stored memories that stand for a commit.
const MAX_MEMORIES_PER_COMMIT: usize = 2;

/// A commit with more files is not searched for decision records.
const MAX_DECISION_FILES: usize = 30;

/// A predicted commit.
#[derive(Debug)]
struct PredictedCommit {
    /// Its number in the history.
    number: u32,
    confidence: f64,
    /// How likely it touches a file that is not hot, if that was estimated.
    quiet_confidence: Option<f64>,
    reason: String,
    gain: Option<f64>,
}

/// Commits that are predicted from the history.
#[derive(Debug, Default)]
pub(crate) struct CommitPredictions {
    predictor: Option<Arc<Predictor>>,
    commits: Vec<PredictedCommit>,
    /// What the paths of the repository have before those of the workspace.
    prefix: String,
    /// The files that are worked on.
    pub(super) files: Vec<WorkFile>,
    missing_history: Option<MissingHistory>,
    remembered: RememberedKinds,
    /// The collaborators that made commits.
    pub(super) authors: Vec<String>,
}

impl CommitPredictions {
    /// Predicts up to `limit` commits for files, and as many for each error; also some of each collaborator.
    pub(crate) fn new(
        session: &Session,
        signals: &WorkSignals,
        errors: &[ErrorSignature],
        limit: usize,
    ) -> Self {
        let WorkSignals { files, people, remembered, .. } = signals;
        let mut files: Vec<WorkFile> =
            files.iter().map(|file| WorkFile::find(session, file)).collect();
        if files.is_empty() && errors.is_empty() && people.is_empty() {
            return CommitPredictions::default();
        }
        let prefix = repository_prefix(session);
        let mut found = CommitPredictions { prefix, remembered: *remembered, ..Self::default() };
        match history::open(session) {
            Ok(predictor) => {
                for path in files_of_traces(errors, predictor.history()) {
                    let path = relative_to(&found.prefix, &path);
                    if files.iter().all(|file| file.path != path) {
                        files.push(WorkFile::find(session, &path));
                    }
                }
                files.iter_mut().for_each(|file| file.read_imports(predictor.history()));
                found.add_for_files(&predictor, &files, limit);
                found.commits.truncate(limit);
                found.add_for_errors(predictor.history(), errors, limit);
                found.add_for_people(predictor.history(), people, &files);
                found.predictor = Some(predictor);
            }
            Err(missing) => found.missing_history = Some(missing),
        }
        found.files = files;
        found
    }

    /// Returns whether the files are those of signals, and were not stated.
    pub(super) fn is_of_signals(&self) -> bool {
        self.remembered.files
    }

    /// Returns the files beside those that are worked on, by imports.
    pub(super) fn import_mentions(&self) -> ImportMentions {
        match &self.predictor {
            Some(predictor) => ImportMentions::new(predictor, &self.files, &self.prefix),
            None => ImportMentions::default(),
        }
    }

    /// Returns why no commits are predicted, and which files do not exist.
    pub(super) fn warnings(&self) -> Vec<String> {
        let history = self.history();
        let unknown = self.files.iter().filter(|file| !file.is_known(history));
        let unknown =
            unknown.map(|file| format!("there is no file `{}` in this workspace", file.path));
        self.missing_history.iter().map(MissingHistory::describe).chain(unknown).collect()
    }

    /// Returns the problem of a history that could not be read.
    pub(crate) fn failure(&self) -> Option<Problem> {
        let missing = self.missing_history.as_ref()?;
        matches!(missing, MissingHistory::Failed(_))
            .then(|| Problem::in_file(".git", missing.describe()))
    }

    /// Adds the predictions for each file in turns: the best of each, then the second of each.
    fn add_for_files(&mut self, predictor: &Predictor, files: &[WorkFile], limit: usize) {
        let history = predictor.history();
        let predict = |file: &WorkFile| predictor.predict(&file.given(history), limit);
        let inside = files.iter().filter(|file| file.is_inside());
        let lists: Vec<_> = inside.map(|file| (predict(file), file)).collect();
        for rank in 0..limit {
            for (list, file) in &lists {
                let Some(predicted) = list.get(rank) else { continue };
                let reason = self.reason(history, &predicted.reason, &file.path);
                self.add(PredictedCommit {
                    number: predicted.memory,
                    confidence: predicted.confidence,
                    quiet_confidence: Some(predicted.quiet_confidence),
                    reason: reason_from(reason, self.remembered.files),
                    gain: Some(predicted.gain),
                });
            }
        }
    }

    fn add_for_errors(&mut self, history: &CommitHistory, errors: &[ErrorSignature], limit: usize) {
        if errors.is_empty() {
            return;
        }
        let messages = MessageSearch::new(history.memories());
        let all = history.memories().len() as u32;
        for error in errors {
            let found = messages.search(&error.query(), all, MESSAGES_PER_COMMIT * limit);
            let similar = found.into_iter().filter_map(|found| {
                let message = &history.memories()[found.memory as usize].message;
                Some((found.memory, error.shared_with(message)?))
            });
            for (number, shared) in similar.take(limit) {
                let least = if shared.names.is_empty() { 0.0 } else { MIN_SHARE_OF_NAME };
                self.add(PredictedCommit {
                    number,
                    confidence: ERROR_CONFIDENCE * shared.share.max(least),
                    quiet_confidence: None,
                    reason: reason_from(
                        format!("its message {}", describe(&shared)),
                        self.remembered.errors,
                    ),
                    gain: None,
                });
            }
        }
    }

    /// Adds the latest commits of collaborators: those that changed the files, if files are known.
    fn add_for_people(&mut self, history: &CommitHistory, people: &[String], files: &[WorkFile]) {
        for name in people {
            let is_author = |memory: &CommitMemory| is_same_person(name, &memory.author);
            if history.memories().iter().any(is_author) {
                self.authors.push(name.clone());
            }
            let numbers: Vec<u32> =
                files.iter().filter_map(|file| file.given(history).number).collect();
            let touches = |memory: &CommitMemory| {
                files.is_empty() || memory.files.iter().any(|file| numbers.contains(file))
            };
            let all = history.memories().iter().enumerate().rev();
            let own = all.filter(|(_, memory)| is_author(memory) && touches(memory));
            for (number, memory) in own.take(MAX_COMMITS_PER_PERSON) {
                let what = if files.is_empty() { "work" } else { "work on these files" };
                let reason = format!("is the latest {what} of {}", memory.author);
                self.add(PredictedCommit {
                    number: number as u32,
                    confidence: PERSON_CONFIDENCE,
                    quiet_confidence: None,
                    reason: reason_from(reason, self.remembered.people),
                    gain: None,
                });
            }
        }
    }

    /// Adds a commit, or the greater confidence in one that is known.
    fn add(&mut self, commit: PredictedCommit) {
        match self.commits.iter_mut().find(|known| known.number == commit.number) {
            Some(known) if known.confidence < commit.confidence => *known = commit,
            Some(_) => {}
            None => self.commits.push(commit),
        }
    }

    /// Returns the history, if there is one.
    pub(super) fn history(&self) -> Option<&CommitHistory> {
        self.predictor.as_deref().map(Predictor::history)
    }

    /// Returns the number of the commit whose hash begins with some digits.
    pub(super) fn number_of(&self, hash: &str) -> Option<u32> {
        commit_filter_value(hash)?;
        let memories = self.history()?.memories();
        memories.iter().position(|memory| memory.id.starts_with(hash)).map(|it| it as u32)
    }

    /// Returns the path in the repository of a file of the workspace.
    pub(super) fn repository_path(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// Returns the prediction of a commit by its number.
    pub(super) fn predicted_commit(
        &self,
        number: u32,
        confidence: f64,
        reason: String,
    ) -> Option<PredictedMemory> {
        let commit =
            PredictedCommit { number, confidence, quiet_confidence: None, reason, gain: None };
        Some(self.of_commit(&commit, self.memory(number)?))
    }

    fn memory(&self, number: u32) -> Option<&CommitMemory> {
        self.predictor.as_ref()?.history().memories().get(number as usize)
    }

    fn reason(&self, history: &CommitHistory, reason: &PredictionReason, given: &str) -> String {
        let path = |file: u32| relative_to(&self.prefix, &history.files()[file as usize].path);
        match *reason {
            PredictionReason::ChangedTogether { file, of: 1, .. } => {
                format!("changed {} in the only small commit of {given}", path(file))
            }
            PredictionReason::ChangedTogether { file, together, of } => {
                format!(
                    "{} changed together with {given} in {together} of {of} commits",
                    path(file)
                )
            }
            PredictionReason::WroteLines { file, lines, of } => {
                format!("wrote {lines} of the {of} lines of {}", path(file))
            }
            PredictionReason::Imported { file } => {
                format!("changed {}, which {given} imports", path(file))
            }
            PredictionReason::Importer { file } => {
                format!("changed {}, which imports {given}", path(file))
            }
            PredictionReason::SharedIdentifiers { file } => {
                format!("changed {}, which uses the same names as {given}", path(file))
            }
            PredictionReason::CommonNeighbours { file } => {
                format!("changed {}, which changes with the same files as {given}", path(file))
            }
            PredictionReason::Nearby { file } => {
                format!("changed {}, which is near {given}", path(file))
            }
        }
    }

    /// Returns the lists of stored memories that belong to the commits.
    pub(crate) fn lists(&self) -> Vec<MemoryList> {
        self.commits.iter().flat_map(|commit| self.lists_of(commit)).collect()
    }

    fn lists_of(&self, commit: &PredictedCommit) -> Vec<MemoryList> {
        let Some(memory) = self.memory(commit.number) else { return vec![] };
        lists_of_commit(&memory.id, &self.paths(memory))
    }

    fn paths(&self, memory: &CommitMemory) -> Vec<String> {
        let Some(predictor) = &self.predictor else { return vec![] };
        let files = predictor.history().files();
        let path = |file: &u32| relative_to(&self.prefix, &files[*file as usize].path);
        memory.files.iter().map(path).collect()
    }

    /// Returns the predictions, each as the stored memories that belong to the commit, or else as the commit itself.
    /// `found` are the memories of the lists.
    pub(crate) fn into_memories(self, found: Vec<Vec<Hit>>) -> Vec<PredictedMemory> {
        let mut found = found.into_iter();
        let mut memories: Vec<PredictedMemory> = Vec::new();
        for commit in &self.commits {
            let Some(memory) = self.memory(commit.number) else { continue };
            let belonging: Vec<Hit> =
                found.by_ref().take(self.lists_of(commit).len()).flatten().collect();
            let predicted = self.of_commit(commit, memory);
            let stored = belonging.iter().map(|hit| of_stored(&predicted, hit));
            let mut stored: Vec<PredictedMemory> = stored.collect();
            if stored.is_empty() {
                stored.push(predicted);
            }
            for one in stored {
                if memories.iter().all(|known| known.id != one.id) {
                    memories.push(one);
                }
            }
        }
        memories
    }

    fn of_commit(&self, commit: &PredictedCommit, memory: &CommitMemory) -> PredictedMemory {
        PredictedMemory {
            id: memory.id.clone(),
            kind: COMMIT.to_owned(),
            title: memory.subject().to_owned(),
            date: day_of(memory),
            author: memory.author.clone(),
            files: self.paths(memory),
            confidence: rounded(commit.confidence),
            quiet_confidence: commit.quiet_confidence.map(rounded),
            reason: commit.reason.clone(),
            commit: None,
            gain: commit.gain.map(rounded),
            hit: None,
        }
    }
}

/// Returns the day of a commit.
pub(super) fn day_of(commit: &CommitMemory) -> Option<String> {
    let day = Timestamp::from_second(commit.time).ok().map(day::of_timestamp);
    day.map(|day| day.to_string())
}

/// Returns the lists of stored memories that belong to a commit: those that name it, and the decision records that it
/// changed.
pub(super) fn lists_of_commit(id: &str, files: &[String]) -> Vec<MemoryList> {
    let list =
        |field: &str, value: &str| MemoryList::with_property(field, value, MAX_MEMORIES_PER_COMMIT);
    let hash = commit_filter_value(id);
    let mut lists: Vec<MemoryList> = hash.map(|hash| list("commit", hash)).into_iter().collect();
    if files.len() <= MAX_DECISION_FILES {
        let documents = files.iter().filter(|path| path.ends_with(".md"));
        lists.extend(documents.map(|path| list("path", path)));
    }
    lists
}

/// Returns the prediction of a stored memory that belongs to a predicted commit.
fn of_stored(commit: &PredictedMemory, hit: &Hit) -> PredictedMemory {
    let stored = PredictedMemory::of_hit(hit, commit.confidence, commit.reason.clone());
    PredictedMemory {
        id: stored.id,
        kind: stored.kind,
        hit: stored.hit,
        commit: Some(commit.id.clone()),
        ..commit.clone()
    }
}
