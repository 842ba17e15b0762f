//! Splits prose into sentences and shortens it without cutting words.

/// Length of ` …`, which is appended to a shortened text.
const ELLIPSIS_CHARS: usize = 2;

/// Returns whether the first sentence of a text is a question.
pub fn begins_with_question(text: &str) -> bool {
    split_sentences(text.trim()).first().is_some_and(|first| is_question(first))
}

/// Splits a line of prose into sentences.
pub(crate) fn split_sentences(text: &str) -> Vec<&str> {
    let mut sentences = vec![];
    let (mut start, mut next) = (0, 0);
    let balanced_backticks = text.matches('`').count().is_multiple_of(2);
    let mut in_code = false;
    let char_at = |at: usize| text.get(at..).and_then(|rest| rest.chars().next());
    // Texts are long, and most of their bytes need no closer look.
    while let Some(offset) = text.as_bytes()[next..].iter().position(may_end_sentence) {
        let at = next + offset;
        let Some(c) = char_at(at) else { break };
        next = at + c.len_utf8();
        in_code ^= c == '`' && balanced_backticks;
        // These marks end a sentence even without a space after them.
        let is_full_width = matches!(c, '。' | '！' | '？');
        if in_code || !(is_full_width || matches!(c, '.' | '!' | '?')) {
            continue;
        }
        while let Some(closer) = char_at(next).filter(|c| is_closing_mark(*c)) {
            next += closer.len_utf8();
        }
        let inside_word = char_at(next).is_some_and(|c| !c.is_whitespace());
        let ends = is_full_width || !inside_word;
        if ends && !(c == '.' && ends_with_abbreviation(&text[start..at])) {
            sentences.push(text[start..next].trim());
            start = next;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Splits a text into paragraphs, items of lists and other lines of their own. Lines that only wrap stay together.
pub(crate) fn paragraphs(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at, mut is_open) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let is_own = starts_own_line(line);
        if !is_open || is_own || line.trim().is_empty() {
            found.push(&text[start..at]);
            start = at;
        }
        // A paragraph or an item of a list goes on in the next line; a heading or a row of a table does not.
        is_open = !line.trim().is_empty() && !line.trim_start().starts_with(['#', '|', '`']);
        at += line.len();
    }
    found.push(&text[start..]);
    found.retain(|paragraph| !paragraph.trim().is_empty());
    found
}

/// Returns whether a line of Markdown begins something of its own: an item of a list, a heading, a quote, a row, code.
fn starts_own_line(line: &str) -> bool {
    line.trim_start().starts_with(['#', '|', '>', '`']) || is_list_item(line)
}

/// Returns whether a line of Markdown begins an item of a list.
pub(crate) fn is_list_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
        || number.len() < line.len() && [". ", ") "].iter().any(|end| number.starts_with(end))
}

/// Returns the whole sentences of a text that a part of it contains, in order. If it contains none, returns the sentence of
/// which it contains the most.
pub fn whole_sentences<'t>(text: &'t str, part: &str) -> Vec<&'t str> {
    let Some(start) = text.find(part) else { return vec![] };
    let end = start + part.len();
    let sentences: Vec<&str> = paragraphs(text).into_iter().flat_map(split_sentences).collect();
    let overlap = |sentence: &str| {
        let sentence_start = sentence.as_ptr() as usize - text.as_ptr() as usize;
        (sentence_start + sentence.len()).min(end).saturating_sub(sentence_start.max(start))
    };
    let is_inside = |sentence: &&&str| overlap(sentence) == sentence.len();
    let inside: Vec<&str> = sentences.iter().filter(is_inside).copied().collect();
    match inside.is_empty() {
        true => {
            sentences.into_iter().max_by_key(|sentence| overlap(sentence)).into_iter().collect()
        }
        false => inside,
    }
}

/// Returns the sentence of a text that contains a part of one, with what stands before it, such as the name of a speaker.
pub fn sentence_around<'t>(text: &'t str, part: &str) -> Option<&'t str> {
    paragraphs(text).into_iter().flat_map(split_sentences).find(|sentence| sentence.contains(part))
}

/// Returns whether a sentence is a question.
pub(crate) fn is_question(sentence: &str) -> bool {
    let words = sentence.trim_end_matches(|c| is_closing_mark(c) || c == '？');
    sentence[words.len()..].contains(['?', '？'])
}

/// Shortens a text to a number of characters: after a sentence, or else after a word, and adds `…`.
pub fn truncate(text: &str, max_chars: usize) -> String {
    let text = text.trim();
    let max_kept_chars = max_chars.saturating_sub(ELLIPSIS_CHARS);
    let Some((end, _)) = text.char_indices().nth(max_kept_chars) else {
        return text.to_owned();
    };
    if text[end..].chars().nth(ELLIPSIS_CHARS).is_none() {
        return text.to_owned();
    }
    // A cut after a sentence is preferred unless it discards more than half of the text.
    let sentences = leading_sentences(text, max_kept_chars);
    if sentences.len() * 2 >= end {
        return format!("{sentences} …");
    }
    let head = &text[..end];
    let word_end = head.rfind(char::is_whitespace).filter(|at| at * 2 >= end).unwrap_or(end);
    let kept =
        head[..word_end].trim_end_matches(|c: char| c.is_whitespace() || ",;:.-–—(".contains(c));
    format!("{kept}…")
}

/// Returns the leading sentences of a text that fit into a number of characters.
pub(crate) fn leading_sentences(text: &str, max_chars: usize) -> &str {
    let mut end = 0;
    let mut chars = 0;
    for sentence in split_sentences(text) {
        let start = end + (text[end..].len() - text[end..].trim_start().len());
        chars += usize::from(end > 0) + sentence.chars().count();
        if chars > max_chars {
            break;
        }
        end = start + sentence.len();
    }
    text[..end].trim()
}

/// Joins the lines of a text, with one space between words.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Appends a text to a line, after a semicolon unless the line ends with a sentence or a colon.
pub(crate) fn append_clause(line: &mut String, text: &str) {
    if !line.is_empty() {
        let separator = if ends_sentence(line) || line.ends_with(':') { " " } else { "; " };
        line.push_str(separator);
    }
    line.push_str(text);
}

/// Appends a word to a line.
pub(crate) fn push_word(line: &mut String, word: &str) {
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(word);
}

/// Returns whether a text ends with a full stop or another mark that ends a sentence.
pub(crate) fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '\'', ')', '*', '”', '’', '»'])
        .ends_with(['.', '!', '?', '。', '！', '？', '…'])
}

/// Returns a key that is equal for texts that differ only in case, spaces and punctuation.
pub(crate) fn comparison_key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a byte is a backtick, or the first one of a mark that may end a sentence.
fn may_end_sentence(byte: &u8) -> bool {
    const FIRST_OF_FULL_STOP: u8 = "。".as_bytes()[0];
    const FIRST_OF_FULL_WIDTH: u8 = "！".as_bytes()[0];
    matches!(byte, b'.' | b'!' | b'?' | b'`' | &FIRST_OF_FULL_STOP | &FIRST_OF_FULL_WIDTH)
}

/// Returns whether a character may follow the mark that ends a sentence.
fn is_closing_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '*' | '”' | '’' | '»' | '」' | '）' | '.' | '!' | '?')
}

/// Returns whether the text before a dot ends with an abbreviation or is the number of a list item.
fn ends_with_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or(before);
    let abbreviations =
        ["e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "z.B", "d.h", "bzw", "p.ej"];
    let is_item_number = word.len() <= 2 && word.parse::<u8>().is_ok() && word == before.trim();
    abbreviations.contains(&word) || is_item_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_becomes_whole_sentences() {
        let text =
            "Ann: I moved to Berlin. The flat is small, but it has a garden and two trees. Bye!";
        let whole = |part: &str| whole_sentences(text, part);
        assert_eq!(
            whole("to Berlin. The flat is small, but it has a garden and two trees."),
            ["The flat is small, but it has a garden and two trees."]
        );
        assert_eq!(whole("moved to Berlin. The"), ["Ann: I moved to Berlin."]);
        assert_eq!(
            whole("a garden and"),
            ["The flat is small, but it has a garden and two trees."]
        );
        assert!(whole("a cellar").is_empty());
        let wrapped =
            "The pool has\nten places. It is\nnever closed.\n- One item\n  goes on.\n# Next";
        assert_eq!(whole_sentences(wrapped, "ten places. It"), ["The pool has\nten places."]);
        assert_eq!(whole_sentences(wrapped, "goes on."), ["- One item\n  goes on."]);
        assert_eq!(sentence_around(text, "I moved to Berlin."), Some("Ann: I moved to Berlin."));
    }

    #[test]
    fn a_task_that_begins_with_a_question_is_a_question() {
        assert!(begins_with_question("Can you help me? I want it simple."));
        assert!(!begins_with_question("Write a script. Where should it run?"));
        assert!(!begins_with_question(""));
    }

    #[test]
    fn abbreviations_versions_and_code_do_not_end_sentences() {
        for (text, expected) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("Use e.g. SQLite. Not v1.2 (really).", vec!["Use e.g. SQLite.", "Not v1.2 (really)."]),
            ("See `a. b`. Next", vec!["See `a. b`.", "Next"]),
            ("直しました。次は？", vec!["直しました。", "次は？"]),
            ("行け！\u{3000}はい。」 ok", vec!["行け！", "はい。」", "ok"]),
            ("`a. b` c. d`", vec!["`a.", "b` c.", "d`"]),
            ("1. First", vec!["1. First"]),
            ("Really?! \"Yes.\" ...", vec!["Really?!", "\"Yes.\"", "..."]),
            ("", vec![]),
        ] {
            assert_eq!(split_sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_truncated_after_sentences_or_words() {
        assert_eq!(truncate("One two three four", 18), "One two three four");
        assert_eq!(truncate("One two three four", 12), "One two…");
        assert_eq!(truncate("One two. Three four five six", 14), "One two. …");
        assert_eq!(truncate("ééééééééé", 5), "ééé…");
        assert_eq!(leading_sentences("One two. Three.", 9), "One two.");
        assert_eq!(leading_sentences("One two three.", 9), "");
    }
}
