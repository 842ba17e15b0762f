//! Plans and overviews: their statuses, the front matter that they should have, and how a text without front matter states
//! the same.

mod derived;
mod folded;
mod standard;
mod stated;
mod status;

pub use derived::{KnownDates, date_in_name, missing_fields};
pub use folded::{AbstractError, fold_abstract};
pub use standard::{FrontMatterFindings, check_front_matter};
pub use status::PlanStatus;

/// Which document the front matter belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// A plan.
    Plan,
    /// The overview of a workspace, a domain or a repository.
    Overview,
}

impl DocumentKind {
    /// Returns the keys that the front matter must have, in the order in which they are written.
    pub fn required_keys(self) -> &'static [&'static str] {
        match self {
            DocumentKind::Plan => &["name", "description", "status", "created"],
            DocumentKind::Overview => &["name", "description"],
        }
    }
}
