//! Directory handles that nothing leaves.
//!
//! A repository is untrusted input: it may hold symbolic links, FIFOs and devices at any path. Every
//! file below a workspace's root and below this machine's state is reached through a
//! [`ConfinedDir`], which resolves paths relative to an open directory and refuses to follow a link
//! out of it (`openat2` with `RESOLVE_BENEATH` on Linux, component by component elsewhere).

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, Metadata, OpenOptions};

use crate::stamp::Stamp;

/// A directory, and access to what lies beneath it.
#[derive(Debug)]
pub struct ConfinedDir {
    handle: Dir,
    path: PathBuf,
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// The name; what is not UTF-8 in it is replaced.
    pub name: String,
    /// Whether the name is text, so that it can be used.
    pub is_text: bool,
    /// Whether it is a folder, links inside the root followed.
    pub is_folder: bool,
    /// Whether it is a symbolic link. A walk through subfolders does not enter one, since links may
    /// lead in circles.
    pub is_link: bool,
}

/// What to do about a directory that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Create it.
    Create,
    /// Fail with `NotFound`.
    Fail,
}

/// The ending of a file that is about to replace another.
const DRAFT_ENDING: &str = "draft";

impl ConfinedDir {
    /// Opens a directory anywhere on this machine. Only for paths that a person named, or that were
    /// checked: nothing keeps this call itself inside a root.
    pub fn open(path: &Path) -> io::Result<Self> {
        let handle = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(ConfinedDir { handle, path: path.to_path_buf() })
    }

    /// Returns the path that it was opened by, for messages and for libraries that take paths only.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the handle itself.
    pub fn handle(&self) -> &Dir {
        &self.handle
    }

    /// Returns the handle alone.
    pub fn into_handle(self) -> Dir {
        self.handle
    }

    /// Opens a directory of Heirloom's own (cache, state). No component of the path may be a
    /// symbolic link, not even one that stays inside: Heirloom makes these directories itself.
    pub fn open_private(&self, relative: &str, missing: Missing) -> io::Result<Self> {
        let mut handle = self.handle.try_clone()?;
        let mut path = self.path.clone();
        for part in relative.split('/').filter(|part| !part.is_empty()) {
            path.push(part);
            match handle.symlink_metadata(part) {
                Ok(metadata) if metadata.is_symlink() => return Err(is_link(&path)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => match missing {
                    Missing::Fail => return Err(error),
                    Missing::Create => match handle.create_dir(part) {
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

    /// Returns what is known of a path without opening the file; links are followed inside.
    pub fn metadata(&self, relative: &str) -> io::Result<Metadata> {
        self.handle.metadata(relative)
    }

    /// Returns where a symbolic link leads, as it is written.
    pub fn link_target(&self, relative: &str) -> Option<String> {
        self.handle.read_link_contents(relative).ok()?.to_str().map(|to| to.replace('\\', "/"))
    }

    /// Returns whether there is anything at a path.
    pub fn exists(&self, relative: &str) -> bool {
        self.handle.exists(relative)
    }

    /// Opens a regular file for reading. Opening a FIFO would block for ever, so its kind is checked
    /// first.
    pub fn open_file(&self, relative: &str) -> io::Result<File> {
        self.check_regular(relative)?;
        self.handle.open(relative).map(cap_std::fs::File::into_std)
    }

    /// Opens a regular file for reading and writing, and creates it where it is not there.
    pub fn open_to_write(&self, relative: &str) -> io::Result<File> {
        match self.check_regular(relative) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            checked => checked?,
        }
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true);
        self.handle.open_with(relative, &options).map(cap_std::fs::File::into_std)
    }

    /// Creates a file that must not be there yet.
    pub fn create_new(&self, relative: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create_new(true).write(true);
        self.handle.open_with(relative, &options).map(cap_std::fs::File::into_std)
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read(&self, relative: &str, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.open_file(relative)?;
        let size = file.metadata()?.len();
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

    /// Writes a file in place of what was there, whole or not at all, and makes it durable. A link at
    /// that path is replaced, not followed.
    pub fn replace(&self, relative: &str, text: &str) -> io::Result<()> {
        let draft = format!("{relative}.{DRAFT_ENDING}");
        self.remove_if_there(&draft)?;
        let mut file = self.create_new(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        self.rename(&draft, relative)?;
        self.sync_parent(relative);
        Ok(())
    }

    /// Renames a file or a directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.handle.rename(from, &self.handle, to)
    }

    /// Removes a file; a link is removed itself.
    pub fn remove(&self, relative: &str) -> io::Result<()> {
        self.handle.remove_file(relative)
    }

    /// Removes a file, if it is there.
    pub fn remove_if_there(&self, relative: &str) -> io::Result<()> {
        match self.handle.remove_file(relative) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Lists a directory, by name.
    pub fn list(&self, relative: &str) -> io::Result<Vec<Item>> {
        let mut items = Vec::new();
        for entry in self.handle.read_dir(relative)? {
            items.push(self.item(relative, &entry?)?);
        }
        items.sort();
        Ok(items)
    }

    /// Lists a directory, by name, each regular file with what is known of it without reading it.
    pub fn list_with_stamps(&self, relative: &str) -> io::Result<Vec<(Item, Option<Stamp>)>> {
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

    fn item(&self, folder: &str, entry: &DirEntry) -> io::Result<Item> {
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
        Ok(Item { name, is_text, is_folder, is_link })
    }

    /// Lists the names in it that are text, in order.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in self.handle.entries()? {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    /// Makes a creation or a rename durable where the platform can sync a directory.
    pub fn sync_parent(&self, relative: &str) {
        #[cfg(unix)]
        {
            let parent = relative.rsplit_once('/').map_or(".", |(parent, _)| parent);
            if let Ok(folder) = self.handle.open(parent) {
                // Not every file system can; the file itself is synced.
                drop(folder.sync_all());
            }
        }
        #[cfg(not(unix))]
        let _ = relative;
    }

    fn check_regular(&self, relative: &str) -> io::Result<()> {
        let metadata = self.handle.metadata(relative)?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        Ok(())
    }
}

/// Returns whether an access failed because a path or a link led out of the directory. The library
/// reports this as `PermissionDenied` without a system error number.
pub fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

fn is_link(path: &Path) -> io::Error {
    let message = format!("{} is a symbolic link, and links are not followed here", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn folders() -> (tempfile::TempDir, ConfinedDir, PathBuf) {
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
    fn links_are_followed_inside_and_not_out() {
        let (_home, dir, outside) = folders();
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
    fn private_folders_follow_no_link() {
        let (_home, dir, _) = folders();
        symlink("sub", dir.path().join("cache")).unwrap();
        for missing in [Missing::Fail, Missing::Create] {
            let error = dir.open_private("cache/index", missing).unwrap_err();
            assert!(error.to_string().contains("is a symbolic link"), "{error}");
        }
        let made = dir.open_private("own/deep", Missing::Create).unwrap();
        assert!(made.path().is_dir());
        assert!(dir.open_private("none", Missing::Fail).is_err());
    }

    #[test]
    fn what_is_not_a_regular_file_is_not_opened() {
        let (_home, dir, _) = folders();
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
