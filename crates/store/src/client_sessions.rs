//! The files in which known clients keep their sessions, outside of the workspace.
//!
//! Only the files of sessions that ran in the workspace are read.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use heirloom_core::transcript::{self, Format};

use crate::files::read_uncompressed;
use crate::{Root, StoreError, sha256};

/// A larger session file is not read.
const MAX_FILE_BYTES: u64 = 128 * 1024 * 1024;

/// Numbers of bytes at the head of a file in which the folder of its session is looked for: usually few suffice.
const HEAD_BYTES: [u64; 2] = [64 * 1024, 1024 * 1024];

/// Number of the newest files that are opened to find a session of the workspace.
const MAX_OPENED_FILES: usize = 500;

/// Depth of the folders of Codex: year, month and day.
const CODEX_FOLDER_DEPTH: usize = 3;

/// The file in a folder of Gemini CLI that states the project's folder.
const GEMINI_PROJECT_FILE: &str = ".project_root";

/// A longer path of a project is not read, in bytes.
const MAX_PROJECT_PATH_BYTES: u64 = 4096;

/// A client whose sessions can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KnownClient {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Copilot CLI.
    CopilotCli,
    /// opencode, which keeps its sessions in a database: see [`crate::transcripts`].
    OpenCode,
}

impl KnownClient {
    /// Every known client.
    pub const ALL: [KnownClient; 5] = [
        KnownClient::ClaudeCode,
        KnownClient::Codex,
        KnownClient::Gemini,
        KnownClient::CopilotCli,
        KnownClient::OpenCode,
    ];

    /// Returns the name of the client as people type it.
    pub fn name(self) -> &'static str {
        match self {
            KnownClient::ClaudeCode => "claude",
            KnownClient::Codex => "codex",
            KnownClient::Gemini => "gemini",
            KnownClient::CopilotCli => "copilot",
            KnownClient::OpenCode => "opencode",
        }
    }

    /// Returns the client that introduces itself with a name, such as `claude-code` or `codex-mcp-client`.
    pub fn by_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let is_named = |word: &str| name.split(|c: char| !c.is_alphanumeric()).any(|w| w == word);
        Self::ALL.into_iter().find(|client| is_named(client.name()))
    }

    /// Returns the format of the client's sessions.
    pub fn format(self) -> Format {
        match self {
            KnownClient::ClaudeCode => Format::ClaudeCode,
            KnownClient::Codex => Format::Codex,
            KnownClient::Gemini => Format::Gemini,
            KnownClient::CopilotCli => Format::CopilotCli,
            KnownClient::OpenCode => Format::OpenCode,
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
    /// The folder of Gemini CLI, usually `~/.gemini`.
    pub gemini: Option<PathBuf>,
    /// The folder of Copilot CLI, usually `~/.copilot`.
    pub copilot_cli: Option<PathBuf>,
    /// The folder of opencode, usually `~/.local/share/opencode`.
    pub opencode: Option<PathBuf>,
}

/// A session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// The client that writes it.
    pub client: KnownClient,
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

    /// Returns whether its session ran in a workspace.
    pub(crate) fn ran_in(&self, root: &Root) -> bool {
        ran_in(root, self.client, &self.path)
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
        files.into_iter().take(MAX_OPENED_FILES).filter(move |file| file.ran_in(root))
    }

    /// Reads a file if it is one of a session that ran in the workspace; `None` if it is not.
    pub fn read(&self, root: &Root, path: &Path) -> Result<Option<String>, StoreError> {
        let Ok(path) = fs::canonicalize(self.expand_home(path)) else { return Ok(None) };
        // Opening a FIFO would block.
        let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
        let client = self.client_of(&path).filter(|_| is_file);
        match client.filter(|client| ran_in(root, *client, &path)) {
            Some(_) => read_session_text(&path).map(Some),
            None => Ok(None),
        }
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
            KnownClient::Gemini => self.gemini.as_deref(),
            KnownClient::CopilotCli => self.copilot_cli.as_deref(),
            KnownClient::OpenCode => self.opencode.as_deref(),
        }
    }

    /// Lists the session files of a client that may belong to a workspace.
    pub(crate) fn files_of(&self, client: KnownClient, root: &Root) -> Vec<SessionFile> {
        let Some(folder) = self.folder(client) else { return vec![] };
        let mut files = Files { client, found: vec![] };
        match client {
            KnownClient::ClaudeCode => {
                let name = claude_code_folder(root.path());
                let below = format!("{name}-");
                for entry in entries(&folder.join("projects")) {
                    let own = entry.file_name().to_string_lossy().into_owned();
                    if own == name || own.starts_with(&below) {
                        files.collect(&entry.path(), 0, &is_claude_code_file);
                    }
                }
            }
            KnownClient::Codex => {
                files.collect(&folder.join("sessions"), CODEX_FOLDER_DEPTH, &is_codex_file);
                files.collect(&folder.join("archived_sessions"), 0, &is_codex_file);
            }
            KnownClient::Gemini => {
                let mut old = Files { client, found: vec![] };
                for entry in entries(&folder.join("tmp")) {
                    let folder = entry.path();
                    if !is_gemini_folder_of(root, &folder) {
                        continue;
                    }
                    let is_old = is_gemini_hash_of(root, &folder);
                    let files = if is_old { &mut old } else { &mut files };
                    files.collect(&folder.join("chats"), 1, &is_gemini_file);
                }
                // Newer versions copy the files of the old folder, and do not remove it.
                let copied: HashSet<&OsStr> =
                    files.found.iter().filter_map(|file| file.path.file_stem()).collect();
                old.found
                    .retain(|file| file.path.file_stem().is_none_or(|it| !copied.contains(it)));
                files.found.extend(old.found);
            }
            KnownClient::CopilotCli => {
                files.collect(&folder.join("session-state"), 1, &is_copilot_file);
            }
            KnownClient::OpenCode => {}
        }
        files.found
    }

    /// Returns the client that keeps its sessions at a canonical path.
    fn client_of(&self, path: &Path) -> Option<KnownClient> {
        KnownClient::ALL.into_iter().find(|client| {
            let folder = self.folder(*client).and_then(|folder| fs::canonicalize(folder).ok());
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
                (KnownClient::Gemini, ["tmp", _, "chats", name] | ["tmp", _, "chats", _, name]) => {
                    is_gemini_file(name)
                }
                (KnownClient::CopilotCli, ["session-state", .., name]) => is_copilot_file(name),
                _ => false,
            }
        })
    }
}

/// Returns the name that Claude Code gives the folder of sessions that ran in a folder.
fn claude_code_folder(folder: &Path) -> String {
    let path = path_of_client(folder);
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Returns a canonical path as clients state it: without the prefix that it has on Windows.
fn path_of_client(path: &Path) -> String {
    let path = path.to_string_lossy();
    path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned()
}

fn is_claude_code_file(name: &str) -> bool {
    name.ends_with(".jsonl")
}

fn is_codex_file(name: &str) -> bool {
    let name = name.strip_suffix(".zst").unwrap_or(name);
    name.starts_with("rollout-") && name.ends_with(".jsonl")
}

fn is_gemini_file(name: &str) -> bool {
    name.ends_with(".jsonl") || (name.starts_with("session-") && name.ends_with(".json"))
}

fn is_copilot_file(name: &str) -> bool {
    name.ends_with(".jsonl")
}

/// The session files of a client that were found.
struct Files {
    client: KnownClient,
    found: Vec<SessionFile>,
}

impl Files {
    /// Adds the matching files of a folder, and of its subfolders down to a depth. Symbolic links are skipped.
    fn collect(&mut self, folder: &Path, depth: usize, is_wanted: &impl Fn(&str) -> bool) {
        for entry in entries(folder) {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth > 0 {
                self.collect(&entry.path(), depth - 1, is_wanted);
            } else if kind.is_file() && is_wanted(&entry.file_name().to_string_lossy()) {
                let modified = entry.metadata().and_then(|metadata| metadata.modified());
                let (client, path) = (self.client, entry.path());
                self.found.extend(modified.map(|modified| SessionFile { client, path, modified }));
            }
        }
    }
}

/// Lists a folder; one that cannot be read has no files.
fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Returns the folder that a folder of Gemini CLI belongs to.
fn gemini_project(folder: &Path) -> Option<String> {
    let file = folder.join(GEMINI_PROJECT_FILE);
    // Opening a FIFO would block.
    let is_file = fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file());
    let bytes = is_file.then(|| read_uncompressed(&file, MAX_PROJECT_PATH_BYTES))?.ok()?;
    let path = String::from_utf8(bytes).ok()?.trim().to_owned();
    (!path.is_empty()).then_some(path)
}

/// Returns whether a folder of Gemini CLI has the sessions of a workspace.
fn is_gemini_folder_of(root: &Root, folder: &Path) -> bool {
    match gemini_project(folder) {
        Some(project) => is_in_workspace(root, &project),
        None => is_gemini_hash_of(root, folder),
    }
}

/// Returns whether a folder is named as older versions of Gemini CLI name that of the root: by a hash of its path. The
/// sessions of folders below the root are not found by that, since a hash does not tell its path.
fn is_gemini_hash_of(root: &Root, folder: &Path) -> bool {
    let hash = || sha256::hex_digest(path_of_client(root.path()).as_bytes());
    let name = folder.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.len() == sha256::HEX_DIGITS && name == hash())
}

/// Returns whether the session of a file ran in a workspace: in its root or below, and not in another workspace there.
fn ran_in(root: &Root, client: KnownClient, file: &Path) -> bool {
    if client == KnownClient::Gemini {
        let chats = file.ancestors().find(|folder| folder.ends_with("chats"));
        return chats
            .and_then(Path::parent)
            .is_some_and(|folder| is_gemini_folder_of(root, folder));
    }
    let folder = HEAD_BYTES.iter().find_map(|bytes| session_folder(file, *bytes));
    folder.is_some_and(|folder| is_in_workspace(root, &folder))
}

/// Returns whether a folder is a workspace's root or below, and not in another workspace there.
pub(crate) fn is_in_workspace(root: &Root, folder: &str) -> bool {
    match fs::canonicalize(folder) {
        Ok(folder) => Root::find(&folder).is_ok_and(|found| found.path() == root.path()),
        // The folder was removed since.
        Err(_) => {
            let folder = Path::new(folder);
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
        assert_eq!(KnownClient::by_name("gemini-cli-mcp-client"), Some(KnownClient::Gemini));
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
