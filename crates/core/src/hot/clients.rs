//! The table of clients: where each reads rules and commands, and in which form.
//!
//! Everything that differs between clients is in this table; the code that uses it names no client.

use schemars::JsonSchema;
use serde::Serialize;

/// A client: a program in which agents work.
#[derive(Debug)]
pub struct Client {
    /// The name that commands take.
    pub id: &'static str,
    /// The name that people know.
    pub name: &'static str,
    /// The folder of rules that the client reads besides everything else.
    pub rules: Option<RulesFolder>,
    /// A file of settings that can name the folder of hot memory.
    pub settings: Option<SettingsFile>,
    /// The instruction files that the client reads.
    pub root_files: RootFiles,
    /// Files that some versions or setups of the client read as well, so that the rules would be loaded twice.
    pub may_also_read: &'static [MayAlsoRead],
    /// Whether it replaces `@path` in an instruction file by the file.
    pub imports_files: bool,
    /// The size in bytes beyond which it leaves out the end of a file.
    pub max_file_bytes: Option<usize>,
    /// The form of a command.
    pub commands: CommandPlace,
    /// Files and folders that show that the client is used in a repository.
    pub detected_by: &'static [&'static str],
}

/// A folder whose files are all read.
#[derive(Debug)]
pub struct RulesFolder {
    /// The path.
    pub path: &'static str,
    /// What the names of its files end with. Other files are ignored by the client.
    pub suffix: &'static str,
    /// Keys of the front matter, with the value as YAML, without which a rule is not loaded in every conversation.
    pub front_matter: &'static [(&'static str, &'static str)],
    /// Keys of the front matter that make a rule load only for some files or when it is asked for.
    pub lazy_keys: &'static [&'static str],
    /// Whether the client reads files behind symbolic links.
    pub follows_links: bool,
}

/// A file of settings that is created if the client has no settings yet. Existing settings are not edited.
#[derive(Debug)]
pub struct SettingsFile {
    /// The file to create.
    pub path: &'static str,
    /// Files that hold the settings already, the created one included.
    pub existing: &'static [&'static str],
    /// The key of the list of patterns of rules.
    pub key: &'static str,
    /// The schema that the file names.
    pub schema: &'static str,
}

/// The instruction files that a client reads.
#[derive(Debug)]
pub enum RootFiles {
    /// All of the files.
    All(&'static [&'static str]),
    /// The first file that exists; it hides the others.
    First(&'static [&'static str]),
    /// Files that the settings name, in a list or a text at a path of keys; all of the usual files if they name none.
    Named {
        /// The file of settings.
        settings: &'static str,
        /// The keys that lead to the names.
        keys: &'static [&'static str],
        /// The files without settings.
        usual: &'static [&'static str],
    },
}

/// A file or a folder that some versions or forms of a client read besides its own.
#[derive(Debug)]
pub struct MayAlsoRead {
    /// The file, or the folder of rules.
    pub path: &'static str,
    /// A file that hides it: with this file, it is not read.
    pub unless_exists: Option<&'static str>,
    /// The version or form of the client that reads it, for people.
    pub reader: &'static str,
}

/// The folder and form of commands.
#[derive(Debug)]
pub struct CommandPlace {
    /// The folder.
    pub folder: &'static str,
    /// The form.
    pub form: CommandForm,
}

/// The form of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandForm {
    /// A file `NAME.md`, which a person calls as `/NAME`.
    Command,
    /// A file `NAME/SKILL.md`, which a person or the agent itself calls.
    Skill,
    /// A file `NAME.md` with a description, which a person calls as `/NAME`.
    Workflow,
}

/// The file that many clients share.
pub const AGENTS_FILE: &str = "AGENTS.md";

/// The folder of skills that most clients share.
const SHARED_SKILLS: CommandPlace =
    CommandPlace { folder: ".agents/skills", form: CommandForm::Skill };

/// Every client, in the order in which they are listed.
pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        rules: Some(RulesFolder {
            path: ".claude/rules",
            suffix: ".md",
            front_matter: &[],
            lazy_keys: &["paths"],
            follows_links: true,
        }),
        settings: None,
        root_files: RootFiles::All(&["CLAUDE.md", ".claude/CLAUDE.md"]),
        may_also_read: &[MayAlsoRead {
            path: AGENTS_FILE,
            unless_exists: Some("CLAUDE.md"),
            reader: "Claude Code from 2.1.277 on",
        }],
        imports_files: true,
        max_file_bytes: None,
        commands: CommandPlace { folder: ".claude/commands", form: CommandForm::Command },
        detected_by: &[".claude", "CLAUDE.md"],
    },
    Client {
        id: "cursor",
        name: "Cursor",
        rules: Some(RulesFolder {
            path: ".cursor/rules",
            suffix: ".mdc",
            front_matter: &[("alwaysApply", "true")],
            lazy_keys: &["globs", "description"],
            follows_links: true,
        }),
        settings: None,
        root_files: RootFiles::All(&[AGENTS_FILE, ".cursorrules"]),
        may_also_read: &[],
        imports_files: false,
        max_file_bytes: None,
        commands: SHARED_SKILLS,
        detected_by: &[".cursor", ".cursorrules"],
    },
    Client {
        id: "codex",
        name: "Codex",
        rules: None,
        settings: None,
        root_files: RootFiles::First(&["AGENTS.override.md", AGENTS_FILE]),
        may_also_read: &[],
        imports_files: false,
        max_file_bytes: Some(32 * 1024),
        commands: SHARED_SKILLS,
        detected_by: &[".codex", AGENTS_FILE],
    },
    Client {
        id: "copilot",
        name: "Copilot",
        rules: Some(RulesFolder {
            path: ".github/instructions",
            suffix: ".instructions.md",
            front_matter: &[("applyTo", "\"**\"")],
            lazy_keys: &["applyTo"],
            follows_links: false,
        }),
        settings: None,
        root_files: RootFiles::All(&[".github/copilot-instructions.md", AGENTS_FILE, "CLAUDE.md"]),
        may_also_read: &[MayAlsoRead {
            path: ".claude/rules",
            unless_exists: None,
            reader: "Copilot in VS Code",
        }],
        imports_files: false,
        max_file_bytes: None,
        commands: SHARED_SKILLS,
        detected_by: &[".github/copilot-instructions.md", ".github/instructions"],
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        rules: None,
        settings: None,
        root_files: RootFiles::Named {
            settings: ".gemini/settings.json",
            keys: &["context", "fileName"],
            usual: &["GEMINI.md"],
        },
        may_also_read: &[],
        imports_files: true,
        max_file_bytes: None,
        commands: SHARED_SKILLS,
        detected_by: &[".gemini", "GEMINI.md"],
    },
    Client {
        id: "antigravity",
        name: "Antigravity",
        rules: Some(RulesFolder {
            path: ".agents/rules",
            suffix: ".md",
            front_matter: &[("trigger", "always_on")],
            lazy_keys: &["trigger", "globs", "description"],
            follows_links: false,
        }),
        settings: None,
        root_files: RootFiles::All(&[]),
        may_also_read: &[
            MayAlsoRead {
                path: AGENTS_FILE,
                unless_exists: None,
                reader: "Antigravity from 1.20.3 on",
            },
            MayAlsoRead { path: "GEMINI.md", unless_exists: None, reader: "Antigravity" },
        ],
        imports_files: false,
        max_file_bytes: Some(12_000),
        commands: SHARED_SKILLS,
        detected_by: &[".agents/rules", ".agent/rules"],
    },
    Client {
        id: "opencode",
        name: "opencode",
        rules: None,
        settings: Some(SettingsFile {
            path: "opencode.jsonc",
            existing: &["opencode.jsonc", "opencode.json"],
            key: "instructions",
            schema: "https://opencode.ai/config.json",
        }),
        root_files: RootFiles::First(&[AGENTS_FILE, "CLAUDE.md"]),
        may_also_read: &[],
        imports_files: false,
        max_file_bytes: None,
        commands: SHARED_SKILLS,
        detected_by: &["opencode.json", "opencode.jsonc", ".opencode"],
    },
    Client {
        id: "zed",
        name: "Zed",
        rules: None,
        settings: None,
        root_files: RootFiles::First(&[
            ".rules",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules",
            ".github/copilot-instructions.md",
            "AGENT.md",
            AGENTS_FILE,
            "CLAUDE.md",
            "GEMINI.md",
        ]),
        may_also_read: &[],
        imports_files: false,
        max_file_bytes: None,
        commands: SHARED_SKILLS,
        detected_by: &[".zed", ".rules"],
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        rules: Some(RulesFolder {
            path: ".windsurf/rules",
            suffix: ".md",
            front_matter: &[("trigger", "always_on")],
            lazy_keys: &["trigger", "globs", "description"],
            follows_links: false,
        }),
        settings: None,
        root_files: RootFiles::All(&[AGENTS_FILE, ".windsurfrules"]),
        may_also_read: &[],
        imports_files: false,
        max_file_bytes: None,
        commands: CommandPlace { folder: ".windsurf/workflows", form: CommandForm::Workflow },
        detected_by: &[".windsurf", ".windsurfrules"],
    },
];

/// Returns the client with an id.
pub fn find(id: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.id == id)
}

/// Returns whether `link` could have put a file at a path. A list of what was put comes with the repository, so it must not
/// name anything else.
pub fn is_known_place(path: &str) -> bool {
    CLIENTS.iter().any(|client| {
        let in_folder = |folder: &str| {
            path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default()
        };
        let is_rule = client.rules.as_ref().is_some_and(|rules| {
            let name = in_folder(rules.path);
            name.len() > rules.suffix.len() && name.ends_with(rules.suffix) && !name.contains('/')
        });
        let command = in_folder(client.commands.folder);
        let is_command = match client.commands.form {
            CommandForm::Skill => command.strip_suffix("/SKILL.md").is_some_and(is_plain_name),
            CommandForm::Command | CommandForm::Workflow => {
                command.strip_suffix(".md").is_some_and(is_plain_name)
            }
        };
        let root_files = match client.root_files {
            RootFiles::All(files) | RootFiles::First(files) => files,
            RootFiles::Named { usual, .. } => usual,
        };
        let is_settings = client.settings.as_ref().is_some_and(|settings| settings.path == path);
        is_rule || is_command || is_settings || root_files.contains(&path)
    })
}

/// Returns whether a client reads rules or commands in a folder or below it.
pub fn is_place_folder(folder: &str) -> bool {
    CLIENTS.iter().any(|client| {
        let places = client.rules.iter().map(|rules| rules.path).chain([client.commands.folder]);
        let is_skill = client.commands.form == CommandForm::Skill
            && crate::path::folder(folder) == client.commands.folder;
        is_skill || places.into_iter().any(|place| crate::path::is_within(place, folder))
    })
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_of_clients_are_known() {
        for path in [
            ".claude/rules/a.md",
            ".cursor/rules/a.mdc",
            ".agents/skills/save-memory/SKILL.md",
            ".windsurf/workflows/save-memory.md",
            "AGENTS.md",
            "opencode.jsonc",
        ] {
            assert!(is_known_place(path), "{path}");
        }
        for path in [
            "README.md",
            ".cursor/rules/a.md",
            ".cursor/rules/.mdc",
            ".claude/rules/a/b.md",
            ".claude/settings.json",
            ".agents/skills/SKILL.md",
            ".agents/skills/a/b/SKILL.md",
            "../AGENTS.md",
        ] {
            assert!(!is_known_place(path), "{path}");
        }
    }

    #[test]
    fn ids_are_unique() {
        for (at, client) in CLIENTS.iter().enumerate() {
            assert!(CLIENTS[at + 1..].iter().all(|other| other.id != client.id));
        }
    }
}
