//! Directory handles that confine access to a directory.
//!
//! A repository is untrusted input: it may contain symbolic links, FIFOs and devices at any path.
//! Every file of a workspace and of the local state is accessed through a [`ConfinedDir`], which
//! resolves paths relative to an open directory and refuses to follow a link out of it (`openat2` with
//! `RESOLVE_BENEATH` on Linux, component by component on other systems).

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, Metadata, OpenOptions};

use crate::stamp::Stamp;

/// An open directory that gives access to the files below it only.
#[derive(Debug)]
pub struct ConfinedDir {
    handle: Dir,
    path: PathBuf,
}

/// A directory entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// The name; invalid UTF-8 is replaced.
    pub name: String,
    /// Whether the name is valid UTF-8. Otherwise the file cannot be opened by this name.
    pub is_utf8: bool,
    /// Whether it is a folder or a link to a folder inside the root.
    pub is_folder: bool,
    /// Whether it is a symbolic link. Recursive walks do not follow links, because they may form
    /// cycles.
    pub is_link: bool,
}

/// What to do if a directory does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Create it.
    Create,
    /// Fail with `NotFound`.
    Fail,
}

/// The extension of a temporary file that is renamed over another file.
const DRAFT_EXTENSION: &str = "draft";

impl ConfinedDir {
    /// Opens a directory anywhere on this machine. Only for paths that the user named or that were
    /// checked, because this call is not confined to a root.
    pub fn open(path: &Path) -> io::Result<Self> {
        let handle = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(ConfinedDir { handle, path: path.to_path_buf() })
    }

    /// Returns the path that was opened, for messages and for libraries that need a path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the underlying handle.
    pub fn handle(&self) -> &Dir {
        &self.handle
    }

    /// Converts into the underlying handle.
    pub fn into_handle(self) -> Dir {
        self.handle
    }

    /// Opens a directory that Heirloom itself creates (cache, state). No component of the path may be
    /// a symbolic link, not even one that stays inside.
    pub(crate) fn open_private(&self, relative: &str, missing: IfMissing) -> io::Result<Self> {
        let mut handle = self.handle.try_clone()?;
        let mut path = self.path.clone();
        for part in relative.split('/').filter(|part| !part.is_empty()) {
            path.push(part);
            match handle.symlink_metadata(part) {
                Ok(metadata) if metadata.is_symlink() => return Err(link_error(&path)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => match missing {
                    IfMissing::Fail => return Err(error),
                    IfMissing::Create => match handle.create_dir(part) {
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(error);
                        }
                        _ => {}
                    },
                },
                Err(error) => return Err(error),
            }
            handle = handle.open_dir(part)?;
        }
        Ok(ConfinedDir { handle, path })
    }

    /// Returns the metadata of a path; links are followed inside of the directory.
    pub fn metadata(&self, relative: &str) -> io::Result<Metadata> {
        self.handle.metadata(relative)
    }

    /// Returns the target of a symbolic link, unresolved.
    pub fn link_target(&self, relative: &str) -> Option<String> {
        self.handle
            .read_link_contents(relative)
            .ok()?
            .to_str()
            .map(|target| target.replace('\\', "/"))
    }

    /// Returns whether a path exists.
    pub fn exists(&self, relative: &str) -> bool {
        self.handle.exists(relative)
    }

    /// Opens a regular file for reading.
    pub(crate) fn open_file(&self, relative: &str) -> io::Result<File> {
        self.open_regular(relative).map(|(file, _)| file)
    }

    /// Opens a regular file for reading and returns its size. It is opened without blocking and then checked, because
    /// opening a FIFO would block forever.
    #[cfg(unix)]
    fn open_regular(&self, relative: &str) -> io::Result<(File, u64)> {
        use cap_std::fs::OpenOptionsExt;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        let file = self.handle.open_with(relative, &options)?.into_std();
        let metadata = file.metadata()?;
        check_regular(metadata.is_dir(), metadata.is_file())?;
        Ok((file, metadata.len()))
    }

    /// Opens a regular file for reading and returns its size. The file type is checked first, because opening something
    /// else could block.
    #[cfg(not(unix))]
    fn open_regular(&self, relative: &str) -> io::Result<(File, u64)> {
        self.check_regular(relative)?;
        let file = self.handle.open(relative)?.into_std();
        let size = file.metadata()?.len();
        Ok((file, size))
    }

    /// Opens a regular file for reading and writing, and creates it if it does not exist.
    pub(crate) fn open_to_write(&self, relative: &str) -> io::Result<File> {
        match self.check_regular(relative) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            checked => checked?,
        }
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true);
        self.handle.open_with(relative, &options).map(cap_std::fs::File::into_std)
    }

    /// Appends a text to a regular file with one write, and creates the file if it does not exist. Returns its size in
    /// bytes.
    pub(crate) fn append(&self, relative: &str, text: &str) -> io::Result<u64> {
        match self.check_regular(relative) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            checked => checked?,
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        let mut file = self.handle.open_with(relative, &options)?;
        file.write_all(text.as_bytes())?;
        Ok(file.metadata()?.len())
    }

    /// Creates a file; fails if it exists.
    pub(crate) fn create_new(&self, relative: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create_new(true).write(true);
        self.handle.open_with(relative, &options).map(cap_std::fs::File::into_std)
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read(&self, relative: &str, limit: u64) -> io::Result<Vec<u8>> {
        let (file, size) = self.open_regular(relative)?;
        let mut bytes = Vec::new();
        if size <= limit {
            bytes.reserve_exact(usize::try_from(size).unwrap_or_default() + 1);
            file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        }
        if size > limit || bytes.len() as u64 > limit {
            let message = format!("it is larger than {} MB", limit / (1024 * 1024));
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(bytes)
    }

    /// Reads a regular text file of at most `limit` bytes.
    pub fn read_text(&self, relative: &str, limit: u64) -> io::Result<String> {
        String::from_utf8(self.read(relative, limit)?)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
    }

    /// Replaces a file atomically and syncs it to disk. A symbolic link is replaced, not followed.
    pub fn replace(&self, relative: &str, text: &str) -> io::Result<()> {
        self.write_draft(relative, text.as_bytes())?.sync_all()?;
        self.rename(&draft_name(relative), relative)?;
        self.sync_parent(relative);
        Ok(())
    }

    /// Replaces a file atomically, as long as the system does not crash: nothing is synced to disk, which takes
    /// milliseconds. A symbolic link is replaced, not followed.
    pub(crate) fn replace_unsynced(&self, relative: &str, text: &str) -> io::Result<()> {
        self.replace_bytes_unsynced(relative, text.as_bytes())
    }

    /// Replaces a file by bytes like [`ConfinedDir::replace_unsynced`].
    pub fn replace_bytes_unsynced(&self, relative: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_draft(relative, bytes)?;
        self.rename(&draft_name(relative), relative)
    }

    /// Writes the draft of a file.
    fn write_draft(&self, relative: &str, bytes: &[u8]) -> io::Result<File> {
        let draft = draft_name(relative);
        self.remove_if_exists(&draft)?;
        let mut file = self.create_new(&draft)?;
        file.write_all(bytes)?;
        Ok(file)
    }

    /// Renames a file or a directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.handle.rename(from, &self.handle, to)
    }

    /// Removes a file or a symbolic link.
    pub fn remove(&self, relative: &str) -> io::Result<()> {
        self.handle.remove_file(relative)
    }

    /// Removes a file if it exists.
    pub(crate) fn remove_if_exists(&self, relative: &str) -> io::Result<()> {
        match self.handle.remove_file(relative) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Lists a directory, sorted by name.
    pub fn list(&self, relative: &str) -> io::Result<Vec<FolderEntry>> {
        let mut items = Vec::new();
        for entry in self.handle.read_dir(relative)? {
            items.push(self.item(relative, &entry?)?);
        }
        items.sort();
        Ok(items)
    }

    /// Lists a directory, sorted by name, with the stamp of each regular file.
    pub(crate) fn list_with_stamps(
        &self,
        relative: &str,
    ) -> io::Result<Vec<(FolderEntry, Option<Stamp>)>> {
        let mut items = Vec::new();
        for entry in self.handle.read_dir(relative)? {
            let entry = entry?;
            let item = self.item(relative, &entry)?;
            let stamp = match item.is_folder || item.is_link {
                true => None,
                false => entry.metadata().ok().filter(Metadata::is_file).map(|m| Stamp::new(&m)),
            };
            items.push((item, stamp));
        }
        items.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(items)
    }

    fn item(&self, folder: &str, entry: &DirEntry) -> io::Result<FolderEntry> {
        let kind = entry.file_type()?;
        let is_link = kind.is_symlink();
        let is_folder = if is_link {
            let path = Path::new(folder).join(entry.file_name());
            self.handle.metadata(path).is_ok_and(|metadata| metadata.is_dir())
        } else {
            kind.is_dir()
        };
        let (name, is_text) = match entry.file_name().into_string() {
            Ok(name) => (name, true),
            Err(name) => (name.to_string_lossy().into_owned(), false),
        };
        Ok(FolderEntry { name, is_utf8: is_text, is_folder, is_link })
    }

    /// Lists the names in this directory that are valid UTF-8, in alphabetical order.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in self.handle.entries()? {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    /// Syncs the parent directory of a path to disk, so that a creation or rename is durable. Does
    /// nothing on systems that cannot sync a directory.
    pub(crate) fn sync_parent(&self, relative: &str) {
        #[cfg(unix)]
        {
            let parent = relative.rsplit_once('/').map_or(".", |(parent, _)| parent);
            if let Ok(folder) = self.handle.open(parent) {
                // Best effort: not every file system supports it, and the file itself is synced.
                drop(folder.sync_all());
            }
        }
        #[cfg(not(unix))]
        let _ = relative;
    }

    fn check_regular(&self, relative: &str) -> io::Result<()> {
        let metadata = self.handle.metadata(relative)?;
        check_regular(metadata.is_dir(), metadata.is_file())
    }
}

fn check_regular(is_folder: bool, is_file: bool) -> io::Result<()> {
    match (is_folder, is_file) {
        (true, _) => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        (false, false) => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
        }
        (false, true) => Ok(()),
    }
}

/// Returns whether an access failed because a path or link leaves the directory. `cap_std` reports
/// this as `PermissionDenied` without an OS error code.
pub fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Returns the name under which a file is written before it replaces another one.
fn draft_name(relative: &str) -> String {
    format!("{relative}.{DRAFT_EXTENSION}")
}

fn link_error(path: &Path) -> io::Error {
    let message = format!("{} is a symbolic link, and links are not followed here", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn inside_and_outside() -> (tempfile::TempDir, ConfinedDir, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let (inside, outside) = (home.path().join("in"), home.path().join("out"));
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "s").unwrap();
        fs::write(inside.join("sub/own"), "o").unwrap();
        let confined = ConfinedDir::open(&inside).unwrap();
        (home, confined, outside)
    }

    #[test]
    fn links_are_followed_only_inside_the_directory() {
        let (_home, dir, outside) = inside_and_outside();
        symlink("sub/own", dir.path().join("near")).unwrap();
        symlink(outside.join("secret"), dir.path().join("absolute")).unwrap();
        symlink("../out/secret", dir.path().join("relative")).unwrap();
        symlink("../out", dir.path().join("folder")).unwrap();
        assert_eq!(dir.read("near", 10).unwrap(), b"o");
        for path in ["absolute", "relative", "folder/secret", "../out/secret"] {
            assert!(is_escape(&dir.read(path, 10).unwrap_err()), "{path}");
        }
        assert!(is_escape(&dir.create_new("folder/new").unwrap_err()));
        assert!(is_escape(&dir.remove("folder/secret").unwrap_err()));
        assert!(is_escape(&dir.rename("sub/own", "folder/own").unwrap_err()));
        dir.replace("absolute", "mine").unwrap();
        assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "s");
        assert_eq!(dir.read("absolute", 10).unwrap(), b"mine");
    }

    #[test]
    fn private_directories_may_not_be_links() {
        let (_home, dir, _) = inside_and_outside();
        symlink("sub", dir.path().join("cache")).unwrap();
        for missing in [IfMissing::Fail, IfMissing::Create] {
            let error = dir.open_private("cache/index", missing).unwrap_err();
            assert!(error.to_string().contains("is a symbolic link"), "{error}");
        }
        let made = dir.open_private("own/deep", IfMissing::Create).unwrap();
        assert!(made.path().is_dir());
        assert!(dir.open_private("none", IfMissing::Fail).is_err());
    }

    #[test]
    fn only_regular_files_are_opened() {
        let (_home, dir, _) = inside_and_outside();
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        for path in ["fifo", "sub"] {
            assert!(dir.open_file(path).is_err(), "{path}");
            assert!(dir.open_to_write(path).is_err(), "{path}");
        }
        assert_eq!(dir.read("sub/own", 0).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
