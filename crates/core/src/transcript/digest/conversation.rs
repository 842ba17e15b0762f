//! The messages of the user and the agent, split into Markdown blocks.

use super::markdown::{Block, BlockKind, split_blocks};
use super::model::{Role, Transcript, Turn};
use super::prose;

/// The messages of the user and the agent in order.
pub(super) struct Conversation<'t> {
    pub(super) messages: Vec<Message<'t>>,
}

/// A turn and its blocks.
pub(super) struct Message<'t> {
    pub(super) turn: &'t Turn,
    pub(super) blocks: Vec<Block>,
}

impl<'t> Conversation<'t> {
    /// Splits the turns of a transcript into blocks.
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let is_conversation = |turn: &&Turn| matches!(turn.role, Role::User | Role::Assistant);
        let message = |turn: &'t Turn| Message { turn, blocks: split_blocks(&turn.text) };
        Self { messages: transcript.turns.iter().filter(is_conversation).map(message).collect() }
    }

    /// Returns the messages of the user.
    pub(super) fn user_messages(&self) -> impl Iterator<Item = &Message<'t>> {
        self.messages.iter().filter(|message| message.turn.role == Role::User)
    }

    /// Returns the last message of the agent.
    pub(super) fn last_agent_message(&self) -> Option<&Message<'t>> {
        self.messages.iter().rev().find(|message| message.turn.role == Role::Assistant)
    }

    /// Returns the blocks of the agent's last message.
    pub(super) fn last_report_blocks(&self) -> &[Block] {
        self.last_agent_message().map(|report| report.blocks.as_slice()).unwrap_or_default()
    }
}

impl Message<'_> {
    /// Returns the sentences of all blocks except headings.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        let prose = self.blocks.iter().filter(|block| block.kind != BlockKind::Heading);
        prose.flat_map(|block| prose::split_sentences(&block.text))
    }

    /// Returns the list items whose introduction satisfies a predicate, except completed tasks.
    pub(super) fn items_under(&self, is_heading: fn(&str) -> bool) -> impl Iterator<Item = &Block> {
        let is_item =
            |block: &Block| matches!(block.kind, BlockKind::Item | BlockKind::Task { done: false });
        self.blocks
            .iter()
            .filter(move |block| is_item(block) && is_heading(self.introduction_of(block)))
    }

    fn introduction_of(&self, block: &Block) -> &str {
        block.introduced_by.map_or("", |index| &self.blocks[index].text)
    }
}
