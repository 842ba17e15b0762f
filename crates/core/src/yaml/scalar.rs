//! Typing and writing of scalars.

use saphyr_parser::ScalarStyle;

use super::{Style, parse};
use crate::Value;

/// Types a scalar by the YAML 1.2 core schema, with two deviations that keep what people wrote: a
/// number with leading zeros (`0042`) stays text, and so does what JSON has no number for.
pub(super) fn typed(text: &str, style: ScalarStyle, forced_text: bool) -> Value {
    if forced_text || style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16)
            .ok()
            .filter(|_| !hex.starts_with(['+', '-']))
            .map(Value::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8)
            .ok()
            .filter(|_| !octal.starts_with(['+', '-']))
            .map(Value::from);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts_like_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let only_number_chars =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !starts_like_number || !only_number_chars || !digits.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let leading_zero =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if leading_zero {
        return None;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        return unsigned.parse::<i64>().ok().map(Value::from);
    }
    let float = text.parse::<f64>().ok()?;
    serde_json::Number::from_f64(float).map(Value::Number)
}

/// Writes a scalar or a list of scalars on one line, quoted as `like` if that can hold it.
pub fn write_scalar(value: &Value, like: Style) -> String {
    write(value, like, false)
}

/// Writes as [`write_scalar`] does, inside brackets where it must.
pub(super) fn write(value: &Value, like: Style, in_flow: bool) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| write(item, Style::Plain, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let key = |key: &str| write_text(key, Style::Plain, true);
            let entries: Vec<String> = map
                .iter()
                .map(|(name, value)| format!("{}: {}", key(name), write(value, Style::Plain, true)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::String(text) => write_text(text, like, in_flow),
        other => other.to_string(),
    }
}

fn write_text(text: &str, like: Style, in_flow: bool) -> String {
    match like {
        Style::Single if !text.chars().any(char::is_control) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Style::Plain if reads_back_plain(text, in_flow) => text.to_owned(),
        _ => double_quoted(text),
    }
}

/// The parser itself decides whether a text may stand unquoted: as a value before a comment, and
/// inside brackets where it must.
fn reads_back_plain(text: &str, in_flow: bool) -> bool {
    if text.is_empty()
        || text.trim() != text
        || text.chars().any(char::is_control)
        || text.starts_with("---")
        || text.starts_with("...")
    {
        return false;
    }
    let probe = if in_flow { format!("k: [{text}, x] # c") } else { format!("k: {text} # c") };
    let expected = if in_flow {
        serde_json::json!({"k": [text, "x"]})
    } else {
        serde_json::json!({"k": text})
    };
    parse(&probe).is_ok_and(|node| node.is_some_and(|node| node.value() == expected))
}

fn double_quoted(text: &str) -> String {
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
