//! Reads transcripts and adds what they propose to what is pending.

use heirloom_core::record::Origin;
use heirloom_core::transcript::extraction::{
    self, EarlierStatement, Proposal, ProposalKind, Relation,
};
use heirloom_core::transcript::{self, Transcript};
use heirloom_core::{Problem, secret, words};

use super::sources::{Part, Source};
use super::stored::{Decision, PendingProposal, ReadPosition, Replaced, StoredProposals, name_of};
use crate::memory::{drop_fields_with_secrets, episode_from_digest};
use crate::{Error, Session};

/// Fewest messages of a conversation that is worth an episode.
const MIN_EPISODE_TURNS: usize = 4;

/// Confidence of an episode of a conversation in which files were changed.
const EPISODE_WITH_CHANGES_CONFIDENCE: f64 = 0.7;

/// Confidence of another episode.
const EPISODE_CONFIDENCE: f64 = 0.5;

/// What reading transcripts gave.
#[derive(Debug, Default)]
pub(in crate::ops::cold) struct Collected {
    /// Number of transcripts that were read.
    pub(in crate::ops::cold) read: usize,
    /// Number of transcripts that have not changed since they were read.
    pub(in crate::ops::cold) unchanged: usize,
    /// Number of statements that were left out because of what looks like a secret.
    pub(in crate::ops::cold) secrets: usize,
    /// What could not be read.
    pub(in crate::ops::cold) problems: Vec<Problem>,
}

/// Reads the transcripts that are new or have changed, and adds what they propose.
pub(in crate::ops::cold) fn collect(
    session: &Session,
    sources: &[Source],
    stored: &mut StoredProposals,
) -> Result<Collected, Error> {
    let mut collected = Collected::default();
    for source in sources {
        if stored.is_read(&source.name, source.stamp) {
            collected.unchanged += 1;
            continue;
        }
        match read_transcript(session, source, stored, &mut collected) {
            Ok(()) => collected.read += 1,
            Err(error) if sources.len() == 1 => return Err(error),
            Err(error) => {
                collected.problems.push(Problem::in_file(&source.name, error.message));
            }
        }
    }
    Ok(collected)
}

/// Reads a transcript, and adds what the messages propose that were not read before.
fn read_transcript(
    session: &Session,
    source: &Source,
    stored: &mut StoredProposals,
    collected: &mut Collected,
) -> Result<(), Error> {
    let mut position: Option<ReadPosition> = None;
    source.read(session, |part| {
        let Part { transcript, lines, is_whole } = part;
        let first = position.as_ref().map(|position| position.beginning.clone());
        let beginning = first.unwrap_or_else(|| hash_of_beginning(&transcript));
        // A transcript that begins otherwise is another one.
        let earlier = stored.position(&source.name);
        let is_continued = |read: &&ReadPosition| read.beginning == beginning;
        let after_line = earlier.filter(is_continued).map_or(0, |read| read.lines);
        for proposal in extraction::extract(&transcript, after_line) {
            add(stored, &source.name, proposal, collected);
        }
        if let Some(proposal) = episode_of(session, source, &transcript).filter(|_| is_whole) {
            add_episode(stored, proposal);
        }
        collected.problems.extend(transcript.problems);
        position = Some(ReadPosition::new(source.stamp, lines, beginning));
    })?;
    if let Some(position) = position {
        stored.set_position(&source.name, position);
    }
    Ok(())
}

/// Returns the hash of the first message and of the session's id.
fn hash_of_beginning(transcript: &Transcript) -> String {
    let first = transcript.turns.first().map_or("", |turn| turn.text.as_str());
    words::short_hash(&format!("{:?}\n{first}", transcript.session_id))
}

/// Adds a proposal, unless it was decided or is pending. One that changes an earlier statement replaces its proposal.
fn add(stored: &mut StoredProposals, path: &str, proposal: Proposal, collected: &mut Collected) {
    let id = proposal.id();
    let is_known = |id: &str| stored.pending.iter().any(|other| other.id == id);
    if stored.decided.contains_key(&id) || is_known(&id) {
        return;
    }
    if secret::find(&proposal.text).is_some() {
        collected.secrets += 1;
        return;
    }
    let mut replaces = proposal.replaces.as_ref().map(|replaced| Replaced {
        id: replaced.id.clone(),
        text: replaced.text.clone(),
        source: format!("{path}:{}", replaced.line),
    });
    if replaces.is_none() {
        match related(stored, &proposal) {
            Some((Relation::Repeats, _)) => return,
            Some((Relation::Changes, earlier)) => replaces = Some(earlier),
            None => {}
        }
    }
    // A statement that was never accepted has no record to replace; what it changed itself has.
    let dropped = replaces.as_ref().and_then(|replaced| {
        let at = stored.pending.iter().position(|other| other.id == replaced.id)?;
        Some(stored.pending.remove(at))
    });
    let replaces = match dropped.and_then(|dropped| dropped.replaces) {
        Some(accepted)
            if matches!(stored.decided.get(&accepted.id), Some(Decision::Accepted { .. })) =>
        {
            Some(accepted)
        }
        _ => replaces,
    };
    stored.pending.push(PendingProposal {
        id,
        kind: proposal.kind,
        text: proposal.text,
        path: path.to_owned(),
        line: proposal.line,
        at: proposal.at,
        by: name_of(proposal.speaker).to_owned(),
        confidence: (proposal.confidence * 100.0).round() / 100.0,
        reason: proposal.reason,
        replaces,
        episode: None,
        conversation: None,
    });
}

/// Returns the statement of another conversation that a proposal repeats or changes: one that is pending, or was
/// accepted.
fn related(stored: &StoredProposals, proposal: &Proposal) -> Option<(Relation, Replaced)> {
    let is_earlier = |at: Option<jiff::Timestamp>| match (at, proposal.at) {
        (Some(earlier), Some(later)) => earlier <= later,
        _ => true,
    };
    let pending = stored.pending.iter().filter(|other| other.episode.is_none());
    let pending = pending.filter(|other| is_earlier(other.at));
    let pending = pending.map(|other| {
        (
            other.kind,
            Replaced { id: other.id.clone(), text: other.text.clone(), source: other.source() },
        )
    });
    let accepted = stored.decided.iter().filter_map(|(id, decision)| match decision {
        Decision::Accepted { kind, text, source, .. } => {
            let (text, source) = (text.clone(), source.clone());
            Some((*kind, Replaced { id: id.clone(), text, source }))
        }
        Decision::Dropped(_) => None,
    });
    let earlier: Vec<(ProposalKind, Replaced)> = pending.chain(accepted).collect();
    let statements =
        earlier.iter().map(|(kind, it)| EarlierStatement { kind: *kind, text: &it.text });
    let (relation, at) = extraction::relate(proposal, &statements.collect::<Vec<_>>())?;
    Some((relation, earlier[at].1.clone()))
}

/// Returns the proposal of an episode of a conversation.
fn episode_of(
    session: &Session,
    source: &Source,
    transcript: &Transcript,
) -> Option<PendingProposal> {
    let is_story = transcript.turns.len() >= MIN_EPISODE_TURNS && !transcript.is_of_subagent;
    if !is_story {
        return None;
    }
    let conversation = match &transcript.session_id {
        Some(id) => Origin::conversation(id),
        None => Origin::transcript(&words::short_hash(&source.name)),
    };
    let digest = transcript::digest_transcript(transcript);
    let episode = episode_from_digest(session, transcript, digest);
    let (episode, _) = drop_fields_with_secrets(episode);
    let has_changes = !episode.files.is_empty() || !episode.commits.is_empty();
    let (confidence, reason) = match has_changes {
        true => (EPISODE_WITH_CHANGES_CONFIDENCE, "a conversation that changed files"),
        false => (EPISODE_CONFIDENCE, "a conversation"),
    };
    Some(PendingProposal {
        id: words::short_hash(&format!("episode\n{conversation}")),
        kind: ProposalKind::Episode,
        text: format!("{}\n{}", episode.title, episode.content).trim().to_owned(),
        path: source.name.clone(),
        line: 1,
        at: transcript.started,
        by: "agent".to_owned(),
        confidence,
        reason: reason.to_owned(),
        replaces: None,
        episode: Some(Box::new(episode)),
        conversation: Some(conversation),
    })
}

/// Adds the proposal of an episode, or brings it up to date; a conversation that was dropped is not proposed again.
fn add_episode(stored: &mut StoredProposals, proposal: PendingProposal) {
    if matches!(stored.decided.get(&proposal.id), Some(Decision::Dropped(_))) {
        return;
    }
    match stored.pending.iter_mut().find(|other| other.id == proposal.id) {
        Some(pending) => *pending = proposal,
        None => stored.pending.push(proposal),
    }
}
