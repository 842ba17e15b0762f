//! Which bytes a value is written with.
//!
//! The parser's ranges are made for messages, not for edits: they start with an anchor, run on to the next token, or
//! stand where the next token is. Here they become what a person would mark with the cursor.

use std::mem;
use std::ops::Range;

use saphyr_parser::{ScalarStyle, Span};

/// What YAML holds for blank; a no-break space or a form feed is part of a value.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
/// What ends the name of an anchor or a tag.
const FLOW_OR_BLANK: [char; 9] = [' ', '\t', '\r', '\n', ',', '[', ']', '{', '}'];

/// What may stand before a value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    pub(super) anchored: bool,
    pub(super) tagged: bool,
}

/// Follows the values of a text from its start to its end.
pub(super) struct Extents<'t> {
    text: &'t str,
    /// Byte offset of every character, when the two differ.
    byte_of_char: Option<Vec<usize>>,
    /// The end of the last value, or the start of the collection in which there is none yet.
    at: usize,
}

impl<'t> Extents<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let byte_of_char = (!text.is_ascii())
            .then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect());
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, byte_of_char, at }
    }

    /// Returns the bytes of what the parser counts in characters.
    pub(super) fn bytes(&self, span: Span) -> Range<usize> {
        let byte = |index: usize| match &self.byte_of_char {
            Some(table) => table.get(index).copied().unwrap_or(self.text.len()),
            None => index.min(self.text.len()),
        };
        let (start, end) = (byte(span.start.index()), byte(span.end.index()));
        start..end.max(start)
    }

    /// Notes where the next value may start.
    pub(super) fn enter(&mut self, start: usize, marks: Marks) {
        self.at = self.bare(start..self.text.len(), marks).start;
    }

    /// Returns whether a character is next.
    pub(super) fn next_is(&self, c: char) -> bool {
        self.text[self.at..].starts_with(c)
    }

    /// Returns the bytes of a scalar.
    pub(super) fn scalar(
        &mut self,
        span: Span,
        style: ScalarStyle,
        empty: bool,
        marks: Marks,
    ) -> Range<usize> {
        let bytes = self.bytes(span);
        let bytes = match style {
            ScalarStyle::Plain if empty => self.unwritten(bytes.start, marks),
            ScalarStyle::Plain => self.trimmed(self.bare(bytes, marks)),
            ScalarStyle::SingleQuoted => self.quoted(self.bare(bytes, marks), b'\''),
            ScalarStyle::DoubleQuoted => self.quoted(self.bare(bytes, marks), b'"'),
            ScalarStyle::Literal | ScalarStyle::Folded => self.block(bytes, marks),
        };
        self.at = bytes.end;
        bytes
    }

    /// Returns the bytes of a list or a map: up to its bracket, else with its last child, since a block's end event
    /// stands where the next token starts, past comments and blank lines. Its start event may stand after its first
    /// child, if that is not written.
    pub(super) fn collection(
        &mut self,
        start: usize,
        children: Option<Range<usize>>,
        closed: Option<usize>,
        marks: Marks,
    ) -> Range<usize> {
        let start = children.as_ref().map_or(start, |children| children.start.min(start));
        let end = closed.or(children.map(|children| children.end)).unwrap_or(start);
        let bytes = self.bare(start..end.max(start), marks);
        self.at = bytes.end;
        bytes
    }

    /// Returns the end of a flow collection, which is its bracket. The end event starts there, or at the comma before
    /// it. A block collection has none.
    pub(super) fn closing(&self, end_event: usize, bracket: char) -> Option<usize> {
        let rest = &self.text[end_event..];
        let rest = rest.strip_prefix(',').map_or(rest, skip_blanks_and_comments);
        rest.starts_with(bracket).then(|| self.text.len() - rest.len() + 1)
    }

    /// Puts the value of a key that has none behind its colon: the parser's place may be that of the colon itself.
    pub(super) fn behind_colon(
        &mut self,
        span: Span,
        key_end: usize,
        place: Range<usize>,
    ) -> Range<usize> {
        let colon = self.bytes(span).start;
        let gap = self.text.get(key_end..colon);
        let own = gap.is_some_and(|gap| !gap.contains(['\n', '\r']));
        if !own || !self.text[colon..].starts_with(':') {
            return place;
        }
        self.at = colon + 1;
        self.at..self.at
    }

    /// The parser's place of a value that is not written is that of the next token, past comments and blank lines; it
    /// belongs behind the `-`, `:` or `?` that announces it, and behind its anchor.
    fn unwritten(&self, place: usize, marks: Marks) -> Range<usize> {
        let Some(between) = self.text.get(self.at..place) else { return place..place };
        let (mut end, mut start) = (self.at, self.at);
        for line in between.split_inclusive(['\n', '\r']) {
            let is_comment = |at: usize| at == 0 || line[..at].ends_with([' ', '\t']);
            let comment = line.match_indices('#').map(|(at, _)| at).find(|at| is_comment(*at));
            let written = line[..comment.unwrap_or(line.len())].trim_end_matches(BLANKS);
            if !written.trim_start_matches(BLANKS).is_empty() {
                end = start + written.len();
            }
            start += line.len();
        }
        if marks.anchored || marks.tagged {
            let next = self.skip(end);
            let marks_end = self.marks_end(next, marks);
            end = if marks_end > next { marks_end } else { end };
        }
        end..end
    }

    /// The parser's range of a quoted scalar may run on to the next token; the closing quote ends it.
    fn quoted(&self, bytes: Range<usize>, quote: u8) -> Range<usize> {
        let raw = self.text.as_bytes();
        let mut at = bytes.start + 1;
        while at < bytes.end {
            match raw[at] {
                b'\\' if quote == b'"' => at += 2,
                b'\'' if quote == b'\'' && raw.get(at + 1) == Some(&b'\'') => at += 2,
                byte if byte == quote => return bytes.start..at + 1,
                _ => at += 1,
            }
        }
        bytes
    }

    /// The parser's range of a text under `|` or `>` is its content, if there is any, with the blank lines after it.
    /// The value starts with its mark and ends with its last line that is not blank.
    fn block(&self, content: Range<usize>, marks: Marks) -> Range<usize> {
        let mut rest = &self.text[self.at..];
        while let Some(after) = skip_blanks_and_comments(rest).strip_prefix([':', '-', '?']) {
            rest = after;
        }
        let start = self.skip(self.text.len() - rest.len());
        let start = self.bare(start..self.text.len(), marks).start;
        if !self.text[start..].starts_with(['|', '>']) {
            return self.trimmed(content);
        }
        let mark_len = self.text[start..].find(BLANKS).unwrap_or(self.text.len() - start);
        self.trimmed(start..content.end.max(start + mark_len))
    }

    /// The parser's range of a value starts with its anchor and its tag.
    fn bare(&self, bytes: Range<usize>, marks: Marks) -> Range<usize> {
        let end = self.marks_end(bytes.start, marks);
        let start = if end > bytes.start { self.skip(end) } else { end };
        start.min(bytes.end)..bytes.end
    }

    /// Returns the end of an anchor and a tag, in either order.
    fn marks_end(&self, start: usize, mut marks: Marks) -> usize {
        let (mut end, mut next) = (start, start);
        loop {
            let rest = &self.text[next..];
            let len = match rest.as_bytes() {
                [b'&', ..] if mem::take(&mut marks.anchored) => rest.find(FLOW_OR_BLANK),
                [b'!', b'<', ..] if mem::take(&mut marks.tagged) => rest.find('>').map(|at| at + 1),
                [b'!', ..] if mem::take(&mut marks.tagged) => rest.find(FLOW_OR_BLANK),
                _ => return end,
            };
            end = next + len.unwrap_or(rest.len());
            next = self.skip(end);
        }
    }

    fn trimmed(&self, bytes: Range<usize>) -> Range<usize> {
        bytes.start..bytes.start + self.text[bytes].trim_end_matches(BLANKS).len()
    }

    fn skip(&self, at: usize) -> usize {
        self.text.len() - skip_blanks_and_comments(&self.text[at..]).len()
    }
}

fn skip_blanks_and_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches(BLANKS);
    while rest.starts_with('#') {
        rest = rest.find(['\n', '\r']).map_or("", |end| rest[end..].trim_start_matches(BLANKS));
    }
    rest
}

#[cfg(test)]
mod tests {
    use crate::yaml::{Kind, Node, parse};

    /// Every scalar's range must hold exactly the text that was written for it.
    fn slices(text: &str) -> Vec<&str> {
        fn walk<'t>(text: &'t str, node: &Node, out: &mut Vec<&'t str>) {
            match &node.kind {
                Kind::List { items, .. } => items.iter().for_each(|item| walk(text, item, out)),
                Kind::Map { entries, .. } => {
                    for entry in entries {
                        out.push(&text[entry.key_bytes.clone()]);
                        walk(text, &entry.value, out);
                    }
                }
                _ => out.push(&text[node.bytes.clone()]),
            }
        }
        let mut out = Vec::new();
        walk(text, &parse(text).unwrap().unwrap(), &mut out);
        out
    }

    #[test]
    fn ranges_hold_what_was_written() {
        let text =
            "ключ: \"знач\" # c\r\nb: 'it''s'\r\nl: [a, \"b\"]\r\nm:\r\n  - x  # y\r\n  - z\r\n";
        assert_eq!(
            slices(text),
            ["ключ", "\"знач\"", "b", "'it''s'", "l", "a", "\"b\"", "m", "x", "z"]
        );
    }

    #[test]
    fn a_no_break_space_belongs_to_its_value() {
        assert_eq!(slices("a: x\u{a0} # c\nb: \u{3000}\n"), ["a", "x\u{a0}", "b", "\u{3000}"]);
    }

    #[test]
    fn an_anchor_and_a_tag_are_not_part_of_the_range() {
        let text = "a: &x 1\n&k 12: !!str &y 'b' # c\nc: !<t:u>\n  # d\n  e\nf: [&z , *x]\ng: &m\n  h: 1\n";
        assert_eq!(slices(text), ["a", "1", "12", "'b'", "c", "e", "f", "", "*x", "g", "h", "1"]);
        assert!(parse(text).unwrap().unwrap().entry("12").is_some());
    }

    #[test]
    fn a_value_that_is_not_written_stands_behind_its_indicator() {
        let text = "t:\n  - a\n  - # none\n\n# about c\nc: # d\n";
        let node = parse(text).unwrap().unwrap();
        assert_eq!(&text[node.entry("t").unwrap().value.bytes.clone()], "- a\n  -");
        let text = "t:\n  ? \n";
        assert_eq!(
            &text[parse(text).unwrap().unwrap().entry("t").unwrap().value.bytes.clone()],
            "?"
        );
        assert_eq!(parse("{a:}").unwrap().unwrap().entry("a").unwrap().value.bytes, 3..3);
    }

    #[test]
    fn a_comma_before_the_bracket_is_inside() {
        let text = "a: {x: 1, # c\n  }\nb: [[y: 2], z,]\n";
        let node = parse(text).unwrap().unwrap();
        assert_eq!(&text[node.entry("a").unwrap().value.bytes.clone()], "{x: 1, # c\n  }");
        assert_eq!(&text[node.entry("b").unwrap().value.bytes.clone()], "[[y: 2], z,]");
    }

    #[test]
    fn a_block_text_starts_with_its_mark_and_ends_with_its_last_line() {
        let text =
            "a: | # c\n  x\n\nb: |\nc: &x !!str\n  >-\n  y\nd:\n  - |+\n    z\n\n  # e\nf: |\n\n";
        assert_eq!(
            slices(text),
            ["a", "| # c\n  x", "b", "|", "c", ">-\n  y", "d", "|+\n    z", "f", "|"]
        );
    }

    #[test]
    fn a_collection_ends_with_its_last_item_or_its_bracket() {
        let text = "t:\n  - a\n  - b\n\n# about c\nc: &x [1, 2] # d\n";
        let node = parse(text).unwrap().unwrap();
        assert_eq!(&text[node.entry("t").unwrap().value.bytes.clone()], "- a\n  - b");
        assert_eq!(&text[node.entry("c").unwrap().value.bytes.clone()], "[1, 2]");
    }
}
