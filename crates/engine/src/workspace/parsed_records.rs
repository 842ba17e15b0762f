//! The decision records that a long-lived process has parsed, so that only changed files are parsed again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use heirloom_core::{Document, Problem};
use heirloom_store::adrs::{self, AdrDocument, AdrFile};
use heirloom_store::listings::Listings;
use heirloom_store::stamp::Stamp;

use crate::Session;

/// Maximum number of records that are kept. One more empties the cache.
const MAX_RECORDS: usize = 20_000;

/// The records that were parsed, without their texts, by their paths.
#[derive(Default)]
pub(super) struct ParsedRecords {
    by_path: Mutex<HashMap<PathBuf, (Stamp, AdrDocument)>>,
}

impl ParsedRecords {
    /// Returns the records of files, parsing those that may have changed.
    pub(super) fn read(
        &self,
        session: &Session,
        found: Vec<AdrFile>,
        problems: &mut Vec<Problem>,
    ) -> Vec<AdrDocument> {
        let root = session.root();
        let listings = Listings::new(root);
        let mut by_path = self.by_path.lock().unwrap_or_else(PoisonError::into_inner);
        let mut records = Vec::with_capacity(found.len());
        for file in found {
            let path = root.join(&file.path);
            let stamp = adrs::stamp(&listings, &file.path);
            // A file that has just changed may change again without another stamp.
            let stamp = stamp.filter(|stamp| stamp.is_older_than(listings.started_at()));
            if let Some((_, record)) = by_path.get(&path).filter(|(known, _)| stamp == Some(*known))
            {
                problems.extend(record.document.problems.iter().cloned());
                records.push(AdrDocument { project: file.project, ..record.clone() });
                continue;
            }
            let parsed = adrs::read_files(root, vec![file], problems).into_iter();
            for record in parsed.map(without_text) {
                if by_path.len() == MAX_RECORDS {
                    by_path.clear();
                }
                if let Some(stamp) = stamp {
                    by_path.insert(path.clone(), (stamp, record.clone()));
                }
                records.push(record);
            }
        }
        records
    }
}

fn without_text(record: AdrDocument) -> AdrDocument {
    let document = Document { prose: String::new(), headings: vec![], ..record.document };
    AdrDocument { document, text: String::new(), ..record }
}
