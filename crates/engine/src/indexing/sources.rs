//! Lists the files that the index is made of, and reads those that changed since the last update.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heirloom_core::adr::{self, Adr};
use heirloom_core::fold::Line;
use heirloom_core::hierarchy::Hierarchy;
use heirloom_core::parallel::{self, Work};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem, byte_order_mark, day};
use heirloom_index::{ChangedFile, FileSlice, NewLine, Source, Update};
use heirloom_store::adrs::{self, Scope};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::dates::{self, FileHistory};
use heirloom_store::git::Repository;
use heirloom_store::ignore_rules::IgnoreRules;
use heirloom_store::layout::{self, DocumentRole, HierarchyDocument};
use heirloom_store::listings::Listings;
use heirloom_store::log::{self, Log, Shard, Tombstones};
use heirloom_store::stamp::{self, FileWatch, Stamp};
use heirloom_store::{Root, config, reference_documents};

use super::passages::{Content, DocumentClass, Sections, entry_passages};
use crate::workspace::archive;
use crate::workspace::documents::{Documents, is_fully_read};
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::inherit;
use crate::workspace::memory_document::prefetch_dates;
use crate::{Error, Session};

/// From this size of changes on, the log and the documents are read in parallel.
const PARALLEL_READ_MIN_BYTES: u64 = 1_000_000;

/// From this number on, documents are read on several threads.
const PARALLEL_MIN_DOCUMENTS: usize = 16;

/// Size of the sample that decides whether the git history of all documents is read in parallel.
const DATED_SAMPLE_DOCUMENTS: usize = 32;

/// Modification time that no file has, so that the file is read again by the next update.
const READ_AGAIN: i64 = i64::MIN;

/// Version of how documents are read and dated. An index of another version reads them again.
const READER_VERSION: u32 = 7;

/// All files that the index is made of, listed but not read.
pub(super) struct Sources {
    shards: Vec<(Shard, Stamp)>,
    tombstones: Arc<Tombstones>,
    documents: Vec<SourceDocument>,
    /// Problems that occurred while listing.
    pub(super) problems: Vec<Problem>,
    /// The subset of `problems` that concerns the log.
    pub(super) log_problems: Vec<Problem>,
    /// Hash of the settings and the reader version, because the settings decide the level of a
    /// document.
    settings_hash: [u8; 8],
    /// Existing and possible gitignore files, empty in a process that answers one request.
    ignore_files: Vec<PathBuf>,
    /// Time just before the first folder was listed, in nanoseconds since 1970.
    listed_at: i64,
    /// The commit that dates documents which state no date, and where the history of a shallow clone ends.
    history: String,
    /// Whether the documents and the history are those that an index was up to date with.
    are_documents_unchanged: bool,
    /// Checksum of everything that decides whether a file has to be read again.
    pub(super) checksum: i64,
}

/// A document that was listed but not read.
struct SourceDocument {
    placed: HierarchyDocument,
    class: DocumentClass,
    stamp: Stamp,
}

impl SourceDocument {
    fn path(&self) -> &str {
        &self.placed.document.path
    }
}

impl Sources {
    /// Lists the shards of the log and all documents.
    pub(super) fn list(session: &Session) -> Result<Self, Error> {
        let root = session.root();
        let (shards, log_problems) = log::list_shards(root);
        let mut problems = log_problems.clone();
        let tombstones = Arc::new(Tombstones::read(&shards));
        let shards = shards.into_iter().filter_map(|shard| {
            let stamp = shard.stamp()?;
            Some((shard, stamp))
        });
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let listings = Listings::of_hierarchy(root, &hierarchy);
        let ignored = IgnoreRules::with_listings(&listings);
        let documents = list_documents(session, &hierarchy, &listings, &ignored, &mut problems)?;
        let is_long_lived = session.process_cache().is_long_lived();
        let mut sources = Sources {
            shards: shards.collect(),
            tombstones,
            documents,
            problems,
            log_problems,
            settings_hash: settings_hash(root)?,
            ignore_files: if is_long_lived { ignored.rule_files() } else { vec![] },
            listed_at: listings.started_at(),
            history: history(root),
            are_documents_unchanged: false,
            checksum: 0,
        };
        sources.checksum = sources.compute_checksum();
        Ok(sources)
    }

    /// Returns the same files after some shards of the log have changed, and nothing else. Returns `None` if all files
    /// must be listed again.
    pub(super) fn with_changed_shards(
        mut self,
        session: &Session,
        changed: &[&Path],
    ) -> Option<Self> {
        self.listed_at = stamp::now();
        if history(session.root()) != self.history {
            return None;
        }
        for path in changed {
            let is_changed = |(shard, _): &&mut (Shard, Stamp)| shard.path() == **path;
            let (shard, stamp) = self.shards.iter_mut().find(is_changed)?;
            if shard.has_tombstones() {
                return None;
            }
            *stamp = shard.stamp()?;
        }
        self.are_documents_unchanged = true;
        self.checksum = self.compute_checksum();
        Some(self)
    }

    /// Returns how many bytes were added to the log if only existing shards have changed that do not purge records; `None`
    /// if something else has.
    pub(super) fn bytes_added_to_log(&self, changed: &[PathBuf]) -> Option<u64> {
        let added = changed.iter().map(|path| {
            let (shard, stamp) = self.shards.iter().find(|(shard, _)| shard.path() == *path)?;
            let is_usual = !shard.has_tombstones();
            shard.stamp()?.size.checked_sub(stamp.size).filter(|_| is_usual)
        });
        added.sum()
    }

    /// Returns a checksum of what decides whether a file has to be read again: the stamp of each file,
    /// the settings, and the commit that dates documents which state no date.
    fn compute_checksum(&self) -> i64 {
        // One call for all bytes takes a fraction of the time that one for each field takes.
        let mut hashed = self.settings_hash.to_vec();
        for (path, stamp) in self.files() {
            hashed.extend_from_slice(path.as_bytes());
            hashed.push(0);
            hashed.extend(stamp.size.to_le_bytes());
            hashed.extend(stamp.modified.to_le_bytes());
            hashed.extend(stamp.inode.to_le_bytes());
        }
        hashed.extend_from_slice(self.history.as_bytes());
        let mut checksum = [0; 8];
        checksum.copy_from_slice(&blake3::hash(&hashed).as_bytes()[..8]);
        i64::from_le_bytes(checksum)
    }

    /// Returns the checksum of the records that were purged from the log; 0 if there are none.
    pub(super) fn purge_checksum(&self) -> i64 {
        self.tombstones.checksum()
    }

    /// Returns the paths and stamps of all files, the shards of the log first.
    fn files(&self) -> impl Iterator<Item = (&str, Stamp)> {
        let shards = self.shards.iter().map(|(shard, stamp)| (shard.display_path.as_str(), *stamp));
        shards.chain(self.documents.iter().map(|document| (document.path(), document.stamp)))
    }

    /// Watches all files and folders in which a change would outdate the index. Returns `None` in a
    /// process that answers one request.
    pub(super) fn watch(&self, session: &Session) -> Option<FileWatch> {
        if !session.process_cache().is_long_lived() {
            return None;
        }
        let root = session.root();
        let shards = self.shards.iter().map(|(shard, _)| shard.path());
        let documents = self.documents.iter().flat_map(|document| {
            let path = document.path();
            let metadata = adr::metadata_path(path).map(|metadata| root.join(&metadata));
            [root.join(path)].into_iter().chain(metadata)
        });
        let settings = [config::PATH, config::SPRINT_SETTINGS_PATH].map(|path| root.join(path));
        let settings = self.ignore_files.iter().cloned().chain(settings);
        // A commit changes the dates of documents that state none.
        let heads = match self.documents.is_empty() {
            true => vec![],
            false => root.repository().map(Repository::head_files).unwrap_or_default(),
        };
        let folders = root.visited_folders().into_iter().chain(log::local_folders(root));
        let watched = shards.chain(documents).chain(folders).chain(settings).chain(heads);
        Some(FileWatch::new(watched).with_base(root.path()))
    }

    /// Returns how many bytes were added or changed since the `indexed` files were read.
    pub(super) fn bytes_behind(&self, indexed: &BTreeMap<String, Source>) -> u64 {
        let behind = self.files().map(|(path, stamp)| match indexed.get(path) {
            Some(source) if is_unchanged(source, stamp) => 0,
            Some(source) if stamp.size > source.size => stamp.size - source.size,
            _ => stamp.size,
        });
        behind.sum()
    }

    /// Reads the files that changed since the `indexed` files were read.
    pub(super) fn read_changed(
        &self,
        session: &Session,
        indexed: &BTreeMap<String, Source>,
    ) -> Result<Update, Error> {
        let mut update = Update { purge_checksum: self.purge_checksum(), ..Update::default() };
        let is_parallel = self.bytes_behind(indexed) >= PARALLEL_READ_MIN_BYTES;
        // A session cannot be shared between threads, so the documents are read on this one.
        let (shards, documents) = parallel::join(
            Work::long_if(is_parallel),
            || read_shards(&self.shards, &self.tombstones, indexed),
            || self.read_documents(session, indexed),
        );
        for read in shards {
            update.changed.extend(read?);
        }
        update.changed.extend(documents?);
        update.removed = self.removed(indexed).cloned().collect();
        update.checksum = is_complete(&update, indexed).then_some(self.checksum);
        Ok(update)
    }

    /// Returns the indexed files that do not exist any more.
    fn removed<'k>(
        &self,
        indexed: &'k BTreeMap<String, Source>,
    ) -> impl Iterator<Item = &'k String> {
        let listed: HashSet<&str> = self.files().map(|(path, _)| path).collect();
        indexed.keys().filter(move |path| !listed.contains(path.as_str()))
    }

    /// Reads the documents that changed. A document whose text is unchanged is read again if another
    /// decision record replaced it since, or if git now dates it or one of its entries differently.
    fn read_documents<'f>(
        &'f self,
        session: &Session,
        indexed: &BTreeMap<String, Source>,
    ) -> Result<Vec<ChangedFile>, Error> {
        let root = session.root();
        let entry_dates = EntryDates::new(root);
        let with_content = |documents: Vec<&'f SourceDocument>, read: Vec<Option<Sections>>| {
            let read = documents.into_iter().zip(read);
            let read = read.filter_map(|(document, sections)| {
                Some((document, Content::of(sections?, &entry_dates)))
            });
            read.collect::<Vec<ReadDocument<'_>>>()
        };
        let reread = |documents: Vec<&'f SourceDocument>| {
            let read = read_all(root.dir(), &documents);
            with_content(documents, read)
        };
        let fingerprint = |document: &SourceDocument| &indexed[document.path()].fingerprint;

        let (unchanged, changed): (Vec<_>, Vec<_>) =
            self.documents.iter().partition(|document| self.is_indexed(document, indexed));
        // Neither the dates by git nor the replaced decision records can have changed.
        if self.are_documents_unchanged
            && changed.is_empty()
            && self.removed(indexed).next().is_none()
        {
            return Ok(vec![]);
        }
        let (read, mut histories) = read_with_histories(root, &changed);
        let mut changed = with_content(changed, read);

        let replaced = self.replaced_records(session, &changed, &unchanged, indexed)?;
        let (unchanged, restated): (Vec<_>, Vec<_>) = unchanged.into_iter().partition(|document| {
            let is_replaced = replaced.contains(document.path());
            fingerprint(document).get(REPLACED_AT) == Some(&u8::from(is_replaced))
        });
        changed.extend(reread(restated));

        let dated_by_git: Vec<&SourceDocument> = unchanged
            .into_iter()
            .filter(|document| fingerprint(document).len() > HISTORY_AT)
            .collect();
        let undated = changed.iter().filter(|(_, content)| content.is_undated());
        let undated = undated.map(|(document, _)| *document).chain(dated_by_git.iter().copied());
        let undated: Vec<&str> = undated
            .map(SourceDocument::path)
            .filter(|path| !histories.contains_key(path))
            .collect();
        // Without a readable history, these documents have no date.
        histories.extend(dates::histories(root, &undated).unwrap_or_default());
        let history =
            |document: &SourceDocument| histories.get(document.path()).copied().unwrap_or_default();
        let is_redated = |document: &&SourceDocument| {
            let indexed_history = &fingerprint(document)[HISTORY_AT..];
            let has_entries = indexed_history.len() > DATE_BYTES;
            indexed_history != history_fingerprint(&history(document), has_entries)
        };
        changed.extend(reread(dated_by_git.into_iter().filter(is_redated).collect()));

        let memory_documents = changed.iter().filter_map(|(_, content)| content.memory_document());
        prefetch_dates(&entry_dates, memory_documents);
        self.split_into_passages(&changed, &history, &replaced)
    }

    /// Returns whether a document and the settings are the same as when the document was indexed.
    fn is_indexed(&self, document: &SourceDocument, indexed: &BTreeMap<String, Source>) -> bool {
        indexed.get(document.path()).is_some_and(|source| {
            is_unchanged(source, document.stamp)
                && source.fingerprint.get(..SETTINGS_AT)
                    == Some(&document.stamp.inode.to_le_bytes())
                && source.fingerprint.get(SETTINGS_AT..REPLACED_AT) == Some(&self.settings_hash)
        })
    }

    /// Splits documents into passages, on several threads.
    fn split_into_passages(
        &self,
        documents: &[ReadDocument<'_>],
        history: &(impl Fn(&SourceDocument) -> FileHistory + Sync),
        replaced: &HashSet<String>,
    ) -> Result<Vec<ChangedFile>, Error> {
        let sections: Vec<(&SourceDocument, &Sections)> = documents
            .iter()
            .filter_map(|(document, content)| Some((*document, content.sections()?)))
            .collect();
        let passages = parallel::map(&sections, PARALLEL_MIN_DOCUMENTS, |(document, sections)| {
            sections.passages(history(document).date, replaced.contains(document.path()))
        });
        let mut of_sections = passages.into_iter();
        let mut read = Vec::with_capacity(documents.len());
        for (document, content) in documents {
            let (mut passages, mut problems) = match content.sections() {
                Some(_) => of_sections.next().unwrap_or_default(),
                None => Default::default(),
            };
            if let Content::Entries(document, all_problems, _) = content {
                passages.extend(entry_passages(document));
                problems.clone_from(all_problems);
            }
            let mut fingerprint = document.stamp.inode.to_le_bytes().to_vec();
            fingerprint.extend(self.settings_hash);
            fingerprint.push(u8::from(replaced.contains(document.path())));
            if content.is_undated() {
                let has_entries = content.memory_document().is_some();
                fingerprint.extend(history_fingerprint(&history(document), has_entries));
            }
            let is_final = is_fully_read(document.path(), content.text(), &problems)
                && document.stamp.is_older_than(self.listed_at);
            let source = document_source(document, is_final, fingerprint, &problems)?;
            read.push(ChangedFile { source, is_appended: false, lines: vec![], passages });
        }
        Ok(read)
    }

    /// Returns the paths of the decision records that another record replaced. Their own text need
    /// not say so. If no record was changed or removed, the answer is taken from the index.
    fn replaced_records(
        &self,
        session: &Session,
        changed: &[ReadDocument<'_>],
        unchanged: &[&SourceDocument],
        indexed: &BTreeMap<String, Source>,
    ) -> Result<HashSet<String>, Error> {
        let is_affected = changed.iter().any(|(one, _)| one.class == DocumentClass::Adr)
            || self.removed(indexed).next().is_some();
        if !is_affected {
            let paths = unchanged.iter().map(|document| document.path());
            let replaced =
                paths.filter(|path| indexed[*path].fingerprint.get(REPLACED_AT) == Some(&1));
            return Ok(replaced.map(str::to_owned).collect());
        }
        let total = self.documents.iter().filter(|one| one.class == DocumentClass::Adr).count();
        let read = changed.iter().filter_map(|(_, content)| content.sections()?.adr.clone());
        let mut adrs: Vec<Adr> = read.collect();
        if adrs.len() < total {
            // Records that git ignores are not indexed, so they must not replace indexed ones.
            let listed: HashSet<&str> = self.documents.iter().map(SourceDocument::path).collect();
            let (records, _) = Documents::records(session, Scope::AllProjects)?;
            adrs = records.into_iter().map(|record| record.adr).collect();
            adrs.retain(|adr| listed.contains(adr.path.as_str()));
        }
        let supersession = Supersession::new(&adrs);
        let replaced = (0..adrs.len()).filter(|at| supersession.is_replaced(*at));
        Ok(replaced.map(|at| adrs[at].path.clone()).collect())
    }
}

/// Lists the documents of levels, the decision records and the archived documents, sorted by path.
fn list_documents(
    session: &Session,
    hierarchy: &Hierarchy,
    listings: &Listings<'_>,
    ignored: &IgnoreRules<'_>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<SourceDocument>, Error> {
    let root = session.root();
    let everything = layout::find_all(listings, hierarchy);
    problems.extend(everything.problems);
    problems.extend(root.repository_problem().cloned());
    let (records, record_problems) = adrs::find(root, session.config()?, Scope::AllProjects);
    problems.extend(record_problems);
    let of_levels = everything.documents.into_iter().map(|placed| (placed, DocumentClass::OfLevel));
    let records = records.into_iter().map(|record| {
        (place_outside_levels("adr", record.path, record.project), DocumentClass::Adr)
    });
    let archived = archive::documents(root)
        .into_iter()
        .map(|path| (place_outside_levels("archive", path, None), DocumentClass::Archived));
    let (references, reference_problems) = reference_documents::find(listings, session.config()?);
    problems.extend(reference_problems);
    let references = references
        .into_iter()
        .map(|path| (place_outside_levels("document", path, None), DocumentClass::Reference));
    let is_named_by_level = |path: &str| {
        let mut patterns =
            hierarchy.levels.iter().flat_map(heirloom_core::hierarchy::Level::patterns);
        patterns.any(|pattern| pattern == path)
    };
    let mut documents: BTreeMap<String, SourceDocument> = BTreeMap::new();
    for (placed, class) in of_levels.chain(records).chain(archived).chain(references) {
        let path = placed.document.path.clone();
        // The exact path in a level overrides gitignore.
        if !is_named_by_level(&path) && ignored.is_ignored(&path) {
            continue;
        }
        let stamp = match class {
            DocumentClass::Adr => adrs::stamp(listings, &path),
            DocumentClass::OfLevel | DocumentClass::Archived | DocumentClass::Reference => {
                listings.stamp(&path)
            }
        };
        match stamp {
            Some(stamp) => {
                documents.entry(path).or_insert(SourceDocument { placed, class, stamp });
            }
            // The path is a folder or a FIFO; reading it reports the reason.
            None => problems.extend(root.read(&path).err()),
        }
    }
    Ok(documents.into_values().collect())
}

/// Describes a document that belongs to no level of the hierarchy.
fn place_outside_levels(level: &str, path: String, project: Option<String>) -> HierarchyDocument {
    HierarchyDocument {
        level: level.to_owned(),
        priority: 0,
        pattern: 0,
        role: DocumentRole::Main,
        selectors: project.map(|name| ("project".to_owned(), name)).into_iter().collect(),
        text: String::new(),
        document: Box::new(Document { path, ..Default::default() }),
    }
}

/// Describes the commit that dates documents which state no date, and where the history of a shallow clone ends.
fn history(root: &Root) -> String {
    let history = root
        .repository()
        .map(|repository| (repository.head_commit(), repository.shallow_boundaries()));
    history.map(|history| format!("{history:?}")).unwrap_or_default()
}

/// Hashes the settings together with the reader version.
fn settings_hash(root: &Root) -> Result<[u8; 8], Error> {
    let text = root.read(config::PATH)?.unwrap_or_default();
    // A file that cannot be read is reported where its hierarchy is used.
    let sprints = root.read(config::SPRINT_SETTINGS_PATH).ok().flatten().unwrap_or_default();
    let versioned = format!("{READER_VERSION}\n{text}{sprints}");
    let mut hash = [0; 8];
    hash.copy_from_slice(&blake3::hash(versioned.as_bytes()).as_bytes()[..8]);
    Ok(hash)
}

/// Describes a document for the index. One that is not final is read again by the next update.
fn document_source(
    document: &SourceDocument,
    is_final: bool,
    fingerprint: Vec<u8>,
    problems: &[Problem],
) -> Result<Source, Error> {
    Ok(Source {
        path: document.path().to_owned(),
        is_local: false,
        size: document.stamp.size,
        modified_nanoseconds: if is_final { document.stamp.modified } else { READ_AGAIN },
        fingerprint,
        lines: 0,
        problems: serialize_problems(problems)?,
    })
}

/// Reads documents. If most documents of a sample state no date, reads the git history of all of
/// them at the same time.
fn read_with_histories<'f>(
    root: &Root,
    documents: &[&'f SourceDocument],
) -> (Vec<Option<Sections>>, HashMap<&'f str, FileHistory>) {
    let dir = root.dir();
    let (sample, others) = documents.split_at(documents.len().min(DATED_SAMPLE_DOCUMENTS));
    let mut read = read_all(dir, sample);
    let undated = read.iter().flatten().filter(|sections| sections.is_undated()).count();
    if others.is_empty() || undated * 2 < sample.len() {
        read.extend(read_all(dir, others));
        return (read, HashMap::new());
    }
    let paths: Vec<&str> = documents.iter().map(|document| document.path()).collect();
    let (others, histories) = parallel::join(
        Work::Long,
        || read_all(dir, others),
        || dates::histories(root, &paths).unwrap_or_default(),
    );
    read.extend(others);
    (read, histories)
}

fn read_all(dir: &ConfinedDir, documents: &[&SourceDocument]) -> Vec<Option<Sections>> {
    parallel::map(documents, PARALLEL_MIN_DOCUMENTS, |document| read_document(dir, document))
}

/// Reads a document. Returns `None` if it does not exist any more.
fn read_document(dir: &ConfinedDir, listed: &SourceDocument) -> Option<Sections> {
    let (text, document) = match listed.class {
        DocumentClass::Adr => adrs::read_document(dir, listed.path()),
        DocumentClass::OfLevel | DocumentClass::Archived | DocumentClass::Reference => {
            layout::read_document_in(dir, listed.path())
        }
    }?;
    let document = Box::new(document);
    Some(Sections::of(HierarchyDocument { text, document, ..listed.placed.clone() }, listed.class))
}

/// A listed document with its content.
type ReadDocument<'f> = (&'f SourceDocument, Content);

// The fingerprint of a document: the file number, the hash of the settings, whether another decision
// record replaced it and, if git dates it, a fingerprint of its history.

/// Offset of the hash of the settings in a document's fingerprint.
const SETTINGS_AT: usize = 8;

/// Offset of the byte that says whether another decision record replaced the document.
const REPLACED_AT: usize = SETTINGS_AT + 8;

/// Offset of the fingerprint of the git history.
const HISTORY_AT: usize = REPLACED_AT + 1;

/// Length of the date at the start of the fingerprint of the git history.
const DATE_BYTES: usize = 4;

/// Returns the fingerprint of a file's git history: its date and, if commits date single entries, its
/// version.
fn history_fingerprint(history: &FileHistory, has_entries: bool) -> Vec<u8> {
    let date: [u8; DATE_BYTES] = history.date.map_or(i32::MIN, day::to_number).to_le_bytes();
    let mut fingerprint = date.to_vec();
    if has_entries {
        fingerprint.extend(history.version.to_le_bytes());
    }
    fingerprint
}

/// Returns whether every file is read to its end after an update, so that no unchanged file has to be read again.
fn is_complete(update: &Update, indexed: &BTreeMap<String, Source>) -> bool {
    let is_read = |source: &Source| source.modified_nanoseconds != READ_AGAIN;
    let is_updated = |path: &String| {
        update.removed.contains(path) || update.changed.iter().any(|file| file.source.path == *path)
    };
    update.changed.iter().all(|file| is_read(&file.source))
        && indexed.iter().all(|(path, source)| is_read(source) || is_updated(path))
}

/// Returns whether a file has the size and modification time that it had when it was indexed.
fn is_unchanged(source: &Source, stamp: Stamp) -> bool {
    source.size == stamp.size && source.modified_nanoseconds == stamp.modified
}

/// Reads the changed shards on several threads, and returns them in their order.
fn read_shards(
    shards: &[(Shard, Stamp)],
    tombstones: &Arc<Tombstones>,
    indexed: &BTreeMap<String, Source>,
) -> Vec<Result<Option<ChangedFile>, Error>> {
    let is_changed = |(shard, stamp): &&(Shard, Stamp)| {
        !indexed.get(&shard.display_path).is_some_and(|source| is_unchanged(source, *stamp))
    };
    let changed: Vec<&(Shard, Stamp)> = shards.iter().filter(is_changed).collect();
    parallel::map(&changed, 1, |(shard, stamp)| {
        read_shard(shard, *stamp, tombstones, indexed.get(&shard.display_path))
    })
}

/// Length of the hash of a shard's last block, which starts the shard's fingerprint. The file number
/// follows.
const BLOCK_HASH_BYTES: usize = 32;

/// Reads a changed shard. One that only grew is read from where it ended before.
fn read_shard(
    shard: &Shard,
    stamp: Stamp,
    tombstones: &Arc<Tombstones>,
    indexed: Option<&Source>,
) -> Result<Option<ChangedFile>, Error> {
    let grown = indexed.filter(|source| {
        let has_grown =
            stamp.size > source.size && source.fingerprint.len() == BLOCK_HASH_BYTES + 8;
        has_grown
            && source.fingerprint[BLOCK_HASH_BYTES..] == stamp.inode.to_le_bytes()
            && shard
                .hash_block_before(source.size)
                .is_ok_and(|block| source.fingerprint[..BLOCK_HASH_BYTES] == block)
    });
    let (start, first_line) = grown.map_or((0, 1), |source| (source.size, source.lines + 1));
    let bytes = match shard.read_from(start) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return unreadable_shard(shard, &error).map(Some),
    };
    let size = start + bytes.len() as u64;
    // A last line without a line break may be incomplete, so the shard gets no fingerprint and is read
    // from its start the next time.
    let mut fingerprint = Vec::new();
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        match shard.hash_block_before(size) {
            Ok(block) => fingerprint.extend(block.into_iter().chain(stamp.inode.to_le_bytes())),
            Err(error) => return unreadable_shard(shard, &error).map(Some),
        }
    }
    let line_breaks = bytes.iter().filter(|byte| **byte == b'\n').count();
    let mut log = Log::without_purged(tombstones.clone());
    log.parse_shard(shard, first_line, &bytes);
    let mut problems: Vec<Problem> = grown
        .map(|source| serde_json::from_str(&source.problems).unwrap_or_default())
        .unwrap_or_default();
    problems.extend(log.problems);
    let source = Source {
        path: shard.display_path.clone(),
        is_local: shard.is_local,
        size,
        modified_nanoseconds: if size == stamp.size { stamp.modified } else { READ_AGAIN },
        fingerprint,
        lines: first_line + line_breaks - 1,
        problems: serialize_problems(&problems)?,
    };
    let lines = with_json(log.lines, bytes, first_line);
    Ok(Some(ChangedFile { source, is_appended: grown.is_some(), lines, passages: vec![] }))
}

/// Adds to each line of a log the bytes that it was read from. `bytes` begin with `first_line`.
#[expect(clippy::vec_box, reason = "the store returns boxed lines")]
fn with_json(lines: Vec<Box<Line>>, bytes: Vec<u8>, first_line: usize) -> Vec<NewLine> {
    let bytes = Arc::new(bytes);
    let line_breaks =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let ends: Vec<usize> = line_breaks.chain([bytes.len()]).collect();
    let with_json = |line: Box<Line>| {
        let at = line.place.line - first_line;
        let start = at.checked_sub(1).map_or(0, |before| ends[before] + 1);
        let end = ends[at];
        let json = byte_order_mark::strip_bytes(&bytes[start..end]);
        let json = json.trim_ascii_start();
        let start = end - json.len();
        let range = start..start + json.trim_ascii_end().len();
        NewLine::new(line, FileSlice { file: bytes.clone(), range })
    };
    lines.into_iter().map(with_json).collect()
}

/// Describes a shard that cannot be read: it contributes no lines and is tried again the next time.
fn unreadable_shard(shard: &Shard, error: &std::io::Error) -> Result<ChangedFile, Error> {
    let problem = Problem::in_file(&shard.display_path, format!("cannot be read: {error}"))
        .hint("check the permissions of the file");
    let source = Source {
        path: shard.display_path.clone(),
        is_local: shard.is_local,
        modified_nanoseconds: READ_AGAIN,
        problems: serialize_problems(&[problem])?,
        ..Source::default()
    };
    Ok(ChangedFile { source, ..ChangedFile::default() })
}

/// Serializes problems; no problems are an empty text.
fn serialize_problems(problems: &[Problem]) -> Result<String, Error> {
    if problems.is_empty() {
        return Ok(String::new());
    }
    serde_json::to_string(problems).map_err(|error| Error::system(error.to_string()))
}
