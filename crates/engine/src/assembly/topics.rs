//! The topics that memory can be asked about: words that several titles have in common.

use std::collections::{HashMap, HashSet};

use heirloom_core::recall::{is_stop_word, terms};

/// Maximum number of topics.
const MAX_TOPICS: usize = 16;

/// A word of fewer titles is no topic.
const MIN_TITLES: usize = 2;

/// A shorter word is no topic.
const MIN_LETTERS: usize = 3;

/// Words of titles that say what was done or what kind of text follows, not what it is about. Other forms of them count,
/// too.
const GENERAL_WORDS: [&str; 55] = [
    "add",
    "adopt",
    "adr",
    "all",
    "allow",
    "architecture",
    "avoid",
    "change",
    "choose",
    "create",
    "decide",
    "decision",
    "each",
    "enable",
    "ensure",
    "fix",
    "for",
    "from",
    "handle",
    "how",
    "implement",
    "improve",
    "introduce",
    "into",
    "maintain",
    "make",
    "manage",
    "migrate",
    "move",
    "new",
    "not",
    "only",
    "proposal",
    "provide",
    "record",
    "refactor",
    "remove",
    "rename",
    "replace",
    "send",
    "should",
    "store",
    "support",
    "switch",
    "template",
    "toward",
    "update",
    "upgrade",
    "use",
    "via",
    "when",
    "where",
    "why",
    "with",
    "without",
];

/// Returns the topics of some titles, those of most titles first.
pub(super) fn topics<'t>(titles: impl Iterator<Item = &'t str>) -> Vec<String> {
    // Forms of a word count as one, which is shown as it was first written.
    let mut counts: HashMap<String, (usize, String)> = HashMap::new();
    let general: HashSet<String> = GENERAL_WORDS.iter().flat_map(|word| terms(word)).collect();
    for title in titles {
        let mut seen = HashSet::new();
        for word in title.split(|c: char| !c.is_alphanumeric() && !['-', '.'].contains(&c)) {
            let word = word.trim_matches(['-', '.']);
            let lower = word.to_lowercase();
            let is_topic = word.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS
                && !word.contains(|c: char| c.is_ascii_digit())
                && !is_stop_word(&lower);
            let term = terms(&lower).into_iter().next().filter(|term| !general.contains(term));
            let Some(term) = term.filter(|_| is_topic) else { continue };
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
            "Adding pages from Next.js",
            "Moving away from Next.js",
        ];
        assert_eq!(topics(titles.into_iter()), ["next.js", "queue", "submissions"]);
        assert!(topics(std::iter::empty()).is_empty());
    }
}
