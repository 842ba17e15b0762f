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
    match is_split(text) {
        true => first_chunks(text, usize::MAX),
        false => vec![text],
    }
}

/// Returns the chunk with a number of a text of several chunks, and whether another one follows; `None` if the text is one
/// chunk or has no such chunk.
pub fn chunk_at(text: &str, number: usize) -> Option<(&str, bool)> {
    if !is_split(text) {
        return None;
    }
    let chunks = first_chunks(text, number.saturating_add(1));
    let chunk = chunks.get(number).filter(|_| chunks.len() > 1)?;
    Some((*chunk, number + 1 < chunks.len()))
}

/// Splits a text that is long enough into chunks. Beyond `wanted` chunks, the rest of the text may be left out.
fn first_chunks(text: &str, wanted: usize) -> Vec<&str> {
    let mut chunks = ChunkBuilder { text, finished: vec![], start: 0, end: 0, words: 0 };
    for part in text.lines().flat_map(split_sentences).flat_map(split_long_sentence) {
        chunks.add(part);
        // The last chunk may still get a short rest.
        if chunks.finished.len() > wanted {
            return chunks.finished;
        }
    }
    chunks.finish()
}

/// Returns whether a text is so long that it is split into chunks.
pub fn is_split(text: &str) -> bool {
    // A word and the space before it have at least two bytes.
    if text.len() <= 2 * MAX_WORDS {
        return false;
    }
    // The words at the beginning of a long text are enough.
    let beginning = &text[..text.floor_char_boundary(16 * MAX_WORDS)];
    word_count(beginning) > MAX_WORDS
        || beginning.len() < text.len() && word_count(text) > MAX_WORDS
}

/// Counts the words of a text. Two characters of a script that is written without spaces are about a word.
fn word_count(text: &str) -> usize {
    if !text.is_ascii() {
        let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
        return text.split_whitespace().count() + unspaced / 2;
    }
    // Counting where words begin is many times as fast as splitting the text.
    let bytes = text.as_bytes();
    let Some((first, others)) = bytes.split_first() else { return 0 };
    let begins_word =
        |(before, byte): &(&u8, &u8)| is_ascii_space(**before) && !is_ascii_space(**byte);
    usize::from(!is_ascii_space(*first)) + bytes.iter().zip(others).filter(begins_word).count()
}

/// Returns whether an ASCII character is white space for `split_whitespace`: also the vertical tab is.
fn is_ascii_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

/// Splits a sentence of very many words, such as a table or data, after a number of words.
fn split_long_sentence(sentence: &str) -> Vec<&str> {
    // A word and the space before it have at least two bytes.
    if sentence.len() <= 4 * MAX_WORDS {
        return vec![sentence];
    }
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
    fn a_single_chunk_is_that_of_the_whole_text() {
        let sentence = format!("{}end.", "word ".repeat(29));
        let texts = [
            "One. Two! Three 4.5 five.\n- a\n\n".repeat(40),
            [sentence.as_str(); 9].join(" "),
            format!("{}\n\nTail of it.", [sentence.as_str(); 6].join(" ")),
            "word ".repeat(400),
            "wörter ".repeat(100),
            "word ".repeat(80),
            "short".to_owned(),
        ];
        for text in texts {
            let all = chunks(&text);
            for number in 0..all.len() + 2 {
                let expected = all.get(number).filter(|_| all.len() > 1);
                let expected = expected.map(|chunk| (*chunk, number + 1 < all.len()));
                assert_eq!(chunk_at(&text, number), expected, "{number} of {text}");
            }
        }
    }

    #[test]
    fn words_of_ascii_texts_are_counted_like_those_of_others() {
        for text in ["", " ", "a", " a  b ", "a\tb\u{b}c\r\nd\u{c}e\u{1c}f", "a.b c"] {
            assert_eq!(word_count(text), text.split_whitespace().count(), "{text:?}");
        }
    }

    #[test]
    fn chunks_contain_every_word_once_and_in_order() {
        let text = "One. Two! Three 4.5 five.\n- a\n\n".repeat(40);
        let joined = chunks(&text).join(" ");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&joined), words(&text));
    }
}
