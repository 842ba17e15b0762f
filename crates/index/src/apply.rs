//! Applying an update to the tables, and building the segment of its new passages.

mod log_change;
mod parallel_tokenizer;
mod passage_writer;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use heirloom_core::embedding::Embedder;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::parallel::{self, Work};
use heirloom_core::recall::Passage;
use heirloom_core::record::{Origin, Referent};
use rusqlite::Connection;
use uuid::Uuid;

use crate::components::{self, ComponentNames, LogLine};
use crate::name_hash::hash_referent;
use crate::segment::{SegmentBuilder, SegmentDraft};
use crate::slots::{SlotState, SlotTable};
use crate::tables::sources::Source;
use crate::tables::{lines, problems, slot_blocks, sources};
use crate::update::{ChangedFile, Update};
use crate::{IndexError, relations};
use log_change::{LogChange, ReferentCollector};
use passage_writer::{PassageWriter, PendingPassage, pending_records, state_of_standing};

/// From how many new passages on the segment is finished on another thread.
const MIN_PASSAGES_FOR_THREAD: usize = 1000;

/// Applies an update inside the caller's transaction, and returns the segment of its new passages,
/// if there are any.
pub(crate) fn apply(
    db: &Connection,
    slots: &mut SlotTable,
    update: Update,
    embedder: &dyn Embedder,
    progress: &dyn Fn(usize, usize),
) -> Result<Option<SegmentDraft>, IndexError> {
    let mut writer = PassageWriter::new(db, slots);
    let StoredUpdate { change, component_names, records, passages } =
        store_files(&mut writer, update)?;
    let duplicated = duplicated_entries(&change.memory);
    let state_of = |subject: &Referent| state_of(&change.memory, &duplicated, subject);
    let entries = change.referents.iter().filter(|referent| referent.entry_id().is_some());
    writer.set_states(entries, state_of)?;
    let pending = passages.into_iter().map(|(source, passage)| {
        let state = match passage.standing {
            Standing::Active => state_of(&passage.subject()),
            stated => state_of_standing(stated),
        };
        PendingPassage::from_document(passage, source, state)
    });
    let mut pending: Vec<PendingPassage> = pending.collect();
    writer.add_records(&change.records, records, &mut pending)?;
    let store_names = || component_names.store(db);
    let (written, builder) = writer.write(pending, embedder, progress, store_names)?;
    let (segment, finished) = parallel::join(
        Work::long_if(written.len() >= MIN_PASSAGES_FOR_THREAD),
        || builder.map(SegmentBuilder::finish).transpose(),
        || finish_tables(writer, &change),
    );
    finished?;
    let count = change.records.len();
    parallel::drop_in_background((written, change), count);
    segment
}

/// What is derived from an update after its files and lines are stored.
struct StoredUpdate {
    change: LogChange,
    component_names: ComponentNames,
    /// The passage of each record of the change, in the same order; `None` for a record that cannot
    /// be recalled, or that is a duplicate of another record.
    records: Vec<Option<PendingPassage>>,
    /// The passages of documents, each with its source.
    passages: Vec<(i64, Passage)>,
}

/// The files of an update, after their sources have ids.
#[derive(Default)]
struct IncomingFiles {
    /// The paths of sources whose stored lines are obsolete.
    obsolete: HashSet<String>,
    /// The components that have lines in those sources.
    components: BTreeSet<i64>,
    lines: Vec<LogLine>,
    passages: Vec<(i64, Passage)>,
    sources: Vec<(i64, Source)>,
}

/// Stores the sources and the lines of an update, and folds the components that it affects.
fn store_files(writer: &mut PassageWriter<'_>, update: Update) -> Result<StoredUpdate, IndexError> {
    let db = writer.db;
    let mut files = IncomingFiles::default();
    for path in &update.removed {
        files.obsolete.insert(path.clone());
        if let Some(source) = sources::find_id(db, path)? {
            files.components.extend(lines::components_of_source(db, source)?);
        }
    }
    files.lines.reserve(update.changed.iter().map(|read| read.lines.len()).sum());
    files.passages.reserve(update.changed.iter().map(|read| read.passages.len()).sum());
    for read in update.changed {
        files.add(writer, read)?;
    }
    if lines::has_any(db)? {
        let mut hashes: Vec<i64> = files.lines.iter().flat_map(LogLine::name_hashes).collect();
        hashes.extend(files.passages.iter().map(|(_, passage)| hash_referent(&passage.subject())));
        files.components.extend(lines::components_of_names(db, &hashes)?);
    }
    let stored = lines::lines_of_components(db, &files.components)?;
    let stored: Vec<LogLine> = stored.into_iter().map(LogLine::stored).collect();
    components::delete_names_and_problems(db, &stored)?;
    let mut collector = ReferentCollector::with_capacity(stored.len() + files.lines.len());
    stored.iter().chain(&files.lines).for_each(|line| collector.add(&line.line.record));
    let (kept, obsolete): (Vec<LogLine>, Vec<LogLine>) =
        stored.into_iter().partition(|line| !files.obsolete.contains(&*line.line.place.path));
    components::delete(db, &obsolete)?;
    for path in &update.removed {
        if let Some(source) = sources::find_id(db, path)? {
            writer.delete_others(source, &HashSet::new())?;
            sources::delete(db, source)?;
        }
    }
    for (id, source) in &files.sources {
        sources::update(db, *id, source)?;
    }
    fold_change(db, files, kept, collector)
}

impl IncomingFiles {
    fn add(&mut self, writer: &mut PassageWriter<'_>, read: ChangedFile) -> Result<(), IndexError> {
        let db = writer.db;
        let known = sources::find_id(db, &read.source.path)?;
        if let Some(source) = known.filter(|_| !read.is_appended) {
            self.components.extend(lines::components_of_source(db, source)?);
            self.obsolete.insert(read.source.path.clone());
            let kept = read.passages.iter().map(|passage| passage.name.as_str()).collect();
            writer.delete_others(source, &kept)?;
        }
        let id = match known {
            Some(id) => id,
            None => sources::insert(db, &read.source.path)?,
        };
        self.lines.extend(read.lines.into_iter().map(|line| LogLine::new(id, line)));
        self.passages.extend(read.passages.into_iter().map(|passage| (id, passage)));
        self.sources.push((id, read.source));
        Ok(())
    }
}

/// Stores the new lines together with the `kept` lines of their components, and folds them.
fn fold_change(
    db: &Connection,
    files: IncomingFiles,
    kept: Vec<LogLine>,
    collector: ReferentCollector,
) -> Result<StoredUpdate, IndexError> {
    let new_sources = files.sources.iter().map(|(id, source)| (source.path.as_str().into(), *id));
    let old_sources = kept.iter().map(|line| (line.line.place.path.clone(), line.source()));
    let source_ids: HashMap<Arc<str>, i64> = new_sources.chain(old_sources).collect();
    let mut all_lines = files.lines;
    all_lines.extend(kept);
    let ReferentCollector { records, referents } = collector;
    let record_ids: BTreeSet<Uuid> = records.into_iter().collect();
    let (component_names, memory, records) = components::store_and_fold(db, all_lines, |memory| {
        pending_records(&record_ids, memory, &source_ids)
    })?;
    problems::insert(db, memory.problems())?;
    let change = LogChange { memory, records: record_ids, referents };
    Ok(StoredUpdate { change, component_names, records, passages: files.passages })
}

/// Writes what depends on all passages of the update.
fn finish_tables(mut writer: PassageWriter<'_>, change: &LogChange) -> Result<(), IndexError> {
    relations::update(writer.db, &change.memory, &change.records, &change.referents)?;
    writer.mark_repetitions()?;
    writer.link_neighbours()?;
    slot_blocks::save(writer.db, writer.slots)
}

/// Returns the state of an entry or a document: that of the log, or `Repeated` if an active record
/// was made from it.
fn state_of(memory: &Memory, duplicated: &HashSet<Referent>, subject: &Referent) -> SlotState {
    match state_of_standing(memory.standing(subject)) {
        SlotState::Active if duplicated.contains(subject) => SlotState::Duplicate,
        state => state,
    }
}

/// Returns the entries from which an active record was made.
fn duplicated_entries(memory: &Memory) -> HashSet<Referent> {
    let mut entries = HashSet::new();
    for record in memory.records() {
        if let Some(entry) = record.origin.as_ref().and_then(Origin::referred_entry)
            && memory.standing(&record.id.into()) == Standing::Active
        {
            entries.insert(entry);
        }
    }
    entries
}
