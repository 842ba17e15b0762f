//! Edits one top-level key and leaves every other byte unchanged.
//!
//! The result of each edit is parsed again: the key must have its new value, and every other key its
//! old one. Otherwise the edit is refused.

use std::ops::Range;

use super::scalar::write_value;
use super::{MapEntry, YamlError, YamlKind, YamlNode, YamlStyle, parse, write_inline};
use crate::Value;
use crate::lines::detect_newline;

/// The problem with a front matter that is a list or a single value.
pub(crate) const NOT_A_MAPPING: &str = "the front matter is not a mapping of keys to values";

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is not valid YAML.
    #[error("{0}")]
    Yaml(#[from] YamlError),
    /// The text is YAML, but not a mapping.
    #[error("{NOT_A_MAPPING}")]
    NotAMapping,
    /// The value has an anchor or a tag, so that an edit would also change its aliases or its type.
    #[error(
        "the value of `{key}` has an anchor (`&…`) or a tag (`!…`), so it cannot be changed alone; \
         edit the file by hand"
    )]
    AnchoredOrTagged {
        /// The key.
        key: String,
        /// Its line within the YAML text.
        line: usize,
    },
    /// The edited text did not parse to the intended values.
    #[error(
        "the value of `{key}` is written in a way that cannot be changed without touching other \
         lines; edit the file by hand"
    )]
    WouldChangeOtherKeys {
        /// The key.
        key: String,
        /// Its line within the YAML text.
        line: usize,
    },
}

impl EditError {
    /// Returns the line within the YAML text, counted from 1.
    pub fn line(&self) -> usize {
        match self {
            EditError::Yaml(error) => error.line,
            EditError::NotAMapping => 1,
            EditError::AnchoredOrTagged { line, .. }
            | EditError::WouldChangeOtherKeys { line, .. } => *line,
        }
    }
}

/// Sets a top-level key. A missing key is added at the end.
pub fn set_key(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let root = parse_root(text)?;
    let edited = match root.as_ref().and_then(|root| root.entry(key).map(|entry| (root, entry))) {
        Some((_, entry)) if entry.value.value() == *value => return Ok(text.to_owned()),
        Some((root, entry)) => replace_entry(text, root, entry, value)?,
        None => insert_key(text, root.as_ref(), key, value),
    };
    verify(text, root.as_ref(), edited, key, value)
}

/// Adds an item to the list at a top-level key, in the list's own style, unless the list contains
/// it. A missing or null key becomes a list of one item; a single value becomes the first item.
pub fn append_to_list(text: &str, key: &str, item: &str) -> Result<String, EditError> {
    let root = parse_root(text)?;
    let item = Value::String(item.to_owned());
    let Some(entry) = root.as_ref().and_then(|root| root.entry(key)) else {
        return set_key(text, key, &Value::Array(vec![item]));
    };
    let old = entry.value.value();
    let items = match &old {
        Value::Null => vec![],
        Value::Array(items) => items.clone(),
        single => vec![single.clone()],
    };
    if items.contains(&item) {
        return Ok(text.to_owned());
    }
    let new_list = Value::Array(items.iter().cloned().chain([item.clone()]).collect());
    let edited = match &entry.value.kind {
        YamlKind::List { items, flow: true } if !items.is_empty() => {
            let last_end = items.last().map_or(entry.value.bytes.end, |last| last.bytes.end);
            let new_item = write_value(&item, YamlStyle::Plain, true);
            splice(text, last_end..last_end, &format!(", {new_item}"))
        }
        YamlKind::List { items, flow: false } if !items.is_empty() => {
            let last = items.last().map_or(entry.value.bytes.clone(), |last| last.bytes.clone());
            let indent = line_indent(text, entry.value.bytes.start);
            let line_end = line_end(text, last.end);
            splice(
                text,
                line_end..line_end,
                &format!(
                    "{}{indent}- {}",
                    detect_newline(text),
                    write_inline(&item, YamlStyle::Plain)
                ),
            )
        }
        _ => return set_key(text, key, &new_list),
    };
    refuse_anchors(&entry.value, key)?;
    verify(text, root.as_ref(), edited, key, &new_list)
}

fn parse_root(text: &str) -> Result<Option<YamlNode>, EditError> {
    match parse(text)? {
        Some(root) if !matches!(root.kind, YamlKind::Map { .. }) => Err(EditError::NotAMapping),
        root => Ok(root),
    }
}

fn is_flow(root: &YamlNode) -> bool {
    matches!(root.kind, YamlKind::Map { flow: true, .. })
}

/// Refuses a value that has an anchor or a tag, itself or in a nested value.
fn refuse_anchors(value: &YamlNode, key: &str) -> Result<(), EditError> {
    let nested = match &value.kind {
        YamlKind::List { items, .. } => items.iter().try_for_each(|item| refuse_anchors(item, key)),
        YamlKind::Map { entries, .. } => {
            entries.iter().try_for_each(|entry| refuse_anchors(&entry.value, key))
        }
        _ => Ok(()),
    };
    nested?;
    if value.anchored || value.tagged {
        return Err(EditError::AnchoredOrTagged { key: key.to_owned(), line: value.line });
    }
    Ok(())
}

/// Replaces the value of an entry, in the quoting style of the old value.
fn replace_entry(
    text: &str,
    root: &YamlNode,
    entry: &MapEntry,
    value: &Value,
) -> Result<String, EditError> {
    refuse_anchors(&entry.value, &entry.key)?;
    let style = match &entry.value.kind {
        YamlKind::Scalar { style, .. } => *style,
        _ => YamlStyle::Plain,
    };
    let is_explicit_key =
        text[..entry.key_bytes.start].trim_end_matches([' ', '\t']).ends_with('?');
    if is_explicit_key && entry.value.bytes.is_empty() {
        return Err(EditError::WouldChangeOtherKeys { key: entry.key.clone(), line: entry.line });
    }
    Ok(replace_value(text, root, entry, &write_value(value, style, is_flow(root))))
}

fn replace_value(text: &str, root: &YamlNode, entry: &MapEntry, new: &str) -> String {
    let MapEntry { key_bytes, value, .. } = entry;
    let after_colon = key_bytes.end + text[key_bytes.end..].find(':').map_or(0, |colon| colon + 1);
    let is_missing = value.bytes.is_empty() || value.bytes.start < after_colon;
    if is_missing {
        let has_space = is_flow(root) && text[after_colon..].starts_with(' ');
        return if has_space {
            splice(text, after_colon + 1..after_colon + 1, new)
        } else {
            splice(text, after_colon..after_colon, &format!(" {new}"))
        };
    }
    let is_on_key_line = !text[after_colon..value.bytes.start.max(after_colon)].contains('\n');
    let is_block_scalar = matches!(value.kind, YamlKind::Scalar { style: YamlStyle::Block, .. });
    if is_on_key_line && !is_block_scalar {
        return splice(text, value.bytes.clone(), new);
    }
    // The value is below its key and moves up to the key's line, before the comment of that line.
    let rest = &text[after_colon..line_end(text, after_colon)];
    let comment = rest.find('#').map_or(String::new(), |at| format!(" {}", &rest[at..]));
    splice(text, after_colon..value.bytes.end, &format!(" {new}{comment}"))
}

fn insert_key(text: &str, root: Option<&YamlNode>, key: &str, value: &Value) -> String {
    let in_flow = root.is_some_and(is_flow);
    let new_entry = format!(
        "{}: {}",
        write_value(&Value::String(key.to_owned()), YamlStyle::Plain, in_flow),
        write_value(value, YamlStyle::Plain, in_flow)
    );
    let newline = detect_newline(text);
    match root.map(|root| (&root.kind, &root.bytes)) {
        Some((YamlKind::Map { entries, flow: true }, bytes)) => {
            let at = entries
                .last()
                .map_or(bytes.start + 1, |last| last.value.bytes.end.max(last.key_bytes.end));
            let separator = if entries.is_empty() { "" } else { ", " };
            splice(text, at..at, &format!("{separator}{new_entry}"))
        }
        _ if text.is_empty() || text.ends_with('\n') => format!("{text}{new_entry}{newline}"),
        _ => format!("{text}{newline}{new_entry}"),
    }
}

/// Returns the edited text if parsing it gives the intended values.
fn verify(
    before: &str,
    root: Option<&YamlNode>,
    edited: String,
    key: &str,
    value: &Value,
) -> Result<String, EditError> {
    let refused = || EditError::WouldChangeOtherKeys {
        key: key.to_owned(),
        line: root.and_then(|root| root.entry(key)).map_or(1, |entry| entry.line),
    };
    let mut expected = root.map_or_else(|| Value::Object(serde_json::Map::new()), YamlNode::value);
    expected[key] = value.clone();
    let parsed = parse(&edited).ok().flatten().map(|root| root.value()).ok_or_else(refused)?;
    if parsed != expected || edited == before {
        return Err(refused());
    }
    Ok(edited)
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// Returns the end of the line that contains a byte, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |offset| at + offset);
    if text[..end].ends_with('\r') && end > at { end - 1 } else { end }
}

/// Returns the indentation of the line that contains a byte.
fn line_indent(text: &str, at: usize) -> &str {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..];
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(before: &str, key: &str, value: &Value, after: &str) {
        assert_eq!(set_key(before, key, value).unwrap(), after);
    }

    #[test]
    fn setting_a_value_changes_nothing_else() {
        check("a: 1 # one\nb: 2\n", "a", &json!(3), "a: 3 # one\nb: 2\n");
        check("a: 'x' # one\r\nb: 2\r\n", "a", &json!("it's"), "a: 'it''s' # one\r\nb: 2\r\n");
        check("a: \"x\"\nb: 2", "b", &json!("yes: no"), "a: \"x\"\nb: \"yes: no\"");
        check("a:\nb: 2\n", "a", &json!("x"), "a: x\nb: 2\n");
        check("a:   # why\nb: 2\n", "a", &json!("x"), "a: x   # why\nb: 2\n");
        check("{a: 1, b: 2}\n", "a", &json!("x"), "{a: x, b: 2}\n");
        check("{a: 1, b: 2}\n", "a", &json!("x, y"), "{a: \"x, y\", b: 2}\n");
        check("ü: é # ñ\nb: 2\n", "b", &json!("ø"), "ü: é # ñ\nb: ø\n");
        check(
            "t: # tags\n  - a\n  - b # last\n\n# next\nb: 2\n",
            "t",
            &json!("x"),
            "t: x # tags # last\n\n# next\nb: 2\n",
        );
        check("t: |\n  one\n  two\n\nb: 2\n", "t", &json!("x"), "t: \"x\"\n\nb: 2\n");
        check("t: | # c\n\n# next\nb: 2\n", "t", &json!("x"), "t: \"x\" # c\n\n# next\nb: 2\n");
        check("t:\n  - |\n    one\n  # next\nb: 2\n", "t", &json!("x"), "t: x\n  # next\nb: 2\n");
    }

    #[test]
    fn replacing_a_list_with_an_empty_last_item_keeps_the_next_lines() {
        check("t:\n  - a\n  -\n\n# about b\nb: 2\n", "t", &json!("x"), "t: x\n\n# about b\nb: 2\n");
        check("t: # c\r\n  ? \n", "t", &json!("x"), "t: x # c \n");
    }

    #[test]
    fn a_missing_key_is_added_at_the_end() {
        check("a: 1\n", "b", &json!("2026-02-22"), "a: 1\nb: 2026-02-22\n");
        check("a: 1", "b", &json!(2), "a: 1\nb: 2");
        check("a: 1\r\n", "b", &json!(null), "a: 1\r\nb: null\r\n");
        check("", "b", &json!(2), "b: 2\n");
        check("# only a comment\n", "b", &json!(2), "# only a comment\nb: 2\n");
        check("{a: 1}\n", "b", &json!(2), "{a: 1, b: 2}\n");
        check("{}\n", "b", &json!(2), "{b: 2}\n");
        check("{a:}\n", "b", &json!("x, y"), "{a:, b: \"x, y\"}\n");
        check("{\n  a: 1, # one\n}\n", "b", &json!(2), "{\n  a: 1, b: 2, # one\n}\n");
    }

    #[test]
    fn an_item_is_appended_in_the_style_of_the_list() {
        let check = |before: &str, after: &str| {
            assert_eq!(append_to_list(before, "s", "ADR-0002").unwrap(), after);
        };
        check("s: [ADR-0001] # old\n", "s: [ADR-0001, ADR-0002] # old\n");
        check("s: []\n", "s: [ADR-0002]\n");
        check("s:\n  - ADR-0001 # old\nb: 2\n", "s:\n  - ADR-0001 # old\n  - ADR-0002\nb: 2\n");
        check("s:\r\n- ADR-0001\r\n", "s:\r\n- ADR-0001\r\n- ADR-0002\r\n");
        check("s: ADR-0001\n", "s: [ADR-0001, ADR-0002]\n");
        check("s: null\n", "s: [ADR-0002]\n");
        check("a: 1\n", "a: 1\ns: [ADR-0002]\n");
        check("s: [ADR-0002]\n", "s: [ADR-0002]\n");
        check("s:\n- |\n  ADR-0001\n\n# next\n", "s:\n- |\n  ADR-0001\n- ADR-0002\n\n# next\n");
    }

    #[test]
    fn an_anchored_value_is_refused() {
        let error = set_key("a: &x 1\nb: *x\n", "a", &json!(2)).unwrap_err();
        assert!(matches!(error, EditError::AnchoredOrTagged { line: 1, .. }));
        check("a: &x 1\nb: *x\n", "b", &json!(2), "a: &x 1\nb: 2\n");
    }
}
