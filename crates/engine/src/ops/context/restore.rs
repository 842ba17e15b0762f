//! `context restore`: brings an archived document back.

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
    /// The archived document: its name, its path before, or its path in the archive, which chooses
    /// one of several versions.
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Restored {
    /// Where it was in the archive.
    archived_at: String,
    /// Where it is again.
    source: String,
    /// Every file and folder that was moved back.
    restored: Vec<String>,
    /// Other versions of it that are still in the archive, newest first.
    other_versions: Vec<String>,
}

impl Operation for ContextRestore {
    type Request = Request;
    type Response = Restored;
    const SPEC: Spec = Spec {
        name: "context_restore",
        usage: "context restore <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Bring an archived document back to where it was, a plan with all that was archived with it. Of several versions it is the latest, unless a path in the archive chooses one.",
    };

    fn run(session: &Session, request: Request) -> Result<Restored, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let restoration = Archive::new(root).restoration(&hierarchy, &request.name)?;
        let renames = restoration.renames;
        lock.rename(root, &renames)?;
        for Rename { from, .. } in &renames {
            root.remove_empty_folders(from);
        }
        let first = renames.first().cloned();
        let Rename { from, to } = first.ok_or_else(|| Error::system("nothing was moved"))?;
        Ok(Restored {
            archived_at: from,
            source: to,
            restored: renames.into_iter().map(|rename| rename.to).collect(),
            other_versions: restoration.others,
        })
    }
}

impl Answer for Restored {
    fn view(&self) -> View {
        let mut view = View::new();
        for path in &self.restored {
            view.line([span(Role::Good, "restored "), span(Role::Source, path)]);
        }
        if !self.other_versions.is_empty() {
            view.line([span(Role::Dim, "   other versions stay in the archive:")]);
            for path in &self.other_versions {
                view.line(["     ".into(), span(Role::Source, path)]);
            }
        }
        view
    }
}
