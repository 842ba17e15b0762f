//! Reads the documents of a workspace through a cache, so that only changed files are parsed again.
//!
//! Operations that need every document (`plan list`, `context conflicts`, `graph …`) would otherwise
//! parse thousands of unchanged files. The cache contains no text: an operation that edits or shows a
//! document reads its file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use heirloom_core::adr::{self, Adr};
use heirloom_core::hierarchy::{Hierarchy, Level, Selectors};
use heirloom_core::memory::{self, MemoryEntries, MemoryFormat};
use heirloom_core::{Document, Problem, parallel};
use heirloom_index::{CachedDocument, DocumentCache, DocumentToCache, IndexFolder};
use heirloom_store::Root;
use heirloom_store::adrs::{self, AdrDocument, AdrFile, Scope};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::layout::{self, DocumentRole, HierarchyDocument};
use heirloom_store::listings::Listings;
use heirloom_store::stamp::Stamp;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use crate::workspace::parsed_records::ParsedRecords;
use crate::workspace::template;
use crate::{Error, Session};

/// The folder of the cache below `.heirloom/cache`.
const CACHE_FOLDER: &str = "documents";

/// The version of the cached data. Increase the number when the data derived from a document changes.
const FORMAT_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " 8");

/// The number of documents from which several threads save time.
const MIN_PARALLEL_DOCUMENTS: usize = 64;

/// The number of records from which the cache is used; fewer are read faster than it is opened.
const MIN_CACHED_RECORDS: usize = 64;

/// The prefix of the cache keys of memory documents.
const MEMORY_KEY_PREFIX: &str = "memory:";

/// Which documents of the workspace are requested.
#[derive(Debug, Clone)]
enum Selection {
    /// All of them, so a cached document that is not among them was deleted.
    All(ReadScope),
    /// Some of them.
    Some,
}

/// Which documents have to be read even if they refer to no other document.
#[derive(Debug, Clone)]
pub(crate) enum ReadScope {
    /// All of them.
    Everything,
    /// Those on the chains that lead through these names.
    Through(Vec<Selectors>),
}

impl ReadScope {
    /// Returns whether the documents on the chains through these names are read.
    pub(crate) fn includes_chain(&self, names: &Selectors) -> bool {
        match self {
            ReadScope::Everything => true,
            ReadScope::Through(chains) => chains.contains(names),
        }
    }

    fn includes(&self, placed: &HierarchyDocument) -> bool {
        let is_compatible = |names: &Selectors| {
            let mut selectors = placed.selectors.iter();
            selectors.all(|(level, name)| names.get(level).is_none_or(|other| other == name))
        };
        match self {
            ReadScope::Everything => true,
            ReadScope::Through(chains) => chains.iter().any(is_compatible),
        }
    }
}

/// The cached data of one file, without the entries of a memory document.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Outline {
    document: Box<Document>,
    /// Whether it still is an unedited template.
    is_unedited: bool,
    /// The decision record, if it is one.
    adr: Option<Box<Adr>>,
    /// Whether it has an entry that was promoted from another memory document.
    has_promoted: bool,
    /// Whether the file was read completely. Otherwise it is not cached and read again next time.
    #[serde(skip)]
    is_complete: bool,
}

/// The way in which a file is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileRole {
    Document,
    Adr,
    /// A document with entries.
    Memory(MemoryFormat),
}

/// A requested file, before it is read.
struct RequestedFile<'p> {
    role: FileRole,
    path: &'p str,
    stamp: Option<Stamp>,
    /// Whether it is needed even if it refers to no other document.
    is_needed: bool,
}

impl RequestedFile<'_> {
    /// Returns the cache key, which contains the role: a decision record may also be a document of a
    /// level.
    fn key(&self) -> Cow<'_, str> {
        match self.role {
            FileRole::Adr => Cow::Owned(format!("record:{}", self.path)),
            FileRole::Memory(_) => Cow::Owned(format!("{MEMORY_KEY_PREFIX}{}", self.path)),
            FileRole::Document => Cow::Borrowed(self.path),
        }
    }

    fn is_unchanged(&self, cached: &CachedDocument) -> bool {
        self.stamp.is_some_and(|stamp| {
            (stamp.size, stamp.modified, stamp.inode) == (cached.size, cached.modified, cached.file)
        })
    }

    fn read(&self, root: &ConfinedDir) -> (Outline, Option<MemoryEntries>) {
        let read = match self.role {
            FileRole::Adr => adrs::read_document(root, self.path),
            FileRole::Document | FileRole::Memory(_) => layout::read_document_in(root, self.path),
        };
        let Some((text, mut document)) = read else { return Default::default() };
        let is_complete = is_fully_read(self.path, &text, &document.problems);
        let content = match self.role {
            FileRole::Memory(format) => Some(memory::read_as(format, self.path, &text)),
            FileRole::Document | FileRole::Adr => None,
        };
        let notebook_problems = content.iter().flat_map(|content| &content.problems);
        document.problems.extend(notebook_problems.cloned());
        let has_promoted = |content: &MemoryEntries| {
            content.entries.iter().any(|entry| entry.marks.contains_key("from"))
        };
        let outline = Outline {
            is_unedited: self.role != FileRole::Memory(MemoryFormat::Sections)
                && template::is_unedited(&document),
            adr: (self.role == FileRole::Adr)
                .then(|| Box::new(adr::read_document(&document, &text))),
            has_promoted: content.as_ref().is_some_and(has_promoted),
            is_complete,
            document: Box::new(Document { prose: String::new(), headings: vec![], ..document }),
        };
        (outline, content)
    }
}

/// The documents of a workspace, without their texts.
#[derive(Debug)]
pub(crate) struct Documents {
    /// The documents of levels.
    pub(crate) placed: Vec<HierarchyDocument>,
    /// The decision records.
    pub(crate) records: Vec<AdrDocument>,
    /// The flags of the documents, then of the records.
    pub(crate) flags: Vec<Flags>,
    /// The entries of the memory documents, read on demand.
    pub(crate) cached_entries: CachedEntries,
    /// Folders that could not be listed, and names that cannot be used.
    pub(crate) problems: Vec<Problem>,
}

/// Properties of a document that are not part of its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flags {
    /// Whether the document was read; otherwise only its path is known.
    pub(crate) is_read: bool,
    /// Whether it still is an unedited template.
    pub(crate) is_unedited: bool,
}

/// The contents of memory documents, decoded on demand, because most operations need few entries or
/// none.
#[derive(Debug, Default)]
pub(crate) struct CachedEntries {
    cache: Option<DocumentCache>,
    /// CachedEntries that were not in the cache, by path.
    read: HashMap<String, MemoryEntries>,
    /// The paths of documents with an entry that was promoted from another memory document.
    promoting: Vec<String>,
}

/// Limits the ids that are searched for in the bytes of cached documents; with more of them, decoding
/// is faster.
const MAX_SEARCHED_IDS: usize = 8;

impl CachedEntries {
    /// Returns the cached entries of all memory documents by path; `None` if the cache cannot be read.
    pub(crate) fn load_all(self) -> Option<HashMap<String, MemoryEntries>> {
        self.load(|_| true)
    }

    /// Returns, by path, the entries of the memory documents that may contain one of these ids, and of those with a
    /// promoted entry; `None` if the cache cannot be read.
    pub(crate) fn load_containing(self, ids: &[&str]) -> Option<HashMap<String, MemoryEntries>> {
        if ids.is_empty() && self.promoting.is_empty() {
            return Some(self.read);
        }
        if ids.len() > MAX_SEARCHED_IDS || !self.promoting.is_empty() {
            return self.load_all();
        }
        let finders: Vec<Finder<'_>> = ids.iter().map(Finder::new).collect();
        self.load(|data| finders.iter().any(|finder| finder.find(data).is_some()))
    }

    fn load(self, is_included: impl Fn(&[u8]) -> bool) -> Option<HashMap<String, MemoryEntries>> {
        let cached = match self.cache {
            Some(cache) => cache.load_memory_entries(is_included).ok()?,
            None => vec![],
        };
        let decoded = parallel::map(&cached, MIN_PARALLEL_DOCUMENTS, |(_, data)| {
            rmp_serde::from_slice::<MemoryEntries>(data).ok()
        });
        let cached = cached.into_iter().zip(decoded);
        let path = |key: String| key.strip_prefix(MEMORY_KEY_PREFIX).map(str::to_owned);
        let all = cached.map(|((key, _), content)| Some((path(key)?, content?)));
        let mut all = all.collect::<Option<HashMap<String, MemoryEntries>>>()?;
        all.extend(self.read);
        Some(all)
    }
}

impl Documents {
    /// Reads the documents of a hierarchy that are needed or refer to others, and all decision records.
    /// Of the other documents, only the paths are found.
    pub(crate) fn read(
        session: &Session,
        hierarchy: &Hierarchy,
        needs: impl FnOnce(&[HierarchyDocument]) -> ReadScope,
    ) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let listings = Listings::of_hierarchy(root, hierarchy);
        let layout::HierarchyDocuments { documents, mut problems } =
            layout::find_all(&listings, hierarchy);
        let (found, record_problems) = adrs::find(root, config, Scope::AllProjects);
        problems.extend(record_problems);
        let needs = needs(&documents);
        Ok(Self::load(session, &listings, documents, found, problems, &Selection::All(needs)))
    }

    /// Reads the main document of each name of a level.
    pub(crate) fn of_level(
        session: &Session,
        hierarchy: &Hierarchy,
        level: &str,
    ) -> (Vec<HierarchyDocument>, Vec<Problem>) {
        let needs = hierarchy.level(level).map(Level::required_levels).unwrap_or_default();
        let mut needed = hierarchy.clone();
        needed.levels.retain(|other| other.name == level || needs.contains(&other.name.as_str()));
        let listings = Listings::of_hierarchy(session.root(), &needed);
        let layout::HierarchyDocuments { mut documents, problems } =
            layout::find_all(&listings, &needed);
        documents.retain(|placed| placed.level == level && placed.role == DocumentRole::Main);
        let read = Self::load(session, &listings, documents, vec![], problems, &Selection::Some);
        (read.placed, read.problems)
    }

    /// Reads decision records without their texts. Also returns the problems found.
    pub(crate) fn records(
        session: &Session,
        scope: Scope<'_>,
    ) -> Result<(Vec<AdrDocument>, Vec<Problem>), Error> {
        let (root, config) = (session.root(), session.config()?);
        let (found, mut problems) = adrs::find(root, config, scope);
        let process = session.process_cache();
        if process.is_long_lived() {
            let records = process.part::<ParsedRecords>().read(session, found, &mut problems);
            return Ok((records, problems));
        }
        if found.len() < MIN_CACHED_RECORDS {
            return Ok((adrs::read_files(root, found, &mut problems), problems));
        }
        let listings = Listings::new(root);
        let read = Self::load(session, &listings, vec![], found, problems, &Selection::Some);
        Ok((read.records, read.problems))
    }

    /// Reads the documents and records at the given paths, from the cache where files are unchanged.
    fn load(
        session: &Session,
        listings: &Listings<'_>,
        mut placed: Vec<HierarchyDocument>,
        found: Vec<AdrFile>,
        mut problems: Vec<Problem>,
        selection: &Selection,
    ) -> Self {
        let requested = request_files(listings, &placed, &found, selection);
        let (outlines, mut cached_entries) =
            read_outlines(session, listings, &requested, selection);
        drop(requested);
        let mut outlines = outlines.into_iter();
        let mut flags = Vec::with_capacity(placed.len() + found.len());
        for (placed, outline) in placed.iter_mut().zip(outlines.by_ref()) {
            flags.push(Flags {
                is_read: outline.is_some(),
                is_unedited: outline.as_ref().is_some_and(|outline| outline.is_unedited),
            });
            let Some(outline) = outline else { continue };
            // The outline of a file that could not be read is empty, so `placed` keeps its path.
            if outline.document.path.is_empty() {
                continue;
            }
            if outline.has_promoted {
                cached_entries.promoting.push(outline.document.path.clone());
            }
            let located = std::mem::replace(&mut placed.document, outline.document);
            placed.document.problems.extend(located.problems);
        }
        let mut records = Vec::with_capacity(found.len());
        for (found, outline) in found.into_iter().zip(outlines) {
            let Some(outline) = outline else { continue };
            let Some(adr) = outline.adr else { continue };
            flags.push(Flags { is_read: true, is_unedited: outline.is_unedited });
            problems.extend(outline.document.problems.iter().cloned());
            let (document, text) = (*outline.document, String::new());
            records.push(AdrDocument { adr: *adr, document, text, project: found.project });
        }
        Documents { placed, records, flags, cached_entries, problems }
    }
}

/// Lists the files of documents, then those of records, in order.
fn request_files<'p>(
    listings: &Listings<'_>,
    placed: &'p [HierarchyDocument],
    found: &'p [AdrFile],
    selection: &Selection,
) -> Vec<RequestedFile<'p>> {
    let documents = placed.iter().map(|placed| RequestedFile {
        role: placed.role.memory_format().map_or(FileRole::Document, FileRole::Memory),
        path: &placed.document.path,
        stamp: listings.stamp(&placed.document.path),
        is_needed: match selection {
            Selection::All(needs) => needs.includes(placed),
            Selection::Some => true,
        },
    });
    let records = found.iter().map(|found| RequestedFile {
        role: FileRole::Adr,
        path: &found.path,
        stamp: adrs::stamp(listings, &found.path),
        is_needed: true,
    });
    documents.chain(records).collect()
}

/// Returns the outline of each requested file, in order, or `None` where it is not needed. Unchanged
/// files are taken from the cache. If the cache cannot be used, all files are read.
fn read_outlines(
    session: &Session,
    listings: &Listings<'_>,
    requested: &[RequestedFile<'_>],
    selection: &Selection,
) -> (Vec<Option<Outline>>, CachedEntries) {
    let root = session.root();
    let (mut cache, cached) = open_cache(root, requested, selection);
    let sources = parallel::map(requested, MIN_PARALLEL_DOCUMENTS, |requested| {
        let unchanged = cached.get(&*requested.key()).filter(|row| requested.is_unchanged(row));
        if unchanged.is_some_and(|row| !requested.is_needed && !row.has_references) {
            return OutlineSource::NotNeeded;
        }
        match unchanged.and_then(|row| rmp_serde::from_slice(&row.data).ok()) {
            Some(outline) => OutlineSource::Cached(outline),
            None => {
                let (outline, content) = requested.read(root.dir());
                OutlineSource::Read(outline, content)
            }
        }
    });
    if let Some(cache) = &mut cache {
        save(cache, &cached, requested, &sources, listings.started_at());
    }
    parallel::drop_in_background(cached, requested.len());
    let mut cached_entries = CachedEntries { cache, ..CachedEntries::default() };
    let mut outlines = Vec::with_capacity(sources.len());
    for (requested, source) in requested.iter().zip(sources) {
        outlines.push(match source {
            OutlineSource::NotNeeded => None,
            OutlineSource::Cached(outline) => Some(outline),
            OutlineSource::Read(outline, content) => {
                let content = content.map(|content| (requested.path.to_owned(), content));
                cached_entries.read.extend(content);
                Some(outline)
            }
        });
    }
    (outlines, cached_entries)
}

/// Opens the cache and loads the rows of the requested files. A cache that is damaged or of another
/// version is replaced; it is `None` if nothing can be written.
fn open_cache(
    root: &Root,
    requested: &[RequestedFile<'_>],
    selection: &Selection,
) -> (Option<DocumentCache>, HashMap<String, CachedDocument>) {
    let handle = root.open_cache(CACHE_FOLDER).map(ConfinedDir::into_handle);
    let folder = IndexFolder::new(root.join(".heirloom/cache").join(CACHE_FOLDER), handle);
    let load = |cache: &DocumentCache| match selection {
        Selection::All(ReadScope::Everything) => cache.load(|_| true),
        Selection::All(ReadScope::Through(_)) => {
            let needed = requested.iter().filter(|file| file.is_needed).map(RequestedFile::key);
            let needed: HashSet<Cow<'_, str>> = needed.collect();
            cache.load(|path| needed.contains(path))
        }
        Selection::Some => cache.load_paths(requested.iter().map(RequestedFile::key)),
    };
    let opened = DocumentCache::open(&folder, FORMAT_VERSION);
    match opened.and_then(|cache| load(&cache).map(|rows| (cache, rows))) {
        Ok((cache, rows)) => (Some(cache), rows),
        Err(_) => (DocumentCache::create(&folder, FORMAT_VERSION).ok(), HashMap::new()),
    }
}

/// Returns whether a document and its metadata file could be read. An unreadable file must not be
/// cached, because a change of permissions changes neither its size nor its date.
pub(crate) fn is_fully_read(path: &str, text: &str, problems: &[Problem]) -> bool {
    let is_unreadable = text.is_empty() && !problems.is_empty();
    !is_unreadable && problems.iter().all(|problem| problem.path == path)
}

/// Where an outline comes from.
enum OutlineSource {
    /// The file is unchanged and its outline is not needed.
    NotNeeded,
    /// From the cache.
    Cached(Outline),
    /// From the file, with the entries of a memory document.
    Read(Outline, Option<MemoryEntries>),
}

/// Adds the files that were read to the cache and removes deleted ones. A file that was modified after
/// `since` is not cached, because a later change within the clock's resolution would go unnoticed.
fn save(
    cache: &mut DocumentCache,
    cached: &HashMap<String, CachedDocument>,
    requested: &[RequestedFile<'_>],
    sources: &[OutlineSource],
    since: i64,
) {
    let mut read = Vec::new();
    for (requested, source) in requested.iter().zip(sources) {
        let OutlineSource::Read(outline, content) = source else { continue };
        let is_settled = |stamp: &Stamp| outline.is_complete && stamp.is_older_than(since);
        let Some(stamp) = requested.stamp.filter(is_settled) else { continue };
        let Ok(data) = rmp_serde::to_vec(outline) else { continue };
        let encoded = content.as_ref().and_then(|content| rmp_serde::to_vec(content).ok());
        if encoded.is_some() == content.is_some() {
            let Stamp { size, modified, inode } = stamp;
            let has_references = !outline.document.references.is_empty();
            let document = CachedDocument { size, modified, file: inode, has_references, data };
            read.push(DocumentToCache { path: requested.key(), document, entries: encoded });
        }
    }
    let present = requested.iter().filter(|file| cached.contains_key(&*file.key())).count();
    let deleted: Vec<&str> = match present < cached.len() {
        false => vec![],
        true => {
            let keys: HashSet<Cow<'_, str>> = requested.iter().map(RequestedFile::key).collect();
            let is_deleted = |key: &&str| !keys.contains(*key);
            cached.keys().map(String::as_str).filter(is_deleted).collect()
        }
    };
    if !read.is_empty() || !deleted.is_empty() {
        // If writing fails, the next command reads the files again.
        drop(cache.save(&read, &deleted));
    }
}
