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
    folded: Cow<'t, FoldedText>,
    /// The number of its first word: a clause is the rest of a sentence.
    first: usize,
}

#[derive(Clone)]
struct FoldedText {
    text: String,
    /// Where each word begins, and where the text ends.
    words: Vec<u32>,
    /// The beginnings of each word and those after it.
    beginnings: Vec<WordBeginnings>,
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

impl FoldedText {
    /// Wraps a folded text, in which each word stands after a space.
    fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        let spaces = bytes.iter().enumerate().filter(|(_, byte)| **byte == b' ');
        let mut words = Vec::with_capacity(bytes.len() / 4 + 1);
        words.extend(spaces.map(|(space, _)| space as u32 + 1));
        // Backwards, since the beginnings of a word include those of the words after it.
        let mut beginnings = vec![WordBeginnings::default(); words.len()];
        let mut last = WordBeginnings::default();
        for (word, own) in words.iter().zip(&mut beginnings).rev().skip(1) {
            let (index, bit) = WordBeginnings::position(&bytes[*word as usize..]);
            last.0[index] |= bit;
            *own = last;
        }
        FoldedText { text, words, beginnings }
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
        FoldedSentence { folded: Cow::Owned(FoldedText::new(text)), first: 0 }
    }

    /// Returns the sentence from a word on.
    fn starting_at(&self, first: usize) -> FoldedSentence<'_> {
        FoldedSentence { folded: Cow::Borrowed(&self.folded), first }
    }

    /// Returns the text from the first word on.
    fn text(&self) -> &str {
        let start = self.folded.words.get(self.first).map_or(0, |start| *start as usize);
        &self.folded.text[start..]
    }

    /// Returns the words, with `,` for a mark between clauses.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text().split_terminator(' ')
    }

    /// Returns whether the sentence contains a phrase as whole words.
    pub(crate) fn contains(&self, phrase: &str) -> bool {
        let FoldedText { text, words, beginnings } = self.folded.as_ref();
        let is_here = |start: &u32| {
            let rest = &text.as_bytes()[*start as usize..];
            rest.first() == phrase.as_bytes().first()
                && rest.starts_with(phrase.as_bytes())
                && rest.get(phrase.len()) == Some(&b' ')
        };
        beginnings[self.first].may_have(phrase) && words[self.first..].iter().any(is_here)
    }

    /// Returns whether the sentence contains one of these phrases.
    pub(crate) fn contains_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.contains(phrase))
    }

    /// Returns the sentence without the first of these lead-ins that it begins with, for as long as it begins with one.
    pub(crate) fn without_lead_ins(&self, lead_ins: &[&str]) -> FoldedSentence<'_> {
        let mut rest = self.text();
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            let shorter = lead_ins.iter().find_map(|lead_in| strip_words(rest, lead_in));
            match shorter {
                Some(shorter) => rest = shorter,
                None => break,
            }
        }
        let FoldedText { text, words, .. } = self.folded.as_ref();
        let start = text.len() - rest.len();
        self.starting_at(words.partition_point(|word| (*word as usize) < start))
    }

    /// Returns the sentence from the beginning of each of its clauses on.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = FoldedSentence<'_>> {
        let mut begins = true;
        self.words().enumerate().filter_map(move |(number, word)| {
            let clause = begins.then(|| self.starting_at(self.first + number));
            begins = matches!(word, "," | "and" | "but" | "so");
            clause
        })
    }

    /// Returns the rest of the sentence if it begins with this phrase.
    pub(crate) fn strip_prefix(&self, phrase: &str) -> Option<&str> {
        strip_words(self.text(), phrase)
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
