//! From parser events to a tree with byte ranges, under limits.

mod extent;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use self::extent::{Extents, Marks};
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
    extents: Extents<'t>,
    parser: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, Rc<Anchored>>,
    values: usize,
    repeated: usize,
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
        Self {
            text,
            extents: Extents::new(text),
            parser: Parser::new_from_str(text),
            anchors: HashMap::new(),
            values: 0,
            repeated: 0,
            last_line: text.lines().count().max(1),
        }
    }

    fn document(mut self) -> Result<Option<Node>, YamlError> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::DocumentStart(true) => {
                    self.extents.enter(self.extents.bytes(span).end, Marks::default());
                }
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
                let marks = Marks { anchored: anchor != 0, tagged: tag.is_some() };
                let forced_text = tag.as_ref().is_some_and(|tag| tag.suffix == "str");
                let value = scalar::typed(&text, style, forced_text);
                let kind = Kind::Scalar { value, style: self::style(style) };
                let bytes = self.extents.scalar(span, style, text.is_empty(), marks);
                (self.finish(kind, span, bytes, marks), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                let marks = Marks { anchored: anchor != 0, tagged: tag.is_some() };
                let start = self.extents.bytes(span).start;
                self.extents.enter(start, marks);
                let (items, end) = self.items(depth)?;
                let children = items.first().zip(items.last());
                let children = children.map(|(first, last)| first.bytes.start..last.bytes.end);
                let closed = self.extents.closing(end, ']');
                let bytes = self.extents.collection(start, children, closed, marks);
                (
                    self.finish(Kind::List { items, flow: closed.is_some() }, span, bytes, marks),
                    anchor,
                )
            }
            Event::MappingStart(anchor, tag) => {
                let marks = Marks { anchored: anchor != 0, tagged: tag.is_some() };
                let start = self.extents.bytes(span).start;
                self.extents.enter(start, marks);
                // A pair in brackets is a map without braces, which ends with whatever comes next.
                let braces = self.extents.next_is('{');
                let (entries, end) = self.entries(depth)?;
                let children = entries.first().zip(entries.last()).map(|(first, last)| {
                    first.key_bytes.start..last.value.bytes.end.max(last.key_bytes.end)
                });
                let closed = if braces { self.extents.closing(end, '}') } else { None };
                let bytes = self.extents.collection(start, children, closed, marks);
                (
                    self.finish(Kind::Map { entries, flow: closed.is_some() }, span, bytes, marks),
                    anchor,
                )
            }
            _ => return Err(error(span, "a value was expected here")),
        };
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
        let bytes = self.extents.bytes(span);
        self.extents.enter(bytes.end, Marks::default());
        Ok(self.finish(Kind::Alias(anchored.value.clone()), span, bytes, Marks::default()))
    }

    fn items(&mut self, depth: usize) -> Result<(Vec<Node>, usize), YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, self.extents.bytes(span).start)),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn entries(&mut self, depth: usize) -> Result<(Vec<Entry>, usize), YamlError> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, span) => return Ok((entries, self.extents.bytes(span).start)),
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
            let mut value = self.node(event, span, depth + 1)?;
            if value.bytes.is_empty() {
                value.bytes = self.extents.behind_colon(span, key.bytes.end, value.bytes);
            }
            entries.push(Entry { key: key_text, key_bytes: key.bytes, line: key.line, value });
        }
    }

    fn charge(&mut self, size: usize, span: Span) -> Result<(), YamlError> {
        self.values = self.values.saturating_add(size);
        if self.values > MAX_VALUES {
            return Err(error(span, &format!("expands to more than {MAX_VALUES} values")));
        }
        Ok(())
    }

    fn finish(&self, kind: Kind, span: Span, bytes: Range<usize>, marks: Marks) -> Node {
        let Marks { anchored, tagged } = marks;
        Node { kind, bytes, line: span.start.line().clamp(1, self.last_line), anchored, tagged }
    }
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
