//! Gathers what may go into a context, chooses among it and writes the context.

use heirloom_core::Problem;
use heirloom_core::assembly::Tier;
use heirloom_core::record::Referent;
use heirloom_core::usage::UsageEvent;

use super::background;
use super::choice::{Choice, ChosenEntry, LineOrder};
use super::entry::{Entry, Section};
use super::explanation::{ContextLine, Explanation, LeftOut};
use super::level_rules;
use super::predicted;
use super::recalled;
use super::signals::{SignalQuestion, Signals};
use super::standing;
use super::useful::WeakMemory;
use crate::memory::current_session;
use crate::prediction::{
    CommitPredictions, person_lists, person_memories, recurring_lists, recurring_memories,
    used_daily, used_with,
};
use crate::recall::{ContextMemories, ContextQuery, ContextQuestion, MemoryList};
use crate::signals::WorkSignals;
use crate::usage::{InjectedMemory, Usage, append_events, record_injected};
use crate::workspace::inherit;
use crate::{Error, Session};

/// The least and the greatest number of chunks of notes that are recalled for a question.
const MIN_ANSWERS: usize = 60;
const MAX_ANSWERS: usize = 400;

/// One chunk is recalled for so many tokens of the budget. Few have less.
const TOKENS_PER_ANSWER: usize = 25;

/// How many chunks are recalled for a piece of work, a file or an error, and for a question if none belongs to a note. Those
/// further down are hardly ever useful.
const ANSWERS_FOR_WORK: usize = 80;

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

impl Assembly {
    fn of(choice: Choice) -> Self {
        let mut assembly = Assembly { tokens: choice.tokens, ..Assembly::default() };
        for chosen in &choice.chosen {
            assembly.tier_tokens[chosen.entry.tier.index()] += chosen.form().tokens;
            let line = ContextLine::new(&chosen.entry, chosen.form());
            assembly.explanation.lines.push(line);
        }
        let left_out = choice.left_out.iter();
        assembly.explanation.left_out =
            left_out.map(|(entry, because)| LeftOut::new(entry, because.clone())).collect();
        assembly.context = choice.context;
        assembly
    }
}

/// Assembles the context for some signals.
pub(crate) fn assemble(
    session: &Session,
    signals: &Signals,
    budget: usize,
    order: LineOrder,
) -> Result<Assembly, Error> {
    let today = session.today().to_string();
    let questions = signals.questions();
    let usage = Usage::read(session);
    let gathered = gather(session, signals, &questions, &usage, budget)?;
    let Gathered { mut entries, weak, problems } = gathered;
    entries.retain(|entry| !entry.text.is_empty());
    weigh_by_usage(&mut entries, &usage);
    // A question is asked once, so nothing of its context has to stay the same.
    if !questions.iter().any(SignalQuestion::is_question) {
        entries.iter_mut().filter(|entry| entry.is_new(&today)).for_each(|entry| {
            entry.section = Section::New;
        });
    }
    let choice = Choice::new(entries, signals.activity, budget, order);
    record_usage(session, signals, &choice);
    let mut assembly = Assembly::of(choice);
    assembly.explanation.add_weak(&weak);
    assembly.problems = problems;
    assembly.problems.extend(usage.problem);
    assembly.explanation.assembled = session.now().to_string();
    assembly.explanation.task.clone_from(&signals.task);
    assembly.explanation.keep(session);
    Ok(assembly)
}

/// Sets the factors of entries by how often they were cited and ignored. What is pinned is shown whatever it costs.
fn weigh_by_usage(entries: &mut [Entry], usage: &Usage) {
    for entry in entries.iter_mut().filter(|entry| !entry.is_first) {
        if let Some(memory) = &entry.referent {
            entry.usage_factor = usage.counts(memory).value_factor();
        }
    }
}

/// Counts what is injected, and records it for the end of the work session. Best effort: a context is worth more than
/// its statistics.
fn record_usage(session: &Session, signals: &Signals, choice: &Choice) {
    let chosen = || choice.chosen.iter().filter_map(|it| Some((it.entry.referent.as_ref()?, it)));
    let mut injected: Vec<(&Referent, usize)> = Vec::new();
    for (memory, chosen) in chosen() {
        match injected.iter_mut().find(|(other, _)| *other == memory) {
            Some((_, tokens)) => *tokens += chosen.form().tokens,
            None => injected.push((memory, chosen.form().tokens)),
        }
    }
    let _ = append_events(session, &[(UsageEvent::Injected, injected)]);
    if let Some(id) = current_session(session) {
        let memory = |(memory, chosen): (&Referent, &ChosenEntry)| InjectedMemory {
            memory: memory.clone(),
            text: chosen.form().line.trim_end().to_owned(),
            at: session.now(),
        };
        record_injected(session, &id, signals.task.as_deref(), chosen().map(memory).collect());
    }
}

/// What may go into a context.
struct Gathered {
    entries: Vec<Entry>,
    /// Memories that match the task, but not well enough to be shown.
    weak: Vec<WeakMemory>,
    problems: Vec<Problem>,
}

/// Returns everything that may go into the context.
fn gather(
    session: &Session,
    signals: &Signals,
    questions: &[SignalQuestion],
    usage: &Usage,
    budget: usize,
) -> Result<Gathered, Error> {
    let inherited = inherit::read(session, signals.hierarchy.as_deref(), &signals.levels)?;
    let today = session.today().to_string();
    let WorkSignals { files, people, remembered, .. } = &signals.work;
    let of_files =
        WorkSignals { files: files.clone(), remembered: *remembered, ..WorkSignals::default() };
    let commits = CommitPredictions::new(session, &of_files, &[], predicted::MAX_PREDICTED);
    let (background, people_lists) = (background::lists(), person_lists(people));
    // A stated task says more about the work than the time does.
    let is_stated = signals.is_stated();
    let time_lists = if is_stated { vec![] } else { Vec::from(recurring_lists()) };
    let counts = [background.len(), people_lists.len(), time_lists.len()];
    let lists = background.into_iter().chain(people_lists).chain(time_lists);
    let lists = lists.chain(commits.lists()).collect();
    let mut memories = read_memories(session, questions, budget, lists)?;
    let of_commits = memories.lists.split_off(counts.iter().sum());
    let of_time = memories.lists.split_off(counts[0] + counts[1]);
    let of_people = memories.lists.split_off(counts[0]);
    let for_task = recalled::usefulness_for_task(questions, &memories);
    let answers = recalled::answers(questions, &memories, for_task.as_ref(), budget);
    let selectors = &inherited.selectors;
    let answers_or_all = is_stated.then_some(answers.entries.as_slice());
    let known = standing::read_memory(session, selectors, answers_or_all)?;
    let mut entries = standing::pins(session, &known)?;
    entries.extend(standing::memory_of_levels(session, &known, &inherited, !is_stated)?);
    entries.extend(standing::contradictions(session, &inherited, &known, answers_or_all));
    entries.extend(recalled::instructions(questions, &memories, signals.change()));
    entries.extend(background::background(&inherited, &memories, signals, &today));
    entries.extend(level_rules::rules(&inherited, signals));
    entries.extend(background::pointers(&memories, &answers, &entries, signals, &today));
    entries.extend(answers.entries);
    let failure = commits.failure();
    let of_people = person_memories(people, &of_people, remembered.people);
    entries.extend(predicted::preferences(&of_people));
    if let [episodes, workflows] = of_time.as_slice() {
        let mut of_time = recurring_memories(session, episodes, workflows);
        of_time.extend(used_daily(session, usage)?);
        let routines = predicted::routines(&of_time);
        entries.retain(|entry| !routines.iter().any(|it| it.referent == entry.referent));
        entries.extend(routines);
    }
    let mut predicted = used_with(session, usage, &commits)?;
    predicted.extend(commits.into_memories(of_commits));
    entries.extend(predicted::entries(&predicted, signals.task.as_deref(), for_task.as_ref()));
    let mut problems = memories.problems;
    problems.extend(failure);
    problems.extend(inherited.problems);
    problems.sort();
    problems.dedup();
    Ok(Gathered { entries, weak: answers.weak, problems })
}

fn read_memories<'q>(
    session: &Session,
    questions: &'q [SignalQuestion],
    budget: usize,
    lists: Vec<MemoryList>,
) -> Result<ContextMemories, Error> {
    let query_of = |question: &'q SignalQuestion| {
        let of_notes = match question.is_question() {
            true => (budget / TOKENS_PER_ANSWER).clamp(MIN_ANSWERS, MAX_ANSWERS),
            false => ANSWERS_FOR_WORK,
        };
        ContextQuestion {
            text: &question.text,
            limit: of_notes.min(ANSWERS_FOR_WORK),
            limit_with_notes: of_notes,
        }
    };
    let query = ContextQuery {
        questions: questions.iter().map(query_of).collect(),
        instructions: MAX_INSTRUCTIONS,
        lists,
    };
    query.read(session)
}
