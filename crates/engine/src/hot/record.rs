//! The record of what `hot link` put where clients read it. It is in git like these files, so that a checkout on another
//! machine can bring them up to date and take them back.

use std::collections::BTreeSet;

use heirloom_core::hot::clients::{self, Client};
use heirloom_core::{Problem, json};
use heirloom_store::Root;
use serde::{Deserialize, Serialize};

use crate::Error;

/// What was put where clients read it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LinkRecord {
    /// The version of the format.
    pub(crate) version: u32,
    /// The ids of the clients.
    pub(crate) clients: BTreeSet<String>,
    /// Whether files were generated in place of links.
    #[serde(default)]
    pub(crate) copies: bool,
    /// The folders that were made.
    #[serde(default)]
    pub(crate) folders: BTreeSet<String>,
    /// The files that were put there.
    #[serde(default)]
    pub(crate) files: BTreeSet<String>,
}

const VERSION: u32 = 1;

impl LinkRecord {
    /// The path of the record.
    pub(crate) const PATH: &'static str = ".heirloom/hot-links.json";

    /// Reads the record, and its text.
    pub(crate) fn read(root: &Root) -> Result<(Self, Option<String>), Error> {
        let Some(text) = root.read(Self::PATH)? else { return Ok((Self::default(), None)) };
        let record: LinkRecord = serde_json::from_str(&text).map_err(|error| {
            let reason = json::syntax_reason(&error);
            Problem::at(Self::PATH, error.line().max(1), format!("the list of links cannot be read: {reason}"))
                .hint("finish the merge, or restore the file from git; without it, remove the links by hand")
        })?;
        if record.version > VERSION {
            let message = "the list of links was written by a newer version of heir";
            return Err(Problem::in_file(Self::PATH, message).hint("update heir").into());
        }
        Ok((record, Some(text)))
    }

    /// Returns the clients that this version knows.
    pub(crate) fn known_clients(&self) -> Vec<&'static Client> {
        let is_linked = |client: &&Client| self.clients.contains(client.id);
        clients::CLIENTS.iter().filter(is_linked).collect()
    }

    /// Returns its text; `None` if nothing was put.
    pub(crate) fn text(&self) -> Option<String> {
        let is_empty = self.clients.is_empty() && self.files.is_empty() && self.folders.is_empty();
        if is_empty {
            return None;
        }
        let record = LinkRecord { version: VERSION, ..self.clone() };
        serde_json::to_string_pretty(&record).ok().map(|text| format!("{text}\n"))
    }
}
