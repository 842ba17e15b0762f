//! Edits JSON as text, so that numbers and strings that an edit does not mean to change stay as they were written.

use crate::Value;

/// The indentation of a level.
const INDENT: &str = "  ";

/// Formats a JSON text over several lines. Only the space between its tokens changes.
pub fn format(text: &str) -> Result<String, serde_json::Error> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)?;
    Ok(indent(text, 0))
}

/// Sets keys of a JSON object and returns it formatted. The values of other keys stay as they are written; a new key is
/// added at the end.
pub fn set_keys<'v>(
    object: &str,
    changes: impl IntoIterator<Item = (&'v String, &'v Value)>,
) -> Result<String, serde_json::Error> {
    serde_json::from_str::<serde_json::Map<String, Value>>(object)?;
    let mut entries = split_entries(object);
    for (key, value) in changes {
        let value_text = value.to_string();
        let is_key =
            |written: &str| serde_json::from_str::<String>(written).is_ok_and(|k| k == *key);
        // The last of several equal keys is the one that readers use.
        match entries.iter_mut().rev().find(|(written, _)| is_key(written)) {
            Some((_, old)) => {
                let is_same = serde_json::from_str::<Value>(old).is_ok_and(|old| old == *value);
                if !is_same {
                    *old = value_text;
                }
            }
            None => entries.push((Value::String(key.clone()).to_string(), value_text)),
        }
    }
    if entries.is_empty() {
        return Ok("{}".to_owned());
    }
    let lines = entries.iter().map(|(key, value)| format!("{INDENT}{key}: {}", indent(value, 1)));
    Ok(format!("{{\n{}\n}}", lines.collect::<Vec<_>>().join(",\n")))
}

/// Splits a valid JSON object into its keys and values, as they are written.
fn split_entries(object: &str) -> Vec<(String, String)> {
    let inner = object.trim();
    let inner = inner.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(inner);
    let mut entries = Vec::new();
    let (mut depth, mut start, mut colon) = (0usize, 0, None);
    let mut in_string = InString::default();
    let mut push = |start: usize, colon: Option<usize>, end: usize| {
        if let Some(colon) = colon {
            entries.push((
                inner[start..colon].trim().to_owned(),
                inner[colon + 1..end].trim().to_owned(),
            ));
        }
    };
    for (at, c) in inner.char_indices() {
        if in_string.contains(c) {
            continue;
        }
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && colon.is_none() => colon = Some(at),
            ',' if depth == 0 => {
                push(start, colon, at);
                (start, colon) = (at + 1, None);
            }
            _ => {}
        }
    }
    push(start, colon, inner.len());
    entries
}

/// Whether the characters seen so far end inside of a string.
#[derive(Default)]
struct InString {
    is_open: bool,
    is_escaped: bool,
}

impl InString {
    /// Returns whether a character, quotes included, is part of a string.
    fn contains(&mut self, c: char) -> bool {
        if !self.is_open {
            self.is_open = c == '"';
            return self.is_open;
        }
        match c {
            _ if self.is_escaped => self.is_escaped = false,
            '\\' => self.is_escaped = true,
            '"' => self.is_open = false,
            _ => {}
        }
        true
    }
}

/// Indents a valid JSON text that starts at some depth.
fn indent(text: &str, depth: usize) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = depth;
    let mut in_string = InString::default();
    let mut chars = text.chars().peekable();
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(INDENT, depth));
    };
    while let Some(c) = chars.next() {
        if in_string.contains(c) {
            out.push(c);
            continue;
        }
        match c {
            _ if c.is_whitespace() => {}
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|next| next.is_whitespace()).is_some() {}
                match chars.next_if(|next| matches!(next, '}' | ']')) {
                    Some(close) => out.push(close),
                    None => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn formatting_keeps_tokens_as_they_are_written() {
        let text = r#"{"a":[1.10,12345678901234567890123,{}],"b":{"c":"x, {y}: \"z\"","d":[]}}"#;
        assert_eq!(
            format(text).unwrap(),
            "{\n  \"a\": [\n    1.10,\n    12345678901234567890123,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"x, {y}: \\\"z\\\"\",\n    \"d\": []\n  }\n}"
        );
        assert!(format("{a: 1}").is_err());
    }

    #[test]
    fn other_keys_keep_their_text_and_order() {
        let before = "{\n\t\"exact\": 1.10,\n\t\"done\": 3,\n\t\"list\": [1, 2]\n}\n";
        let changes = json!({"done": 5, "new": {"a": null}});
        let after = set_keys(before, changes.as_object().unwrap()).unwrap();
        assert_eq!(
            after,
            "{\n  \"exact\": 1.10,\n  \"done\": 5,\n  \"list\": [\n    1,\n    2\n  ],\n  \"new\": {\n    \"a\": null\n  }\n}"
        );
        assert_eq!(set_keys(&after, changes.as_object().unwrap()).unwrap(), after);
        assert_eq!(set_keys(" { } ", &serde_json::Map::new()).unwrap(), "{}");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z\"\\\\,:{}\\[\\]\n ]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-c\":,]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn formatting_changes_no_value(value in any_json()) {
            let formatted = format(&value.to_string()).unwrap();
            prop_assert_eq!(&formatted, &format(&formatted).unwrap());
            prop_assert_eq!(serde_json::from_str::<Value>(&formatted).unwrap(), value);
        }

        #[test]
        fn setting_keys_changes_only_these(
            before in prop::collection::btree_map("[a-c\":,]{0,3}", any_json(), 0..4),
            changes in prop::collection::btree_map("[a-c\":,]{0,3}", any_json(), 0..3),
        ) {
            let object: serde_json::Map<_, _> = before.into_iter().collect();
            let changes: serde_json::Map<_, _> = changes.into_iter().collect();
            let after = set_keys(&Value::Object(object.clone()).to_string(), &changes).unwrap();
            let mut expected = object;
            expected.extend(changes);
            prop_assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), Value::Object(expected));
        }
    }
}
