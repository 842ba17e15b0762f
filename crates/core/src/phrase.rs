//! Matches fixed phrases in sentences as people type them: without regard to case, apostrophes and common
//! abbreviations.

use std::borrow::Cow;

/// Spellings that people use in chat, with the words that the phrase lists contain.
const CHAT_SPELLINGS: &[(&str, &str)] = &[
    ("arent", "aren't"),
    ("cant", "can't"),
    ("didnt", "didn't"),
    ("doesnt", "doesn't"),
    ("dont", "don't"),
    ("gonna", "going to"),
    ("hasnt", "hasn't"),
    ("havent", "haven't"),
    ("im", "i'm"),
    ("isnt", "isn't"),
    ("ive", "i've"),
    ("lets", "let's"),
    ("nvm", "never mind"),
    ("nevermind", "never mind"),
    ("pls", "please"),
    ("plz", "please"),
    ("shouldnt", "shouldn't"),
    ("thats", "that's"),
    ("wanna", "want to"),
    ("wasnt", "wasn't"),
    ("wont", "won't"),
    ("wouldnt", "wouldn't"),
    ("youre", "you're"),
];

/// A sentence in a form in which phrases can be found: words in lower case, with one space before and
/// after each; commas, semicolons, colons and dashes are words of their own.
pub(crate) struct FoldedSentence<'t> {
    text: Cow<'t, str>,
    /// Where each word begins.
    words: Vec<u32>,
    beginnings: WordBeginnings,
}

/// A set of the beginnings of words, by which most phrases of a list are rejected. Beginnings may collide.
#[derive(Clone, Copy, Default)]
struct WordBeginnings([u64; 4]);

impl WordBeginnings {
    fn may_have(&self, phrase: &str) -> bool {
        let (index, bit) = Self::position(phrase.as_bytes());
        self.0[index] & bit != 0
    }

    /// Returns the place of the first two bytes of a word in the set. A word of one letter ends with a space.
    fn position(word: &[u8]) -> (usize, u64) {
        let first = word.first().copied().unwrap_or(b' ');
        let second = word.get(1).copied().unwrap_or(b' ');
        let hash = first.wrapping_mul(31).wrapping_add(second);
        (usize::from(hash >> 6), 1 << (hash & 63))
    }
}

impl<'t> FoldedSentence<'t> {
    /// Wraps a folded text, in which each word stands after a space.
    fn of_folded(text: Cow<'t, str>) -> Self {
        let bytes = text.as_bytes();
        let mut words = Vec::with_capacity(bytes.len() / 4);
        let mut beginnings = WordBeginnings::default();
        for (space, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b' ') {
            if space + 1 < bytes.len() {
                let (index, bit) = WordBeginnings::position(&bytes[space + 1..]);
                beginnings.0[index] |= bit;
                words.push(space as u32 + 1);
            }
        }
        FoldedSentence { text, words, beginnings }
    }
}

impl FoldedSentence<'_> {
    /// Folds a sentence.
    pub(crate) fn new(sentence: &str) -> FoldedSentence<'static> {
        let mut text = String::with_capacity(sentence.len() + 8);
        text.push(' ');
        let mut lower = String::new();
        for word in sentence.split_whitespace() {
            lower.clear();
            if word.is_ascii() {
                lower.push_str(word);
                lower.make_ascii_lowercase();
            } else {
                let lower_case = word.chars().flat_map(char::to_lowercase);
                lower.extend(lower_case.map(|c| if matches!(c, '’' | '‘') { '\'' } else { c }));
            }
            let is_mark = |c: char| !c.is_alphanumeric() && c != '#';
            let without_tail = lower.trim_end_matches(is_mark);
            let bare = without_tail.trim_start_matches(is_mark);
            if bare.is_empty() {
                if lower == "=" {
                    text.push_str("is ");
                }
                if matches!(lower.as_str(), "-" | "–" | "—" | "," | ";" | ":" | "→" | "->" | "=>")
                {
                    text.push_str(", ");
                }
                continue;
            }
            let is_spelling = |chat: &str| chat.as_bytes()[0] == bare.as_bytes()[0] && chat == bare;
            let spelling = CHAT_SPELLINGS.iter().find(|(chat, _)| is_spelling(chat));
            text.push_str(spelling.map_or(bare, |(_, full)| full));
            text.push(' ');
            let tail = &lower[without_tail.len()..];
            if tail.contains([',', ';', ':', '—']) {
                text.push_str(", ");
            }
        }
        FoldedSentence::of_folded(Cow::Owned(text))
    }

    /// Returns the sentence from a word on, which begins at this byte.
    fn starting_at(&self, start: usize) -> FoldedSentence<'_> {
        FoldedSentence::of_folded(Cow::Borrowed(
            self.text.get(start.saturating_sub(1)..).unwrap_or_default(),
        ))
    }

    /// Returns the words, with `,` for a mark between clauses.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// Returns whether the sentence contains a phrase as whole words.
    pub(crate) fn contains(&self, phrase: &str) -> bool {
        let is_here = |start: &u32| {
            let rest = &self.text.as_bytes()[*start as usize..];
            rest.first() == phrase.as_bytes().first()
                && rest.starts_with(phrase.as_bytes())
                && rest.get(phrase.len()) == Some(&b' ')
        };
        self.beginnings.may_have(phrase) && self.words.iter().any(is_here)
    }

    /// Returns whether the sentence contains one of these phrases.
    pub(crate) fn contains_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.contains(phrase))
    }

    /// Returns the sentence without the first of these lead-ins that it begins with, for as long as it begins with one.
    pub(crate) fn without_lead_ins(&self, lead_ins: &[&str]) -> FoldedSentence<'_> {
        let mut rest = self.text.as_ref();
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            let shorter = lead_ins.iter().find_map(|lead_in| strip_words(rest, lead_in));
            match shorter {
                Some(shorter) => rest = shorter,
                None => return self.starting_at(self.text.len() - rest.len()),
            }
        }
    }

    /// Returns the sentence from the beginning of each of its clauses on.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = FoldedSentence<'_>> {
        let mut begins = true;
        let mut start = 1;
        let words = self.text.get(1..).unwrap_or_default().split_terminator(' ');
        words.filter_map(move |word| {
            let clause = begins.then(|| self.starting_at(start));
            begins = matches!(word, "," | "and" | "but" | "so");
            start += word.len() + 1;
            clause
        })
    }

    /// Returns the rest of the sentence if it begins with this phrase.
    pub(crate) fn strip_prefix(&self, phrase: &str) -> Option<&str> {
        strip_words(self.text.trim_start(), phrase)
    }

    /// Returns whether the sentence begins with one of these phrases.
    pub(crate) fn starts_with_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.strip_prefix(phrase).is_some())
    }
}

fn strip_words<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    // Most phrases of a list differ in the first letter, which is cheaper to compare.
    if text.as_bytes().first() != phrase.as_bytes().first() {
        return None;
    }
    let rest = text.strip_prefix(phrase)?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words_in_any_spelling() {
        let sentence = FoldedSentence::new("Pls DON’T use `unwrap()`, ever — really!");
        let words: Vec<&str> = sentence.words().collect();
        assert_eq!(words, ["please", "don't", "use", "unwrap", ",", "ever", ",", "really"]);
        assert!(sentence.contains("don't use") && sentence.contains("really"));
        assert!(!sentence.contains("wrap") && !sentence.contains("on't"));
        let bare = sentence.without_lead_ins(&["please", "ok"]);
        assert_eq!(bare.strip_prefix("don't use"), Some("unwrap , ever , really "));
        assert!(FoldedSentence::new("dont").starts_with_any(&["don't"]));
    }
}
