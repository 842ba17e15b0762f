//! Access to paths of which no component is a symbolic link: what is there, and making and removing links and folders.
//!
//! Clients read rules in folders of the repository, which is untrusted: a link among them must not decide where files are
//! made or removed. Paths stay in the root in any case.

use std::io::ErrorKind;

use heirloom_core::path;

use crate::files::{is_missing, read_text};
use crate::{Root, StoreError};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfollowedPath {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link with its target as written.
    Link(String),
    /// Something below this symbolic link.
    BehindLink(String),
    /// Something else, or a path that cannot be looked at, and why.
    Other(String),
}

/// Returns what is at a path.
pub fn look(root: &Root, path: &str) -> UnfollowedPath {
    let handle = root.dir().handle();
    for (at, _) in path.match_indices('/') {
        let folder = &path[..at];
        match handle.symlink_metadata(folder) {
            Ok(metadata) if metadata.is_symlink() => {
                return UnfollowedPath::BehindLink(folder.to_owned());
            }
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return UnfollowedPath::Other(format!("{folder} is no folder")),
            Err(error) if is_missing(&error) => return UnfollowedPath::Missing,
            Err(error) => return UnfollowedPath::Other(error.to_string()),
        }
    }
    match handle.symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => match root.dir().link_target(path) {
            Some(target) => UnfollowedPath::Link(target),
            None => UnfollowedPath::Other("the target of this link cannot be read".to_owned()),
        },
        Ok(metadata) if metadata.is_dir() => UnfollowedPath::Folder,
        Ok(metadata) if metadata.is_file() => UnfollowedPath::File,
        Ok(_) => UnfollowedPath::Other("it is not a regular file".to_owned()),
        Err(error) if is_missing(&error) => UnfollowedPath::Missing,
        Err(error) => UnfollowedPath::Other(error.to_string()),
    }
}

/// Returns the path in the root and the text of the file that a link leads to; `None` if it leads to no text file in the
/// root.
pub fn file_behind(root: &Root, link: &str) -> Option<(String, String)> {
    let file = root.dir().handle().canonicalize(link).ok()?;
    let file = file.to_str()?.replace('\\', "/");
    let text = read_text(root.dir(), &file).ok().flatten()?;
    Some((file, text))
}

/// Returns the folders above a path that do not exist, the outermost first.
pub fn missing_folders(root: &Root, path: &str) -> Vec<String> {
    let folders = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
    folders.filter(|folder| look(root, folder) == UnfollowedPath::Missing).collect()
}

/// Makes a symbolic link and the folders above it. Returns `false` if this system makes no links. The target must lead to a
/// path in the root.
pub fn create_link(root: &Root, link: &str, target: &str) -> Result<bool, StoreError> {
    if path::resolve_link(link, target).is_none() || target.starts_with('/') {
        return Err(StoreError::refused(
            format!("{link}: a link to {target} would lead out of the workspace"),
            "name a folder in the workspace",
        ));
    }
    refuse_behind_link(root, link)?;
    root.create_parents(link)?;
    match symlink(root, link, target) {
        Ok(()) => {
            root.dir().sync_parent(link);
            Ok(true)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(StoreError::refused(format!("{link} exists already"), "run the command again"))
        }
        Err(error) if cfg!(unix) && error.kind() != ErrorKind::Unsupported => {
            // Some file systems, such as FAT, refuse links as not permitted.
            match error.kind() == ErrorKind::PermissionDenied && is_writable_beside(root, link) {
                true => Ok(false),
                false => Err(StoreError::io(link, error)),
            }
        }
        Err(_) => Ok(false),
    }
}

#[cfg(not(windows))]
fn symlink(root: &Root, link: &str, target: &str) -> std::io::Result<()> {
    root.dir().handle().symlink(target, link)
}

#[cfg(windows)]
fn symlink(root: &Root, link: &str, target: &str) -> std::io::Result<()> {
    root.dir().handle().symlink_file(target, link)
}

/// Returns whether a file can be made in the folder of a path.
fn is_writable_beside(root: &Root, path: &str) -> bool {
    let probe = format!("{path}.probe");
    let is_made = root.dir().create_new(&probe).is_ok();
    if is_made {
        drop(root.dir().remove(&probe));
    }
    is_made
}

/// Removes a link, unless its target is no longer the expected one.
pub fn remove_link(root: &Root, link: &str, target: &str) -> Result<(), StoreError> {
    match look(root, link) {
        UnfollowedPath::Link(found) if found == target => remove(root, link),
        UnfollowedPath::Missing => Ok(()),
        _ => Err(changed(link)),
    }
}

/// Removes a file, unless its text is no longer the expected one.
pub fn remove_file(root: &Root, file: &str, text: &str) -> Result<(), StoreError> {
    match look(root, file) {
        UnfollowedPath::File if root.read(file)?.as_deref() == Some(text) => remove(root, file),
        UnfollowedPath::Missing => Ok(()),
        _ => Err(changed(file)),
    }
}

fn remove(root: &Root, path: &str) -> Result<(), StoreError> {
    root.dir().remove(path).map_err(|error| StoreError::io(path, error))?;
    root.dir().sync_parent(path);
    Ok(())
}

/// Removes a folder if it is empty. Returns whether it did.
pub fn remove_empty_folder(root: &Root, folder: &str) -> bool {
    look(root, folder) == UnfollowedPath::Folder && root.dir().handle().remove_dir(folder).is_ok()
}

fn refuse_behind_link(root: &Root, path: &str) -> Result<(), StoreError> {
    match look(root, path) {
        UnfollowedPath::BehindLink(link) => Err(StoreError::refused(
            format!("{link} is a symbolic link, which is not followed"),
            "replace the link by a folder",
        )),
        _ => Ok(()),
    }
}

fn changed(path: &str) -> StoreError {
    StoreError::refused(
        format!("{path} changed in the meantime and is kept"),
        "run the command again",
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn root() -> (tempfile::TempDir, Root) {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("in/.heirloom")).unwrap();
        fs::create_dir(home.path().join("out")).unwrap();
        fs::write(home.path().join("out/a.md"), "a").unwrap();
        let root = Root::open(&home.path().join("in")).unwrap();
        (home, root)
    }

    #[test]
    fn links_are_seen_and_not_followed() {
        let (_home, root) = root();
        symlink("../out", root.join("away")).unwrap();
        symlink("../out/a.md", root.join("file.md")).unwrap();
        fs::write(root.join("own.md"), "x").unwrap();
        symlink("own.md", root.join("near.md")).unwrap();
        assert_eq!(look(&root, "away/a.md"), UnfollowedPath::BehindLink("away".into()));
        assert_eq!(look(&root, "file.md"), UnfollowedPath::Link("../out/a.md".into()));
        assert_eq!(look(&root, "own.md/x"), UnfollowedPath::Other("own.md is no folder".into()));
        assert_eq!(look(&root, "none/x"), UnfollowedPath::Missing);
        assert_eq!(file_behind(&root, "file.md"), None);
        assert_eq!(file_behind(&root, "near.md"), Some(("own.md".into(), "x".into())));
        assert!(create_link(&root, "away/new.md", "own.md").is_err());
        assert!(create_link(&root, "new.md", "../out/a.md").is_err());
        assert!(create_link(&root, "new.md", "/etc/passwd").is_err());
        assert!(!remove_empty_folder(&root, "away"));
    }

    #[test]
    fn only_what_is_expected_is_removed() {
        let (_home, root) = root();
        assert_eq!(missing_folders(&root, "a/b/c.md"), ["a", "a/b"]);
        assert!(create_link(&root, "a/b/c.md", "../../own.md").unwrap());
        assert!(remove_link(&root, "a/b/c.md", "../../other.md").is_err());
        assert!(!remove_empty_folder(&root, "a/b"));
        remove_link(&root, "a/b/c.md", "../../own.md").unwrap();
        assert!(remove_empty_folder(&root, "a/b") && remove_empty_folder(&root, "a"));
        fs::write(root.join("own.md"), "x").unwrap();
        assert!(remove_file(&root, "own.md", "y").is_err());
        remove_file(&root, "own.md", "x").unwrap();
        assert!(!root.exists("own.md"));
    }
}
