//! The root of a workspace and safe access to what lies in it.
//!
//! Every path is relative to the root and written with `/`. Nothing outside the root is read or
//! written, whatever a name or a symbolic link says.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cap_std::fs::Metadata;
use heirloom_core::{Problem, path};

use crate::StoreError;
pub use crate::confined::Item;
use crate::confined::{ConfinedDir, Missing, is_escape};
use crate::git::{Lookup, Repository};

/// The folder that makes a folder a workspace.
pub const HOME: &str = ".heirloom";

/// Where archived documents go; `archive` says where in it.
pub const ARCHIVE: &str = ".heirloom/archive";

/// A larger document is not read: nobody wrote it, and it would stall every command.
pub const MAX_DOCUMENT: u64 = 8 * 1024 * 1024;

/// Where derived files are kept.
const CACHE: &str = ".heirloom/cache";

/// A cache file that is larger was not written by us.
pub(crate) const MAX_CACHE_BYTES: u64 = 256 * 1024 * 1024;

/// Where this machine's own state is kept outside of git.
const LOCAL: &str = ".heirloom/local";

/// The root of a workspace.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    dir: Arc<ConfinedDir>,
    /// Folders whose contents were asked for, relative to the root.
    looked_into: Mutex<HashSet<String>>,
    repository: OnceLock<Lookup>,
}

impl Root {
    /// Walks up from a folder to the workspace that it lies in.
    pub fn find(start: &Path) -> Result<Self, StoreError> {
        let start = fs::canonicalize(start)
            .map_err(|error| StoreError::io(start.display().to_string(), error))?;
        let found = start.ancestors().find(|folder| folder.join(HOME).is_dir());
        match found {
            Some(folder) => Self::open(folder.to_path_buf()),
            None => Err(StoreError::NoWorkspace(start.display().to_string())),
        }
    }

    /// Returns another handle of the same workspace, for what outlives a borrow of this one.
    pub fn another(&self) -> Self {
        Root {
            path: self.path.clone(),
            dir: self.dir.clone(),
            looked_into: Mutex::default(),
            repository: OnceLock::new(),
        }
    }

    /// Takes a folder as the root, which must hold a workspace.
    pub fn at(folder: &Path) -> Result<Self, StoreError> {
        if !folder.is_dir() {
            return Err(StoreError::refused(
                format!("{} is not a folder", folder.display()),
                "name the workspace's folder",
            ));
        }
        let canonical = fs::canonicalize(folder)
            .map_err(|error| StoreError::io(folder.display().to_string(), error))?;
        if canonical.join(HOME).is_dir() {
            Self::open(canonical)
        } else {
            Err(StoreError::NoWorkspaceAt(canonical.display().to_string()))
        }
    }

    /// Takes a folder as the root whether or not it holds a workspace yet.
    pub fn new_at(folder: &Path) -> Result<Self, StoreError> {
        let canonical = fs::canonicalize(folder)
            .map_err(|error| StoreError::io(folder.display().to_string(), error))?;
        if !canonical.is_dir() {
            return Err(StoreError::refused(
                format!("{} is not a folder", folder.display()),
                "name the folder to set up",
            ));
        }
        let home = canonical.join(HOME);
        if home.exists() && !home.is_dir() {
            return Err(StoreError::refused(
                format!(
                    "{} is a file, and a workspace keeps its documents in a folder of that name",
                    home.display()
                ),
                "move it away",
            ));
        }
        Self::open(canonical)
    }

    fn open(canonical: PathBuf) -> Result<Self, StoreError> {
        let io = |error| StoreError::io(canonical.display().to_string(), error);
        let dir = ConfinedDir::open(&canonical).map_err(io)?;
        match dir.metadata(HOME) {
            Err(error) if is_escape(&error) => {
                return Err(StoreError::refused(
                    format!(
                        "{} is a symbolic link that leads out of {}, and is not followed",
                        canonical.join(HOME).display(),
                        canonical.display()
                    ),
                    "move the folder here, or name the workspace that it leads to with --root",
                ));
            }
            _ => {}
        }
        Ok(Root {
            path: canonical,
            dir: Arc::new(dir),
            looked_into: Mutex::default(),
            repository: OnceLock::new(),
        })
    }

    /// Returns the handle through which everything below the root is reached.
    pub fn dir(&self) -> &Arc<ConfinedDir> {
        &self.dir
    }

    fn lookup(&self) -> &Lookup {
        self.repository.get_or_init(|| Repository::around(&self.path))
    }

    /// Returns the git repository that it lies in.
    pub fn repository(&self) -> Option<&Repository> {
        match self.lookup() {
            Lookup::Found(repository) => Some(repository),
            Lookup::None | Lookup::Refused(_) => None,
        }
    }

    /// Returns why the repository that `.git` names is not used, if it is not.
    pub fn repository_problem(&self) -> Option<&Problem> {
        match self.lookup() {
            Lookup::Refused(problem) => Some(problem),
            Lookup::None | Lookup::Found(_) => None,
        }
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remembers that the contents of folders were asked for.
    pub(crate) fn note_looked_into(&self, folders: impl IntoIterator<Item = String>) {
        self.looked_into.lock().unwrap_or_else(PoisonError::into_inner).extend(folders);
    }

    /// Returns the folders whose contents were asked for so far.
    pub fn looked_into(&self) -> Vec<PathBuf> {
        let looked_into = self.looked_into.lock().unwrap_or_else(PoisonError::into_inner);
        looked_into.iter().map(|folder| self.join(folder)).collect()
    }

    /// Returns where a relative path lies.
    pub fn join(&self, relative: &str) -> PathBuf {
        let mut path = self.path.clone();
        path.extend(relative.split('/').filter(|part| !part.is_empty()));
        path
    }

    /// Returns whether there is a file or folder that may be read.
    pub fn exists(&self, relative: &str) -> bool {
        matches!(self.metadata(relative), Ok(Some(_)))
    }

    /// Returns whether there is a folder that may be read.
    pub fn is_folder(&self, relative: &str) -> bool {
        matches!(self.metadata(relative), Ok(Some(metadata)) if metadata.is_dir())
    }

    /// Looks a path up without leaving the root. A missing one is `None`.
    pub fn metadata(&self, relative: &str) -> Result<Option<Metadata>, Problem> {
        check_relative(relative)?;
        match self.dir.metadata(at(relative)) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if is_missing(&error) => {
                if self.dir.handle().symlink_metadata(at(relative)).is_ok() {
                    return Err(Problem::of_file(relative, "this symbolic link leads to nothing")
                        .hint("remove it or mend its target"));
                }
                // What is not there yet would appear in its folder.
                self.note_looked_into([path::folder(relative).to_owned()]);
                Ok(None)
            }
            Err(error) => Err(io_problem(relative, &error)),
        }
    }

    /// Reads a document. A missing one is `None`; one that cannot be used is a problem.
    pub fn read(&self, relative: &str) -> Result<Option<String>, Problem> {
        check_relative(relative)?;
        let text = read_text(&self.dir, relative)?;
        if text.is_none() {
            self.note_looked_into([path::folder(relative).to_owned()]);
        }
        Ok(text)
    }

    /// Lists a folder by name. A missing one is empty.
    pub fn list(&self, relative: &str) -> Result<Vec<Item>, Problem> {
        self.note_looked_into([relative.to_owned()]);
        match self.metadata(relative)? {
            None => return Ok(vec![]),
            Some(metadata) if !metadata.is_dir() => {
                return Err(Problem::of_file(
                    relative,
                    "this is a file, and a folder was expected",
                ));
            }
            Some(_) => {}
        }
        self.dir.list(at(relative)).map_err(|error| io_problem(relative, &error))
    }

    /// Creates a file that must not be there yet, with its folders. Says whether it did.
    pub fn create(&self, relative: &str, text: &str) -> Result<bool, StoreError> {
        self.make_parents(relative)?;
        let mut file = match self.dir.create_new(relative) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(StoreError::io(relative, error)),
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if let Err(error) = written {
            // A half-written new file would look like a document; it was never acknowledged.
            drop(self.dir.remove(relative));
            return Err(StoreError::io(relative, error));
        }
        self.dir.sync_parent(relative);
        Ok(true)
    }

    /// Makes the folders that a path needs.
    pub(crate) fn make_parents(&self, relative: &str) -> Result<(), StoreError> {
        self.metadata(relative)?;
        let Some((parent, _)) = relative.rsplit_once('/') else { return Ok(()) };
        let made = self.dir.handle().create_dir_all(parent);
        made.map_err(|error| match is_escape(&error) {
            true => leads_out(relative).into(),
            false => StoreError::io(relative, error),
        })
    }

    /// Removes the folders of the archive above a path that are empty.
    pub fn remove_empty_folders(&self, relative: &str) {
        let mut folder = path::folder(relative);
        while folder != ARCHIVE && path::is_within(folder, ARCHIVE) {
            // A folder that is not empty, or not there, stays as it is.
            if self.dir.handle().remove_dir(folder).is_err() {
                return;
            }
            folder = path::folder(folder);
        }
    }

    /// Opens the folder of derived files, or one in it, and makes it where it is not there. It
    /// ignores itself, so that a workspace whose `.gitignore` does not know of it cannot commit it.
    pub fn cache(&self, inner: &str) -> std::io::Result<ConfinedDir> {
        let cache = match self.dir.open_private(CACHE, Missing::Fail) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let cache = self.dir.open_private(CACHE, Missing::Create)?;
                cache.replace(".gitignore", "*\n")?;
                cache
            }
            opened => opened?,
        };
        cache.open_private(inner, Missing::Create)
    }

    /// Opens the folder of derived files, if it is there and may be used.
    pub(crate) fn existing_cache(&self) -> Option<ConfinedDir> {
        self.dir.open_private(CACHE, Missing::Fail).ok()
    }

    /// Opens this machine's own state and makes it where it is not there: with the git repository,
    /// so that `git clean` does not take it and work trees share it, else in the workspace.
    pub(crate) fn state(&self) -> Result<Arc<ConfinedDir>, StoreError> {
        let opened = self.open_state(Missing::Create);
        opened.map(Arc::new).map_err(|error| StoreError::io(self.state_shown(), error))
    }

    /// Opens this machine's own state, if there is any.
    pub(crate) fn existing_state(&self) -> Result<Option<Arc<ConfinedDir>>, StoreError> {
        match self.open_state(Missing::Fail) {
            Ok(state) => Ok(Some(Arc::new(state))),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(StoreError::io(self.state_shown(), error)),
        }
    }

    fn open_state(&self, missing: Missing) -> std::io::Result<ConfinedDir> {
        match self.repository() {
            Some(repository) => {
                repository.common().open_private(&self.state_in_repository(repository), missing)
            }
            None => self.dir.open_private(LOCAL, missing),
        }
    }

    /// Where a repository holds the state of this workspace: several in one have a state each.
    fn state_in_repository(&self, repository: &Repository) -> String {
        match self.path.strip_prefix(repository.top()) {
            Ok(inner) if !inner.as_os_str().is_empty() => {
                let inner = inner.to_string_lossy().replace('\\', "/");
                let name = blake3::hash(inner.as_bytes()).to_hex();
                format!("heirloom/at/{}", &name[..12])
            }
            _ => "heirloom".to_owned(),
        }
    }

    /// Returns where this machine's own state is, as messages name it.
    pub fn state_shown(&self) -> String {
        match self.repository() {
            Some(repository) => {
                let path = repository.common().path().join(self.state_in_repository(repository));
                path.display().to_string()
            }
            None => self.join(LOCAL).display().to_string(),
        }
    }

    /// Opens the state that a workspace outside of git had, whether or not it is in git by now.
    pub(crate) fn existing_local(&self) -> std::io::Result<ConfinedDir> {
        self.dir.open_private(LOCAL, Missing::Fail)
    }

    /// Returns the folders of this machine's own state, there or not.
    pub(crate) fn state_paths(&self) -> BTreeSet<PathBuf> {
        BTreeSet::from([PathBuf::from(self.state_shown()), self.join(LOCAL)])
    }
}

/// Reads a document below a directory. A missing one is `None`; one that cannot be used is a problem.
pub(crate) fn read_text(dir: &ConfinedDir, relative: &str) -> Result<Option<String>, Problem> {
    let error = match dir.read(relative, MAX_DOCUMENT) {
        Ok(bytes) => return text_of(relative, bytes).map(Some),
        Err(error) => error,
    };
    Err(match error.kind() {
        _ if is_missing(&error) => match dir.handle().symlink_metadata(relative) {
            Ok(_) => Problem::of_file(relative, "this symbolic link leads to nothing")
                .hint("remove it or mend its target"),
            Err(_) => return Ok(None),
        },
        ErrorKind::IsADirectory => {
            Problem::of_file(relative, "this is a folder, and a document was expected")
                .hint("rename the folder")
        }
        ErrorKind::InvalidInput => Problem::of_file(relative, "this is not a regular file"),
        ErrorKind::FileTooLarge => {
            let mebibyte = 1024 * 1024;
            let size = dir.metadata(relative).map_or(MAX_DOCUMENT, |metadata| metadata.len());
            let (size, most) = (size / mebibyte, MAX_DOCUMENT / mebibyte);
            let message = format!("{size} MB is too large for a document (at most {most} MB)");
            Problem::of_file(relative, message)
                .hint("split it, or move it out of the workspace's documents")
        }
        _ => io_problem(relative, &error),
    })
}

/// The root itself is `.` to the system.
fn at(relative: &str) -> &str {
    if relative.is_empty() { "." } else { relative }
}

fn check_relative(relative: &str) -> Result<(), Problem> {
    let leaves = relative.split('/').any(|part| part == "..")
        || relative.contains('\0')
        || Path::new(relative).is_absolute();
    match leaves {
        true => Err(Problem::of_file(
            relative.replace('\0', "\\0"),
            "this path leads out of the workspace",
        )),
        false => Ok(()),
    }
}

/// Reads a file that a person named, wherever it is.
pub fn read_given(path: &Path) -> Result<String, StoreError> {
    let shown = path.display().to_string();
    Ok(text_of(&shown, read_bytes_given(path)?)?)
}

/// Reads the bytes of a file that a person named, wherever it is.
pub fn read_bytes_given(path: &Path) -> Result<Vec<u8>, StoreError> {
    fs::read(path).map_err(|error| not_given(path, error))
}

/// Lists the files of a folder that a person named, with those of its subfolders, by path; a file is
/// a list of itself. What is hidden is left out.
pub fn files_given(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let io = |error| not_given(path, error);
    if !fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(io)? {
        let entry = entry.map_err(io)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type().map_err(io)?;
        if hidden || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() {
            found.extend(files_given(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// A file that was named and is not there is the caller's mistake; anything else is the system's.
fn not_given(path: &Path, error: std::io::Error) -> StoreError {
    if is_missing(&error) {
        StoreError::refused(format!("there is no file {}", path.display()), "mend the path")
    } else {
        StoreError::io(path.display().to_string(), error)
    }
}

/// Makes a folder, or takes one that is there and empty.
pub fn make_empty_folder(folder: &Path) -> Result<PathBuf, StoreError> {
    let io = |error| StoreError::io(folder.display().to_string(), error);
    fs::create_dir_all(folder).map_err(io)?;
    if fs::read_dir(folder).map_err(io)?.next().is_some() {
        return Err(StoreError::refused(
            format!("{} is not empty", folder.display()),
            "name a new folder",
        ));
    }
    fs::canonicalize(folder).map_err(io)
}

pub(crate) fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

pub(crate) fn io_problem(relative: &str, error: &std::io::Error) -> Problem {
    match is_escape(error) {
        true => leads_out(relative),
        false => Problem::of_file(relative, format!("cannot be read: {error}")),
    }
}

fn leads_out(relative: &str) -> Problem {
    Problem::of_file(relative, "this symbolic link leads out of the workspace")
        .hint("copy the file into the workspace, or make the link relative")
}

fn text_of(relative: &str, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        Problem::at(relative, line, "this is not UTF-8 text").hint("save the file as UTF-8")
    })
}
