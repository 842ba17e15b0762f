//! Passages: the units that an index stores and recall returns.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::fold::{Item, Line, Standing, text_key};
use crate::instruction::{
    InstructionForm, chunk_instructs, instruction_form, is_accepted_as_standing,
};
use crate::record::{Body, FactSection, Origin, Record, RecordKind, Referent};
use crate::{day, words};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// A unit of recall: a record of the log, an entry of a memory document or a section of another document.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its unique name in an index.
    pub name: String,
    /// What the log refers to it by, if it is no record: an entry, which equal entries of two documents share, or a
    /// document, which all its sections share.
    pub subject_override: Option<Referent>,
    /// The text that is indexed, with every word that it can be found by.
    pub text: String,
    /// The title, whose terms count twice.
    pub title: Option<String>,
    /// A summary in a sentence or two, which gets an embedding of its own.
    pub summary: Option<String>,
    /// The terms that filters use, made by [`filter_term`].
    pub filter_terms: Vec<Cow<'static, str>>,
    /// Whether its text may state standing instructions, which are looked for when it is indexed.
    pub may_instruct: bool,
    /// The document, session or conversation that it belongs to.
    pub group: Option<String>,
    /// Its order within the group.
    pub position: i64,
    /// Its day, if it is known.
    pub day: Option<Date>,
    /// The confidence that it states, 0 to 1.
    pub confidence: Option<f64>,
    /// The subject that replaces it in results if the index contains that subject: it says the same.
    pub duplicate_of: Option<Referent>,
    /// Its standing before the events of the log are applied.
    pub standing: Standing,
    /// The part of a document that a result shows; the text of a record is read from its line.
    pub part: Option<DocumentPart>,
}

/// The part of a document that a result shows: an entry of a memory document, or a section of another document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPart {
    /// The id of an entry, or the name of a section.
    pub id: String,
    /// Its kind, such as `finding`, `plan` or `adr`.
    pub kind: String,
    /// The title of an entry, if it has one.
    pub title: Option<String>,
    /// The category of an entry, if it has one.
    pub category: Option<String>,
    /// Its text.
    pub text: String,
    /// The owner of the memory document, for an entry.
    pub by: String,
    /// The day on which it was written, if known.
    pub date: Option<Date>,
    /// The path of its file.
    pub path: String,
    /// Its first line in that file.
    pub line: usize,
    /// The tags of the entry, or of the document.
    pub tags: Vec<String>,
    /// The status that a decision record states.
    pub status: Option<String>,
    /// Whether an entry is resolved.
    pub resolved: bool,
    /// Its standing before the events of the log are applied.
    pub standing: Standing,
}

const SECTION_PREFIX: &str = "document:";

/// Returns the name of the group of a session's records.
pub fn session_group(session: &str) -> String {
    format!("session:{session}")
}

/// Returns the name of a section of a document; sections are counted from 1.
pub fn section_name(path: &str, number: usize) -> String {
    format!("{SECTION_PREFIX}{path}#{number}")
}

/// Returns the name of a section without its prefix: `docs/plan.md#2`. `None` if it is not the name of a section.
pub fn strip_section_prefix(name: &str) -> Option<&str> {
    name.strip_prefix(SECTION_PREFIX)
}

/// Splits the name of a section, with or without its prefix, into the path of its document and its number:
/// `docs/plan.md#2`. `None` if it does not end in a number.
pub fn split_section_name(name: &str) -> Option<(&str, &str)> {
    let name = strip_section_prefix(name).unwrap_or(name);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let (path, number) = name.rsplit_once('#').filter(|(_, number)| is_number(number))?;
    Some((path.trim_start_matches("./"), number))
}

/// The field and the value of the filter term of episodes and of records of sessions.
pub const SESSION_FILTER: (&str, &str) = ("session", "any");

/// Returns the term that a filter looks up. `field` is `kind`, `section`, `scope`, `tag`, `category`, `level`, `visibility`,
/// `validity`, `instruction`, `session`, `record`, `commit`, `file` or `path`. A control character keeps it apart from the terms of texts.
pub fn filter_term(field: &str, value: &str) -> String {
    format!("\u{1}{field}={}", words::normalise(value))
}

/// Returns the filter term of a memory that states a standing instruction or a preference.
pub fn standing_instruction_term() -> Cow<'static, str> {
    filter_term("instruction", "standing").into()
}

/// Returns the filter term of a memory that opens with a standing instruction or a preference.
pub fn opening_instruction_term() -> Cow<'static, str> {
    filter_term("instruction", "opening").into()
}

/// Returns the filter term of a section of a document that states a standing instruction.
pub fn section_instruction_term() -> Cow<'static, str> {
    filter_term("instruction", "section").into()
}

/// The filter terms of an enum's values, built once because most records have them.
type FilterTerms<T> = LazyLock<Vec<(T, String)>>;

static KIND_TERMS: FilterTerms<RecordKind> =
    LazyLock::new(|| RecordKind::ALL.map(|kind| (kind, filter_term("kind", kind.as_str()))).into());

/// The filter term of an episode and of a record of a session.
static SESSION_TERM: LazyLock<String> =
    LazyLock::new(|| filter_term(SESSION_FILTER.0, SESSION_FILTER.1));

static RECORD_TERMS: FilterTerms<RecordKind> = LazyLock::new(|| {
    RecordKind::ALL.map(|kind| (kind, filter_term("record", kind.as_str()))).into()
});

static SECTION_TERMS: FilterTerms<FactSection> = LazyLock::new(|| {
    FactSection::ALL.map(|section| (section, filter_term("section", section.title()))).into()
});

/// Maximum number of files by which a record is found.
const MAX_FILE_TERMS: usize = 200;

/// The number of digits of a commit's hash by which memories are found that belong to it.
const COMMIT_DIGITS: usize = 7;

/// Returns the value of the filter `commit` for a hash or the beginning of one; `None` for most other texts. A word such as
/// `defaced` is taken for one, which does no harm.
pub fn commit_filter_value(hash: &str) -> Option<&str> {
    let is_hash = hash.len() <= 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    hash.get(..COMMIT_DIGITS).filter(|_| is_hash)
}

/// Returns the filter terms of the commits and files that a record says it belongs to: in its artifacts, in its source,
/// and in the commits and files of an episode.
fn work_terms(record: &Record) -> impl Iterator<Item = String> {
    let episode = match &record.body {
        Body::Episode(episode) => Some(episode),
        _ => None,
    };
    let artifacts = |prefix: &'static str| {
        record.artifacts.iter().filter_map(move |artifact| artifact.strip_prefix(prefix))
    };
    let in_source =
        record.source.iter().flat_map(|source| source.split(|c: char| !c.is_ascii_alphanumeric()));
    let in_episode = episode.into_iter().flat_map(|episode| &episode.commits);
    let in_episode = in_episode.filter_map(|commit| commit.split(' ').next());
    let commits =
        artifacts("commit:").chain(in_source).chain(in_episode).filter_map(commit_filter_value);
    let files = episode.into_iter().flat_map(|episode| &episode.files).map(String::as_str);
    let files = artifacts("file:").chain(files);
    let mut terms: Vec<String> = commits
        .map(|commit| filter_term("commit", commit))
        .chain(files.take(MAX_FILE_TERMS).map(|file| filter_term("file", file)))
        .collect();
    terms.sort();
    terms.dedup();
    terms.into_iter()
}

fn known_filter_term<T: PartialEq>(terms: &'static FilterTerms<T>, value: &T) -> Cow<'static, str> {
    let term = terms.iter().find(|(candidate, _)| candidate == value);
    term.map(|(_, term)| term.as_str()).unwrap_or_default().into()
}

impl Passage {
    /// Creates the passage of an item of the log.
    pub fn of_item(item: &Item<'_>) -> Self {
        let record = item.record;
        let mut filter_terms = vec![
            known_filter_term(&KIND_TERMS, &record.kind()),
            // A level of documents may have the name of a record kind, so records have a field of their own.
            known_filter_term(&RECORD_TERMS, &record.kind()),
        ];
        if let Body::Fact(fact) = &record.body {
            filter_terms.push(known_filter_term(&SECTION_TERMS, &fact.section));
            filter_terms.extend(fact.scope.iter().map(|scope| filter_term("scope", scope).into()));
        }
        filter_terms.extend(record.tags.iter().map(|tag| filter_term("tag", tag).into()));
        filter_terms.extend(work_terms(record).map(Cow::from));
        filter_terms
            .extend(record.is_private().then(|| filter_term("visibility", "private").into()));
        filter_terms
            .extend(record.valid_to.is_some().then(|| filter_term("validity", "ends").into()));
        if record.session_id().is_some() || record.kind() == RecordKind::Episode {
            filter_terms.push(SESSION_TERM.as_str().into());
        }
        let episode = match &record.body {
            Body::Episode(episode) => Some(episode),
            _ => None,
        };
        if episode.is_some_and(|episode| !episode.instructions.is_empty()) {
            filter_terms.push(standing_instruction_term());
        }
        let text = record.indexed_text();
        // Its text may state the instruction in words that are not recognised.
        if is_accepted_as_standing(&record.tags) && instruction_form(&text, &text, true).is_none() {
            filter_terms.push(standing_instruction_term());
        }
        Passage {
            name: item.id.to_string(),
            subject_override: None,
            text,
            title: record.title().map(str::to_owned),
            summary: record.levels.summary.clone(),
            filter_terms,
            may_instruct: episode.is_none(),
            group: record.session_id().map(session_group),
            position: record.at.as_microsecond(),
            day: Some(day::of_timestamp(record.at)),
            confidence: record.confidence,
            duplicate_of: None,
            standing: Standing::Active,
            part: None,
        }
    }

    /// Returns what the log refers to it by: for an item of the log, its id.
    pub fn subject(&self) -> Referent {
        self.subject_override.clone().unwrap_or_else(|| self.name.as_str().into())
    }

    /// Returns the name of the memory that it belongs to, which takes one place in an answer: all sections of a document
    /// are one memory.
    pub fn memory(&self) -> &str {
        let document =
            strip_section_prefix(&self.name).and_then(|section| section.rsplit_once('#'));
        document.map_or(&self.name, |(path, _)| path)
    }

    /// Returns the filter terms for the standing instructions and preferences that a chunk of its text states.
    pub fn instruction_terms(
        &self,
        chunk: &str,
        is_first: bool,
    ) -> impl Iterator<Item = Cow<'static, str>> {
        let section = strip_section_prefix(&self.name);
        let terms = match section {
            _ if !self.may_instruct => [None, None],
            Some(name) => {
                let instructs = chunk_instructs(name, &self.text, chunk, is_first);
                [instructs.then(section_instruction_term), None]
            }
            None => {
                let form = instruction_form(&self.text, chunk, is_first);
                let is_opening = form == Some(InstructionForm::Opening);
                [
                    form.map(|_| standing_instruction_term()),
                    is_opening.then(opening_instruction_term),
                ]
            }
        };
        terms.into_iter().flatten()
    }

    /// Returns a hash of everything that is indexed: a passage with an unchanged hash is not indexed again.
    pub fn fingerprint(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let summary = self.summary.as_deref().unwrap_or_default();
        let title = self.title.as_deref().unwrap_or_default();
        let texts = [self.text.as_str(), summary, title];
        for part in texts.into_iter().chain(self.filter_terms.iter().map(Cow::as_ref)) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        short
    }
}

/// A key of a record. Records that share a key, directly or through others, form a connected component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentKey<'r> {
    /// The record itself, or what it refers to.
    Referent(Cow<'r, Referent>),
    /// Its origin.
    Origin(Cow<'r, Origin>),
    /// The hash of its text, for a fact.
    TextHash([u8; 32]),
}

impl ComponentKey<'_> {
    /// Returns a copy that borrows nothing.
    pub fn into_owned(self) -> ComponentKey<'static> {
        match self {
            ComponentKey::Referent(referent) => {
                ComponentKey::Referent(Cow::Owned(referent.into_owned()))
            }
            ComponentKey::Origin(origin) => ComponentKey::Origin(Cow::Owned(origin.into_owned())),
            ComponentKey::TextHash(hash) => ComponentKey::TextHash(hash),
        }
    }
}

impl From<Referent> for ComponentKey<'_> {
    fn from(referent: Referent) -> Self {
        ComponentKey::Referent(Cow::Owned(referent))
    }
}

impl From<Origin> for ComponentKey<'_> {
    fn from(origin: Origin) -> Self {
        ComponentKey::Origin(Cow::Owned(origin))
    }
}

/// Returns the keys of a record. The state of a record depends only on its connected component, so an update folds the
/// components of the changed lines and nothing else.
pub fn component_keys(record: &Record) -> impl Iterator<Item = ComponentKey<'_>> {
    keys(record, text_key(record))
}

/// Returns the keys of a line, without hashing its text again.
pub fn component_keys_of_line(line: &Line) -> impl Iterator<Item = ComponentKey<'_>> {
    keys(&line.record, line.text_key().copied())
}

fn keys(record: &Record, text_hash: Option<[u8; 32]>) -> impl Iterator<Item = ComponentKey<'_>> {
    let (targets, undoes) = match &record.body {
        Body::Event(event) => (event.targets.as_slice(), event.undoes.as_slice()),
        Body::Tombstone(tombstone) => (std::slice::from_ref(&tombstone.purged), [].as_slice()),
        _ => Default::default(),
    };
    let named = record.supersedes.iter().chain(targets).chain(undoes).map(Cow::Borrowed);
    let origin = record.origin.as_ref();
    let entry = origin.and_then(Origin::referred_entry).map(Cow::Owned);
    std::iter::once(Cow::Owned(record.id.into()))
        .chain(named)
        .chain(entry)
        .map(ComponentKey::Referent)
        .chain(origin.map(|origin| ComponentKey::Origin(Cow::Borrowed(origin))))
        .chain(text_hash.map(ComponentKey::TextHash))
}
