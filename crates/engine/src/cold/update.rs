//! Indexing what is new in the transcripts.

use std::collections::BTreeMap;

use heirloom_core::transcript::Format;
use heirloom_core::{Problem, day};
use heirloom_index::WriteLock;
use heirloom_index::cold::{
    ChunkBatch, ColdIndex, ColdWriter, MessageToIndex, StoredTranscript, TranscriptUpdate,
};
use heirloom_store::transcripts::{Transcript, TranscriptReader, Transcripts};
use heirloom_store::{Root, StoreError};

use super::backlog::{Plan, pending_bytes, position, problems, version};
use super::folder::{index_of, known_files};
use crate::{Error, Session};

/// How many problems are kept of a transcript.
const MAX_PROBLEMS: usize = 10;

/// Progress is reported in megabytes.
const PROGRESS_STEP_BYTES: u64 = 1_000_000;

/// What an update did.
#[derive(Debug, Default)]
pub(crate) struct Update {
    /// How many transcripts were read.
    pub(crate) transcripts: usize,
    /// How many messages were indexed.
    pub(crate) messages: usize,
    /// How many bytes were read.
    pub(crate) bytes: u64,
    /// How many transcripts were taken out.
    pub(crate) removed: usize,
}

/// Indexes what is new in all transcripts, and takes out those that do not exist any more. What was committed when it is
/// interrupted stays indexed.
pub(crate) fn update(session: &Session) -> Result<Update, Error> {
    let index = index_of(session);
    let lock = index.lock()?;
    update_locked(session, &index, lock, false)
}

/// Updates the index like [`update`], with a lock that the caller took. An index that the caller has not opened is opened
/// first: one with a damaged segment is replaced, since no search could read what is added to it.
pub(super) fn update_locked(
    session: &Session,
    index: &ColdIndex,
    lock: WriteLock,
    is_open: bool,
) -> Result<Update, Error> {
    let is_readable = is_open || index.open(None)?.is_some();
    let mut writer = match is_readable {
        true => index.write(lock)?,
        false => index.write_new(lock)?,
    };
    let stored = writer.transcripts()?;
    let foreign = writer.foreign_files()?;
    let mut known = known_files(&stored, foreign.iter().copied());
    let listed = Transcripts::list(session.root(), session.client_folders(), &mut known);
    let Plan { pending, removed, bytes } = Plan::new(&listed, &stored);
    let new_foreign: Vec<u64> = known.foreign.difference(&foreign).copied().collect();
    if !removed.is_empty() || !new_foreign.is_empty() {
        writer.remove(&removed, new_foreign)?;
    }
    let mut update = Update { removed: removed.len(), ..Update::default() };
    if !pending.is_empty() {
        read_all(session, &mut writer, pending, bytes, &mut update)?;
    }
    session.progress().end();
    Ok(update)
}

fn read_all(
    session: &Session,
    writer: &mut ColdWriter,
    pending: Vec<(&Transcript, Option<StoredTranscript>)>,
    bytes: u64,
    update: &mut Update,
) -> Result<(), Error> {
    let mut feed = Feed::new(session.root(), pending);
    loop {
        let built = writer.build(heirloom_embed::builtin(), &mut |batch| {
            let has_more = feed.fill(batch)?;
            let steps = |bytes: u64| usize::try_from(bytes / PROGRESS_STEP_BYTES).unwrap_or(0);
            session.progress().tell(steps(feed.bytes_read()), steps(bytes));
            Ok::<bool, Error>(has_more)
        })?;
        let is_last = built.is_last();
        update.messages += built.message_count();
        let ids = writer.commit(built, &feed.take_updates()?)?;
        feed.set_ids(&ids);
        if is_last {
            break;
        }
    }
    update.transcripts = feed.next;
    update.bytes = feed.bytes_read();
    Ok(())
}

/// Reads transcripts one after the other.
struct Feed<'l> {
    root: &'l Root,
    pending: Vec<(&'l Transcript, Option<StoredTranscript>)>,
    /// The number of the next transcript.
    next: usize,
    current: Option<Reading<'l>>,
    /// The states of the transcripts that were read since the last commit, by their numbers.
    updates: BTreeMap<usize, TranscriptUpdate>,
    /// The bytes of the transcripts that were read to their end.
    bytes: u64,
}

/// A transcript that is being read.
struct Reading<'l> {
    number: usize,
    transcript: &'l Transcript,
    reader: TranscriptReader<'l>,
    /// What will be stored of it.
    stored: StoredTranscript,
    /// Whether what was indexed of it before is taken out.
    replaces: bool,
    problems: Vec<Problem>,
    /// How many bytes were indexed before.
    start: u64,
    /// How many bytes there are to read.
    bytes: u64,
}

impl<'l> Feed<'l> {
    fn new(root: &'l Root, pending: Vec<(&'l Transcript, Option<StoredTranscript>)>) -> Self {
        Feed { root, pending, next: 0, current: None, updates: BTreeMap::new(), bytes: 0 }
    }

    /// Returns how many bytes were read.
    fn bytes_read(&self) -> u64 {
        let current = self.current.as_ref().map_or(0, |reading| {
            reading.reader.offset().saturating_sub(reading.start).min(reading.bytes)
        });
        self.bytes + current
    }

    /// Adds messages to a batch until it is full, and returns whether there are more.
    fn fill(&mut self, batch: &mut ChunkBatch) -> Result<bool, Error> {
        while !batch.is_full() {
            let Some(reading) = &mut self.current else {
                match self.open_next()? {
                    true => continue,
                    false => return Ok(false),
                }
            };
            match reading.reader.next_line() {
                Ok(Some(line)) => {
                    for message in &line.messages {
                        let day = message.at.map(|at| day::to_number(day::of_timestamp(at)));
                        batch.push(
                            reading.number,
                            &MessageToIndex {
                                text: &message.text,
                                offset: line.offset,
                                line: u32::try_from(message.line).unwrap_or(u32::MAX),
                                part: message.part,
                                role: message.role,
                                day,
                            },
                        );
                    }
                    reading.add_problem(line.problem);
                }
                Ok(None) => self.finish_current()?,
                Err(error) => {
                    // The rest of a damaged file is not read before the file changes.
                    reading.add_problem(Some(problem_of(reading.transcript, &error)));
                    self.finish_current()?;
                }
            }
        }
        Ok(true)
    }

    /// Opens the next transcript; returns whether there is one.
    fn open_next(&mut self) -> Result<bool, Error> {
        let number = self.next;
        let Some((transcript, stored)) = self.pending.get_mut(number) else { return Ok(false) };
        let (transcript, stored) = (*transcript, stored.take());
        self.next += 1;
        let from = stored.as_ref().and_then(position);
        let bytes = pending_bytes(transcript, stored.as_ref());
        let is_known = stored.is_some();
        let mut stored = stored.unwrap_or_else(|| StoredTranscript {
            id: 0,
            name: transcript.name.clone(),
            agent: String::new(),
            session: None,
            title: None,
            stamp: None,
            state: String::new(),
            bytes: 0,
            problems: vec![],
        });
        match transcript.open(self.root, from.as_ref()) {
            Ok(reader) => {
                let lines = from.filter(|_| reader.has_continued()).map_or(0, |from| from.lines);
                let problems = problems(&stored).filter(|problem| problem.line <= lines);
                self.current = Some(Reading {
                    number,
                    transcript,
                    replaces: is_known && !reader.has_continued(),
                    problems: problems.collect(),
                    start: reader.offset(),
                    reader,
                    stored,
                    bytes,
                });
            }
            Err(error) => {
                // It is tried again when it changes.
                stored.problems = encode(&[problem_of(transcript, &error)])?;
                if stored.agent.is_empty() {
                    // No line could be read that tells the client.
                    transcript.agent(Format::JsonLines).clone_into(&mut stored.agent);
                }
                stored.stamp = Some(version(&transcript.stamp));
                (stored.state, stored.bytes) = (String::new(), 0);
                self.updates
                    .insert(number, TranscriptUpdate { transcript: stored, replaces: is_known });
                self.bytes += bytes;
            }
        }
        Ok(true)
    }

    fn finish_current(&mut self) -> Result<(), Error> {
        if let Some(mut reading) = self.current.take() {
            let update = reading.update(Some(version(&reading.transcript.stamp)))?;
            self.updates.insert(reading.number, update);
            self.bytes += reading.bytes;
        }
        Ok(())
    }

    /// Returns the states of the transcripts that were read since the last time.
    fn take_updates(&mut self) -> Result<Vec<(usize, TranscriptUpdate)>, Error> {
        if let Some(reading) = &mut self.current {
            let update = reading.update(None)?;
            self.updates.insert(reading.number, update);
        }
        Ok(std::mem::take(&mut self.updates).into_iter().collect())
    }

    /// Takes over the ids that a commit gave.
    fn set_ids(&mut self, ids: &[(usize, i64)]) {
        if let Some(reading) = &mut self.current
            && let Some((_, id)) = ids.iter().find(|(number, _)| *number == reading.number)
        {
            reading.stored.id = *id;
            reading.replaces = false;
        }
    }
}

impl Reading<'_> {
    fn add_problem(&mut self, problem: Option<Problem>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.extend(problem);
        }
    }

    /// Returns what is stored of the transcript now.
    fn update(&mut self, stamp: Option<String>) -> Result<TranscriptUpdate, Error> {
        let position = self.reader.position()?;
        let stream = &position.stream;
        self.stored.agent = self.transcript.agent(stream.format()).to_owned();
        self.stored.session = stream.session_id.clone();
        self.stored.title = stream.title.clone();
        self.stored.bytes = position.offset;
        self.stored.state = to_json(&position)?;
        self.stored.stamp = stamp;
        self.stored.problems = encode(&self.problems)?;
        Ok(TranscriptUpdate { transcript: self.stored.clone(), replaces: self.replaces })
    }
}

/// Returns the problem of a transcript that cannot be read. A problem states its path, so the message leaves it out.
fn problem_of(transcript: &Transcript, error: &StoreError) -> Problem {
    let message = match error {
        StoreError::Io { source, .. } => format!("cannot be read: {source}"),
        error => error.to_string(),
    };
    Problem::in_file(&transcript.name, message)
}

fn encode(problems: &[Problem]) -> Result<Vec<String>, Error> {
    problems.iter().map(to_json).collect()
}

fn to_json(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::system(error.to_string()))
}
