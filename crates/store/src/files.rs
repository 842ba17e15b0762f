//! The root of a workspace and confined access to its files.
//!
//! Paths are relative to the root and use `/`. No file outside of the root is read or written,
//! regardless of names and symbolic links.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cap_std::fs::Metadata;
use heirloom_core::{Problem, path};
use ruzstd::decoding::StreamingDecoder;

use crate::StoreError;
pub use crate::confined::FolderEntry;
use crate::confined::{ConfinedDir, IfMissing, is_escape};
use crate::git::{Repository, RepositoryLookup};
use crate::stamp::{self, Stamp};

/// The folder whose presence marks a workspace.
pub(crate) const HOME_FOLDER: &str = ".heirloom";

/// The folder of archived documents; the module `archive` defines its layout.
pub const ARCHIVE: &str = ".heirloom/archive";

/// A larger document is not read, because it would slow down every command.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 8 * 1024 * 1024;

/// The folder of derived files, which can be deleted at any time.
const CACHE_FOLDER: &str = ".heirloom/cache";

/// A larger cache file is not read.
pub(crate) const MAX_CACHE_BYTES: u64 = 256 * 1024 * 1024;

/// The folder of the local state in a workspace without git.
pub(crate) const LOCAL_FOLDER: &str = ".heirloom/local";

/// The root of a workspace.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    dir: Arc<ConfinedDir>,
    /// The folders whose contents were read so far, relative to the root.
    visited_folders: Mutex<HashSet<String>>,
    repository: OnceLock<RepositoryLookup>,
}

impl Root {
    /// Finds the workspace that contains a folder.
    pub fn find(start: &Path) -> Result<Self, StoreError> {
        let start = fs::canonicalize(start)
            .map_err(|error| StoreError::io(start.display().to_string(), error))?;
        let found = start.ancestors().find(|folder| folder.join(HOME_FOLDER).is_dir());
        match found {
            Some(folder) => Self::open_canonical(folder.to_path_buf()),
            None => Err(StoreError::NoWorkspace(start.display().to_string())),
        }
    }

    /// Returns an independent handle of the same workspace.
    pub fn reopen(&self) -> Self {
        Root {
            path: self.path.clone(),
            dir: self.dir.clone(),
            visited_folders: Mutex::default(),
            repository: OnceLock::new(),
        }
    }

    /// Opens a folder as the root; fails if it is not a workspace.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        if !folder.is_dir() {
            return Err(StoreError::refused(
                format!("{} is not a folder", folder.display()),
                "give the folder of a workspace",
            ));
        }
        let canonical = fs::canonicalize(folder)
            .map_err(|error| StoreError::io(folder.display().to_string(), error))?;
        if canonical.join(HOME_FOLDER).is_dir() {
            Self::open_canonical(canonical)
        } else {
            Err(StoreError::NoWorkspaceAt(canonical.display().to_string()))
        }
    }

    /// Opens a folder as the root, whether it is a workspace already or not.
    pub fn open_new(folder: &Path) -> Result<Self, StoreError> {
        let canonical = fs::canonicalize(folder)
            .map_err(|error| StoreError::io(folder.display().to_string(), error))?;
        if !canonical.is_dir() {
            return Err(StoreError::refused(
                format!("{} is not a folder", folder.display()),
                "give the folder to set up",
            ));
        }
        let home = canonical.join(HOME_FOLDER);
        if home.exists() && !home.is_dir() {
            return Err(StoreError::refused(
                format!(
                    "{} is a file, but a workspace needs a folder of that name",
                    home.display()
                ),
                "move the file to another place",
            ));
        }
        Self::open_canonical(canonical)
    }

    fn open_canonical(canonical: PathBuf) -> Result<Self, StoreError> {
        let io = |error| StoreError::io(canonical.display().to_string(), error);
        let dir = ConfinedDir::open(&canonical).map_err(io)?;
        match dir.metadata(HOME_FOLDER) {
            Err(error) if is_escape(&error) => {
                return Err(StoreError::refused(
                    format!(
                        "{} is a symbolic link that leads out of {}, so it is not followed",
                        canonical.join(HOME_FOLDER).display(),
                        canonical.display()
                    ),
                    "move the folder here, or give the target of the link with --root",
                ));
            }
            _ => {}
        }
        Ok(Root {
            path: canonical,
            dir: Arc::new(dir),
            visited_folders: Mutex::default(),
            repository: OnceLock::new(),
        })
    }

    /// Returns the directory handle that all access goes through.
    pub fn dir(&self) -> &Arc<ConfinedDir> {
        &self.dir
    }

    fn lookup(&self) -> &RepositoryLookup {
        self.repository.get_or_init(|| Repository::discover(&self.path))
    }

    /// Returns the git repository that contains the workspace.
    pub fn repository(&self) -> Option<&Repository> {
        match self.lookup() {
            RepositoryLookup::Found(repository) => Some(repository),
            RepositoryLookup::None | RepositoryLookup::Refused(_) => None,
        }
    }

    /// Returns why the repository that `.git` points to is not used, if it was refused.
    pub fn repository_problem(&self) -> Option<&Problem> {
        match self.lookup() {
            RepositoryLookup::Refused(problem) => Some(problem),
            RepositoryLookup::None | RepositoryLookup::Found(_) => None,
        }
    }

    /// Returns the absolute path of the root.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records that the contents of folders were read.
    pub(crate) fn record_visits(&self, folders: impl IntoIterator<Item = String>) {
        self.visited_folders.lock().unwrap_or_else(PoisonError::into_inner).extend(folders);
    }

    /// Returns the folders whose contents were read so far.
    pub fn visited_folders(&self) -> Vec<PathBuf> {
        let visited = self.visited_folders.lock().unwrap_or_else(PoisonError::into_inner);
        visited.iter().map(|folder| self.join(folder)).collect()
    }

    /// Returns the absolute path of a relative one.
    pub fn join(&self, relative: &str) -> PathBuf {
        let mut path = self.path.clone();
        path.extend(relative.split('/').filter(|part| !part.is_empty()));
        path
    }

    /// Returns whether a file or folder exists inside of the root.
    pub fn exists(&self, relative: &str) -> bool {
        matches!(self.metadata(relative), Ok(Some(_)))
    }

    /// Returns whether a folder exists inside of the root.
    pub fn is_folder(&self, relative: &str) -> bool {
        matches!(self.metadata(relative), Ok(Some(metadata)) if metadata.is_dir())
    }

    /// Returns the metadata of a path; `None` if it does not exist. A symbolic link that is dangling or
    /// leaves the root is a problem.
    pub fn metadata(&self, relative: &str) -> Result<Option<Metadata>, Problem> {
        check_relative(relative)?;
        match self.dir.metadata(os_path(relative)) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if is_missing(&error) => {
                if self.dir.handle().symlink_metadata(os_path(relative)).is_ok() {
                    return Err(dangling_link(relative));
                }
                // Creating the missing file changes its folder, so the folder has to be watched.
                self.record_visits([path::folder(relative).to_owned()]);
                Ok(None)
            }
            Err(error) => Err(io_problem(relative, &error)),
        }
    }

    /// Reads a document; `None` if it does not exist. One that cannot be read is a problem.
    pub fn read(&self, relative: &str) -> Result<Option<String>, Problem> {
        check_relative(relative)?;
        let text = read_text(&self.dir, relative)?;
        if text.is_none() {
            self.record_visits([path::folder(relative).to_owned()]);
        }
        Ok(text)
    }

    /// Lists a folder, sorted by name. A missing folder is empty.
    pub fn list(&self, relative: &str) -> Result<Vec<FolderEntry>, Problem> {
        self.record_visits([relative.to_owned()]);
        match self.metadata(relative)? {
            None => return Ok(vec![]),
            Some(metadata) if !metadata.is_dir() => {
                return Err(Problem::in_file(
                    relative,
                    "this is a file, but a folder was expected",
                ));
            }
            Some(_) => {}
        }
        self.dir.list(os_path(relative)).map_err(|error| io_problem(relative, &error))
    }

    /// Lists a folder like [`Root::list`], with the stamp of each regular file that is no link. Only stamps that every later
    /// change of the file changes are returned.
    pub fn list_with_stamps(
        &self,
        relative: &str,
    ) -> Result<Vec<(FolderEntry, Option<Stamp>)>, Problem> {
        self.record_visits([relative.to_owned()]);
        let started = stamp::now();
        match self.dir.list_with_stamps(os_path(relative)) {
            Ok(mut entries) => {
                for (_, stamp) in &mut entries {
                    *stamp = stamp.filter(|stamp| stamp.is_older_than(started));
                }
                Ok(entries)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(vec![]),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                Err(Problem::in_file(relative, "this is a file, but a folder was expected"))
            }
            Err(error) => Err(io_problem(relative, &error)),
        }
    }

    /// Creates a file and its folders. Returns `false` if the file exists already.
    pub fn create(&self, relative: &str, text: &str) -> Result<bool, StoreError> {
        self.create_parents(relative)?;
        let mut file = match self.dir.create_new(relative) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(StoreError::io(relative, error)),
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if let Err(error) = written {
            // A partial file would be taken for a document.
            drop(self.dir.remove(relative));
            return Err(StoreError::io(relative, error));
        }
        self.dir.sync_parent(relative);
        Ok(true)
    }

    /// Creates the parent folders of a path.
    pub(crate) fn create_parents(&self, relative: &str) -> Result<(), StoreError> {
        self.metadata(relative)?;
        let Some((parent, _)) = relative.rsplit_once('/') else { return Ok(()) };
        let created = self.dir.handle().create_dir_all(parent);
        created.map_err(|error| match is_escape(&error) {
            true => escaping_link(relative).into(),
            false => StoreError::io(relative, error),
        })
    }

    /// Removes the empty parent folders of a path in the archive.
    pub fn remove_empty_folders(&self, relative: &str) {
        let mut folder = path::folder(relative);
        while folder != ARCHIVE && path::is_within(folder, ARCHIVE) {
            // This fails for a folder that is not empty.
            if self.dir.handle().remove_dir(folder).is_err() {
                return;
            }
            folder = path::folder(folder);
        }
    }

    /// Opens the cache folder, or a folder in it, and creates it if needed. It contains a `.gitignore`
    /// for itself, so that it is never committed.
    pub fn open_cache(&self, inner: &str) -> std::io::Result<ConfinedDir> {
        let cache = match self.dir.open_private(CACHE_FOLDER, IfMissing::Fail) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let cache = self.dir.open_private(CACHE_FOLDER, IfMissing::Create)?;
                cache.replace(".gitignore", "*\n")?;
                cache
            }
            opened => opened?,
        };
        cache.open_private(inner, IfMissing::Create)
    }

    /// Opens the cache folder if it exists and can be used.
    pub fn existing_cache(&self) -> Option<ConfinedDir> {
        self.dir.open_private(CACHE_FOLDER, IfMissing::Fail).ok()
    }

    /// Opens the local state and creates it if needed. It is stored in the git directory, so that
    /// `git clean` does not delete it and work trees share it; without git, in the workspace.
    pub(crate) fn state(&self) -> Result<Arc<ConfinedDir>, StoreError> {
        let opened = self.open_state(IfMissing::Create);
        opened.map(Arc::new).map_err(|error| StoreError::io(self.state_path(), error))
    }

    /// Opens the local state if it exists.
    pub(crate) fn existing_state(&self) -> Result<Option<Arc<ConfinedDir>>, StoreError> {
        match self.open_state(IfMissing::Fail) {
            Ok(state) => Ok(Some(Arc::new(state))),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(StoreError::io(self.state_path(), error)),
        }
    }

    fn open_state(&self, missing: IfMissing) -> std::io::Result<ConfinedDir> {
        match self.repository() {
            Some(repository) => {
                repository.common_dir().open_private(&self.state_in_repository(repository), missing)
            }
            None => self.dir.open_private(LOCAL_FOLDER, missing),
        }
    }

    /// Returns the folder of the local state in the git directory. Each workspace of a repository has
    /// its own.
    fn state_in_repository(&self, repository: &Repository) -> String {
        match self.path.strip_prefix(repository.work_tree()) {
            Ok(inner) if !inner.as_os_str().is_empty() => {
                let inner = inner.to_string_lossy().replace('\\', "/");
                let name = blake3::hash(inner.as_bytes()).to_hex();
                format!("heirloom/at/{}", &name[..12])
            }
            _ => "heirloom".to_owned(),
        }
    }

    /// Returns the path of the local state for messages.
    pub(crate) fn state_path(&self) -> String {
        match self.repository() {
            Some(repository) => {
                let path =
                    repository.common_dir().path().join(self.state_in_repository(repository));
                path.display().to_string()
            }
            None => self.join(LOCAL_FOLDER).display().to_string(),
        }
    }

    /// Opens the local state in the workspace, which remains there if git is set up later.
    pub(crate) fn existing_local(&self) -> std::io::Result<ConfinedDir> {
        self.dir.open_private(LOCAL_FOLDER, IfMissing::Fail)
    }

    /// Returns the possible folders of the local state, whether they exist or not.
    pub(crate) fn state_paths(&self) -> BTreeSet<PathBuf> {
        BTreeSet::from([PathBuf::from(self.state_path()), self.join(LOCAL_FOLDER)])
    }
}

/// Reads a document in a directory; `None` if it does not exist. One that cannot be read is a problem.
pub(crate) fn read_text(dir: &ConfinedDir, relative: &str) -> Result<Option<String>, Problem> {
    let error = match dir.read(relative, MAX_DOCUMENT_BYTES) {
        Ok(bytes) => return decode(relative, bytes).map(Some),
        Err(error) => error,
    };
    Err(match error.kind() {
        _ if is_missing(&error) => match dir.handle().symlink_metadata(relative) {
            Ok(_) => dangling_link(relative),
            Err(_) => return Ok(None),
        },
        ErrorKind::IsADirectory => {
            Problem::in_file(relative, "this is a folder, but a document was expected")
                .hint("rename the folder")
        }
        ErrorKind::InvalidInput => Problem::in_file(relative, "this is not a regular file"),
        ErrorKind::FileTooLarge => {
            let mebibyte = 1024 * 1024;
            let size = dir.metadata(relative).map_or(MAX_DOCUMENT_BYTES, |metadata| metadata.len());
            let (size, limit) = (size / mebibyte, MAX_DOCUMENT_BYTES / mebibyte);
            let message = format!("{size} MB is too large for a document (at most {limit} MB)");
            Problem::in_file(relative, message)
                .hint("split it, or move it out of the workspace's documents")
        }
        _ => io_problem(relative, &error),
    })
}

/// Returns the path for system calls, where the root itself is `.`.
fn os_path(relative: &str) -> &str {
    if relative.is_empty() { "." } else { relative }
}

fn check_relative(relative: &str) -> Result<(), Problem> {
    let is_escaping = relative.split('/').any(|part| part == "..")
        || relative.contains('\0')
        || Path::new(relative).is_absolute();
    match is_escaping {
        true => Err(Problem::in_file(
            relative.replace('\0', "\\0"),
            "this path leads out of the workspace",
        )),
        false => Ok(()),
    }
}

/// Reads a file that the user named, anywhere on this machine.
pub fn read_user_file(path: &Path) -> Result<String, StoreError> {
    let shown = path.display().to_string();
    Ok(decode(&shown, read_user_file_bytes(path)?)?)
}

/// Reads the bytes of a file that the user named, anywhere on this machine. A compressed session file is decompressed.
pub fn read_user_file_bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    read_uncompressed(path, u64::MAX).map_err(|error| given_path_error(path, error))
}

/// Reads at most `limit` bytes of a file. Of a file that ends in `.zst`, these are the bytes before compression.
pub(crate) fn read_uncompressed(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    let file = fs::File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "zst") {
        let decoder = StreamingDecoder::new(file).map_err(io::Error::other)?;
        decoder.take(limit).read_to_end(&mut bytes)?;
    } else {
        file.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Lists the files of a folder that the user named and of its subfolders, sorted by path. For a file,
/// returns that file. Hidden files, symbolic links and special files are skipped.
pub fn list_user_files(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let io = |error| given_path_error(path, error);
    if !fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(io)? {
        let entry = entry.map_err(io)?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type().map_err(io)?;
        if is_hidden || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() {
            files.extend(list_user_files(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the error for a path that the user named. A missing file is a mistake of the user, any
/// other error one of the system.
fn given_path_error(path: &Path, error: std::io::Error) -> StoreError {
    if is_missing(&error) {
        StoreError::refused(format!("there is no file {}", path.display()), "check the path")
    } else {
        StoreError::io(path.display().to_string(), error)
    }
}

/// Creates a folder; an existing one must be empty.
pub fn make_empty_folder(folder: &Path) -> Result<PathBuf, StoreError> {
    let io = |error| StoreError::io(folder.display().to_string(), error);
    fs::create_dir_all(folder).map_err(io)?;
    if fs::read_dir(folder).map_err(io)?.next().is_some() {
        return Err(StoreError::refused(
            format!("{} is not empty", folder.display()),
            "give a new or an empty folder",
        ));
    }
    fs::canonicalize(folder).map_err(io)
}

/// Returns whether an error means that the path does not exist.
pub(crate) fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

pub(crate) fn io_problem(relative: &str, error: &std::io::Error) -> Problem {
    match is_escape(error) {
        true => escaping_link(relative),
        false => Problem::in_file(relative, format!("cannot be read: {error}")),
    }
}

fn dangling_link(relative: &str) -> Problem {
    Problem::in_file(relative, "the target of this symbolic link does not exist")
        .hint("remove the link or correct its target")
}

fn escaping_link(relative: &str) -> Problem {
    Problem::in_file(relative, "this symbolic link leads out of the workspace")
        .hint("copy the file into the workspace, or make the link relative")
}

/// Decodes UTF-8. The problem names the line of the first invalid byte.
fn decode(relative: &str, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        Problem::at(relative, line, "this is not UTF-8 text").hint("save the file as UTF-8")
    })
}
