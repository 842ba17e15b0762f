//! Opening the index of transcripts, and keeping it open from one request to the next.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use heirloom_core::Problem;
use heirloom_index::cold::{ColdIndex, ColdSnapshot, StoredTranscript};
use heirloom_store::transcripts::Transcripts;

use super::backlog::{Backlog, Plan, problems};
use super::folder::{FOLDER, index_of, known_files};
use super::update::update_locked;
use crate::{Error, Session};

/// Up to so many bytes, a search indexes what is new before it answers.
const MAX_INLINE_BYTES: u64 = 16 * 1024 * 1024;

/// How long a server does not list the transcripts again.
const LISTING_LIFETIME: Duration = Duration::from_secs(1);

/// An index with the transcripts that it is compared with.
pub(crate) struct OpenCold {
    folder: PathBuf,
    /// The last commit; `None` if nothing was indexed yet.
    pub(super) snapshot: Option<ColdSnapshot>,
    pub(super) listed: Arc<Transcripts>,
    listed_at: Instant,
    /// What the index does not have yet.
    pub(crate) backlog: Backlog,
}

impl OpenCold {
    /// Returns the indexed transcripts.
    pub(crate) fn transcripts(&self) -> &[StoredTranscript] {
        self.snapshot.as_ref().map_or(&[], ColdSnapshot::transcripts)
    }

    /// Returns the last commit, if there is one.
    pub(crate) fn snapshot(&self) -> Option<&ColdSnapshot> {
        self.snapshot.as_ref()
    }

    /// Returns what could not be listed, and the lines of transcripts that could not be read.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let stored = self.transcripts().iter().flat_map(problems);
        self.listed.problems.iter().cloned().chain(stored).collect()
    }

    /// Returns what could not be listed.
    pub(crate) fn listing_problems(&self) -> Vec<Problem> {
        self.listed.problems.clone()
    }

    /// Keeps the index open for the next request of the process.
    pub(crate) fn keep(self, session: &Session) {
        if session.process_cache().is_long_lived() && self.snapshot.is_some() {
            let kept: Arc<KeptIndex> = session.process_cache().part();
            *kept.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
        }
    }
}

/// The index that no request uses.
#[derive(Default)]
struct KeptIndex(Mutex<Option<OpenCold>>);

impl KeptIndex {
    fn take(session: &Session, folder: &Path) -> Option<OpenCold> {
        let kept: Arc<KeptIndex> = session.process_cache().part();
        let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|open| open.folder == folder)
    }
}

/// Removes the index with all that it holds.
pub(crate) fn discard(session: &Session) -> Result<(), Error> {
    if session.root().is_folder(FOLDER) {
        drop(KeptIndex::take(session, &session.root().join(FOLDER)));
        index_of(session).discard()?;
    }
    Ok(())
}

/// Opens the index, and first indexes what is new if that is little.
pub(crate) fn open_up_to_date(session: &Session) -> Result<OpenCold, Error> {
    let index = index_of(session);
    let mut open = open(session, &index)?;
    let is_little = open.backlog.bytes <= MAX_INLINE_BYTES;
    if open.backlog.is_empty() || !is_little {
        return Ok(open);
    }
    // Another process that is indexing, or a folder that cannot be written to, does not prevent an answer.
    let lock = match index.try_lock() {
        Ok(Some(lock)) => lock,
        Err(error) if open.snapshot.is_none() => return Err(error.into()),
        _ => return Ok(open),
    };
    match update_locked(session, &index, lock, open.snapshot.is_some()) {
        Ok(_) => {}
        Err(error) if open.snapshot.is_none() => return Err(error),
        Err(_) => return Ok(open),
    }
    open.snapshot = index.open(open.snapshot.take())?;
    open.backlog = Plan::new(&open.listed, open.transcripts()).backlog();
    Ok(open)
}

/// Opens the index as it is.
pub(crate) fn open_as_it_is(session: &Session) -> Result<OpenCold, Error> {
    open(session, &index_of(session))
}

fn open(session: &Session, index: &ColdIndex) -> Result<OpenCold, Error> {
    let folder = session.root().join(FOLDER);
    let kept = KeptIndex::take(session, &folder);
    let (known, listing) = match kept {
        Some(open) => {
            let is_recent = open.listed_at.elapsed() < LISTING_LIFETIME;
            (open.snapshot, is_recent.then_some((open.listed, open.listed_at, open.backlog)))
        }
        None => (None, None),
    };
    let (snapshot, is_current) = match known {
        Some(known) if known.is_current(index) => (Some(known), true),
        known => (index.open(known)?, false),
    };
    let mut open = match listing {
        Some((listed, listed_at, backlog)) => {
            OpenCold { folder, snapshot, listed, listed_at, backlog }
        }
        None => {
            let listed = Arc::new(list(session, snapshot.as_ref()));
            let (listed_at, backlog) = (Instant::now(), Backlog::default());
            let open = OpenCold { folder, snapshot, listed, listed_at, backlog };
            let backlog = Plan::new(&open.listed, open.transcripts()).backlog();
            return Ok(OpenCold { backlog, ..open });
        }
    };
    if !is_current {
        open.backlog = Plan::new(&open.listed, open.transcripts()).backlog();
    }
    Ok(open)
}

fn list(session: &Session, snapshot: Option<&ColdSnapshot>) -> Transcripts {
    let stored = snapshot.map_or(&[][..], ColdSnapshot::transcripts);
    let foreign = snapshot.map_or(&[][..], ColdSnapshot::foreign_files);
    let mut known = known_files(stored, foreign.iter().copied());
    Transcripts::list(session.root(), session.client_folders(), &mut known)
}
