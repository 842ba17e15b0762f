//! The history that commits are predicted from, up to date with the checked-out commit.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_core::prediction::Predictor;
use heirloom_store::commit_history;

use crate::Session;

/// Maximum number of workspaces whose histories a process keeps.
const MAX_WORKSPACES: usize = 4;

/// The histories that a process keeps between requests, by the folder of their workspace.
#[derive(Default)]
struct OpenHistories(Mutex<Vec<(PathBuf, Arc<Predictor>)>>);

impl OpenHistories {
    fn take(&self, folder: &std::path::Path) -> Option<Arc<Predictor>> {
        let mut histories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let position = histories.iter().position(|(other, _)| other == folder)?;
        Some(histories.remove(position).1)
    }

    fn put(&self, folder: PathBuf, predictor: Arc<Predictor>) {
        let mut histories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        histories.retain(|(other, _)| *other != folder);
        if histories.len() == MAX_WORKSPACES {
            histories.remove(0);
        }
        histories.push((folder, predictor));
    }
}

/// Why there is no history.
#[derive(Debug)]
pub(super) enum MissingHistory {
    /// The workspace is in no repository, or in one without a commit: there is nothing to learn from.
    Nothing(&'static str),
    /// Git failed.
    Failed(String),
}

impl MissingHistory {
    /// Says it in a sentence.
    pub(super) fn describe(&self) -> String {
        match self {
            MissingHistory::Nothing(reason) => format!("{reason}, so no commits are predicted"),
            MissingHistory::Failed(reason) => {
                format!("the git history could not be read, so no commits are predicted: {reason}")
            }
        }
    }
}

/// Returns the history of the workspace's repository, or why there is none. Reading it for the first time takes seconds
/// and reports its progress.
pub(super) fn open(session: &Session) -> Result<Arc<Predictor>, MissingHistory> {
    let root = session.root();
    if root.repository().is_none() {
        return Err(MissingHistory::Nothing("this workspace is in no git repository"));
    }
    let Some(head) = commit_history::current_commit(root) else {
        return Err(MissingHistory::Nothing("the repository has no commit yet"));
    };
    let histories: Arc<OpenHistories> = session.process_cache().part();
    let known = histories.take(root.path());
    let predictor = match known {
        Some(known) if known.history().head() == Some(head.as_str()) => known,
        known => {
            let known = known.map(|known| match Arc::try_unwrap(known) {
                Ok(predictor) => predictor.into_history(),
                Err(shared) => shared.history().clone(),
            });
            let config = session.config().map_err(|error| MissingHistory::Failed(error.message))?;
            let max_commits = config.prediction.commits;
            let mut report = |done, total| session.progress().tell(done, total);
            let read = commit_history::read(
                root,
                known,
                max_commits,
                heirloom_syntax::read_statements,
                &mut report,
            );
            session.progress().end();
            let history = read.map_err(|error| MissingHistory::Failed(error.0))?;
            Arc::new(Predictor::new(history.unwrap_or_default()))
        }
    };
    histories.put(root.path().to_path_buf(), predictor.clone());
    Ok(predictor)
}

/// Brings the history up to date. Returns the first line of the latest message, if it is that of the checked-out commit;
/// the reason if the history could not be read, and none if there is nothing to read.
pub(crate) fn warm_history(session: &Session) -> Result<Option<String>, Option<String>> {
    match open(session) {
        Ok(predictor) => {
            let history = predictor.history();
            let latest = history.memories().last();
            let latest = latest.filter(|it| history.head() == Some(it.id.as_str()));
            Ok(latest.map(|it| it.subject().to_owned()))
        }
        Err(MissingHistory::Nothing(_)) => Err(None),
        Err(missing) => Err(Some(missing.describe())),
    }
}
