//! Recall: turns texts into terms and ranks memories by how well they answer a question.
//!
//! The score is lexical first (how many of the question's terms a memory and its neighbours contain) and adds the
//! cosine of the embeddings. Everything here is a function of the question and of the memories that an index contains,
//! never of the order in which the index was built.

mod corpus;
mod passage;
mod question;
mod rank;
mod spelling;
mod terms;
mod time;

pub use corpus::{Corpus, Posting, Slot};
pub use passage::{DocumentPart, ORIGIN, Passage, TEXT, Tie, mark, origin_tie, ties, ties_of_line};
pub use question::{Lexicon, Question, QuestionTerm};
pub use rank::{Parts, Scored, TermScore, damping, rank};
pub use terms::{asks, for_each_joined_term, for_each_term, terms};
pub use time::{Period, Time, time};
