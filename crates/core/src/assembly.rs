//! Assembly of a context: which memories an agent gets inside a budget of tokens, and in which form.

mod excerpt;
mod readable;
mod selection;
mod tier;
mod usefulness;

pub use excerpt::{Excerpt, excerpts};
pub use readable::readable_parts;
pub use selection::{Candidate, Form, Share, select};
pub use tier::{Activity, Tier};
pub use usefulness::{Match, MemoryForm};
