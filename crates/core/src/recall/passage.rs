//! Passages: the units that an index stores and recall returns.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::fold::{Item, Line, Standing, text_key};
use crate::record::{Body, FactSection, Record, RecordKind};
use crate::{day, words};

/// A unit of recall: a record of the log, an entry of a memory document or a section of another document.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its unique name in an index.
    pub name: String,
    /// The name that events of the log use for it, if it differs from `name`: `entry:…`, which equal entries of two
    /// documents share, or `doc:…`, which all sections of a document share.
    pub subject_override: Option<String>,
    /// The text that is indexed, with every word that it can be found by.
    pub text: String,
    /// The title, whose terms count twice.
    pub title: Option<String>,
    /// A summary in a sentence or two, which gets an embedding of its own.
    pub summary: Option<String>,
    /// The terms that filters use, made by [`mark`].
    pub filter_terms: Vec<Cow<'static, str>>,
    /// The document, session or conversation that it belongs to.
    pub group: Option<String>,
    /// Its order within the group.
    pub position: i64,
    /// Its day, if it is known.
    pub day: Option<Date>,
    /// The confidence that it states, 0 to 1.
    pub confidence: Option<f64>,
    /// The subject that replaces it in results if the index contains that subject: it says the same.
    pub duplicate_of: Option<String>,
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
    /// The tags of its document.
    pub tags: Vec<String>,
    /// The status that a decision record states.
    pub status: Option<String>,
    /// Whether an entry is resolved.
    pub resolved: bool,
    /// Its standing before the events of the log are applied.
    pub standing: Standing,
}

/// Returns the term that a filter looks up. `field` is `kind`, `section`, `scope`, `tag`, `level`, `visibility` or
/// `record`. A control character keeps it apart from the terms of texts.
pub fn filter_term(field: &str, value: &str) -> String {
    format!("\u{1}{field}={}", words::normalise(value))
}

/// The filter terms of an enum's values, built once because most records have them.
type FilterTerms<T> = LazyLock<Vec<(T, String)>>;

static KIND_TERMS: FilterTerms<RecordKind> =
    LazyLock::new(|| RecordKind::ALL.map(|kind| (kind, filter_term("kind", kind.word()))).into());

static RECORD_TERMS: FilterTerms<RecordKind> =
    LazyLock::new(|| RecordKind::ALL.map(|kind| (kind, filter_term("record", kind.word()))).into());

static SECTION_TERMS: FilterTerms<FactSection> = LazyLock::new(|| {
    FactSection::ALL.map(|section| (section, filter_term("section", section.title()))).into()
});

fn known_filter_term<T: PartialEq>(terms: &'static FilterTerms<T>, value: &T) -> Cow<'static, str> {
    let term = terms.iter().find(|(candidate, _)| candidate == value);
    term.map(|(_, term)| term.as_str()).unwrap_or_default().into()
}

impl Passage {
    /// Creates the passage of an item of the log.
    pub fn of_item(item: &Item<'_>) -> Self {
        let record = item.record;
        let mut marks = vec![
            known_filter_term(&KIND_TERMS, &record.kind()),
            // A level of documents may have the name of a record kind, so records have a field of their own.
            known_filter_term(&RECORD_TERMS, &record.kind()),
        ];
        if let Body::Fact(fact) = &record.body {
            marks.push(known_filter_term(&SECTION_TERMS, &fact.section));
            marks.extend(fact.scope.iter().map(|scope| filter_term("scope", scope).into()));
        }
        marks.extend(record.tags.iter().map(|tag| filter_term("tag", tag).into()));
        marks.extend(record.is_private().then(|| filter_term("visibility", "private").into()));
        Passage {
            name: item.id.to_string(),
            subject_override: None,
            text: record.indexed_text(),
            title: title(record).map(str::to_owned),
            summary: record.levels.summary.clone(),
            filter_terms: marks,
            group: record.session.as_ref().map(|session| format!("session:{session}")),
            position: record.at.as_microsecond(),
            day: Some(day::of_timestamp(record.at)),
            confidence: record.confidence,
            duplicate_of: None,
            standing: Standing::Active,
            part: None,
        }
    }

    /// Returns the name that events of the log use for it: for an item of the log, its id.
    pub fn subject(&self) -> &str {
        self.subject_override.as_ref().unwrap_or(&self.name)
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

fn title(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Fact(fact) => fact.key.as_deref(),
        Body::Episode(episode) => Some(&episode.title),
        Body::Pattern(pattern) => Some(&pattern.trigger),
        Body::Workflow(workflow) => Some(&workflow.trigger),
        Body::Edge(_) | Body::Note(_) | Body::Event(_) => None,
    }
}

/// The prefix of the key that facts with the same text share; a hash of the text follows.
pub const TEXT_KEY_PREFIX: &str = "text:";

/// The prefix of the key that records of the same origin share; the origin follows.
pub const ORIGIN_KEY_PREFIX: &str = "origin:";

/// Returns the key that the records of an origin share.
pub fn origin_key(origin: &str) -> String {
    ComponentKey::Origin(origin).to_string()
}

/// A key of a record. Records that share a key, directly or through others, form a connected component.
#[derive(Debug, Clone, Copy)]
pub enum ComponentKey<'r> {
    /// Its own id.
    Id(Uuid),
    /// The name of a record or an entry that it refers to.
    Name(&'r str),
    /// Its origin.
    Origin(&'r str),
    /// The hash of its text.
    TextHash(&'r [u8; 32]),
}

impl fmt::Display for ComponentKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComponentKey::Id(id) => id.fmt(f),
            ComponentKey::Name(name) => f.write_str(name),
            ComponentKey::Origin(origin) => write!(f, "{ORIGIN_KEY_PREFIX}{origin}"),
            ComponentKey::TextHash(hash) => {
                write!(f, "{TEXT_KEY_PREFIX}{}", blake3::Hash::from(**hash).to_hex())
            }
        }
    }
}

/// Returns the keys of a record. The state of a record depends only on its connected component, so an update folds the
/// components of the changed lines and nothing else.
pub fn component_keys(record: &Record) -> Vec<String> {
    keys(record, text_key(record).as_ref()).map(|key| key.to_string()).collect()
}

/// Returns the keys of a line, without hashing its text again.
pub fn component_keys_of_line(line: &Line) -> impl Iterator<Item = ComponentKey<'_>> {
    keys(&line.record, line.text_key())
}

fn keys<'r>(
    record: &'r Record,
    text_hash: Option<&'r [u8; 32]>,
) -> impl Iterator<Item = ComponentKey<'r>> {
    let (targets, undoes) = match &record.body {
        Body::Event(event) => (event.targets.as_slice(), event.undoes.as_slice()),
        _ => Default::default(),
    };
    let names = record.supersedes.iter().chain(targets).chain(undoes).map(String::as_str);
    let origin = record.origin.as_deref();
    let entry = origin.filter(|origin| origin.starts_with("entry:"));
    let entry = entry.and_then(|origin| origin.split('#').next());
    std::iter::once(ComponentKey::Id(record.id))
        .chain(names.chain(entry).map(ComponentKey::Name))
        .chain(origin.map(ComponentKey::Origin))
        .chain(text_hash.map(ComponentKey::TextHash))
}
