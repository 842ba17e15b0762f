//! The usage log in the local state of this machine: lines that are appended, folded when read, and replaced by their
//! sums when the log has grown.

use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::record::Referent;
use heirloom_core::usage::{
    UsageCounts, UsageEvent, UsageFold, moved_line, returned_line, times_line, used_with_line,
};
use heirloom_store::StoreError;
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::read_logs::ReadLogs;
use crate::view::present;
use crate::{Error, Session};

/// Folder in the state of this machine.
const FOLDER: &str = "usage";

/// The log, and the sums of older lines.
const LOG: &str = "log";

/// A longer log is replaced by its sums, in bytes. Reading one takes less than a millisecond.
const LOG_MAX_BYTES: u64 = 256 * 1024;

/// Maximum number of memories whose sums are kept: those that were accessed last. Their lines take half of the log.
const MAX_COUNTED_MEMORIES: usize = 2_000;

/// How often memories were used.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    fold: Arc<UsageFold>,
    /// The problem of a log with damaged lines.
    pub(crate) problem: Option<Problem>,
}

/// How often a memory was used, as operations return it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct UsageReport {
    /// How often it was part of an answer or a context.
    pub(crate) retrieved: u64,
    /// How often an agent used it after it was part of its context.
    pub(crate) cited: u64,
    /// How often an agent did not.
    pub(crate) ignored: u64,
    /// The tokens that it took in contexts.
    pub(crate) tokens: u64,
    /// When it was last retrieved or cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_accessed: Option<String>,
}

impl UsageReport {
    pub(crate) fn of(counts: &UsageCounts) -> Self {
        let UsageCounts { retrieved, cited, ignored, tokens, last_accessed } = *counts;
        let last_accessed = Some(last_accessed).filter(|at| *at > 0);
        let last_accessed = last_accessed.and_then(|at| Timestamp::from_millisecond(at).ok());
        let last_accessed = last_accessed.map(|at| at.to_string());
        UsageReport { retrieved, cited, ignored, tokens, last_accessed }
    }
}

impl UsageReport {
    /// Describes it in a line.
    pub(crate) fn describe(&self) -> String {
        let UsageReport { retrieved, cited, ignored, tokens, .. } = self;
        let day = self.last_accessed.as_deref().and_then(|at| at.get(..10));
        let day = day.map(|day| format!("; last on {day}")).unwrap_or_default();
        format!("retrieved {retrieved}×, cited {cited}×, ignored {ignored}×; {tokens} tokens{day}")
    }
}

impl Usage {
    /// Reads the log.
    pub(crate) fn read(session: &Session) -> Self {
        let folder = folder(session);
        let path = || folder.path(LOG).display().to_string();
        match folder.read_bytes(LOG) {
            Ok(None) => Usage::default(),
            Ok(Some(bytes)) => {
                let fold = match session.process_cache().is_long_lived() {
                    true => {
                        session.process_cache().part::<ReadLogs>().fold(folder.path(LOG), bytes)
                    }
                    false => Arc::new(UsageFold::of_log(&String::from_utf8_lossy(&bytes))),
                };
                let problem = (fold.damaged_lines > 0).then(|| {
                    let lines = present::count(fold.damaged_lines, "line");
                    let message = format!("not counted: {lines} of the usage log cannot be read");
                    Problem::in_file(path(), message)
                        .hint("the log is kept aside when it is next shortened")
                });
                Usage { fold, problem }
            }
            Err(error) => {
                let message = format!("the usage log cannot be read: {error}");
                Usage { problem: Some(Problem::in_file(path(), message)), ..Usage::default() }
            }
        }
    }

    /// Returns the counts of a memory.
    pub(crate) fn counts(&self, memory: &Referent) -> UsageCounts {
        self.fold.counts(&memory.to_string())
    }

    /// Returns whether memories were used while files were open.
    pub(crate) fn has_files(&self) -> bool {
        self.fold.has_files()
    }

    /// Returns the memories that were used while a file was open, with how often they were, most often first.
    pub(crate) fn used_with(&self, path: &str) -> Vec<(Referent, u64)> {
        let used = self.fold.used_with(path).into_iter();
        used.map(|(name, times)| (Referent::from(name), times)).collect()
    }

    /// Returns when memories were used, the earliest time of each first, ordered by memory.
    pub(crate) fn times(&self) -> Vec<(Referent, Vec<Timestamp>)> {
        let time = |minutes: &i64| Timestamp::from_second(minutes.checked_mul(60)?).ok();
        let memory = |(name, minutes): (&str, &[i64])| {
            (Referent::from(name), minutes.iter().filter_map(time).collect())
        };
        let mut times: Vec<(&str, &[i64])> = self.fold.times().collect();
        times.sort_unstable();
        times.into_iter().map(memory).collect()
    }

    /// Returns the time before which it is not known which memories were used, since the log keeps the sums of those that
    /// were used last; `None` if it has all.
    pub(crate) fn known_since(&self) -> Option<Timestamp> {
        Timestamp::from_millisecond(self.fold.known_since()?).ok()
    }

    /// Returns all memories with their counts, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Referent, UsageCounts)> {
        self.fold.all().map(|(name, counts)| (Referent::from(name), *counts))
    }
}

/// Appends what happened to some memories, each with the tokens that it took. Nothing is synced to disk: a crash of the
/// system may lose the last lines.
pub(crate) fn append_events(
    session: &Session,
    events: &[(UsageEvent, Vec<(&Referent, usize)>)],
) -> Result<(), Error> {
    let at = session.now().as_millisecond();
    let mut lines = Vec::new();
    for (event, memories) in events.iter().filter(|(_, memories)| !memories.is_empty()) {
        let names: Vec<(String, usize)> =
            memories.iter().map(|(memory, tokens)| (memory.to_string(), *tokens)).collect();
        let names = names.iter().map(|(name, tokens)| (name.as_str(), *tokens));
        lines.push(event.line(at, names));
    }
    append_lines(session, &lines)
}

/// Appends which memories were used while files were open.
pub(crate) fn append_used_with(
    session: &Session,
    files: &[String],
    memories: &[&Referent],
) -> Result<(), Error> {
    if memories.is_empty() {
        return Ok(());
    }
    let at = session.now().as_millisecond();
    let names: Vec<String> = memories.iter().map(ToString::to_string).collect();
    let once = || names.iter().map(|name| (name.as_str(), 1));
    let lines: Vec<String> = files.iter().map(|file| used_with_line(at, file, once())).collect();
    append_lines(session, &lines)
}

/// Appends when memories were used.
pub(crate) fn append_times<'r>(
    session: &Session,
    used: impl IntoIterator<Item = (&'r Referent, Timestamp)>,
) -> Result<(), Error> {
    let line = |(memory, time): (&Referent, Timestamp)| {
        times_line(session.now().as_millisecond(), &memory.to_string(), &[time.as_second() / 60])
    };
    append_lines(session, &used.into_iter().map(line).collect::<Vec<String>>())
}

/// Appends that all that was counted of some memories counts for what replaced them.
pub(crate) fn append_moves<'r>(
    session: &Session,
    moves: impl IntoIterator<Item = (&'r Referent, &'r Referent)>,
) -> Result<(), Error> {
    let at = session.now().as_millisecond();
    let line =
        |(from, to): (&Referent, &Referent)| moved_line(at, &from.to_string(), &to.to_string());
    append_lines(session, &moves.into_iter().map(line).collect::<Vec<String>>())
}

/// Appends that what was counted of some memories before counts for them again, and no longer for what had replaced them.
pub(crate) fn append_returns<'r>(
    session: &Session,
    returns: impl IntoIterator<Item = (&'r Referent, &'r Referent, UsageCounts)>,
) -> Result<(), Error> {
    let at = session.now().as_millisecond();
    let line = |(from, to, counts): (&Referent, &Referent, UsageCounts)| {
        returned_line(at, &from.to_string(), &to.to_string(), &counts)
    };
    append_lines(session, &returns.into_iter().map(line).collect::<Vec<String>>())
}

fn append_lines(session: &Session, lines: &[String]) -> Result<(), Error> {
    if lines.is_empty() {
        return Ok(());
    }
    let folder = folder(session);
    let _lock = folder.lock(LOG)?;
    // A line that a crash cut off does not damage the next one.
    let size = folder.append(LOG, &format!("\n{}", lines.join("\n")))?;
    if size > LOG_MAX_BYTES {
        shorten(&folder)?;
    }
    Ok(())
}

/// Replaces the lines of the log by their sums. A log with damaged lines is kept aside.
fn shorten(folder: &StateFolder<'_>) -> Result<(), StoreError> {
    let Some(bytes) = folder.read_bytes(LOG)? else { return Ok(()) };
    let fold = UsageFold::of_log(&String::from_utf8_lossy(&bytes));
    if fold.damaged_lines > 0 {
        folder.set_aside(LOG)?;
    }
    folder.write(LOG, &fold.to_log(MAX_COUNTED_MEMORIES))
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), FOLDER)
}
