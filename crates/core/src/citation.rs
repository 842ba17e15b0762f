//! Judges which of the memories in an agent's context it used, by what it said and did afterwards.
//!
//! A memory is cited if the work names its id. Else the evidence is weighed: names in code that the memory has, its values,
//! its distinctive words, and a sentence with a similar meaning, compared with the other memories of the session. Words of
//! the task, of the user and of several injected memories say little: the agent would have used them anyway. A memory that
//! the agent contradicts was used too.

mod code_names;
mod common_words;
mod described;
mod evidence;
mod values;
mod work;

#[cfg(test)]
mod tests;

use crate::embedding::{EmbedError, Embedder};
use evidence::{BaseLevel, Evidence, Search};

pub use work::AgentWork;

/// The likelihood from which on a memory is cited.
const MIN_LIKELIHOOD: f64 = 0.5;

/// A memory that was part of a context.
#[derive(Debug, Clone)]
pub struct InjectedText<'m> {
    /// The forms of its id by which an agent may name it.
    pub ids: Vec<&'m str>,
    /// The text that the agent saw.
    pub text: &'m str,
    /// The first line of the transcript after it was injected.
    pub first_line: usize,
}

impl InjectedText<'_> {
    /// Returns the text without the id at its end.
    fn without_id(&self) -> &str {
        let text = self.text.trim_end();
        let id = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
        match id {
            Some((before, id)) if self.ids.contains(&id) => before,
            _ => text,
        }
    }
}

/// Whether a memory was used, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether it was used.
    pub is_cited: bool,
    /// How likely it was used; from 0.5 on it counts as cited.
    pub likelihood: f64,
    /// What of it the work contains: its id, names in code, values or words.
    pub evidence: Vec<String>,
}

/// What is known about the words of a conversation besides the injected memories.
pub struct CitationContext<'c> {
    /// The tasks that the contexts were assembled for, and what the user said.
    pub asked: &'c [&'c str],
    /// How rare a term is among the memories of the workspace, 0 to 1.
    pub rarity: &'c dyn Fn(&str) -> f64,
    /// Measures how alike texts are in meaning.
    pub embedder: &'c dyn Embedder,
}

/// Judges memories by what the agent did.
pub fn judge(
    memories: &[InjectedText<'_>],
    work: &AgentWork,
    context: &CitationContext<'_>,
) -> Result<Vec<Verdict>, EmbedError> {
    let search = Search::new(memories, work, context)?;
    let found = memories.iter().zip(&search.memories);
    let found: Result<Vec<Evidence>, EmbedError> =
        found.map(|(memory, described)| search.evidence(memory, described)).collect();
    let found = found?;
    let base = BaseLevel::of(&found);
    let verdict = |evidence: Evidence| {
        let likelihood = evidence.likelihood(&base);
        let is_cited = likelihood >= MIN_LIKELIHOOD;
        Verdict { is_cited, likelihood, evidence: evidence.found }
    };
    Ok(found.into_iter().map(verdict).collect())
}
