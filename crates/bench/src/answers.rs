//! The length of ten typical answers in tokens, beside other memory servers that hold the same facts.

mod facts;
mod requests;

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use heirloom_store::tokens;
use serde::Serialize;
use serde_json::{Value, json};

use self::facts::FACTS;
use self::requests::{BASIC_MEMORY, HEIR, SERVER_MEMORY, Server, TASKS};
use crate::args::AnswersArgs;
use crate::failure::Failure;
use crate::mcp::StdioClient;
use crate::peers::{BasicMemory, ServerMemory, run_to_end};
use crate::programs;
use crate::report::{Attempt, Report, write_table};
use crate::scratch::temporary_folder;

/// The tokens of all answers.
#[derive(Serialize)]
pub(crate) struct AnswersReport {
    columns: Vec<Column>,
}

/// The answers of one server.
#[derive(Serialize)]
struct Column {
    name: String,
    /// The tokens of each task in order, then those of the list of tools.
    tokens: Attempt<Vec<usize>>,
}

impl Report for AnswersReport {}

/// Counts the tokens of the answers of heir and of the peers that are installed.
pub(crate) fn measure(args: &AnswersArgs) -> Result<AnswersReport, Failure> {
    let mut columns = vec![];
    for (name, options) in [("heir", &["mcp"][..]), ("heir --structured", &["mcp", "--structured"])]
    {
        let folder = temporary_folder()?;
        let heir = || {
            let mut command = Command::new(programs::heir(args.programs.heir.as_deref())?);
            command.current_dir(folder.path());
            Ok::<_, Failure>(command)
        };
        run_to_end(heir()?.arg("init").stdin(Stdio::null()))?;
        let client = StdioClient::start(heir()?.args(options))?;
        columns.push(Column::of(name, &HEIR, client)?);
    }
    columns.push(Column::of_peer(
        "server-memory",
        &SERVER_MEMORY,
        server_memory(&args.programs.dir),
    )?);
    columns.push(Column::of_peer("basic-memory", &BASIC_MEMORY, basic_memory(&args.programs.dir))?);
    Ok(AnswersReport { columns })
}

fn server_memory(folder: &Path) -> Result<(ServerMemory, StdioClient), String> {
    let peer = ServerMemory::find(folder)?;
    let client = peer.start().map_err(|failure| failure.to_string())?;
    Ok((peer, client))
}

fn basic_memory(folder: &Path) -> Result<(BasicMemory, StdioClient), String> {
    let peer = BasicMemory::find(folder)?;
    let client = peer.start().map_err(|failure| failure.to_string())?;
    Ok((peer, client))
}

impl Column {
    fn of(name: &str, server: &Server, mut client: StdioClient) -> Result<Self, Failure> {
        let mut ids = vec![];
        for fact in FACTS {
            let (tool, arguments) = (server.store)(fact);
            let answer = seen_by_model(&client.call(tool, &arguments)?);
            ids.push((server.id)(&answer, fact));
        }
        let mut tokens = vec![];
        for (task, _) in TASKS {
            let (tool, arguments) = (server.request)(*task, &ids);
            let result = client.call(tool, &arguments)?;
            let answer = seen_by_model(&result);
            if result["isError"] == true || answer.is_empty() {
                return Err(Failure::new(format!("{name}, {tool}: {answer}")));
            }
            tokens.push(tokens::count(&answer));
        }
        let tools = client.ask("tools/list", &json!({}))?;
        tokens.push(tokens::count(&tools["tools"].to_string()));
        Ok(Column { name: name.to_owned(), tokens: Attempt::Done(tokens) })
    }

    /// Measures a peer, whose files are removed when it is dropped.
    fn of_peer<P>(
        name: &str,
        server: &Server,
        started: Result<(P, StdioClient), String>,
    ) -> Result<Self, Failure> {
        match started {
            Ok((_peer, client)) => Self::of(name, server, client),
            Err(skipped) => {
                Ok(Column { name: name.to_owned(), tokens: Attempt::Skipped { skipped } })
            }
        }
    }
}

/// Returns what common clients pass to the model: the structured content if there is one, else the text.
fn seen_by_model(result: &Value) -> String {
    match result.get("structuredContent") {
        Some(content) if !content.is_null() => content.to_string(),
        _ => {
            let parts = result["content"].as_array().into_iter().flatten();
            parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

impl fmt::Display for AnswersReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |column: &Column, select: &dyn Fn(&[usize]) -> usize| match &column.tokens {
            Attempt::Done(tokens) => select(tokens).to_string(),
            Attempt::Skipped { .. } => "-".to_owned(),
        };
        let line = |label: &str, select: &dyn Fn(&[usize]) -> usize| -> Vec<String> {
            let cells = self.columns.iter().map(|column| cell(column, select));
            std::iter::once(label.to_owned()).chain(cells).collect()
        };
        let names = self.columns.iter().map(|column| column.name.clone());
        let mut lines =
            vec![std::iter::once("tokens of the answer".to_owned()).chain(names).collect()];
        for (at, (_, label)) in TASKS.iter().enumerate() {
            lines.push(line(label, &|tokens| tokens[at]));
        }
        lines.push(line("all ten", &|tokens| tokens[..TASKS.len()].iter().sum()));
        lines.push(line("the list of tools, in every conversation", &|tokens| tokens[TASKS.len()]));
        let rows: Vec<[String; 5]> =
            lines.into_iter().filter_map(|line: Vec<String>| line.try_into().ok()).collect();
        write_table(f, &rows, 0)?;
        for column in &self.columns {
            if let Attempt::Skipped { skipped } = &column.tokens {
                writeln!(f, "{}: skipped: {skipped}", column.name)?;
            }
        }
        Ok(())
    }
}
