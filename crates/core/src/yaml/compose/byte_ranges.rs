//! Computes the exact byte range of each value.
//!
//! The parser's spans are good enough for messages, but not for edits: a span may include an anchor, extend to the next
//! token, or be the position of the next token.

use std::mem;
use std::ops::Range;

use saphyr_parser::{ScalarStyle, Span};

/// White space of YAML. Other white space, such as a no-break space, is part of a value.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Characters that end the name of an anchor or a tag.
const NAME_ENDS: [char; 9] = [' ', '\t', '\r', '\n', ',', '[', ']', '{', '}'];

/// The properties that may precede a value: `&anchor` and `!tag`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Properties {
    pub(super) anchored: bool,
    pub(super) tagged: bool,
}

/// Computes byte ranges. Values must be visited in document order.
pub(super) struct ByteRanges<'t> {
    text: &'t str,
    /// Byte offset of every character, unless the text is ASCII. The parser counts characters.
    byte_offsets: Option<Vec<usize>>,
    /// The end of the last value, or the start of a collection without values so far.
    position: usize,
}

impl<'t> ByteRanges<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let byte_offsets = (!text.is_ascii())
            .then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect());
        let position = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, byte_offsets, position }
    }

    /// Converts a span of the parser from characters to bytes.
    pub(super) fn to_bytes(&self, span: Span) -> Range<usize> {
        let byte = |index: usize| match &self.byte_offsets {
            Some(offsets) => offsets.get(index).copied().unwrap_or(self.text.len()),
            None => index.min(self.text.len()),
        };
        let (start, end) = (byte(span.start.index()), byte(span.end.index()));
        start..end.max(start)
    }

    /// Moves to the position after which the next value starts.
    pub(super) fn move_to(&mut self, start: usize, properties: Properties) {
        self.position = self.without_properties(start..self.text.len(), properties).start;
    }

    /// Returns whether the text continues with a character.
    pub(super) fn next_is(&self, c: char) -> bool {
        self.text[self.position..].starts_with(c)
    }

    /// Returns the range of a scalar.
    pub(super) fn scalar(
        &mut self,
        span: Span,
        style: ScalarStyle,
        is_empty: bool,
        properties: Properties,
    ) -> Range<usize> {
        let bytes = self.to_bytes(span);
        let bytes = match style {
            ScalarStyle::Plain if is_empty => self.missing_scalar(bytes.start, properties),
            ScalarStyle::Plain => self.trim_end(self.without_properties(bytes, properties)),
            ScalarStyle::SingleQuoted => {
                self.quoted_scalar(self.without_properties(bytes, properties), b'\'')
            }
            ScalarStyle::DoubleQuoted => {
                self.quoted_scalar(self.without_properties(bytes, properties), b'"')
            }
            ScalarStyle::Literal | ScalarStyle::Folded => self.block_scalar(bytes, properties),
        };
        self.position = bytes.end;
        bytes
    }

    /// Returns the range of a list or a mapping, which ends with its closing bracket or its last child.
    ///
    /// The events of a block collection are not precise: the end event is at the next token, after comments and blank
    /// lines, and the start event may be after the first child if that is missing.
    pub(super) fn collection(
        &mut self,
        start: usize,
        children: Option<Range<usize>>,
        closing: Option<usize>,
        properties: Properties,
    ) -> Range<usize> {
        let start = children.as_ref().map_or(start, |children| children.start.min(start));
        let end = closing.or(children.map(|children| children.end)).unwrap_or(start);
        let bytes = self.without_properties(start..end.max(start), properties);
        self.position = bytes.end;
        bytes
    }

    /// Returns the position after the closing bracket of a flow collection, and `None` for a block collection. The end
    /// event is at the bracket or at a comma before it.
    pub(super) fn closing_bracket_end(&self, end_event: usize, bracket: char) -> Option<usize> {
        let rest = &self.text[end_event..];
        let rest = rest.strip_prefix(',').map_or(rest, skip_blanks_and_comments);
        rest.starts_with(bracket).then(|| self.text.len() - rest.len() + 1)
    }

    /// Returns the empty range of a missing value: after the colon of its key if the parser's position is the colon,
    /// else `fallback`.
    pub(super) fn missing_value(
        &mut self,
        span: Span,
        key_end: usize,
        fallback: Range<usize>,
    ) -> Range<usize> {
        let colon = self.to_bytes(span).start;
        let gap = self.text.get(key_end..colon);
        let is_same_line = gap.is_some_and(|gap| !gap.contains(['\n', '\r']));
        if !is_same_line || !self.text[colon..].starts_with(':') {
            return fallback;
        }
        self.position = colon + 1;
        self.position..self.position
    }

    /// Returns the empty range of a missing scalar: after the `-`, `:` or `?` that introduces it and after its
    /// properties. The parser's position is that of the next token, after comments and blank lines.
    fn missing_scalar(&self, parser_position: usize, properties: Properties) -> Range<usize> {
        let Some(between) = self.text.get(self.position..parser_position) else {
            return parser_position..parser_position;
        };
        let (mut end, mut line_start) = (self.position, self.position);
        for line in between.split_inclusive(['\n', '\r']) {
            let starts_comment = |at: usize| at == 0 || line[..at].ends_with([' ', '\t']);
            let comment = line.match_indices('#').map(|(at, _)| at).find(|at| starts_comment(*at));
            let content = line[..comment.unwrap_or(line.len())].trim_end_matches(BLANKS);
            if !content.trim_start_matches(BLANKS).is_empty() {
                end = line_start + content.len();
            }
            line_start += line.len();
        }
        if properties.anchored || properties.tagged {
            let next = self.skip_blanks(end);
            let properties_end = self.properties_end(next, properties);
            end = if properties_end > next { properties_end } else { end };
        }
        end..end
    }

    /// Returns the range of a quoted scalar up to its closing quote. The parser's range may extend to the next token.
    fn quoted_scalar(&self, bytes: Range<usize>, quote: u8) -> Range<usize> {
        let text = self.text.as_bytes();
        let mut at = bytes.start + 1;
        while at < bytes.end {
            match text[at] {
                b'\\' if quote == b'"' => at += 2,
                b'\'' if quote == b'\'' && text.get(at + 1) == Some(&b'\'') => at += 2,
                byte if byte == quote => return bytes.start..at + 1,
                _ => at += 1,
            }
        }
        bytes
    }

    /// Returns the range of a block scalar from its `|` or `>` to its last line that is not blank. The parser's range
    /// is the content, with blank lines after it.
    fn block_scalar(&self, content: Range<usize>, properties: Properties) -> Range<usize> {
        let mut rest = &self.text[self.position..];
        while let Some(after) = skip_blanks_and_comments(rest).strip_prefix([':', '-', '?']) {
            rest = after;
        }
        let start = self.skip_blanks(self.text.len() - rest.len());
        let start = self.without_properties(start..self.text.len(), properties).start;
        if !self.text[start..].starts_with(['|', '>']) {
            return self.trim_end(content);
        }
        let header_len = self.text[start..].find(BLANKS).unwrap_or(self.text.len() - start);
        self.trim_end(start..content.end.max(start + header_len))
    }

    /// Removes the anchor and the tag from the start of a range.
    fn without_properties(&self, bytes: Range<usize>, properties: Properties) -> Range<usize> {
        let end = self.properties_end(bytes.start, properties);
        let start = if end > bytes.start { self.skip_blanks(end) } else { end };
        start.min(bytes.end)..bytes.end
    }

    /// Returns the end of an anchor and a tag, in either order.
    fn properties_end(&self, start: usize, mut properties: Properties) -> usize {
        let (mut end, mut next) = (start, start);
        loop {
            let rest = &self.text[next..];
            let len = match rest.as_bytes() {
                [b'&', ..] if mem::take(&mut properties.anchored) => rest.find(NAME_ENDS),
                [b'!', b'<', ..] if mem::take(&mut properties.tagged) => {
                    rest.find('>').map(|at| at + 1)
                }
                [b'!', ..] if mem::take(&mut properties.tagged) => rest.find(NAME_ENDS),
                _ => return end,
            };
            end = next + len.unwrap_or(rest.len());
            next = self.skip_blanks(end);
        }
    }

    fn trim_end(&self, bytes: Range<usize>) -> Range<usize> {
        bytes.start..bytes.start + self.text[bytes].trim_end_matches(BLANKS).len()
    }

    /// Returns the position after blanks and comments.
    fn skip_blanks(&self, at: usize) -> usize {
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
    use crate::yaml::{YamlKind, YamlNode, parse};

    /// Returns the text of every key and scalar by its range.
    fn slices(text: &str) -> Vec<&str> {
        fn walk<'t>(text: &'t str, node: &YamlNode, out: &mut Vec<&'t str>) {
            match &node.kind {
                YamlKind::List { items, .. } => items.iter().for_each(|item| walk(text, item, out)),
                YamlKind::Map { entries, .. } => {
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
    fn ranges_cover_keys_and_scalars_exactly() {
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
    fn ranges_exclude_anchors_and_tags() {
        let text = "a: &x 1\n&k 12: !!str &y 'b' # c\nc: !<t:u>\n  # d\n  e\nf: [&z , *x]\ng: &m\n  h: 1\n";
        assert_eq!(slices(text), ["a", "1", "12", "'b'", "c", "e", "f", "", "*x", "g", "h", "1"]);
        assert!(parse(text).unwrap().unwrap().entry("12").is_some());
    }

    #[test]
    fn the_range_of_a_missing_value_is_after_its_indicator() {
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
    fn a_trailing_comma_is_part_of_the_collection() {
        let text = "a: {x: 1, # c\n  }\nb: [[y: 2], z,]\n";
        let node = parse(text).unwrap().unwrap();
        assert_eq!(&text[node.entry("a").unwrap().value.bytes.clone()], "{x: 1, # c\n  }");
        assert_eq!(&text[node.entry("b").unwrap().value.bytes.clone()], "[[y: 2], z,]");
    }

    #[test]
    fn a_block_scalar_extends_from_its_header_to_its_last_line() {
        let text =
            "a: | # c\n  x\n\nb: |\nc: &x !!str\n  >-\n  y\nd:\n  - |+\n    z\n\n  # e\nf: |\n\n";
        assert_eq!(
            slices(text),
            ["a", "| # c\n  x", "b", "|", "c", ">-\n  y", "d", "|+\n    z", "f", "|"]
        );
    }

    #[test]
    fn a_collection_ends_with_its_last_item_or_closing_bracket() {
        let text = "t:\n  - a\n  - b\n\n# about c\nc: &x [1, 2] # d\n";
        let node = parse(text).unwrap().unwrap();
        assert_eq!(&text[node.entry("t").unwrap().value.bytes.clone()], "- a\n  - b");
        assert_eq!(&text[node.entry("c").unwrap().value.bytes.clone()], "[1, 2]");
    }
}
