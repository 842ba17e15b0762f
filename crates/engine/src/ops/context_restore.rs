//! `context restore`: brings an archived document back.

use heirloom_core::name;
use heirloom_store::files::ARCHIVE;
use heirloom_store::journal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(super) struct ContextRestore;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The archived document: its name or its old path.
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Restored {
    /// Where it was in the archive.
    archived_at: String,
    /// Where it is again.
    source: String,
}

impl Operation for ContextRestore {
    type Request = Request;
    type Response = Restored;
    const SPEC: Spec = Spec {
        name: "context_restore",
        usage: "context restore <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Bring an archived document back to where it was.",
    };

    fn run(session: &Session, request: Request) -> Result<Restored, Error> {
        let root = session.root();
        let _lock = journal::lock(root)?;
        let archive = Archive::new(root);
        let typed = &request.name;
        let source = match archive.named(typed).as_slice() {
            [one] => (*one).to_owned(),
            [] => {
                let paths: Vec<&str> = archive.paths().iter().map(String::as_str).collect();
                let near = name::nearest(typed, paths.iter().copied(), 5);
                let candidates = if near.is_empty() {
                    paths.iter().take(10).map(|path| (*path).to_owned()).collect()
                } else {
                    near
                };
                return Err(Error::not_found(
                    format!("there is no archived document `{}`", typed.escape_default()),
                    candidates,
                ));
            }
            several => {
                let paths = several.iter().map(|path| (*path).to_owned()).collect();
                return Err(Error::not_found(
                    format!("`{typed}` could be any of several archived documents"),
                    paths,
                )
                .hint("use a path"));
            }
        };
        let archived_at = format!("{ARCHIVE}/{source}");
        let source = original(&source);
        root.rename(&archived_at, &source)?;
        Ok(Restored { archived_at, source })
    }
}

/// Where a document was: an older copy of a memory, `….memory.md.2`, was the same document.
fn original(archived: &str) -> String {
    match archived.rsplit_once(".memory.md.") {
        Some((stem, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{stem}.memory.md")
        }
        _ => archived.to_owned(),
    }
}

impl Answer for Restored {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Good, "restored "), span(Role::Source, &self.source)]);
        view
    }
}
