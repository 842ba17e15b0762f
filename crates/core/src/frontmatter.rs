//! Finds the YAML block at the start of a markdown document and edits single keys of it.

use std::ops::Range;

use crate::lines::detect_newline;
use crate::yaml::{self, EditError};
use crate::{Problem, Value, byte_order_mark};

const FENCE: &str = "---";

/// The position of a document's front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatterLocation {
    /// There is no front matter; the body is the whole text.
    None,
    /// The front matter opens and never closes.
    Unclosed,
    /// The front matter is between two fences.
    Block {
        /// The byte range of the YAML between the fences.
        yaml: Range<usize>,
        /// The byte offset after the line of the closing fence.
        body: usize,
    },
}

/// Finds the front matter of a text: a line `---` at its very start, up to the next `---` or `...`.
pub fn split(text: &str) -> FrontMatterLocation {
    let (mark, rest) = byte_order_mark::split(text);
    let mut lines = rest.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == FENCE) else {
        return FrontMatterLocation::None;
    };
    let yaml_start = mark.len() + first.len();
    let mut at = yaml_start;
    for line in lines {
        if matches!(line.trim_end(), FENCE | "...") {
            return FrontMatterLocation::Block { yaml: yaml_start..at, body: at + line.len() };
        }
        at += line.len();
    }
    FrontMatterLocation::Unclosed
}

/// Returns the byte offset of the text after the front matter; 0 if there is none or it never closes.
pub(crate) fn body_start(text: &str) -> usize {
    match split(text) {
        FrontMatterLocation::Block { body, .. } => body,
        FrontMatterLocation::None | FrontMatterLocation::Unclosed => 0,
    }
}

/// Sets one key of the front matter, adding the key or the whole block if it is missing. Every other
/// byte is kept.
pub fn set(path: &str, text: &str, key: &str, value: &Value) -> Result<String, Problem> {
    edit(path, text, |yaml| yaml::set_key(yaml, key, value))
}

/// Adds an item to a list in the front matter. Every other byte is kept.
pub fn append_to_list(path: &str, text: &str, key: &str, item: &str) -> Result<String, Problem> {
    edit(path, text, |yaml| yaml::append_to_list(yaml, key, item))
}

fn edit(
    path: &str,
    text: &str,
    change: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<String, Problem> {
    let edit_problem = |error: &EditError| {
        Problem::at(path, error.line() + 1, error.to_string()).hint("edit the file by hand")
    };
    match split(text) {
        FrontMatterLocation::Block { yaml, .. } => {
            let edited = change(&text[yaml.clone()]).map_err(|error| edit_problem(&error))?;
            let edited_text = format!("{}{edited}{}", &text[..yaml.start], &text[yaml.end..]);
            match split(&edited_text) {
                FrontMatterLocation::Block { yaml: edited_range, .. }
                    if edited_range == (yaml.start..yaml.start + edited.len()) =>
                {
                    Ok(edited_text)
                }
                _ => Err(Problem::at(path, 1, "the new value would end the front matter early")
                    .hint("edit the file by hand")),
            }
        }
        FrontMatterLocation::None => {
            let newline = detect_newline(text);
            let yaml = change("").map_err(|error| edit_problem(&error))?.replace('\n', newline);
            let (mark, body) = byte_order_mark::split(text);
            let needs_gap = !body.is_empty() && !body.starts_with(['\n', '\r']);
            let gap = if needs_gap { newline } else { "" };
            Ok(format!("{mark}{FENCE}{newline}{yaml}{FENCE}{newline}{gap}{body}"))
        }
        FrontMatterLocation::Unclosed => Err(unclosed_problem(path)),
    }
}

/// Describes a front matter that never closes.
pub(crate) fn unclosed_problem(path: &str) -> Problem {
    Problem::at(path, 1, "the front matter opens with `---` and never closes")
        .hint("add a line `---` after the last key")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_block_ends_at_the_next_fence() {
        let text = "---\na: 1\n---\nbody\n---\n";
        assert_eq!(split(text), FrontMatterLocation::Block { yaml: 4..9, body: 13 });
        assert_eq!(split("text\n---\n"), FrontMatterLocation::None);
        assert_eq!(split("---\na: 1\n"), FrontMatterLocation::Unclosed);
        assert_eq!(
            split("---\r\na: 1\r\n---"),
            FrontMatterLocation::Block { yaml: 5..11, body: 14 }
        );
    }

    #[test]
    fn missing_front_matter_is_added() {
        assert_eq!(
            set("d.md", "# T\n", "updated", &json!("2026-02-22")).unwrap(),
            "---\nupdated: 2026-02-22\n---\n\n# T\n"
        );
        assert_eq!(set("d.md", "", "a", &json!(1)).unwrap(), "---\na: 1\n---\n");
    }

    #[test]
    fn an_edit_changes_only_its_key() {
        let text = "---\r\n# c\r\nupdated: 2026-01-01 # d\r\n---\r\nbody";
        assert_eq!(
            set("d.md", text, "updated", &json!("2026-02-22")).unwrap(),
            text.replace("2026-01-01", "2026-02-22")
        );
        assert_eq!(set("d.md", "---\n---\nx", "a", &json!(1)).unwrap(), "---\na: 1\n---\nx");
    }

    #[test]
    fn unclosed_front_matter_is_not_edited() {
        assert_eq!(set("d.md", "---\na: 1\n", "a", &json!(2)).unwrap_err().line, 1);
    }
}
