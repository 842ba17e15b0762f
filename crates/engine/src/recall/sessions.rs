//! Searches for sessions: records that share a session, and episodes.

use std::collections::{HashMap, HashSet};

use heirloom_core::day;
use heirloom_core::fold::Memory;
use heirloom_core::recall::{
    Corpus, Question, RankedSession, SessionScoreParts, Slot, filter_term,
};
use heirloom_core::record::{Body, Record, RecordKind};
use heirloom_index::{Snapshot, StoredMemory, View};
use schemars::JsonSchema;
use serde::Serialize;

use super::Search;
use super::hits::{Hit, hits, rounded};
use crate::Session;
use crate::indexing::IndexFailure;

/// How many memories of a session are shown.
const MAX_MEMORIES: usize = 3;

/// A session that answers a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SessionHit {
    /// The id of the session, if its records name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The id of its episode, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) episode: Option<String>,
    /// The title of its episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The day of its first memory.
    pub(crate) from: Option<String>,
    /// The day of its last memory.
    pub(crate) to: Option<String>,
    /// How many memories it has.
    pub(crate) memories: usize,
    /// How well it answers the query.
    pub(crate) score: f64,
    /// Its best memories, best first.
    pub(crate) hits: Vec<Hit>,
    /// The workspace of the session, if several were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<String>,
    /// The parts of its score, if the request asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<SessionScoreExplanation>,
}

/// The parts of a session's score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SessionScoreExplanation {
    /// The score of its best part.
    pub(crate) best: f64,
    /// What the mean score of its three best parts adds.
    pub(crate) several: f64,
    /// What the share of the question's words adds that the session contains anywhere.
    pub(crate) words: f64,
}

impl SessionScoreExplanation {
    fn of(parts: &SessionScoreParts) -> Self {
        SessionScoreExplanation {
            best: rounded(parts.best),
            several: rounded(parts.mean_score),
            words: rounded(parts.term_score),
        }
    }
}

impl Search<'_> {
    /// Returns the sessions that answer a question best.
    pub(super) fn sessions(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        question: &Question<'_>,
    ) -> Result<Vec<SessionHit>, IndexFailure> {
        let view = snapshot.view(self.searched_standing(), &self.filter().in_sessions());
        let mut ranked = view.rank_sessions(question, self.limit, MAX_MEMORIES);
        ranked.retain(RankedSession::is_answer);
        let episodes: HashSet<Slot> = view
            .slots_with_term(&filter_term("record", RecordKind::Episode.as_str()))
            .into_iter()
            .collect();
        let names = SessionNames::load(snapshot, &ranked, &episodes)?;
        let mut found = Vec::with_capacity(ranked.len());
        for ranked in &ranked {
            let hits = hits(session, snapshot, &ranked.memories, self)?;
            if !hits.is_empty() {
                found.push(self.session_hit(&view, ranked, &names, hits));
            }
        }
        Ok(found)
    }

    fn session_hit(
        &self,
        view: &View<'_>,
        ranked: &RankedSession,
        names: &SessionNames,
        hits: Vec<Hit>,
    ) -> SessionHit {
        let days = || ranked.slots.iter().filter_map(|slot| view.day(*slot));
        let shown = |day: Option<i32>| day.and_then(day::from_number).map(|day| day.to_string());
        let passages: HashSet<Slot> = ranked.slots.iter().map(|slot| view.passage(*slot)).collect();
        let record = |slot: &Slot| names.records.get(slot);
        let episode = |record: &Record| match &record.body {
            Body::Episode(episode) => Some((record.id.to_string(), episode.title.clone())),
            _ => None,
        };
        // The episode of the whole session is its last one.
        let (id, title) = ranked.slots.iter().rev().filter_map(record).find_map(episode).unzip();
        let named = ranked
            .slots
            .iter()
            .filter_map(record)
            .find_map(|record| record.session_id().map(str::to_owned));
        SessionHit {
            session: named,
            episode: id,
            title,
            from: shown(days().min()),
            to: shown(days().max()),
            memories: passages.len(),
            score: rounded(ranked.score),
            hits,
            workspace: None,
            explain: self.explain.then(|| SessionScoreExplanation::of(&ranked.parts)),
        }
    }
}

/// The records that name sessions: the episode and the best memory of each.
struct SessionNames {
    records: HashMap<Slot, Record>,
}

impl SessionNames {
    fn load(
        snapshot: &Snapshot,
        ranked: &[RankedSession],
        episodes: &HashSet<Slot>,
    ) -> Result<Self, IndexFailure> {
        let of_session = |session: &RankedSession| {
            let episode = session.slots.iter().copied().rfind(|slot| episodes.contains(slot));
            let best = session.memories.first().map(|memory| memory.slot);
            episode.into_iter().chain(best).collect::<Vec<Slot>>()
        };
        let slots: Vec<Slot> = ranked.iter().flat_map(of_session).collect();
        let (stored, memory) = snapshot.load_for_display(&slots, None)?;
        let record = |stored: Option<StoredMemory>, memory: &Memory| match stored? {
            StoredMemory::Record(id) => memory.record(id).cloned(),
            StoredMemory::Part { .. } => None,
        };
        let records = slots.into_iter().zip(stored);
        let records =
            records.filter_map(|(slot, stored)| Some((slot, record(stored, &memory)?))).collect();
        Ok(SessionNames { records })
    }
}
