//! `heir workspace edit`.

use std::process::Command as Process;

use clap::{Arg, Command};
use heirloom_engine::catalog::Catalog;
use heirloom_engine::Error;
use serde_json::json;

use super::{Call, Local};
use crate::exit::Code;

pub(super) const EDIT: Local = Local {
    words: &["workspace", "edit"],
    about: "Open a document in your editor ($VISUAL or $EDITOR) and check it afterwards.",
    arguments: |command: Command| command.arg(Arg::new("name").value_name("NAME").default_value("workspace").help("The document: a name (vision), an id (ADR-0003) or a path")),
    run,
};

fn run(call: &Call<'_>) -> Result<Code, Error> {
    let session = call.environment.session()?;
    let name = call.matches.get_one::<String>("name").map_or("workspace", String::as_str);
    let path = Catalog::read(&session)?.find(name)?.document.path.clone();
    let editor = call.environment.editor().ok_or_else(|| Error::bad_input("no editor is set").hint(format!("set VISUAL or EDITOR, or open {} yourself", session.root().join(&path).display())))?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(&editor);
    let system = |message: String| Error::system(message).hint("check VISUAL and EDITOR");
    let status = Process::new(program).args(words).arg(session.root().join(&path)).status().map_err(|error| system(format!("{program}: {error}")))?;
    if !status.success() {
        return Err(system(format!("{editor} ended with {status}")));
    }
    let problems = heirloom_engine::check_document(&session, &path)?;
    if call.output.is_json() {
        call.output.data(&json!({"source": path, "problems": problems}));
    } else {
        problems.iter().for_each(|problem| call.output.note(&format!("⚠️ {problem}")));
    }
    Ok(if problems.is_empty() { Code::Fine } else { Code::Findings })
}
