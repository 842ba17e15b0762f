//! Splits long texts into chunks, which are indexed and scored one by one.

use super::terms::is_unspaced;
use crate::prose::split_sentences;

/// The number of words up to which a text is one chunk.
const MAX_WORDS: usize = 75;

/// The number of words that a chunk is filled up to.
const TARGET_WORDS: usize = 60;

/// A last chunk with fewer words is added to the one before it.
const MIN_WORDS: usize = 20;

/// Splits a text of more than 75 words into chunks of about 60 words, at the ends of sentences and lines. A sentence is
/// split only if it has more than twice as many words. A chunk is a part of the text, without the spaces around it.
pub fn chunks(text: &str) -> Vec<&str> {
    if !is_split(text) {
        return vec![text];
    }
    let mut chunks = ChunkBuilder { text, finished: vec![], start: 0, end: 0, words: 0 };
    let sentences = text.lines().flat_map(split_sentences);
    sentences.flat_map(split_long_sentence).for_each(|part| chunks.add(part));
    chunks.finish()
}

/// Returns whether a text is so long that it is split into chunks.
pub fn is_split(text: &str) -> bool {
    // A word and the space before it have at least two bytes.
    text.len() > 2 * MAX_WORDS && word_count(text) > MAX_WORDS
}

/// Counts the words of a text. Two characters of a script that is written without spaces are about a word.
fn word_count(text: &str) -> usize {
    let words = text.split_whitespace().count();
    match text.is_ascii() {
        true => words,
        false => words + text.chars().filter(|c| is_unspaced(*c)).count() / 2,
    }
}

/// Splits a sentence of very many words, such as a table or data, after a number of words.
fn split_long_sentence(sentence: &str) -> Vec<&str> {
    let mut parts = vec![];
    let mut rest = sentence;
    while rest.split_whitespace().nth(2 * MAX_WORDS).is_some() {
        let next = rest.split_whitespace().nth(TARGET_WORDS).unwrap_or_default();
        let (part, others) = rest.split_at(offset_in(rest, next));
        parts.push(part.trim_end());
        rest = others;
    }
    parts.push(rest);
    parts
}

/// Returns where a part of a text starts.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// Joins the sentences of a text to chunks.
struct ChunkBuilder<'t> {
    text: &'t str,
    finished: Vec<&'t str>,
    /// Where the open chunk starts and ends, and how many words it has.
    start: usize,
    end: usize,
    words: usize,
}

impl<'t> ChunkBuilder<'t> {
    fn add(&mut self, part: &'t str) {
        let words = word_count(part);
        if self.words > 0 && self.words + words > MAX_WORDS {
            self.close();
        }
        let start = offset_in(self.text, part);
        if self.words == 0 {
            self.start = start;
        }
        self.end = start + part.len();
        self.words += words;
        if self.words >= TARGET_WORDS {
            self.close();
        }
    }

    fn close(&mut self) {
        self.finished.push(&self.text[self.start..self.end]);
        self.words = 0;
    }

    fn finish(mut self) -> Vec<&'t str> {
        if self.words >= MIN_WORDS || (self.words > 0 && self.finished.is_empty()) {
            self.close();
        } else if self.words > 0
            && let Some(last) = self.finished.last_mut()
        {
            *last = &self.text[offset_in(self.text, last)..self.end];
        }
        self.finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_counts(text: &str) -> Vec<usize> {
        chunks(text).iter().map(|chunk| chunk.split_whitespace().count()).collect()
    }

    #[test]
    fn a_short_text_is_one_chunk() {
        let text = format!(" {}. Two words.\n", "word ".repeat(70).trim());
        assert_eq!(chunks(&text), [&text]);
        assert_eq!(chunks(""), [""]);
    }

    #[test]
    fn a_long_text_is_split_between_sentences_and_lines() {
        let sentence = format!("{}end.", "word ".repeat(29));
        assert_eq!(word_counts(&[sentence.as_str(); 5].join(" ")), [60, 60, 30]);
        assert_eq!(word_counts(&[sentence.trim_end_matches('.'); 5].join("\n\n")), [60, 60, 30]);
        let text = format!("{sentence} {sentence} {sentence} Tail of it.");
        assert_eq!(word_counts(&text), [60, 33]);
        assert_eq!(word_counts(&format!("{sentence} {sentence} {sentence}")), [60, 30]);
    }

    #[test]
    fn a_text_without_spaces_is_split_between_sentences() {
        let sentence = "数据库密码每年更新一次并且写入日志文件由管理员检查。";
        let text = sentence.repeat(12);
        let split = chunks(&text);
        assert_eq!(split.len(), 3, "{split:?}");
        assert!(split.iter().all(|chunk| chunk.ends_with('。')));
        assert_eq!(split.concat(), text);
    }

    #[test]
    fn a_short_rest_is_added_to_the_last_chunk() {
        let sentence = format!("{}end.", "word ".repeat(29));
        let text = format!("{sentence} {sentence} {sentence} {sentence}\n\nTail of it.");
        assert_eq!(word_counts(&text), [60, 63]);
        assert!(chunks(&text)[1].ends_with("\n\nTail of it."));
    }

    #[test]
    fn a_very_long_sentence_is_split_between_words() {
        assert_eq!(word_counts(&"word ".repeat(200)), [60, 140]);
        assert_eq!(word_counts(&"wörter ".repeat(400)), [60, 60, 60, 60, 60, 100]);
    }

    #[test]
    fn chunks_contain_every_word_once_and_in_order() {
        let text = "One. Two! Three 4.5 five.\n- a\n\n".repeat(40);
        let joined = chunks(&text).join(" ");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&joined), words(&text));
    }
}
