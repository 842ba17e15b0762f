//! Entries that answer the questions which the signals ask, and standing instructions.

use std::collections::{HashMap, HashSet};

use heirloom_core::assembly::Tier;
use heirloom_core::instruction::{instructions_in_memory, is_accepted_as_standing};
use heirloom_core::parallel;
use heirloom_core::prose::sentence_around;
use heirloom_core::record::Referent;

use super::change::Change;
use super::entry::{Entry, Section};
use super::process::concerns_every_change;
use super::section_text::one_line;
use super::signals::SignalQuestion;
use super::useful::{
    MIN_WEAK_USEFULNESS, TaskUsefulness, UsefulMemory, WeakMemory, is_decision, required_usefulness,
};
use crate::recall::{ContextAnswers, ContextMemories, Hit};

/// The rank, counted from 0, at which an answer is worth half as much as the best one.
const HALF_VALUE_RANK: f64 = 2.0;

/// The factor on the value of each further chunk of the same memory.
const FURTHER_CHUNK_FACTOR: f64 = 0.6;

/// The same factor if the question asks for an account, which is spread over a long text.
const FURTHER_CHUNK_FACTOR_OF_ACCOUNT: f64 = 1.0;

/// A longer sentence is no instruction.
const MAX_INSTRUCTION_WORDS: usize = 45;

/// The value from which on a decision is critical.
const MIN_CRITICAL_VALUE: f64 = 0.25;

/// The usefulness for a piece of work from which on an instruction concerns it that a person gave in a note. A rule among
/// the facts is held to the measure of facts.
const MIN_USEFULNESS_OF_INSTRUCTION: f64 = 0.15;

/// The value of an instruction as near to the question as can be. It is low, since most instructions concern other tasks;
/// the share of their tier is what brings them into a context.
const INSTRUCTION_VALUE: f64 = 0.1;

/// The most memories that are shown because of a branch, which is named in a few words.
const MAX_ENTRIES_OF_BRANCH: usize = 3;

/// What answers the questions.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) entries: Vec<Entry>,
    /// Memories that match the task, but not well enough to be shown.
    pub(super) weak: Vec<WeakMemory>,
}

/// Returns how useful the answers to the task are for it, if a task is stated beside other signals.
pub(super) fn usefulness_for_task<'h>(
    questions: &[SignalQuestion],
    memories: &'h ContextMemories,
) -> Option<TaskUsefulness<'h>> {
    let first = questions.iter().zip(&memories.answers).next();
    let task = first.filter(|(question, _)| question.section == Section::Task);
    let task = task.filter(|_| questions.len() > 1);
    task.map(|(_, answers)| TaskUsefulness::of_answers(&answers.hits))
}

/// Returns what answers the questions, each memory once.
pub(super) fn answers(
    questions: &[SignalQuestion],
    memories: &ContextMemories,
    for_task: Option<&TaskUsefulness<'_>>,
    budget: usize,
) -> Answers {
    let mut found = Answers::default();
    let mut shown: HashSet<Referent> = HashSet::new();
    for (number, (question, answers)) in questions.iter().zip(&memories.answers).enumerate() {
        let Answers { mut entries, weak } = match question.is_question() {
            true => answers_to_question(question, answers, budget),
            false => useful_for_work(question, answers, for_task),
        };
        entries.retain(|entry| !entry.referent.as_ref().is_some_and(|it| shown.contains(it)));
        shown.extend(entries.iter().filter_map(|entry| entry.referent.clone()));
        let numbered = |entry: Entry| Entry { question: number, ..entry };
        found.entries.extend(entries.into_iter().map(numbered));
        if question.section == Section::Task {
            found.weak.extend(weak);
        }
    }
    found
}

/// Returns the memories that are likely to be useful for a piece of work, a file or an error.
fn useful_for_work(
    question: &SignalQuestion,
    answers: &ContextAnswers,
    for_task: Option<&TaskUsefulness<'_>>,
) -> Answers {
    let mut found = Answers::default();
    let estimate = |rank: usize, hit: &Hit| match question.section {
        Section::Task => hit.usefulness_for_task(rank),
        _ => hit.usefulness_for_signal(
            rank,
            for_task.is_some(),
            for_task.and_then(|for_task| for_task.of(hit)),
        ),
    };
    for memory in UsefulMemory::of_answers(answers.hits.iter().enumerate(), estimate) {
        match memory.entry(question, for_task.is_some()) {
            Some(entry) => found.entries.push(entry),
            None => found.weak.extend(memory.weak()),
        }
    }
    if question.section == Section::Work {
        found.entries.truncate(MAX_ENTRIES_OF_BRANCH);
    }
    found
}

/// How many entries a thread must make to be worth starting: counting tokens takes a hundredth of a millisecond for each.
const MIN_ENTRIES_PER_THREAD: usize = 100;

/// The same for estimates of usefulness, on threads that wait for work: each takes a few microseconds.
const MIN_ESTIMATES_PER_THREAD: usize = 40;

/// Chunks with so many bytes for each token of the budget are enough to choose from: they are more than fit.
const ENOUGH_BYTES_PER_TOKEN: usize = 6;

/// Returns what may answer a question, valued by rank: of notes every chunk, since any of them may hold the answer, and of
/// other memories those that match well.
fn answers_to_question(
    question: &SignalQuestion,
    answers: &ContextAnswers,
    budget: usize,
) -> Answers {
    let ranked: Vec<(usize, &Hit)> = answers.hits.iter().enumerate().collect();
    let usefulness = parallel::map_short(&ranked, MIN_ESTIMATES_PER_THREAD, &|(rank, hit)| {
        hit.usefulness_for_task(*rank)
    });
    let reason = question.reason();
    let mut found = Answers::default();
    let others = ranked.iter().copied().filter(|(_, hit)| !hit.is_note());
    let others = UsefulMemory::of_answers(others, |rank, _| usefulness[rank]);
    let (shown, weak) = UsefulMemory::split_answers(others);
    found.weak.extend(weak.iter().filter_map(UsefulMemory::weak));
    for memory in shown {
        let value = value_of_rank(memory.rank());
        let is_critical = is_decision(memory.best()) && value >= MIN_CRITICAL_VALUE;
        let tier = if is_critical { Tier::Critical } else { Tier::Relevant };
        let parts = memory.shown_parts();
        found.entries.push(Entry::of_parts(&parts, tier, question.section, value, &reason));
    }
    let chunk = |(hit, value, is_further): &(&Hit, f64, bool)| {
        Entry::of_part(hit, Tier::Relevant, question.section, *value, &reason, *is_further)
    };
    let chunks = valued_chunks(answers, &usefulness, budget);
    found.entries.extend(parallel::map(&chunks, MIN_ENTRIES_PER_THREAD, chunk));
    found
}

/// Returns the chunks of notes that are enough to fill a budget, each with its value and whether a better one belongs to
/// the same note. `usefulness` has an estimate for each answer.
fn valued_chunks<'a>(
    answers: &'a ContextAnswers,
    usefulness: &[f64],
    budget: usize,
) -> Vec<(&'a Hit, f64, bool)> {
    let further_factor = match answers.asks_for_account {
        true => FURTHER_CHUNK_FACTOR_OF_ACCOUNT,
        false => FURTHER_CHUNK_FACTOR,
    };
    let mut counts: HashMap<&Referent, i32> = HashMap::new();
    let mut chunks = Vec::new();
    let mut bytes = 0;
    for (rank, hit) in answers.hits.iter().enumerate().filter(|(_, hit)| hit.is_note()) {
        if usefulness[rank] < MIN_WEAK_USEFULNESS {
            continue;
        }
        let earlier = counts.entry(&hit.item.referent).or_default();
        let value = value_of_rank(rank) * further_factor.powi(*earlier);
        chunks.push((hit, value, *earlier > 0));
        *earlier += 1;
        bytes += hit.passage.as_ref().unwrap_or(&hit.item.text).len();
        if bytes > ENOUGH_BYTES_PER_TOKEN * budget {
            break;
        }
    }
    chunks
}

/// Returns the standing instructions that may concern the task: those that match it, hold for every change, or address the
/// agent. For a question all notes with an instruction are candidates.
pub(super) fn instructions(
    questions: &[SignalQuestion],
    memories: &ContextMemories,
    change: Change,
) -> Vec<Entry> {
    let is_question = questions.first().is_some_and(SignalQuestion::is_question);
    let answers = memories.answers.first().map(|answers| &answers.hits);
    let matches_task = |hit: &Hit| {
        let mut ranked = answers.into_iter().flatten().enumerate();
        let same = ranked.find(|(_, answer)| answer.item.referent == hit.item.referent);
        same.is_some_and(|(rank, answer)| {
            let least = if hit.is_note() {
                MIN_USEFULNESS_OF_INSTRUCTION
            } else {
                required_usefulness(answer)
            };
            answer.usefulness_for_task(rank) >= least
        })
    };
    let entry = |hit: &Hit| {
        let sentences = instructions_in_memory(&hit.item.text).into_iter();
        let is_short =
            |sentence: &&str| sentence.split_whitespace().count() <= MAX_INSTRUCTION_WORDS;
        let whole = |sentence| sentence_around(&hit.item.text, sentence).unwrap_or(sentence);
        let mut text = sentences.filter(is_short).map(whole).collect::<Vec<_>>().join(" ");
        if text.is_empty() && is_accepted_as_standing(&hit.item.tags) {
            text.clone_from(&hit.item.text);
        }
        if text.is_empty() || is_said_by_another(&hit.item.text) {
            return None;
        }
        let is_said = hit.is_note() || is_accepted_as_standing(&hit.item.tags);
        let is_general = concerns_every_change(&text, change) || addresses_agent(&text, is_said);
        let may_concern = answers.is_none() || is_question && hit.is_note();
        if !may_concern && !is_general && !matches_task(hit) {
            return None;
        }
        // The score is half of the cosine.
        let nearness = 2.0 * hit.item.score.unwrap_or_default();
        let value = INSTRUCTION_VALUE * nearness.clamp(0.1, 1.0);
        let shown = (String::new(), one_line(&text));
        let reason = "standing instruction";
        Some(Entry::with_text(hit, Tier::Critical, Section::Task, value, reason, shown))
    };
    memories.instructions.iter().filter_map(entry).collect()
}

/// Words for the person who gives an instruction.
const SPEAKER_WORDS: [&str; 3] = ["i", "me", "my"];

/// Words for the agent that gets it. In a fact they mean any person: "only the log tells you".
const LISTENER_WORDS: [&str; 2] = ["you", "your"];

/// Verbs that tell an agent how to speak, if one of the first two words is one: "Always answer in French".
const SPEAKING_VERBS: [&str; 4] = ["answer", "explain", "reply", "respond"];

/// Returns whether an instruction is one of a person to the agent, such as "I prefer short answers". `is_said` means that it
/// was said in a conversation, and not written as a fact.
fn addresses_agent(text: &str, is_said: bool) -> bool {
    // The word of "I/O" is not that of "I'd like".
    let word = |word: &str| {
        let word = word.split(['\'', '’']).next().unwrap_or(word);
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let words = || text.split_whitespace().map(word);
    let listener: &[&str] = if is_said { &LISTENER_WORDS } else { &[] };
    words().any(|word| SPEAKER_WORDS.iter().chain(listener).any(|other| word == *other))
        || words().take(2).any(|word| SPEAKING_VERBS.contains(&word.as_str()))
}

/// Returns the value of the answer at a rank. Scores of different questions cannot be compared, ranks can.
fn value_of_rank(rank: usize) -> f64 {
    HALF_VALUE_RANK / (HALF_VALUE_RANK + rank as f64)
}

/// Labels that a memory may begin with, in lower case.
const LABELS: [&str; 14] = [
    "user",
    "human",
    "note",
    "rule",
    "rules",
    "convention",
    "preference",
    "policy",
    "important",
    "reminder",
    "guideline",
    "requirement",
    "standard",
    "instruction",
];

/// Returns whether a memory is what a person said to another person: it begins with a name. It does not instruct an agent.
fn is_said_by_another(text: &str) -> bool {
    let Some((name, _)) = text.split_once(": ") else { return false };
    let is_word =
        |word: &str| word.chars().all(char::is_alphabetic) && word.starts_with(char::is_uppercase);
    name.split(' ').count() <= 2
        && name.split(' ').all(is_word)
        && !LABELS.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_to_the_agent_are_told_from_statements() {
        for text in
            ["I prefer short answers.", "I'd like tables", "Always answer in French", "(You) ask"]
        {
            assert!(addresses_agent(text, true), "{text}");
        }
        for text in ["Never block on I/O", "Every transport must support both"] {
            assert!(!addresses_agent(text, true), "{text}");
        }
        for text in ["All nodes must have one version; only the log tells you", "(You) ask"] {
            assert!(!addresses_agent(text, false), "{text}");
        }
        assert!(addresses_agent("I prefer short answers.", false));
    }
}
