//! Shortens old episodes. What is left is extracted from the episode; nothing is invented.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compression::{compressed, summary};
use crate::prose::one_line;
use crate::record::{Episode, ShortTexts};

/// How much of an episode is kept.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EpisodeLength {
    /// Its summary, without the course of the conversation and the single actions.
    Summary,
    /// A line, with its decisions, instructions, findings and open tasks.
    Line,
}

impl EpisodeLength {
    /// Returns the tag of an episode that was shortened to this length.
    pub fn tag(self) -> &'static str {
        match self {
            EpisodeLength::Summary => "summary",
            EpisodeLength::Line => "one-line",
        }
    }

    /// Returns whether an episode with these tags is already as short.
    pub fn is_reached(self, tags: &[String]) -> bool {
        let has = |length: EpisodeLength| tags.iter().any(|tag| tag == length.tag());
        has(EpisodeLength::Line) || (self == EpisodeLength::Summary && has(EpisodeLength::Summary))
    }
}

/// Returns how short an episode of an age should be; `None` if it stays as it is.
pub fn due_length(age_days: i64, summary_days: i64, line_days: i64) -> Option<EpisodeLength> {
    match age_days {
        age if age >= line_days => Some(EpisodeLength::Line),
        age if age >= summary_days => Some(EpisodeLength::Summary),
        _ => None,
    }
}

/// Shortens an episode; `None` if nothing can be left out. What was decided, instructed, found or left open is kept, and so
/// are files and commits: they are how an episode is found.
pub fn shorten_episode(
    episode: &Episode,
    supplied: &ShortTexts,
    length: EpisodeLength,
) -> Option<Episode> {
    let content = episode.content.trim();
    let summary = supplied.summary.clone().or_else(|| summary(content));
    let summary = summary.unwrap_or_else(|| content.to_owned());
    let mut short = Episode { sequence: vec![], course: vec![], ..episode.clone() };
    short.content = match length {
        EpisodeLength::Summary => summary,
        EpisodeLength::Line => {
            let line = supplied.compressed.clone().or_else(|| compressed(&summary));
            one_line(&line.unwrap_or(summary))
        }
    };
    if length == EpisodeLength::Line {
        short.goals = vec![];
        short.outcome = short.outcome.map(|outcome| compressed(&outcome).unwrap_or(outcome));
    }
    let size = |episode: &Episode| episode.texts().map(str::len).sum::<usize>();
    (size(&short) < size(episode)).then_some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode() -> Episode {
        Episode {
            title: "Auth refactor".into(),
            content: "We moved the sessions out of the process into Redis 7. It went really well. \
                      The old cookies were kept for the mobile app."
                .into(),
            goals: vec!["shorter tokens".into()],
            decisions: vec!["store tokens in Redis".into()],
            instructions: vec!["never log tokens".into()],
            sequence: vec!["read src/auth.rs".into()],
            course: vec!["user: hello".into()],
            open: vec!["remove the flag".into()],
            files: vec!["src/auth.rs".into()],
            ..Episode::default()
        }
    }

    #[test]
    fn an_episode_gets_shorter_with_age_and_keeps_what_was_decided() {
        assert_eq!(due_length(6, 7, 30), None);
        assert_eq!(due_length(7, 7, 30), Some(EpisodeLength::Summary));
        assert_eq!(due_length(30, 7, 30), Some(EpisodeLength::Line));
        let none = ShortTexts::default();
        let shorter = shorten_episode(&episode(), &none, EpisodeLength::Summary).unwrap();
        assert!(shorter.sequence.is_empty() && shorter.course.is_empty());
        assert_eq!(shorter.goals, ["shorter tokens"]);
        let line = shorten_episode(&episode(), &none, EpisodeLength::Line).unwrap();
        assert!(line.content.len() < shorter.content.len() && !line.content.contains('\n'));
        for short in [&shorter, &line] {
            assert!(short.content.contains("Redis 7"), "{}", short.content);
            assert_eq!(short.decisions, episode().decisions);
            assert_eq!(short.instructions, episode().instructions);
            assert_eq!((&short.open, &short.files), (&episode().open, &episode().files));
        }
    }

    #[test]
    fn a_short_episode_stays_as_it_is() {
        let short =
            Episode { title: "Fix".into(), content: "Fixed it.".into(), ..Episode::default() };
        assert_eq!(shorten_episode(&short, &ShortTexts::default(), EpisodeLength::Summary), None);
        assert!(EpisodeLength::Summary.is_reached(&["one-line".to_owned()]));
        assert!(!EpisodeLength::Line.is_reached(&["summary".to_owned()]));
    }
}
