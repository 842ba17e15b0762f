//! The file with the decisions or the lessons of a scope: which levels of the hierarchy have one, and which scopes exist.

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors, pattern_variables};
use heirloom_core::memory::EntryKind;
use heirloom_core::memory::learning;
use heirloom_core::{Hint, name};
use heirloom_store::layout;
use heirloom_store::{Root, StoreError};

use super::inherit;
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

/// A level of the hierarchy with a file for a kind of entry.
struct LearningLevel<'h> {
    level: &'h Level,
    pattern: &'h str,
    /// The levels whose names occur in the pattern, in order.
    needs: Vec<&'h Level>,
}

/// The most scopes that an error lists.
const MAX_CANDIDATES: usize = 12;

impl LearningFile {
    /// Opens the file of a scope such as `devtools/common`, or `workspace=devtools,domain=common`. The names of a new scope
    /// are accepted only if that is requested.
    pub(crate) fn open(
        session: &Session,
        kind: EntryKind,
        scope: &str,
        is_new: bool,
    ) -> Result<Self, Error> {
        let root = session.root();
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
        let mut found = Vec::new();
        let mut fitting = Vec::new();
        for level in levels.iter().filter(|level| level.fits(scope)) {
            let typed = level.typed_names(scope);
            match layout::resolve_selectors(root, &hierarchy, &typed) {
                Ok(selectors) => found.push((level, selectors)),
                Err(StoreError::Unknown { .. }) => fitting.push((level, typed)),
                Err(error) => return Err(error.into()),
            }
        }
        match (found.as_slice(), fitting.as_slice()) {
            ([(level, selectors)], _) => level.open(root, selectors.clone(), false),
            ([], [(level, typed)]) if is_new => {
                level.open(root, new_names(root, level, typed)?, true)
            }
            ([], fitting) => Err(unknown_scope(root, &levels, scope, !fitting.is_empty())),
            (several, _) => Err(Error::not_found(
                format!("the scope `{}` could be any of several", scope.escape_default()),
                several.iter().map(|(level, selectors)| level.long_scope(selectors)).collect(),
            )),
        }
    }
}

impl LearningLevel<'_> {
    /// Returns whether a typed scope has as many names as the level needs.
    fn fits(&self, scope: &str) -> bool {
        if scope.contains('=') {
            let typed = self.typed_names(scope);
            let needs = || self.needs.iter().map(|level| level.name.as_str());
            return typed.iter().len() == needs().count()
                && needs().all(|name| typed.contains_key(name));
        }
        match self.needs.is_empty() {
            true => scope == self.level.name,
            false => split_scope(scope).count() == self.needs.len(),
        }
    }

    /// Returns the typed names by level.
    fn typed_names(&self, scope: &str) -> Selectors {
        let owned = |(level, name): (&str, &str)| (level.trim().to_owned(), name.trim().to_owned());
        if scope.contains('=') {
            return scope.split(',').filter_map(|pair| pair.split_once('=')).map(owned).collect();
        }
        let names = self.needs.iter().map(|level| level.name.as_str()).zip(split_scope(scope));
        names.map(owned).collect()
    }

    fn scope(&self, selectors: &Selectors) -> String {
        match self.needs.is_empty() {
            true => self.level.name.clone(),
            false => selectors.values().map(String::as_str).collect::<Vec<_>>().join("/"),
        }
    }

    /// Returns the scope with the names of its levels, which is never ambiguous.
    fn long_scope(&self, selectors: &Selectors) -> String {
        match self.needs.is_empty() {
            true => self.level.name.clone(),
            false => {
                let names = selectors.iter().map(|(level, name)| format!("{level}={name}"));
                names.collect::<Vec<_>>().join(",")
            }
        }
    }

    /// Reads the file: the first alternative that exists, else the first one.
    fn open(
        &self,
        root: &Root,
        selectors: Selectors,
        is_of_new_scope: bool,
    ) -> Result<LearningFile, Error> {
        let scope = self.scope(&selectors);
        let paths = self.pattern.split('|');
        let paths: Vec<String> =
            paths.filter_map(|one| hierarchy::expand_pattern(one, &selectors)).collect();
        let existing = paths.iter().find(|path| root.exists(path));
        let path = existing.or(paths.first()).cloned().ok_or_else(|| {
            Error::bad_input(format!("the scope `{scope}` has no {}", self.pattern))
        })?;
        let text = root.read(&path)?;
        Ok(LearningFile { scope, selectors, path, text, is_of_new_scope })
    }
}

/// Returns the names of a scope that has decisions or lessons.
pub(crate) fn learning_selectors(session: &Session, scope: &str) -> Result<Selectors, Error> {
    let kinds = [EntryKind::Decision, EntryKind::Lesson];
    let mut opened = kinds.map(|kind| LearningFile::open(session, kind, scope, false)).into_iter();
    let first = opened.next().unwrap_or_else(|| Err(Error::system("there are no kinds")));
    // A hierarchy may have a file of one kind only.
    let found = first.or_else(|error| opened.next().unwrap_or(Err(error)));
    // Only a request that adds an entry can create a scope.
    let without_hint = |error: Error| match error.kind {
        ErrorKind::NotFound => Error { hint: None, ..error },
        _ => error,
    };
    found.map(|file| file.selectors).map_err(without_hint)
}

/// Returns the name of the file with entries of a kind.
pub(crate) fn file_name(kind: EntryKind) -> &'static str {
    if kind == EntryKind::Decision { "decisions.md" } else { "lessons.md" }
}

fn split_scope(scope: &str) -> impl Iterator<Item = &str> {
    scope.trim_matches('/').split('/').map(str::trim)
}

fn learning_levels(hierarchy: &Hierarchy, kind: EntryKind) -> Vec<LearningLevel<'_>> {
    let is_of_kind = |pattern: &&str| learning::kind_of_file(pattern) == Some(kind);
    let of_level = |level| {
        let pattern = Level::patterns(level).find(is_of_kind)?;
        let first = pattern.split('|').next().unwrap_or(pattern);
        let variables: Vec<&str> =
            pattern_variables(first).map(|variable| variable.trim_end_matches(".number")).collect();
        let needs = hierarchy.levels.iter();
        let needs = needs.filter(|other| variables.contains(&other.name.as_str()));
        Some(LearningLevel { level, pattern, needs: needs.collect() })
    };
    hierarchy.levels.iter().filter_map(of_level).collect()
}

/// Checks the names of a new scope, and takes existing ones as they are written.
fn new_names(
    root: &Root,
    level: &LearningLevel<'_>,
    typed: &Selectors,
) -> Result<Selectors, Error> {
    let mut selectors = Selectors::new();
    for needed in &level.needs {
        let name = typed.get(&needed.name).map(String::as_str).unwrap_or_default();
        let hidden = name.starts_with('_').then_some("it starts with an underscore");
        let name = match layout::find_name(root, needed, &selectors, name) {
            Ok(name) => name,
            Err(StoreError::Unknown { .. }) => match hidden {
                Some(reason) => {
                    let what = &needed.name;
                    return Err(Error::bad_input(format!(
                        "`{name}` cannot be the name of a {what}: {reason}"
                    )));
                }
                None => name.to_owned(),
            },
            Err(error) => return Err(error.into()),
        };
        selectors.insert(needed.name.clone(), name);
    }
    Ok(selectors)
}

/// Returns the error for a scope that does not exist, with those that do, similar ones first. A scope that has the form of
/// none cannot be created.
fn unknown_scope(root: &Root, levels: &[LearningLevel<'_>], scope: &str, has_form: bool) -> Error {
    let typed = scope.escape_default();
    let scopes = list_scopes(root, levels);
    let candidates = name::nearest_first(scope, scopes.iter().map(String::as_str), MAX_CANDIDATES);
    let error = Error::not_found(format!("there is no scope `{typed}`"), candidates);
    if has_form {
        let hint = Hint::text("use a known scope, or create this one with ");
        return error.hint(hint.field_set_to("new_scope", true));
    }
    let forms = levels.iter().map(|level| match level.needs.is_empty() {
        true => level.level.name.clone(),
        false => {
            let names = level.needs.iter().map(|needed| format!("{{{}}}", needed.name));
            names.collect::<Vec<_>>().join("/")
        }
    });
    error.hint(format!("a scope has the form {}", forms.collect::<Vec<_>>().join(" or ")))
}

/// Lists the scopes that exist.
fn list_scopes(root: &Root, levels: &[LearningLevel<'_>]) -> Vec<String> {
    let mut scopes = Vec::new();
    for level in levels {
        let mut selections = vec![Selectors::new()];
        for needed in &level.needs {
            let extend = |selectors: &Selectors| {
                let names = layout::list_names(root, needed, selectors).unwrap_or_default();
                let selectors = selectors.clone();
                names.into_iter().map(move |name| {
                    let mut extended = selectors.clone();
                    extended.insert(needed.name.clone(), name);
                    extended
                })
            };
            selections = selections.iter().flat_map(extend).collect();
        }
        scopes.extend(selections.iter().map(|selectors| level.scope(selectors)));
    }
    scopes.sort();
    scopes.dedup();
    scopes
}
