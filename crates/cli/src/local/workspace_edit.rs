//! `heir workspace edit`.

use clap::{Arg, Command};
use heirloom_engine::Error;
use heirloom_engine::workspace::catalog::Catalog;
use serde_json::json;

use super::{CommandContext, LocalCommand};
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
    editor.open(&file)?;
    let problems = heirloom_engine::check_document(&session, &path);
    if call.output.is_json() {
        call.output.data(json!({"source": path, "problems": problems}));
    } else {
        call.output.problems(&problems);
    }
    Ok(if problems.is_empty() { Code::Success } else { Code::Findings })
}
