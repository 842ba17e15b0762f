//! The statements of a rule, its list items and paragraphs: finding one, adding one, and replacing one.

use std::ops::Range;

use super::item::{self, slug};
use crate::lines::detect_newline;
use crate::prose;

/// The marks before a list item.
const LIST_MARKS: [char; 3] = ['-', '*', '+'];

/// A list item or a paragraph.
struct Statement<'t> {
    /// The line on which it begins, from 1.
    line: usize,
    /// Its bytes, without the line break at the end.
    bytes: Range<usize>,
    /// The mark of a list item with the space before it; empty for a paragraph.
    mark: &'t str,
    /// What it says.
    text: String,
}

/// Returns the statements of a text. Lines that continue one belong to it.
fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut found: Vec<Statement<'_>> = vec![];
    let mut is_open = false;
    let mut start = 0;
    for (line, content) in (1..).zip(text.split_inclusive('\n')) {
        let end = start + content.trim_end().len();
        let own = content.trim();
        let item = own.strip_prefix(LIST_MARKS).filter(|rest| rest.starts_with([' ', '\t']));
        if own.is_empty() || own.starts_with('#') {
            is_open = false;
        } else if let Some(open) = found.last_mut().filter(|_| is_open && item.is_none()) {
            open.bytes.end = end;
            open.text.push(' ');
            open.text.push_str(own);
        } else {
            let said = item.unwrap_or(own).trim();
            let mark = content.trim_end().strip_suffix(said).unwrap_or_default();
            let mark = if item.is_some() { mark.trim_end() } else { "" };
            found.push(Statement { line, bytes: start..end, mark, text: said.to_owned() });
            is_open = true;
        }
        start += content.len();
    }
    found
}

fn find_statement<'t>(text: &'t str, said: &str) -> Option<Statement<'t>> {
    let key = prose::comparison_key(said);
    let is_same = |statement: &Statement<'_>| prose::comparison_key(&statement.text) == key;
    statements(text).into_iter().find(is_same).filter(|_| !key.is_empty())
}

/// Returns the line, from 1, of the statement that says the same in the same words.
pub fn find(text: &str, said: &str) -> Option<usize> {
    find_statement(text, said).map(|statement| statement.line)
}

/// Adds a list item to the text below a heading, which is added if the text has none. `said` is one line.
pub fn add(text: &str, heading: &str, said: &str) -> String {
    let newline = detect_newline(text);
    let items = item::items(text);
    let Some(item) = items.iter().find(|item| slug(&item.heading) == slug(heading)) else {
        let before = text.trim_end();
        let space = if before.is_empty() { String::new() } else { newline.repeat(2) };
        return format!("{before}{space}## {heading}{newline}{newline}- {said}{newline}");
    };
    let own = text[item.bytes.start..item.own_end].trim_end();
    let (before, after) = text.split_at(item.bytes.start + own.len());
    let last = statements(own).pop().filter(|last| last.bytes.end == own.len());
    let list_mark = last.map(|last| last.mark.trim_start().to_owned());
    // A list goes on with the mark that it has; a paragraph is followed by an empty line.
    let (space, mark) = match list_mark.filter(|mark| !mark.is_empty()) {
        Some(mark) => (newline.to_owned(), mark),
        None => (newline.repeat(2), "-".to_owned()),
    };
    let end = if after.is_empty() { newline } else { "" };
    format!("{before}{space}{mark} {said}{end}{after}")
}

/// Replaces the statement that says the same as `earlier`; `None` if there is none. `said` is one line.
pub fn replace(text: &str, earlier: &str, said: &str) -> Option<String> {
    let Statement { bytes, mark, .. } = find_statement(text, earlier)?;
    let (before, after) = (&text[..bytes.start], &text[bytes.end..]);
    let space = if mark.is_empty() { "" } else { " " };
    Some(format!("{before}{mark}{space}{said}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "\
<!-- budget: 9 lines -->
# Rules

All of them.

## Patterns

* Run clippy
  before every commit.
* Write tests.

## Naming
";

    #[test]
    fn statements_are_found_in_whatever_case_and_layout() {
        assert_eq!(find(RULE, "run clippy before every commit"), Some(8));
        assert_eq!(find(RULE, "All of them."), Some(4));
        assert_eq!(find(RULE, "Write tests first."), None);
        assert_eq!(find(RULE, "Patterns"), None);
        assert_eq!(find(RULE, "…"), None);
        assert_eq!(find("- \n-\n", ""), None);
    }

    #[test]
    fn a_statement_is_added_to_the_list_below_its_heading() {
        let added = add(RULE, "Patterns", "Never unwrap.");
        let expected = RULE.replace("* Write tests.\n", "* Write tests.\n* Never unwrap.\n");
        assert_eq!(added, expected);
        assert_eq!(find(&added, "Never unwrap."), Some(11));
        let added = add(RULE, "Naming", "Short.");
        assert_eq!(added, format!("{RULE}\n- Short.\n"));
        let added = add(RULE, "Rules", "Be brief.");
        assert!(added.contains("All of them.\n\n- Be brief.\n\n## Patterns"), "{added}");
        let added = add(RULE, "Preferences", "Tabs.");
        assert_eq!(added, format!("{RULE}\n## Preferences\n\n- Tabs.\n"));
    }

    #[test]
    fn line_breaks_and_the_end_of_the_text_are_kept() {
        assert_eq!(add("", "A", "x."), "## A\n\n- x.\n");
        assert_eq!(add("# A\r\n\r\n- y.\r\n", "a", "x."), "# A\r\n\r\n- y.\r\n- x.\r\n");
        assert_eq!(add("# A\n- y.", "A", "x."), "# A\n- y.\n- x.\n");
    }

    #[test]
    fn a_statement_takes_the_place_of_an_earlier_one() {
        let replaced = replace(RULE, "Run clippy before every commit.", "Run clippy often.");
        let expected = RULE.replace("* Run clippy\n  before every commit.", "* Run clippy often.");
        assert_eq!(replaced, Some(expected));
        assert_eq!(replace("  - a b\r\n", "A b.", "c"), Some("  - c\r\n".to_owned()));
        assert_eq!(replace("Say it.\n", "say it", "c"), Some("c\n".to_owned()));
        assert_eq!(replace(RULE, "Other.", "x"), None);
    }
}
