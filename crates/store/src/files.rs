//! The root of a workspace and safe access to what lies in it.
//!
//! Every path is relative to the root and written with `/`. Nothing outside the root is read or
//! written, whatever a name or a symbolic link says.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use heirloom_core::Problem;

use crate::StoreError;
use crate::git::Repository;

/// The folder that makes a folder a workspace.
pub const HOME: &str = ".heirloom";

/// Where archived documents go, each under its own path.
pub const ARCHIVE: &str = ".heirloom/archive";

/// A larger document is not read: nobody wrote it, and it would stall every command.
pub const MAX_DOCUMENT: u64 = 8 * 1024 * 1024;

/// The root of a workspace.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    canonical: PathBuf,
    /// Folders whose contents were asked for.
    looked_into: RefCell<BTreeSet<PathBuf>>,
    /// Folders known to lie inside the root.
    safe_folders: RefCell<HashMap<PathBuf, bool>>,
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// The name; what is not UTF-8 in it is replaced.
    pub name: String,
    /// Whether the name is text, so that it can be used.
    pub is_text: bool,
    /// Whether it is a folder, links followed.
    pub is_folder: bool,
}

impl Root {
    /// Walks up from a folder to the workspace that it lies in.
    pub fn find(start: &Path) -> Result<Self, StoreError> {
        let start = fs::canonicalize(start)
            .map_err(|error| StoreError::io(start.display().to_string(), error))?;
        let found = start.ancestors().find(|folder| folder.join(HOME).is_dir());
        match found {
            Some(folder) => Ok(Self::open(folder.to_path_buf())),
            None => Err(StoreError::NoWorkspace(start.display().to_string())),
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
            Ok(Self::open(canonical))
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
        Ok(Self::open(canonical))
    }

    fn open(canonical: PathBuf) -> Self {
        Root {
            path: canonical.clone(),
            canonical,
            looked_into: RefCell::default(),
            safe_folders: RefCell::default(),
        }
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folders whose contents were asked for so far.
    pub fn looked_into(&self) -> Vec<PathBuf> {
        self.looked_into.borrow().iter().cloned().collect()
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
        if relative.split('/').any(|part| part == "..")
            || relative.contains('\0')
            || Path::new(relative).is_absolute()
        {
            return Err(Problem::of_file(
                relative.replace('\0', "\\0"),
                "this path leads out of the workspace",
            ));
        }
        let path = self.join(relative);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_missing(&error) => {
                // What is not there yet would appear in its folder.
                self.looked_into.borrow_mut().extend(path.parent().map(Path::to_path_buf));
                return Ok(None);
            }
            Err(error) => return Err(io_problem(relative, &error)),
        };
        let parent_is_safe = path.parent().is_none_or(|parent| self.is_safe_folder(parent));
        if metadata.is_symlink() {
            return match fs::canonicalize(&path) {
                Ok(target) if target.starts_with(&self.canonical) => {
                    fs::metadata(&path).map(Some).map_err(|error| io_problem(relative, &error))
                }
                Ok(_) => Err(leads_out(relative)),
                Err(error) if is_missing(&error) => {
                    Err(Problem::of_file(relative, "this symbolic link leads to nothing")
                        .hint("remove it or mend its target"))
                }
                Err(error) => Err(io_problem(relative, &error)),
            };
        }
        if parent_is_safe { Ok(Some(metadata)) } else { Err(leads_out(relative)) }
    }

    fn is_safe_folder(&self, folder: &Path) -> bool {
        if let Some(safe) = self.safe_folders.borrow().get(folder) {
            return *safe;
        }
        let safe =
            fs::canonicalize(folder).is_ok_and(|canonical| canonical.starts_with(&self.canonical));
        self.safe_folders.borrow_mut().insert(folder.to_path_buf(), safe);
        safe
    }

    /// Reads a document. A missing one is `None`; one that cannot be used is a problem.
    pub fn read(&self, relative: &str) -> Result<Option<String>, Problem> {
        let Some(metadata) = self.metadata(relative)? else { return Ok(None) };
        if metadata.is_dir() {
            return Err(Problem::of_file(
                relative,
                "this is a folder, and a document was expected",
            )
            .hint("rename the folder"));
        }
        if !metadata.is_file() {
            return Err(Problem::of_file(relative, "this is not a regular file"));
        }
        if metadata.len() > MAX_DOCUMENT {
            let size = metadata.len() / (1024 * 1024);
            return Err(Problem::of_file(
                relative,
                format!(
                    "{size} MB is too large for a document (at most {} MB)",
                    MAX_DOCUMENT / (1024 * 1024)
                ),
            )
            .hint("split it, or move it out of the workspace's documents"));
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        let read = fs::File::open(self.join(relative))
            .and_then(|file| file.take(MAX_DOCUMENT + 1).read_to_end(&mut bytes));
        match read {
            Ok(_) => {}
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(io_problem(relative, &error)),
        }
        text_of(relative, bytes).map(Some)
    }

    /// Lists a folder by name. A missing one is empty.
    pub fn list(&self, relative: &str) -> Result<Vec<Item>, Problem> {
        self.looked_into.borrow_mut().insert(self.join(relative));
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
        let entries =
            fs::read_dir(self.join(relative)).map_err(|error| io_problem(relative, &error))?;
        let mut items = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| io_problem(relative, &error))?;
            let (name, is_text) = match entry.file_name().into_string() {
                Ok(name) => (name, true),
                Err(name) => (name.to_string_lossy().into_owned(), false),
            };
            let kind = entry.file_type().map_err(|error| io_problem(relative, &error))?;
            let is_folder = if kind.is_symlink() {
                fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_dir())
            } else {
                kind.is_dir()
            };
            items.push(Item { name, is_text, is_folder });
        }
        items.sort();
        Ok(items)
    }

    /// Creates a file that must not be there yet, with its folders. Says whether it did.
    pub fn create(&self, relative: &str, text: &str) -> Result<bool, StoreError> {
        let path = self.path_to_write(relative)?;
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(StoreError::io(relative, error)),
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if let Err(error) = written {
            // A half-written new file would look like a document; it was never acknowledged.
            drop(fs::remove_file(&path));
            return Err(StoreError::io(relative, error));
        }
        sync_folder(&path);
        Ok(true)
    }

    /// Makes the folders of a path and returns where it lies, inside the root.
    pub(crate) fn path_to_write(&self, relative: &str) -> Result<PathBuf, StoreError> {
        self.metadata(relative)?;
        let path = self.join(relative);
        let Some(parent) = path.parent() else { return Ok(path) };
        // The nearest folder that is there decides: below it, only we make folders.
        let nearest = parent.ancestors().find(|folder| folder.exists());
        if !nearest.is_some_and(|folder| self.is_safe_folder(folder)) {
            return Err(leads_out(relative).into());
        }
        fs::create_dir_all(parent).map_err(|error| StoreError::io(relative, error))?;
        Ok(path)
    }

    /// Moves a file to a place where there is none yet.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let target = self.path_to_write(to)?;
        if fs::symlink_metadata(&target).is_ok() {
            return Err(StoreError::refused(
                format!("{to} is already there"),
                "move it away first",
            ));
        }
        fs::rename(self.join(from), &target).map_err(|error| StoreError::io(from, error))?;
        sync_folder(&target);
        sync_folder(&self.join(from));
        Ok(())
    }

    /// Makes the folder of derived files. It ignores itself, so that a workspace whose `.gitignore`
    /// does not know of it cannot commit it.
    pub(crate) fn cache_folder(&self) -> Option<PathBuf> {
        let folder = self.path.join(HOME).join("cache");
        self.metadata(".heirloom/cache").ok()?;
        if !folder.is_dir() {
            fs::create_dir_all(&folder).ok()?;
            fs::write(folder.join(".gitignore"), "*\n").ok()?;
        }
        Some(folder)
    }

    /// Returns the folder of this machine's own state: with the git repository, so that
    /// `git clean` does not take it and worktrees share it, else in the workspace.
    pub fn state_folder(&self) -> PathBuf {
        let Some(repository) = Repository::around(&self.path) else {
            return self.path.join(HOME).join("local");
        };
        let state = repository.common().join("heirloom");
        // Several workspaces in one repository have a state each.
        match self.path.strip_prefix(repository.top) {
            Ok(inner) if !inner.as_os_str().is_empty() => {
                let name =
                    blake3::hash(inner.to_string_lossy().replace('\\', "/").as_bytes()).to_hex();
                state.join("at").join(&name[..12])
            }
            _ => state,
        }
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

/// Makes a rename or a creation durable where the platform lets a folder be synced.
pub(crate) fn sync_folder(path: &Path) {
    #[cfg(unix)]
    if let Some(folder) = path.parent().and_then(|parent| fs::File::open(parent).ok()) {
        // Not every file system can; the file itself is synced.
        drop(folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = path;
}

pub(crate) fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

pub(crate) fn io_problem(relative: &str, error: &std::io::Error) -> Problem {
    Problem::of_file(relative, format!("cannot be read: {error}"))
}

fn leads_out(relative: &str) -> Problem {
    Problem::of_file(relative, "this symbolic link leads out of the workspace")
        .hint("copy the file into the workspace")
}

fn text_of(relative: &str, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        Problem::at(relative, line, "this is not UTF-8 text").hint("save the file as UTF-8")
    })
}
