//! Builds a tree with byte ranges from the events of the parser, within limits.

mod byte_ranges;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use self::byte_ranges::{ByteRanges, Properties};
use super::syntax_error::plain_message;
use super::{MERGE_KEY, MapEntry, YamlError, YamlKind, YamlNode, YamlStyle, scalar};
use crate::Value;

/// Limits recursion, which could otherwise overflow the stack.
const MAX_DEPTH: usize = 64;

/// Limits the number of values with aliases expanded, against alias bombs.
const MAX_VALUES: usize = 50_000;

/// Limits the text that aliases repeat: one long text, repeated often, has few values.
const MAX_ALIASED_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// Parses one YAML document. An empty document is `None`.
pub fn parse(text: &str) -> Result<Option<YamlNode>, YamlError> {
    Composer::new(text).document()
}

struct Composer<'t> {
    text: &'t str,
    ranges: ByteRanges<'t>,
    parser: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, Rc<Anchor>>,
    /// Number of values so far, with aliases expanded.
    value_count: usize,
    aliased_text_bytes: usize,
    last_line: usize,
}

/// An anchored value, which aliases repeat.
struct Anchor {
    value: Value,
    /// Number of values in it, with aliases expanded.
    value_count: usize,
    /// Length of the text in it, with aliases expanded.
    text_bytes: usize,
}

impl<'t> Composer<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            ranges: ByteRanges::new(text),
            parser: Parser::new_from_str(text),
            anchors: HashMap::new(),
            value_count: 0,
            aliased_text_bytes: 0,
            last_line: text.lines().count().max(1),
        }
    }

    fn document(mut self) -> Result<Option<YamlNode>, YamlError> {
        loop {
            let (event, span) = self.next_event()?;
            match event {
                Event::DocumentStart(true) => {
                    let end = self.ranges.to_bytes(span).end;
                    self.ranges.move_to(end, Properties::default());
                }
                Event::StreamStart | Event::DocumentStart(false) | Event::Nothing => {}
                Event::StreamEnd => return Ok(None),
                Event::DocumentEnd => {}
                event => {
                    let node = self.node(event, span, 0)?;
                    self.expect_end()?;
                    let is_null = matches!(
                        node.kind,
                        YamlKind::Scalar { value: Value::Null, style: YamlStyle::Plain }
                    );
                    let is_empty = is_null && node.bytes.is_empty();
                    return Ok((!is_empty).then_some(node));
                }
            }
        }
    }

    /// Refuses a second document.
    fn expect_end(&mut self) -> Result<(), YamlError> {
        loop {
            match self.next_event()? {
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

    fn next_event(&mut self) -> Result<(Event<'t>, Span), YamlError> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            // The parser reports something missing at the end on a line after the last one.
            Some(Err(error)) => Err(YamlError {
                line: error.marker().line().clamp(1, self.last_line),
                message: plain_message(error.info()).to_owned(),
            }),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// Builds the node that begins with an event.
    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<YamlNode, YamlError> {
        if depth > MAX_DEPTH {
            let message = format!("values are nested more than {MAX_DEPTH} levels deep");
            return Err(error(span, &message));
        }
        self.count_values(1, span)?;
        let count_before = self.value_count;
        let (node, anchor) = match event {
            Event::Alias(anchor) => return self.alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                let properties = Properties { anchored: anchor != 0, tagged: tag.is_some() };
                let is_tagged_str = tag.as_ref().is_some_and(|tag| tag.suffix == "str");
                let value = scalar::parse_scalar(&text, style, is_tagged_str);
                let kind = YamlKind::Scalar { value, style: style_of(style) };
                let bytes = self.ranges.scalar(span, style, text.is_empty(), properties);
                (self.build_node(kind, span, bytes, properties), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                let properties = Properties { anchored: anchor != 0, tagged: tag.is_some() };
                (self.list(span, depth, properties)?, anchor)
            }
            Event::MappingStart(anchor, tag) => {
                let properties = Properties { anchored: anchor != 0, tagged: tag.is_some() };
                (self.map(span, depth, properties)?, anchor)
            }
            _ => return Err(error(span, "a value is expected here")),
        };
        if anchor != 0 {
            let value = node.value();
            let text_bytes = count_text_bytes(&value);
            let value_count = self.value_count - count_before + 1;
            self.anchors.insert(anchor, Rc::new(Anchor { value, value_count, text_bytes }));
        }
        Ok(node)
    }

    fn list(
        &mut self,
        span: Span,
        depth: usize,
        properties: Properties,
    ) -> Result<YamlNode, YamlError> {
        let start = self.ranges.to_bytes(span).start;
        self.ranges.move_to(start, properties);
        let (items, end) = self.items(depth)?;
        let children = items.first().zip(items.last());
        let children = children.map(|(first, last)| first.bytes.start..last.bytes.end);
        let closing = self.ranges.closing_bracket_end(end, ']');
        let bytes = self.ranges.collection(start, children, closing, properties);
        let kind = YamlKind::List { items, flow: closing.is_some() };
        Ok(self.build_node(kind, span, bytes, properties))
    }

    fn map(
        &mut self,
        span: Span,
        depth: usize,
        properties: Properties,
    ) -> Result<YamlNode, YamlError> {
        let start = self.ranges.to_bytes(span).start;
        self.ranges.move_to(start, properties);
        // A pair inside brackets (`[a: 1]`) is a mapping without braces; its end event is at the
        // next token, which may be a brace of an enclosing mapping.
        let has_braces = self.ranges.next_is('{');
        let (entries, end) = self.entries(depth)?;
        let children = entries.first().zip(entries.last()).map(|(first, last)| {
            first.key_bytes.start..last.value.bytes.end.max(last.key_bytes.end)
        });
        let closing = if has_braces { self.ranges.closing_bracket_end(end, '}') } else { None };
        let bytes = self.ranges.collection(start, children, closing, properties);
        let kind = YamlKind::Map { entries, flow: closing.is_some() };
        Ok(self.build_node(kind, span, bytes, properties))
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<YamlNode, YamlError> {
        // `Rc` makes it possible to check the limits before the value is copied.
        let Some(anchor) = self.anchors.get(&id).map(Rc::clone) else {
            return Err(error(span, "this alias refers to an anchor that contains it"));
        };
        self.count_values(anchor.value_count, span)?;
        self.aliased_text_bytes = self.aliased_text_bytes.saturating_add(anchor.text_bytes);
        if self.aliased_text_bytes > MAX_ALIASED_TEXT_BYTES {
            let message =
                format!("aliases repeat more than {MAX_ALIASED_TEXT_BYTES} bytes of text");
            return Err(error(span, &message));
        }
        let bytes = self.ranges.to_bytes(span);
        self.ranges.move_to(bytes.end, Properties::default());
        let kind = YamlKind::Alias(anchor.value.clone());
        Ok(self.build_node(kind, span, bytes, Properties::default()))
    }

    /// Returns the items of a list and the position of its end event.
    fn items(&mut self, depth: usize) -> Result<(Vec<YamlNode>, usize), YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next_event()? {
                (Event::SequenceEnd, span) => {
                    return Ok((items, self.ranges.to_bytes(span).start));
                }
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    /// Returns the entries of a mapping and the position of its end event.
    fn entries(&mut self, depth: usize) -> Result<(Vec<MapEntry>, usize), YamlError> {
        let mut entries: Vec<MapEntry> = Vec::new();
        let mut line_by_key: HashMap<String, usize> = HashMap::new();
        loop {
            let key_node = match self.next_event()? {
                (Event::MappingEnd, span) => {
                    return Ok((entries, self.ranges.to_bytes(span).start));
                }
                (event, span) => self.node(event, span, depth + 1)?,
            };
            let key = self.key_text(&key_node)?;
            let line = key_node.line;
            let previous = line_by_key.insert(key.clone(), line);
            if let Some(first) = previous.filter(|_| key != MERGE_KEY) {
                let message = format!(
                    "duplicate key `{key}`; it is already set on line {first} of this block"
                );
                return Err(YamlError { line, message });
            }
            let (event, span) = self.next_event()?;
            let mut value = self.node(event, span, depth + 1)?;
            if value.bytes.is_empty() {
                value.bytes = self.ranges.missing_value(span, key_node.bytes.end, value.bytes);
            }
            entries.push(MapEntry { key, key_bytes: key_node.bytes, line, value });
        }
    }

    /// Returns the text of a key. Numbers and other scalars keep the text as written.
    fn key_text(&self, key: &YamlNode) -> Result<String, YamlError> {
        match key.value() {
            Value::String(text) => Ok(text),
            Value::Array(_) | Value::Object(_) => Err(YamlError {
                line: key.line,
                message: "a key must be a single value, not a list or a map".into(),
            }),
            _ => Ok(self.text[key.bytes.clone()].to_owned()),
        }
    }

    fn count_values(&mut self, count: usize, span: Span) -> Result<(), YamlError> {
        self.value_count = self.value_count.saturating_add(count);
        if self.value_count > MAX_VALUES {
            return Err(error(span, &format!("expands to more than {MAX_VALUES} values")));
        }
        Ok(())
    }

    fn build_node(
        &self,
        kind: YamlKind,
        span: Span,
        bytes: Range<usize>,
        properties: Properties,
    ) -> YamlNode {
        let Properties { anchored, tagged } = properties;
        YamlNode { kind, bytes, line: span.start.line().clamp(1, self.last_line), anchored, tagged }
    }
}

fn count_text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(count_text_bytes).sum(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| key.len() + count_text_bytes(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn style_of(style: ScalarStyle) -> YamlStyle {
    match style {
        ScalarStyle::Plain => YamlStyle::Plain,
        ScalarStyle::SingleQuoted => YamlStyle::Single,
        ScalarStyle::DoubleQuoted => YamlStyle::Double,
        ScalarStyle::Literal | ScalarStyle::Folded => YamlStyle::Block,
    }
}

fn error(span: Span, message: &str) -> YamlError {
    YamlError { line: span.start.line().max(1), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse_value(text: &str) -> Value {
        parse(text).unwrap().unwrap().value()
    }

    #[test]
    fn scalars_follow_the_core_schema_except_leading_zeros() {
        for (text, value) in [
            ("1", json!(1)),
            ("1.5", json!(1.5)),
            ("true", json!(true)),
            ("no", json!("no")),
            ("0042", json!("0042")),
            ("80%", json!("80%")),
            ("", json!(null)),
            ("'3'", json!("3")),
            ("2026-02-02", json!("2026-02-02")),
            (".inf", json!(".inf")),
            ("0x1f", json!(31)),
            ("+", json!("+")),
        ] {
            assert_eq!(parse_value(&format!("a: {text}\nb: 1"))["a"], value, "{text}");
        }
    }

    #[test]
    fn duplicate_keys_are_refused_with_their_line() {
        let error = parse("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!((error.line, error.message.contains("duplicate key `a`")), (3, true));
    }

    #[test]
    fn an_alias_bomb_is_refused() {
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
    fn an_alias_bomb_of_one_long_text_is_refused() {
        let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 1000].join(","));
        assert!(parse(&text).unwrap_err().message.contains("aliases repeat more than"));
    }

    #[test]
    fn an_error_at_the_end_has_the_number_of_an_existing_line() {
        for (text, line) in [("[", 1), ("a: [\n", 1), ("a: 1\r\nb: {\r\n", 2), ("a: 1\nb: 'x", 2)] {
            assert_eq!(parse(text).unwrap_err().line, line, "{text:?}");
        }
    }

    #[test]
    fn explicit_keys_take_precedence_over_merged_keys() {
        assert_eq!(
            parse_value("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n")["use"],
            json!({"y": 3, "x": 1})
        );
    }
}
