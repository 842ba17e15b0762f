//! What the text of a document states about itself: lines such as `**Status:** Done`, rows of a table, sections of a
//! word or two.

use super::status::letters_of;
use crate::document::DocumentSection;

/// How many sections at the beginning of a document may state something about it.
const MAX_SECTIONS: usize = 3;

/// A longer value is prose and no statement.
const MAX_VALUE_CHARS: usize = 120;

/// Returns the first value that a document states for one of some labels: in a line or a row near its beginning, or in a
/// section with that heading.
pub(super) fn stated_value(sections: &[DocumentSection<'_>], labels: &[&str]) -> Option<String> {
    let is_label = |text: &str| labels.contains(&letters_of(text).as_str());
    let head = sections.iter().take(MAX_SECTIONS).flat_map(prose_lines);
    let in_line = head.filter_map(split_statement).find(|(label, _)| is_label(label));
    if let Some((_, value)) = in_line {
        return Some(value);
    }
    let is_named =
        |section: &&DocumentSection<'_>| section.heading.is_some_and(|it| is_label(&it.text));
    let section = sections.iter().find(is_named)?;
    let line = prose_lines(section).find(|line| !line.trim().is_empty())?;
    let value = plain_text(line.trim_start().trim_start_matches(['-', '*', ' ']));
    (!value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS).then_some(value)
}

/// Returns whether a line states something instead of being prose: `**Status:** Done`.
pub(super) fn is_statement(line: &str) -> bool {
    let is_marked =
        line.trim_start().trim_start_matches(['-', ' ', '>']).starts_with(['*', '_', '|']);
    let labels = [
        "status", "created", "date", "tags", "labels", "keywords", "updated", "author", "authors",
        "owner", "priority",
    ];
    split_statement(line)
        .is_some_and(|(label, _)| is_marked || labels.contains(&letters_of(&label).as_str()))
}

/// Splits `**Label:** value`, `- Label: value` or `| Label | value |`.
fn split_statement(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let (label, value) = match line.strip_prefix('|') {
        Some(row) => row.trim_end_matches('|').split_once('|')?,
        None => line.trim_start_matches(['-', '>', ' ']).split_once(':')?,
    };
    let (label, value) = (plain_text(label), plain_text(value));
    let is_short = label.split_whitespace().count() <= 3;
    (is_short && !label.is_empty() && !value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS)
        .then_some((label, value))
}

/// Returns the lines of a section that are not code.
pub(super) fn prose_lines<'s>(section: &'s DocumentSection<'_>) -> impl Iterator<Item = &'s str> {
    let mut fence: Option<&str> = None;
    section.lines.iter().copied().filter(move |line| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark);
                false
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                false
            }
            (open, _) => open.is_none(),
        }
    })
}

/// Returns a text without emphasis, code marks, links and the space around it.
pub(super) fn plain_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['*', '`', '[', '_']) {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let is_inside_word = marked.starts_with('_')
            && before.ends_with(char::is_alphanumeric)
            && marked[1..].starts_with(char::is_alphanumeric);
        if let Some((label, after)) = split_link(marked) {
            out.push_str(&plain_text(label));
            rest = after;
        } else {
            if is_inside_word || marked.starts_with('[') {
                out.push_str(&marked[..1]);
            }
            rest = &marked[1..];
        }
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits `[label](target)` off the start of a text.
fn split_link(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    (!label.contains(['[', ']', '\n'])).then_some((label, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn status(text: &str) -> Option<String> {
        let document = Document::parse("p.md", text);
        stated_value(&document.sections(), &["status"])
    }

    #[test]
    fn a_status_is_stated_in_a_line_a_row_or_a_section() {
        for text in [
            "# A\n\n**Status:** Done\n",
            "# A\n\n- **Status**: Done\n",
            "# A\n\n> Status: `Done`\n",
            "# A\n\n| Status | **Done** |\n",
            "# A\n\nText.\n\n## Goals\n\nText.\n\n## More\n\nText.\n\n## Status\n\nDone\n",
        ] {
            assert_eq!(status(text).as_deref(), Some("Done"), "{text}");
        }
        assert_eq!(status("# A\n\n```\nStatus: Done\n```\n"), None);
        assert_eq!(status("# A\n\nThe status: nobody knows.\n"), None);
    }

    #[test]
    fn markup_is_removed() {
        assert_eq!(plain_text(" **A** [link](x.md) `c_d` _e_ "), "A link c_d e");
        assert_eq!(plain_text("[x] open [y"), "[x] open [y");
    }
}
