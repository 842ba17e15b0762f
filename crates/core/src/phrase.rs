//! Matches fixed phrases in sentences as people type them: without regard to case, apostrophes and common
//! abbreviations.

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
pub(crate) struct FoldedSentence {
    text: String,
}

impl FoldedSentence {
    /// Folds a sentence.
    pub(crate) fn new(sentence: &str) -> Self {
        let mut text = String::with_capacity(sentence.len() + 8);
        text.push(' ');
        for word in sentence.split_whitespace() {
            let lower = word.to_lowercase().replace(['’', '‘'], "'");
            let bare = lower.trim_matches(|c: char| !c.is_alphanumeric() && c != '#');
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
            let spelling = CHAT_SPELLINGS.iter().find(|(chat, _)| *chat == bare);
            text.push_str(spelling.map_or(bare, |(_, full)| full));
            text.push(' ');
            let tail = &lower[lower.rfind(bare).unwrap_or(0) + bare.len()..];
            if tail.contains([',', ';', ':', '—']) {
                text.push_str(", ");
            }
        }
        FoldedSentence { text }
    }

    /// Returns the words, with `,` for a mark between clauses.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// Returns whether the sentence contains a phrase as whole words.
    pub(crate) fn contains(&self, phrase: &str) -> bool {
        contains_words(&self.text, phrase)
    }

    /// Returns whether the sentence contains one of these phrases.
    pub(crate) fn contains_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.contains(phrase))
    }

    /// Returns the sentence without the first of these lead-ins that it begins with, for as long as it begins with one.
    pub(crate) fn without_lead_ins(&self, lead_ins: &[&str]) -> FoldedSentence {
        let mut rest = self.text.trim();
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            let shorter = lead_ins.iter().find_map(|lead_in| strip_words(rest, lead_in));
            match shorter {
                Some(shorter) => rest = shorter,
                None => return FoldedSentence { text: format!(" {rest} ") },
            }
        }
    }

    /// Returns the sentence from the beginning of each of its clauses on.
    pub(crate) fn clauses(&self) -> Vec<FoldedSentence> {
        let words: Vec<&str> = self.words().collect();
        let begins = |at: usize| at == 0 || matches!(words[at - 1], "," | "and" | "but" | "so");
        let clause = |at: usize| FoldedSentence { text: format!(" {} ", words[at..].join(" ")) };
        (0..words.len()).filter(|at| begins(*at)).map(clause).collect()
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
    let rest = text.strip_prefix(phrase)?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start())
}

fn contains_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase)
        .any(|(at, _)| text[..at].ends_with(' ') && text[at + phrase.len()..].starts_with(' '))
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
