//! Finds the memories that answer a question.

mod affected;
mod hits;
mod indexed;
mod search;
mod sessions;
mod workspaces;

pub(crate) use affected::{read_affected, read_affected_by_new};
pub(crate) use hits::Hit;
pub(crate) use indexed::{find_section, records_of_session};
pub(crate) use search::{Search, SearchResult};
pub(crate) use sessions::{SessionHit, SessionScoreExplanation};
pub(crate) use workspaces::search_workspaces;
