//! Searching transcripts: ranks messages or sessions, and reads their texts from the transcripts.

use std::collections::{BTreeMap, HashSet};

use heirloom_core::day;
use heirloom_core::embedding::Embedder;
use heirloom_core::name;
use heirloom_core::recall::{Question, RankedMemory, RankedSession, Slot, chunks};
use heirloom_core::transcript::{Message, Role};
use heirloom_index::cold::{ChunkPlace, ColdFilter, ColdSnapshot, StoredTranscript};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::backlog::position;
use super::open::OpenCold;
use crate::{Error, Session};

/// How many times more messages are ranked than shown: a continued session repeats the messages of the first session.
const OVERFETCH: usize = 3;

/// How many messages of a session are shown.
const MESSAGES_PER_SESSION: usize = 2;

/// A question to the transcripts.
pub(crate) struct ColdSearch<'r> {
    /// The question, in any words.
    pub(crate) query: &'r str,
    /// Maximum number of results.
    pub(crate) limit: usize,
    /// Only what was said since this day.
    pub(crate) since: Option<Date>,
    /// Only sessions of the agent with this name.
    pub(crate) agent: Option<&'r str>,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    /// Passages, best first.
    pub(crate) hits: Vec<ColdHit>,
    /// Sessions, best first, if these were asked for.
    pub(crate) sessions: Vec<ColdSessionHit>,
    /// How many hits could not be read, because their transcripts have changed since.
    pub(crate) unreadable: usize,
}

/// A passage of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ColdHit {
    /// The passage.
    pub(crate) text: String,
    /// The speaker: user, assistant, tool or system.
    pub(crate) role: &'static str,
    /// The agent of the session: its client, or the folder of the transcript.
    pub(crate) agent: String,
    /// When it was said, if the transcript states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<String>,
    /// The file, relative to the workspace or absolute. A session of opencode is its database, `#` and its id.
    pub(crate) file: String,
    /// The line of the file, or the row of a database.
    pub(crate) line: u32,
    /// The id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The title of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// How well it matches; comparable within one answer.
    pub(crate) score: f32,
}

/// A session that matches a question.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ColdSessionHit {
    /// The id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The title of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The agent: the client, or the folder of the transcript.
    pub(crate) agent: String,
    /// The day of its first message that passes the filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) day: Option<String>,
    /// The file of the session.
    pub(crate) file: String,
    /// How well it matches; comparable within one answer.
    pub(crate) score: f32,
    /// Its best passages.
    pub(crate) hits: Vec<ColdHit>,
}

impl ColdSearch<'_> {
    /// Returns the passages that answer the question.
    pub(crate) fn passages(&self, session: &Session, open: &OpenCold) -> Result<Found, Error> {
        let Some(snapshot) = &open.snapshot else { return Ok(Found::default()) };
        let is_wanted = self.agent_filter(snapshot)?;
        let view = snapshot.view(&self.filter(is_wanted.as_deref()));
        let ranked = view.rank(&self.question(session)?, self.limit.saturating_mul(OVERFETCH));
        let ranked: Vec<RankedMemory> =
            ranked.into_iter().filter(RankedMemory::is_answer).collect();
        let mut reader = HitReader::new(session, open, snapshot);
        let mut hits = vec![];
        let mut seen = HashSet::new();
        // Only as many transcripts are opened as the answer needs.
        for part in ranked.chunks(self.limit) {
            for hit in reader.read(part) {
                if hits.len() < self.limit && seen.insert((hit.text.clone(), hit.at.clone())) {
                    hits.push(hit);
                }
            }
            if hits.len() == self.limit {
                break;
            }
        }
        Ok(Found { hits, sessions: vec![], unreadable: reader.unreadable })
    }

    /// Returns the sessions that answer the question.
    pub(crate) fn sessions(&self, session: &Session, open: &OpenCold) -> Result<Found, Error> {
        let Some(snapshot) = &open.snapshot else { return Ok(Found::default()) };
        let is_wanted = self.agent_filter(snapshot)?;
        let view = snapshot.view(&self.filter(is_wanted.as_deref()));
        let question = self.question(session)?;
        let ranked = view.rank_sessions(&question, self.limit, MESSAGES_PER_SESSION);
        let mut reader = HitReader::new(session, open, snapshot);
        let mut sessions = vec![];
        for ranked in ranked.into_iter().filter(RankedSession::is_answer) {
            let first = ranked.slots.first().and_then(|slot| snapshot.place(*slot));
            let Some((transcript, place)) = first else { continue };
            sessions.push(ColdSessionHit {
                session: transcript.session.clone(),
                title: transcript.title.clone(),
                agent: transcript.agent.clone(),
                day: place.day.and_then(day::from_number).map(|day| day.to_string()),
                file: transcript.name.clone(),
                score: ranked.score,
                hits: reader.read(&ranked.memories),
            });
        }
        Ok(Found { hits: vec![], sessions, unreadable: reader.unreadable })
    }

    fn question(&self, session: &Session) -> Result<Question<'static>, Error> {
        let model = heirloom_embed::builtin();
        let vector = model.embed_one(self.query)?;
        Ok(Question::new(self.query, vector, session.today(), model))
    }

    fn filter<'f>(
        &self,
        transcript: Option<&'f dyn Fn(&StoredTranscript) -> bool>,
    ) -> ColdFilter<'f> {
        ColdFilter { transcript, since: self.since.map(day::to_number) }
    }

    /// Returns a filter for the transcripts of the agent; rejects an unknown name, since a typo would otherwise find nothing
    /// without a message.
    fn agent_filter<'s>(
        &'s self,
        snapshot: &ColdSnapshot,
    ) -> Result<Option<TranscriptFilter<'s>>, Error> {
        let Some(wanted) = self.agent.map(str::trim) else { return Ok(None) };
        let is_named = move |stored: &StoredTranscript| stored.agent.eq_ignore_ascii_case(wanted);
        if !snapshot.transcripts().iter().any(is_named) {
            let mut names: Vec<&str> =
                snapshot.transcripts().iter().map(|stored| stored.agent.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let message = format!("there is no transcript of an agent `{}`", wanted.escape_debug());
            let candidates = name::nearest(wanted, names.iter().copied(), 3);
            return Err(Error::not_found(message, candidates)
                .hint(format!("the agents are {}", names.join(", "))));
        }
        Ok(Some(Box::new(is_named)))
    }
}

/// Tells which transcripts are searched.
type TranscriptFilter<'s> = Box<dyn Fn(&StoredTranscript) -> bool + 's>;

/// Reads the texts of hits from the transcripts.
struct HitReader<'s> {
    session: &'s Session,
    open: &'s OpenCold,
    snapshot: &'s ColdSnapshot,
    unreadable: usize,
}

impl<'s> HitReader<'s> {
    fn new(session: &'s Session, open: &'s OpenCold, snapshot: &'s ColdSnapshot) -> Self {
        HitReader { session, open, snapshot, unreadable: 0 }
    }

    /// Returns the hits in their order, without those that cannot be read.
    fn read(&mut self, ranked: &[RankedMemory]) -> Vec<ColdHit> {
        let mut by_transcript: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        let place = |slot: Slot| self.snapshot.place(slot);
        for (at, ranked) in ranked.iter().enumerate() {
            if let Some((transcript, _)) = place(ranked.slot) {
                by_transcript.entry(transcript.id).or_default().push(at);
            }
        }
        let mut hits: Vec<Option<ColdHit>> = vec![None; ranked.len()];
        for of_transcript in by_transcript.values() {
            let Some((stored, _)) = place(ranked[of_transcript[0]].slot) else { continue };
            let places: Vec<ChunkPlace> = of_transcript
                .iter()
                .filter_map(|at| place(ranked[*at].slot).map(|(_, place)| place))
                .collect();
            let messages = self.messages(stored, &places);
            for ((at, place), message) in of_transcript.iter().zip(&places).zip(messages) {
                let hit =
                    message.and_then(|message| hit(stored, place, &message, ranked[*at].score));
                self.unreadable += usize::from(hit.is_none());
                hits[*at] = hit;
            }
        }
        hits.into_iter().flatten().collect()
    }

    /// Reads the messages at places of a transcript. If it has changed since, there may be other messages.
    fn messages(&self, stored: &StoredTranscript, places: &[ChunkPlace]) -> Vec<Option<Message>> {
        let lines: Vec<(u64, usize)> =
            places.iter().map(|place| (place.offset, place.line as usize)).collect();
        let transcript = self.open.listed.find(&stored.name);
        let read = transcript.zip(position(stored)).and_then(|(transcript, position)| {
            transcript.read_lines(self.session.root(), &position.stream, &lines).ok()
        });
        let Some(read) = read else { return vec![None; places.len()] };
        let messages = places.iter().zip(read);
        messages
            .map(|(place, messages)| {
                let is_it =
                    |message: &Message| message.part == place.part && message.role == place.role;
                messages.into_iter().find(is_it)
            })
            .collect()
    }
}

fn hit(
    stored: &StoredTranscript,
    place: &ChunkPlace,
    message: &Message,
    score: f32,
) -> Option<ColdHit> {
    let text = chunks(&message.text).get(place.chunk as usize)?.trim().to_owned();
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
    };
    Some(ColdHit {
        text,
        role,
        agent: stored.agent.clone(),
        at: message.at.map(|at| at.to_string()),
        file: stored.name.clone(),
        line: place.line,
        session: stored.session.clone(),
        title: stored.title.clone(),
        score,
    })
}
