//! The registry of workspaces on this machine, which allows queries across all of them.

use std::path::{Path, PathBuf};

use heirloom_core::{Hint, Problem, name};
use serde::{Deserialize, Serialize};

use crate::state::StateFolder;
use crate::{Root, StoreError};

/// The registered workspaces. Each is stored in its own file, so that concurrent registrations do not
/// conflict.
#[derive(Debug)]
pub struct Registry {
    home: PathBuf,
}

/// A registered workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredWorkspace {
    /// Its unique name.
    pub name: String,
    /// Its root folder.
    pub folder: PathBuf,
}

/// The content of a registry file.
#[derive(Serialize, Deserialize)]
struct RegistryEntry {
    folder: PathBuf,
}

impl Registry {
    /// Returns the registry in a folder of the user.
    pub fn in_folder(home: &Path) -> Self {
        Registry { home: home.to_path_buf() }
    }

    fn files(&self) -> StateFolder<'static> {
        StateFolder::in_folder(self.home.clone(), "workspaces")
    }

    /// Lists the workspaces by name, and the problems of entries that cannot be read.
    pub fn list(&self) -> (Vec<RegisteredWorkspace>, Vec<Problem>) {
        let (mut workspaces, mut problems) = (Vec::new(), Vec::new());
        for name in self.files().names() {
            let path = || self.files().path(&name).display().to_string();
            let read = self.files().read(&name).map_err(|error| error.to_string());
            let entry = read.and_then(|text| {
                let text = text.unwrap_or_default();
                serde_json::from_str::<RegistryEntry>(&text).map_err(|error| error.to_string())
            });
            match entry {
                Ok(RegistryEntry { folder }) => {
                    workspaces.push(RegisteredWorkspace { name, folder });
                }
                Err(reason) => problems.push(
                    Problem::in_file(
                        path(),
                        format!("this registry entry cannot be read: {reason}"),
                    )
                    .hint(
                        Hint::text("run ")
                            .command("workspace forget", &[&name])
                            .then(" and register it again"),
                    ),
                ),
            }
        }
        (workspaces, problems)
    }

    /// Registers a workspace under the name of its folder, with a number appended if the name is
    /// taken. Registering a workspace again changes nothing.
    pub fn add(&self, root: &Root) -> Result<RegisteredWorkspace, StoreError> {
        let (known, _) = self.list();
        let folder = root.path().to_path_buf();
        if let Some(existing) = known.iter().find(|known| known.folder == folder) {
            return Ok(existing.clone());
        }
        let folder_name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let slug = name::slug(&folder_name.unwrap_or_default());
        let slug = if slug.is_empty() { "workspace".to_owned() } else { slug };
        let is_free = |name: &String| !self.files().path(name).exists();
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        let name = std::iter::once(slug.clone()).chain(numbered).find(is_free).unwrap_or(slug);
        let text = serde_json::to_string(&RegistryEntry { folder: folder.clone() })
            .map_err(|error| StoreError::io(name.clone(), error.into()))?;
        self.files().write(&name, &text)?;
        Ok(RegisteredWorkspace { name, folder })
    }

    /// Removes a workspace from the registry by its name or folder, and returns its name. The workspace
    /// itself is not changed. An unreadable entry can be removed by its name.
    pub fn remove(&self, name_or_folder: &str) -> Result<Option<String>, StoreError> {
        let (known, _) = self.list();
        let by_folder = known.into_iter().find(|known| known.folder == Path::new(name_or_folder));
        let is_named = |name: &String| name == name_or_folder;
        let by_name = self.files().names().into_iter().find(is_named);
        let Some(name) = by_name.or(by_folder.map(|known| known.name)) else { return Ok(None) };
        self.files().remove(&name)?;
        Ok(Some(name))
    }
}
