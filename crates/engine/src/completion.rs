//! Lists the names that a shell can complete. It reads folders and single documents but not the index,
//! and returns nothing for a workspace that cannot be read.

use std::collections::BTreeSet;

use heirloom_core::hierarchy::{self, Selectors};
use heirloom_core::{adr, name};
use heirloom_store::adrs::{self, Scope};
use heirloom_store::layout;

use crate::workspace::inherit;
use crate::workspace::memory_file::MemoryFile;
use crate::{Op, Session, is_same_field};

/// The kind of thing that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A plan.
    Plan,
    /// An agent of the plan on the command line.
    Agent,
    /// A project.
    Project,
    /// A sprint.
    Sprint,
    /// A stage.
    Stage,
    /// A role of the settings, which decides how a budget is split.
    Role,
    /// A decision record.
    Adr,
    /// An entry of the memory document on the command line: `finding-3`.
    Entry,
    /// An entry, qualified by plan and agent: `0042-graph/001-schema/finding-3`.
    EntryPath,
}

/// A name to complete, with its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert.
    pub name: String,
    /// A short description.
    pub about: Option<String>,
}

/// The command line typed so far.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'t> {
    /// The words after the command, without the one that is being completed.
    pub words: &'t [String],
    /// The word that is being completed.
    pub current: &'t str,
}

/// Returns the kind of names that a field takes, if it takes names.
pub fn kind_of(op: &Op, field: &str) -> Option<NameKind> {
    let is = |name: &str| is_same_field(field, name);
    let group = op.words().next().unwrap_or_default();
    match group {
        _ if is("plan") => Some(NameKind::Plan),
        _ if is("agent") => Some(NameKind::Agent),
        _ if is("project") => Some(NameKind::Project),
        _ if is("sprint") => Some(NameKind::Sprint),
        _ if is("stage") => Some(NameKind::Stage),
        _ if is("role") => Some(NameKind::Role),
        "adr" if ["id", "old", "new", "record"].into_iter().any(is) => Some(NameKind::Adr),
        "memory" if is("affects") => Some(NameKind::Agent),
        "memory" if is("entry") => Some(NameKind::Entry),
        "memory" if is("fact_ids") || is("source") || is("target") => Some(NameKind::EntryPath),
        _ => None,
    }
}

/// Returns the names of a kind that may replace the current word.
pub fn complete(session: &Session, kind: NameKind, typed: CommandLine<'_>) -> Vec<Completion> {
    let found = match kind {
        NameKind::Plan => undescribed(level_names(session, "plan", &Selectors::new())),
        NameKind::Project => undescribed(level_names(session, "project", &Selectors::new())),
        NameKind::Sprint => undescribed(sprint_names(session, "sprint")),
        NameKind::Stage => stages(session),
        NameKind::Role => roles(session),
        NameKind::Agent => agents(session, typed.words),
        NameKind::Adr => decision_records(session),
        NameKind::Entry => entries_of_typed_memory(session, typed.words),
        NameKind::EntryPath => entry_paths(session, typed.current),
    };
    let mut names = found.unwrap_or_default();
    names.retain_mut(make_safe);
    names
}

fn plan_selector(plan: &str) -> Selectors {
    Selectors::from_iter([("plan".to_owned(), plan.to_owned())])
}

fn undescribed(names: Option<Vec<String>>) -> Option<Vec<Completion>> {
    Some(names?.into_iter().map(|name| Completion { name, about: None }).collect())
}

fn level_names(session: &Session, level: &str, selectors: &Selectors) -> Option<Vec<String>> {
    let level = inherit::level(session.config().ok()?, level).ok()?;
    layout::list_names(session.root(), &level, selectors).ok()
}

/// Lists the names of a level of sprints.
fn sprint_names(session: &Session, level: &str) -> Option<Vec<String>> {
    let sprints = session.config().ok()?.find_hierarchy(hierarchy::SPRINTS)?;
    layout::list_names(session.root(), sprints.level(level)?, &Selectors::new()).ok()
}

/// Lists the stages that have files and those of the settings, in their order.
fn stages(session: &Session) -> Option<Vec<Completion>> {
    let mut names = session.config().ok()?.stages();
    let found = sprint_names(session, "stage").unwrap_or_default();
    names.extend(found.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    undescribed(Some(names))
}

fn roles(session: &Session) -> Option<Vec<Completion>> {
    let config = session.config().ok()?;
    let names = [config.hierarchy.as_str(), hierarchy::SPRINTS]
        .into_iter()
        .flat_map(|hierarchy| config.token_allocation(hierarchy).into_keys());
    let names: BTreeSet<String> = names.collect();
    undescribed(Some(names.into_iter().collect()))
}

/// Lists the agents of the plan on the command line; in a workspace of sprints, all agents.
fn agents(session: &Session, words: &[String]) -> Option<Vec<Completion>> {
    match find_plan(session, words) {
        Some(plan) => undescribed(level_names(session, "agent", &plan_selector(&plan))),
        None => undescribed(sprint_names(session, "agent")),
    }
}

/// Finds the plan on the command line: the value of `--plan`, or else the first word that is a plan.
fn find_plan(session: &Session, words: &[String]) -> Option<String> {
    let level = inherit::level(session.config().ok()?, "plan").ok()?;
    let find = |word: &str| layout::find_name(session.root(), &level, &Selectors::new(), word).ok();
    let flagged = words.iter().enumerate().find_map(|(at, word)| {
        let name = word.strip_prefix("--plan")?;
        let name = name.strip_prefix("-id").unwrap_or(name);
        match name.strip_prefix('=') {
            Some(value) => find(value),
            None if name.is_empty() => find(words.get(at + 1)?),
            None => None,
        }
    });
    flagged
        .or_else(|| words.iter().filter(|word| !word.starts_with('-')).find_map(|word| find(word)))
}

/// Lists the entries of the memory document that the command line names: an agent's, or with `--plan`
/// the plan's.
fn entries_of_typed_memory(session: &Session, words: &[String]) -> Option<Vec<Completion>> {
    let plan = find_plan(session, words)?;
    let level = inherit::level(session.config().ok()?, "agent").ok()?;
    let is_plan_memory = words.iter().any(|word| word == "--plan");
    let agent = words.iter().rev().filter(|_| !is_plan_memory).find_map(|word| {
        layout::find_name(session.root(), &level, &plan_selector(&plan), word).ok()
    });
    (is_plan_memory || agent.is_some()).then(|| entries(session, &plan, agent.as_deref(), ""))
}

/// Returns the entries of a memory document, each name with a prefix.
fn entries(session: &Session, plan: &str, agent: Option<&str>, prefix: &str) -> Vec<Completion> {
    let Ok(memory) = MemoryFile::open(session, plan, agent) else { return vec![] };
    let entries = memory.content.entries.iter();
    entries
        .map(|entry| Completion {
            name: format!("{prefix}{}", entry.name()),
            about: Some(entry.full_text()),
        })
        .collect()
}

/// Completes one segment of `plan/agent/entry` at a time.
fn entry_paths(session: &Session, current: &str) -> Option<Vec<Completion>> {
    let segments: Vec<&str> = current.split('/').collect();
    let folder = |name: String| Completion { name: format!("{name}/"), about: None };
    match segments.as_slice() {
        [_] => {
            let plans = level_names(session, "plan", &Selectors::new())?;
            Some(plans.into_iter().map(folder).collect())
        }
        [plan, _] => {
            let full_name = find_plan(session, &[(*plan).to_owned()])?;
            let agents = level_names(session, "agent", &plan_selector(&full_name))?;
            let agents = agents.into_iter().map(|agent| folder(format!("{plan}/{agent}")));
            Some(agents.chain(entries(session, plan, None, &format!("{plan}/"))).collect())
        }
        [plan, agent, _] => Some(entries(session, plan, Some(agent), &format!("{plan}/{agent}/"))),
        _ => None,
    }
}

fn decision_records(session: &Session) -> Option<Vec<Completion>> {
    let (found, _) = adrs::find(session.root(), session.config().ok()?, Scope::AllProjects);
    let mut names: Vec<Completion> = found
        .into_iter()
        .map(|found| {
            let file = found.path.rsplit('/').next().unwrap_or_default();
            let title = file.trim_end_matches(".md").replace(['-', '_'], " ");
            Completion { name: adr::derive_id(file).0, about: Some(title) }
        })
        .collect();
    names.sort_by(|a, b| a.name.cmp(&b.name));
    Some(names)
}

/// Limits a description in characters.
const MAX_ABOUT_CHARS: usize = 60;

/// Makes a name safe to insert into a command line, and returns whether that is possible. A shell
/// inserts completions without quotes, and file names of a cloned repository are untrusted.
fn make_safe(found: &mut Completion) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !found.name.chars().all(is_plain) || found.name.starts_with('-') {
        match name::leading_number(&found.name) {
            Some(number) => found.name = number.to_owned(),
            None => return false,
        }
    }
    found.about = found.about.take().map(|about| {
        let plain = about.chars().map(|c| if is_plain(c) || c == ',' { c } else { ' ' });
        let plain: String = plain.collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        words.join(" ").chars().take(MAX_ABOUT_CHARS).collect()
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_without_shell_syntax_are_offered() {
        let safe = |text: &str| {
            let mut name = Completion { name: text.to_owned(), about: None };
            make_safe(&mut name).then_some(name.name)
        };
        assert_eq!(safe("0042-graph").as_deref(), Some("0042-graph"));
        assert_eq!(safe("café").as_deref(), Some("café"));
        assert_eq!(safe("0042-$(touch x)").as_deref(), Some("0042"));
        for unsafe_name in ["$(touch x)", "a;b", "a b", "a`b`", "a\nb", "-rf", "a'b"] {
            assert_eq!(safe(unsafe_name), None, "{unsafe_name}");
        }
        let mut name =
            Completion { name: "a".into(), about: Some("x: $(y)\n\u{1b}[0m 'z'".into()) };
        assert!(make_safe(&mut name));
        assert_eq!(name.about.as_deref(), Some("x y 0m z"));
    }
}
