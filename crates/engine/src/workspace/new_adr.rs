//! Creates a decision record in the style of the records in its folder.

use heirloom_core::Hint;
use heirloom_core::adr::{self, AdrLayout, NamingScheme, NewAdr, Status};
use heirloom_core::path;
use heirloom_store::adrs::{self, AdrDocument, Scope};
use heirloom_store::{Config, Root};
use jiff::civil::Date;

use crate::workspace::scaffold;
use crate::{Error, Session};

/// Placeholder texts by section heading, which a new record contains until they are replaced.
const GUIDANCE: &[(&str, &str)] = &[
    ("context", scaffold::CONTEXT_PLACEHOLDER),
    ("context and problem statement", scaffold::CONTEXT_PLACEHOLDER),
    ("decision", scaffold::DECISION_PLACEHOLDER),
    ("decision outcome", scaffold::DECISION_PLACEHOLDER),
    ("consequences", scaffold::CONSEQUENCES_PLACEHOLDER),
];

/// The folder to which a new record is added.
#[derive(Debug)]
pub(crate) struct AdrFolder {
    path: String,
    /// The markdown records in it, oldest first.
    records: Vec<AdrDocument>,
    naming: NamingScheme,
    template: Option<String>,
}

impl AdrFolder {
    /// Chooses the folder: the one that is named, or else the default folder of the workspace. If that
    /// is empty, the adopted folder with the most records is used.
    pub(crate) fn choose(session: &Session, requested: Option<&str>) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let (records, _) = adrs::read(root, config, Scope::Workspace);
        let path = match requested {
            Some(requested) => check_folder(config, requested)?,
            None => fullest(&records).unwrap_or(adrs::FOLDER).to_owned(),
        };
        Ok(Self::at(root, path, records))
    }

    /// Opens the folder of a project's records.
    pub(crate) fn of_project(session: &Session, project: &str) -> Result<Self, Error> {
        let config = session.config()?;
        let (records, _) = adrs::read(session.root(), config, Scope::Project(project));
        Ok(Self::at(session.root(), adrs::project_folder(project), records))
    }

    fn at(root: &Root, path: String, mut records: Vec<AdrDocument>) -> Self {
        records.retain(|record| {
            path::folder(&record.adr.path) == path && !path::is_restructured_text(&record.adr.path)
        });
        records.sort_by_key(|record| record.adr.number);
        let names: Vec<&str> =
            records.iter().map(|record| path::file_name(&record.adr.path)).collect();
        let naming = NamingScheme::detect(&names).unwrap_or_default();
        let template = template(root, &path);
        AdrFolder { path, records, naming, template }
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
        let new = NewAdr { path: &path, number, title, status, today, guidance: GUIDANCE };
        let text = self.model().and_then(|model| adr::write_new_adr(&new, &model));
        let text = text.unwrap_or_else(|| default_form(&path, title, status, today));
        Ok((path, text))
    }

    /// Returns the model of a new record: a template, or else the newest records. Folders in `.heirloom`
    /// without a template use the default form.
    fn model(&self) -> Option<AdrLayout<'_>> {
        fn with_path(record: &AdrDocument) -> (&str, &str) {
            (record.adr.path.as_str(), record.text.as_str())
        }
        let mut newest = self.records.iter().rev();
        let (newest, other) = (newest.next(), newest.next());
        match (&self.template, newest) {
            (Some(text), newest) => {
                Some(AdrLayout::Template { text, newest: newest.map(with_path) })
            }
            (None, Some(newest)) if !path::is_within(&self.path, ".heirloom") => {
                let other = other.map(|other| other.text.as_str());
                Some(AdrLayout::ExistingRecords { newest: with_path(newest), other })
            }
            (None, _) => None,
        }
    }
}

fn default_form(path: &str, title: &str, status: Option<Status>, today: Date) -> String {
    let status = status.unwrap_or(Status::Proposed);
    scaffold::adr(&adr::derive_id(path).0, title, status.as_str(), today)
}

/// Checks that records in a folder are read, and returns its normalised path.
fn check_folder(config: &Config, requested: &str) -> Result<String, Error> {
    let folder = requested.trim_start_matches("./").trim_end_matches('/');
    let adopted = config.adrs.folders.iter().map(|path| path.trim_end_matches('/'));
    let is_read = adopted.chain([adrs::FOLDER]).any(|read| path::is_within(folder, read));
    if is_read && !folder.split('/').any(|part| part.starts_with('.') && part != ".heirloom") {
        return Ok(folder.to_owned());
    }
    Err(Error::bad_input(format!("decision records in `{}` are not read", folder.escape_default()))
        .hint(
            Hint::text("run ")
                .command("adopt", &[folder])
                .then(" first, or see `adrs.folders` in the settings"),
        ))
}

/// Returns the adopted folder with the most records, if the default folder has none.
fn fullest(records: &[AdrDocument]) -> Option<&str> {
    let files = || records.iter().filter(|record| adr::folder_name(&record.adr.path).is_none());
    let folders = || files().map(|record| path::folder(&record.adr.path));
    if folders().any(|folder| folder == adrs::FOLDER) {
        return None;
    }
    let count = |folder: &str| folders().filter(|other| *other == folder).count();
    // `max_by_key` returns the last maximum, so reversing selects the first folder in the settings.
    folders().rev().max_by_key(|folder| count(folder))
}

/// Finds the template of a folder, in it or in its subfolder `template` or `templates`.
fn template(root: &Root, folder: &str) -> Option<String> {
    for (place, is_template_folder) in [
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
        names.sort_by_key(|name| (!is_common_template_name(name), name.len(), *name));
        for name in names {
            let Ok(Some(text)) = root.read(&format!("{place}/{name}")) else { continue };
            if is_template_folder || is_template(name, &text) {
                return Some(text);
            }
        }
    }
    None
}

fn is_common_template_name(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "template.md" | "adr-template.md" | "adr_template.md")
}

/// Returns whether a file is a template, by its name or by the number 0 with a placeholder as title.
fn is_template(name: &str, text: &str) -> bool {
    let lower = name.to_lowercase();
    let stem = path::stem(&lower);
    let parts: Vec<&str> = stem.split(['-', '_', ' ']).collect();
    let has_template_name = parts.contains(&"template") && !adr::is_adr_file_name(name);
    let is_blank =
        adr::derive_id(name).1 == Some(0) && adr::read(name, text).title.contains(['{', '[', '<']);
    has_template_name || is_blank
}
