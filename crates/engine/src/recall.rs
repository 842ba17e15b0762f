//! Finds the memories that answer a question.

mod affected;
mod context_memories;
mod hits;
mod indexed;
mod instructions;
mod rarity;
mod search;
mod searched_index;
mod sessions;
mod workspaces;

pub(crate) use affected::{read_affected, read_affected_by_new, read_similar_to};
pub(crate) use context_memories::{
    ContextAnswers, ContextMemories, ContextQuery, ContextQuestion, MemoryList,
};
pub(crate) use hits::{Hit, without_cut_marks};
pub(crate) use indexed::{find_section, records_of_session};
pub(crate) use instructions::MAX_INSTRUCTIONS;
pub(crate) use rarity::term_rarities;
pub(crate) use search::{Search, SearchResult};
pub(crate) use sessions::{SessionHit, SessionScoreExplanation};
pub(crate) use workspaces::search_workspaces;
