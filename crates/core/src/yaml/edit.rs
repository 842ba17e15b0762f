//! Edits of one top-level key that leave every other byte as it was.
//!
//! After each edit the text is parsed again: the key must have its new value and every other key
//! its old one. What cannot be done so is refused, never approximated.

use std::ops::Range;

use super::scalar::write;
use super::{Kind, Node, Style, YamlError, parse, write_scalar};
use crate::Value;
use crate::lines::newline_of;

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is not YAML.
    #[error("{0}")]
    Yaml(#[from] YamlError),
    /// The text is YAML, but not a mapping.
    #[error("the front matter is not a mapping of keys to values")]
    NotAMap,
    /// The value is repeated elsewhere through an anchor, so changing it would change that too.
    #[error("`{key}` has an anchor (`&…`); changing it would change the places that refer to it")]
    Anchored {
        /// The key.
        key: String,
        /// Its line within the YAML text.
        line: usize,
    },
    /// The edited text did not read back as intended.
    #[error("`{key}` is written in a way that cannot be edited without touching other lines")]
    WouldTouchOthers {
        /// The key.
        key: String,
        /// Its line within the YAML text.
        line: usize,
    },
}

impl EditError {
    /// Returns the line within the YAML text, from 1.
    pub fn line(&self) -> usize {
        match self {
            EditError::Yaml(error) => error.line,
            EditError::NotAMap => 1,
            EditError::Anchored { line, .. } | EditError::WouldTouchOthers { line, .. } => *line,
        }
    }
}

/// Sets a top-level key, adding it at the end if it is not there.
pub fn set(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let root = root_of(text)?;
    let edited = match root.as_ref().and_then(|root| root.entry(key).map(|entry| (root, entry))) {
        Some((root, entry)) => {
            if entry.value.value() == *value {
                return Ok(text.to_owned());
            }
            refuse_anchors(&entry.value, key)?;
            let style = match &entry.value.kind {
                Kind::Scalar { style, .. } => *style,
                _ => Style::Plain,
            };
            let new = write(value, style, is_flow(root));
            let explicit_key =
                text[..entry.key_bytes.start].trim_end_matches([' ', '\t']).ends_with('?');
            if explicit_key && entry.value.bytes.is_empty() {
                return Err(EditError::WouldTouchOthers { key: key.to_owned(), line: entry.line });
            }
            replace_value(text, root, entry.key_bytes.end, &entry.value, &new)
        }
        None => insert_key(text, root.as_ref(), key, value),
    };
    verify(text, root.as_ref(), edited, key, value)
}

/// Adds an item to the list at a top-level key, in the list's own style. A missing or null key
/// becomes a list of one; a single value becomes the first item. An item already there stays once.
pub fn append_to_list(text: &str, key: &str, item: &str) -> Result<String, EditError> {
    let root = root_of(text)?;
    let item = Value::String(item.to_owned());
    let Some(entry) = root.as_ref().and_then(|root| root.entry(key)) else {
        return set(text, key, &Value::Array(vec![item]));
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
    let wanted = Value::Array(items.iter().cloned().chain([item.clone()]).collect());
    let edited = match &entry.value.kind {
        Kind::List { items, flow: true } if !items.is_empty() => {
            let last_end = items.last().map_or(entry.value.bytes.end, |last| last.bytes.end);
            let written = write_scalar(&Value::Array(vec![item]), Style::Plain);
            splice(text, last_end..last_end, &format!(", {}", &written[1..written.len() - 1]))
        }
        Kind::List { items, flow: false } if !items.is_empty() => {
            let last = items.last().map_or(entry.value.bytes.clone(), |last| last.bytes.clone());
            let indent = block_item_indent(text, entry.value.bytes.start);
            let line_end = line_end(text, last.end);
            splice(
                text,
                line_end..line_end,
                &format!("{}{indent}- {}", newline_of(text), write_scalar(&item, Style::Plain)),
            )
        }
        _ => return set(text, key, &wanted),
    };
    refuse_anchors(&entry.value, key)?;
    verify(text, root.as_ref(), edited, key, &wanted)
}

fn root_of(text: &str) -> Result<Option<Node>, EditError> {
    match parse(text)? {
        Some(root) if !matches!(root.kind, Kind::Map { .. }) => Err(EditError::NotAMap),
        root => Ok(root),
    }
}

fn is_flow(root: &Node) -> bool {
    matches!(root.kind, Kind::Map { flow: true, .. })
}

fn refuse_anchors(value: &Node, key: &str) -> Result<(), EditError> {
    let nested = match &value.kind {
        Kind::List { items, .. } => items.iter().try_for_each(|item| refuse_anchors(item, key)),
        Kind::Map { entries, .. } => {
            entries.iter().try_for_each(|entry| refuse_anchors(&entry.value, key))
        }
        _ => Ok(()),
    };
    nested?;
    if value.anchored || value.tagged {
        return Err(EditError::Anchored { key: key.to_owned(), line: value.line });
    }
    Ok(())
}

fn replace_value(text: &str, root: &Node, key_end: usize, value: &Node, new: &str) -> String {
    let colon = key_end + text[key_end..].find(':').map_or(0, |at| at + 1);
    let on_key_line = !text[colon..value.bytes.start.max(colon)].contains('\n');
    let empty = value.bytes.is_empty() || value.bytes.start < colon;
    if empty {
        let gap = if is_flow(root) && text[colon..].starts_with(' ') { "" } else { " " };
        let at = if gap.is_empty() { colon + 1 } else { colon };
        return splice(text, at..at, &format!("{gap}{new}"));
    }
    let block_scalar = matches!(value.kind, Kind::Scalar { style: Style::Block, .. });
    if on_key_line && !block_scalar {
        return splice(text, value.bytes.start..value.bytes.end, new);
    }
    // A value under its key: a comment between the colon and the value stays on the key's line.
    let rest = &text[colon..line_end(text, colon)];
    let comment = rest.find('#').map_or(String::new(), |at| format!(" {}", &rest[at..]));
    splice(text, colon..value.bytes.end, &format!(" {new}{comment}"))
}

fn insert_key(text: &str, root: Option<&Node>, key: &str, value: &Value) -> String {
    let in_flow = root.is_some_and(is_flow);
    let written = format!(
        "{}: {}",
        write(&Value::String(key.to_owned()), Style::Plain, in_flow),
        write(value, Style::Plain, in_flow)
    );
    let newline = newline_of(text);
    match root.map(|root| (&root.kind, &root.bytes)) {
        Some((Kind::Map { entries, flow: true }, bytes)) => {
            let at = entries
                .last()
                .map_or(bytes.start + 1, |last| last.value.bytes.end.max(last.key_bytes.end));
            let separator = if entries.is_empty() { "" } else { ", " };
            splice(text, at..at, &format!("{separator}{written}"))
        }
        _ if text.is_empty() || text.ends_with('\n') => format!("{text}{written}{newline}"),
        _ => format!("{text}{newline}{written}"),
    }
}

fn verify(
    before: &str,
    root: Option<&Node>,
    edited: String,
    key: &str,
    value: &Value,
) -> Result<String, EditError> {
    let refused = || EditError::WouldTouchOthers {
        key: key.to_owned(),
        line: root.and_then(|root| root.entry(key)).map_or(1, |entry| entry.line),
    };
    let mut wanted = root.map_or_else(|| Value::Object(serde_json::Map::new()), Node::value);
    wanted[key] = value.clone();
    let read_back = parse(&edited).ok().flatten().map(|root| root.value()).ok_or_else(refused)?;
    if read_back != wanted || edited == before {
        return Err(refused());
    }
    Ok(edited)
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// The end of the line that holds `at`, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |offset| at + offset);
    if text[..end].ends_with('\r') && end > at { end - 1 } else { end }
}

fn block_item_indent(text: &str, at: usize) -> &str {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..];
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(before: &str, key: &str, value: &Value, after: &str) {
        assert_eq!(set(before, key, value).unwrap(), after);
    }

    #[test]
    fn a_value_changes_alone() {
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
    fn a_list_that_ends_with_nothing_does_not_take_the_next_lines_along() {
        check("t:\n  - a\n  -\n\n# about b\nb: 2\n", "t", &json!("x"), "t: x\n\n# about b\nb: 2\n");
        check("t: # c\r\n  ? \n", "t", &json!("x"), "t: x # c \n");
    }

    #[test]
    fn a_missing_key_goes_last() {
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
    fn a_list_grows_in_its_own_style() {
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
        let error = set("a: &x 1\nb: *x\n", "a", &json!(2)).unwrap_err();
        assert!(matches!(error, EditError::Anchored { line: 1, .. }));
        check("a: &x 1\nb: *x\n", "b", &json!(2), "a: &x 1\nb: 2\n");
    }
}
