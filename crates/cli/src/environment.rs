//! The clock, the environment variables and the current folder. Nothing else in the program reads them.
#![allow(
    clippy::disallowed_methods,
    reason = "this module is the home of the environment and the clock"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::editor::Editor;
use crate::progress;
use clap::ArgMatches;
use heirloom_core::parallel;
use heirloom_engine::{
    ClientFolders, Error, ErrorKind, ProcessCache, Progress, Registry, RemoteModel, Scope, Session,
};
use heirloom_server::SessionOpener;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The root of the workspace, like `--root`.
pub(crate) const ROOT: &str = "HEIRLOOM_ROOT";
/// Sets the clock, for tests and replays.
pub(crate) const NOW: &str = "HEIRLOOM_NOW";

/// The author of what is stored; by default, that of git commits.
pub(crate) const AGENT: &str = "HEIRLOOM_AGENT";

/// The key for the language model.
pub(crate) const LLM_KEY: &str = "HEIRLOOM_LLM_KEY";
/// The language model that may write summaries. One that only the settings name is not used.
pub(crate) const LLM_ENDPOINT: &str = "HEIRLOOM_LLM_ENDPOINT";

/// The key for the embedder.
pub(crate) const EMBEDDER_KEY: &str = "HEIRLOOM_EMBEDDER_KEY";
/// The embedder that may read memories. One that only the settings name is not used.
pub(crate) const EMBEDDER_ENDPOINT: &str = "HEIRLOOM_EMBEDDER_ENDPOINT";
/// The folder of a transformer outside the workspace.
pub(crate) const EMBEDDER_FOLDER: &str = "HEIRLOOM_EMBEDDER_FOLDER";

/// The folder of this user's state, such as the list of registered workspaces.
pub(crate) const HOME: &str = "HEIRLOOM_HOME";

/// The folder of Claude Code, as Claude Code itself reads it.
const CLAUDE_CODE_FOLDER: &str = "CLAUDE_CONFIG_DIR";
/// The folder of Codex, as Codex itself reads it.
const CODEX_FOLDER: &str = "CODEX_HOME";
/// The folder above that of Gemini CLI, as Gemini CLI itself reads it.
const GEMINI_HOME: &str = "GEMINI_CLI_HOME";
/// The folder of Copilot CLI, as Copilot CLI itself reads it.
const COPILOT_CLI_FOLDER: &str = "COPILOT_HOME";
/// The folder above that of opencode.
const DATA_HOME: &str = "XDG_DATA_HOME";

/// The variables, as the help and the manual explain them.
pub(crate) const ENVIRONMENT_HELP: &str = "\
Environment:
  HEIRLOOM_ROOT   the workspace's folder, like --root
  HEIRLOOM_AGENT  the author of what is stored; by default, that of git commits
  HEIRLOOM_LLM_ENDPOINT, HEIRLOOM_LLM_KEY
                  a language model that may write summaries, and its key
  HEIRLOOM_EMBEDDER_ENDPOINT, HEIRLOOM_EMBEDDER_KEY
                  an embedder that may read memories, and its key
  HEIRLOOM_EMBEDDER_FOLDER
                  the folder of a transformer outside the workspace
  HEIRLOOM_HOME   the folder that lists this machine's registered workspaces
  CLAUDE_CONFIG_DIR, CODEX_HOME, COPILOT_HOME, GEMINI_CLI_HOME, XDG_DATA_HOME
                  the folders of the sessions that `heir compact` and `heir cold` read
  HEIRLOOM_NOW    the time to use instead of the clock: 2026-02-22T00:00:00Z
  NO_COLOR        no colours
  VISUAL, EDITOR  the editor of `heir workspace edit`; by default, git's";

/// What the process was started with.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// The root of the workspace, if the user named it.
    root: Option<PathBuf>,
    fixed_now: Option<Timestamp>,
    agent: Option<String>,
    llm: RemoteModel,
    embedder: RemoteModel,
    registry: Option<Arc<Registry>>,
    client_folders: Arc<ClientFolders>,
    progress: Progress,
    /// What a server keeps between requests.
    cache: ProcessCache,
}

impl Environment {
    /// Reads flags and variables.
    pub(crate) fn read(matches: &ArgMatches) -> Result<Self, Error> {
        let fixed_now = match std::env::var(NOW) {
            Ok(text) if !text.is_empty() => Some(text.parse::<Timestamp>().map_err(|error| {
                Error::bad_input(format!("{NOW}={text}: {error}"))
                    .hint("write it as 2026-02-22T00:00:00Z")
            })?),
            _ => None,
        };
        let root = matches
            .get_one::<PathBuf>("root")
            .cloned()
            .or_else(|| std::env::var_os(ROOT).filter(|root| !root.is_empty()).map(PathBuf::from));
        let given = |name: &str| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        let remote = |endpoint, key, folder: Option<String>| RemoteModel {
            endpoint: given(endpoint),
            key: given(key),
            folder,
        };
        Ok(Environment {
            root,
            fixed_now,
            agent: given(AGENT),
            llm: remote(LLM_ENDPOINT, LLM_KEY, None),
            embedder: remote(EMBEDDER_ENDPOINT, EMBEDDER_KEY, given(EMBEDDER_FOLDER)),
            registry: user_home().map(|home| Arc::new(Registry::in_folder(&home))),
            client_folders: Arc::new(client_folders()),
            progress: progress::bar(),
            cache: ProcessCache::default(),
        })
    }

    /// Returns the environment for completions, without settings that only matter to commands.
    pub(crate) fn of_shell(root: Option<PathBuf>) -> Self {
        let named = || std::env::var_os(ROOT).filter(|root| !root.is_empty()).map(PathBuf::from);
        Environment {
            root: root.or_else(named),
            fixed_now: None,
            agent: None,
            llm: RemoteModel::default(),
            embedder: RemoteModel::default(),
            registry: None,
            client_folders: Arc::default(),
            progress: Progress::default(),
            cache: ProcessCache::default(),
        }
    }

    /// Keeps indexes open and threads waiting between requests, as a server does.
    pub(crate) fn expect_many_requests(&self) {
        self.cache.make_long_lived();
        parallel::keep_threads_waiting();
    }

    /// Opens the workspace if that needs no waiting; `None` on any error.
    pub(crate) fn open_quietly(&self) -> Option<Session> {
        self.try_open()
    }

    /// Returns the position of the word that a shell completes, if the shell says so.
    pub(crate) fn completed_word() -> Option<usize> {
        std::env::var("_CLAP_COMPLETE_INDEX").ok()?.parse().ok()
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.fixed_now.unwrap_or_else(Timestamp::now)
    }

    /// Returns the current day in UTC.
    pub(crate) fn today(&self) -> Date {
        self.now().to_zoned(TimeZone::UTC).date()
    }

    /// Opens the workspace.
    pub(crate) fn session(&self) -> Result<Session, Error> {
        self.session_at(None)
    }

    /// Opens the workspace here, or else the first that is registered on this machine.
    fn session_of_any(&self) -> Result<Session, Error> {
        let registered = || {
            let (registered, _) = self.registry().ok()?.list();
            registered.iter().find_map(|one| self.session_at(Some(&one.folder)).ok())
        };
        self.session().or_else(|error| match error.kind {
            ErrorKind::NoWorkspace if self.root.is_none() => registered().ok_or(error),
            _ => Err(error),
        })
    }

    /// Opens the workspace at a folder, or else the one here.
    pub(crate) fn session_at(&self, folder: Option<&Path>) -> Result<Session, Error> {
        let session = match folder.or(self.root.as_deref()) {
            Some(root) => Session::open(root, self.now()),
            None => Session::find(&current_folder()?, self.now()),
        };
        session.map(|session| self.configure(session))
    }

    /// Gives a session what it needs of the environment.
    fn configure(&self, session: Session) -> Session {
        session
            .with_author(self.agent.clone())
            .with_agent(self.agent.clone())
            .with_remote_llm(self.llm.clone())
            .with_remote_embedder(self.embedder.clone())
            .with_process_cache(self.cache.clone())
            .with_progress(self.progress.clone())
            .with_registry(self.registry.clone())
            .with_client_folders(self.client_folders.clone())
            .with_program(std::env::current_exe().ok())
    }

    /// Returns the workspaces that are registered on this machine.
    pub(crate) fn registry(&self) -> Result<&Registry, Error> {
        self.registry.as_deref().ok_or_else(|| {
            Error::system("there is no folder for this user's own state")
                .hint(format!("set {HOME} to a folder of yours"))
        })
    }

    /// Returns whether the user named the root.
    pub(crate) fn has_root(&self) -> bool {
        self.root.is_some()
    }

    /// Returns the folder that a new workspace goes to.
    pub(crate) fn folder(&self) -> Result<PathBuf, Error> {
        self.root.clone().map_or_else(current_folder, Ok)
    }

    /// Returns the editor that the user named, else one that is installed.
    pub(crate) fn editor(&self) -> Option<Editor> {
        let named = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty()));
        let named = named.or_else(heirloom_engine::user_editor).map(Editor::Command);
        named.or_else(|| installed(DEFAULT_EDITORS).map(Editor::Program))
    }
}

/// Editors that may be installed, the preferred one first.
const DEFAULT_EDITORS: &[&str] =
    if cfg!(windows) { &["notepad.exe"] } else { &["sensible-editor", "nano", "vi"] };

/// Returns the first program that is installed. Relative folders on the path are skipped: they may lie in
/// an untrusted clone.
fn installed(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let programs = names.iter().flat_map(|name| folders.iter().map(move |dir| dir.join(name)));
    programs.into_iter().find(|program| is_program(program))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

impl SessionOpener for Environment {
    fn open(&self, scope: Scope) -> Result<Session, Error> {
        match scope {
            Scope::Workspace => self.session(),
            Scope::Machine => self.session_of_any(),
        }
    }

    fn try_open(&self) -> Option<Session> {
        let session = match &self.root {
            Some(root) => Session::open_unless_busy(root, self.now()),
            None => Session::find_unless_busy(&current_folder().ok()?, self.now()),
        };
        session.map(|session| self.configure(session))
    }
}

/// Returns the folders in which clients keep the files of their sessions.
fn client_folders() -> ClientFolders {
    let home = std::env::home_dir();
    let folder = |name: &str, usual: &str| {
        let given = std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        given.or_else(|| home.as_ref().map(|home| home.join(usual)))
    };
    ClientFolders {
        claude_code: folder(CLAUDE_CODE_FOLDER, ".claude"),
        codex: folder(CODEX_FOLDER, ".codex"),
        gemini: folder(GEMINI_HOME, "").map(|home| home.join(".gemini")),
        copilot_cli: folder(COPILOT_CLI_FOLDER, ".copilot"),
        opencode: folder(DATA_HOME, ".local/share").map(|data| data.join("opencode")),
        home,
    }
}

/// Returns the folder of this user's state: the one that the user named, else the system's usual one.
fn user_home() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty());
    if let Some(home) = given(HOME) {
        return Some(PathBuf::from(home));
    }
    let home = std::env::home_dir();
    let folder = if cfg!(windows) {
        given("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        home.map(|home| home.join("Library").join("Application Support"))
    } else {
        let named = given("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| home.map(|home| home.join(".local").join("state")))
    };
    folder.map(|folder| folder.join("heirloom"))
}

fn current_folder() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| Error::system(format!("the current folder: {error}")))
}
