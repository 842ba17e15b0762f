//! The response of an operation that writes several files at once.

use schemars::JsonSchema;
use serde::Serialize;

use crate::memory::WriteTransaction;
use crate::view::{Role, View, span};
use crate::{Answer, Error};

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FileStatus {
    /// It did not exist.
    Created,
    /// Its text changed.
    Changed,
    /// It has the text already.
    Unchanged,
    /// A person wrote or edited it, so it was not replaced.
    Kept,
}

/// A file of the response.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenFile {
    /// Path of the file.
    pub(crate) path: String,
    /// What happened to it.
    pub(crate) status: FileStatus,
}

/// The files that an operation wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenFiles {
    /// What was completed.
    pub(crate) name: String,
    /// The stage that comes next, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
    /// Files.
    pub(crate) files: Vec<WrittenFile>,
    #[serde(skip)]
    pub(crate) what: &'static str,
}

impl WrittenFiles {
    /// Makes the response of an operation that has written nothing yet.
    pub(crate) fn new(what: &'static str, name: &str) -> Self {
        WrittenFiles { name: name.to_owned(), next: None, files: vec![], what }
    }

    /// Writes a file as part of a transaction, unless it has the text already.
    pub(crate) fn write(
        &mut self,
        transaction: &mut WriteTransaction<'_>,
        path: String,
        after: String,
    ) -> Result<(), Error> {
        transaction.reject_secret(&after)?;
        let before = transaction.session().root().read(&path)?;
        let status = match &before {
            None => FileStatus::Created,
            Some(before) if *before == after => FileStatus::Unchanged,
            Some(_) => FileStatus::Changed,
        };
        if status != FileStatus::Unchanged {
            transaction.edit(&path, before.as_deref(), after);
        }
        self.files.push(WrittenFile { path, status });
        Ok(())
    }

    /// Reports that a file was not replaced.
    pub(crate) fn keep(&mut self, path: String) {
        self.files.push(WrittenFile { path, status: FileStatus::Kept });
    }
}

impl Answer for WrittenFiles {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("completed {} ", self.what)),
            span(Role::Key, &self.name),
        ]);
        let row = |file: &WrittenFile| {
            let (role, word) = match file.status {
                FileStatus::Created => (Role::Good, "created"),
                FileStatus::Changed => (Role::Good, "changed"),
                FileStatus::Unchanged => (Role::Dim, "unchanged"),
                FileStatus::Kept => (Role::Warning, "kept"),
            };
            let remark = match file.status {
                FileStatus::Kept => "edited by hand, so it was not replaced",
                _ => "",
            };
            vec![
                span(role, format!("  {word}")),
                span(Role::Source, &file.path),
                span(Role::Dim, remark),
            ]
        };
        view.table(&[], self.files.iter().map(row).collect());
        if let Some(next) = &self.next {
            view.line([span(Role::Dim, format!("next stage: {next}"))]);
        }
        view
    }
}
