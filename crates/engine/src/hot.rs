//! Hot memory on disk: its files, what was put where clients read it, and what clients load besides.

mod load;
mod record;
mod sources;
mod transfer;
mod tree;

use heirloom_core::record::Referent;

pub(crate) use load::client_files;
pub(crate) use record::LinkRecord;
pub(crate) use sources::{HotFiles, read_commands, read_rules};
pub(crate) use transfer::{carry_out, preview};
pub(crate) use tree::RootTree;

/// Returns the name by which usage counts an item of a rule.
pub(crate) fn item_referent(path: &str, slug: &str) -> Referent {
    Referent::document(format!("{path}#{slug}"))
}
