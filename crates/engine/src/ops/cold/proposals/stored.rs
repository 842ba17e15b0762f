//! The proposals as they are stored on this machine.

use std::collections::BTreeMap;

use heirloom_core::Hint;
use heirloom_core::Problem;
use heirloom_core::record::{Episode, Origin};
use heirloom_core::transcript::Role;
use heirloom_core::transcript::extraction::ProposalKind;
use heirloom_store::stamp::Stamp;
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Session};

/// Folder in the state of this machine.
pub(in crate::ops::cold) const FOLDER: &str = "extraction";

/// Its file with the proposals.
const FILE: &str = "proposals";

/// Fewest characters of an id that are compared.
const MIN_ID_CHARS: usize = 4;

/// What was read, what is pending and what was decided.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::ops::cold) struct StoredProposals {
    /// How far each transcript was read, by its path.
    files: BTreeMap<String, ReadPosition>,
    /// The proposals without a decision, in the order in which they were found.
    pub(in crate::ops::cold) pending: Vec<PendingProposal>,
    /// The decisions by the ids of the proposals.
    pub(in crate::ops::cold) decided: BTreeMap<String, Decision>,
}

/// How far a transcript was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReadPosition {
    /// The size in bytes.
    size: u64,
    /// The modification time, in nanoseconds since 1970.
    modified: i64,
    /// The inode.
    inode: u64,
    /// The number of lines that were read.
    pub(super) lines: usize,
    /// The hash of its beginning.
    pub(super) beginning: String,
}

impl ReadPosition {
    /// The position after some lines of a transcript with a stamp.
    pub(super) fn new(stamp: Option<Stamp>, lines: usize, beginning: String) -> Self {
        ReadPosition {
            size: stamp.map_or(0, |stamp| stamp.size),
            modified: stamp.map_or(0, |stamp| stamp.modified),
            inode: stamp.map_or(0, |stamp| stamp.inode),
            lines,
            beginning,
        }
    }
}

/// A proposal without a decision.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::ops::cold) struct PendingProposal {
    pub(in crate::ops::cold) id: String,
    pub(in crate::ops::cold) kind: ProposalKind,
    pub(in crate::ops::cold) text: String,
    /// The path of the transcript.
    pub(in crate::ops::cold) path: String,
    /// The line of the message, counted from 1.
    pub(in crate::ops::cold) line: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::ops::cold) at: Option<Timestamp>,
    /// The speaker: `user` or `agent`.
    pub(in crate::ops::cold) by: String,
    pub(in crate::ops::cold) confidence: f64,
    pub(in crate::ops::cold) reason: String,
    /// The earlier statement that it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::ops::cold) replaces: Option<Replaced>,
    /// The episode, for a proposal of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::ops::cold) episode: Option<Box<Episode>>,
    /// The origin of the episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::ops::cold) conversation: Option<Origin>,
}

/// An earlier statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ops::cold) struct Replaced {
    /// The id of its proposal.
    pub(in crate::ops::cold) id: String,
    pub(in crate::ops::cold) text: String,
    /// `path:line`.
    pub(in crate::ops::cold) source: String,
}

/// What was decided about a proposal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::ops::cold) enum Decision {
    /// It became a record, or a statement of a rule.
    Accepted {
        /// The id of the record; `None` for a statement of a rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<Uuid>,
        kind: ProposalKind,
        text: String,
        source: String,
    },
    /// It is not wanted. It can be taken back.
    Dropped(Box<PendingProposal>),
}

impl PendingProposal {
    /// Returns the origin of the record that it becomes.
    pub(in crate::ops::cold) fn origin(&self) -> Origin {
        self.conversation.clone().unwrap_or_else(|| Origin::statement(&self.id))
    }

    /// Returns its place: `path:line`; an episode is the whole file.
    pub(in crate::ops::cold) fn source(&self) -> String {
        match self.episode {
            Some(_) => self.path.clone(),
            None => format!("{}:{}", self.path, self.line),
        }
    }
}

impl Decision {
    /// The decision for a proposal that became a record, or without one a statement of a rule.
    pub(in crate::ops::cold) fn accepted(proposal: PendingProposal, record: Option<Uuid>) -> Self {
        let source = proposal.source();
        Decision::Accepted { record, kind: proposal.kind, text: proposal.text, source }
    }
}

/// Returns whether a typed id stands for an id: it is the whole id or its end.
pub(in crate::ops::cold) fn is_meant(typed: &str, id: &str) -> bool {
    let typed = typed.trim().to_lowercase();
    typed.len() >= MIN_ID_CHARS && id.ends_with(&typed)
}

/// Returns the name of a speaker.
pub(super) fn name_of(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        _ => "agent",
    }
}

impl StoredProposals {
    /// Changes what is stored under a lock. A damaged file is set aside, so that it can be looked at, and reported, also
    /// by the error if the change fails.
    pub(in crate::ops::cold) fn update<T>(
        session: &Session,
        change: impl FnOnce(&mut StoredProposals) -> Result<T, Error>,
    ) -> Result<(T, Option<Problem>), Error> {
        let folder = StateFolder::in_state(session.root(), FOLDER);
        let _lock = folder.lock(FILE)?;
        let parsed = folder.read(FILE)?.map(|text| serde_json::from_str(&text));
        let (mut stored, problem) = match parsed {
            None => (Self::default(), None),
            Some(Ok(stored)) => (stored, None),
            Some(Err(error)) => {
                let kept = folder.set_aside(FILE)?;
                let path = folder.path(FILE).display().to_string();
                let message = format!(
                    "the proposals were damaged ({error}) and are made again; the old file is kept as {}",
                    kept.display()
                );
                (Self::default(), Some(Problem::in_file(path, message)))
            }
        };
        let result = change(&mut stored).map_err(|error| match &problem {
            Some(problem) => Error { message: format!("{}; {problem}", error.message), ..error },
            None => error,
        })?;
        let text = serde_json::to_string(&stored).map_err(|it| Error::system(it.to_string()))?;
        folder.write(FILE, &text)?;
        Ok((result, problem))
    }

    /// Returns how far a transcript was read.
    pub(super) fn position(&self, path: &str) -> Option<&ReadPosition> {
        self.files.get(path)
    }

    /// Returns whether a transcript was read as it is. Transcripts grow, so that two changes within one tick of the clock
    /// differ in size.
    pub(super) fn is_read(&self, path: &str, stamp: Option<Stamp>) -> bool {
        let read = self.files.get(path).zip(stamp);
        read.is_some_and(|(read, stamp)| {
            (read.size, read.modified, read.inode) == (stamp.size, stamp.modified, stamp.inode)
        })
    }

    pub(super) fn set_position(&mut self, path: &str, position: ReadPosition) {
        self.files.insert(path.to_owned(), position);
    }

    /// Moves a pending proposal to the decided ones.
    pub(in crate::ops::cold) fn decide(
        &mut self,
        id: &str,
        decision: impl FnOnce(PendingProposal) -> Decision,
    ) {
        if let Some(at) = self.pending.iter().position(|proposal| proposal.id == id) {
            let proposal = self.pending.remove(at);
            self.decided.insert(id.to_owned(), decision(proposal));
        }
    }

    /// Returns the pending proposal that a typed id stands for.
    pub(in crate::ops::cold) fn find(&self, typed: &str) -> Result<&PendingProposal, Error> {
        let found = self.pending.iter().filter(|proposal| is_meant(typed, &proposal.id));
        if let Some(proposal) = only(typed, found)? {
            return Ok(proposal);
        }
        match self.decided.iter().find(|(id, _)| is_meant(typed, id)) {
            Some((_, Decision::Dropped(_))) => {
                let hint = Hint::text("take it back with ").call("cold_drop", [("undo", true)]);
                Err(Error::bad_input(format!("`{typed}` was dropped")).hint(hint))
            }
            Some((_, Decision::Accepted { record, .. })) => {
                let accepted = record.map_or_else(|| "a rule".to_owned(), |id| id.to_string());
                Err(Error::bad_input(format!("`{typed}` was accepted already, as {accepted}")))
            }
            None => {
                let ids = self.pending.iter().map(|proposal| proposal.id.as_str());
                let near = heirloom_core::name::nearest(typed, ids, 3);
                let hint = Hint::text("list the proposals with ").operation("cold_extract");
                Err(Error::not_found(format!("no proposal has the id `{typed}`"), near).hint(hint))
            }
        }
    }

    /// Returns the dropped proposal that a typed id stands for.
    pub(in crate::ops::cold) fn find_dropped(
        &self,
        typed: &str,
    ) -> Result<&PendingProposal, Error> {
        let found = self.decided.iter().filter_map(|(id, decision)| match decision {
            Decision::Dropped(proposal) if is_meant(typed, id) => Some(&**proposal),
            _ => None,
        });
        only(typed, found)?.ok_or_else(|| {
            Error::not_found(format!("no dropped proposal has the id `{typed}`"), vec![])
        })
    }
}

/// Returns the only proposal that a typed id stands for; `None` if there is none.
fn only<'s>(
    typed: &str,
    found: impl Iterator<Item = &'s PendingProposal>,
) -> Result<Option<&'s PendingProposal>, Error> {
    match found.collect::<Vec<_>>().as_slice() {
        [] => Ok(None),
        [proposal] => Ok(Some(proposal)),
        several => {
            let ids = several.iter().map(|proposal| proposal.id.clone()).collect();
            let message = format!("`{typed}` stands for several proposals");
            Err(Error::not_found(message, ids).hint("type more of the id"))
        }
    }
}
