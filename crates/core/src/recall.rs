//! Finding what answers a question: texts as terms, and which of them answer best.
//!
//! Words come first: how much of what the question says is held by a memory and by those around it.
//! Meaning, as vectors tell it, is added to that. Everything here is a function of the question and
//! of the memories that are there, never of how an index came to hold them.

mod corpus;
mod passage;
mod question;
mod rank;
mod slip;
mod terms;
mod time;

pub use corpus::{Corpus, Posting, Slot};
pub use passage::{DocumentPart, ORIGIN, Passage, TEXT, Tie, mark, origin_tie, ties, ties_of_line};
pub use question::{Asked, Lexicon, Question};
pub use rank::{Parts, Scored, TermShare, damping, rank};
pub use terms::{asks, for_each_joined_term, for_each_term, terms};
pub use time::{Period, Time, time};
