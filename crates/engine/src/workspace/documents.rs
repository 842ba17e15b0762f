//! Every document of a workspace as it was derived from its file, read again only where the file
//! changed.
//!
//! Operations that look at everything (`plan list`, `context conflicts`, `graph …`) would otherwise
//! read and parse thousands of files that are as they were. What is kept has no text: an operation
//! that edits or shows a document reads its file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use heirloom_core::adr::{self, Adr};
use heirloom_core::hierarchy::{Hierarchy, Level, Selectors};
use heirloom_core::memory::{self, Notebook};
use heirloom_core::{Document, Problem, hands};
use heirloom_index::{CachedDocument, DocumentCache, IndexFolder, ReadDocument};
use heirloom_store::adrs::{self, Found, Record, Scope};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::layout::{self, Part, Placed};
use heirloom_store::listings::Listings;
use heirloom_store::stamp::Stamp;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use crate::workspace::template;
use crate::{Error, Session};

/// Where the cache lies in the folder of derived files.
const FOLDER: &str = "documents";

/// The version of the cached data. Raise the number when what is derived from a document changes.
const FORMAT_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " 5");

/// So many documents at least are worth another processor.
const WORTH_SHARING: usize = 64;

/// Fewer records are read sooner than a cache is opened.
const WORTH_CACHING: usize = 64;

/// What the keys of memory documents begin with.
const MEMORY: &str = "memory:";

/// Which documents of the workspace are asked for.
#[derive(Debug, Clone)]
enum Selection {
    /// Every document, so that a cached document which is not among them was deleted.
    All(Needs),
    /// Some documents.
    Some,
}

/// Which documents have to be read though they refer to no others.
#[derive(Debug, Clone)]
pub(crate) enum Needs {
    /// All of them.
    Everything,
    /// Those on the ways down the hierarchy that lead through some names.
    Through(Vec<Selectors>),
}

impl Needs {
    /// Returns whether the documents are read that lie on the ways through some names.
    pub(crate) fn leads_through(&self, names: &Selectors) -> bool {
        match self {
            Needs::Everything => true,
            Needs::Through(ways) => ways.contains(names),
        }
    }

    fn includes(&self, placed: &Placed) -> bool {
        let fits = |names: &Selectors| {
            let mut own = placed.selectors.iter();
            own.all(|(level, name)| names.get(level).is_none_or(|other| other == name))
        };
        match self {
            Needs::Everything => true,
            Needs::Through(ways) => ways.iter().any(fits),
        }
    }
}

/// What is derived from one file, but for the entries of a memory document.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Outline {
    document: Box<Document>,
    /// Whether nothing in it was edited since a template made it.
    is_unedited: bool,
    /// What it says as a decision record.
    adr: Option<Box<Adr>>,
    /// Whether it has an entry that was promoted from another one.
    has_promoted: bool,
    /// Whether all of it could be read; if not, it is read again the next time.
    #[serde(skip)]
    is_whole: bool,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Document,
    Record,
    Memory,
}

/// A file that is wanted, and what is known of it without reading it.
struct WantedFile<'p> {
    role: Role,
    path: &'p str,
    stamp: Option<Stamp>,
    /// Whether what it says is needed, even if it refers to nothing.
    is_needed: bool,
}

impl WantedFile<'_> {
    /// One file may be read in several ways: a decision record may be a document of a level.
    fn key(&self) -> Cow<'_, str> {
        match self.role {
            Role::Record => Cow::Owned(format!("record:{}", self.path)),
            Role::Memory => Cow::Owned(format!("{MEMORY}{}", self.path)),
            Role::Document => Cow::Borrowed(self.path),
        }
    }

    fn is_as(&self, cached: &CachedDocument) -> bool {
        self.stamp.is_some_and(|stamp| {
            (stamp.size, stamp.modified, stamp.file) == (cached.size, cached.modified, cached.file)
        })
    }

    fn read(&self, root: &ConfinedDir) -> (Outline, Option<Notebook>) {
        let read = match self.role {
            Role::Record => adrs::read_document(root, self.path),
            Role::Document | Role::Memory => layout::read_document_in(root, self.path),
        };
        let Some((text, mut document)) = read else { return Default::default() };
        let is_whole = is_whole(self.path, &text, &document.problems);
        let notebook = (self.role == Role::Memory).then(|| memory::read(self.path, &text));
        document.problems.extend(notebook.iter().flat_map(|own| own.problems.iter().cloned()));
        let is_promoted = |notebook: &Notebook| {
            notebook.entries.iter().any(|entry| entry.marks.contains_key("from"))
        };
        let outline = Outline {
            is_unedited: self.role != Role::Memory && template::is_unedited(&document),
            adr: (self.role == Role::Record)
                .then(|| Box::new(adr::read_document(&document, &text))),
            has_promoted: notebook.as_ref().is_some_and(is_promoted),
            is_whole,
            document: Box::new(Document { prose: String::new(), headings: vec![], ..document }),
        };
        (outline, notebook)
    }
}

/// Every document of a workspace, without its text.
#[derive(Debug)]
pub(crate) struct Documents {
    /// The documents of levels.
    pub(crate) placed: Vec<Placed>,
    /// The decision records.
    pub(crate) records: Vec<Record>,
    /// What is known of the documents and then of the records beside what they say.
    pub(crate) flags: Vec<Flags>,
    /// What the memory documents among them hold.
    pub(crate) notebooks: Notebooks,
    /// Folders that could not be listed and names that cannot be used.
    pub(crate) problems: Vec<Problem>,
}

/// What is known of a document beside what it says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flags {
    /// Whether more was read of it than its path.
    pub(crate) is_read: bool,
    /// Whether nothing in it was edited since a template made it.
    pub(crate) is_unedited: bool,
}

/// What memory documents hold, read when it is asked for: most of what looks at all documents needs
/// few entries, or none.
#[derive(Debug, Default)]
pub(crate) struct Notebooks {
    cache: Option<DocumentCache>,
    /// Those that were not in the cache, by path.
    read: HashMap<String, Notebook>,
    /// The documents that have an entry which was promoted from another one.
    promoting: Vec<String>,
}

/// Up to this many ids are searched for in the bytes of cached documents; searching for more takes
/// longer than decoding them.
const MAX_SEARCHED_IDS: usize = 8;

impl Notebooks {
    /// Reads all of them, by path; `None` if the cache cannot be read.
    pub(crate) fn all(self) -> Option<HashMap<String, Notebook>> {
        self.load(|_| true)
    }

    /// Reads those that may hold an entry with one of these ids, and those that have an entry which
    /// was promoted, by path; `None` if the cache cannot be read.
    pub(crate) fn holding(self, ids: &[&str]) -> Option<HashMap<String, Notebook>> {
        if ids.is_empty() && self.promoting.is_empty() {
            return Some(self.read);
        }
        if ids.len() > MAX_SEARCHED_IDS || !self.promoting.is_empty() {
            return self.all();
        }
        let finders: Vec<Finder<'_>> = ids.iter().map(Finder::new).collect();
        self.load(|data| finders.iter().any(|finder| finder.find(data).is_some()))
    }

    fn load(self, is_wanted: impl Fn(&[u8]) -> bool) -> Option<HashMap<String, Notebook>> {
        let cached = match self.cache {
            Some(cache) => cache.notebooks(is_wanted).ok()?,
            None => vec![],
        };
        let decoded = hands::map(&cached, WORTH_SHARING, |(_, data)| {
            rmp_serde::from_slice::<Notebook>(data).ok()
        });
        let cached = cached.into_iter().zip(decoded);
        let path = |key: String| key.strip_prefix(MEMORY).map(str::to_owned);
        let all = cached.map(|((key, _), notebook)| Some((path(key)?, notebook?)));
        let mut all = all.collect::<Option<HashMap<String, Notebook>>>()?;
        all.extend(self.read);
        Some(all)
    }
}

impl Documents {
    /// Reads every document of a hierarchy that is needed or refers to others, and every decision
    /// record. Of the other documents it finds the paths.
    pub(crate) fn read(
        session: &Session,
        hierarchy: &Hierarchy,
        needs: impl FnOnce(&[Placed]) -> Needs,
    ) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let listings = Listings::of_hierarchy(root, hierarchy);
        let layout::Everything { placed, mut problems } = layout::find_all(&listings, hierarchy);
        let (found, record_problems) = adrs::find(root, config, Scope::Everything);
        problems.extend(record_problems);
        let needs = needs(&placed);
        Ok(Self::of(session, &listings, placed, found, problems, &Selection::All(needs)))
    }

    /// Reads the main document of every name that a level has.
    pub(crate) fn of_level(
        session: &Session,
        hierarchy: &Hierarchy,
        level: &str,
    ) -> (Vec<Placed>, Vec<Problem>) {
        let needs = hierarchy.level(level).map(Level::needs).unwrap_or_default();
        let mut on_the_way = hierarchy.clone();
        on_the_way.levels.retain(|own| own.name == level || needs.contains(&own.name.as_str()));
        let listings = Listings::of_hierarchy(session.root(), &on_the_way);
        let layout::Everything { mut placed, problems } = layout::find_all(&listings, &on_the_way);
        placed.retain(|placed| placed.level == level && placed.part == Part::Main);
        let read = Self::of(session, &listings, placed, vec![], problems, &Selection::Some);
        (read.placed, read.problems)
    }

    /// Reads decision records without their text, and tells what could not be read.
    pub(crate) fn records(
        session: &Session,
        scope: Scope<'_>,
    ) -> Result<(Vec<Record>, Vec<Problem>), Error> {
        let (root, config) = (session.root(), session.config()?);
        let (found, mut problems) = adrs::find(root, config, scope);
        if found.len() < WORTH_CACHING {
            return Ok((adrs::read_found(root, found, &mut problems), problems));
        }
        let listings = Listings::new(root);
        let read = Self::of(session, &listings, vec![], found, problems, &Selection::Some);
        Ok((read.records, read.problems))
    }

    fn of(
        session: &Session,
        listings: &Listings<'_>,
        mut placed: Vec<Placed>,
        found: Vec<Found>,
        mut problems: Vec<Problem>,
        selection: &Selection,
    ) -> Self {
        let of_levels = placed.iter().map(|placed| WantedFile {
            role: if placed.part == Part::Memory { Role::Memory } else { Role::Document },
            path: &placed.document.path,
            stamp: listings.stamp(&placed.document.path),
            is_needed: match selection {
                Selection::All(needs) => needs.includes(placed),
                Selection::Some => true,
            },
        });
        let of_records = found.iter().map(|found| WantedFile {
            role: Role::Record,
            path: &found.path,
            stamp: adrs::stamp(listings, &found.path),
            is_needed: true,
        });
        let wanted: Vec<WantedFile<'_>> = of_levels.chain(of_records).collect();
        let (outlines, mut notebooks) = derive(session, listings, &wanted, selection);
        drop(wanted);
        let mut outlines = outlines.into_iter();
        let mut flags = Vec::with_capacity(placed.len() + found.len());
        for (placed, outline) in placed.iter_mut().zip(outlines.by_ref()) {
            flags.push(Flags {
                is_read: outline.is_some(),
                is_unedited: outline.as_ref().is_some_and(|outline| outline.is_unedited),
            });
            let Some(outline) = outline else { continue };
            // What could not even be looked at has a problem and no path of its own.
            if outline.document.path.is_empty() {
                continue;
            }
            if outline.has_promoted {
                notebooks.promoting.push(outline.document.path.clone());
            }
            let found = std::mem::replace(&mut placed.document, outline.document);
            placed.document.problems.extend(found.problems);
        }
        let mut records = Vec::with_capacity(found.len());
        for (found, outline) in found.into_iter().zip(outlines) {
            let Some(outline) = outline else { continue };
            let Some(adr) = outline.adr else { continue };
            flags.push(Flags { is_read: true, is_unedited: outline.is_unedited });
            problems.extend(outline.document.problems.iter().cloned());
            let (document, text) = (*outline.document, String::new());
            records.push(Record { adr: *adr, document, text, project: found.project });
        }
        Documents { placed, records, flags, notebooks, problems }
    }
}

/// Derives what is wanted of each file, in order, or nothing where it is not needed: from the cache
/// where the file is as it was, else from the file. A cache that cannot be used costs time and nothing
/// else.
fn derive(
    session: &Session,
    listings: &Listings<'_>,
    wanted: &[WantedFile<'_>],
    selection: &Selection,
) -> (Vec<Option<Outline>>, Notebooks) {
    let root = session.root();
    let opened = root.cache(FOLDER).map(ConfinedDir::into_handle);
    let folder = IndexFolder::new(root.join(".heirloom/cache").join(FOLDER), opened);
    let load = |cache: &DocumentCache| match selection {
        Selection::All(Needs::Everything) => cache.load(|_| true),
        Selection::All(Needs::Through(_)) => {
            let needed = wanted.iter().filter(|wanted| wanted.is_needed).map(WantedFile::key);
            let needed: HashSet<Cow<'_, str>> = needed.collect();
            cache.load(|path| needed.contains(path))
        }
        Selection::Some => cache.load_some(wanted.iter().map(WantedFile::key)),
    };
    let opened = DocumentCache::open(&folder, FORMAT_VERSION);
    let loaded = opened.and_then(|cache| load(&cache).map(|known| (cache, known)));
    let (mut cache, known) = match loaded {
        Ok((cache, known)) => (Some(cache), known),
        // It is damaged or of another version, or nothing can be written.
        Err(_) => (DocumentCache::create(&folder, FORMAT_VERSION).ok(), HashMap::new()),
    };
    let dir = root.dir();
    let derived = hands::map(wanted, WORTH_SHARING, |wanted| {
        let cached = known.get(&*wanted.key()).filter(|cached| wanted.is_as(cached));
        if cached.is_some_and(|cached| !wanted.is_needed && !cached.has_references) {
            return Derived::NotNeeded;
        }
        match cached.and_then(|cached| rmp_serde::from_slice(&cached.data).ok()) {
            Some(outline) => Derived::Cached(outline),
            None => {
                let (outline, notebook) = wanted.read(dir);
                Derived::Read(outline, notebook)
            }
        }
    });
    if let Some(cache) = &mut cache {
        save(cache, &known, wanted, &derived, listings.since());
    }
    hands::let_go(known, wanted.len());
    let mut notebooks = Notebooks { cache, ..Notebooks::default() };
    let mut outlines = Vec::with_capacity(derived.len());
    for (wanted, derived) in wanted.iter().zip(derived) {
        outlines.push(match derived {
            Derived::NotNeeded => None,
            Derived::Cached(outline) => Some(outline),
            Derived::Read(outline, notebook) => {
                let notebook = notebook.map(|notebook| (wanted.path.to_owned(), notebook));
                notebooks.read.extend(notebook);
                Some(outline)
            }
        });
    }
    (outlines, notebooks)
}

/// Returns whether a document and the file beside it could be read. A change of permissions changes
/// neither its size nor its date.
pub(crate) fn is_whole(path: &str, text: &str, problems: &[Problem]) -> bool {
    let is_unreadable = text.is_empty() && !problems.is_empty();
    !is_unreadable && problems.iter().all(|problem| problem.path == path)
}

/// How a document was derived.
enum Derived {
    /// It is as it was, and what it says is not needed.
    NotNeeded,
    /// From the cache.
    Cached(Outline),
    /// From its file, with what it holds as a memory document.
    Read(Outline, Option<Notebook>),
}

/// Writes what was read from files whose stamp would show a change after a moment, and forgets files
/// that are gone.
fn save(
    cache: &mut DocumentCache,
    known: &HashMap<String, CachedDocument>,
    wanted: &[WantedFile<'_>],
    derived: &[Derived],
    since: i64,
) {
    let mut read = Vec::new();
    for (wanted, derived) in wanted.iter().zip(derived) {
        let Derived::Read(outline, own) = derived else { continue };
        let is_settled = |stamp: &Stamp| outline.is_whole && stamp.is_older_than(since);
        let Some(stamp) = wanted.stamp.filter(is_settled) else { continue };
        let Ok(data) = rmp_serde::to_vec(outline) else { continue };
        let notebook = own.as_ref().and_then(|own| rmp_serde::to_vec(own).ok());
        if notebook.is_some() == own.is_some() {
            let Stamp { size, modified, file } = stamp;
            let has_references = !outline.document.references.is_empty();
            let document = CachedDocument { size, modified, file, has_references, data };
            read.push(ReadDocument { path: wanted.key(), document, notebook });
        }
    }
    let still_there = wanted.iter().filter(|wanted| known.contains_key(&*wanted.key())).count();
    let gone: Vec<&str> = match still_there < known.len() {
        false => vec![],
        true => {
            let keys: HashSet<Cow<'_, str>> = wanted.iter().map(WantedFile::key).collect();
            let is_gone = |key: &&str| !keys.contains(*key);
            known.keys().map(String::as_str).filter(is_gone).collect()
        }
    };
    if !read.is_empty() || !gone.is_empty() {
        // The next command reads again what could not be written.
        drop(cache.save(&read, &gone));
    }
}
