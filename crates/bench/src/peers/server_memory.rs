//! The reference memory server of MCP: a file of entities that it reads on every call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::packages::node_package;
use super::words::search_by_word;
use crate::failure::Failure;
use crate::mcp::StdioClient;
use crate::programs;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;

pub(crate) const PACKAGE: &str = "@modelcontextprotocol/server-memory";
pub(crate) const VERSION: &str = "2026.8.31";

/// The memory server, with default settings.
pub(crate) struct ServerMemory {
    node: PathBuf,
    entry_script: PathBuf,
    scratch: TempDir,
    ids: Vec<String>,
    server: Option<StdioClient>,
}

impl ServerMemory {
    /// Finds the server, or returns why it is not available.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        let package = node_package(folder, PACKAGE, VERSION)?;
        Ok(ServerMemory {
            node: programs::on_path("node").ok_or("node is not installed")?,
            entry_script: package.join("dist/index.js"),
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            ids: vec![],
            server: None,
        })
    }

    /// Starts a server on the memory file.
    pub(crate) fn start(&self) -> Result<StdioClient, Failure> {
        let mut command = Command::new(&self.node);
        command.arg(&self.entry_script).env("MEMORY_FILE_PATH", self.memory_file());
        StdioClient::start(&mut command)
    }

    fn memory_file(&self) -> PathBuf {
        self.scratch.path().join("memory.jsonl")
    }
}

/// Encodes a number as punctuation: the server also searches names, and no question has such words.
fn name_of(number: usize) -> String {
    number.to_string().chars().map(|digit| char::from(digit as u8 - b'0' + b'!')).collect()
}

fn number_of(name: &str) -> Option<usize> {
    let digits: String = name.bytes().map(|byte| char::from(byte - b'!' + b'0')).collect();
    digits.parse().ok()
}

impl MemorySystem for ServerMemory {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.ids = documents.iter().map(|document| document.doc.clone()).collect();
        let lines = documents.iter().enumerate().map(|(number, document)| {
            let entity = json!({
                "type": "entity", "name": name_of(number), "entityType": "#",
                "observations": [document.text],
            });
            format!("{entity}\n")
        });
        let path = self.memory_file();
        fs::write(&path, lines.collect::<String>()).map_err(Failure::io("writing", &path))?;
        self.server = Some(self.start()?);
        Ok(())
    }

    fn take_response_time(&mut self) -> Option<Duration> {
        self.server.as_mut().map(StdioClient::take_response_time)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some(server) = &mut self.server else { return Ok(vec![]) };
        // The server finds entities that contain the query literally, and does not rank them.
        search_by_word(&question.text, limit, |word| {
            let answer = server.call("search_nodes", &json!({"query": word}))?;
            let entities = answer["structuredContent"]["entities"].as_array().into_iter().flatten();
            let numbers = entities.filter_map(|entity| number_of(entity["name"].as_str()?));
            Ok(numbers.filter_map(|number| self.ids.get(number).cloned()).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decode_to_their_numbers() {
        for number in [0, 7, 120, 98_765] {
            assert_eq!(number_of(&name_of(number)), Some(number));
            assert!(name_of(number).chars().all(|c| c.is_ascii_punctuation()));
        }
    }
}
