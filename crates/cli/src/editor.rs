//! The editor of the user.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use heirloom_engine::Error;

/// An editor.
#[derive(Debug, Clone)]
pub(crate) enum Editor {
    /// A command line.
    Command(String),
    /// A program.
    Program(PathBuf),
}

impl Editor {
    /// Opens a file and waits until it is closed.
    pub(crate) fn open(&self, file: &Path) -> Result<(), Error> {
        let (program, arguments) = match self {
            Editor::Program(program) => (program.clone(), vec![]),
            Editor::Command(command) => {
                let mut words = words_of(command);
                let arguments = words.split_off(words.len().min(1));
                (PathBuf::from(words.pop().unwrap_or_default()), arguments)
            }
        };
        let shown = program.display();
        let failed = |message: String| {
            Error::system(message).hint("check VISUAL, EDITOR and git's core.editor")
        };
        let status = Process::new(&program).args(arguments).arg(file).status();
        let status = status.map_err(|error| failed(format!("{shown}: {error}")))?;
        match status.success() {
            true => Ok(()),
            false => Err(failed(format!("{shown} ended with {status}"))),
        }
    }
}

/// Splits a command line as a shell does: the path of an editor may be quoted and contain spaces.
fn words_of(command: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(super::words_of("'/my editor/e' -w \"\" x"), ["/my editor/e", "-w", "", "x"]);
    }
}
