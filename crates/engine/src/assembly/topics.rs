//! The topics that memory can be asked about: words that several titles have in common.

use std::collections::{HashMap, HashSet};

use heirloom_core::recall::{is_stop_word, terms};

/// Maximum number of topics.
const MAX_TOPICS: usize = 16;

/// A word of fewer titles is no topic.
const MIN_TITLES: usize = 2;

/// A shorter word is no topic.
const MIN_LETTERS: usize = 3;

/// Words of titles that say what was done or what kind of text follows, not what it is about.
const GENERAL_WORDS: [&str; 22] = [
    "add",
    "adopt",
    "adr",
    "architecture",
    "change",
    "choose",
    "create",
    "decision",
    "decisions",
    "implement",
    "introduce",
    "move",
    "new",
    "proposal",
    "record",
    "records",
    "remove",
    "replace",
    "support",
    "update",
    "use",
    "using",
];

/// Returns the topics of some titles, those of most titles first.
pub(super) fn topics<'t>(titles: impl Iterator<Item = &'t str>) -> Vec<String> {
    // Forms of a word count as one, which is shown as it was first written.
    let mut counts: HashMap<String, (usize, String)> = HashMap::new();
    for title in titles {
        let mut seen = HashSet::new();
        for word in title.split(|c: char| !c.is_alphanumeric() && c != '-') {
            let lower = word.to_lowercase();
            let is_topic = word.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS
                && !word.contains(|c: char| c.is_ascii_digit())
                && !is_stop_word(&lower)
                && !GENERAL_WORDS.contains(&lower.as_str());
            let Some(term) = terms(&lower).into_iter().next().filter(|_| is_topic) else {
                continue;
            };
            if seen.insert(term.clone()) {
                counts.entry(term).or_insert((0, lower)).0 += 1;
            }
        }
    }
    let mut topics: Vec<(usize, String)> =
        counts.into_values().filter(|(count, _)| *count >= MIN_TITLES).collect();
    topics
        .sort_by(|(count, word), (other, second)| other.cmp(count).then_with(|| word.cmp(second)));
    topics.into_iter().take(MAX_TOPICS).map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_titles_are_topics() {
        let titles = [
            "ADR-001: Use Postgres for submissions",
            "Store each submission once",
            "Use Redis for the queue",
            "Queues are drained at night",
        ];
        assert_eq!(topics(titles.into_iter()), ["queue", "submissions"]);
        assert!(topics(std::iter::empty()).is_empty());
    }
}
