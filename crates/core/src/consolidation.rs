//! What keeps a memory healthy: merging near-duplicates, shortening old episodes, and forgetting what is not needed.
//!
//! Decisions are functions of values, and their result is a [`ConsolidationPlan`], which people may read and edit before it
//! is applied. A statement is merged with another only if nothing that matters differs (`guards`, `duplicates`), an episode
//! is shortened by extraction alone (`episodes`), and a memory is forgotten only if its text says so (`importance`).

mod alignment;
mod duplicates;
mod episodes;
mod forgetting;
mod guards;
mod importance;
mod plan;
mod same_statement;
mod statement;
mod talk;
mod talk_words;
#[cfg(test)]
mod tests;

pub use duplicates::{DEFAULT_DUPLICATE_SIMILARITY, DuplicateFinder, DuplicateGroup};
pub use episodes::{EpisodeLength, due_length, shorten_episode};
pub use forgetting::{ForgettableMemory, ForgettingReason, ForgettingRules, reason_to_forget};
pub use importance::{Importance, importance_of};
pub use plan::{
    ArchivedMemory, ConsolidationPlan, ConsolidationStep, MergedFact, MovedUsage, PLAN_VERSION,
    PlannedMemory, ShortenedEpisode,
};
pub use same_statement::{WordNearness, duplicate_similarity};
pub use statement::ComparableText;
