//! The scan for contradictions, as a step of consolidation.

use crate::contradictions::scan;
use crate::{Error, Session};

/// What a scan for contradictions found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FoundContradictions {
    /// The number of open contradictions.
    pub(crate) open: usize,
    /// The number of pairs that were judged.
    pub(crate) examined_pairs: usize,
}

/// Scans the memory for contradictions. With `dry_run`, nothing is stored.
pub(crate) fn scan_contradictions(
    session: &Session,
    dry_run: bool,
) -> Result<FoundContradictions, Error> {
    let report = scan(session, dry_run)?;
    Ok(FoundContradictions { open: report.open, examined_pairs: report.judged_pairs })
}
