//! The messages of the user and the agent, split into Markdown blocks and sentences.

use std::borrow::Cow;

use crate::prose;
use crate::transcript::markdown::{Block, BlockKind, LineBreaks, split_blocks};
use crate::transcript::model::{Role, Transcript, Turn};

/// Length of the beginning of a line that may be a timestamp, in characters.
const MAX_TIMESTAMP_CHARS: usize = 24;

/// Maximum length of a quoted name or phrase, in words. Longer quotations are removed, since they are not statements of
/// the user.
const MAX_QUOTED_PHRASE_WORDS: usize = 6;

/// The messages of the user and the agent in order.
pub(in crate::transcript) struct Conversation<'t> {
    pub(in crate::transcript) messages: Vec<Message<'t>>,
}

/// A turn and its blocks.
pub(in crate::transcript) struct Message<'t> {
    pub(in crate::transcript) turn: &'t Turn,
    pub(in crate::transcript) blocks: Vec<Block>,
}

impl<'t> Conversation<'t> {
    /// Splits the turns of a transcript into blocks.
    pub(in crate::transcript) fn of(transcript: &'t Transcript) -> Self {
        let is_conversation = |turn: &&Turn| matches!(turn.role, Role::User | Role::Assistant);
        let message = |turn: &'t Turn| {
            let blocks = match turn.role {
                Role::User => split_blocks(&own_words(&turn.text), LineBreaks::Separate),
                _ => split_blocks(&turn.text, LineBreaks::Join),
            };
            Message { turn, blocks }
        };
        Self { messages: transcript.turns.iter().filter(is_conversation).map(message).collect() }
    }

    /// Returns the messages of the user.
    pub(in crate::transcript) fn user_messages(&self) -> impl Iterator<Item = &Message<'t>> {
        self.messages.iter().filter(|message| message.is_by_user())
    }

    /// Returns the last message of the agent.
    pub(in crate::transcript) fn last_agent_message(&self) -> Option<&Message<'t>> {
        self.messages.iter().rev().find(|message| !message.is_by_user())
    }

    /// Returns the blocks of the agent's last message.
    pub(in crate::transcript) fn last_report_blocks(&self) -> &[Block] {
        self.last_agent_message().map(|report| report.blocks.as_slice()).unwrap_or_default()
    }

    /// Returns the last message of the agent before the message with this index, if the user has not
    /// spoken in between.
    pub(in crate::transcript) fn message_replied_to(&self, index: usize) -> Option<&Message<'t>> {
        let before = index.checked_sub(1).map(|before| &self.messages[before]);
        before.filter(|message| !message.is_by_user())
    }
}

impl Message<'_> {
    /// Returns whether the user wrote the message.
    pub(in crate::transcript) fn is_by_user(&self) -> bool {
        self.turn.role == Role::User
    }

    /// Returns the sentences of all blocks except headings.
    pub(in crate::transcript) fn sentences(&self) -> impl Iterator<Item = &str> {
        let prose = self.blocks.iter().filter(|block| block.kind != BlockKind::Heading);
        prose.flat_map(|block| prose::split_sentences(&block.text))
    }

    /// Returns the list items whose introduction satisfies a predicate, except completed tasks.
    pub(in crate::transcript) fn items_under(
        &self,
        is_heading: fn(&str) -> bool,
    ) -> impl Iterator<Item = &Block> {
        let is_item =
            |block: &Block| matches!(block.kind, BlockKind::Item | BlockKind::Task { done: false });
        self.blocks
            .iter()
            .filter(move |block| is_item(block) && is_heading(self.introduction_of(block)))
    }

    /// Returns the text that introduces a list item, or the heading.
    pub(in crate::transcript) fn introduction_of(&self, block: &Block) -> &str {
        block.introduced_by.map_or("", |index| &self.blocks[index].text)
    }
}

/// Returns what the user wrote: without pasted logs and long quotations, and with a reply such as "2. but without the cache" in a form
/// that Markdown does not read as a list.
fn own_words(text: &str) -> String {
    let lines = text.lines().filter(|line| !is_log_line(line));
    let mut lines: Vec<Cow<'_, str>> = lines.map(remove_quotations).collect();
    let mut numbered =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, number_length(line)?)));
    if let (Some((at, length)), None) = (numbered.next(), numbered.next()) {
        let line = lines[at].trim_start();
        let (number, rest) = line.split_at(length);
        lines[at] = Cow::Owned(format!("{number},{}", &rest[1..]));
    }
    lines.join("\n")
}

/// Returns whether a line is of a log: it begins with a time.
fn is_log_line(line: &str) -> bool {
    let head: String =
        line.trim_start_matches(['[', '(', ' ']).chars().take(MAX_TIMESTAMP_CHARS).collect();
    let shape: String = head.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape.starts_with("00:00:00") || shape.starts_with("0000-00-00") && shape.contains("00:00")
}

/// Returns the number of digits that a line begins with, if a list item of Markdown begins like that.
fn number_length(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(['.', ')'])).then_some(digits)
}

/// Removes quotations that are longer than a name or a phrase.
fn remove_quotations(line: &str) -> Cow<'_, str> {
    let mut parts = line.split('"');
    let quotations = line.matches('"').count() / 2;
    if quotations == 0 {
        return Cow::Borrowed(line);
    }
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for _ in 0..quotations {
        let (quotation, after) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if quotation.split_whitespace().count() <= MAX_QUOTED_PHRASE_WORDS {
            kept.push_str(&format!("\"{quotation}\""));
        }
        kept.push_str(after);
    }
    Cow::Owned(kept)
}
