//! The memory file of one name of a level, opened for reading and editing.

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::memory::{
    self, EntryEditError, EntryMatch, MemoryEntries, MemoryEntry, MemoryOwner,
};
use heirloom_core::name;
use heirloom_store::layout::{self, DocumentRole};

use crate::workspace::{inherit, new_names};
use crate::{Error, Session};

/// The memory file of an agent, a plan or another level. It may not exist yet.
#[derive(Debug)]
pub(crate) struct MemoryFile {
    /// The kind of its owner.
    pub(crate) owner: MemoryOwner,
    /// The level.
    pub(crate) level: String,
    /// The selected names that the path contains, in order of level.
    pub(crate) selectors: Selectors,
    /// The path of the file.
    pub(crate) path: String,
    /// The text, if the file exists.
    pub(crate) text: Option<String>,
    /// The entries.
    pub(crate) content: MemoryEntries,
    /// Whether its owner is only known from the settings and has no files yet.
    pub(crate) is_of_new_name: bool,
    title: String,
}

impl MemoryFile {
    /// Opens the memory of an agent, or of the plan itself. `plan` may select any level that has a memory file as
    /// `level=name`: `sprint=sprint-01`, or `workspace=devtools,domain=common` for a level within another.
    pub(crate) fn open(session: &Session, plan: &str, agent: Option<&str>) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let (hierarchy_name, hierarchy) = inherit::hierarchy(config, None)?;
        let mut typed = typed_names(session, &hierarchy_name, &hierarchy, plan)?;
        if let Some(agent) = agent {
            typed.insert("agent".to_owned(), agent.to_owned());
        }
        let mut deepest = hierarchy.levels.iter().rev();
        let selected = deepest.find(|level| typed.contains_key(&level.name));
        let level = match (agent, selected) {
            (Some(_), _) => inherit::level(config, "agent")?,
            (None, Some(level)) => level.clone(),
            (None, None) => return Err(no_memory_level(&hierarchy, "no level is named")),
        };
        // A level such as the project of sprints has one memory and needs no name. Without plans, an agent belongs to
        // no other level.
        let needed = level.required_levels();
        let has_plans = hierarchy.level("plan").is_some();
        typed.retain(|name| needed.contains(&name) || (has_plans && name != level.name));
        let new = new_names::take_new_names(root, config, &hierarchy_name, &hierarchy, &mut typed)?;
        let mut selectors = layout::resolve_selectors(root, &hierarchy, &typed)?;
        let is_of_new_name = new.iter().any(|(name, _)| *name == level.name);
        selectors.extend(new);
        let file = Self::open_level(session, level, selectors)?;
        Ok(MemoryFile { is_of_new_name, ..file })
    }

    fn open_level(session: &Session, level: Level, selectors: Selectors) -> Result<Self, Error> {
        let root = session.root();
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
        let named = main
            .into_iter()
            .find(|placed| placed.role == DocumentRole::Main)
            .and_then(|placed| placed.document.title);
        let name = selectors.get(&level.name).unwrap_or(&level.name).clone();
        let title = named.filter(|_| is_plan_or_agent(&level)).unwrap_or(name);
        let owner = match level.name.as_str() {
            "agent" => MemoryOwner::Agent,
            "plan" => MemoryOwner::Plan,
            _ => MemoryOwner::Level,
        };
        let level = level.name;
        let is_of_new_name = false;
        Ok(MemoryFile { owner, level, selectors, path, text, content, is_of_new_name, title })
    }

    /// Returns the name of its owner.
    pub(crate) fn name(&self) -> &str {
        self.selectors.get(&self.level).map_or(&self.level, |name| name)
    }

    /// Returns the text, or that of a new file.
    pub(crate) fn text_or_new(&self, session: &Session) -> Result<String, Error> {
        if let Some(problem) = self.content.problems.iter().find(|_| self.is_unreadable()) {
            return Err(problem.clone().into());
        }
        let (name, title, today) = (self.name(), &self.title, session.today());
        Ok(match (&self.text, self.owner, self.selectors.get("plan")) {
            (Some(text), _, _) => text.clone(),
            (None, MemoryOwner::Agent, Some(plan)) => {
                memory::agent_template(name, plan, title, today)
            }
            (None, MemoryOwner::Plan, _) => memory::plan_template(name, title, today),
            (None, _, _) => memory::level_template(&self.level, name, title, today),
        })
    }

    /// Returns the names of the agents that may contribute to it: those of the plan, if it belongs to the
    /// plan.
    pub(crate) fn agents(&self, session: &Session) -> Vec<String> {
        let level = session.config().and_then(|config| inherit::level(config, "agent"));
        match (self.owner, level) {
            (MemoryOwner::Plan | MemoryOwner::Level, Ok(level)) => {
                layout::list_names(session.root(), &level, &self.selectors).unwrap_or_default()
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

    /// Returns a notice if its owner has no files yet.
    pub(crate) fn new_name_notice(&self) -> Option<String> {
        let notice = || format!("the {} `{}` has no other files yet", self.level, self.name());
        self.is_of_new_name.then(notice)
    }

    /// Returns the owner as text: `agent 001-schema in plan 0042-graph`.
    pub(crate) fn owner_label(&self) -> String {
        let names = self.selectors.iter().rev().map(|(level, name)| format!("{level} {name}"));
        let label = names.collect::<Vec<_>>().join(" in ");
        if label.is_empty() { self.level.clone() } else { label }
    }
}

/// Returns the names that a text selects: `level=name`, separated by commas, or the name of a plan. In a hierarchy
/// without plans, a bare name is that of the one level that has it.
fn typed_names(
    session: &Session,
    hierarchy_name: &str,
    hierarchy: &Hierarchy,
    typed: &str,
) -> Result<Selectors, Error> {
    let config = session.config()?;
    if typed.contains('=') {
        let pairs = typed.split(',').map(|pair| {
            let (level, name) = pair.split_once('=').unwrap_or((pair, ""));
            (level.trim().to_owned(), name.trim().to_owned())
        });
        let names: Selectors = pairs.collect();
        let unknown = names.iter().find(|(level, _)| hierarchy.level(level).is_none());
        return match unknown {
            Some((level, _)) => {
                Err(no_memory_level(hierarchy, &format!("there is no level `{level}`")))
            }
            None => Ok(names),
        };
    }
    if hierarchy.level("plan").is_some() {
        return Ok(Selectors::from_iter([("plan".to_owned(), typed.to_owned())]));
    }
    let has_name = |level: &&Level| {
        if !level.needs_selection() {
            return level.name == typed;
        }
        if new_names::is_known(config, hierarchy_name, &level.name, typed) {
            return true;
        }
        let names = layout::list_names(session.root(), level, &Selectors::new());
        let names = names.unwrap_or_default();
        let found = name::find_loosely(typed, names.iter().map(String::as_str));
        matches!(found, name::Match::One(_))
    };
    let levels = hierarchy.levels.iter().filter(|level| level.memory.is_some());
    let found: Vec<&Level> = levels.filter(has_name).collect();
    match found.as_slice() {
        [level] => Ok(Selectors::from_iter([(level.name.clone(), typed.to_owned())])),
        [] => {
            let typed = typed.escape_default();
            let message = format!("no level with a memory has the name `{typed}`");
            Err(no_memory_level(hierarchy, &message))
        }
        several => {
            let candidates = several.iter().map(|level| format!("{}={typed}", level.name));
            let message = format!("`{typed}` is the name of several levels");
            Err(Error::not_found(message, candidates.collect()).hint("type the level too"))
        }
    }
}

/// Returns an error that lists the levels with a memory.
fn no_memory_level(hierarchy: &Hierarchy, message: &str) -> Error {
    let levels = hierarchy.levels.iter().filter(|level| level.memory.is_some());
    let candidates = levels.map(|level| format!("{}=…", level.name)).collect();
    Error::not_found(message, candidates)
}

fn is_plan_or_agent(level: &Level) -> bool {
    matches!(level.name.as_str(), "plan" | "agent")
}

/// Returns the error for an edit of a memory document that was refused, with the line.
pub(crate) fn edit_refused(path: &str, refusal: &EntryEditError) -> Error {
    Error::bad_input(format!("{path}:{}: {refusal}", refusal.line)).hint("edit the file by hand")
}
