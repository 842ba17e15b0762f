//! Describes JSON values and JSON errors in messages for people, and edits JSON as text.

mod text;

pub use text::{format, set_keys};

use crate::Value;

/// Longer strings are shortened in messages.
const MAX_QUOTED_CHARS: usize = 60;

/// Plain wordings of `serde_json`'s syntax errors. Other messages are shown unchanged.
const SYNTAX_ERRORS: &[(&str, &str)] = &[
    ("EOF while parsing a list", "the text ends inside a list"),
    ("EOF while parsing a string", "the text ends inside a string"),
    ("EOF while parsing a value", "the text ends where a value is expected"),
    ("EOF while parsing an object", "the text ends inside an object"),
    ("expected ident", "a value is expected (text must be in double quotes)"),
    ("expected value", "a value is expected"),
    ("key must be a string", "a key is expected in double quotes"),
    ("recursion limit exceeded", "the value is nested too deeply"),
    ("trailing characters", "there is more text after the value"),
];

/// Describes a value of the wrong type: `"ten"`, `a list`, `null`.
pub fn describe(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > MAX_QUOTED_CHARS => {
            let start: String = text.chars().take(MAX_QUOTED_CHARS).collect();
            format!("{:?}", format!("{start}…"))
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the message of an error without its position, because the line number is wrong for a
/// line that was parsed alone.
pub fn error_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&position).unwrap_or(&message).to_owned()
}

/// Returns why a text is not JSON, in plain words and without the position.
pub fn syntax_reason(error: &serde_json::Error) -> String {
    let message = error_message(error);
    let plain = SYNTAX_ERRORS.iter().find(|(original, _)| *original == message);
    plain.map_or(message, |(_, plain)| (*plain).to_owned())
}

/// Describes why a line is not JSON, with the column.
pub fn describe_syntax_error(error: &serde_json::Error) -> String {
    let reason = syntax_reason(error);
    match error.column() {
        0 => format!("this is not JSON: {reason}"),
        column => format!("this is not JSON: {reason} at column {column}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_strings_are_shortened() {
        assert_eq!(describe(&json!("ten")), "\"ten\"");
        assert_eq!(describe(&json!("é".repeat(99))), format!("\"{}…\"", "é".repeat(60)));
        assert_eq!(describe(&json!([1])), "a list");
    }

    #[test]
    fn a_syntax_error_has_a_plain_reason_and_the_column() {
        for (text, reason) in [
            ("{\"a\": x}", "a value is expected at column 7"),
            ("{\"a\": \"x", "the text ends inside a string at column 8"),
            ("{} {}", "there is more text after the value at column 4"),
            ("[1, 2", "the text ends inside a list at column 5"),
            ("{\"a\": 1", "the text ends inside an object at column 7"),
        ] {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            assert_eq!(
                describe_syntax_error(&error),
                format!("this is not JSON: {reason}"),
                "{text}"
            );
        }
    }
}
