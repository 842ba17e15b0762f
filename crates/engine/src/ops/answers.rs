//! Responses that several operations share.

mod changed_items;
mod created_document;
mod findings;
mod hits;
mod listing;
mod renumber_report;
mod stored_record;
mod value_table;
mod written_entry;
mod written_files;

pub(crate) use changed_items::ChangedItems;
pub(crate) use created_document::CreatedDocument;
pub(crate) use findings::Findings;
pub(crate) use hits::Hits;
pub(crate) use listing::Listing;
pub(crate) use renumber_report::RenumberReport;
pub(crate) use stored_record::StoredRecord;
pub(crate) use value_table::ValueTable;
pub(crate) use written_entry::WrittenEntry;
pub(crate) use written_files::WrittenFiles;
