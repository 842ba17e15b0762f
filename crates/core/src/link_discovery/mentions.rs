//! Finds the sentences of a text that name other memories.

use std::ops::Range;

use super::SENTENCE_MAX_BYTES;
use super::names::NameIndex;
use crate::prose::{is_list_item, paragraphs, split_sentences};

/// A sentence with the memories that it names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The sentence, with the texts of its links alone.
    pub(super) text: String,
    /// The sentence in lower case, if its bytes keep their places; otherwise as it is.
    pub(super) lower: String,
    /// The names in it.
    pub(super) mentions: Vec<Mention>,
    /// Whether it begins the text.
    pub(super) is_first: bool,
}

/// A name in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// Where it stands in the sentence, in bytes.
    pub(super) range: Range<usize>,
    /// The memory that it refers to.
    pub(super) target: usize,
}

/// The most names of a sentence that are looked at. A sentence with more is a list.
const MAX_MENTIONS: usize = 16;

/// The rest of a longer paragraph is not read, in bytes.
const PARAGRAPH_MAX_BYTES: usize = 16 * 1024;

/// Parts of headings under which a document lists what it did not decide, or where else to read.
const SKIPPED_HEADINGS: [&str; 12] = [
    "alternative",
    "change log",
    "changelog",
    "considered",
    "further reading",
    "history",
    "links",
    "options",
    "references",
    "related",
    "see also",
    "table of contents",
];

/// Returns the sentences of a Markdown text, without code, tables, headings, questions and lists of links.
pub(super) fn sentences(text: &str, names: &NameIndex) -> Vec<Sentence> {
    let prose = without_code(text);
    let mut found: Vec<Sentence> = Vec::new();
    let mut is_skipped = false;
    for paragraph in paragraphs(&prose) {
        let paragraph = paragraph.trim();
        if paragraph.starts_with('#') {
            let title = paragraph.trim_start_matches('#').trim().to_lowercase();
            is_skipped = SKIPPED_HEADINGS.iter().any(|heading| title.contains(heading));
            continue;
        }
        if is_skipped || paragraph.starts_with(['|', '`']) {
            continue;
        }
        let paragraph = &paragraph[..paragraph.floor_char_boundary(PARAGRAPH_MAX_BYTES)];
        let (line, mentions) = read_paragraph(paragraph, names);
        for sentence in split_sentences(&line) {
            if sentence.len() > SENTENCE_MAX_BYTES {
                continue;
            }
            let start = sentence.as_ptr() as usize - line.as_ptr() as usize;
            let end = start + sentence.len();
            let inside =
                |mention: &&Mention| mention.range.start >= start && mention.range.end <= end;
            let moved = |mention: &Mention| Mention {
                range: mention.range.start - start..mention.range.end - start,
                target: mention.target,
            };
            // Only texts whose bytes keep their places in lower case can be compared with the places of names.
            let lower = sentence.to_lowercase();
            let lower = if lower.len() == sentence.len() { lower } else { sentence.to_owned() };
            found.push(Sentence {
                text: sentence.to_owned(),
                lower,
                mentions: mentions.iter().filter(inside).take(MAX_MENTIONS).map(moved).collect(),
                is_first: found.is_empty(),
            });
        }
    }
    found.retain(|sentence| !crate::prose::is_question(&sentence.text));
    found
}

fn without_code(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_code = false;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        in_code ^= is_fence;
        if !in_code && !is_fence {
            kept.push_str(line);
        }
    }
    kept
}

/// Returns the text of a paragraph on one line, with the texts of its links alone, and the names in it.
fn read_paragraph(paragraph: &str, names: &NameIndex) -> (String, Vec<Mention>) {
    let bare = paragraph.trim_start_matches(['>', ' ']);
    let bare = match is_list_item(bare) {
        true => bare.split_once(' ').map_or(bare, |(_, text)| text),
        false => bare,
    };
    let joined = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line = String::with_capacity(joined.len());
    let mut links: Vec<(Range<usize>, Option<usize>)> = Vec::new();
    let mut rest = joined.as_str();
    while let Some(open) = rest.find('[') {
        let (before, from_link) = rest.split_at(open);
        line.push_str(before);
        let Some(link) = Link::read(from_link) else {
            line.push('[');
            rest = &from_link[1..];
            continue;
        };
        let start = line.len();
        line.push_str(link.text);
        if let Some(destination) = link.destination {
            let target = names.linked(destination);
            // A link decides what its text means: `ADR 33` may be the record of another repository.
            if target.is_some() || destination.contains("://") {
                links.push((start..line.len(), target));
            }
        }
        rest = &from_link[link.bytes..];
    }
    line.push_str(rest);
    let is_in_link = |range: &Range<usize>| {
        links.iter().any(|(link, _)| link.start < range.end && range.start < link.end)
    };
    let named = names.find_all(&line).into_iter().filter(|(range, _)| !is_in_link(range));
    let mut mentions: Vec<Mention> =
        named.map(|(range, target)| Mention { range, target }).collect();
    let linked = links.iter().filter_map(|(range, target)| Some((range.clone(), (*target)?)));
    mentions.extend(linked.map(|(range, target)| Mention { range, target }));
    mentions.sort_by_key(|mention| mention.range.start);
    (line, mentions)
}

/// A Markdown link.
struct Link<'t> {
    text: &'t str,
    /// `None` for a link whose destination stands elsewhere.
    destination: Option<&'t str>,
    /// The length of all of it.
    bytes: usize,
}

impl<'t> Link<'t> {
    /// Reads the link that a text begins with.
    fn read(text: &'t str) -> Option<Self> {
        let close = text.find(']')?;
        let label = &text[1..close];
        let after = &text[close + 1..];
        if let Some(rest) = after.strip_prefix('(') {
            let end = rest.find(')')?;
            let bytes = close + 1 + 1 + end + 1;
            return Some(Link { text: label, destination: Some(&rest[..end]), bytes });
        }
        let rest = after.strip_prefix('[')?;
        let bytes = close + 1 + 1 + rest.find(']')? + 1;
        Some(Link { text: label, destination: None, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link_discovery::{LinkRole, LinkableMemory};
    use crate::record::Referent;

    fn names() -> NameIndex {
        let record = |number: u32, file: &str| LinkableMemory {
            number: Some(number),
            names: vec![file.to_owned()],
            ..LinkableMemory::new(Referent::document(file), LinkRole::DecisionRecord, "")
        };
        NameIndex::new(&[record(6, "0006-a.md"), record(33, "0033-b.md")])
    }

    fn found(text: &str) -> Vec<(String, Vec<usize>)> {
        let sentences = sentences(text, &names()).into_iter();
        let named = sentences.filter(|sentence| !sentence.mentions.is_empty());
        named
            .map(|sentence| {
                let targets = sentence.mentions.iter().map(|mention| mention.target).collect();
                (sentence.text, targets)
            })
            .collect()
    }

    #[test]
    fn links_are_read_as_their_texts() {
        let text =
            "As [ADR 6](./0006-a.md) says, wrapped\nlines. See [prefixes](../0033-b.md#x) too.";
        assert_eq!(
            found(text),
            [
                ("As ADR 6 says, wrapped lines.".to_owned(), vec![0]),
                ("See prefixes too.".to_owned(), vec![1]),
            ]
        );
    }

    #[test]
    fn records_of_other_repositories_code_and_lists_of_references_are_left_out() {
        assert_eq!(found("As [ADR 33](https://x.org/adr-033-proto.md) says."), []);
        assert_eq!(found("```\n// per ADR 6\n```\n"), []);
        assert_eq!(found("## References\n\n- ADR 6\n\n## Decision\n\n* Follow ADR 33.").len(), 1);
        assert_eq!(found("Should we follow ADR 6?"), []);
    }
}
