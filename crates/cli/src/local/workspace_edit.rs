//! `heir workspace edit`.

use std::process::Command as Process;

use clap::{Arg, Command};
use heirloom_engine::Error;
use heirloom_engine::catalog::Catalog;
use serde_json::json;

use super::{Call, Local};
use crate::exit::Code;

pub(super) const EDIT: Local = Local {
    words: &["workspace", "edit"],
    about: "Open a document in your editor ($VISUAL or $EDITOR) and check it afterwards.",
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

fn run(call: &Call<'_>) -> Result<Code, Error> {
    let session = call.environment.session()?;
    let name = call.matches.get_one::<String>("name").map_or("workspace", String::as_str);
    let path = Catalog::read(&session)?.find(name)?.document.path.clone();
    let editor = call.environment.editor().ok_or_else(|| {
        Error::bad_input("no editor is set").hint(format!(
            "set VISUAL or EDITOR, or open {} yourself",
            session.root().join(&path).display()
        ))
    })?;
    let mut words = words_of(&editor).into_iter();
    let program = words.next().unwrap_or_default();
    let system = |message: String| Error::system(message).hint("check VISUAL and EDITOR");
    let status = Process::new(&program)
        .args(words)
        .arg(session.root().join(&path))
        .status()
        .map_err(|error| system(format!("{program}: {error}")))?;
    if !status.success() {
        return Err(system(format!("{editor} ended with {status}")));
    }
    let problems = heirloom_engine::check_document(&session, &path);
    if call.output.is_json() {
        call.output.data(&json!({"source": path, "problems": problems}));
    } else {
        problems.iter().for_each(|problem| call.output.note(&format!("⚠️ {problem}")));
    }
    Ok(if problems.is_empty() { Code::Fine } else { Code::Findings })
}

/// Splits a command as a shell would, quotes included: an editor may lie in a folder with a space.
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
