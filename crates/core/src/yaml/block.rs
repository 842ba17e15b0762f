//! Writes values as YAML in block style, as people write it: a line for each key, short lists in brackets, texts of several
//! lines as literal blocks.

use serde_json::Map;

use super::scalar::write_double_quoted;
use crate::Value;

/// The indentation of a nested block.
const INDENT: usize = 2;

/// Words that some version of YAML does not read as text.
const RESERVED_WORDS: &[&str] =
    &["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"];

/// Writes a value as a YAML document. Every YAML parser reads back the same value.
pub fn write_document(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(fields) if !fields.is_empty() => write_fields(&mut out, fields, 0, false),
        Value::Array(items) if !is_inline_list(items) => write_items(&mut out, items, 0),
        other => {
            write_inline(&mut out, other, false);
            out.push('\n');
        }
    }
    out
}

fn write_fields(out: &mut String, fields: &Map<String, Value>, indent: usize, is_item: bool) {
    for (position, (key, value)) in fields.iter().enumerate() {
        // The first key of an item stands after its dash.
        if !(is_item && position == 0) {
            push_indent(out, indent);
        }
        write_text(out, key, false);
        out.push(':');
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                write_fields(out, inner, indent + INDENT, false);
            }
            Value::Array(items) if !is_inline_list(items) => {
                out.push('\n');
                write_items(out, items, indent + INDENT);
            }
            Value::String(text) if is_literal(text) => write_literal(out, text, indent + INDENT),
            other => {
                out.push(' ');
                write_inline(out, other, false);
                out.push('\n');
            }
        }
    }
}

fn write_items(out: &mut String, items: &[Value], indent: usize) {
    for item in items {
        push_indent(out, indent);
        out.push_str("- ");
        match item {
            Value::Object(fields) if !fields.is_empty() => {
                write_fields(out, fields, indent + INDENT, true);
            }
            other => {
                write_inline(out, other, false);
                out.push('\n');
            }
        }
    }
}

/// Returns whether a list is written in brackets: one of single values.
fn is_inline_list(items: &[Value]) -> bool {
    items.iter().all(|item| match item {
        Value::Array(_) => false,
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    })
}

/// Writes a value on one line.
fn write_inline(out: &mut String, value: &Value, in_flow: bool) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                write_inline(out, item, true);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (position, (key, value)) in fields.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                write_text(out, key, true);
                out.push_str(": ");
                write_inline(out, value, true);
            }
            out.push('}');
        }
        Value::String(text) => write_text(out, text, in_flow),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

fn write_text(out: &mut String, text: &str, in_flow: bool) {
    match is_plain(text, in_flow) {
        true => out.push_str(text),
        false => out.push_str(&write_double_quoted(text)),
    }
}

/// Returns whether every YAML parser reads an unquoted text back unchanged. It errs on the side of quotes.
fn is_plain(text: &str, in_flow: bool) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let is_safe_start = first.is_alphabetic() || matches!(first, '_' | '/' | '(');
    let is_safe = |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    is_safe_start
        && !text.ends_with([' ', ':'])
        && !has_ascii_syntax(text, in_flow)
        && (text.is_ascii() || text.chars().all(is_safe))
        && !RESERVED_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Returns whether a text has ASCII characters that mean something in YAML: control characters, a colon before a space, a
/// number sign after a space, and in brackets also what ends a value there. One pass over the bytes, because answers have
/// thousands of texts.
fn has_ascii_syntax(text: &str, in_flow: bool) -> bool {
    let mut previous = 0;
    text.bytes().any(|byte| {
        let before = std::mem::replace(&mut previous, byte);
        match byte {
            b' ' => before == b':',
            b'#' => in_flow || before == b' ',
            b'[' | b']' | b'{' | b'}' | b',' | b'"' | b'\'' | b':' | b'?' => in_flow,
            _ => byte.is_ascii_control(),
        }
    })
}

/// Returns whether a text is written as a literal block: several lines that need no escapes.
fn is_literal(text: &str) -> bool {
    let is_printable = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    let is_safe =
        |c: char| is_printable(c) && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{85}');
    let body = text.trim_end_matches('\n');
    body.contains('\n') && !text.starts_with([' ', '\t', '\n']) && text.chars().all(is_safe)
}

fn write_literal(out: &mut String, text: &str, indent: usize) {
    let body = text.trim_end_matches('\n');
    let line_breaks = text.len() - body.len();
    out.push_str(match line_breaks {
        0 => " |-\n",
        1 => " |\n",
        _ => " |+\n",
    });
    for line in body.split('\n') {
        if !line.is_empty() {
            push_indent(out, indent);
            out.push_str(line);
        }
        out.push('\n');
    }
    (1..line_breaks).for_each(|_| out.push('\n'));
}

fn push_indent(out: &mut String, indent: usize) {
    (0..indent).for_each(|_| out.push(' '));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;
    use serde_json::json;

    #[test]
    fn a_document_reads_as_people_write_it() {
        let value = json!({
            "plans": [
                {"name": "Workflow Engine", "created": "2026-02-08", "tags": ["a", "b, c"], "_meta": {"document_id": "260208-x"}},
                {"name": "yes", "content": "# A\n\nText: b\n", "left": []},
            ],
            "count": 2,
        });
        assert_eq!(
            write_document(&value),
            "plans:\n  - name: Workflow Engine\n    created: \"2026-02-08\"\n    tags: [a, \"b, c\"]\n    _meta:\n      document_id: \"260208-x\"\n  - name: \"yes\"\n    content: |\n      # A\n\n      Text: b\n    left: []\ncount: 2\n"
        );
    }

    fn arbitrary_value() -> impl proptest::strategy::Strategy<Value = Value> {
        use proptest::prelude::*;
        let text = "[ -~é\n\t:#\\-]{0,12}";
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(Value::Null),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z<#: \\-]{1,6}", inner, 0..4)
                    .prop_filter("a merge key has its own meaning", |map| !map.contains_key("<<"))
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(value in arbitrary_value()) {
            let text = write_document(&value);
            let parsed = yaml::parse(&text).map(|node| node.map_or(Value::Null, |node| node.value()));
            proptest::prop_assert_eq!(parsed, Ok(value), "{}", text);
        }
    }
}
