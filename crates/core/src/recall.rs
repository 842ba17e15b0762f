//! Recall: turns texts into terms and ranks memories by how well they answer a question.
//!
//! The score is lexical first (how many of the question's terms a memory and its neighbours contain) and adds the
//! cosine of the embeddings. Everything here is a function of the question and of the memories that an index contains,
//! never of the order in which the index was built.

mod best_sentence;
mod chunk;
mod corpus;
mod passage;
mod question;
mod question_type;
mod rank;
mod speaker;
mod spelling;
mod terms;
mod time;

pub use best_sentence::best_sentence;
pub use chunk::{chunk_at, chunks, is_split};
pub use corpus::{Corpus, Posting, Slot};
pub use passage::{
    ComponentKey, DocumentPart, Passage, SESSION_FILTER, commit_filter_value, component_keys,
    component_keys_of_line, filter_term, opening_instruction_term, section_instruction_term,
    section_name, session_group, split_section_name, standing_instruction_term,
    strip_section_prefix,
};
pub use question::{Lexicon, NearTerm, Question, QuestionTerm};
pub use rank::{
    AnswerUnit, RankedMemory, RankedSession, ScoreParts, SessionScoreParts, TermScore,
    length_normalisation, rank, rank_sessions, rank_with_archived,
};
pub use speaker::{Speaker, split_speaker};
pub use terms::{
    for_each_joined_term, for_each_term, is_question, is_stop_word, part_terms, terms,
};
pub use time::{NamedPeriod, Period};
