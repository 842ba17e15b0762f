//! Shortens a long name that two statements have in common, so that a model reads what they say of it.
//!
//! Of two statements on `the change feed of the metrics database`, a model tends to see how much they have in common, and not
//! that one is about backups and the other one about identifiers.

use super::statement::VERBS;

/// How many words a name has that is shortened.
const MIN_NAME_WORDS: usize = 4;
const MAX_NAME_WORDS: usize = 10;

/// The share of the words of the shorter statement that the name may be. Otherwise the statements hardly differ.
const MAX_SHARE: f64 = 0.75;

/// A word of a statement.
struct Word<'t> {
    text: &'t str,
    /// The word in lower case without punctuation.
    plain: String,
}

/// Returns both statements with the longest name that they have in common shortened to its article and its last word; `None`
/// if they have no long name in common. A name begins with `the` and goes on up to a verb.
pub fn shorten_common_name(a: &str, b: &str) -> Option<[String; 2]> {
    let (a, b) = (words(a), words(b));
    let starts = |words: &[Word<'_>]| -> Vec<usize> {
        (0..words.len()).filter(|at| words[*at].plain == "the").collect()
    };
    let starts_of_b = starts(&b);
    let mut longest = (0, 0, 0);
    for at_a in starts(&a) {
        for at_b in &starts_of_b {
            let length = common_name_words(&a[at_a..], &b[*at_b..]);
            if length > longest.0 {
                longest = (length, at_a, *at_b);
            }
        }
    }
    let (length, at_a, at_b) = longest;
    let max = (MAX_SHARE * a.len().min(b.len()) as f64) as usize;
    let is_long = (MIN_NAME_WORDS..=MAX_NAME_WORDS.min(max)).contains(&length);
    is_long.then(|| [shorten(&a, at_a, length), shorten(&b, at_b, length)])
}

/// Returns how many words of a name two statements begin with.
fn common_name_words(a: &[Word<'_>], b: &[Word<'_>]) -> usize {
    let is_linking = |at: usize| LINKING_WORDS.contains(&a[at].plain.as_str());
    // After an article or a preposition, `change` and `read` are no verbs.
    let is_verb = |at: usize| VERBS.contains(&a[at].plain) && !is_linking(at.saturating_sub(1));
    let is_common =
        |at: &usize| a[*at].plain == b[*at].plain && !a[*at].plain.is_empty() && !is_verb(*at);
    let mut length = (0..a.len().min(b.len())).take_while(is_common).count();
    // A name does not end with a preposition or an article.
    while length > 0 && is_linking(length - 1) {
        length -= 1;
    }
    length
}

const LINKING_WORDS: [&str; 13] =
    ["the", "a", "an", "of", "in", "for", "on", "at", "to", "by", "from", "with", "inside"];

fn shorten(words: &[Word<'_>], at: usize, length: usize) -> String {
    let is_kept = |index: &usize| *index <= at || *index >= at + length - 1;
    let kept = (0..words.len()).filter(is_kept).map(|index| words[index].text);
    kept.collect::<Vec<_>>().join(" ")
}

fn words(statement: &str) -> Vec<Word<'_>> {
    let plain = |word: &str| {
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    statement.split_whitespace().map(|text| Word { text, plain: plain(text) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_shortened_to_its_last_word() {
        let shortened = |a, b| shorten_common_name(a, b).map(|two| two.join(" / "));
        assert_eq!(
            shortened(
                "We back up the change feed of the metrics database every night.",
                "Rows of the change feed of the metrics database are numbered with UUIDs",
            )
            .as_deref(),
            Some(
                "We back up the database every night. / Rows of the database are numbered with UUIDs"
            )
        );
        assert_eq!(
            shortened(
                "The first stage of the price sync is slow in the morning",
                "Skip the first stage of the price sync, on Mondays and Fridays",
            )
            .as_deref(),
            Some("The sync is slow in the morning / Skip the sync, on Mondays and Fridays")
        );
        for [a, b] in [
            ["The price sync is slow", "Skip the price sync on Mondays"],
            ["The cache of the build server: on", "The cache of the build server: off"],
            ["Nothing in common", "Here either"],
            ["", "the the the the the the"],
        ] {
            assert_eq!(shortened(a, b), None, "{a} / {b}");
        }
    }
}
