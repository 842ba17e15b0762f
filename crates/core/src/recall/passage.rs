//! One thing that can be recalled, as an index keeps it.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::fold::{Item, Line, Standing, text_key};
use crate::record::{Body, Kind, Record, Section};
use crate::{day, words};

/// One thing that can be recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// What it is called in an index, and nothing else is.
    pub name: String,
    /// The name under which the log speaks of it, unless that is the same: `entry:…`, which equal
    /// entries of two documents share, or `doc:…`, which all parts of a document share.
    pub own_subject: Option<String>,
    /// What it says, with every word that it can be found by.
    pub text: String,
    /// What it is called, whose words count twice.
    pub title: Option<String>,
    /// The same in a sentence or two, whose meaning is looked at as well.
    pub summary: Option<String>,
    /// What it is, for those who ask for one sort only: see [`mark`].
    pub marks: Vec<Cow<'static, str>>,
    /// The document, session or conversation that it stands in.
    pub group: Option<String>,
    /// Where it stands there.
    pub position: i64,
    /// Its day, if it is known.
    pub day: Option<Date>,
    /// How sure its writer was, if they said so.
    pub confidence: Option<f64>,
    /// The subject that says the same in its place, where that is there.
    pub repeats: Option<String>,
    /// How things stand with it by itself, whatever the log says.
    pub standing: Standing,
    /// What is answered with a part of a document; a record of the log is read from its line.
    pub part: Option<DocumentPart>,
}

/// A part of a document as it is answered: an entry of a memory document, or a section of another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPart {
    /// The id of an entry, or the name of a section.
    pub id: String,
    /// What it is, such as `finding`, `plan` or `adr`.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// Whose memory it is, for an entry.
    pub by: String,
    /// When it was written, as far as that is known.
    pub date: Option<Date>,
    /// Its file.
    pub path: String,
    /// Its first line there.
    pub line: usize,
    /// The tags of its document.
    pub tags: Vec<String>,
    /// The status that a decision record states.
    pub status: Option<String>,
    /// Whether an entry is settled.
    pub resolved: bool,
    /// How things stand with it by itself, whatever the log says.
    pub standing: Standing,
}

/// Makes a term that no text has, for those who ask for one sort only: `kind`, `section`, `scope`,
/// `tag`, `level`, `visibility`, `record`.
pub fn mark(sort: &str, word: &str) -> String {
    format!("\u{1}{sort}={}", words::normalised(word))
}

/// Marks that most things of the log have.
type KnownMarks<T> = LazyLock<Vec<(T, String)>>;

static KINDS: KnownMarks<Kind> =
    LazyLock::new(|| Kind::ALL.map(|kind| (kind, mark("kind", kind.word()))).into());

static RECORDS: KnownMarks<Kind> =
    LazyLock::new(|| Kind::ALL.map(|kind| (kind, mark("record", kind.word()))).into());

static SECTIONS: KnownMarks<Section> = LazyLock::new(|| {
    Section::ALL.map(|section| (section, mark("section", section.title()))).into()
});

fn known_mark<T: PartialEq>(marks: &'static KnownMarks<T>, of: &T) -> Cow<'static, str> {
    let own = marks.iter().find(|(one, _)| one == of);
    own.map(|(_, mark)| mark.as_str()).unwrap_or_default().into()
}

impl Passage {
    /// Takes a thing of the log.
    pub fn of_item(item: &Item<'_>) -> Self {
        let record = item.record;
        let mut marks = vec![
            known_mark(&KINDS, &record.kind()),
            // Documents may be of a level that is called as a kind of record is.
            known_mark(&RECORDS, &record.kind()),
        ];
        if let Body::Fact(fact) = &record.body {
            marks.push(known_mark(&SECTIONS, &fact.section));
            marks.extend(fact.scope.iter().map(|scope| mark("scope", scope).into()));
        }
        marks.extend(record.tags.iter().map(|tag| mark("tag", tag).into()));
        marks.extend(record.is_private().then(|| mark("visibility", "private").into()));
        Passage {
            name: item.id.to_string(),
            own_subject: None,
            text: record.searchable(),
            title: title(record).map(str::to_owned),
            summary: record.levels.summary.clone(),
            marks,
            group: record.session.as_ref().map(|session| format!("session:{session}")),
            position: record.at.as_microsecond(),
            day: Some(day::of(record.at)),
            confidence: record.confidence,
            repeats: None,
            standing: Standing::Active,
            part: None,
        }
    }

    /// Returns the name under which the log speaks of it: for a thing of the log, its id.
    pub fn subject(&self) -> &str {
        self.own_subject.as_ref().unwrap_or(&self.name)
    }

    /// Returns a hash of all that is looked for in it: two with equal ones need not be read again.
    pub fn fingerprint(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let summary = self.summary.as_deref().unwrap_or_default();
        let title = self.title.as_deref().unwrap_or_default();
        let own = [self.text.as_str(), summary, title];
        for part in own.into_iter().chain(self.marks.iter().map(Cow::as_ref)) {
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

/// What stands before the hash of what a fact says, in the name that ties it to those that say the
/// same.
pub const TEXT: &str = "text:";

/// What stands before what a record was taken from, in the name that ties it to others from there.
pub const ORIGIN: &str = "origin:";

/// Returns the name that ties together what was taken from one origin.
pub fn origin_tie(origin: &str) -> String {
    Tie::Origin(origin).to_string()
}

/// Something that ties a record to others, shown as its name.
#[derive(Debug, Clone, Copy)]
pub enum Tie<'r> {
    /// Its own id.
    Id(Uuid),
    /// A record or an entry that it names.
    Name(&'r str),
    /// What it was taken from.
    Origin(&'r str),
    /// The hash of what it says.
    Says(&'r [u8; 32]),
}

impl fmt::Display for Tie<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tie::Id(id) => id.fmt(f),
            Tie::Name(name) => f.write_str(name),
            Tie::Origin(origin) => write!(f, "{ORIGIN}{origin}"),
            Tie::Says(hash) => write!(f, "{TEXT}{}", blake3::Hash::from(**hash).to_hex()),
        }
    }
}

/// Returns the names of everything that ties a record to others, so that what becomes of one can be
/// told from those that share a name with it, directly or by way of others.
pub fn ties(record: &Record) -> Vec<String> {
    what_ties(record, text_key(record).as_ref()).map(|tie| tie.to_string()).collect()
}

/// Returns the same for a line of the log, which knows what it says.
pub fn ties_of_line(line: &Line) -> impl Iterator<Item = Tie<'_>> {
    what_ties(&line.record, line.says())
}

fn what_ties<'r>(record: &'r Record, says: Option<&'r [u8; 32]>) -> impl Iterator<Item = Tie<'r>> {
    let (targets, undoes) = match &record.body {
        Body::Event(event) => (event.targets.as_slice(), event.undoes.as_slice()),
        _ => Default::default(),
    };
    let named = record.supersedes.iter().chain(targets).chain(undoes).map(String::as_str);
    let origin = record.origin.as_deref();
    let entry = origin.filter(|origin| origin.starts_with("entry:"));
    let entry = entry.and_then(|origin| origin.split('#').next());
    std::iter::once(Tie::Id(record.id))
        .chain(named.chain(entry).map(Tie::Name))
        .chain(origin.map(Tie::Origin))
        .chain(says.map(Tie::Says))
}
