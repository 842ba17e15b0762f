//! What was injected during a work session, until its end judges what was used.

use std::collections::HashSet;

use heirloom_core::record::Referent;
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Error, Session};

/// Folder in the state of this machine with a file for each session: a line for each context.
const FOLDER: &str = "session-injected";

/// A larger file is not extended, in bytes.
const FILE_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A memory that was part of a context.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct InjectedMemory {
    /// What the log refers to it by.
    pub(crate) memory: Referent,
    /// The line of the context.
    pub(crate) text: String,
    /// When it was injected.
    pub(crate) at: Timestamp,
}

/// A context that was injected.
#[derive(Debug, Serialize, Deserialize)]
struct InjectedContext {
    task: Option<String>,
    memories: Vec<InjectedMemory>,
}

/// Records the memories of a context for the end of a work session. Best effort: a context is worth more.
pub(crate) fn record_injected(
    session: &Session,
    work_session: &str,
    task: Option<&str>,
    memories: Vec<InjectedMemory>,
) {
    let folder = folder(session);
    if memories.is_empty() || folder.size(work_session) > FILE_MAX_BYTES {
        return;
    }
    let context = InjectedContext { task: task.map(str::to_owned), memories };
    if let Ok(line) = serde_json::to_string(&context) {
        drop(folder.append(work_session, &line));
    }
}

/// Reads the memories that were injected during a work session, each with its first text only if it is repeated, and the
/// tasks of the contexts. Damaged lines are left out.
pub(crate) fn read_injected(
    session: &Session,
    work_session: &str,
) -> Result<(Vec<InjectedMemory>, Vec<String>), Error> {
    let bytes = folder(session).read_bytes(work_session)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut tasks: Vec<String> = Vec::new();
    let mut memories = Vec::new();
    let mut known: HashSet<(Referent, String)> = HashSet::new();
    let contexts = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    for InjectedContext { task, memories: injected } in contexts {
        tasks.extend(task);
        let new = injected.into_iter();
        memories.extend(new.filter(|it| known.insert((it.memory.clone(), it.text.clone()))));
    }
    tasks.dedup();
    Ok((memories, tasks))
}

/// Removes what was recorded for a work session.
pub(crate) fn remove_injected(session: &Session, work_session: &str) -> Result<(), Error> {
    Ok(folder(session).remove(work_session)?)
}

/// Removes memories from what was recorded for all work sessions.
pub(crate) fn forget_injected(session: &Session, memories: &[Referent]) -> Result<(), Error> {
    let folder = folder(session);
    for work_session in folder.names() {
        let bytes = folder.read_bytes(&work_session)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut kept = String::new();
        for mut context in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            let InjectedContext { memories: injected, .. } = &mut context;
            injected.retain(|it| !memories.contains(&it.memory));
            let line = serde_json::to_string(&context).unwrap_or_default();
            kept.extend([line.as_str(), "\n"]);
        }
        folder.write(&work_session, &kept)?;
    }
    Ok(())
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), FOLDER)
}
