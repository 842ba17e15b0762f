//! `heir workspace edit`.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::{Arg, Command};
use heirloom_engine::Error;
use heirloom_engine::workspace::catalog::Catalog;
use serde_json::json;

use super::{CommandContext, LocalCommand};
use crate::environment::Editor;
use crate::exit::Code;

pub(super) const EDIT: LocalCommand = LocalCommand {
    words: &["workspace", "edit"],
    about: "Open a document in your editor ($VISUAL, $EDITOR, git's core.editor, else one that is installed) and check it afterwards.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("name")
                .value_name("NAME")
                .default_value("workspace")
                .help("The document: a name (vision), an id (ADR-0003) or a path"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let session = call.environment.session()?;
    let name = call.matches.get_one::<String>("name").map_or("workspace", String::as_str);
    let path = Catalog::read(&session)?.find(name)?.document.path.clone();
    let file = session.root().join(&path);
    let editor = call.environment.editor().ok_or_else(|| {
        Error::bad_input("no editor is set, and none was found")
            .hint(format!("set VISUAL or EDITOR, or open {} yourself", file.display()))
    })?;
    open(&editor, &file)?;
    let problems = heirloom_engine::check_document(&session, &path);
    if call.output.is_json() {
        call.output.data(json!({"source": path, "problems": problems}));
    } else {
        call.output.problems(&problems);
    }
    Ok(if problems.is_empty() { Code::Success } else { Code::Findings })
}

/// Opens a file in an editor and waits until it is closed.
pub(super) fn open(editor: &Editor, file: &Path) -> Result<(), Error> {
    let (program, arguments) = match editor {
        Editor::Program(program) => (program.clone(), vec![]),
        Editor::Command(command) => {
            let mut words = words_of(command);
            let arguments = words.split_off(words.len().min(1));
            (PathBuf::from(words.pop().unwrap_or_default()), arguments)
        }
    };
    let shown = program.display();
    let failed =
        |message: String| Error::system(message).hint("check VISUAL, EDITOR and git's core.editor");
    let status = Process::new(&program).args(arguments).arg(file).status();
    let status = status.map_err(|error| failed(format!("{shown}: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(format!("{shown} ended with {status}"))),
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
