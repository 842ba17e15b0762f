//! A generated memory log of any length, with a realistic mix of records.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::files;
use crate::ids::FIRST_RECORD_MS;
use crate::prose::Prose;

/// How many clones write to the log, each to its own files.
const WRITERS: usize = 4;
/// How many records a day has: a log twice as long covers twice the time, and has twice the files.
const RECORDS_PER_DAY: usize = 300;
/// How many days of each month are used, so that all months are alike.
const DAYS_PER_MONTH: usize = 28;
/// How many pins there are at most; a new one replaces the oldest.
const MAX_PINS: usize = 5;

const SECTIONS: &[&str] = &[
    "Architecture",
    "Decisions",
    "Constraints",
    "Known Issues",
    "Patterns & Conventions",
    "Specs",
    "Recent Work",
];
const RELATIONS: &[&str] = &["depends_on", "contradicts", "enables", "replaces", "motivated_by"];
const PEOPLE: &[&str] = &["ada", "grace", "claude", "codex"];

/// What a log contains, to check the answers of heir.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogContents {
    pub(crate) bytes: usize,
    /// How many files it has.
    pub(crate) shards: usize,
    /// How many lines of each kind it has.
    pub(crate) kinds: BTreeMap<&'static str, usize>,
    /// How many facts repeat the text of another one.
    pub(crate) repeated_facts: usize,
}

/// Writes a log of `records` records to `root`, the same in every run.
pub(crate) fn write_log(root: &Path, records: usize) -> Result<LogContents, Failure> {
    let mut log = LogWriter::default();
    for number in 0..records {
        log.add(number);
    }
    let mut contents = log.contents;
    contents.shards = log.shards.len();
    for (path, text) in log.shards {
        contents.bytes += text.len();
        files::write(&root.join(path), &text)?;
    }
    Ok(contents)
}

struct LogWriter {
    prose: Prose,
    contents: LogContents,
    shards: BTreeMap<String, String>,
    /// The id, section and text of each fact.
    facts: Vec<(String, &'static str, String)>,
    /// For each fact, the index of the one that superseded it.
    successors: Vec<Option<usize>>,
    notes: Vec<String>,
    archives: Vec<String>,
    pins: Vec<String>,
}

impl Default for LogWriter {
    fn default() -> LogWriter {
        LogWriter {
            prose: Prose::of("records"),
            contents: LogContents::default(),
            shards: BTreeMap::new(),
            facts: Vec::new(),
            successors: Vec::new(),
            notes: Vec::new(),
            archives: Vec::new(),
            pins: Vec::new(),
        }
    }
}

impl LogWriter {
    fn add(&mut self, number: usize) {
        let id = id(number, self.prose.below(1 << 30));
        let (kind, body) = match self.prose.below(1000) {
            _ if self.facts.len() < 10 => ("fact", self.fact(&id)),
            0..700 => ("fact", self.fact(&id)),
            700..760 => ("episode", self.episode()),
            760..770 => ("pattern", self.pattern()),
            770..780 => ("workflow", self.workflow()),
            780..860 => ("edge", self.edge()),
            860..900 => ("note", self.note(&id)),
            _ => ("event", self.event(&id)),
        };
        let day = number / RECORDS_PER_DAY;
        let (month, day) = (day / DAYS_PER_MONTH, day % DAYS_PER_MONTH + 1);
        let (year, month) = (2024 + month / 12, month % 12 + 1);
        let second = number % RECORDS_PER_DAY * 86_400 / RECORDS_PER_DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let mut record = json!({ "v": 1, "id": id, "kind": kind });
        let fields = record.as_object_mut().expect("it was written as an object");
        fields.extend(body);
        fields.insert(
            "at".to_owned(),
            json!(format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")),
        );
        let writer = self.prose.below(WRITERS);
        fields.insert("by".to_owned(), json!(PEOPLE[writer]));
        let shard = format!(
            ".heirloom/memory/{kind}/{year}-{month:02}-{:08x}.jsonl",
            0x1f3a_90c2 + writer * 0x0101_0101
        );
        let text = self.shards.entry(shard).or_default();
        text.push_str(&record.to_string());
        text.push('\n');
        *self.contents.kinds.entry(kind).or_default() += 1;
    }

    /// Creates a fact: one in ten supersedes an older one, one in twenty repeats another one.
    fn fact(&mut self, id: &str) -> Map<String, Value> {
        let (mut section, mut text) = (self.prose.pick(SECTIONS), self.prose.sentence());
        let mut supersedes = Vec::new();
        match self.prose.below(100) {
            _ if self.facts.is_empty() => {}
            0..10 => {
                let mut old = self.prose.below(self.facts.len());
                // Two records that supersede the same fact are rare.
                let forks = self.prose.below(100) == 0;
                while let Some(next) = self.successors[old].filter(|_| !forks) {
                    old = next;
                }
                self.successors[old] = Some(self.facts.len());
                supersedes.push(self.facts[old].0.clone());
            }
            10..15 => {
                let (_, same_section, same_text) = &self.facts[self.prose.below(self.facts.len())];
                (section, text) = (same_section, same_text.clone());
                self.contents.repeated_facts += 1;
            }
            _ => {}
        }
        self.facts.push((id.to_owned(), section, text.clone()));
        self.successors.push(None);
        let mut body = object(json!({ "section": section, "content": text }));
        if !supersedes.is_empty() {
            body.insert("supersedes".to_owned(), json!(supersedes));
        }
        if self.prose.below(2) == 0 {
            body.insert("tags".to_owned(), json!([self.prose.word(), self.prose.word()]));
        }
        if self.prose.below(4) == 0 {
            body.insert("confidence".to_owned(), json!(0.8));
            body.insert(
                "artifacts".to_owned(),
                json!([format!("file:src/{}.rs", self.prose.word())]),
            );
        }
        body
    }

    fn episode(&mut self) -> Map<String, Value> {
        let prose = &mut self.prose;
        let stored: Vec<&str> =
            (0..3).map(|_| self.facts[prose.below(self.facts.len())].0.as_str()).collect();
        object(json!({
            "title": prose.title(),
            "content": prose.paragraph(3),
            "goals": [prose.sentence()],
            "decisions": [prose.sentence(), prose.sentence()],
            "outcome": prose.sentence(),
            "files": [format!("src/{}.rs", prose.word())],
            "stored": stored,
            "turns": 12,
        }))
    }

    fn pattern(&mut self) -> Map<String, Value> {
        let prose = &mut self.prose;
        object(json!({
            "trigger": prose.title(),
            "template": { "name": prose.word(), "parts": [prose.word(), prose.word()] },
            "hint": prose.sentence(),
        }))
    }

    fn workflow(&mut self) -> Map<String, Value> {
        let prose = &mut self.prose;
        object(json!({
            "trigger": prose.title(),
            "steps": [prose.sentence(), prose.sentence(), prose.sentence()],
        }))
    }

    fn edge(&mut self) -> Map<String, Value> {
        let (from, to) = (self.any_fact(), self.any_fact());
        object(json!({ "from": from, "to": to, "relation": self.prose.pick(RELATIONS) }))
    }

    fn note(&mut self, id: &str) -> Map<String, Value> {
        self.notes.push(id.to_owned());
        object(json!({ "content": self.prose.sentence() }))
    }

    fn event(&mut self, id: &str) -> Map<String, Value> {
        let reinforce = |target| json!({ "action": "reinforce", "targets": [target] });
        let event = match self.prose.below(100) {
            0..40 => {
                self.archives.push(id.to_owned());
                let (target, reason) = (self.any_fact(), self.prose.sentence());
                json!({ "action": "archive", "targets": [target], "reason": reason })
            }
            40..50 if !self.archives.is_empty() => {
                let archive = self.archives.swap_remove(self.prose.below(self.archives.len()));
                json!({ "action": "restore", "undoes": [archive] })
            }
            50..60 if self.pins.len() >= MAX_PINS => {
                json!({ "action": "release", "undoes": [self.pins.remove(0)] })
            }
            50..60 => {
                self.pins.push(id.to_owned());
                json!({ "action": "pin", "targets": [self.any_fact()] })
            }
            60..70 if !self.notes.is_empty() => {
                let note = self.notes.swap_remove(self.prose.below(self.notes.len()));
                json!({ "action": "resolve", "targets": [note] })
            }
            _ => reinforce(self.any_fact()),
        };
        object(event)
    }

    fn any_fact(&mut self) -> String {
        self.facts[self.prose.below(self.facts.len())].0.clone()
    }
}

/// Returns the id of a record: a UUIDv7 with its time.
fn id(number: usize, noise: usize) -> String {
    let millis = FIRST_RECORD_MS + (number * (86_400_000 / RECORDS_PER_DAY)) as u64;
    format!(
        "{:08x}-{:04x}-7{:03x}-8{:03x}-{noise:012x}",
        millis >> 16,
        millis & 0xffff,
        number >> 12 & 0xfff,
        number & 0xfff
    )
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { unreachable!("it was written as an object") };
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_deterministic_and_has_the_documented_mix() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, other] =
            folders.each_ref().map(|folder| write_log(folder.path(), 20_000).unwrap());
        assert_eq!(one, other);
        assert_eq!(one.kinds.values().sum::<usize>(), 20_000);
        let facts = one.kinds["fact"];
        assert!((13_700..14_300).contains(&facts), "{facts}");
        assert!((facts / 25..facts / 17).contains(&one.repeated_facts), "{}", one.repeated_facts);
        assert!(one.shards > 7 * WRITERS, "{}", one.shards);
    }

    #[test]
    fn ids_are_ascending_uuids_of_version_7() {
        let ids: Vec<_> = (0..5000).map(|number| id(number, 5000 - number)).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.len() == 36 && &id[14..15] == "7" && &id[19..20] == "8"));
    }
}
