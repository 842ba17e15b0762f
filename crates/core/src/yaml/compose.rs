//! From parser events to a tree with byte ranges, under limits.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::{Entry, Kind, MERGE_KEY, Node, Style, YamlError, scalar};
use crate::Value;

/// Deeper nesting is refused: nobody writes it by hand, and recursion is not free.
const MAX_DEPTH: usize = 64;
/// More values than this, aliases expanded, is an attack and not a front matter.
const MAX_VALUES: usize = 50_000;
/// More text than this in what aliases repeat is one, too: a long text repeated is few values.
const MAX_REPEATED: usize = 8 * 1024 * 1024;

/// Parses one YAML document. An empty one is `None`.
pub fn parse(text: &str) -> Result<Option<Node>, YamlError> {
    Composer::new(text).document()
}

struct Composer<'t> {
    text: &'t str,
    /// Byte offset of every character, when the two differ.
    byte_of_char: Option<Vec<usize>>,
    parser: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, Rc<Anchored>>,
    values: usize,
    repeated: usize,
    /// The end of the last value, or the start of the collection in which there is none yet.
    at: usize,
    last_line: usize,
}

/// What an alias stands for.
struct Anchored {
    value: Value,
    /// How many values it is, aliases expanded.
    values: usize,
    /// How many bytes of text are in it, aliases expanded.
    text: usize,
}

type Spanned<'t> = (Event<'t>, Span);

impl<'t> Composer<'t> {
    fn new(text: &'t str) -> Self {
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        let byte_of_char = (!text.is_ascii())
            .then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect());
        Self {
            text,
            byte_of_char,
            parser: Parser::new_from_str(text),
            anchors: HashMap::new(),
            values: 0,
            repeated: 0,
            at,
            last_line: text.lines().count().max(1),
        }
    }

    fn document(mut self) -> Result<Option<Node>, YamlError> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::DocumentStart(true) => self.at = self.bytes(span).end,
                Event::StreamStart | Event::DocumentStart(false) | Event::Nothing => {}
                Event::StreamEnd => return Ok(None),
                Event::DocumentEnd => {}
                event => {
                    let node = self.node(event, span, 0)?;
                    self.only_one_document()?;
                    let empty = matches!(&node.kind, Kind::Scalar { value: Value::Null, style: Style::Plain } if node.bytes.is_empty());
                    return Ok((!empty).then_some(node));
                }
            }
        }
    }

    fn only_one_document(&mut self) -> Result<(), YamlError> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentEnd | Event::Nothing, _) => {}
                (_, span) => {
                    return Err(error(
                        span,
                        "a second YAML document starts here; only one is read",
                    ));
                }
            }
        }
    }

    fn next(&mut self) -> Result<Spanned<'t>, YamlError> {
        match self.parser.next() {
            Some(Ok(spanned)) => Ok(spanned),
            // What is missing at the end of a text is reported on a line after it.
            Some(Err(scan)) => Err(YamlError {
                line: scan.marker().line().clamp(1, self.last_line),
                message: scan.info().to_owned(),
            }),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, YamlError> {
        if depth > MAX_DEPTH {
            return Err(error(span, &format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.charge(1, span)?;
        let before = self.values;
        let (node, anchor) = match event {
            Event::Alias(anchor) => return self.alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                let forced_text = tag.as_ref().is_some_and(|tag| tag.suffix == "str");
                let value = scalar::typed(&text, style, forced_text);
                let kind = Kind::Scalar { value, style: self::style(style) };
                let bytes = match style {
                    ScalarStyle::Plain if text.is_empty() => {
                        self.empty_extent(self.bytes(span).start, anchor, tag.is_some())
                    }
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        self.block_extent(self.bytes(span), anchor, tag.is_some())
                    }
                    _ => scalar_extent(
                        self.text,
                        self.bare(self.bytes(span), anchor, tag.is_some()),
                        style,
                    ),
                };
                (self.finish(kind, span, bytes, anchor, tag.is_some()), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                let start = self.bytes(span);
                self.at = self.bare(start.start..self.text.len(), anchor, tag.is_some()).start;
                let (items, end) = self.items(depth)?;
                let closed = closing(self.text, end.start, ']');
                let bytes = extent(
                    start.start,
                    items.first().map(|item| item.bytes.start),
                    closed,
                    items.last().map(|item| item.bytes.end),
                );
                let flow = closed.is_some();
                (
                    self.finish(Kind::List { items, flow }, span, bytes, anchor, tag.is_some()),
                    anchor,
                )
            }
            Event::MappingStart(anchor, tag) => {
                let start = self.bytes(span);
                self.at = self.bare(start.start..self.text.len(), anchor, tag.is_some()).start;
                // A pair in brackets is a map without braces, which ends with whatever comes next.
                let braces = self.text[self.at..].starts_with('{');
                let (entries, end) = self.entries(depth)?;
                let closed = if braces { closing(self.text, end.start, '}') } else { None };
                let last =
                    entries.last().map(|entry| entry.value.bytes.end.max(entry.key_bytes.end));
                let bytes = extent(
                    start.start,
                    entries.first().map(|entry| entry.key_bytes.start),
                    closed,
                    last,
                );
                let flow = closed.is_some();
                (
                    self.finish(Kind::Map { entries, flow }, span, bytes, anchor, tag.is_some()),
                    anchor,
                )
            }
            _ => return Err(error(span, "a value was expected here")),
        };
        self.at = node.bytes.end;
        if anchor != 0 {
            let value = node.value();
            let text = text_len(&value);
            self.anchors.insert(
                anchor,
                Rc::new(Anchored { value, values: self.values - before + 1, text }),
            );
        }
        Ok(node)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<Node, YamlError> {
        // Shared, so that counting comes before copying.
        let Some(anchored) = self.anchors.get(&anchor).map(Rc::clone) else {
            return Err(error(span, "this alias refers to an anchor that encloses it"));
        };
        self.charge(anchored.values, span)?;
        self.repeated = self.repeated.saturating_add(anchored.text);
        if self.repeated > MAX_REPEATED {
            return Err(error(
                span,
                &format!("aliases repeat more than {MAX_REPEATED} bytes of text"),
            ));
        }
        let bytes = self.bytes(span);
        self.at = bytes.end;
        Ok(self.finish(Kind::Alias(anchored.value.clone()), span, bytes, 0, false))
    }

    fn items(&mut self, depth: usize) -> Result<(Vec<Node>, Range<usize>), YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, self.bytes(span))),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn entries(&mut self, depth: usize) -> Result<(Vec<Entry>, Range<usize>), YamlError> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, span) => return Ok((entries, self.bytes(span))),
                (event, span) => self.node(event, span, depth + 1)?,
            };
            let key_text = match key.value() {
                Value::String(text) => text,
                Value::Array(_) | Value::Object(_) => {
                    return Err(YamlError {
                        line: key.line,
                        message: "a key must be a single value, not a list or a map".into(),
                    });
                }
                _ => self.text[key.bytes.clone()].to_owned(),
            };
            if let Some(first) =
                seen.insert(key_text.clone(), key.line).filter(|_| key_text != MERGE_KEY)
            {
                return Err(YamlError {
                    line: key.line,
                    message: format!(
                        "duplicate key `{key_text}`; it is already set on line {first} of this block"
                    ),
                });
            }
            let (event, span) = self.next()?;
            let place = self.bytes(span);
            let mut value = self.node(event, span, depth + 1)?;
            let own_colon = self.text[place.start..].starts_with(':')
                && self
                    .text
                    .get(key.bytes.end..place.start)
                    .is_some_and(|gap| !gap.contains(['\n', '\r']));
            if value.bytes.is_empty() && own_colon {
                // The place of a value that is not written may be that of its colon.
                self.at = place.start + 1;
                value.bytes = self.at..self.at;
            }
            entries.push(Entry { key: key_text, key_bytes: key.bytes, line: key.line, value });
        }
    }

    /// The parser's place of a value that is not written is that of the next token, past comments and blank lines; it
    /// belongs behind the `-`, `:` or `?` that announces it.
    fn empty_extent(&self, place: usize, anchor: usize, tagged: bool) -> Range<usize> {
        let Some(between) = self.text.get(self.at..place) else { return place..place };
        let mut end = self.at;
        let mut start = self.at;
        for line in between.split_inclusive(['\n', '\r']) {
            let comment = line
                .char_indices()
                .find(|(at, c)| *c == '#' && (*at == 0 || line[..*at].ends_with([' ', '\t'])))
                .map_or(line.len(), |(at, _)| at);
            let written = trim_blanks(&line[..comment]);
            if !written.trim_start_matches(BLANKS).is_empty() {
                end = start + written.len();
            }
            start += line.len();
        }
        if anchor == 0 && !tagged {
            return end..end;
        }
        let next = self.text.len() - skip_blanks_and_comments(&self.text[end..]).len();
        let properties_end = self.properties_end(next, anchor, tagged);
        let end = if properties_end > next { properties_end } else { end };
        end..end
    }

    /// The parser's range of a text under `|` or `>` is its content, if there is any, with the blank lines after it. The
    /// value starts with its mark and ends with its last line that is not blank.
    fn block_extent(&self, content: Range<usize>, anchor: usize, tagged: bool) -> Range<usize> {
        let mut rest = &self.text[self.at..];
        while let Some(after) = skip_blanks_and_comments(rest).strip_prefix([':', '-', '?']) {
            rest = after;
        }
        let start = self.text.len() - skip_blanks_and_comments(rest).len();
        let start = self.bare(start..self.text.len(), anchor, tagged).start;
        if !self.text[start..].starts_with(['|', '>']) {
            return content.start..content.start + trim_blanks(&self.text[content]).len();
        }
        let mark_len = self.text[start..].find(BLANKS).unwrap_or(self.text.len() - start);
        start..start + trim_blanks(&self.text[start..content.end.max(start + mark_len)]).len()
    }

    fn charge(&mut self, size: usize, span: Span) -> Result<(), YamlError> {
        self.values = self.values.saturating_add(size);
        if self.values > MAX_VALUES {
            return Err(error(span, &format!("expands to more than {MAX_VALUES} values")));
        }
        Ok(())
    }

    fn finish(
        &self,
        kind: Kind,
        span: Span,
        bytes: Range<usize>,
        anchor: usize,
        tagged: bool,
    ) -> Node {
        let bytes = self.bare(bytes, anchor, tagged);
        Node {
            kind,
            bytes,
            line: span.start.line().clamp(1, self.last_line),
            anchored: anchor != 0,
            tagged,
        }
    }

    /// The parser's range of a value starts with its anchor and its tag.
    fn bare(&self, bytes: Range<usize>, anchor: usize, tagged: bool) -> Range<usize> {
        let end = self.properties_end(bytes.start, anchor, tagged);
        let start = if end > bytes.start {
            self.text.len() - skip_blanks_and_comments(&self.text[end..]).len()
        } else {
            end
        };
        start.min(bytes.end)..bytes.end
    }

    /// Returns the end of an anchor and a tag, in either order.
    fn properties_end(&self, start: usize, anchor: usize, tagged: bool) -> usize {
        let (mut anchored, mut tagged) = (anchor != 0, tagged);
        let (mut end, mut next) = (start, start);
        loop {
            let rest = &self.text[next..];
            let len = match rest.as_bytes() {
                [b'&', ..] if std::mem::take(&mut anchored) => rest.find(FLOW_OR_BLANK),
                [b'!', b'<', ..] if std::mem::take(&mut tagged) => {
                    rest.find('>').map(|end| end + 1)
                }
                [b'!', ..] if std::mem::take(&mut tagged) => rest.find(FLOW_OR_BLANK),
                _ => return end,
            };
            end = next + len.unwrap_or(rest.len());
            next = self.text.len() - skip_blanks_and_comments(&self.text[end..]).len();
        }
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let byte = |index: usize| match &self.byte_of_char {
            Some(table) => table.get(index).copied().unwrap_or(self.text.len()),
            None => index.min(self.text.len()),
        };
        let (start, end) = (byte(span.start.index()), byte(span.end.index()));
        start..end.max(start)
    }
}

/// The parser's range of a quoted scalar may run on to the next token; the closing quote ends it.
fn scalar_extent(text: &str, bytes: Range<usize>, style: ScalarStyle) -> Range<usize> {
    let quote = match style {
        ScalarStyle::SingleQuoted => b'\'',
        ScalarStyle::DoubleQuoted => b'"',
        _ => return bytes.start..bytes.start + trim_blanks(&text[bytes]).len(),
    };
    let raw = text.as_bytes();
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

/// What YAML holds for blank; a no-break space or a form feed is part of a value.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
/// What ends the name of an anchor or a tag.
const FLOW_OR_BLANK: [char; 9] = [' ', '\t', '\r', '\n', ',', '[', ']', '{', '}'];

/// Takes away the blanks at the end.
fn trim_blanks(text: &str) -> &str {
    text.trim_end_matches(BLANKS)
}

/// Returns the end of a flow collection, which is its bracket. The end event starts there, or at the comma before it.
/// A block collection has none.
fn closing(text: &str, end_event: usize, bracket: char) -> Option<usize> {
    let rest = &text[end_event..];
    let rest = rest.strip_prefix(',').map_or(rest, skip_blanks_and_comments);
    rest.starts_with(bracket).then(|| text.len() - rest.len() + 1)
}

/// A block collection's end event stands where the next token starts, past comments and blank lines; what belongs to it
/// ends with its last child. Its start event may stand after its first child, if that is not written.
fn extent(
    start: usize,
    first_child: Option<usize>,
    closed: Option<usize>,
    last_child: Option<usize>,
) -> Range<usize> {
    let start = first_child.map_or(start, |first| first.min(start));
    let end = closed.or(last_child).unwrap_or(start);
    start..end.max(start)
}

fn skip_blanks_and_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches(BLANKS);
    while rest.starts_with('#') {
        rest = rest.find(['\n', '\r']).map_or("", |end| rest[end..].trim_start_matches(BLANKS));
    }
    rest
}

fn text_len(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_len).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + text_len(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn style(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
    }
}

fn error(span: Span, message: &str) -> YamlError {
    YamlError { line: span.start.line().max(1), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> Value {
        parse(text).unwrap().unwrap().value()
    }

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
    fn types_follow_the_core_schema_and_keep_leading_zeros() {
        assert_eq!(
            value(
                "a: 1\nb: 1.5\nc: true\nd: no\ne: 0042\nf: 80%\ng:\nh: '3'\ni: 2026-02-02\nj: .inf\nk: 0x1f\nl: +"
            ),
            json!({"a": 1, "b": 1.5, "c": true, "d": "no", "e": "0042", "f": "80%", "g": null, "h": "3", "i": "2026-02-02", "j": ".inf", "k": 31, "l": "+"})
        );
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

    #[test]
    fn duplicate_keys_are_refused_with_their_line() {
        let error = parse("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!((error.line, error.message.contains("duplicate key `a`")), (3, true));
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let previous = level - 1;
            text.push_str(&format!(
                "a{level}: &a{level} [{}]\n",
                vec![format!("*a{previous}"); 9].join(",")
            ));
        }
        assert!(parse(&text).unwrap_err().message.contains("expands to more than"));
        assert!(parse(&"[".repeat(5000)).is_err());
    }

    #[test]
    fn a_long_text_repeated_is_a_bomb_too() {
        let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 1000].join(","));
        assert!(parse(&text).unwrap_err().message.contains("aliases repeat more than"));
    }

    #[test]
    fn an_error_at_the_end_names_a_line_that_is_there() {
        for (text, line) in [("[", 1), ("a: [\n", 1), ("a: 1\r\nb: {\r\n", 2), ("a: 1\nb: 'x", 2)] {
            assert_eq!(parse(text).unwrap_err().line, line, "{text:?}");
        }
    }

    #[test]
    fn merge_keys_fill_in() {
        assert_eq!(
            value("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n")["use"],
            json!({"y": 3, "x": 1})
        );
    }
}
