//! The proposed relations as they are stored on this machine.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use heirloom_core::link_discovery::ProposedLink;
use heirloom_core::record::Referent;
use heirloom_core::{Hint, Problem, name};
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Session};

/// Folder in the state of this machine.
pub(super) const FOLDER: &str = "links";

/// Its file with the proposals.
const FILE: &str = "proposals";

/// Fewest characters of an id that are compared.
const MIN_ID_CHARS: usize = 4;

/// What is pending and what was decided.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredLinks {
    /// When memories were last looked at.
    pub(crate) looked_at: Option<Timestamp>,
    /// The number of memories that were left for the next time.
    pub(crate) left: usize,
    /// The proposals without a decision, the newest memories first.
    pub(crate) pending: Vec<PendingLink>,
    /// The decisions by the ids of the proposals.
    pub(crate) decided: BTreeMap<String, LinkDecision>,
}

/// A proposal without a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingLink {
    /// Its id.
    pub(crate) id: String,
    /// What is proposed.
    #[serde(flatten)]
    pub(crate) link: ProposedLink,
}

/// What was decided about a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinkDecision {
    /// It became a relation.
    Accepted {
        /// The id of its record.
        record: Uuid,
    },
    /// It is not wanted. It can be taken back.
    Dropped(Box<ProposedLink>),
}

impl StoredLinks {
    /// Changes what is stored under a lock. A damaged file is set aside, so that it can be looked at, and reported.
    pub(crate) fn update<T>(
        session: &Session,
        change: impl FnOnce(&mut StoredLinks) -> Result<T, Error>,
    ) -> Result<(T, Option<Problem>), Error> {
        let folder = StateFolder::in_state(session.root(), FOLDER);
        let _lock = folder.lock(FILE)?;
        let parsed = folder.read_bytes(FILE)?.map(|bytes| serde_json::from_slice(&bytes));
        let (mut stored, problem) = match parsed {
            None => (Self::default(), None),
            Some(Ok(stored)) => (stored, None),
            Some(Err(error)) => {
                let kept = folder.set_aside(FILE)?;
                let path = folder.path(FILE).display().to_string();
                let message = format!(
                    "the proposed relations were damaged ({error}) and are made again; the old file is kept as {}",
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

    /// Reads what is stored without changing it; a damaged file counts as empty.
    pub(crate) fn read(session: &Session) -> Self {
        let folder = StateFolder::in_state(session.root(), FOLDER);
        let bytes = folder.read_bytes(FILE).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Removes all proposals that name one of some memories: their reasons may quote it.
    pub(crate) fn forget(session: &Session, memories: &[Referent]) -> Result<(), Error> {
        let names =
            |link: &ProposedLink| memories.contains(&link.from) || memories.contains(&link.to);
        let stored = Self::read(session);
        let is_dropped = |decision: &LinkDecision| match decision {
            LinkDecision::Dropped(link) => names(link),
            LinkDecision::Accepted { .. } => false,
        };
        let has_any = stored.pending.iter().any(|pending| names(&pending.link))
            || stored.decided.values().any(is_dropped);
        if has_any {
            Self::update(session, |stored| {
                stored.pending.retain(|pending| !names(&pending.link));
                stored.decided.retain(|_, decision| !is_dropped(decision));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns whether a proposal is pending or was decided.
    pub(super) fn is_known(&self, link: &ProposedLink) -> bool {
        let id = link.id();
        self.decided.contains_key(&id) || self.pending.iter().any(|pending| pending.id == id)
    }

    /// Moves a pending proposal to the decided ones.
    pub(crate) fn decide(&mut self, id: &str, decision: impl FnOnce(ProposedLink) -> LinkDecision) {
        if let Some(at) = self.pending.iter().position(|pending| pending.id == id) {
            let pending = self.pending.remove(at);
            self.decided.insert(pending.id, decision(pending.link));
        }
    }

    /// Returns the pending proposals that typed ids stand for, each once.
    pub(crate) fn find_each(&self, typed: &[String]) -> Result<Vec<PendingLink>, Error> {
        let mut found: Vec<PendingLink> = vec![];
        for typed in typed {
            let pending = self.find(typed)?;
            if !found.contains(pending) {
                found.push(pending.clone());
            }
        }
        Ok(found)
    }

    /// Takes back that proposals were dropped, and returns them.
    pub(crate) fn take_back(&mut self, typed: &[String]) -> Result<Vec<PendingLink>, Error> {
        let mut found: Vec<PendingLink> = vec![];
        for typed in typed {
            let dropped = self.decided.iter().filter_map(|(id, decision)| match decision {
                LinkDecision::Dropped(link) if is_meant(typed, id) => {
                    Some(PendingLink { id: id.clone(), link: (**link).clone() })
                }
                _ => None,
            });
            let pending = only(typed, dropped.collect())?.ok_or_else(|| {
                Error::not_found(format!("no dropped proposal has the id `{typed}`"), vec![])
            })?;
            if !found.contains(&pending) {
                found.push(pending);
            }
        }
        for pending in &found {
            self.decided.remove(&pending.id);
            self.pending.push(pending.clone());
        }
        Ok(found)
    }

    fn find(&self, typed: &str) -> Result<&PendingLink, Error> {
        let found = self.pending.iter().filter(|pending| is_meant(typed, &pending.id)).collect();
        if let Some(pending) = only(typed, found)? {
            return Ok(pending);
        }
        match self.decided.iter().find(|(id, _)| is_meant(typed, id)) {
            Some((_, LinkDecision::Dropped(_))) => {
                let hint = Hint::text("take it back with ").call("links_drop", [("undo", true)]);
                Err(Error::bad_input(format!("`{typed}` was dropped")).hint(hint))
            }
            Some((_, LinkDecision::Accepted { record })) => {
                Err(Error::bad_input(format!("`{typed}` was accepted already, as {record}")))
            }
            None => {
                let ids = self.pending.iter().map(|pending| pending.id.as_str());
                let near = name::nearest(typed, ids, 3);
                let hint = Hint::text("list the proposals with ").operation("links_list");
                Err(Error::not_found(format!("no proposal has the id `{typed}`"), near).hint(hint))
            }
        }
    }
}

/// Returns whether a typed id stands for an id: it is the whole id or its end.
fn is_meant(typed: &str, id: &str) -> bool {
    let typed = typed.trim().to_lowercase();
    typed.len() >= MIN_ID_CHARS && id.ends_with(&typed)
}

/// Returns the only proposal that a typed id stands for; `None` if there is none.
fn only<P: Borrow<PendingLink>>(typed: &str, mut found: Vec<P>) -> Result<Option<P>, Error> {
    if found.len() > 1 {
        let ids = found.iter().map(|pending| pending.borrow().id.clone()).collect();
        let message = format!("`{typed}` stands for several proposals");
        return Err(Error::not_found(message, ids).hint("type more of the id"));
    }
    Ok(found.pop())
}
