//! The transcripts of a workspace: files below `agent-transcripts/`, and the sessions that known clients keep outside of
//! the root.
//!
//! A transcript is read line by line in bounded memory ([`TranscriptReader`]). Of the user's own files, only those where
//! a client keeps its sessions are opened, and only the sessions that ran in the workspace are read further than the
//! lines that state their folder.

mod lines;
mod opencode;
mod reader;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use heirloom_core::Problem;
use heirloom_core::transcript::Format;

use crate::Root;
use crate::client_sessions::{ClientFolders, KnownClient, SessionFile};
use crate::confined::is_escape;
use crate::files::io_problem;
use crate::stamp::Stamp;

pub use lines::MAX_FILE_BYTES;
pub use reader::{Position, ReadLine, TranscriptReader};

/// The folder below the root that holds transcripts.
pub const TRANSCRIPTS_FOLDER: &str = "agent-transcripts";

/// Depth of the subfolders that are searched.
const MAX_DEPTH: usize = 3;

/// Number of transcripts that are listed below the root.
const MAX_FILES: usize = 100_000;

/// A transcript that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The path: relative to the root, or absolute for a file of a client. A session of opencode is the path of the
    /// database, `#` and the id of the session.
    pub name: String,
    /// The client that wrote it, if it is one of the client's own files.
    pub client: Option<KnownClient>,
    /// Changes with every change of the transcript.
    pub stamp: Stamp,
    place: Place,
}

/// Where a transcript is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// A path from the root.
    Inside(String),
    /// A file of a client.
    ClientFile(PathBuf),
    /// A session in the database of opencode.
    OpenCode { database: PathBuf, session: String },
}

impl Transcript {
    /// Returns whether a change can only append to what was read.
    pub fn grows(&self) -> bool {
        match &self.place {
            Place::Inside(_) => true,
            Place::ClientFile(path) => path.extension().is_some_and(|suffix| suffix == "jsonl"),
            Place::OpenCode { .. } => false,
        }
    }

    /// Returns the name by which the agent is called: that of the client, or the folder below `agent-transcripts`.
    pub fn agent(&self, format: Format) -> &str {
        let of_format = KnownClient::ALL.into_iter().find(|client| client.format() == format);
        match self.client.or(of_format) {
            Some(client) => client.name(),
            None => {
                let inner = self.name.strip_prefix(TRANSCRIPTS_FOLDER).unwrap_or(&self.name);
                let folder = inner.trim_start_matches('/').rsplit_once('/');
                folder.map_or("agent", |(folder, _)| folder)
            }
        }
    }
}

/// The transcripts of a workspace.
#[derive(Debug, Default)]
pub struct Transcripts {
    /// The transcripts, sorted by name.
    pub found: Vec<Transcript>,
    /// What could not be listed.
    pub problems: Vec<Problem>,
}

/// Remembers which files of clients belong to the workspace, so that they need not be opened to see it: a session does not
/// change its folder.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct KnownFiles {
    /// Names of transcripts that belong to the workspace.
    pub own: HashSet<String>,
    /// Hashes of the paths of files that belong to another workspace.
    pub foreign: HashSet<u64>,
}

impl KnownFiles {
    fn belongs(&mut self, root: &Root, file: &SessionFile, name: &str) -> bool {
        let key = path_hash(&file.path);
        if self.own.contains(name) {
            return true;
        }
        if self.foreign.contains(&key) {
            return false;
        }
        let belongs = file.ran_in(root);
        // The folder of a session that has just begun may not be written yet.
        if !belongs && Stamp::of(&file.path).is_some_and(|stamp| stamp.is_settled()) {
            self.foreign.insert(key);
        }
        belongs
    }
}

fn path_hash(path: &Path) -> u64 {
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

impl Transcripts {
    /// Lists the transcripts of a workspace.
    pub fn list(root: &Root, folders: &ClientFolders, known: &mut KnownFiles) -> Self {
        let mut transcripts = Transcripts::default();
        transcripts.list_inside(root, TRANSCRIPTS_FOLDER, 0);
        for client in KnownClient::ALL {
            transcripts.list_client(root, folders, client, known);
        }
        transcripts.found.sort_by(|a, b| a.name.cmp(&b.name));
        transcripts
    }

    /// Finds a transcript by its name.
    pub fn find(&self, name: &str) -> Option<&Transcript> {
        let at = self.found.binary_search_by(|transcript| transcript.name.as_str().cmp(name));
        at.ok().map(|at| &self.found[at])
    }

    fn list_inside(&mut self, root: &Root, folder: &str, depth: usize) {
        let entries = match root.dir().list_with_stamps(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return self.problems.push(io_problem(folder, &error)),
        };
        for (entry, stamp) in entries {
            let path = format!("{folder}/{}", entry.name);
            if entry.is_folder && !entry.is_link && depth < MAX_DEPTH {
                self.list_inside(root, &path, depth + 1);
                continue;
            }
            // A link to a file is followed as long as it stays inside of the root.
            let stamp = match stamp {
                Some(stamp) => Ok(stamp),
                None => root.dir().metadata(&path).map(|metadata| Stamp::new(&metadata)),
            };
            let is_transcript = entry.name.ends_with(".jsonl") && !entry.is_folder;
            match stamp {
                // Whatever the name of such a link is: its target may be a folder of transcripts.
                Err(error) if is_escape(&error) => self.problems.push(io_problem(&path, &error)),
                _ if !is_transcript || self.found.len() >= MAX_FILES => {}
                _ if !entry.is_utf8 => {
                    let message = "its name is not UTF-8, so it is not read";
                    self.problems.push(Problem::in_file(path.escape_debug().to_string(), message));
                }
                Ok(stamp) => self.found.push(Transcript {
                    name: path.clone(),
                    client: None,
                    stamp,
                    place: Place::Inside(path),
                }),
                Err(error) => self.problems.push(io_problem(&path, &error)),
            }
        }
    }

    fn list_client(
        &mut self,
        root: &Root,
        folders: &ClientFolders,
        client: KnownClient,
        known: &mut KnownFiles,
    ) {
        if client == KnownClient::OpenCode {
            if let Some(folder) = &folders.opencode {
                let (found, problems) = opencode::sessions(root, folder);
                self.found.extend(found);
                self.problems.extend(problems);
            }
            return;
        }
        for file in folders.files_of(client, root) {
            // A path that is not UTF-8 could not be named in an answer.
            let Some(name) = file.path.to_str().map(str::to_owned) else { continue };
            // Gemini CLI leaves the old form of a file beside the new one.
            if name.ends_with(".json") && file.path.with_extension("jsonl").exists() {
                continue;
            }
            let Some(stamp) = Stamp::of(&file.path) else { continue };
            if known.belongs(root, &file, &name) {
                let place = Place::ClientFile(file.path);
                self.found.push(Transcript { name, client: Some(client), stamp, place });
            }
        }
    }
}

#[cfg(test)]
mod tests;
