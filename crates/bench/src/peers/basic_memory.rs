//! basic-memory: a markdown note for each memory, indexed before questions are asked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::packages::python_program;
use super::process::run_to_end;
use super::words::content_words;
use crate::failure::Failure;
use crate::mcp::StdioClient;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;

pub(crate) const PACKAGE: &str = "basic-memory";
pub(crate) const VERSION: &str = "0.23.2";

/// basic-memory with full-text search; its semantic search needs a model that it downloads.
pub(crate) struct BasicMemory {
    program: PathBuf,
    scratch: TempDir,
    ids: Vec<String>,
    server: Option<StdioClient>,
}

impl BasicMemory {
    /// Finds basic-memory, or returns why it is not available.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        Ok(BasicMemory {
            program: python_program(folder, PACKAGE, VERSION, "basic-memory")?,
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            ids: vec![],
            server: None,
        })
    }

    /// Starts a server on the folder of notes.
    pub(crate) fn start(&self) -> Result<StdioClient, Failure> {
        StdioClient::start(&mut self.command(&["mcp"]))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let home = self.scratch.path();
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env("HOME", home)
            .env("BASIC_MEMORY_CONFIG_DIR", home.join("config"))
            .env("BASIC_MEMORY_HOME", home.join("notes"))
            .env("BASIC_MEMORY_NO_PROMOS", "1")
            .env("BASIC_MEMORY_AUTO_UPDATE", "false")
            .env("BASIC_MEMORY_INDEX_CHANGES", "false")
            .env("BASIC_MEMORY_DEFAULT_SEARCH_TYPE", "text")
            .env("BASIC_MEMORY_LOG_LEVEL", "ERROR")
            .env("FASTMCP_CHECK_FOR_UPDATES", "off")
            .env("FASTMCP_SHOW_SERVER_BANNER", "false");
        command
    }
}

impl MemorySystem for BasicMemory {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        let notes = self.scratch.path().join("notes");
        fs::create_dir_all(&notes).map_err(Failure::io("making", &notes))?;
        self.ids = documents.iter().map(|document| document.doc.clone()).collect();
        for (number, document) in documents.iter().enumerate() {
            let name = format!("m{number:06}");
            let path = notes.join(format!("{name}.md"));
            let head = format!("---\ntitle: {name}\ntype: note\npermalink: {name}\n---\n\n");
            fs::write(&path, format!("{head}{}\n", document.text))
                .map_err(Failure::io("writing", &path))?;
        }
        run_to_end(self.command(&["reindex", "--search"]).stdin(Stdio::null()))?;
        self.server = Some(self.start()?);
        Ok(())
    }

    fn take_response_time(&mut self) -> Option<Duration> {
        self.server.as_mut().map(StdioClient::take_response_time)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some(server) = &mut self.server else { return Ok(vec![]) };
        let arguments = json!({
            "query": content_words(&question.text).join(" OR "), "page_size": limit,
            "search_type": "text", "output_format": "json",
        });
        let answer = server.call("search_notes", &arguments)?;
        let rows = answer["structuredContent"]["result"]["results"].as_array();
        let numbers = rows.into_iter().flatten().filter_map(|row| {
            let path = row["file_path"].as_str()?;
            path.strip_prefix('m')?.strip_suffix(".md")?.parse::<usize>().ok()
        });
        Ok(numbers.filter_map(|number| self.ids.get(number).cloned()).collect())
    }
}
