//! The memory server of the Model Context Protocol: a file of entities, read on every call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::mcp::StdioClient;
use super::node_package;
use super::words::by_word;
use crate::failure::Failure;
use crate::programs;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;

pub(crate) const PACKAGE: &str = "@modelcontextprotocol/server-memory";
pub(crate) const VERSION: &str = "2026.8.31";

/// The memory server, as it comes.
pub(crate) struct ServerMemory {
    node: PathBuf,
    entry: PathBuf,
    scratch: TempDir,
    ids: Vec<String>,
    running: Option<StdioClient>,
}

impl ServerMemory {
    /// Finds it, or says why it cannot take part.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        let package = node_package(folder, PACKAGE, VERSION)?;
        Ok(ServerMemory {
            node: programs::on_path("node").ok_or("node is not installed")?,
            entry: package.join("dist/index.js"),
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            ids: vec![],
            running: None,
        })
    }
}

/// It looks into names too, so they are of signs that no question has.
fn name_of(at: usize) -> String {
    at.to_string().chars().map(|digit| char::from(digit as u8 - b'0' + b'!')).collect()
}

fn number_of(name: &str) -> Option<usize> {
    let digits: String = name.bytes().map(|sign| char::from(sign - b'!' + b'0')).collect();
    digits.parse().ok()
}

impl MemorySystem for ServerMemory {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.ids = documents.iter().map(|document| document.doc.clone()).collect();
        let lines = documents.iter().enumerate().map(|(at, document)| {
            let entity = json!({
                "type": "entity", "name": name_of(at), "entityType": "#",
                "observations": [document.text],
            });
            format!("{entity}\n")
        });
        let path = self.scratch.path().join("memory.jsonl");
        fs::write(&path, lines.collect::<String>()).map_err(Failure::io("writing", &path))?;
        let mut command = Command::new(&self.node);
        self.running =
            Some(StdioClient::start(command.arg(&self.entry).env("MEMORY_FILE_PATH", &path))?);
        Ok(())
    }

    fn take_waiting_time(&mut self) -> Option<Duration> {
        self.running.as_mut().map(StdioClient::take_waiting_time)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some(server) = &mut self.running else { return Ok(vec![]) };
        // It finds what holds the whole query as it stands, and ranks nothing.
        by_word(&question.text, limit, |word| {
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
    fn a_name_stands_for_its_number() {
        for number in [0, 7, 120, 98_765] {
            assert_eq!(number_of(&name_of(number)), Some(number));
            assert!(name_of(number).chars().all(|c| c.is_ascii_punctuation()));
        }
    }
}
