//! `context restore`: brings an archived document back.

use heirloom_core::name::{self, Match};
use heirloom_store::{Root, journal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context_archive::FOLDER;
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
        routes: &[],
    };

    fn run(session: &Session, request: Request) -> Result<Restored, Error> {
        let root = session.root();
        let _lock = journal::lock(root)?;
        let mut archived = Vec::new();
        files_under(root, FOLDER, &mut archived)?;
        let old_paths: Vec<&str> = archived.iter().map(|path| &path[FOLDER.len() + 1..]).collect();
        let typed = request.name.trim_start_matches("./");
        let exact = old_paths
            .iter()
            .find(|path| **path == typed || path.strip_prefix(".heirloom/") == Some(typed));
        let chosen = match exact {
            Some(path) => (*path).to_owned(),
            None => {
                let stems: Vec<&str> = old_paths.iter().map(|path| stem(path)).collect();
                let found = match name::find(typed, stems.iter().copied()) {
                    Match::One(found) => found,
                    Match::Ambiguous(found) => {
                        return Err(Error::not_found(
                            format!("`{typed}` could be any of several archived documents"),
                            found,
                        ));
                    }
                    Match::Unknown(near) => {
                        return Err(Error::not_found(
                            format!("there is no archived document `{}`", typed.escape_default()),
                            if near.is_empty() {
                                old_paths.iter().take(10).map(|path| (*path).to_owned()).collect()
                            } else {
                                near
                            },
                        ));
                    }
                };
                let matching: Vec<&str> =
                    old_paths.iter().copied().filter(|path| stem(path) == found).collect();
                match matching.as_slice() {
                    [one] => (*one).to_owned(),
                    several => {
                        return Err(Error::not_found(
                            format!("`{typed}` could be any of several archived documents"),
                            several.iter().map(|path| (*path).to_owned()).collect(),
                        )
                        .hint("use a path"));
                    }
                }
            }
        };
        let archived_at = format!("{FOLDER}/{chosen}");
        root.rename(&archived_at, &chosen)?;
        Ok(Restored { archived_at, source: chosen })
    }
}

fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.split('.').next().unwrap_or(file)
}

fn files_under(root: &Root, folder: &str, found: &mut Vec<String>) -> Result<(), Error> {
    for item in root.list(folder)? {
        let path = format!("{folder}/{}", item.name);
        if item.is_folder { files_under(root, &path, found)? } else { found.push(path) }
    }
    Ok(())
}

impl Answer for Restored {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Good, "restored "), span(Role::Source, &self.source)]);
        view
    }
}
