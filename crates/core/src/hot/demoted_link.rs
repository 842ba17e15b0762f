//! The line that takes the place of an item of hot memory while the item is in warm memory: a link, and a comment with the
//! id of the item and the level of its heading.

use std::ops::Range;

use crate::path;

/// The start of the comment after a link, and of the comment before an item in a warm document.
pub(super) const OPEN: &str = "<!-- demoted: ";

/// The end of these comments.
pub(super) const END: &str = " -->";

/// A link to a demoted item in a hot file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemotedLink {
    /// The id of the item.
    pub id: String,
    /// The heading of the item.
    pub heading: String,
    /// The path of the warm document, relative to the root.
    pub target: String,
    /// The line of the link.
    pub line: usize,
    /// The bytes of the line, without its line break.
    pub(super) bytes: Range<usize>,
}

/// Returns the links to demoted items in a hot file.
pub fn links(path: &str, text: &str) -> Vec<DemotedLink> {
    let found = link_lines(text).filter_map(|line| {
        Some(DemotedLink {
            id: line.id.to_owned(),
            heading: line.label.to_owned(),
            target: path::resolve_link(path, line.target)?,
            line: line.number,
            bytes: line.bytes,
        })
    });
    found.collect()
}

/// Returns the offset of each line with a link, and the level of the heading that was there.
pub(super) fn offsets_and_levels(text: &str) -> Vec<(usize, u8)> {
    link_lines(text).filter_map(|line| Some((line.bytes.start, line.level?))).collect()
}

/// A line with a link, as written.
struct LinkLine<'t> {
    number: usize,
    bytes: Range<usize>,
    label: &'t str,
    target: &'t str,
    id: &'t str,
    level: Option<u8>,
}

fn link_lines(text: &str) -> impl Iterator<Item = LinkLine<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').enumerate().filter_map(move |(at, line)| {
        let bytes = start..start + line.trim_end_matches(['\r', '\n']).len();
        start += line.len();
        parse_line(&text[bytes.clone()], at + 1, bytes)
    })
}

fn parse_line(line: &str, number: usize, bytes: Range<usize>) -> Option<LinkLine<'_>> {
    let (link, comment) = line.trim_end().strip_suffix(END)?.rsplit_once(OPEN)?;
    let (id, level) = comment.split_once("; level ").unwrap_or((comment, ""));
    let (label, target) = link.trim_end().strip_prefix('[')?.split_once("](")?;
    let target = target.strip_suffix(')')?;
    let target = target.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap_or(target);
    // A path may contain `#`, and a fragment does not.
    let target = target.rsplit_once('#').map_or(target, |(target, _)| target);
    Some(LinkLine { number, bytes, label, target, id, level: level.parse().ok() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_states_the_document_and_the_item() {
        let parsed = |line: &str| {
            let link = links("rules/a.md", line).pop()?;
            Some((link.heading, link.target, link.id))
        };
        for (line, target) in [
            ("[A](<../docs/c#.md#a>) <!-- demoted: 12; level 2 -->", "docs/c#.md"),
            ("[A](../docs/c.md#a) <!-- demoted: 12 -->\r\n", "docs/c.md"),
            ("[A](c.md) <!-- demoted: 12; level 2 -->", "rules/c.md"),
        ] {
            assert_eq!(parsed(line), Some(("A".into(), target.into(), "12".into())), "{line}");
        }
        for line in ["[A](c.md)", "[A](../../c.md) <!-- demoted: 12 -->", "<!-- demoted: 12 -->"] {
            assert_eq!(parsed(line), None, "{line}");
        }
    }
}
