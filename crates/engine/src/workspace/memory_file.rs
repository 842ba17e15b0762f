//! The memory file of one agent or plan, opened for reading and editing.

use heirloom_core::hierarchy::{self, Selectors};
use heirloom_core::memory::{
    self, EntryEditError, EntryMatch, MemoryEntries, MemoryEntry, MemoryOwner,
};
use heirloom_store::layout::{self, DocumentRole};

use crate::workspace::inherit;
use crate::{Error, Session};

/// The memory file of an agent or a plan. It may not exist yet.
#[derive(Debug)]
pub(crate) struct MemoryFile {
    /// The kind of its owner.
    pub(crate) owner: MemoryOwner,
    /// The plan's name.
    pub(crate) plan: String,
    /// The agent's name, if it belongs to an agent.
    pub(crate) agent: Option<String>,
    /// The path of the file.
    pub(crate) path: String,
    /// The text, if the file exists.
    pub(crate) text: Option<String>,
    /// The entries.
    pub(crate) content: MemoryEntries,
    title: String,
}

impl MemoryFile {
    /// Opens the memory of an agent, or of the plan itself.
    pub(crate) fn open(session: &Session, plan: &str, agent: Option<&str>) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let plan_level = inherit::level(config, "plan")?;
        let plan = layout::find_name(root, &plan_level, &Selectors::new(), plan)?;
        let mut selectors = Selectors::from_iter([("plan".to_owned(), plan.clone())]);
        let (owner, level, agent) = match agent {
            None => (MemoryOwner::Plan, plan_level, None),
            Some(agent) => {
                let level = inherit::level(config, "agent")?;
                let agent = layout::find_name(root, &level, &selectors, agent)?;
                selectors.insert("agent".to_owned(), agent.clone());
                (MemoryOwner::Agent, level, Some(agent))
            }
        };
        let path = level
            .memory
            .as_deref()
            .and_then(|pattern| hierarchy::expand_pattern(pattern, &selectors))
            .ok_or_else(|| {
                Error::bad_input(format!("the level `{}` has no memory file", level.name))
                    .hint("add `memory` to this level of the hierarchy in .heirloom/config.toml")
            })?;
        let text = root.read(&path)?;
        let content = memory::read(&path, text.as_deref().unwrap_or_default());
        let main = layout::read_level(root, &level, &selectors);
        let title = main
            .into_iter()
            .find(|placed| placed.role == DocumentRole::Main)
            .and_then(|placed| placed.document.title)
            .unwrap_or_else(|| agent.clone().unwrap_or_else(|| plan.clone()));
        Ok(MemoryFile { owner, plan, agent, path, text, content, title })
    }

    /// Returns the text, or that of a new file.
    pub(crate) fn text_or_new(&self, session: &Session) -> Result<String, Error> {
        if let Some(problem) = self.content.problems.iter().find(|_| self.is_unreadable()) {
            return Err(problem.clone().into());
        }
        Ok(match (&self.text, &self.agent) {
            (Some(text), _) => text.clone(),
            (None, Some(agent)) => {
                memory::agent_template(agent, &self.plan, &self.title, session.today())
            }
            (None, None) => memory::plan_template(&self.plan, &self.title, session.today()),
        })
    }

    /// Returns the names of the agents that may contribute to it: those of the plan, if it belongs to the
    /// plan.
    pub(crate) fn agents(&self, session: &Session) -> Vec<String> {
        let selectors = Selectors::from_iter([("plan".to_owned(), self.plan.clone())]);
        let level = session.config().and_then(|config| inherit::level(config, "agent"));
        match (self.owner, level) {
            (MemoryOwner::Plan, Ok(level)) => {
                layout::list_names(session.root(), &level, &selectors).unwrap_or_default()
            }
            _ => vec![],
        }
    }

    /// Returns whether the file could not be parsed, for example because of merge conflicts: such a file
    /// has problems and no entries.
    fn is_unreadable(&self) -> bool {
        self.content.entries.is_empty()
    }

    /// Finds an entry by its name or id.
    pub(crate) fn find(&self, typed: &str) -> Result<&MemoryEntry, Error> {
        let label = |entry: &MemoryEntry| format!("{} ({})", entry.name(), entry.id);
        match self.content.find(typed) {
            EntryMatch::One(entry) => Ok(entry),
            EntryMatch::Several(entries) => Err(Error::not_found(
                format!("`{typed}` could be any of several entries of {}", self.path),
                entries
                    .iter()
                    .map(|entry| format!("{} on line {}", label(entry), entry.line))
                    .collect(),
            )
            .hint("use the other name, or make the ids in the file unique")),
            EntryMatch::Nothing => Err(Error::not_found(
                format!("{} has no entry `{}`", self.path, typed.escape_default()),
                self.content.entries.iter().map(label).take(12).collect(),
            )),
        }
    }

    /// Returns the error for an edit of this file that was refused.
    pub(crate) fn refused(&self, refusal: &EntryEditError) -> Error {
        edit_refused(&self.path, refusal)
    }

    /// Returns the owner as text: `agent 001-schema in plan 0042-graph`.
    pub(crate) fn owner_label(&self) -> String {
        match &self.agent {
            Some(agent) => format!("agent {agent} in plan {}", self.plan),
            None => format!("plan {}", self.plan),
        }
    }
}

/// Returns the error for an edit of a memory document that was refused, with the line.
pub(crate) fn edit_refused(path: &str, refusal: &EntryEditError) -> Error {
    Error::bad_input(format!("{path}:{}: {refusal}", refusal.line)).hint("edit the file by hand")
}
