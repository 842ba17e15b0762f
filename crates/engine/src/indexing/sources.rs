//! What there is to be read, and reading what changed of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use heirloom_core::adr::{self, Adr};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Problem, day, hands};
use heirloom_index::{NewLine, Piece, Read, Source, Update};
use heirloom_store::Root;
use heirloom_store::adrs::{self, Scope};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::dates::{self, FileHistory};
use heirloom_store::git::Repository;
use heirloom_store::ignored::Ignored;
use heirloom_store::layout::{self, Part, Placed};
use heirloom_store::listings::Listings;
use heirloom_store::log::{self, Log, Shard};
use heirloom_store::stamp::{Stamp, Watched};

use super::passages::{Content, DocumentClass, Sections, of_entries};
use crate::workspace::archive;
use crate::workspace::documents::{Documents, is_whole};
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::inherit;
use crate::workspace::memory_document::prefetch_dates;
use crate::{Error, Session};

/// So many bytes take a while to read.
const PARALLEL_READ_MIN_BYTES: u64 = 1_000_000;

/// So many documents at least are worth another processor.
const PARALLEL_MIN_DOCUMENTS: usize = 16;

/// So many documents are read before it is decided whether git has to date the others.
const DATED_SAMPLE_DOCUMENTS: usize = 32;

/// The date of a file that is to be read again the next time.
const READ_AGAIN: i64 = i64::MIN;

/// The version of how documents are read and dated: an index of another one reads them again.
const READER_VERSION: u32 = 5;

/// Everything that is there to be recalled, and none of it read yet.
pub(super) struct Sources {
    shards: Vec<(Shard, Stamp)>,
    documents: Vec<Listed>,
    /// What could not be listed.
    pub(super) problems: Vec<Problem>,
    /// What of that is of the log.
    pub(super) log_problems: Vec<Problem>,
    /// The settings decide which level a document is of.
    settings: [u8; 8],
    /// The files that say what git ignores, there or not.
    rules: Vec<PathBuf>,
    /// A moment before anything was listed, in nanoseconds since 1970.
    since: i64,
    /// A checksum of all of that, and of what dates documents.
    pub(super) checksum: i64,
}

struct Document {
    placed: Placed,
    class: DocumentClass,
}

impl Document {
    /// A document that no level places.
    fn by_itself(path: String, class: DocumentClass, project: Option<String>) -> Self {
        let level = if class == DocumentClass::Archived { "archive" } else { "adr" };
        let placed = Placed {
            level: level.to_owned(),
            priority: 0,
            pattern: 0,
            part: Part::Main,
            selectors: project.map(|name| ("project".to_owned(), name)).into_iter().collect(),
            text: String::new(),
            document: Box::new(heirloom_core::Document { path, ..Default::default() }),
        };
        Document { placed, class }
    }
}

impl Sources {
    /// Looks what is there.
    pub(super) fn list(session: &Session) -> Result<Self, Error> {
        let root = session.root();
        let (shards, log_problems) = log::shards(root);
        let mut problems = log_problems.clone();
        let shards = shards.into_iter().filter_map(|shard| {
            let stamp = shard.stamp()?;
            Some((shard, stamp))
        });
        let config = session.config()?;
        let (_, hierarchy) = inherit::hierarchy(config, None)?;
        let listings = Listings::of_hierarchy(root, &hierarchy);
        let all = layout::find_all(&listings, &hierarchy);
        problems.extend(all.problems);
        problems.extend(root.repository_problem().cloned());
        let (records, record_problems) = adrs::find(root, config, Scope::Everything);
        problems.extend(record_problems);
        let records = records
            .into_iter()
            .map(|found| Document::by_itself(found.path, DocumentClass::Adr, found.project));
        let archived = archive::documents(root)
            .into_iter()
            .map(|path| Document::by_itself(path, DocumentClass::Archived, None));
        let placed =
            all.placed.into_iter().map(|placed| Document { placed, class: DocumentClass::OfLevel });
        let ignored = Ignored::of_listed(&listings);
        let levels = &hierarchy.levels;
        let is_named =
            |path: &str| levels.iter().any(|level| level.patterns().any(|pattern| pattern == path));
        // What a level names as it stands is read, whatever git does with it.
        let is_looked_for = |document: &Document| {
            let path = &document.placed.document.path;
            is_named(path) || !ignored.holds(path)
        };
        let mut documents: BTreeMap<String, (Document, Stamp)> = BTreeMap::new();
        for document in placed.chain(records).chain(archived).filter(is_looked_for) {
            let path = document.placed.document.path.clone();
            let stamp = match document.class {
                DocumentClass::Adr => adrs::stamp(&listings, &path),
                DocumentClass::OfLevel | DocumentClass::Archived => listings.stamp(&path),
            };
            match stamp {
                Some(stamp) => drop(documents.entry(path).or_insert((document, stamp))),
                // A folder or a FIFO in the place of a document.
                None => problems.extend(root.read(&path).err()),
            }
        }
        let text = root.read(heirloom_store::config::PATH)?.unwrap_or_default();
        let mut settings = [0; 8];
        let read_as = format!("{READER_VERSION}\n{text}");
        settings.copy_from_slice(&blake3::hash(read_as.as_bytes()).as_bytes()[..8]);
        let mut found = Sources {
            shards: shards.collect(),
            documents: documents.into_values().collect(),
            problems,
            log_problems,
            settings,
            rules: if session.process_cache().is_long_lived() { ignored.files() } else { vec![] },
            since: listings.since(),
            checksum: 0,
        };
        found.checksum = found.sum(session);
        Ok(found)
    }

    /// Returns a checksum of what decides whether something has to be read again: how each file looks,
    /// the settings, and the commit that dates documents which state no date.
    fn sum(&self, session: &Session) -> i64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.settings);
        let shards = self.shards.iter().map(|(shard, stamp)| (shard.shown.as_str(), stamp));
        let documents = self.documents.iter().map(|one| (path_of(one), &one.1));
        for (path, stamp) in shards.chain(documents) {
            hasher.update(path.as_bytes());
            hasher.update(&[0]);
            hasher.update(&stamp.size.to_le_bytes());
            hasher.update(&stamp.modified.to_le_bytes());
            hasher.update(&stamp.file.to_le_bytes());
        }
        if let Some(repository) = session.root().repository() {
            let history = (repository.head(), repository.shallow_ends());
            hasher.update(format!("{history:?}").as_bytes());
        }
        let mut checksum = [0; 8];
        checksum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        i64::from_le_bytes(checksum)
    }

    /// Returns everything that would show a change.
    /// A process that answers one question has no use for it.
    pub(super) fn watch(&self, session: &Session) -> Option<Watched> {
        if !session.process_cache().is_long_lived() {
            return None;
        }
        let root = session.root();
        let shards = self.shards.iter().map(|(shard, _)| shard.path());
        let documents = self.documents.iter().flat_map(|one| {
            let beside = adr::metadata_path(path_of(one)).map(|beside| root.join(&beside));
            [root.join(path_of(one))].into_iter().chain(beside)
        });
        let settings = root.join(heirloom_store::config::PATH);
        let settings = self.rules.iter().cloned().chain([settings]);
        // A commit changes the dates of documents that state none.
        let heads = match self.documents.is_empty() {
            true => vec![],
            false => root.repository().map(Repository::head_files).unwrap_or_default(),
        };
        let settings = settings.chain(heads);
        let folders = root.looked_into().into_iter().chain(log::local_folders(root));
        Some(Watched::new(shards.chain(documents).chain(folders).chain(settings)))
    }

    /// Returns how many bytes came or changed since some files were read.
    pub(super) fn bytes_behind(&self, known: &BTreeMap<String, Source>) -> u64 {
        let shards = self.shards.iter().map(|(shard, stamp)| (&shard.shown, stamp));
        let documents = self.documents.iter();
        let documents = documents.map(|(document, stamp)| (&document.placed.document.path, stamp));
        let behind = shards.chain(documents).map(|(path, stamp)| match known.get(path) {
            Some(known) if is_as_read(known, *stamp) => 0,
            Some(known) if stamp.size > known.size => stamp.size - known.size,
            _ => stamp.size,
        });
        behind.sum()
    }

    /// Reads what is not as it was.
    pub(super) fn read_changed(
        &self,
        session: &Session,
        known: &BTreeMap<String, Source>,
    ) -> Result<Update, Error> {
        let mut update = Update::default();
        // The workspace is used by this thread alone; another one reads the log meanwhile.
        let documents = || self.read_documents(session, known);
        let is_much = self.bytes_behind(known) >= PARALLEL_READ_MIN_BYTES;
        let shards = &self.shards;
        let (shards, documents) = hands::both(is_much, || read_shards(shards, known), documents);
        for read in shards {
            update.read.extend(read?);
        }
        update.read.extend(documents?);
        update.gone = self.gone(known).cloned().collect();
        Ok(update)
    }

    /// Returns the files that were read before and are not there any more.
    fn gone<'k>(&self, known: &'k BTreeMap<String, Source>) -> impl Iterator<Item = &'k String> {
        let shards = self.shards.iter().map(|(shard, _)| &shard.shown);
        let documents = self.documents.iter().map(|(document, _)| &document.placed.document.path);
        let there: HashSet<&String> = shards.chain(documents).collect();
        known.keys().filter(move |path| !there.contains(path))
    }

    /// Reads the documents that are not as they were. The history may date a document anew, or an
    /// entry of it, though its text stays the same.
    fn read_documents<'f>(
        &'f self,
        session: &Session,
        known: &BTreeMap<String, Source>,
    ) -> Result<Vec<Read>, Error> {
        let is_same = |one: &&Listed| {
            known.get(path_of(one)).is_some_and(|known| {
                is_as_read(known, one.1)
                    && known.mark.get(..FILE) == Some(&one.1.file.to_le_bytes())
                    && known.mark.get(FILE..REPLACED) == Some(&self.settings)
            })
        };
        let (same, changed): (Vec<&Listed>, Vec<&Listed>) =
            self.documents.iter().partition(is_same);
        let dir = session.root().dir();
        let entry_dates = EntryDates::of(session.root());
        let finished = |documents: &[&'f Listed], read: Vec<Option<Sections>>| {
            let read = documents.iter().copied().zip(read);
            let read = read.filter_map(|(one, read)| Some((one, Content::of(read?, &entry_dates))));
            read.collect::<Vec<(&Listed, Content)>>()
        };
        let read = |documents: &[&'f Listed]| finished(documents, read_all(dir, documents));
        let (read_changed, mut histories) = read_with_histories(session.root(), &changed);
        let mut changed = finished(&changed, read_changed);
        let mark_of = |one: &Listed| &known[path_of(one)].mark;
        let is_affected = changed.iter().any(|((one, _), _)| one.class == DocumentClass::Adr)
            || self.gone(known).next().is_some();
        let replaced: HashSet<String> = match is_affected {
            true => self.replaced_records(session, &changed)?,
            false => {
                let was_replaced = same.iter().filter(|one| mark_of(one).get(REPLACED) == Some(&1));
                was_replaced.map(|one| path_of(one).to_owned()).collect()
            }
        };
        let is_judged_as_before = |one: &&Listed| {
            mark_of(one).get(REPLACED) == Some(&u8::from(replaced.contains(path_of(one))))
        };
        let (same, judged_otherwise): (Vec<&Listed>, Vec<&Listed>) =
            same.into_iter().partition(is_judged_as_before);
        changed.extend(read(&judged_otherwise));
        let undated_before = same.into_iter().filter(|one| mark_of(one).len() > DATED);
        let undated_before: Vec<&Listed> = undated_before.collect();
        let undated = changed.iter().filter(|(_, content)| content.is_undated());
        let undated = undated.map(|(one, _)| *one).chain(undated_before.iter().copied());
        let undated: Vec<&str> =
            undated.map(path_of).filter(|path| !histories.contains_key(path)).collect();
        // Where the history cannot be read, nothing is known of it.
        histories.extend(dates::histories(session.root(), &undated).unwrap_or_default());
        let history = |one: &Listed| histories.get(path_of(one)).copied().unwrap_or_default();
        let is_redated = |one: &&Listed| {
            let mark = &mark_of(one)[DATED..];
            mark != history_mark(&history(one), mark.len() > DATE)
        };
        let redated: Vec<&Listed> = undated_before.into_iter().filter(is_redated).collect();
        changed.extend(read(&redated));
        prefetch_dates(&entry_dates, changed.iter().filter_map(|(_, content)| content.noted()));
        self.cut(&changed, &history, &replaced)
    }

    /// Cuts documents into passages, on all processors.
    fn cut(
        &self,
        changed: &[(&Listed, Content)],
        history: &(impl Fn(&Listed) -> FileHistory + Sync),
        replaced: &HashSet<String>,
    ) -> Result<Vec<Read>, Error> {
        let sections: Vec<(&Listed, &Sections)> = changed
            .iter()
            .filter_map(|(one, content)| content.sections().map(|sections| (*one, sections)))
            .collect();
        let cut = hands::map(&sections, PARALLEL_MIN_DOCUMENTS, |(one, sections)| {
            sections.passages(history(one).date, replaced.contains(path_of(one)))
        });
        let mut cut = cut.into_iter();
        let mut all = Vec::with_capacity(changed.len());
        for (one, content) in changed {
            let (passages, problems) = match content {
                Content::Entries(noted, problems) => (of_entries(noted), problems.clone()),
                Content::Sections(_) => cut.next().unwrap_or_default(),
            };
            let mut mark = one.1.file.to_le_bytes().to_vec();
            mark.extend(self.settings);
            mark.push(u8::from(replaced.contains(path_of(one))));
            if content.is_undated() {
                mark.extend(history_mark(&history(one), content.noted().is_some()));
            }
            let is_final = is_whole(path_of(one), content.text(), &problems)
                && one.1.is_older_than(self.since);
            let source = source(one, is_final, mark, &problems)?;
            all.push(Read { source, grew: false, lines: vec![], passages });
        }
        Ok(all)
    }

    /// Returns the decision records that another record replaced. Their own text need not say so.
    fn replaced_records(
        &self,
        session: &Session,
        changed: &[(&Listed, Content)],
    ) -> Result<HashSet<String>, Error> {
        let count =
            self.documents.iter().filter(|(one, _)| one.class == DocumentClass::Adr).count();
        let read = changed.iter().filter_map(|(_, content)| content.sections()?.adr.clone());
        let mut adrs: Vec<Adr> = read.collect();
        if adrs.len() < count {
            // What git ignores is not recalled, and says nothing about what is.
            let listed: HashSet<&str> = self.documents.iter().map(path_of).collect();
            let (records, _) = Documents::records(session, Scope::Everything)?;
            adrs = records.into_iter().map(|record| record.adr).collect();
            adrs.retain(|adr| listed.contains(adr.path.as_str()));
        }
        let supersession = Supersession::new(&adrs);
        let replaced = (0..adrs.len()).filter(|at| supersession.is_replaced(*at));
        Ok(replaced.map(|at| adrs[at].path.clone()).collect())
    }
}

/// Describes a document as it was read; one that is not final is read again the next time.
fn source(
    (listed, stamp): &Listed,
    is_final: bool,
    mark: Vec<u8>,
    problems: &[Problem],
) -> Result<Source, Error> {
    Ok(Source {
        path: listed.placed.document.path.clone(),
        is_local: false,
        size: stamp.size,
        modified: if is_final { stamp.modified } else { READ_AGAIN },
        mark,
        lines: 0,
        problems: written(problems)?,
    })
}

/// Reads documents and, where most of the first state no date, the history of all files meanwhile.
fn read_with_histories<'f>(
    root: &Root,
    documents: &[&'f Listed],
) -> (Vec<Option<Sections>>, HashMap<&'f str, FileHistory>) {
    let dir = root.dir();
    let (sample, others) = documents.split_at(documents.len().min(DATED_SAMPLE_DOCUMENTS));
    let mut read = read_all(dir, sample);
    let undated = read.iter().flatten().filter(|sections| sections.is_undated()).count();
    if others.is_empty() || undated * 2 < sample.len() {
        read.extend(read_all(dir, others));
        return (read, HashMap::new());
    }
    let paths: Vec<&str> = documents.iter().copied().map(path_of).collect();
    let (others, histories) = hands::both(
        true,
        || read_all(dir, others),
        || dates::histories(root, &paths).unwrap_or_default(),
    );
    read.extend(others);
    (read, histories)
}

fn read_all(dir: &ConfinedDir, documents: &[&Listed]) -> Vec<Option<Sections>> {
    hands::map(documents, PARALLEL_MIN_DOCUMENTS, |one| read_document(dir, one))
}

/// Reads a document. A missing one is `None`.
fn read_document(dir: &ConfinedDir, one: &Listed) -> Option<Sections> {
    let (listed, _) = one;
    let (text, document) = match listed.class {
        DocumentClass::Adr => adrs::read_document(dir, path_of(one)),
        DocumentClass::OfLevel | DocumentClass::Archived => {
            layout::read_document_in(dir, path_of(one))
        }
    }?;
    let document = Box::new(document);
    Some(Sections::of(Placed { text, document, ..listed.placed.clone() }, listed.class))
}

/// A document and how its file looks.
type Listed = (Document, Stamp);

fn path_of((document, _): &Listed) -> &str {
    &document.placed.document.path
}

/// Where the number of the file ends in the mark of a document. The hash of the settings follows.
const FILE: usize = 8;

/// The byte of a mark that says whether another decision record replaced the document.
const REPLACED: usize = FILE + 8;

/// Where a mark says what the history tells of the file, if that dates it.
const DATED: usize = REPLACED + 1;

/// The bytes of a date in a mark.
const DATE: usize = 4;

/// Returns what a mark says of a file's history: its date and, where commits date single lines, its
/// version.
fn history_mark(history: &FileHistory, has_entries: bool) -> Vec<u8> {
    let date: [u8; DATE] = history.date.map_or(i32::MIN, day::number).to_le_bytes();
    let mut mark = date.to_vec();
    if has_entries {
        mark.extend(history.version.to_le_bytes());
    }
    mark
}

/// Returns whether every file was read to its end, so that none has to be read again as it is.
pub(super) fn is_complete(known: &BTreeMap<String, Source>) -> bool {
    known.values().all(|source| source.modified != READ_AGAIN)
}

/// Returns whether a file looks as it did when it was read.
fn is_as_read(known: &Source, stamp: Stamp) -> bool {
    known.size == stamp.size && known.modified == stamp.modified
}

/// Reads what is new of shards, on all processors, in their order.
fn read_shards(
    shards: &[(Shard, Stamp)],
    known: &BTreeMap<String, Source>,
) -> Vec<Result<Option<Read>, Error>> {
    let is_changed = |(shard, stamp): &&(Shard, Stamp)| {
        !known.get(&shard.shown).is_some_and(|known| is_as_read(known, *stamp))
    };
    let changed: Vec<&(Shard, Stamp)> = shards.iter().filter(is_changed).collect();
    hands::map(&changed, 1, |(shard, stamp)| read_shard(shard, *stamp, known.get(&shard.shown)))
}

/// Reads what is new of a shard that changed. One that only grew is read from where it ended before.
fn read_shard(shard: &Shard, stamp: Stamp, known: Option<&Source>) -> Result<Option<Read>, Error> {
    let grown = known.filter(|known| {
        let is_grown = stamp.size > known.size && known.mark.len() == 40;
        is_grown
            && known.mark[32..] == stamp.file.to_le_bytes()
            && shard.block_before(known.size).is_ok_and(|block| known.mark[..32] == block)
    });
    let (start, first) = grown.map_or((0, 1), |known| (known.size, known.lines + 1));
    let bytes = match shard.read_from(start) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return unreadable(shard, &error).map(Some),
    };
    let mut log = Log::default();
    log.take_from(shard, first, &bytes);
    let bytes = Arc::new(bytes);
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let ends: Vec<usize> = breaks.chain([bytes.len()]).collect();
    let lines = log.lines.into_iter().map(|line| {
        let at = line.place.line - first;
        let (from, end) = (at.checked_sub(1).map_or(0, |before| ends[before] + 1), ends[at]);
        let (_, own) = log::without_mark(&bytes[from..end]);
        let own = own.trim_ascii_start();
        let from = end - own.len();
        let range = from..from + own.trim_ascii_end().len();
        NewLine::new(line, Piece { file: bytes.clone(), range })
    });
    let lines: Vec<NewLine> = lines.collect();
    let size = start + bytes.len() as u64;
    // A line without a line break may still be going on: such a file is read again from its start.
    let mut mark = Vec::new();
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        match shard.block_before(size) {
            Ok(block) => mark.extend(block.into_iter().chain(stamp.file.to_le_bytes())),
            Err(error) => return unreadable(shard, &error).map(Some),
        }
    }
    let mut problems: Vec<Problem> = grown
        .map(|known| serde_json::from_str(&known.problems).unwrap_or_default())
        .unwrap_or_default();
    problems.extend(log.problems);
    let source = Source {
        path: shard.shown.clone(),
        is_local: shard.is_local,
        size,
        modified: if size == stamp.size { stamp.modified } else { READ_AGAIN },
        mark,
        // After the last line break stands an empty piece, which is no line.
        lines: first + ends.len() - 2,
        problems: written(&problems)?,
    };
    Ok(Some(Read { source, grew: grown.is_some(), lines, passages: vec![] }))
}

/// A shard that cannot be read holds nothing, and is tried again the next time.
fn unreadable(shard: &Shard, error: &std::io::Error) -> Result<Read, Error> {
    let problem = Problem::of_file(&shard.shown, format!("cannot be read: {error}"))
        .hint("check its permissions");
    let source = Source {
        path: shard.shown.clone(),
        is_local: shard.is_local,
        modified: READ_AGAIN,
        problems: written(&[problem])?,
        ..Source::default()
    };
    Ok(Read { source, ..Read::default() })
}

fn written(problems: &[Problem]) -> Result<String, Error> {
    if problems.is_empty() {
        return Ok(String::new());
    }
    serde_json::to_string(problems).map_err(|error| Error::system(error.to_string()))
}
