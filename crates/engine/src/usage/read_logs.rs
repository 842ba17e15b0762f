//! The usage logs that a long-lived process has read, so that only what was appended since is parsed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_core::usage::UsageFold;

/// Maximum number of workspaces whose logs are kept. One more empties the cache.
const MAX_LOGS: usize = 8;

/// The logs that were read, by their paths.
#[derive(Default)]
pub(super) struct ReadLogs {
    logs: Mutex<HashMap<PathBuf, ReadLog>>,
}

/// A log as it was last read, up to the end of its last line.
#[derive(Default)]
struct ReadLog {
    bytes: Vec<u8>,
    fold: Arc<UsageFold>,
}

impl ReadLogs {
    /// Adds up the lines of a log. A last line without a line break counts once it is complete.
    pub(super) fn fold(&self, path: PathBuf, mut bytes: Vec<u8>) -> Arc<UsageFold> {
        let mut logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        if logs.len() == MAX_LOGS && !logs.contains_key(&path) {
            logs.clear();
        }
        let log = logs.entry(path).or_default();
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        // A log that was shortened or replaced is another one.
        if !bytes.starts_with(&log.bytes) {
            *log = ReadLog::default();
        }
        let appended = String::from_utf8_lossy(&bytes[log.bytes.len()..]);
        if !appended.is_empty() {
            Arc::make_mut(&mut log.fold).add_lines(&appended);
        }
        log.bytes = bytes;
        log.fold.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_lines_are_added_and_replaced_logs_read_anew() {
        let logs = ReadLogs::default();
        let retrieved = |text: &str| {
            let fold = logs.fold(PathBuf::from("log"), text.as_bytes().to_vec());
            assert_eq!(*fold, UsageFold::of_log(&text[..text.rfind('\n').unwrap()]));
            fold.counts("a").retrieved
        };
        assert_eq!(retrieved("retrieved 1 a\n"), 1);
        assert_eq!(retrieved("retrieved 1 a\nretrieved 2 a\nretrieved 3"), 2);
        assert_eq!(retrieved("retrieved 1 a\nretrieved 2 a\nretrieved 3 a\n"), 3);
        assert_eq!(retrieved("counted 3 a 7 0 0 0\n"), 7);
    }
}
