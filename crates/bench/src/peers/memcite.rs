//! memcite: claims with evidence in SQLite; the id of a memory is in the note of its evidence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::mcp::{StdioClient, text};
use super::words::by_word;
use super::{finish, python_program};
use crate::failure::Failure;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;

pub(crate) const PACKAGE: &str = "memcite";
pub(crate) const VERSION: &str = "1.0.1";

/// Stores by its own interface, which is quicker than its tools and merges nothing.
const STORE: &str = r#"
import json, sys
from agentic_memory import Memory, ManualRef
memory = Memory(sys.argv[1])
for line in sys.stdin:
    row = json.loads(line)
    memory.add(row["text"], evidence=ManualRef("id=" + row["id"]), deduplicate=False)
memory.close()
"#;

/// How many a word may find.
const MOST: usize = 100;

/// memcite, as it comes.
pub(crate) struct Memcite {
    program: PathBuf,
    python: PathBuf,
    scratch: TempDir,
    ids: Vec<String>,
    running: Option<StdioClient>,
}

impl Memcite {
    /// Finds it, or says why it cannot take part.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        let program = python_program(folder, PACKAGE, VERSION, "am-mcp")?;
        Ok(Memcite {
            python: program.with_file_name("python"),
            program,
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            ids: vec![],
            running: None,
        })
    }
}

impl MemorySystem for Memcite {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.ids = documents.iter().map(|document| document.doc.clone()).collect();
        let rows = documents.iter().enumerate().map(|(at, document)| {
            let row = json!({"id": at.to_string(), "text": document.text});
            format!("{row}\n")
        });
        let path = self.scratch.path().join("rows.jsonl");
        fs::write(&path, rows.collect::<String>()).map_err(Failure::io("writing", &path))?;
        let input = fs::File::open(&path).map_err(Failure::io("reading", &path))?;
        let mut storing = Command::new(&self.python);
        finish(storing.args(["-c", STORE]).arg(self.scratch.path()).stdin(input))?;
        let mut command = Command::new(&self.program);
        self.running = Some(StdioClient::start(command.arg("--repo").arg(self.scratch.path()))?);
        Ok(())
    }

    fn take_waiting_time(&mut self) -> Option<Duration> {
        self.running.as_mut().map(StdioClient::take_waiting_time)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some(server) = &mut self.running else { return Ok(vec![]) };
        // Every word must be there: a whole question finds nothing.
        by_word(&question.text, limit, |word| {
            let arguments = json!({"query": word, "limit": MOST, "validate": false});
            let answer = server.call("memory_query", &arguments)?;
            let notes = text(&answer).lines().filter(|line| line.starts_with("   ["));
            let numbers = notes.filter_map(|line| {
                let (_, id) = line.split_once("id=")?;
                id.split_whitespace().next()?.parse::<usize>().ok()
            });
            Ok(numbers.filter_map(|number| self.ids.get(number).cloned()).collect())
        })
    }
}
