//! The static description of an operation: name, usage, group and effect.

/// The static description of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The name of the MCP tool and of the endpoint `POST /v1/<name>`.
    pub name: &'static str,
    /// The words of the command, then its positional arguments: `context resolve [plan] [agent]`.
    /// `<agent|--plan>` is an argument that the flag may replace: `memory show <plan> <agent|--plan>`.
    pub usage: &'static str,
    /// The list of tools in which it is shown.
    pub group: Group,
    /// Whether it changes anything.
    pub effect: Effect,
    /// What it does, in a sentence or two.
    pub about: &'static str,
}

/// A list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Listed by default.
    Core,
    /// Listed with `--tools plans`.
    Plans,
    /// Listed with `--tools memory`.
    Memory,
    /// Listed with `--tools tasks`.
    Tasks,
}

impl Group {
    /// Returns the name that `--tools` takes.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Core => "core",
            Group::Plans => "plans",
            Group::Memory => "memory",
            Group::Tasks => "tasks",
        }
    }
}

/// Whether an operation changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Reads,
    /// It adds or changes data.
    Writes,
    /// It removes data, so a person is asked for confirmation first.
    Removes,
}

impl Spec {
    /// Returns the words of the command: `context`, `resolve`.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.usage.split(' ').filter(|word| !is_argument(word))
    }

    /// Returns the fields that are positional on the command line.
    pub(super) fn positionals(&self) -> impl Iterator<Item = &'static str> {
        let arguments = self.usage.split(' ').filter(|word| is_argument(word));
        arguments
            .map(|word| word.trim_matches(['[', ']', '<', '>', '.']))
            .map(|word| word.split('|').next().unwrap_or(word))
    }

    /// Returns the positional field that a flag may replace, and that flag.
    pub(super) fn flag_alternative(&self) -> Option<(&'static str, &'static str)> {
        let words = self.usage.split(' ').map(|word| word.trim_matches(['[', ']', '<', '>']));
        words.filter_map(|word| word.split_once("|--")).next()
    }
}

fn is_argument(word: &str) -> bool {
    word.starts_with(['[', '<'])
}
