//! One pass over a document's markdown: headings, references and the fences that hold values.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::reference::{self, How};

/// Headings under which a fenced `yaml` mapping is values and not an example.
const VALUE_HEADINGS: &[&str] = &["defaults", "overrides", "context"];

/// What one pass found, each with its byte offset in the text.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) headings: Vec<(usize, u8, String)>,
    pub(super) references: Vec<(usize, String, How)>,
    pub(super) fences: Vec<Fence>,
}

/// A fenced block that holds values.
#[derive(Debug)]
pub(super) struct Fence {
    /// Offset of its first line of content.
    pub(super) at: usize,
    /// Its content.
    pub(super) text: String,
    /// Whether it is fenced as `yaml heirloom`, so that it must hold values.
    pub(super) marked: bool,
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_WIKILINKS
}

/// Returns the bytes of every link of a text, label and all, with where it leads as it is written.
pub(crate) fn link_ranges(text: &str) -> Vec<(Range<usize>, String)> {
    let events = Parser::new_ext(text, options()).into_offset_iter();
    events
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some((range, dest_url.into_string())),
            _ => None,
        })
        .collect()
}

pub(super) fn read(text: &str) -> Read {
    let mut read = Read::default();
    let mut heading: Option<(usize, u8, String)> = None;
    let mut fence: Option<Fence> = None;
    let mut in_code = false;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((range.start, level as u8, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => read.headings.extend(heading.take()),
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                fence = value_fence(&kind, read.headings.last().map(|(_, _, text)| text.as_str()))
                    .map(|marked| Fence {
                        at: after_line(text, range.start),
                        text: String::new(),
                        marked,
                    });
            }
            Event::End(TagEnd::CodeBlock) => {
                in_code = false;
                read.fences.extend(fence.take());
            }
            Event::Start(Tag::Link { link_type: LinkType::WikiLink { .. }, dest_url, .. }) => {
                let target = reference::wiki_target(&dest_url);
                read.references.extend(target.map(|target| (range.start, target, How::Wiki)));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                if let Some(target) = reference::link_target(&dest_url) {
                    read.references.push((range.start, target, How::Link));
                }
            }
            Event::Text(content) if in_code => {
                if let Some(fence) = &mut fence {
                    fence.text.push_str(&content);
                }
            }
            Event::Text(content) => {
                if let Some((_, _, text)) = &mut heading {
                    text.push_str(&content);
                }
                let mentions = reference::adr_mentions(&content);
                read.references
                    .extend(mentions.into_iter().map(|target| (range.start, target, How::Mention)));
                let words = reference::numbered_names(&content);
                read.references.extend(words.map(|word| (range.start, word.to_owned(), How::Word)));
            }
            Event::Code(content) => {
                let word = reference::name_in_code(&content);
                read.references.extend(word.map(|word| (range.start, word.to_owned(), How::Word)));
                if let Some((_, _, text)) = &mut heading {
                    text.push_str(&content);
                }
            }
            _ => {}
        }
    }
    read
}

/// Returns whether a fence holds values, and if so whether it says so itself.
fn value_fence(kind: &CodeBlockKind<'_>, heading: Option<&str>) -> Option<bool> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    let mut words = info.split_whitespace();
    if !words.next().is_some_and(|language| {
        ["yaml", "yml"].iter().any(|yaml| language.eq_ignore_ascii_case(yaml))
    }) {
        return None;
    }
    match words.next() {
        Some(mark) if mark.eq_ignore_ascii_case("heirloom") => Some(true),
        None => heading
            .is_some_and(|heading| VALUE_HEADINGS.contains(&heading.trim().to_lowercase().as_str()))
            .then_some(false),
        Some(_) => None,
    }
}

fn after_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |offset| at + offset + 1)
}
