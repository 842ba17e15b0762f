//! The sections of the help: top-level commands grouped by what people want to do.

use std::fmt::Write as _;

use clap::builder::Styles;
use heirloom_engine::RecordKind;

/// Some top-level commands under one heading.
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: &'static str,
    /// The commands that the help of the program lists, each with what it is for.
    common: &'static [(&'static str, &'static str)],
    /// Further commands, which `heir help commands` lists too.
    further: &'static [(&'static str, &'static str)],
}

impl Section {
    /// Returns all its commands, the common ones first.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        self.common.iter().chain(self.further)
    }
}

/// Every top-level command, in the order in which the help and the reference show them.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        title: "Start",
        common: &[
            ("init", "Set up a workspace in this folder"),
            ("adopt", "Use the plans, decisions and rules that a repository has"),
            ("demo", "Make an example workspace and show what an agent inherits"),
            ("workspace", "Show, edit and register workspaces"),
        ],
        further: &[],
    },
    Section {
        title: "Inherit",
        common: &[
            ("assemble", "Assemble the context for a task within a token budget"),
            ("why", "Say why the last context contains something, or why not"),
            ("predict", "Predict which memories and commits work will need"),
            ("context", "Resolve what an agent inherits; check its age and conflicts"),
            ("retrieve", "Plans, overviews, decisions and lessons of a scope"),
            ("prompt", "Build the prompt of an agent within a token budget"),
            ("plan", "Create, list and renumber plans; set their status"),
            ("agent", "Create and list the agents of a plan"),
            ("adr", "Record decisions and what supersedes them"),
        ],
        further: &[
            ("signal", "Tell what is worked on: files, a branch, errors, a person"),
            ("migrate", "Add missing front matter to plans and overviews"),
            ("project", "Create and list projects"),
            ("stage", "Complete stages; hand their summaries on"),
            ("sprint", "Complete sprints; keep what was learnt"),
            ("graph", "Show how documents and memories are related"),
            ("links", "Review relations between memories that are proposed"),
            ("contradictions", "Find, review and resolve memories that disagree"),
        ],
    },
    Section {
        title: "Remember and recall",
        common: &[
            commands_of(RecordKind::Note),
            commands_of(RecordKind::Fact),
            commands_of(RecordKind::Episode),
            ("memory", "Keep the memory of agents and plans; pin, archive and relate"),
            ("hot", "Keep the rules that every conversation loads, and link them"),
            ("session", "Start and end sessions of work; each leaves an episode"),
            ("recall", "Ask what is known about something"),
            ("show", "Show all of a memory, a document or a session by its id"),
        ],
        further: &[
            commands_of(RecordKind::Pattern),
            commands_of(RecordKind::Workflow),
            ("learn", "Add decisions and lessons to their files; archive old ones"),
            ("cold", "Search earlier conversations, and extract memories from them"),
            ("compact", "Turn a conversation into an episode and a summary"),
            ("used", "Count that memories were useful"),
            ("usage", "Show which memories earn their tokens"),
            ("eval", "Check that recall finds what you expect"),
        ],
    },
    Section {
        title: "Tend and serve",
        common: &[
            ("import", "Import memories of other tools, or an export"),
            ("export", "Print all memories as JSON Lines or markdown"),
            ("mcp", "Serve the workspace to an agent over MCP"),
            ("serve", "Serve the workspace over HTTP on this machine"),
            ("help", "Explain a command, the exit codes or the environment"),
        ],
        further: &[
            ("consolidate", "Merge, shorten and forget what memory no longer needs"),
            ("undo", "Undo a consolidation, import, ingest, migration or resolution"),
            ("health", "Show the state of documents, memory, indexes and rules"),
            ("watch", "Follow the working tree; keep index and prediction warm"),
            ("index", "Inspect or rebuild the search index"),
            ("completions", "Print the completion script of a shell"),
            ("man", "Print manual pages"),
        ],
    },
];

/// Returns the top-level command of a record kind, with its help from the table of kinds.
const fn commands_of(kind: RecordKind) -> (&'static str, &'static str) {
    match kind.spec().help {
        Some(help) => (kind.as_str(), help),
        None => panic!("the table of kinds has no help for the commands of this kind"),
    }
}

/// Returns what a top-level command is for.
pub(crate) fn about(command: &str) -> Option<&'static str> {
    let mut commands = SECTIONS.iter().flat_map(Section::commands);
    commands.find(|(name, _)| *name == command).map(|(_, about)| *about)
}

/// Returns the sections with their common commands, as the help of the program prints them.
pub(crate) fn help() -> String {
    list(&Styles::styled(), |section| section.common.iter())
}

/// Returns the sections with all commands, in plain text.
pub(crate) fn all_commands() -> String {
    list(&Styles::plain(), Section::commands)
}

/// The least width of the column of names.
const MIN_NAME_WIDTH: usize = 12;

fn list<I: Iterator<Item = &'static (&'static str, &'static str)>>(
    styles: &Styles,
    commands: impl Fn(&'static Section) -> I,
) -> String {
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let names = SECTIONS.iter().flat_map(&commands).map(|(name, _)| name.len());
    let width = names.max().unwrap_or_default().max(MIN_NAME_WIDTH);
    let mut text = String::new();
    for section in SECTIONS {
        let _ = writeln!(text, "{header}{}:{header:#}", section.title);
        for (name, about) in commands(section) {
            let _ = writeln!(text, "  {literal}{name:<width$}{literal:#} {about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::command;

    #[test]
    fn every_visible_command_is_in_one_section() {
        let listed = SECTIONS.iter().flat_map(Section::commands).map(|(name, _)| *name);
        let listed: Vec<&str> = listed.collect();
        let root = command::root();
        let commands = root.get_subcommands().filter(|command| !command.is_hide_set());
        let names: BTreeSet<&str> = commands.map(clap::Command::get_name).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), names);
        assert_eq!(listed.len(), names.len(), "a command is listed twice");
    }

    #[test]
    fn the_help_fits_on_one_screen() {
        let help = command::root().render_help().to_string();
        assert!(help.lines().count() <= 50, "{} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
