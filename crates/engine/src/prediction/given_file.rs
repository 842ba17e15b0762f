//! A file that is worked on.

use std::path::Path;

use heirloom_core::imports::SourceStatement;
use heirloom_core::prediction::{CommitHistory, GivenFile, content_hash, identifiers};

use crate::Session;
use crate::workspace::typed_path::{is_inside, path_in_workspace};

/// A file that is worked on.
#[derive(Debug)]
pub(crate) struct WorkFile {
    /// Its path in the workspace.
    pub(super) path: String,
    /// Its path in the repository.
    repository_path: String,
    /// Its text, if it can be read.
    pub(super) text: Option<String>,
    identifiers: Vec<u32>,
    /// What it states about other files; empty if that is known from its commit.
    statements: Vec<SourceStatement>,
}

impl WorkFile {
    /// Finds a file by its path in the workspace, or by an absolute one.
    pub(super) fn find(session: &Session, typed: &str) -> Self {
        let root = session.root();
        let path = path_in_workspace(root, typed);
        let text = root.read(&path).ok().flatten();
        let words = text.as_deref().map(|text| identifiers(text.as_bytes()));
        let repository_path = format!("{}{path}", repository_prefix(session));
        let identifiers = words.unwrap_or_default();
        WorkFile { path, repository_path, text, identifiers, statements: vec![] }
    }

    /// Reads its imports, unless its content is the committed one, whose imports are known: parsing takes longer than the
    /// rest of a prediction.
    pub(super) fn read_imports(&mut self, history: &CommitHistory) {
        let content = self.text.as_deref().unwrap_or_default().as_bytes();
        let number = history.file_number(&self.repository_path);
        let committed = number.map(|number| &history.files()[number as usize]);
        if !committed.is_some_and(|file| file.has_content(content_hash(content))) {
            self.statements = heirloom_syntax::read_statements(&self.repository_path, content);
        }
    }

    /// Returns whether its path leads to a place in the workspace.
    pub(super) fn is_inside(&self) -> bool {
        is_inside(&self.path)
    }

    /// Returns whether there is such a file, or was one.
    pub(super) fn is_known(&self, history: Option<&CommitHistory>) -> bool {
        self.text.is_some()
            || history.is_some_and(|it| it.file_number(&self.repository_path).is_some())
    }

    /// Returns it as the history knows it.
    pub(super) fn given<'f>(&'f self, history: &CommitHistory) -> GivenFile<'f> {
        GivenFile {
            number: history.file_number(&self.repository_path),
            path: &self.repository_path,
            identifiers: &self.identifiers,
            statements: &self.statements,
        }
    }
}

/// Returns what the paths of the repository have before those of the workspace: empty, or a folder with a slash.
pub(super) fn repository_prefix(session: &Session) -> String {
    let root = session.root();
    let top = root.repository().map(heirloom_store::git::Repository::work_tree);
    let inner = top.and_then(|top| root.path().strip_prefix(top).ok()).and_then(Path::to_str);
    match inner.unwrap_or_default() {
        "" => String::new(),
        folder => format!("{}/", folder.replace('\\', "/")),
    }
}
