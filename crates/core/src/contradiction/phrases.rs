//! Tables of words and phrases that are looked up at a word of a statement.

use std::collections::HashMap;

use super::token::Token;

/// A phrase: the words after its first one, and what it means.
type Phrase<T> = (Vec<&'static str>, T);

/// Phrases with their meanings, by their first word.
#[derive(Debug)]
pub(super) struct PhraseTable<T> {
    of_first_word: HashMap<&'static str, Vec<Phrase<T>>>,
}

impl<T: Copy> PhraseTable<T> {
    /// Makes a table of phrases in lower case, with spaces between words.
    pub(super) fn new(phrases: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let mut of_first_word: HashMap<&'static str, Vec<Phrase<T>>> = HashMap::new();
        for (phrase, meaning) in phrases {
            let mut words = phrase.split(' ');
            let first = words.next().unwrap_or_default();
            of_first_word.entry(first).or_default().push((words.collect(), meaning));
        }
        PhraseTable { of_first_word }
    }

    /// Returns the meanings of the phrases that stand at a word, in the order of the table.
    pub(super) fn at<'p>(&'p self, tokens: &'p [Token<'_>], at: usize) -> impl Iterator<Item = T> {
        let phrases = self.of_first_word.get(tokens[at].lower.as_str()).into_iter().flatten();
        let after = &tokens[at + 1..];
        let is_at = move |words: &[&str]| {
            words.len() <= after.len()
                && words.iter().zip(after).all(|(word, token)| token.lower == *word)
        };
        phrases.filter(move |(words, _)| is_at(words)).map(|(_, meaning)| *meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn phrases_are_found_where_all_their_words_stand() {
        let table = PhraseTable::new([("may not", 1), ("may", 2), ("not", 3)]);
        let tokens = tokens("It may not be, it may");
        let found: Vec<Vec<i32>> =
            (0..tokens.len()).map(|at| table.at(&tokens, at).collect()).collect();
        assert_eq!(found, [vec![], vec![1, 2], vec![3], vec![], vec![], vec![2]]);
    }
}
