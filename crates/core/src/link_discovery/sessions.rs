//! Relations of decisions to the sessions of work in which they were made.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::proposal::ProposedLink;
use super::{LinkRole, LinkableMemory};
use crate::recall::{is_stop_word, terms};
use crate::record::{Referent, Relation};
use crate::words::jaccard_similarity;

/// The most days between a session and a decision about the files that it changed.
const MAX_DAYS: i64 = 3;

/// The similarity from which a decision that an episode reports is a stored one.
const MIN_SIMILARITY: f64 = 0.6;

/// A file that more sessions changed says too little about one of them.
const MAX_SESSIONS_OF_FILE: usize = 20;

/// The number of terms that a decision shares with the story of a session that changed the same file, at least.
const MIN_COMMON_TERMS: usize = 3;

/// The confidences, by the evidence.
const REPORTED: f64 = 0.9;
const STORED: f64 = 0.85;
const SAME_SESSION: f64 = 0.8;
const SAME_FILE: f64 = 0.6;

/// The episodes, by what decisions may have in common with them.
#[derive(Debug, Default)]
pub(super) struct EpisodeIndex {
    by_session: FxHashMap<String, Vec<usize>>,
    by_stored: FxHashMap<Referent, Vec<usize>>,
    by_file: FxHashMap<String, Vec<usize>>,
    decisions_by_session: FxHashMap<String, Vec<usize>>,
    by_referent: FxHashMap<Referent, usize>,
}

impl EpisodeIndex {
    pub(super) fn new(memories: &[LinkableMemory]) -> Self {
        let mut index = EpisodeIndex::default();
        for (at, memory) in memories.iter().enumerate() {
            if memory.role == LinkRole::Decision {
                index.by_referent.insert(memory.referent.clone(), at);
                if let Some(session) = &memory.session {
                    index.decisions_by_session.entry(session.clone()).or_default().push(at);
                }
            }
            let Some(work) = &memory.work else { continue };
            if let Some(session) = &memory.session {
                index.by_session.entry(session.clone()).or_default().push(at);
            }
            for stored in &work.stored {
                index.by_stored.entry(stored.clone()).or_default().push(at);
            }
            for file in &work.files {
                index.by_file.entry(file.clone()).or_default().push(at);
            }
        }
        index
    }

    /// Returns the proposals for a memory: of a decision the session that it was made in, of an episode the decisions
    /// that were made in it.
    pub(super) fn proposals_of(&self, at: usize, memories: &[LinkableMemory]) -> Vec<ProposedLink> {
        let memory = &memories[at];
        let found = match (memory.role, &memory.work) {
            (LinkRole::Decision, _) => self.session_of(at, memories).into_iter().collect(),
            (LinkRole::Episode, Some(work)) => {
                let stored = work.stored.iter().filter_map(|it| self.by_referent.get(it));
                let session = memory.session.as_ref();
                let of_session = session.and_then(|id| self.decisions_by_session.get(id));
                let mut decisions: Vec<usize> =
                    stored.chain(of_session.into_iter().flatten()).copied().collect();
                decisions.sort_unstable();
                decisions.dedup();
                let sessions = decisions.into_iter().map(|it| self.session_of(it, memories));
                sessions.flatten().collect()
            }
            _ => vec![],
        };
        found
            .into_iter()
            .filter(|it| it.from == memory.referent || it.to == memory.referent)
            .collect()
    }

    /// Returns the session that a decision was most likely made in.
    fn session_of(&self, at: usize, memories: &[LinkableMemory]) -> Option<ProposedLink> {
        let decision = &memories[at];
        let session = decision.session.as_ref().and_then(|id| self.by_session.get(id));
        let stored = self.by_stored.get(&decision.referent);
        let changed = self.sessions_of_files(decision, memories);
        let mut candidates: Vec<usize> = session.into_iter().flatten().copied().collect();
        candidates.extend(stored.into_iter().flatten());
        candidates.extend(&changed);
        candidates.sort_unstable();
        candidates.dedup();
        let judge = |episode: usize| {
            let (confidence, reason) = evidence(decision, &memories[episode])?;
            Some(ProposedLink {
                from: decision.referent.clone(),
                relation: Relation::MotivatedBy,
                to: memories[episode].referent.clone(),
                confidence,
                reason,
            })
        };
        let found = candidates.into_iter().filter_map(judge);
        // Of equal evidence, the last session counts.
        found.max_by(|a, b| a.confidence.total_cmp(&b.confidence))
    }

    /// Returns the sessions that changed a file that a decision is about.
    fn sessions_of_files(
        &self,
        decision: &LinkableMemory,
        memories: &[LinkableMemory],
    ) -> Vec<usize> {
        let files = decision.artifacts.iter().filter_map(|it| it.strip_prefix("file:"));
        let sessions = files.filter_map(|file| self.by_file.get(file));
        let specific = sessions.filter(|sessions| sessions.len() <= MAX_SESSIONS_OF_FILE);
        let is_near = |episode: &usize| {
            let days = decision.day.zip(memories[*episode].day);
            let days = days.map(|(decided, worked)| i64::from((decided - worked).get_days()));
            days.is_some_and(|days| (0..=MAX_DAYS).contains(&days))
        };
        specific.flatten().copied().filter(is_near).collect()
    }
}

/// Returns what speaks for a decision having been made in a session, and how much.
fn evidence(decision: &LinkableMemory, episode: &LinkableMemory) -> Option<(f64, String)> {
    let work = episode.work.as_ref()?;
    let of_decision = content_terms(&decision.text);
    let is_same =
        |text: &&String| jaccard_similarity(&of_decision, &content_terms(text)) >= MIN_SIMILARITY;
    if let Some(reported) = work.decisions.iter().find(is_same) {
        return Some((
            REPORTED,
            format!("the session reports this decision: \u{201c}{reported}\u{201d}"),
        ));
    }
    let title = episode.title.as_deref().unwrap_or(&episode.text);
    if work.stored.contains(&decision.referent) {
        return Some((STORED, format!("was stored in the session \u{201c}{title}\u{201d}")));
    }
    if decision.session.is_some() && decision.session == episode.session {
        return Some((
            SAME_SESSION,
            format!("was recorded in the session \u{201c}{title}\u{201d}"),
        ));
    }
    let files = decision.artifacts.iter().filter_map(|it| it.strip_prefix("file:"));
    let mut shared = files.filter(|file| work.files.iter().any(|changed| changed == file));
    let file = shared.next()?;
    let story = content_terms(&format!("{title} {}", episode.text));
    let common = of_decision.intersection(&story).count();
    (common >= MIN_COMMON_TERMS).then(|| {
        let reason = format!(
            "is about `{file}`, which the session \u{201c}{title}\u{201d} had just changed"
        );
        (SAME_FILE, reason)
    })
}

fn content_terms(text: &str) -> HashSet<String> {
    terms(text).into_iter().filter(|term| !is_stop_word(term)).collect()
}
