//! The workspaces that are registered on this machine, so that one can ask all of them at once.

use std::path::{Path, PathBuf};

use heirloom_core::{Problem, name};
use serde::{Deserialize, Serialize};

use crate::state::Shelf;
use crate::{Root, StoreError};

/// The workspaces of this machine. Each is a small file of its own, so that two who register at once
/// do not meet.
#[derive(Debug)]
pub struct Registry {
    home: PathBuf,
}

/// A registered workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// What it is called.
    pub name: String,
    /// Where it lies.
    pub folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Written {
    folder: PathBuf,
}

impl Registry {
    /// Takes the registry that lies in a folder of this machine's user.
    pub fn in_folder(home: &Path) -> Self {
        Registry { home: home.to_path_buf() }
    }

    fn shelf(&self) -> Shelf<'static> {
        Shelf::at(self.home.clone(), "workspaces")
    }

    /// Lists the workspaces by name, and what could not be read.
    pub fn list(&self) -> (Vec<Registered>, Vec<Problem>) {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for name in self.shelf().names() {
            let path = || self.shelf().path(&name).display().to_string();
            let read = self.shelf().read(&name).map_err(|error| error.to_string());
            let written = read.and_then(|text| {
                let text = text.unwrap_or_default();
                serde_json::from_str::<Written>(&text).map_err(|error| error.to_string())
            });
            match written {
                Ok(Written { folder }) => found.push(Registered { name, folder }),
                Err(what) => problems.push(
                    Problem::of_file(path(), format!("names no workspace: {what}"))
                        .hint(format!("run `heir workspace forget {name}` and register it again")),
                ),
            }
        }
        (found, problems)
    }

    /// Registers a workspace under the name of its folder, or another if that is taken. One that is
    /// there already stays as it is.
    pub fn add(&self, root: &Root) -> Result<Registered, StoreError> {
        let (known, _) = self.list();
        let folder = root.path().to_path_buf();
        if let Some(there) = known.iter().find(|known| known.folder == folder) {
            return Ok(there.clone());
        }
        let last = folder.file_name().map(|last| last.to_string_lossy().into_owned());
        let own = name::slug(&last.unwrap_or_default());
        let own = if own.is_empty() { "workspace".to_owned() } else { own };
        let is_free = |name: &String| !self.shelf().path(name).exists();
        let numbered = (2..).map(|number| format!("{own}-{number}"));
        let free = std::iter::once(own.clone()).chain(numbered).find(is_free).unwrap_or(own);
        let text = serde_json::to_string(&Written { folder: folder.clone() })
            .map_err(|error| StoreError::io(free.clone(), error.into()))?;
        self.shelf().write(&free, &text)?;
        Ok(Registered { name: free, folder })
    }

    /// Forgets a workspace by its name or its folder, and returns its name; nothing in it changes.
    /// What cannot be read is forgotten by its name.
    pub fn remove(&self, named: &str) -> Result<Option<String>, StoreError> {
        let (known, _) = self.list();
        let by_folder = known.into_iter().find(|known| known.folder == Path::new(named));
        let is_named = |name: &String| name == named;
        let by_name = self.shelf().names().into_iter().find(is_named);
        let Some(name) = by_name.or(by_folder.map(|known| known.name)) else { return Ok(None) };
        self.shelf().remove(&name)?;
        Ok(Some(name))
    }
}
