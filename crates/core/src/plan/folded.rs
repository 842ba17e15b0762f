//! Folds an `ABSTRACT.md` into the front matter of the overview beside it.

use super::stated::{plain_text, prose_lines};
use crate::{Document, prose};

/// The longest abstract that becomes a description, in characters.
const MAX_ABSTRACT_CHARS: usize = 2_000;

/// Why an abstract cannot become the description of an overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AbstractError {
    /// It has no text.
    #[error("it has no text")]
    Empty,
    /// It has lists, tables, code or several sections, which a description cannot hold.
    #[error("it is more than a few paragraphs of prose")]
    NotProse,
    /// It is too long for a description.
    #[error("it is longer than {MAX_ABSTRACT_CHARS} characters")]
    TooLong,
}

/// Returns the text of an abstract as a description: its paragraphs in one line.
pub fn fold_abstract(document: &Document) -> Result<String, AbstractError> {
    if let Some(description) =
        document.field("description").filter(|_| document.prose.trim().is_empty())
    {
        return Ok(description.to_owned());
    }
    let sections = document.sections();
    let with_text: Vec<_> = sections
        .iter()
        .filter(|section| section.lines.iter().any(|line| !line.trim().is_empty()))
        .collect();
    let section = match with_text.as_slice() {
        [] => return Err(AbstractError::Empty),
        [one] => one,
        _ => return Err(AbstractError::NotProse),
    };
    let lines: Vec<&str> = prose_lines(section).collect();
    let is_block = |line: &&str| {
        let line = line.trim_start();
        line.starts_with(['|', '>', '<', '!', '#']) || prose::is_list_item(line)
    };
    if lines.len() < section.lines.len() || lines.iter().any(is_block) {
        return Err(AbstractError::NotProse);
    }
    let text = plain_text(&lines.join(" "));
    match text.chars().count() {
        0 => Err(AbstractError::Empty),
        count if count > MAX_ABSTRACT_CHARS => Err(AbstractError::TooLong),
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> Result<String, AbstractError> {
        fold_abstract(&Document::parse("ABSTRACT.md", text))
    }

    #[test]
    fn paragraphs_become_one_line() {
        assert_eq!(
            fold("# DevTools\n\nShared *tools*\nfor all.\n\nAnd more.\n").unwrap(),
            "Shared tools for all. And more."
        );
        assert_eq!(fold("---\ndescription: A\n---\n").unwrap(), "A");
    }

    #[test]
    fn what_a_description_cannot_hold_is_refused() {
        assert_eq!(fold("# A\n"), Err(AbstractError::Empty));
        assert_eq!(fold("Text:\n\n- a list\n"), Err(AbstractError::NotProse));
        assert_eq!(fold("Text.\n\n```\ncode\n```\n"), Err(AbstractError::NotProse));
        assert_eq!(fold("# A\n\nText.\n\n## B\n\nText.\n"), Err(AbstractError::NotProse));
        assert_eq!(fold(&"word ".repeat(500)), Err(AbstractError::TooLong));
    }
}
