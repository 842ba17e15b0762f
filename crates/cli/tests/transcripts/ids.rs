//! Ids that differ from run to run, written as numbers that do not.

use std::fmt::Write;

/// How many characters of an id a command prints at least.
const SHORTEST: usize = 8;

/// What precedes the id of a session in a memory document, after its number and its date.
const SESSION_MARKER: &str = " <!-- id:";

/// The ids of a workspace in the order in which they were first seen. The first one is written as
/// `…000000000001`, which has the length of an id, so that tables keep their columns.
pub(crate) struct Ids {
    random: Vec<String>,
    /// The ids that the transcript's own files contain. They are the same in every run.
    fixed: Vec<String>,
}

impl Ids {
    /// Starts with the ids of the transcript's own files, which are shown as they are.
    pub(crate) fn fixed_by(fixture: &str) -> Self {
        Ids { random: Vec::new(), fixed: ids(fixture).map(str::to_owned).collect() }
    }

    /// Takes note of all ids in a text.
    pub(crate) fn learn(&mut self, text: &str) {
        for id in ids(text) {
            if !self.random.iter().chain(&self.fixed).any(|known| known == id) {
                self.random.push(id.to_owned());
            }
        }
    }

    /// Writes the ids of a text as numbers.
    pub(crate) fn hide(&self, text: &str) -> String {
        let numbered: Vec<(&str, String)> = self
            .random
            .iter()
            .zip(1..)
            .map(|(id, number)| (id.as_str(), placeholder(number)))
            .collect();
        let pairs = numbered.iter().map(|(id, number)| (*id, number.as_str()));
        replace(text, &pairs.collect::<Vec<_>>())
    }

    /// Writes the numbers of a command as the ids that they stand for.
    pub(crate) fn reveal(&self, text: &str) -> String {
        let numbered: Vec<(String, &str)> = self
            .random
            .iter()
            .zip(1..)
            .map(|(id, number)| (placeholder(number), id.as_str()))
            .collect();
        let pairs = numbered.iter().map(|(number, id)| (number.as_str(), *id));
        replace(text, &pairs.collect::<Vec<_>>())
    }
}

fn placeholder(number: usize) -> String {
    format!("00000000-0000-7000-8000-{number:012}")
}

/// Replaces ids, and the ends of ids, by others or by the ends of others.
fn replace(text: &str, pairs: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(run) = runs(rest).next() {
        let at = run.as_ptr() as usize - rest.as_ptr() as usize;
        out.push_str(&rest[..at]);
        rest = &rest[at + run.len()..];
        let found = pairs.iter().find(|(from, _)| run.len() >= SHORTEST && from.ends_with(run));
        match (found, writer_start(run)) {
            (Some((_, to)), _) if run.len() <= to.len() => {
                out.push_str(&to[to.len() - run.len()..]);
            }
            // The name of a log file ends with the random number of this clone.
            (None, Some(start)) if rest.starts_with(".jsonl") => {
                let _ = write!(out, "{start}-clone");
            }
            _ => out.push_str(run),
        }
    }
    out + rest
}

/// Returns the month of the name of a log file.
fn writer_start(run: &str) -> Option<&str> {
    let (start, writer) = run.rsplit_once('-')?;
    (writer.len() == 8 && start.len() == "2026-02".len()).then_some(start)
}

/// Returns the longest runs of hexadecimal digits and hyphens.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let is_other = |c: char| !matches!(c, '0'..='9' | 'a'..='f' | '-');
    text.split(is_other).map(|run| run.trim_matches('-')).filter(|run| run.len() >= SHORTEST)
}

/// Returns the random ids of a text: those of records, and those of sessions in memory documents.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    let sessions = text.lines().filter(|line| line.starts_with("### Session "));
    let marked = sessions.filter_map(|line| line.split_once(SESSION_MARKER));
    let marked = marked.filter_map(|(_, id)| id.strip_suffix(" -->"));
    runs(text).filter(|run| is_record_id(run)).chain(marked)
}

fn is_record_id(run: &str) -> bool {
    let lengths = run.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
}
