//! The file with the decisions or the lessons of a scope.

use heirloom_core::hierarchy::{self, Hierarchy, Selectors};
use heirloom_core::memory::EntryKind;
use heirloom_core::memory::learning;
use heirloom_store::Root;

use super::inherit;
use super::scopes::{ScopeLevel, TypedScope, find_typed_scope};
use crate::{Error, ErrorKind, Session};

/// The file with the decisions or the lessons of one scope. It may not exist yet.
#[derive(Debug)]
pub(crate) struct LearningFile {
    /// The names of its levels, separated by `/`; the name of the level if it has no name of its own.
    pub(crate) scope: String,
    /// The names of its levels.
    pub(crate) selectors: Selectors,
    /// The path of the file.
    pub(crate) path: String,
    /// The text, if the file exists.
    pub(crate) text: Option<String>,
    /// Whether the scope has no files yet.
    pub(crate) is_of_new_scope: bool,
}

impl LearningFile {
    /// Opens the file of a scope such as `devtools/common`, or `workspace=devtools,domain=common`. The names of a new scope
    /// are accepted only if that is requested.
    pub(crate) fn open(
        session: &Session,
        kind: EntryKind,
        scope: &str,
        is_new: bool,
    ) -> Result<Self, Error> {
        let (hierarchy_name, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let levels = learning_levels(&hierarchy, kind);
        if levels.is_empty() {
            let (file, example) = (file_name(kind), "`hierarchy = \"domains\"`");
            return Err(Error::bad_input(format!(
                "no level of the hierarchy `{hierarchy_name}` has a {file}"
            ))
            .hint(format!(
                "set {example} in .heirloom/config.toml, or name such a file in `always` of a level"
            )));
        }
        let found = find_typed_scope(session.root(), &hierarchy, &levels, scope, is_new)?;
        Self::of_scope(session.root(), found)
    }

    /// Reads the file of a scope: the first alternative that exists, else the first one.
    fn of_scope(root: &Root, found: TypedScope<'_, '_>) -> Result<Self, Error> {
        let TypedScope { level, selectors, is_new } = found;
        let scope = level.scope(&selectors);
        let paths = level.pattern.split('|');
        let paths: Vec<String> =
            paths.filter_map(|path| hierarchy::expand_pattern(path, &selectors)).collect();
        let existing = paths.iter().find(|path| root.exists(path));
        let path = existing.or(paths.first()).cloned().ok_or_else(|| {
            Error::bad_input(format!("the scope `{scope}` has no {}", level.pattern))
        })?;
        let text = root.read(&path)?;
        Ok(LearningFile { scope, selectors, path, text, is_of_new_scope: is_new })
    }
}

/// Returns the names of a scope that has decisions or lessons.
pub(crate) fn learning_selectors(session: &Session, scope: &str) -> Result<Selectors, Error> {
    // A hierarchy may have a file of one kind only.
    let open = |kind| LearningFile::open(session, kind, scope, false);
    let found = open(EntryKind::Decision).or_else(|_| open(EntryKind::Lesson));
    // Only a request that adds an entry can create a scope.
    let without_hint = |error: Error| match error.kind {
        ErrorKind::NotFound => Error { hint: None, ..error },
        _ => error,
    };
    found.map(|file| file.selectors).map_err(without_hint)
}

/// Returns the name of the file with entries of a kind.
pub(crate) fn file_name(kind: EntryKind) -> &'static str {
    let [(_, decisions), (_, lessons)] = learning::FILES;
    if kind == EntryKind::Decision { decisions } else { lessons }
}

fn learning_levels(hierarchy: &Hierarchy, kind: EntryKind) -> Vec<ScopeLevel<'_>> {
    let is_of_kind = |pattern: &&str| learning::kind_of_file(pattern) == Some(kind);
    let of_level = hierarchy.levels.iter().filter_map(|level| {
        let pattern = level.patterns().find(is_of_kind)?;
        Some(ScopeLevel::new(hierarchy, level, pattern))
    });
    of_level.collect()
}
