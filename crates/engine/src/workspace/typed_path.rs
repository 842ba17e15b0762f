//! Paths of files as people and clients type them.

use std::path::{Component, Path};

use heirloom_core::path;
use heirloom_store::Root;

use crate::Error;

/// Returns the path in the workspace that a typed path stands for: relative, absolute or a `file:` URL.
pub(crate) fn path_in_workspace(root: &Root, typed: &str) -> String {
    let from_url = path::from_file_url(typed);
    let typed = from_url.as_deref().unwrap_or(typed);
    let inside = Path::new(typed).strip_prefix(root.path()).ok().and_then(Path::to_str);
    let path = inside.unwrap_or(typed).replace('\\', "/");
    path.trim_start_matches("./").to_owned()
}

/// Returns the path in the workspace that a typed path stands for; an error if it leads out of it.
pub(crate) fn checked_path_in_workspace(root: &Root, typed: &str) -> Result<String, Error> {
    let path = path_in_workspace(root, typed.trim());
    if is_inside(&path) {
        return Ok(path);
    }
    let message = format!("`{}` is not a path in this workspace", typed.escape_default());
    let hint = "give a path relative to the workspace's folder, or an absolute one in it";
    Err(Error::bad_input(message).hint(hint))
}

/// Returns whether a path leads to a place in the workspace.
pub(crate) fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}
