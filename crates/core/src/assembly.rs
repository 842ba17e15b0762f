//! Assembly of a context: which memories an agent gets inside a budget of tokens, and in which form.

mod excerpt;
mod selection;
mod tier;

pub use excerpt::{Excerpt, excerpts};
pub use selection::{Candidate, Form, Share, select};
pub use tier::{Activity, Tier};
