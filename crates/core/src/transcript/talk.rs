//! What the user and the agent said to each other, in blocks.

use super::blocks::{Block, Kind, blocks};
use super::{Role, Transcript, Turn, prose};

/// What the user and the agent said, with the blocks of each turn.
pub(super) struct Talk<'t> {
    pub(super) spoken: Vec<Spoken<'t>>,
}

/// A turn with its blocks.
pub(super) struct Spoken<'t> {
    pub(super) turn: &'t Turn,
    pub(super) blocks: Vec<Block>,
}

impl<'t> Talk<'t> {
    /// Splits the turns of a transcript.
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let heard = |turn: &&Turn| matches!(turn.role, Role::User | Role::Assistant);
        let spoken = |turn: &'t Turn| Spoken { turn, blocks: blocks(&turn.text) };
        Self { spoken: transcript.turns.iter().filter(heard).map(spoken).collect() }
    }

    /// Returns the turns of the user.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Spoken<'t>> {
        self.spoken.iter().filter(|spoken| spoken.turn.role == Role::User)
    }

    /// Returns the last turn of the agent.
    pub(super) fn last_report(&self) -> Option<&Spoken<'t>> {
        self.spoken.iter().rev().find(|spoken| spoken.turn.role == Role::Assistant)
    }
}

impl Spoken<'_> {
    /// Returns the sentences, headings aside.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        let prose = self.blocks.iter().filter(|block| block.kind != Kind::Heading);
        prose.flat_map(|block| prose::sentences(&block.text))
    }

    fn heading_of(&self, block: &Block) -> &str {
        block.under.map_or("", |under| &self.blocks[under].text)
    }

    /// Returns the items under headings of a kind, those with a ticked box aside.
    pub(super) fn items_under(&self, heads: fn(&str) -> bool) -> impl Iterator<Item = &Block> {
        let is_item = |block: &Block| matches!(block.kind, Kind::Item | Kind::Task(false));
        self.blocks.iter().filter(move |block| is_item(block) && heads(self.heading_of(block)))
    }
}
