//! JSON values and errors in words that a person can act on.

use crate::Value;

/// A longer text is cut where it is repeated in a message.
const MAX_REPEATED_CHARS: usize = 60;

/// Describes a value that was given where another was expected: `"ten"`, `a list`, `null`.
pub fn described(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > MAX_REPEATED_CHARS => {
            let start: String = text.chars().take(MAX_REPEATED_CHARS).collect();
            format!("{:?}", format!("{start}…"))
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// Returns what an error says without the place in the text, which a reader of one line counts
/// differently.
pub fn message(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    whole.strip_suffix(&place).unwrap_or(&whole).to_owned()
}

/// Describes why a line is not JSON.
pub fn syntax_error(error: &serde_json::Error) -> String {
    match error.column() {
        0 => format!("this is not JSON: {}", message(error)),
        column => format!("this is not JSON: {} at column {column}", message(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(described(&json!("ten")), "\"ten\"");
        assert_eq!(described(&json!("é".repeat(99))), format!("\"{}…\"", "é".repeat(60)));
        assert_eq!(described(&json!([1])), "a list");
    }

    #[test]
    fn a_syntax_error_names_the_column_alone() {
        let error = serde_json::from_str::<Value>("{\"a\": x}").unwrap_err();
        assert_eq!(syntax_error(&error), "this is not JSON: expected value at column 7");
    }
}
