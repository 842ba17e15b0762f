//! limps: a markdown file for each memory, and a server with MCP over HTTP.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heirloom_testkit::ChildGuard;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::packages::node_package;
use super::process::LOAD_TIMEOUT;
use super::words::search_by_word;
use crate::failure::Failure;
use crate::mcp::{HttpClient, text};
use crate::programs;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;

pub(crate) const PACKAGE: &str = "@sudosandwich/limps";
pub(crate) const VERSION: &str = "3.4.0";

/// How many results are asked for: limps truncates before it filters, so that a smaller limit would lose results. It
/// returns at most 20.
const RESULTS_PER_WORD: usize = 100;

/// limps, with its default settings for search and practically no rate limit.
pub(crate) struct Limps {
    node: PathBuf,
    entry_script: PathBuf,
    scratch: TempDir,
    /// The ids of the documents, by the number in the name of their file.
    ids: Vec<String>,
    server: Option<(ChildGuard, HttpClient)>,
}

impl Limps {
    /// Finds limps in the folder of installed packages, or returns why it is not available.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        let package = node_package(folder, PACKAGE, VERSION)?;
        Ok(Limps {
            node: programs::on_path("node").ok_or("node is not installed")?,
            entry_script: package.join("dist/server-http-entry.js"),
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
            ids: vec![],
            server: None,
        })
    }
}

impl MemorySystem for Limps {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        let folder = self.scratch.path();
        let docs = folder.join("docs");
        fs::create_dir_all(&docs).map_err(Failure::io("making", &docs))?;
        self.ids = documents.iter().map(|document| document.doc.clone()).collect();
        for (number, document) in documents.iter().enumerate() {
            let path = docs.join(format!("{number:06}.md"));
            fs::write(&path, format!("{}\n", document.text))
                .map_err(Failure::io("writing", &path))?;
        }
        let port = free_port()?;
        let config = folder.join("config.json");
        let settings = json!({
            "configVersion": 1, "plansPath": docs, "dataPath": folder.join("data"),
            "scoring": {"weights": {"dependency": 40, "priority": 30, "workload": 30}, "biases": {}},
            "server": {
                "port": port, "host": "127.0.0.1",
                "rateLimit": {"maxRequests": 100_000_000, "windowMs": 60_000},
            },
        });
        fs::write(&config, settings.to_string()).map_err(Failure::io("writing", &config))?;
        let child = Command::new(&self.node)
            .arg(&self.entry_script)
            .arg(&config)
            .env("HOME", folder)
            .env("XDG_DATA_HOME", folder.join("share"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Failure::io("starting", &self.entry_script))?;
        // limps accepts connections only after it has indexed.
        let mut child = ChildGuard(child);
        let started = Instant::now();
        let url = format!("http://127.0.0.1:{port}");
        while ureq::get(format!("{url}/health")).call().is_err() {
            if child.0.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err(Failure::new("limps exited before it accepted connections"));
            }
            if started.elapsed() > LOAD_TIMEOUT {
                return Err(Failure::new("limps did not accept connections in time"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let http = HttpClient::open(&format!("{url}/mcp"))?;
        self.server = Some((child, http));
        Ok(())
    }

    fn take_response_time(&mut self) -> Option<Duration> {
        self.server.as_mut().map(|(_, http)| http.take_response_time())
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some((_, http)) = &mut self.server else { return Ok(vec![]) };
        search_by_word(&question.text, limit, |word| {
            let answer =
                http.call("search_docs", &json!({"query": word, "limit": RESULTS_PER_WORD}))?;
            let rows: Vec<Value> = serde_json::from_str(text(&answer)).unwrap_or_default();
            let number = |row: &Value| {
                let stem = Path::new(row["p"].as_str()?).file_stem()?.to_str()?.to_owned();
                stem.parse::<usize>().ok()
            };
            let ids = rows.iter().filter_map(|row| self.ids.get(number(row)?).cloned());
            Ok(ids.collect())
        })
    }
}

fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind(("127.0.0.1", 0));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(Failure::io("finding", Path::new("a free port")))?.port())
}
