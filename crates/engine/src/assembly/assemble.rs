//! Chooses the entries of a context and writes it.

use heirloom_core::Problem;
use heirloom_core::assembly::{Candidate, Form, Share, Tier, select};
use heirloom_core::hierarchy::Selectors;
use heirloom_store::tokens;

use super::background;
use super::duplicates::{merge_same, remove_duplicates};
use super::entry::{Entry, EntryForm, Section};
use super::explanation::{ContextLine, Explanation, LeftOut};
use super::recalled;
use super::signals::{SignalQuestion, Signals};
use super::standing;
use crate::memory::MemoryQuery;
use crate::recall::{ContextMemories, ContextQuery};
use crate::workspace::inherit;
use crate::{Error, Session};

/// The least and the greatest number of chunks that are recalled for a question.
const MIN_ANSWERS: usize = 60;
const MAX_ANSWERS: usize = 400;

/// One chunk is recalled for so many tokens of the budget. Few have less.
const TOKENS_PER_ANSWER: usize = 20;

/// Maximum number of standing instructions.
const MAX_INSTRUCTIONS: usize = 12;

/// A context within a budget.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// The context.
    pub(crate) context: String,
    /// Its tokens.
    pub(crate) tokens: usize,
    /// The tokens of each tier.
    pub(crate) tier_tokens: [usize; Tier::ALL.len()],
    /// Why each line is in it, and why others are not.
    pub(crate) explanation: Explanation,
    /// Problems of the files that were read.
    pub(crate) problems: Vec<Problem>,
}

/// Assembles the context for some signals.
pub(crate) fn assemble(
    session: &Session,
    signals: &Signals,
    budget: usize,
) -> Result<Assembly, Error> {
    let (mut entries, problems) = gather(session, signals, budget)?;
    entries.retain(|entry| !entry.text.is_empty());
    let mut entries = merge_same(entries);
    let duplicates = remove_duplicates(&mut entries);
    let chosen = choose(&entries, signals, budget);
    let mut assembly = write(&entries, &chosen);
    assembly.explanation.left_out.extend(
        duplicates
            .iter()
            .map(|(entry, other)| LeftOut::new(entry, format!("{other} says the same"))),
    );
    assembly.problems = problems;
    assembly.explanation.assembled = session.now().to_string();
    assembly.explanation.task.clone_from(&signals.task);
    assembly.explanation.keep(session);
    Ok(assembly)
}

/// Returns everything that may go into the context.
fn gather(
    session: &Session,
    signals: &Signals,
    budget: usize,
) -> Result<(Vec<Entry>, Vec<Problem>), Error> {
    let mut typed = Selectors::new();
    for (level, name) in [("plan", &signals.plan), ("agent", &signals.agent)] {
        if let Some(name) = name {
            typed.insert(level.to_owned(), name.clone());
        }
    }
    let inherited = inherit::read(session, None, &typed)?;
    let known = MemoryQuery::new().pinned().related().read(session)?;
    let questions = signals.questions();
    let memories = read_memories(session, &questions, budget)?;
    let mut entries = standing::pins(session, &known)?;
    let selectors = &inherited.selectors;
    entries.extend(standing::memory_of_plan(session, &known, selectors, questions.is_empty())?);
    let answers = recalled::answers(&questions, &memories);
    let concerned: Vec<String> = answers.iter().map(|entry| entry.source.clone()).collect();
    let concerned = (!questions.is_empty()).then_some(concerned.as_slice());
    entries.extend(standing::contradictions(&inherited, &known, concerned));
    entries.extend(answers);
    entries.extend(recalled::instructions(&memories));
    entries.extend(background::background(&inherited, &memories));
    entries.extend(background::pointers(&memories));
    let mut problems = memories.problems;
    problems.extend(inherited.problems);
    problems.sort();
    problems.dedup();
    Ok((entries, problems))
}

fn read_memories(
    session: &Session,
    questions: &[SignalQuestion],
    budget: usize,
) -> Result<ContextMemories, Error> {
    let query = ContextQuery {
        questions: questions.iter().map(|question| question.text.as_str()).collect(),
        answers: (budget / TOKENS_PER_ANSWER).clamp(MIN_ANSWERS, MAX_ANSWERS),
        instructions: MAX_INSTRUCTIONS,
        lists: background::lists(),
    };
    query.read(session)
}

/// Returns the chosen form of each entry.
fn choose(entries: &[Entry], signals: &Signals, budget: usize) -> Vec<Option<usize>> {
    let headings: usize = Section::ALL
        .into_iter()
        .filter(|section| entries.iter().any(|entry| entry.section == *section))
        .map(|section| tokens::count(section.heading()))
        .sum();
    let candidates: Vec<Candidate> = entries
        .iter()
        .map(|entry| Candidate {
            tier: if entry.is_first { 0 } else { entry.tier.index() + 1 },
            forms: entry
                .forms
                .iter()
                .map(|form| Form { value: entry.value * form.share, cost: form.tokens })
                .collect(),
        })
        .collect();
    let [critical, relevant, background, index] = signals.activity.shares().map(Share::Part);
    let shares = [Share::First, critical, relevant, background, index];
    let mut chosen = select(&candidates, &shares, budget.saturating_sub(headings));
    // Lines are counted one by one; should the whole have more tokens, the least valuable lines are left out.
    while tokens::count(&write(entries, &chosen).context) > budget {
        let kept = chosen.iter().enumerate().filter(|(_, form)| form.is_some());
        let least = kept.min_by(|(a, _), (b, _)| entries[*a].value.total_cmp(&entries[*b].value));
        let Some((least, _)) = least else { break };
        chosen[least] = None;
    }
    chosen
}

/// Writes the chosen entries, section by section.
fn write(entries: &[Entry], chosen: &[Option<usize>]) -> Assembly {
    let mut assembly = Assembly::default();
    let mut shown: Vec<(&Entry, &EntryForm)> = Vec::new();
    for (entry, form) in entries.iter().zip(chosen) {
        match form {
            Some(form) => shown.push((entry, &entry.forms[*form])),
            None => {
                let because = "it did not fit into the budget".to_owned();
                assembly.explanation.left_out.push(LeftOut::new(entry, because));
            }
        }
    }
    shown.sort_by_key(|(entry, _)| entry.position());
    let mut section = None;
    for (entry, form) in shown {
        if section != Some(entry.section) {
            assembly.context.push_str(entry.section.heading());
            section = Some(entry.section);
        }
        assembly.context.push_str(&form.line);
        assembly.tier_tokens[entry.tier.index()] += form.tokens;
        assembly.explanation.lines.push(ContextLine::new(entry, form));
    }
    assembly.tokens = tokens::count(&assembly.context);
    assembly
}
