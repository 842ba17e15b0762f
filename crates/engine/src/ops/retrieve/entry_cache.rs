//! The entries of documents, cached in a file under the stamps of the documents, so that only documents that changed are
//! read again. A damaged cache is ignored.

use std::collections::{HashMap, HashSet};

use heirloom_core::path;
use heirloom_store::Root;
use heirloom_store::stamp::Stamp;
use serde::{Deserialize, Serialize};

use super::document_state::DocumentState;
use super::entries::{DocumentEntry, EntryMeta};
use crate::workspace::found_document::FoundDocument;

/// The file name in the cache folder.
const FILE: &str = "document-entries";

/// The first byte of the file. It changes with the format, and with what is derived from a document.
const VERSION: u8 = 1;

/// The bytes of the checksum after the version.
const CHECKSUM_BYTES: usize = 16;

/// A larger cache is not written. It holds the entries of some 50,000 documents.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Fewer documents are read faster than the cache.
const MIN_DOCUMENTS: usize = 64;

/// The bytes of the cache file.
#[derive(Debug, Default)]
pub(super) struct CacheFile(Vec<u8>);

/// The cached documents by their paths.
#[derive(Debug, Default)]
pub(super) struct EntryCache<'c> {
    by_path: HashMap<&'c str, CachedDocument<'c>, rustc_hash::FxBuildHasher>,
}

/// What is known of a document with a stamp.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedDocument<'c> {
    path: &'c str,
    /// Size, modification time and inode.
    stamp: (u64, i64, u64),
    #[serde(borrow)]
    state: CachedState<'c>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum CachedState<'c> {
    Archived,
    Superseded,
    Current(#[serde(borrow)] CachedFields<'c>),
}

/// The fields of an entry without text.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedFields<'c> {
    name: &'c str,
    description: Option<&'c str>,
    status: Option<&'c str>,
    created: Option<&'c str>,
    updated: Option<&'c str>,
    project: Option<&'c str>,
    #[serde(borrow)]
    tags: Vec<&'c str>,
}

impl CacheFile {
    /// Reads the cache of a workspace. It is empty for a few documents, which are read faster without it.
    pub(super) fn read(root: &Root, documents: usize) -> Self {
        if documents < MIN_DOCUMENTS {
            return CacheFile::default();
        }
        let cache = root.existing_cache();
        let bytes = cache.and_then(|cache| cache.read(FILE, MAX_BYTES as u64).ok());
        CacheFile(bytes.unwrap_or_default())
    }

    /// Returns the cached documents; none if the file is damaged or has another format.
    pub(super) fn documents(&self) -> EntryCache<'_> {
        let Some(content) = self.content() else { return EntryCache::default() };
        let documents: Vec<CachedDocument<'_>> = rmp_serde::from_slice(content).unwrap_or_default();
        EntryCache {
            by_path: documents.into_iter().map(|document| (document.path, document)).collect(),
        }
    }

    fn content(&self) -> Option<&[u8]> {
        let (checksum, content) =
            self.0.strip_prefix(&[VERSION])?.split_at_checked(CHECKSUM_BYTES)?;
        (checksum == checksum_of(content)).then_some(content)
    }
}

fn checksum_of(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut checksum = [0; CHECKSUM_BYTES];
    checksum.copy_from_slice(&blake3::hash(content).as_bytes()[..CHECKSUM_BYTES]);
    checksum
}

impl EntryCache<'_> {
    /// Returns the state of a document that has not changed since it was cached.
    pub(super) fn get(&self, document: &FoundDocument) -> Option<DocumentState> {
        let stamp = document.stamp.as_ref().map(numbers)?;
        let cached = self.by_path.get(document.path.as_str())?;
        (cached.stamp == stamp).then(|| cached.state.to_state(document))
    }

    /// Writes what is known of documents after a request, with the documents of other folders that were known before. Best
    /// effort: without the cache, the next request reads the documents again.
    pub(super) fn save(
        self,
        root: &Root,
        found: &[FoundDocument],
        states: &[Option<DocumentState>],
    ) {
        if found.len() < MIN_DOCUMENTS {
            return;
        }
        let known = found.iter().zip(states).filter_map(|(document, state)| {
            let stamp = numbers(document.stamp.as_ref()?);
            let state = CachedState::of(state.as_ref()?)?;
            Some(CachedDocument { path: &document.path, stamp, state })
        });
        let mut documents: Vec<CachedDocument<'_>> = known.collect();
        let read: HashSet<&str> =
            found.iter().map(|document| path::folder(&document.path)).collect();
        let others =
            self.by_path.values().filter(|cached| !read.contains(path::folder(cached.path)));
        documents.extend(others.cloned());
        documents.sort_unstable_by_key(|document| document.path);
        let Ok(content) = rmp_serde::to_vec(&documents) else { return };
        if content.len() + CHECKSUM_BYTES >= MAX_BYTES {
            return;
        }
        let bytes = [&[VERSION], checksum_of(&content).as_slice(), &content].concat();
        drop(root.open_cache("").and_then(|cache| cache.replace_bytes_unsynced(FILE, &bytes)));
    }
}

fn numbers(stamp: &Stamp) -> (u64, i64, u64) {
    (stamp.size, stamp.modified, stamp.inode)
}

impl<'c> CachedState<'c> {
    /// Returns the form of a state in the cache; `None` if it has problems, which are reported each time.
    fn of(state: &'c DocumentState) -> Option<Self> {
        Some(match state {
            DocumentState::Archived => CachedState::Archived,
            DocumentState::Superseded => CachedState::Superseded,
            DocumentState::Current(entry) => CachedState::Current(CachedFields {
                name: &entry.name,
                description: entry.description.as_deref(),
                status: entry.status.as_deref(),
                created: entry.created.as_deref(),
                updated: entry.updated.as_deref(),
                project: entry.project.as_deref(),
                tags: entry.tags.iter().map(String::as_str).collect(),
            }),
            DocumentState::Unreadable(_) => return None,
        })
    }

    fn to_state(&self, document: &FoundDocument) -> DocumentState {
        match self {
            CachedState::Archived => DocumentState::Archived,
            CachedState::Superseded => DocumentState::Superseded,
            CachedState::Current(fields) => {
                let text = |text: Option<&str>| text.map(str::to_owned);
                DocumentState::Current(Box::new(DocumentEntry {
                    name: fields.name.to_owned(),
                    description: text(fields.description),
                    status: text(fields.status),
                    created: text(fields.created),
                    updated: text(fields.updated),
                    project: text(fields.project),
                    tags: fields.tags.iter().copied().map(str::to_owned).collect(),
                    content: None,
                    meta: EntryMeta::of(document),
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn found(number: usize) -> FoundDocument {
        FoundDocument {
            name: format!("{number}"),
            path: format!("plans/{number}.md"),
            stamp: Some(Stamp { size: 10, modified: 20, inode: number as u64 }),
        }
    }

    fn current(document: &FoundDocument) -> DocumentState {
        DocumentState::Current(Box::new(DocumentEntry {
            name: "Sync".to_owned(),
            description: Some("Syncs.".to_owned()),
            status: None,
            created: Some("2026-02-08".to_owned()),
            updated: None,
            project: None,
            tags: vec!["a".to_owned(), "b".to_owned()],
            content: None,
            meta: EntryMeta::of(document),
        }))
    }

    #[test]
    fn a_document_with_the_same_stamp_is_found_unless_the_file_is_damaged() {
        let home = tempfile::tempdir().unwrap();
        let root = Root::open_new(home.path()).unwrap();
        let found: Vec<FoundDocument> = (0..MIN_DOCUMENTS).map(found).collect();
        let mut states: Vec<Option<DocumentState>> = found.iter().map(current).map(Some).collect();
        states[1] = Some(DocumentState::Archived);
        states[2] = Some(DocumentState::Unreadable(vec![]));
        EntryCache::default().save(&root, &found, &states);

        let read = |root: &Root| {
            let file = CacheFile::read(root, found.len());
            let cache = file.documents();
            found.iter().map(|document| cache.get(document)).collect::<Vec<_>>()
        };
        let cached = read(&root);
        assert_eq!(format!("{:?}", cached[0]), format!("{:?}", states[0]));
        assert_eq!(format!("{:?}", cached[1]), "Some(Archived)");
        assert!(cached[2].is_none());

        let changed = FoundDocument {
            stamp: Some(Stamp { size: 11, modified: 20, inode: 0 }),
            ..found[0].clone()
        };
        let file = CacheFile::read(&root, found.len());
        assert!(file.documents().get(&changed).is_none());

        let CacheFile(mut bytes) = file;
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        root.open_cache("").unwrap().replace_bytes_unsynced(FILE, &bytes).unwrap();
        assert!(read(&root).iter().all(Option::is_none));
    }

    #[test]
    fn documents_of_other_folders_are_kept_and_deleted_ones_are_not() {
        let home = tempfile::tempdir().unwrap();
        let root = Root::open_new(home.path()).unwrap();
        let mut first: Vec<FoundDocument> = (0..MIN_DOCUMENTS + 1).map(found).collect();
        first.push(FoundDocument { path: "other/1.md".to_owned(), ..found(1) });
        let states: Vec<Option<DocumentState>> = first.iter().map(current).map(Some).collect();
        EntryCache::default().save(&root, &first, &states);
        let file = CacheFile::read(&root, first.len());
        file.documents().save(&root, &first[1..=MIN_DOCUMENTS], &states[1..=MIN_DOCUMENTS]);
        let file = CacheFile::read(&root, first.len());
        let cache = file.documents();
        assert!(cache.get(&first[0]).is_none(), "it is not in its folder any more");
        assert!(cache.get(&first[1]).is_some());
        assert!(cache.get(&first[MIN_DOCUMENTS + 1]).is_some(), "its folder was not listed");
    }
}
