//! Ends a work session and stores an episode of it.

use heirloom_core::fold::Standing;
use heirloom_core::record::{Body, Episode, Origin, Record, Referent};
use heirloom_core::transcript::digest_transcript;
use heirloom_core::{Hint, day};
use heirloom_store::git;
use jiff::Timestamp;

use super::activity::Activity;
use super::citations::{self, JudgedMemory, judge_session};
use super::conversation::Conversation;
use crate::contradictions::check_stored;
use crate::memory::{
    AUTO_TAG, MemorySlice, OpenSession, WriteTransaction, drop_fields_with_secrets,
    episode_from_digest, lifecycle,
};
use crate::view::present;
use crate::workspace::catalog::Catalog;
use crate::{Error, Session};

/// The tag of the episodes of compacted conversations.
pub(crate) const COMPACT_TAG: &str = "compact";

/// What is known about the end of a session.
#[derive(Default)]
pub(crate) struct Ending {
    pub(crate) title: Option<String>,
    pub(crate) outcome: Option<String>,
    /// Number of turns; by default that of the conversation, else that of the calls.
    pub(crate) turns: Option<u64>,
    /// Number of tool calls; by default that of the conversation, else that of the calls.
    pub(crate) tool_calls: Option<u64>,
    /// The conversation; by default the newest session file of the client that was written during the session.
    pub(crate) conversation: Option<Conversation>,
    /// When it ended, if that was before now.
    pub(crate) at: Option<Timestamp>,
}

/// A session that was ended.
pub(crate) struct EndedSession {
    /// The episode.
    pub(crate) record: Record,
    /// What was left out of it.
    pub(crate) notes: Vec<Hint>,
    /// The memories that were injected during the session, and whether the agent used them.
    pub(crate) judged: Vec<JudgedMemory>,
}

/// Ends a session: stores an episode of it, which replaces the episodes of the same conversation.
pub(crate) fn end(
    session: &Session,
    open: &OpenSession,
    mut ending: Ending,
) -> Result<EndedSession, Error> {
    let work = Work {
        session,
        open,
        start: open.started.parse().ok(),
        end: ending.at.unwrap_or(session.now()),
        activity: Activity::read(session, open)?,
    };
    let mut notes = vec![];
    if ending.conversation.is_none() {
        ending.conversation = work.find_conversation(&mut notes);
    }
    // Judging reads the index, which may not be updated while the transaction writes.
    let judged = judge_session(session, open, ending.conversation.as_ref());
    let judged = judged.unwrap_or_else(|error| {
        notes.push(format!("it was not judged which memories were used: {}", error.message));
        vec![]
    });
    let mut transaction = WriteTransaction::begin(session, false)?;
    if !open.is_open(session) {
        return Err(Error::not_found("the session has been ended meanwhile", vec![]));
    }
    let catalog = Catalog::read(session)?;
    let known = work.read_memory(&catalog, ending.conversation.as_ref())?;
    let origin = work.origin(&known, ending.conversation.as_ref());
    let is_episode = |record: &&Record| record.origin.as_ref() == Some(&origin);
    let record = match known.memory.records().find(is_episode) {
        // A command that was interrupted stored the episode already.
        Some(stored) => stored.clone(),
        None => {
            let mut record = work.new_record(&transaction, &known, ending, &mut notes);
            record.origin = Some(origin);
            transaction.write(&known, &record)?;
            record
        }
    };
    let ingested = lifecycle::ingest_all(&mut transaction, &catalog, &known);
    transaction.commit()?;
    open.remove(session)?;
    Activity::remove(session, open)?;
    citations::remove(session, open)?;
    session.client().remove_work_session(&open.id);
    notes.extend(ingested.notes());
    let stored: Vec<Referent> = ingested.stored.into_iter().map(Referent::Record).collect();
    notes.extend(check_stored(session, &stored));
    Ok(EndedSession { record, notes: notes.into_iter().map(Hint::from).collect(), judged })
}

/// Returns the latest episodes with an origin.
pub(crate) fn latest_episodes<'k>(
    known: &'k MemorySlice,
    origin: &Origin,
) -> Vec<(&'k Record, &'k Episode)> {
    let heads = known.heads_of_origin(origin).into_iter();
    let records = heads.filter_map(|head| known.memory.record(head.record_id()?));
    records.filter_map(|record| Some((record, episode_of(record)?))).collect()
}

/// Returns the names of the records that a new episode replaces.
pub(crate) fn replaced_by_episode<'k>(
    known: &MemorySlice,
    earlier: impl IntoIterator<Item = &'k Record>,
) -> Vec<Referent> {
    let ids = earlier.into_iter().flat_map(|record| known.memory.aliases(record.id));
    ids.map(Referent::Record).collect()
}

fn episode_of(record: &Record) -> Option<&Episode> {
    match &record.body {
        Body::Episode(episode) => Some(episode),
        _ => None,
    }
}

/// The work of a session.
struct Work<'s> {
    session: &'s Session,
    open: &'s OpenSession,
    start: Option<Timestamp>,
    end: Timestamp,
    activity: Activity,
}

impl Work<'_> {
    /// Finds the conversation in the session files of the client. A file that cannot be read does not keep the session
    /// from ending.
    fn find_conversation(&self, notes: &mut Vec<String>) -> Option<Conversation> {
        let found = Conversation::during(self.session, &self.open.id, self.start?, self.end);
        found.unwrap_or_else(|error| {
            notes.push(format!("the conversation is left out: {}", error.message));
            None
        })
    }

    /// Reads the records that were made during the session, those of its conversation, and those that state decisions.
    fn read_memory(
        &self,
        catalog: &Catalog,
        conversation: Option<&Conversation>,
    ) -> Result<MemorySlice, Error> {
        let origins = conversation.map(|conversation| conversation.origin.clone()).into_iter();
        let query = lifecycle::select_ingested(&catalog.adrs)
            .origins(origins.chain([Origin::session(&self.open.id)]))
            .since(self.start.map(day::of_timestamp));
        query.read(self.session)
    }

    /// Returns the origin of the episode: the conversation, or a version of it if it has an episode already; else the
    /// session. So a later compaction of the conversation finds it.
    fn origin(&self, known: &MemorySlice, conversation: Option<&Conversation>) -> Origin {
        match conversation {
            None => Origin::session(&self.open.id),
            Some(Conversation { origin, .. }) if known.origins().contains(origin) => {
                origin.version(&self.open.id)
            }
            Some(Conversation { origin, .. }) => origin.clone(),
        }
    }

    /// Makes the record of the episode, without its origin. Notes say what was left out.
    fn new_record(
        &self,
        transaction: &WriteTransaction<'_>,
        known: &MemorySlice,
        ending: Ending,
        notes: &mut Vec<String>,
    ) -> Record {
        let earlier = self.earlier_episodes(known, ending.conversation.as_ref());
        let mut episode = match &ending.conversation {
            Some(Conversation { transcript, .. }) => {
                episode_from_digest(self.session, transcript, digest_transcript(transcript))
            }
            None => earlier.first().map(|(_, episode)| (*episode).clone()).unwrap_or_default(),
        };
        earlier.iter().for_each(|(_, earlier)| episode.add_work_of(earlier));
        self.add_ending(&mut episode, ending);
        notes.extend(self.add_changes(&mut episode));
        episode.stored = self.stored_records(known);
        if episode.content.is_empty() {
            episode.content = describe(&episode);
        }
        let (episode, left_out) = drop_fields_with_secrets(episode);
        notes.extend(left_out);
        let mut record = transaction.new_record(Body::Episode(Box::new(episode)));
        // A session without a call for too long ended with its last call.
        record.at = self.end.min(record.at);
        record.by.clone_from(&self.open.by);
        record.tags = vec![AUTO_TAG.to_owned()];
        record.supersedes = replaced_by_episode(known, earlier.iter().map(|(record, _)| *record));
        record
    }

    /// Returns the episodes that describe a part of the session: those of its conversation, else the last one that was
    /// compacted during the session.
    fn earlier_episodes<'k>(
        &self,
        known: &'k MemorySlice,
        conversation: Option<&Conversation>,
    ) -> Vec<(&'k Record, &'k Episode)> {
        if let Some(conversation) = conversation {
            return latest_episodes(known, &conversation.origin);
        }
        let is_part = |record: &&Record| {
            self.contains(record.at)
                && record.by == self.open.by
                && record.tags.iter().any(|tag| tag == COMPACT_TAG)
                && known.memory.standing(&record.id.into()) == Standing::Active
        };
        let parts = known.memory.records().filter(is_part);
        let last = parts.max_by_key(|record| (record.at, record.id));
        last.and_then(|record| Some((record, episode_of(record)?))).into_iter().collect()
    }

    /// Sets what the end of the session states, and the numbers that were counted.
    fn add_ending(&self, episode: &mut Episode, ending: Ending) {
        let counted = |count: u64| Some(count).filter(|count| *count > 0);
        episode.outcome = ending.outcome.or(episode.outcome.take());
        episode.turns = ending.turns.or(episode.turns).or(counted(self.activity.turns));
        episode.tool_calls =
            ending.tool_calls.or(episode.tool_calls).or(counted(self.activity.tool_calls));
        let seconds = self.start.map(|start| self.end.as_second() - start.as_second());
        episode.duration_seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let titles = [ending.title.as_deref(), self.open.title.as_deref()].into_iter().flatten();
        let mut titles = titles.map(str::trim).filter(|title| !title.is_empty());
        if let Some(title) = titles.next() {
            episode.title = title.to_owned();
        } else if episode.title.is_empty() {
            episode.title = format!("Session of {}", day::of_timestamp(self.end));
        }
    }

    /// Adds the files and commits of the session. Returns the error of git, if it failed.
    fn add_changes(&self, episode: &mut Episode) -> Option<String> {
        let root = self.session.root();
        let past_end = Some(self.end).filter(|end| *end < self.session.now());
        let changes = git::changes_since(root, self.open.commit.as_deref(), past_end);
        let uncommitted = changes.changed.into_iter().filter(|file| self.was_changed(file));
        let files = changes.files.into_iter().chain(uncommitted);
        episode.files.extend(files.filter(|file| !is_memory_file(file)));
        episode.files.sort();
        episode.files.dedup();
        // A transcript may state a commit with a shorter hash.
        let subject = |commit: &str| commit.split_once(' ').map(|(_, subject)| subject.to_owned());
        let subjects: Vec<_> = changes.commits.iter().map(|commit| subject(commit)).collect();
        episode.commits.retain(|commit| !subjects.contains(&subject(commit)));
        episode.commits.extend(changes.commits);
        changes.problem
    }

    /// Returns whether an uncommitted file was modified during the session.
    fn was_changed(&self, file: &str) -> bool {
        let metadata = self.session.root().metadata(file).ok().flatten();
        let modified = metadata.and_then(|metadata| metadata.modified().ok());
        let modified = modified.and_then(|modified| Timestamp::try_from(modified.into_std()).ok());
        let has_ended = self.end < self.session.now();
        self.start.zip(modified).is_none_or(|(start, modified)| {
            modified >= start && !(has_ended && modified > self.end)
        })
    }

    /// Returns whether a time lies between the start and the end of the session.
    fn contains(&self, at: Timestamp) -> bool {
        self.start.is_some_and(|start| (start..=self.end).contains(&at))
    }

    /// Returns the shared records that the author stored during the session.
    fn stored_records(&self, known: &MemorySlice) -> Vec<Referent> {
        let is_of_session = |record: &Record| match &record.session {
            Some(id) => *id == self.open.id,
            // Records of a connection state its session.
            None => !(self.open.of_connection && record.kind().spec().joins_session),
        };
        let records = known.memory.records().filter(|record| {
            self.contains(record.at)
                && record.by == self.open.by
                && is_of_session(record)
                && record.kind().spec().is_recallable
                && !record.is_private()
        });
        records.map(|record| record.id.into()).collect()
    }
}

/// Returns whether a file belongs to the memory itself, which is not part of the work.
fn is_memory_file(file: &str) -> bool {
    file.starts_with(".heirloom/memory/") || file.ends_with(".memory.md")
}

/// Describes a session without a conversation in a sentence or two.
fn describe(episode: &Episode) -> String {
    let minutes = episode.duration_seconds.unwrap_or_default() / 60;
    let mut text = format!(
        "Lasted {}; {}, {} and {} stored.",
        present::count(usize::try_from(minutes).unwrap_or_default(), "minute"),
        present::count(episode.files.len(), "file"),
        present::count(episode.commits.len(), "commit"),
        present::count(episode.stored.len(), "record"),
    );
    if !episode.commits.is_empty() {
        text.push_str(&format!(" Commits: {}.", episode.commits.join("; ")));
    }
    text
}
