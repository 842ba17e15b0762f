//! One thing that can be recalled, as an index keeps it.

use jiff::civil::Date;

use crate::fold::{Item, Line, Standing, text_key};
use crate::record::{Body, Record};
use crate::{day, words};

/// One thing that can be recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// What it is called in an index, and nothing else is.
    pub name: String,
    /// The name under which the log speaks of it: a record's id, `entry:…`, which equal entries of
    /// two documents share, or `doc:…`, which all parts of a document share.
    pub subject: String,
    /// What it says, with every word that it can be found by.
    pub text: String,
    /// What it is called, whose words count twice.
    pub title: Option<String>,
    /// The same in a sentence or two, whose meaning is looked at as well.
    pub summary: Option<String>,
    /// What it is, for those who ask for one sort only: see [`mark`].
    pub marks: Vec<String>,
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
    /// What else is to be answered with it.
    pub data: Option<String>,
}

/// Makes a term that no text has, for those who ask for one sort only: `kind`, `section`, `scope`,
/// `tag`, `level`.
pub fn mark(sort: &str, word: &str) -> String {
    format!("\u{1}{sort}={}", words::normalised(word))
}

impl Passage {
    /// Takes a thing of the log.
    pub fn of_item(item: &Item<'_>) -> Self {
        let record = item.record;
        let mut marks = vec![mark("kind", record.kind().word())];
        if let Body::Fact(fact) = &record.body {
            marks.push(mark("section", fact.section.title()));
            marks.extend(fact.scope.iter().map(|scope| mark("scope", scope)));
        }
        marks.extend(record.tags.iter().map(|tag| mark("tag", tag)));
        Passage {
            name: item.id.to_string(),
            subject: item.id.to_string(),
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
            data: None,
        }
    }

    /// Returns its subject, if that is not its name.
    pub fn own_subject(&self) -> Option<&str> {
        Some(self.subject.as_str()).filter(|subject| *subject != self.name)
    }

    /// Returns a hash of all that is looked for in it: two with equal ones need not be read again.
    pub fn fingerprint(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let summary = self.summary.as_deref().unwrap_or_default();
        let title = self.title.as_deref().unwrap_or_default();
        let own = [self.text.as_str(), summary, title];
        for part in own.into_iter().chain(self.marks.iter().map(String::as_str)) {
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

/// Returns the name that ties together what was taken from one origin.
pub fn origin_tie(origin: &str) -> String {
    format!("origin:{origin}")
}

/// Returns everything that ties a record to others, so that what becomes of one can be told from
/// those that share a name with it, directly or by way of others.
pub fn ties(record: &Record) -> Vec<String> {
    names_that_tie(record, text_key(record).as_ref())
}

/// Returns the same for a line of the log, which knows what it says.
pub fn ties_of_line(line: &Line) -> Vec<String> {
    names_that_tie(&line.record, line.says())
}

fn names_that_tie(record: &Record, says: Option<&[u8; 32]>) -> Vec<String> {
    let mut ties = vec![record.id.to_string()];
    ties.extend(record.supersedes.iter().cloned());
    if let Body::Event(event) = &record.body {
        ties.extend(event.targets.iter().chain(&event.undoes).cloned());
    }
    if let Some(origin) = record.origin.as_deref() {
        ties.push(origin_tie(origin));
        if origin.starts_with("entry:") {
            ties.extend(origin.split('#').next().map(str::to_owned));
        }
    }
    ties.extend(says.map(|key| format!("{TEXT}{}", blake3::Hash::from(*key).to_hex())));
    ties
}
