//! Assembles the context for a task: chooses among memories and documents what is worth its tokens.

mod assemble;
mod background;
mod change;
mod choice;
mod duplicates;
mod entry;
mod explanation;
mod level_rules;
mod predicted;
mod process;
mod recalled;
mod section_text;
mod signals;
mod standing;
mod topics;
mod useful;

pub(crate) use assemble::{Assembly, assemble};
pub(crate) use choice::LineOrder;
pub(crate) use explanation::{ContextLine, Explanation, LeftOut};
pub(crate) use signals::Signals;
