//! Episodes out of transcripts.

use heirloom_core::record::Episode;
use heirloom_core::secret;
use heirloom_core::transcript::{self, Transcript};

use crate::Session;
use crate::view::present;

/// Makes an episode of a transcript, by its structure. Files of the workspace are named from its
/// root.
pub(crate) fn episode_of(session: &Session, transcript: &Transcript) -> Episode {
    let digest = transcript::digest(transcript);
    let span = transcript.started.zip(transcript.ended);
    let seconds = span.map(|(started, ended)| ended.as_second() - started.as_second());
    let root = format!("{}/", session.root().path().display());
    let relative = |text: &String| text.replace(&root, "");
    let all = |texts: &[String]| texts.iter().map(relative).collect();
    Episode {
        title: digest.title,
        content: relative(&digest.summary),
        goals: all(&digest.goals),
        decisions: all(&digest.decisions),
        sequence: all(&digest.sequence),
        outcome: Some(relative(&digest.outcome)).filter(|outcome| !outcome.is_empty()),
        open: all(&digest.open),
        files: all(&transcript.files),
        commits: transcript.commits.clone(),
        stored: vec![],
        duration_seconds: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
        turns: Some(transcript.turns.len() as u64),
        tool_calls: Some(transcript.tool_calls.len() as u64),
    }
}

/// Leaves out of an episode what looks like a secret, and says how much that was.
pub(crate) fn without_secrets(mut episode: Episode) -> (Episode, Option<String>) {
    let mut left_out = 0;
    let mut clean = |text: &str| {
        let is_clean = secret::find(text).is_none();
        left_out += usize::from(!is_clean);
        is_clean
    };
    for list in [
        &mut episode.goals,
        &mut episode.decisions,
        &mut episode.sequence,
        &mut episode.open,
        &mut episode.files,
        &mut episode.commits,
    ] {
        list.retain(|item| clean(item));
    }
    if !clean(&episode.content) {
        episode.content.clear();
    }
    episode.outcome = episode.outcome.take().filter(|outcome| clean(outcome));
    if !clean(&episode.title) {
        episode.title = "Untitled".to_owned();
    }
    let said = (left_out > 0).then(|| {
        let what = present::count(left_out, "passage");
        format!("{what} left out that look like secrets")
    });
    (episode, said)
}
