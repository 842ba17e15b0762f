//! Assembly of a context: which memories an agent gets inside a budget of tokens, and in which form.

mod selection;

pub use selection::{Candidate, Form, select};
