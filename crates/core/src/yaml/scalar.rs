//! Converts scalars from and to YAML text.

use saphyr_parser::ScalarStyle;

use super::{YamlStyle, parse};
use crate::Value;

/// Parses a scalar by the YAML 1.2 core schema, with two exceptions that keep the text as written:
/// numbers with leading zeros (`0042`), and numbers that JSON cannot represent (`.inf`).
pub(super) fn parse_scalar(text: &str, style: ScalarStyle, is_tagged_str: bool) -> Value {
    if is_tagged_str || style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => parse_number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

fn parse_number(text: &str) -> Option<Value> {
    if let Some(hex) = text.strip_prefix("0x") {
        return parse_unsigned(hex, 16);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return parse_unsigned(octal, 8);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts_like_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let only_number_chars =
        digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    if !starts_like_number || !only_number_chars || !has_digit {
        return None;
    }
    let has_leading_zero =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if has_leading_zero {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let without_plus = text.strip_prefix('+').unwrap_or(text);
        return without_plus.parse::<i64>().ok().map(Value::from);
    }
    let float = text.parse::<f64>().ok()?;
    serde_json::Number::from_f64(float).map(Value::Number)
}

fn parse_unsigned(digits: &str, radix: u32) -> Option<Value> {
    let number = i64::from_str_radix(digits, radix).ok();
    number.filter(|_| !digits.starts_with(['+', '-'])).map(Value::from)
}

/// Writes a value on one line, in the preferred style if that can represent it.
pub fn write_inline(value: &Value, preferred: YamlStyle) -> String {
    write_value(value, preferred, false)
}

/// Writes a value like [`write_inline`]; `in_flow` says that it will be inside brackets or braces.
pub(super) fn write_value(value: &Value, preferred: YamlStyle, in_flow: bool) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| write_value(item, YamlStyle::Plain, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let write_entry = |(key, value): (&String, &Value)| {
                let key = write_text(key, YamlStyle::Plain, true);
                format!("{key}: {}", write_value(value, YamlStyle::Plain, true))
            };
            let entries: Vec<String> = map.iter().map(write_entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::String(text) => write_text(text, preferred, in_flow),
        other => other.to_string(),
    }
}

fn write_text(text: &str, preferred: YamlStyle, in_flow: bool) -> String {
    match preferred {
        YamlStyle::Single if !text.chars().any(char::is_control) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        YamlStyle::Plain if is_plain_safe(text, in_flow) => text.to_owned(),
        _ => write_double_quoted(text),
    }
}

/// Returns whether the parser reads an unquoted text back unchanged, before a comment and, with
/// `in_flow`, inside brackets.
fn is_plain_safe(text: &str, in_flow: bool) -> bool {
    if text.is_empty()
        || text.trim() != text
        || text.chars().any(char::is_control)
        || text.starts_with("---")
        || text.starts_with("...")
    {
        return false;
    }
    let (yaml, expected) = if in_flow {
        (format!("k: [{text}, x] # c"), serde_json::json!({"k": [text, "x"]}))
    } else {
        (format!("k: {text} # c"), serde_json::json!({"k": text}))
    };
    parse(&yaml).is_ok_and(|node| node.is_some_and(|node| node.value() == expected))
}

pub(super) fn write_double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{85}') => {
                let code = u32::from(c);
                out.push_str(&if code <= 0xff {
                    format!("\\x{code:02x}")
                } else {
                    format!("\\u{code:04x}")
                });
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
