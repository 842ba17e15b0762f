//! `heir mcp`, a server as the peers are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::mcp::{self, StdioClient};
use crate::programs;
use crate::recall::create_workspace;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;
use crate::scratch::temporary_folder;

/// A running `heir mcp`.
pub(crate) struct HeirServer {
    program: PathBuf,
    scratch: TempDir,
    server: Option<StdioClient>,
}

impl HeirServer {
    /// Finds the binary.
    pub(crate) fn find(heir: Option<&Path>) -> Result<Self, Failure> {
        let scratch = temporary_folder()?;
        Ok(HeirServer { program: programs::heir(heir)?, scratch, server: None })
    }
}

impl MemorySystem for HeirServer {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        create_workspace(self.scratch.path(), documents)?;
        let mut command = Command::new(&self.program);
        let mut server = StdioClient::start(command.arg("mcp").current_dir(self.scratch.path()))?;
        server.call("memory_recall", &json!({"query": "first"}))?;
        self.server = Some(server);
        Ok(())
    }

    fn take_response_time(&mut self) -> Option<Duration> {
        self.server.as_mut().map(StdioClient::take_response_time)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some(server) = &mut self.server else { return Ok(vec![]) };
        let arguments = json!({"query": question.text, "limit": limit});
        let answer = server.call("memory_recall", &arguments)?;
        Ok(sources(mcp::text(&answer)).map(str::to_owned).collect())
    }
}

/// Returns the sources of the hits in an answer: each hit has a line of details, which ends with its source.
fn sources(answer: &str) -> impl Iterator<Item = &str> {
    let details = answer.lines().filter(|line| line.starts_with(' '));
    details.filter_map(|line| line.rsplit_once(" · ")).map(|(_, source)| source)
}
