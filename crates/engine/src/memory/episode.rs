//! Makes episodes from transcripts.

use heirloom_core::record::Episode;
use heirloom_core::secret;
use heirloom_core::transcript::{Digest, Transcript};

use crate::Session;
use crate::view::present;

/// Makes an episode from the digest of a transcript. Paths inside the workspace become relative to its root.
pub(crate) fn episode_from_digest(
    session: &Session,
    transcript: &Transcript,
    digest: Digest,
) -> Episode {
    let span = transcript.started.zip(transcript.ended);
    let seconds = span.map(|(started, ended)| ended.as_second() - started.as_second());
    let root = format!("{}/", session.root().path().display());
    let relative = |text: &String| text.replace(&root, "");
    let all_relative = |texts: &[String]| texts.iter().map(relative).collect();
    Episode {
        title: digest.title,
        content: relative(&digest.summary),
        goals: all_relative(&digest.goals),
        instructions: all_relative(&digest.instructions),
        decisions: all_relative(&digest.decisions),
        findings: all_relative(&digest.findings),
        sequence: all_relative(&digest.sequence),
        course: all_relative(&digest.course),
        outcome: Some(relative(&digest.outcome)).filter(|outcome| !outcome.is_empty()),
        open: all_relative(&digest.open),
        files: all_relative(&transcript.files_written),
        commits: transcript.commits.clone(),
        stored: vec![],
        duration_seconds: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
        turns: Some(transcript.turns.len() as u64),
        tool_calls: Some(transcript.tool_calls.len() as u64),
    }
}

/// Drops every field and list item of an episode that contains what looks like a secret, and returns a warning if
/// there were any. A title becomes `Untitled`.
pub(crate) fn drop_fields_with_secrets(mut episode: Episode) -> (Episode, Option<String>) {
    let mut removed = 0;
    let mut is_clean = |text: &str| {
        let has_secret = secret::find(text).is_some();
        removed += usize::from(has_secret);
        !has_secret
    };
    for list in [
        &mut episode.goals,
        &mut episode.instructions,
        &mut episode.decisions,
        &mut episode.findings,
        &mut episode.sequence,
        &mut episode.course,
        &mut episode.open,
        &mut episode.files,
        &mut episode.commits,
    ] {
        list.retain(|item| is_clean(item));
    }
    if !is_clean(&episode.content) {
        episode.content.clear();
    }
    episode.outcome = episode.outcome.take().filter(|outcome| is_clean(outcome));
    if !is_clean(&episode.title) {
        episode.title = "Untitled".to_owned();
    }
    let warning = (removed > 0).then(|| {
        let passages = present::count(removed, "passage");
        format!("{passages} left out because of what looks like a secret")
    });
    (episode, warning)
}
