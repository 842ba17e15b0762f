//! Extracts headings, references and value blocks from markdown in one pass.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::reference::{self, ReferenceKind};

/// Headings under which a fenced `yaml` mapping sets values; elsewhere it is an example.
const VALUE_HEADINGS: &[&str] = &["defaults", "overrides", "context"];

/// The parts of a markdown text, each with its byte offset.
#[derive(Debug, Default)]
pub(super) struct MarkdownParts {
    /// Offset, level and text.
    pub(super) headings: Vec<(usize, u8, String)>,
    /// Offset, target and kind.
    pub(super) references: Vec<(usize, String, ReferenceKind)>,
    pub(super) value_blocks: Vec<ValueBlock>,
}

/// A fenced block of YAML that sets values.
#[derive(Debug)]
pub(super) struct ValueBlock {
    /// Offset of the first line of the content.
    pub(super) offset: usize,
    /// The content.
    pub(super) text: String,
    /// Whether the fence says `yaml heirloom`, so that anything but a mapping is a mistake.
    pub(super) is_marked: bool,
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_WIKILINKS
}

/// Returns the byte range of every link of a text, including its label, and its destination as written.
pub(crate) fn link_ranges(text: &str) -> Vec<(Range<usize>, String)> {
    let events = Parser::new_ext(text, options()).into_offset_iter();
    events
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some((range, dest_url.into_string())),
            _ => None,
        })
        .collect()
}

/// Reads the headings, references and value blocks of a text.
pub(super) fn read(text: &str) -> MarkdownParts {
    let mut reader = Reader { text, ..Reader::default() };
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        reader.read_event(event, range.start);
    }
    reader.parts
}

/// The state between the events of the parser.
#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    parts: MarkdownParts,
    /// The heading that is open.
    heading: Option<(usize, u8, String)>,
    /// The value block that is open.
    value_block: Option<ValueBlock>,
    in_code_block: bool,
}

impl Reader<'_> {
    fn read_event(&mut self, event: Event<'_>, offset: usize) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some((offset, level as u8, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => self.parts.headings.extend(self.heading.take()),
            Event::Start(Tag::CodeBlock(kind)) => self.open_code_block(&kind, offset),
            Event::End(TagEnd::CodeBlock) => {
                self.in_code_block = false;
                self.parts.value_blocks.extend(self.value_block.take());
            }
            Event::Start(Tag::Link { link_type: LinkType::WikiLink { .. }, dest_url, .. }) => {
                self.add_references(offset, reference::wiki_target(&dest_url), ReferenceKind::Wiki);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.add_references(offset, reference::link_target(&dest_url), ReferenceKind::Link);
            }
            Event::Text(content) if self.in_code_block => {
                if let Some(block) = &mut self.value_block {
                    block.text.push_str(&content);
                }
            }
            Event::Text(content) => {
                self.extend_heading(&content);
                self.add_references(
                    offset,
                    reference::adr_mentions(&content),
                    ReferenceKind::Mention,
                );
                let names = reference::numbered_names(&content).map(str::to_owned);
                self.add_references(offset, names, ReferenceKind::Word);
            }
            Event::Code(content) => {
                let name = reference::name_in_code(&content).map(str::to_owned);
                self.add_references(offset, name, ReferenceKind::Word);
                self.extend_heading(&content);
            }
            _ => {}
        }
    }

    fn open_code_block(&mut self, kind: &CodeBlockKind<'_>, offset: usize) {
        self.in_code_block = true;
        let heading = self.parts.headings.last().map(|(_, _, text)| text.as_str());
        self.value_block = value_block_marker(kind, heading).map(|is_marked| ValueBlock {
            offset: next_line_start(self.text, offset),
            text: String::new(),
            is_marked,
        });
    }

    fn extend_heading(&mut self, content: &str) {
        if let Some((_, _, text)) = &mut self.heading {
            text.push_str(content);
        }
    }

    fn add_references(
        &mut self,
        offset: usize,
        targets: impl IntoIterator<Item = String>,
        how: ReferenceKind,
    ) {
        self.parts.references.extend(targets.into_iter().map(|target| (offset, target, how)));
    }
}

/// Returns whether the fence of a value block is marked as `heirloom`; `None` if the code block sets
/// no values.
fn value_block_marker(kind: &CodeBlockKind<'_>, heading: Option<&str>) -> Option<bool> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    let mut words = info.split_whitespace();
    let is_yaml =
        |language: &str| ["yaml", "yml"].iter().any(|yaml| language.eq_ignore_ascii_case(yaml));
    if !words.next().is_some_and(is_yaml) {
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

fn next_line_start(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |newline| offset + newline + 1)
}
