//! The files in which known clients keep their sessions, outside of the workspace.
//!
//! Only the files of sessions that ran in the workspace are read.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use heirloom_core::transcript;

use crate::files::read_uncompressed;
use crate::{Root, StoreError};

/// A larger session file is not read.
const MAX_FILE_BYTES: u64 = 128 * 1024 * 1024;

/// Numbers of bytes at the head of a file in which the folder of its session is looked for: usually few suffice.
const HEAD_BYTES: [u64; 2] = [64 * 1024, 1024 * 1024];

/// Number of the newest files that are opened to find a session of the workspace.
const MAX_OPENED_FILES: usize = 500;

/// Depth of the folders of Codex: year, month and day.
const CODEX_FOLDER_DEPTH: usize = 3;

/// A client whose session files can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownClient {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl KnownClient {
    /// Every known client.
    pub const ALL: [KnownClient; 2] = [KnownClient::ClaudeCode, KnownClient::Codex];

    /// Returns the client that introduces itself with a name, such as `claude-code` or `codex-mcp-client`.
    pub fn by_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let is_named = |word: &str| name.split(|c: char| !c.is_alphanumeric()).any(|w| w == word);
        if is_named("claude") {
            Some(KnownClient::ClaudeCode)
        } else {
            is_named("codex").then_some(KnownClient::Codex)
        }
    }
}

/// The folders of the user in which clients keep their files.
#[derive(Debug, Clone, Default)]
pub struct ClientFolders {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The folder of Claude Code, usually `~/.claude`.
    pub claude_code: Option<PathBuf>,
    /// The folder of Codex, usually `~/.codex`.
    pub codex: Option<PathBuf>,
}

/// A session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Its path.
    pub path: PathBuf,
    /// When it was last written.
    pub modified: SystemTime,
}

impl SessionFile {
    /// Reads the file.
    pub fn read(&self) -> Result<String, StoreError> {
        read_session_text(&self.path)
    }
}

impl ClientFolders {
    /// Lists the files of sessions that ran in a workspace, the newest first. They are opened one by one, as far as
    /// the caller reads on.
    pub fn sessions<'r>(
        &self,
        root: &'r Root,
        client: Option<KnownClient>,
    ) -> impl Iterator<Item = SessionFile> + 'r {
        let clients = KnownClient::ALL.into_iter().filter(|one| client.is_none_or(|c| c == *one));
        let mut files: Vec<SessionFile> =
            clients.flat_map(|client| self.files_of(client, root)).collect();
        files.sort_by(|a, b| (b.modified, &a.path).cmp(&(a.modified, &b.path)));
        files.into_iter().take(MAX_OPENED_FILES).filter(move |file| ran_in(root, &file.path))
    }

    /// Reads a file if it is one of a session that ran in the workspace; `None` if it is not.
    pub fn read(&self, root: &Root, path: &Path) -> Result<Option<String>, StoreError> {
        let Ok(path) = fs::canonicalize(self.expand_home(path)) else { return Ok(None) };
        // Opening a FIFO would block.
        let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if !is_file || !self.is_session_file(&path) || !ran_in(root, &path) {
            return Ok(None);
        }
        read_session_text(&path).map(Some)
    }

    /// Replaces a leading `~` with the home folder.
    pub fn expand_home(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_path_buf(),
        }
    }

    fn folder(&self, client: KnownClient) -> Option<&Path> {
        match client {
            KnownClient::ClaudeCode => self.claude_code.as_deref(),
            KnownClient::Codex => self.codex.as_deref(),
        }
    }

    /// Lists the session files of a client that may belong to a workspace.
    fn files_of(&self, client: KnownClient, root: &Root) -> Vec<SessionFile> {
        let Some(folder) = self.folder(client) else { return vec![] };
        let mut files = vec![];
        match client {
            KnownClient::ClaudeCode => {
                let name = claude_code_folder(root.path());
                let below = format!("{name}-");
                for entry in entries(&folder.join("projects")) {
                    let own = entry.file_name().to_string_lossy().into_owned();
                    if own == name || own.starts_with(&below) {
                        collect_files(&entry.path(), 0, &is_claude_code_file, &mut files);
                    }
                }
            }
            KnownClient::Codex => {
                let sessions = folder.join("sessions");
                collect_files(&sessions, CODEX_FOLDER_DEPTH, &is_codex_file, &mut files);
            }
        }
        files
    }

    /// Returns whether a canonical path is where a client keeps its sessions.
    fn is_session_file(&self, path: &Path) -> bool {
        KnownClient::ALL.into_iter().any(|client| {
            let folder = self.folder(client).and_then(|folder| fs::canonicalize(folder).ok());
            let Some(inner) = folder.and_then(|folder| path.strip_prefix(folder).ok()) else {
                return false;
            };
            let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
            let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
            match (client, parts.as_slice()) {
                (
                    KnownClient::ClaudeCode,
                    ["projects", _, name] | ["projects", _, _, "subagents", name],
                ) => is_claude_code_file(name),
                (KnownClient::Codex, ["sessions" | "archived_sessions", .., name]) => {
                    is_codex_file(name)
                }
                _ => false,
            }
        })
    }
}

/// Returns the name that Claude Code gives the folder of sessions that ran in a folder.
fn claude_code_folder(folder: &Path) -> String {
    let path = folder.to_string_lossy();
    // The prefix of a canonical path on Windows.
    let path = path.strip_prefix(r"\\?\").unwrap_or(&path);
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn is_claude_code_file(name: &str) -> bool {
    name.ends_with(".jsonl")
}

fn is_codex_file(name: &str) -> bool {
    let name = name.strip_suffix(".zst").unwrap_or(name);
    name.starts_with("rollout-") && name.ends_with(".jsonl")
}

/// Adds the matching files of a folder, and of its subfolders down to a depth. Symbolic links are skipped.
fn collect_files(
    folder: &Path,
    depth: usize,
    is_wanted: &impl Fn(&str) -> bool,
    files: &mut Vec<SessionFile>,
) {
    for entry in entries(folder) {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            collect_files(&entry.path(), depth - 1, is_wanted, files);
        } else if kind.is_file() && is_wanted(&entry.file_name().to_string_lossy()) {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let path = entry.path();
            files.extend(modified.map(|modified| SessionFile { path, modified }));
        }
    }
}

/// Lists a folder; one that cannot be read has no files.
fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Returns whether the session of a file ran in a workspace: in its root or below, and not in another workspace there.
fn ran_in(root: &Root, file: &Path) -> bool {
    let Some(folder) = HEAD_BYTES.iter().find_map(|bytes| session_folder(file, *bytes)) else {
        return false;
    };
    match fs::canonicalize(&folder) {
        Ok(folder) => Root::find(&folder).is_ok_and(|found| found.path() == root.path()),
        // The folder was removed since.
        Err(_) => {
            let folder = Path::new(&folder);
            let is_normal = folder.components().all(|part| part != Component::ParentDir);
            is_normal && folder.starts_with(root.path())
        }
    }
}

/// Returns the folder of a session that the first bytes of its file state.
fn session_folder(file: &Path, bytes: u64) -> Option<String> {
    let head = read_uncompressed(file, bytes).ok()?;
    transcript::parse("", &String::from_utf8_lossy(&head)).cwd
}

/// Reads the text of a session file.
fn read_session_text(path: &Path) -> Result<String, StoreError> {
    let bytes = read_uncompressed(path, MAX_FILE_BYTES + 1)
        .map_err(|error| StoreError::io(path.display().to_string(), error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let limit = MAX_FILE_BYTES / (1024 * 1024);
        return Err(StoreError::refused(
            format!("{} has more than {limit} MB", path.display()),
            "give the part of the conversation that matters as text",
        ));
    }
    // The client may be writing the last line, perhaps in the middle of a character.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_a_word_of_its_name() {
        assert_eq!(KnownClient::by_name("claude-code"), Some(KnownClient::ClaudeCode));
        assert_eq!(KnownClient::by_name("codex-mcp-client"), Some(KnownClient::Codex));
        assert_eq!(KnownClient::by_name("cursor"), None);
    }

    #[test]
    fn a_compressed_file_is_read() {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout-1.jsonl.zst");
        let text = "{\"type\":\"session_meta\"}\n".repeat(1000);
        fs::write(&path, compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)).unwrap();
        assert!(is_codex_file("rollout-1.jsonl.zst") && !is_codex_file("rollout-1.zst"));
        assert_eq!(read_session_text(&path).unwrap(), text);
        assert_eq!(read_uncompressed(&path, 10).unwrap(), &text.as_bytes()[..10]);
        fs::write(&path, "no zstd").unwrap();
        assert!(read_session_text(&path).is_err());
    }

    #[test]
    fn claude_code_names_folders_by_path() {
        assert_eq!(claude_code_folder(Path::new("/home/ada/my_app.v2")), "-home-ada-my-app-v2");
    }
}
