//! Looks at the memories that changed, and adds what they propose to what is pending.

use std::collections::HashMap;

use heirloom_core::Problem;
use heirloom_core::fold::Standing;
use heirloom_core::link_discovery::{ProposedLink, find_links};
use heirloom_core::record::Referent;

use super::memories::{Linkable, fingerprint};
use super::seen::SeenMemories;
use super::stored::{LinkDecision, PendingLink, StoredLinks};
use crate::memory::{MemorySlice, find_relation};
use crate::{Error, Session};

/// The number of pending proposals from which no further memories are looked at: nobody reviews more of them at once.
const MAX_PENDING: usize = 200;

/// What looking at the memories gave.
#[derive(Debug, Default)]
pub(crate) struct LinkUpdate {
    /// What is stored now.
    pub(crate) stored: StoredLinks,
    /// The ids of the proposals that are new.
    pub(crate) new: Vec<String>,
    /// Number of memories that were looked at.
    pub(crate) examined: usize,
    /// Number of memories that have not changed since.
    pub(crate) unchanged: usize,
    /// Texts of the memories and titles of the documents that the pending proposals connect, by what the log refers to
    /// them by.
    pub(crate) texts: HashMap<Referent, String>,
    /// What was damaged.
    pub(crate) problem: Option<Problem>,
}

/// Looks at the memories that changed since they were last looked at, or at all of them, and returns what is pending.
/// Proposals whose memories were retired or related meanwhile are removed.
pub(crate) fn update(session: &Session, again: bool) -> Result<LinkUpdate, Error> {
    let linkable = Linkable::read(session)?;
    let (mut found, problem) = StoredLinks::update(session, |stored| {
        let seen = if again { SeenMemories::default() } else { SeenMemories::read(session)? };
        remove_outdated(stored, &linkable);
        let found = propose_for_changed(session, stored, &linkable, &seen)?;
        Ok(LinkUpdate { stored: stored.clone(), ..found })
    })?;
    found.texts = texts_of(&found.stored.pending, &linkable);
    found.problem = problem;
    Ok(found)
}

fn propose_for_changed(
    session: &Session,
    stored: &mut StoredLinks,
    linkable: &Linkable,
    seen: &SeenMemories,
) -> Result<LinkUpdate, Error> {
    let Linkable { memories, known, .. } = linkable;
    let hashes: Vec<String> = memories.iter().map(fingerprint).collect();
    let mut changed: Vec<usize> =
        (0..memories.len()).filter(|at| !seen.contains(&hashes[*at])).collect();
    // The newest memories matter most if not all of them are looked at.
    changed.sort_by_key(|at| (std::cmp::Reverse(memories[*at].day), *at));
    let room = MAX_PENDING.saturating_sub(stored.pending.len());
    let found = find_links(memories, &changed, known, room, |link| !stored.is_known(link));
    let left = changed.split_off(found.examined);
    let is_left: Vec<bool> = {
        let mut flags = vec![false; memories.len()];
        left.iter().for_each(|at| flags[*at] = true);
        flags
    };
    let new: Vec<PendingLink> =
        found.links.into_iter().map(|link| PendingLink { id: link.id(), link }).collect();
    let update = LinkUpdate {
        new: new.iter().map(|pending| pending.id.clone()).collect(),
        examined: found.examined,
        unchanged: memories.len() - found.examined - left.len(),
        ..LinkUpdate::default()
    };
    stored.pending.extend(new);
    stored.looked_at = Some(session.now());
    stored.left = left.len();
    // A process that ends before this looks at the memories again, and finds the proposals known.
    let looked_at = hashes.into_iter().zip(is_left).filter(|(_, is_left)| !is_left);
    SeenMemories::replace(session, looked_at.map(|(hash, _)| hash).collect())?;
    Ok(update)
}

/// Removes proposals whose memories no longer stand, and settles those that were accepted in another clone or by a process
/// that ended before it could note it.
fn remove_outdated(stored: &mut StoredLinks, linkable: &Linkable) {
    let slice = &linkable.slice;
    let related = |link: &ProposedLink| find_relation(slice, &link.from, &link.to, link.relation);
    let accepted: Vec<(String, _)> = stored
        .pending
        .iter()
        .filter_map(|pending| Some((pending.id.clone(), related(&pending.link)?)))
        .collect();
    for (id, record) in accepted {
        stored.decide(&id, |_| LinkDecision::Accepted { record });
    }
    let documents: Vec<&Referent> = linkable
        .memories
        .iter()
        .map(|memory| &memory.referent)
        .filter(|referent| matches!(referent, Referent::Document(_)))
        .collect();
    let stands = |end: &Referent| match end {
        Referent::Document(_) => documents.contains(&end),
        _ => is_active(slice, end),
    };
    stored.pending.retain(|pending| stands(&pending.link.from) && stands(&pending.link.to));
}

fn is_active(slice: &MemorySlice, end: &Referent) -> bool {
    slice.memory.standing(end) == Standing::Active && slice.item(end).is_some()
}

fn texts_of(pending: &[PendingLink], linkable: &Linkable) -> HashMap<Referent, String> {
    let mut texts: HashMap<Referent, String> = pending
        .iter()
        .flat_map(|pending| [&pending.link.from, &pending.link.to])
        .map(|end| (end.clone(), String::new()))
        .collect();
    for memory in &linkable.memories {
        if let Some(text) = texts.get_mut(&memory.referent) {
            *text = memory.title.clone().unwrap_or_else(|| memory.text.clone());
        }
    }
    texts
}
