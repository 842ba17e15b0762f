//! All documents of a workspace, for the operations that need every one of them.
//!
//! `entry` and `read` define the documents and their catalog; the other files add what can be asked of it.

mod chains;
mod conflicts;
mod duplicates;
mod entry;
mod ids;
mod links;
mod lookup;
mod name_index;
mod places;
mod plan_folder;
mod read;
mod renumbering;

pub use entry::CatalogEntry;
pub(crate) use ids::{id_of, id_of_adr};
pub(crate) use links::GraphExtent;
pub(crate) use plan_folder::PlanFolder;
pub use read::Catalog;
pub(crate) use renumbering::RenumberEdit;
