//! Reads the files of hot memory.

use heirloom_core::hot::{SourceFile, generated, statement};
use heirloom_core::{Problem, name};

use crate::{Error, Session};

/// The files of a folder of hot memory.
#[derive(Debug, Default)]
pub(crate) struct HotFiles {
    /// The folder.
    pub(crate) folder: String,
    /// The files, by name.
    pub(crate) files: Vec<SourceFile>,
    /// The problems of files that were left out.
    pub(crate) problems: Vec<Problem>,
}

impl HotFiles {
    /// Finds a rule by its name, with or without extension, or by its path.
    pub(crate) fn find(&self, typed: &str) -> Option<&SourceFile> {
        let typed = typed.trim().trim_start_matches("./");
        self.files.iter().find(|file| {
            let name = heirloom_core::path::file_name(&file.path);
            file.path == typed || name == typed || file.stem() == typed
        })
    }

    /// Finds the rule with a statement that says the same in the same words, and its line.
    pub(crate) fn find_statement(&self, said: &str) -> Option<(&SourceFile, usize)> {
        self.files.iter().find_map(|file| Some((file, statement::find(&file.text, said)?)))
    }
}

/// Reads the rules.
pub(crate) fn read_rules(session: &Session) -> Result<HotFiles, Error> {
    read(session, session.config()?.hot.rules_folder())
}

/// Reads the commands.
pub(crate) fn read_commands(session: &Session) -> Result<HotFiles, Error> {
    read(session, session.config()?.hot.commands_folder())
}

/// Reads the markdown files of a folder. Symbolic links are left out: their text would be copied to where clients read it,
/// and a link may lead to a file that should stay on this machine.
fn read(session: &Session, folder: String) -> Result<HotFiles, Error> {
    let root = session.root();
    let mut found = HotFiles { folder, ..HotFiles::default() };
    for item in root.list(&found.folder)? {
        let path = format!("{}/{}", found.folder, item.name);
        if item.is_folder || !item.name.to_lowercase().ends_with(".md") {
            continue;
        }
        if item.is_link {
            let problem = Problem::in_file(path, "a symbolic link is not read as a rule");
            found.problems.push(problem.hint("put the file here and link to it"));
            continue;
        }
        if let Some(reason) = name::unsafe_reason(&item.name).filter(|_| item.is_utf8) {
            let message = format!("left out because of its name: {reason}");
            found.problems.push(Problem::in_file(path, message).hint("rename the file"));
            continue;
        }
        match root.read(&path) {
            Ok(Some(text)) if generated::has_mark(&text) => {
                let problem =
                    Problem::in_file(path, "left out: it contains a mark of `heir hot link`");
                found.problems.push(problem.hint("edit the source, not a copy of it"));
            }
            Ok(Some(text)) => found.files.push(SourceFile { path, text }),
            Ok(None) => {}
            Err(problem) => found.problems.push(problem),
        }
    }
    Ok(found)
}
