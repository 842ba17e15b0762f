//! Decisions and lessons in files of their own, `decisions.md` and `lessons.md`.
//!
//! ```markdown
//! ### [2026-02-08] Title
//!
//! **Category:** architecture
//! **Tags:** one, two
//!
//! What was decided or learnt, and why.
//!
//! ---
//! ```
//!
//! People leave out the date, the category, the tags and the rule, use other levels of headings, or write a list. What
//! is no entry stays prose of the document.

mod body;
mod metadata;
mod outline;
mod read;
mod write;

pub use read::read;
pub(super) use write::write_marks;
pub use write::{NewLearning, append};

use super::EntryKind;
use crate::path;

/// The names of the files, by the kind of their entries.
pub const FILES: [(EntryKind, &str); 2] =
    [(EntryKind::Decision, "decisions.md"), (EntryKind::Lesson, "lessons.md")];

/// Returns the kind of the entries of a file that holds decisions or lessons; `None` for any other file.
pub fn kind_of_file(path: &str) -> Option<EntryKind> {
    let name = path::file_name(path);
    FILES.into_iter().find(|(_, known)| name.eq_ignore_ascii_case(known)).map(|(kind, _)| kind)
}

#[cfg(test)]
mod tests;
