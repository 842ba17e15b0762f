//! Parts of a document: the beginning of every section, in many lengths, so that a document which does not fit whole can
//! use most of the room that there is.

use std::borrow::Cow;

use super::{MAX_PARAGRAPH_CHARS, heading_line, is_fence, is_list_line};
use crate::document::DocumentSection;
use crate::prose;

/// The length of a part compared to that of the next longer one.
const LENGTH_RATIO: f64 = 0.9;

/// Maximum number of parts, the shortest of which has about a seventieth of the document.
const MAX_PARTS: usize = 40;

/// A shorter part is of no use.
const MIN_PART_CHARS: usize = 160;

/// Code is split after a line into pieces of this many characters, since statements end there.
const CODE_PIECE_CHARS: usize = 200;

/// A shorter paragraph is kept or left out as a whole.
const MIN_SPLIT_CHARS: usize = 160;

/// A longer text without an end of a sentence is no sentence and may be split.
const MAX_SENTENCE_CHARS: usize = 600;

/// Such a text is split after a comma if the piece has at least this many characters.
const MIN_CLAUSE_CHARS: usize = 120;

/// The mark for what is left out.
const ELLIPSIS: &str = "…";

/// What is kept or left out as a whole: a sentence, a short paragraph, an item of a list, rows of a table, lines of code.
struct Piece<'d> {
    section: usize,
    /// The number of pieces of the section before it.
    rank: usize,
    /// What stands between it and the piece before it.
    separator: &'static str,
    text: Cow<'d, str>,
    /// What follows it if the next piece is left out.
    end_if_cut: String,
}

/// A document as its headings and pieces.
struct SplitDocument<'d> {
    headings: Vec<Option<String>>,
    /// The pieces; the first ones of all sections come before the second ones.
    pieces: Vec<Piece<'d>>,
    /// The characters of each piece.
    chars: Vec<usize>,
    heading_chars: usize,
}

/// Returns parts of a long document, the longest first. Parts that are longer than its outline have all its headings;
/// shorter ones are its beginning.
pub(super) fn parts(sections: &[DocumentSection<'_>], outline_chars: usize) -> Vec<String> {
    let document = SplitDocument::new(sections);
    let all = document.heading_chars + document.chars.iter().sum::<usize>();
    if all <= MAX_PARAGRAPH_CHARS {
        return vec![];
    }
    let target = |count: usize| (all as f64 * LENGTH_RATIO.powi(count as i32)) as usize;
    let mut found: Vec<String> = Vec::new();
    let targets = (1..=MAX_PARTS).map(target);
    for target in targets.take_while(|target| *target >= MIN_PART_CHARS) {
        let counts = match target > outline_chars {
            true => document.of_all_sections(target),
            false => document.of_first_sections(target),
        };
        // All headings alone are the outline.
        if counts.iter().all(|count| *count == Some(0)) {
            continue;
        }
        let part = document.write(&counts);
        let is_shorter = found.last().is_none_or(|last| part.len() < last.len());
        if !part.is_empty() && is_shorter {
            found.push(part);
        }
    }
    found
}

impl<'d> SplitDocument<'d> {
    fn new(sections: &[DocumentSection<'d>]) -> Self {
        let headings: Vec<Option<String>> = sections.iter().map(heading_line).collect();
        let pieces = sections.iter().enumerate().flat_map(|(at, section)| pieces_of(at, section));
        let mut pieces: Vec<Piece<'d>> = pieces.collect();
        pieces.sort_by_key(|piece| (piece.rank, piece.section));
        let chars = |piece: &Piece<'_>| piece.text.chars().count() + piece.separator.len();
        SplitDocument {
            chars: pieces.iter().map(chars).collect(),
            heading_chars: headings.iter().map(heading_chars).sum(),
            headings,
            pieces,
        }
    }

    /// Returns how many pieces of each section fit into a number of characters. A section that is left out with its heading
    /// has none.
    fn of_all_sections(&self, target: usize) -> Vec<Option<usize>> {
        let mut counts = vec![0; self.headings.len()];
        let mut left = target.saturating_sub(self.heading_chars);
        for (piece, chars) in self.pieces.iter().zip(&self.chars) {
            // A section is kept up to the first piece that does not fit.
            if counts[piece.section] == piece.rank && *chars <= left {
                counts[piece.section] += 1;
                left -= chars;
            }
        }
        counts.into_iter().map(Some).collect()
    }

    /// Returns the sections whose headings and first pieces fit, up to the first that does not.
    fn of_first_sections(&self, target: usize) -> Vec<Option<usize>> {
        let mut counts = vec![None; self.headings.len()];
        let mut left = target;
        for (section, heading) in self.headings.iter().enumerate() {
            let pieces = self.pieces.iter().zip(&self.chars);
            let first = pieces.take_while(|(piece, _)| piece.rank == 0);
            let first = first.filter(|(piece, _)| piece.section == section);
            let first: Vec<usize> = first.map(|(_, chars)| *chars).collect();
            let needed = heading_chars(heading) + first.iter().sum::<usize>();
            if needed > left {
                break;
            }
            left -= needed;
            counts[section] = Some(first.len());
        }
        counts
    }

    fn write(&self, counts: &[Option<usize>]) -> String {
        let mut texts: Vec<String> = Vec::new();
        for (at, heading) in self.headings.iter().enumerate() {
            let Some(count) = counts[at] else { continue };
            let mut text = heading.clone().unwrap_or_default();
            let own = self.pieces.iter().filter(|piece| piece.section == at);
            let all = own.clone().count();
            let mut end = "";
            for piece in own.filter(|piece| piece.rank < count) {
                text.push_str(if text.is_empty() { "" } else { piece.separator });
                text.push_str(&piece.text);
                end = &piece.end_if_cut;
            }
            if count < all {
                text.push_str(end);
            }
            texts.push(text);
        }
        texts.retain(|text| !text.is_empty());
        if counts.contains(&None) && !texts.is_empty() {
            texts.push(ELLIPSIS.to_owned());
        }
        texts.join("\n\n")
    }
}

/// Returns the characters that a heading adds.
fn heading_chars(heading: &Option<String>) -> usize {
    heading.as_ref().map_or(0, |heading| heading.chars().count() + 2)
}

/// Splits a section into pieces.
fn pieces_of<'d>(section: usize, source: &DocumentSection<'d>) -> Vec<Piece<'d>> {
    let mut pieces: Vec<Piece<'d>> = Vec::new();
    for block in blocks(&source.lines) {
        let (texts, separator, end_if_cut) = split_block(block);
        let last = texts.len().saturating_sub(1);
        for (at, text) in texts.into_iter().enumerate() {
            let separator = if at == 0 { "\n\n" } else { separator };
            let end_if_cut = match at == last {
                true => format!("\n\n{ELLIPSIS}"),
                false => end_if_cut.clone(),
            };
            match pieces.last_mut() {
                // A sentence that announces something says nothing without it.
                Some(previous) if previous.text.trim_end().ends_with(':') => {
                    previous.text = Cow::Owned(format!("{}{separator}{text}", previous.text));
                    previous.end_if_cut = end_if_cut;
                }
                _ => {
                    let rank = pieces.len();
                    pieces.push(Piece { section, rank, separator, text, end_if_cut });
                }
            }
        }
    }
    pieces
}

/// Splits lines into paragraphs, lists, tables and blocks of code.
fn blocks<'l, 'd>(lines: &'l [&'d str]) -> Vec<&'l [&'d str]> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        if lines[start].trim().is_empty() {
            start += 1;
            continue;
        }
        let rest = &lines[start..];
        let length = if is_fence(rest[0]) {
            let marks = fence_marks(rest[0]);
            let is_end = |line: &&str| {
                line.trim().starts_with(marks) && line.trim().trim_start_matches(marks).is_empty()
            };
            rest[1..].iter().position(is_end).map_or(rest.len(), |end| end + 2)
        } else {
            let is_list = is_list_line(rest[0]);
            let ends = |line: &&str| {
                line.trim().is_empty() || is_fence(line) || !is_list && is_list_line(line)
            };
            rest[1..].iter().position(ends).map_or(rest.len(), |end| end + 1)
        };
        blocks.push(&rest[..length]);
        start += length;
    }
    blocks
}

/// Returns the marks that a fence begins with.
fn fence_marks(line: &str) -> &str {
    let line = line.trim_start();
    let mark = line.chars().next().unwrap_or('`');
    &line[..line.len() - line.trim_start_matches(mark).len()]
}

/// Returns the pieces of a block, what stands between two of them, and what ends the block after any but the last.
fn split_block<'d>(block: &[&'d str]) -> (Vec<Cow<'d, str>>, &'static str, String) {
    let first = block.first().copied().unwrap_or_default();
    if is_fence(first) {
        let close = format!("\n{ELLIPSIS}\n{}", fence_marks(first));
        return (group_lines(block, CODE_PIECE_CHARS, |_| true), "\n", close);
    }
    if first.trim_start().starts_with('|') {
        // The head of a table says nothing without a row.
        let (head, rows) = block.split_at(block.len().min(3));
        let rows = rows.iter().map(|row| Cow::Borrowed(*row));
        let texts = std::iter::once(Cow::Owned(head.join("\n"))).chain(rows).collect();
        return (texts, "\n", format!("\n{ELLIPSIS}"));
    }
    if is_list_line(first) {
        return (group_lines(block, 0, is_list_line), "\n", format!("\n{ELLIPSIS}"));
    }
    let whole = block.join("\n");
    if whole.chars().count() <= MIN_SPLIT_CHARS {
        return (vec![Cow::Owned(whole)], " ", String::new());
    }
    let line = block.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let sentences = prose::split_sentences(&line).into_iter().flat_map(split_long_sentence);
    (sentences.map(Cow::Owned).collect(), " ", format!(" {ELLIPSIS}"))
}

/// Splits a text without an end of a sentence that is too long for a sentence: after a comma or a semicolon, else after
/// any word.
fn split_long_sentence(sentence: &str) -> Vec<String> {
    if sentence.chars().count() <= MAX_SENTENCE_CHARS {
        return vec![sentence.to_owned()];
    }
    let mut pieces: Vec<String> = vec![String::new()];
    let mut chars = 0;
    for word in sentence.split_whitespace() {
        let ends_clause = pieces.last().is_some_and(|piece| piece.ends_with([',', ';', ':']));
        if chars >= MAX_PARAGRAPH_CHARS || ends_clause && chars >= MIN_CLAUSE_CHARS {
            pieces.push(String::new());
            chars = 0;
        }
        if let Some(piece) = pieces.last_mut() {
            prose::push_word(piece, word);
            chars += word.chars().count() + 1;
        }
    }
    pieces
}

/// Groups lines: a line that may begin a group does so if the group before it has enough characters.
fn group_lines<'d>(
    lines: &[&'d str],
    min_chars: usize,
    may_begin: impl Fn(&str) -> bool,
) -> Vec<Cow<'d, str>> {
    let mut groups: Vec<Cow<'d, str>> = Vec::new();
    for line in lines {
        match groups.last_mut() {
            Some(last) if !may_begin(line) || last.chars().count() < min_chars => {
                last.to_mut().push('\n');
                last.to_mut().push_str(line);
            }
            _ => groups.push(Cow::Borrowed(line)),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, DocumentForm, smaller_forms};

    fn forms_of(text: &str) -> Vec<(DocumentForm, String)> {
        smaller_forms(&Document::parse("a.md", text))
    }

    fn words(count: usize) -> String {
        (0..count).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ")
    }

    /// Documents of about 12,000 characters each.
    fn long_documents() -> Vec<(&'static str, String)> {
        let sentence = |at: usize| format!("Sentence {at} says {}.", words(8));
        let sentences = |count: usize| (0..count).map(sentence).collect::<Vec<_>>().join(" ");
        let items = (0..150).map(|at| format!("- item {at} {}\n", words(9))).collect::<String>();
        let rows = (0..150).map(|at| format!("| {at} | {} |\n", words(9))).collect::<String>();
        let code = (0..250).map(|at| format!("let x{at} = {at};  // {}\n", words(3)));
        let sections = (0..30).map(|at| format!("## Section {at}\n\n{}\n\n", sentences(5)));
        vec![
            ("one paragraph", sentences(150)),
            ("words", words(1_500)),
            ("a list", format!("# Rules\n\n{items}")),
            ("a table", format!("# Rules\n\n| a | b |\n|---|---|\n{rows}")),
            ("code", format!("# Rules\n\n```rust\n{}```\n", code.collect::<String>())),
            ("sections", sections.collect()),
        ]
    }

    #[test]
    fn long_documents_of_any_shape_have_forms_of_many_lengths() {
        for (name, text) in long_documents() {
            let parts = forms_of(&text).into_iter().filter(|(form, _)| *form == DocumentForm::Part);
            let lengths: Vec<usize> = parts.map(|(_, text)| text.len()).collect();
            let all: Vec<usize> = std::iter::once(text.len()).chain(lengths).collect();
            assert!(all.len() > 10, "{name}: {all:?}");
            for pair in all.windows(2) {
                // Where a part has few pieces, the next one is one piece shorter.
                let is_near = pair[1] * 10 >= pair[0] * 7 || pair[0] < text.len() / 5;
                assert!(pair[1] < pair[0] && is_near, "{name}: {all:?}");
            }
        }
    }

    #[test]
    fn parts_shorter_than_all_headings_are_the_beginning() {
        let text =
            (0..60).map(|at| format!("## Section {at}\n\nText {at}.\n\n")).collect::<String>();
        let forms = forms_of(&text);
        let (_, shortest) = forms.iter().rfind(|(form, _)| *form == DocumentForm::Part).unwrap();
        assert!(shortest.starts_with("## Section 0\n\nText 0.\n\n## Section 1"), "{shortest}");
        assert!(shortest.ends_with("\n\n…") && shortest.len() * 8 < text.len(), "{shortest}");
    }

    #[test]
    fn a_part_has_the_beginning_of_every_section_and_marks_what_is_left_out() {
        let text = format!(
            "# A\n\nOpening.\n\nMore {}.\n\n## B\n\n- one\n- two {}\n- three\n\n## C\n\n~~~\n{}\n~~~\n",
            words(60),
            words(60),
            words(60).replace(' ', "\n")
        );
        let forms = forms_of(&text);
        let (_, shortest) = forms.iter().rfind(|(form, _)| *form == DocumentForm::Part).unwrap();
        assert!(
            shortest.starts_with("# A\n\nOpening.\n\n…\n\n## B\n\n- one\n…\n\n## C"),
            "{shortest}"
        );
        for (form, part) in forms.iter().filter(|(form, _)| *form == DocumentForm::Part) {
            assert_eq!(part.matches("~~~").count() % 2, 0, "{form:?} {part}");
        }
    }
}
