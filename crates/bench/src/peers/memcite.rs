//! memcite: claims with evidence in SQLite. The evidence of each memory holds its number.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::packages::python_program;
use super::process::run_to_end;
use super::words::search_by_word;
use crate::failure::Failure;
use crate::mcp::{StdioClient, text};
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;

pub(crate) const PACKAGE: &str = "memcite";
pub(crate) const VERSION: &str = "1.0.1";

/// Stores memories through the Python interface, which is faster than the tools and merges nothing.
const STORE_SCRIPT: &str = r#"
import json, sys
from agentic_memory import Memory, ManualRef
memory = Memory(sys.argv[1])
for line in sys.stdin:
    row = json.loads(line)
    memory.add(row["text"], evidence=ManualRef("id=" + row["id"]), deduplicate=False)
memory.close()
"#;

/// How many results are asked for with each word.
const RESULTS_PER_WORD: usize = 100;

/// memcite, with default settings.
pub(crate) struct Memcite {
    program: PathBuf,
    python: PathBuf,
    scratch: TempDir,
    ids: Vec<String>,
    server: Option<StdioClient>,
}

impl Memcite {
    /// Finds memcite, or returns why it is not available.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        let program = python_program(folder, PACKAGE, VERSION, "am-mcp")?;
        Ok(Memcite {
            python: program.with_file_name("python"),
            program,
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            ids: vec![],
            server: None,
        })
    }
}

impl MemorySystem for Memcite {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.ids = documents.iter().map(|document| document.doc.clone()).collect();
        let rows = documents.iter().enumerate().map(|(number, document)| {
            let row = json!({"id": number.to_string(), "text": document.text});
            format!("{row}\n")
        });
        let path = self.scratch.path().join("rows.jsonl");
        fs::write(&path, rows.collect::<String>()).map_err(Failure::io("writing", &path))?;
        let input = fs::File::open(&path).map_err(Failure::io("reading", &path))?;
        let mut storing = Command::new(&self.python);
        run_to_end(storing.args(["-c", STORE_SCRIPT]).arg(self.scratch.path()).stdin(input))?;
        let mut command = Command::new(&self.program);
        self.server = Some(StdioClient::start(command.arg("--repo").arg(self.scratch.path()))?);
        Ok(())
    }

    fn take_response_time(&mut self) -> Option<Duration> {
        self.server.as_mut().map(StdioClient::take_response_time)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some(server) = &mut self.server else { return Ok(vec![]) };
        // memcite requires all words of a query, so a whole question finds nothing.
        search_by_word(&question.text, limit, |word| {
            let arguments = json!({"query": word, "limit": RESULTS_PER_WORD, "validate": false});
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
