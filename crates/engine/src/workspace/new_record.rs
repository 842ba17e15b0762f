//! Where a new decision record goes and what it looks like: like its neighbours.

use heirloom_core::adr::{self, Model, Naming, NewRecord, Status};
use heirloom_core::path;
use heirloom_store::adrs::{self, Record, Scope};
use heirloom_store::{Config, Root};
use jiff::civil::Date;

use crate::workspace::scaffold;
use crate::{Error, Session};

/// What stands under the headings of a new record until somebody writes the decision.
const GUIDANCE: &[(&str, &str)] = &[
    ("context", scaffold::WHY),
    ("context and problem statement", scaffold::WHY),
    ("decision", scaffold::UNDECIDED),
    ("decision outcome", scaffold::UNDECIDED),
    ("consequences", scaffold::OUTCOME),
];

/// A folder of records that a new one is added to.
#[derive(Debug)]
pub(crate) struct RecordFolder {
    path: String,
    /// Its records in markdown, oldest first.
    records: Vec<Record>,
    naming: Naming,
    template: Option<String>,
}

impl RecordFolder {
    /// Chooses the folder: the one that is named, else the workspace's own; where that has no
    /// records and adopted folders have, the adopted folder with the most of them.
    pub(crate) fn choose(session: &Session, named: Option<&str>) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let (records, _) = adrs::read(root, config, Scope::Workspace);
        let path = match named {
            Some(named) => checked(config, named)?,
            None => fullest(&records).unwrap_or(adrs::FOLDER).to_owned(),
        };
        Ok(Self::at(root, path, records))
    }

    /// Takes the folder of a project's records.
    pub(crate) fn of_project(session: &Session, project: &str) -> Result<Self, Error> {
        let config = session.config()?;
        let (records, _) = adrs::read(session.root(), config, Scope::Project(project));
        Ok(Self::at(session.root(), adrs::project_folder(project), records))
    }

    fn at(root: &Root, path: String, mut records: Vec<Record>) -> Self {
        records.retain(|record| {
            path::folder(&record.adr.path) == path && !record.adr.path.ends_with(".rst")
        });
        records.sort_by_key(|record| record.adr.number);
        let names: Vec<&str> =
            records.iter().map(|record| path::file_name(&record.adr.path)).collect();
        let naming = Naming::of(&names).unwrap_or_default();
        let template = template(root, &path);
        RecordFolder { path, records, naming, template }
    }

    /// Returns the path and the text of a new record.
    pub(crate) fn record(
        &self,
        session: &Session,
        title: &str,
        status: Option<Status>,
    ) -> Result<(String, String), Error> {
        let number = adrs::next_number(session.root(), session.config()?, &self.path);
        let today = session.today();
        let path = format!("{}/{}", self.path, self.naming.name(number, title, today));
        let new = NewRecord { path: &path, number, title, status, today, guidance: GUIDANCE };
        let text = self.model().and_then(|model| adr::write(&new, &model));
        let text = text.unwrap_or_else(|| own_form(&path, title, status, today));
        Ok((path, text))
    }

    /// Returns what a new record is modelled on: a template, else the newest records; our own folders
    /// have the form that we write.
    fn model(&self) -> Option<Model<'_>> {
        fn with_path(record: &Record) -> (&str, &str) {
            (record.adr.path.as_str(), record.text.as_str())
        }
        let mut newest = self.records.iter().rev();
        let (newest, other) = (newest.next(), newest.next());
        match (&self.template, newest) {
            (Some(text), newest) => Some(Model::Template { text, newest: newest.map(with_path) }),
            (None, Some(newest)) if !path::is_within(&self.path, ".heirloom") => {
                let other = other.map(|other| other.text.as_str());
                Some(Model::Neighbours { newest: with_path(newest), other })
            }
            (None, _) => None,
        }
    }
}

fn own_form(path: &str, title: &str, status: Option<Status>, today: Date) -> String {
    let status = status.unwrap_or(Status::Proposed);
    scaffold::adr(&adr::id_of(path).0, title, status.word(), today)
}

/// Refuses a folder whose records are not read.
fn checked(config: &Config, named: &str) -> Result<String, Error> {
    let folder = named.trim_start_matches("./").trim_end_matches('/');
    let adopted = config.adrs.folders.iter().map(|own| own.trim_end_matches('/'));
    let is_read = adopted.chain([adrs::FOLDER]).any(|own| path::is_within(folder, own));
    if is_read && !folder.split('/').any(|part| part.starts_with('.') && part != ".heirloom") {
        return Ok(folder.to_owned());
    }
    Err(Error::bad_input(format!("decision records in `{}` are not read", folder.escape_default()))
        .hint(format!("run `heir adopt {folder}` first, or see `adrs.folders` in the settings")))
}

/// Returns the adopted folder with the most records, if the workspace's own has none.
fn fullest(records: &[Record]) -> Option<&str> {
    let files = || records.iter().filter(|record| adr::folder_name(&record.adr.path).is_none());
    let folders = || files().map(|record| path::folder(&record.adr.path));
    if folders().any(|folder| folder == adrs::FOLDER) {
        return None;
    }
    let count = |folder: &str| folders().filter(|other| *other == folder).count();
    // Of equals the first in the settings, which is the last that `max_by_key` must see.
    folders().rev().max_by_key(|folder| count(folder))
}

/// Finds the template of a folder: there, or in a folder of templates in it.
fn template(root: &Root, folder: &str) -> Option<String> {
    for (place, is_own) in [
        (folder.to_owned(), false),
        (format!("{folder}/template"), true),
        (format!("{folder}/templates"), true),
    ] {
        let items = root.list(&place).unwrap_or_default();
        let mut names: Vec<&str> = items
            .iter()
            .filter(|item| !item.is_folder && item.name.to_lowercase().ends_with(".md"))
            .map(|item| item.name.as_str())
            .filter(|name| !matches!(path::stem(name).to_lowercase().as_str(), "readme" | "index"))
            .collect();
        names.sort_by_key(|name| (!is_usual(name), name.len(), *name));
        for name in names {
            let Ok(Some(text)) = root.read(&format!("{place}/{name}")) else { continue };
            if is_own || is_template(name, &text) {
                return Some(text);
            }
        }
    }
    None
}

fn is_usual(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "template.md" | "adr-template.md" | "adr_template.md")
}

/// Returns whether a file is a template by its name, or by a number 0 and a title to fill in.
fn is_template(name: &str, text: &str) -> bool {
    let lower = name.to_lowercase();
    let stem = path::stem(&lower);
    let parts: Vec<&str> = stem.split(['-', '_', ' ']).collect();
    let is_named = parts.contains(&"template") && !adr::is_record(name);
    let is_blank =
        adr::id_of(name).1 == Some(0) && adr::read(name, text).title.contains(['{', '[', '<']);
    is_named || is_blank
}
