//! The documents of a workspace: reading, inheritance, the archive and the catalog of all of them.

pub(crate) mod archive;
pub mod catalog;
pub(crate) mod documents;
pub(crate) mod entry_dates;
pub(crate) mod found_document;
pub(crate) mod inherit;
pub(crate) mod input_checks;
pub(crate) mod learning_file;
pub(crate) mod memory_document;
pub(crate) mod memory_file;
pub(crate) mod new_adr;
pub(crate) mod new_names;
pub(crate) mod new_workspace;
mod parsed_records;
pub(crate) mod plan_documents;
pub(crate) mod scaffold;
pub(crate) mod scopes;
pub(crate) mod template;
pub(crate) mod typed_path;
