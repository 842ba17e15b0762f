//! `context restore`: restores an archived document.

use heirloom_store::journal::{self, Rename};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::{Role, View, span};
use crate::workspace::archive::Archive;
use crate::workspace::inherit;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextRestore;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Archived document, by name, original path or path in the archive, which selects a version.
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoreReport {
    /// Path in the archive.
    archived_at: String,
    /// Restored path.
    source: String,
    /// Restored files and folders.
    restored: Vec<String>,
    /// Other versions in the archive, newest first.
    other_versions: Vec<String>,
}

impl Operation for ContextRestore {
    type Request = Request;
    type Response = RestoreReport;
    const SPEC: Spec = Spec {
        name: "context_restore",
        usage: "context restore <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Restore an archived document to its original path. A plan includes everything archived with it. The latest version is restored, unless you give a path in the archive.",
    };

    fn run(session: &Session, request: Request) -> Result<RestoreReport, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let restoration = Archive::new(root).plan_restoration(&hierarchy, &request.name)?;
        let renames = restoration.renames;
        lock.rename(root, &renames)?;
        for Rename { from, .. } in &renames {
            root.remove_empty_folders(from);
        }
        let first = renames.first().cloned();
        let Rename { from, to } =
            first.ok_or_else(|| Error::system("the archived document has no files"))?;
        Ok(RestoreReport {
            archived_at: from,
            source: to,
            restored: renames.into_iter().map(|rename| rename.to).collect(),
            other_versions: restoration.others,
        })
    }
}

impl Answer for RestoreReport {
    fn view(&self) -> View {
        let mut view = View::new();
        for path in &self.restored {
            view.line([span(Role::Good, "restored "), span(Role::Source, path)]);
        }
        if !self.other_versions.is_empty() {
            view.line([span(Role::Dim, "   other versions remain in the archive:")]);
            for path in &self.other_versions {
                view.line(["     ".into(), span(Role::Source, path)]);
            }
        }
        view
    }
}
