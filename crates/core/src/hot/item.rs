//! The items of a file of hot memory: its headings, each with the text below it.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::demoted_link;
use crate::frontmatter;

/// A heading with the text below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotItem {
    /// The heading without markup.
    pub heading: String,
    /// The fragment by which a link refers to it: `naming-of-branches`.
    pub slug: String,
    /// The level of the heading, from 1 to 6.
    pub level: u8,
    /// The line of the heading, from 1.
    pub line: usize,
    /// The bytes of the heading and of all below it, up to the next heading of its level or above, or up to the link to a
    /// demoted item that had such a heading.
    pub bytes: Range<usize>,
    /// Where the text that belongs to no heading below it ends.
    pub own_end: usize,
}

impl HotItem {
    /// Returns whether there is text between its heading and the next one.
    pub fn has_own_text(&self, text: &str) -> bool {
        let own = text[self.bytes.start..self.own_end].lines().skip(1);
        own.into_iter().any(|line| !line.trim().is_empty())
    }
}

/// What a name of an item means.
#[derive(Debug, PartialEq, Eq)]
pub enum ItemMatch<'i> {
    /// One item.
    One(&'i HotItem),
    /// Several items with the same heading.
    Several(Vec<&'i HotItem>),
    /// No item.
    Nothing,
}

/// Returns the items of a text, in order. A heading in a quote, a list or a code block is none.
pub fn items(text: &str) -> Vec<HotItem> {
    let start = frontmatter::body_start(text);
    let headings = headings(&text[start..], start);
    let links = demoted_link::offsets_and_levels(text);
    let line_start = |offset: usize| text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let mut slugs: HashMap<String, usize> = HashMap::new();
    let mut items = Vec::with_capacity(headings.len());
    for (at, (offset, level, heading)) in headings.iter().enumerate() {
        let offset = line_start(*offset);
        let later = &headings[at + 1..];
        let heading_end = later.iter().find(|(_, other, _)| other <= level);
        let heading_end = heading_end.map_or(text.len(), |(next, ..)| line_start(*next));
        let link = links.iter().find(|(link, other)| *link > offset && other <= level);
        let end = link.map_or(heading_end, |(link, _)| heading_end.min(*link));
        let own_end = later.first().map_or(end, |(next, ..)| end.min(line_start(*next)));
        let slug = slug(heading);
        let repeated = slugs.entry(slug.clone()).or_default();
        let unique = if *repeated == 0 { slug.clone() } else { format!("{slug}-{repeated}") };
        *repeated += 1;
        items.push(HotItem {
            heading: heading.clone(),
            slug: unique,
            level: *level,
            line: 1 + text[..offset].bytes().filter(|byte| *byte == b'\n').count(),
            bytes: offset..end,
            own_end,
        });
    }
    items
}

/// Returns the offset, level and text of every heading at the top of a body.
fn headings(body: &str, start: usize) -> Vec<(usize, u8, String)> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut headings = Vec::new();
    let mut open: Option<(usize, u8, String)> = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                open = Some((start + range.start, level as u8, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            Event::Text(content) | Event::Code(content) => {
                if let Some((_, _, text)) = &mut open {
                    text.push_str(&content);
                }
            }
            _ => {}
        }
    }
    headings
}

/// Finds an item by its heading, by the fragment of a link to it, or by its line (`L12`).
pub fn find<'i>(items: &'i [HotItem], typed: &str) -> ItemMatch<'i> {
    let typed = typed.trim().trim_start_matches('#').trim();
    let lower = typed.to_lowercase();
    let line = lower.strip_prefix('l').and_then(|digits| digits.parse::<usize>().ok());
    if let Some(item) = items.iter().find(|item| Some(item.line) == line) {
        return ItemMatch::One(item);
    }
    if let Some(item) = items.iter().find(|item| item.slug == lower) {
        let repeated: Vec<&HotItem> =
            items.iter().filter(|other| slug(&other.heading) == lower).collect();
        // The fragment of the first of several equal headings is also the name of all of them.
        return if repeated.len() > 1 {
            ItemMatch::Several(repeated)
        } else {
            ItemMatch::One(item)
        };
    }
    let named: Vec<&HotItem> =
        items.iter().filter(|item| item.heading.trim().to_lowercase() == lower).collect();
    match named.as_slice() {
        [] => ItemMatch::Nothing,
        [item] => ItemMatch::One(item),
        _ => ItemMatch::Several(named),
    }
}

/// Returns the fragment of a heading, as code hosts make it.
pub fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\ntitle: x\n---\n# Rules\n\nAll.\n\n## Naming of `branches`\n\n- feat/x\n\n### Long names\n\nShort.\n\n```\n## no heading\n```\n\n> ## quoted\n\n- ## listed\n\nSetext\n------\nend";

    #[test]
    fn an_item_reaches_to_the_next_heading_of_its_level() {
        let items = items(TEXT);
        let shown: Vec<(&str, u8, usize)> =
            items.iter().map(|item| (item.slug.as_str(), item.level, item.line)).collect();
        assert_eq!(
            shown,
            [
                ("rules", 1, 4),
                ("naming-of-branches", 2, 8),
                ("long-names", 3, 12),
                ("setext", 2, 24)
            ]
        );
        let naming = &TEXT[items[1].bytes.clone()];
        assert!(naming.starts_with("## Naming") && naming.ends_with("- ## listed\n\n"), "{naming}");
        let own = &TEXT[items[1].bytes.start..items[1].own_end];
        assert_eq!(own, "## Naming of `branches`\n\n- feat/x\n\n");
        assert_eq!(&TEXT[items[3].bytes.clone()], "Setext\n------\nend");
        assert_eq!(items[0].bytes.end, TEXT.len());
    }

    #[test]
    fn an_item_is_found_by_heading_or_fragment() {
        let items = items("# A b\n## Same\n## Same\n");
        for typed in ["A b", "#a-b", "a-b", " a B "] {
            assert_eq!(find(&items, typed), ItemMatch::One(&items[0]), "{typed}");
        }
        assert_eq!(find(&items, "same"), ItemMatch::Several(vec![&items[1], &items[2]]));
        assert_eq!(find(&items, "same-1"), ItemMatch::One(&items[2]));
        assert_eq!(find(&items, "L2"), ItemMatch::One(&items[1]));
        assert_eq!(find(&items, "other"), ItemMatch::Nothing);
    }
}
