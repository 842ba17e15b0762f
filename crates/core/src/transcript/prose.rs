//! Prose: its sentences, its gist, and cuts that leave words whole.

use super::blocks::{Kind, blocks};

/// Splits a line of prose into sentences.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = vec![];
    let mut start = 0;
    let codes = text.matches('`').count();
    let (mut in_code, balanced) = (false, codes.is_multiple_of(2));
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        in_code ^= c == '`' && balanced;
        let wide = matches!(c, '。' | '！' | '？');
        if in_code || !(wide || matches!(c, '.' | '!' | '?')) {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((at, closer)) = chars.next_if(|&(_, next)| closes(next)) {
            end = at + closer.len_utf8();
        }
        let followed = chars.peek().is_some_and(|(_, next)| !next.is_whitespace());
        if (wide || !followed) && !(c == '.' && abbreviates(&text[start..at])) {
            sentences.push(text[start..end].trim());
            start = end;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Tells whether a sentence is a question.
pub(super) fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c| closes(c) || c == '？');
    sentence[end.len()..].contains(['?', '？'])
}

/// Shortens a text to so many characters, at the end of a sentence or else of a word, with `…`.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(most.saturating_sub(2)) else {
        return text.to_owned();
    };
    if text[end..].chars().nth(2).is_none() {
        return text.to_owned();
    }
    let sentences = whole(text, most.saturating_sub(2));
    if sentences.len() * 2 >= end {
        return format!("{sentences} …");
    }
    let head = &text[..end];
    let words = head.rfind(char::is_whitespace).filter(|at| at * 2 >= end).unwrap_or(end);
    let kept =
        head[..words].trim_end_matches(|c: char| c.is_whitespace() || ",;:.-–—(".contains(c));
    format!("{kept}…")
}

/// Returns as many whole sentences from the beginning as so many characters hold.
pub(super) fn whole(text: &str, most: usize) -> &str {
    let mut end = 0;
    let mut length = 0;
    for sentence in sentences(text) {
        let begin = end + (text[end..].len() - text[end..].trim_start().len());
        length += usize::from(end > 0) + sentence.chars().count();
        if length > most {
            break;
        }
        end = begin + sentence.len();
    }
    text[..end].trim()
}

/// Returns the beginning of a text as one line: its paragraphs and items, without code.
pub fn gist(text: &str, most: usize) -> String {
    let mut line = String::new();
    for block in blocks(text).iter().filter(|block| block.kind != Kind::Heading) {
        join(&mut line, &block.text);
        if line.len() > most * 4 {
            break;
        }
    }
    if line.is_empty() {
        let first = text.lines().map(|line| line.trim_matches(['#', '*', '`', '>', ' ']));
        line = first.into_iter().find(|line| !line.is_empty()).unwrap_or("").to_owned();
    }
    cut(&line, most)
}

/// Adds a block to a line, with what stands between them when they are read aloud.
pub(super) fn join(line: &mut String, text: &str) {
    if !line.is_empty() {
        line.push_str(if ends(line) || line.ends_with(':') { " " } else { "; " });
    }
    line.push_str(text);
}

/// Tells whether a text ends as a sentence does.
pub(super) fn ends(text: &str) -> bool {
    text.trim_end_matches(['"', '\'', ')', '*', '”', '’', '»'])
        .ends_with(['.', '!', '?', '。', '！', '？', '…'])
}

/// Returns what two texts share that differ in case and marks only.
pub(super) fn key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '*' | '”' | '’' | '»' | '」' | '）' | '.' | '!' | '?')
}

fn abbreviates(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or(before);
    let known = ["e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "z.B", "d.h", "bzw", "p.ej"];
    known.contains(&word)
        || (word.len() <= 2 && word.parse::<u8>().is_ok() && word == before.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_stops() {
        for (text, expected) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("Use e.g. SQLite. Not v1.2 (really).", vec!["Use e.g. SQLite.", "Not v1.2 (really)."]),
            ("See `a. b`. Next", vec!["See `a. b`.", "Next"]),
            ("直しました。次は？", vec!["直しました。", "次は？"]),
            ("1. First", vec!["1. First"]),
            ("Really?! \"Yes.\" ...", vec!["Really?!", "\"Yes.\"", "..."]),
            ("", vec![]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn cuts_leave_words_whole() {
        assert_eq!(cut("One two three four", 18), "One two three four");
        assert_eq!(cut("One two three four", 12), "One two…");
        assert_eq!(cut("One two. Three four five six", 14), "One two. …");
        assert_eq!(cut("ééééééééé", 5), "ééé…");
        assert_eq!(whole("One two. Three.", 9), "One two.");
        assert_eq!(whole("One two three.", 9), "");
    }
}
