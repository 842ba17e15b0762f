//! Finds the scope that a request names: `devtools/common`, or `workspace=devtools,domain=common`.

use heirloom_core::hierarchy::{Hierarchy, Level, Selectors, pattern_variables};
use heirloom_core::{Hint, name};
use heirloom_store::layout;
use heirloom_store::{Root, StoreError};

use crate::Error;

/// The most scopes that an error lists.
const MAX_CANDIDATES: usize = 12;

/// A level of the hierarchy whose scopes have a file.
#[derive(Debug)]
pub(crate) struct ScopeLevel<'h> {
    level: &'h Level,
    /// The pattern of the file.
    pub(crate) pattern: &'h str,
    /// The levels whose names occur in the pattern, in order.
    needs: Vec<&'h Level>,
}

/// A scope that a request names.
#[derive(Debug)]
pub(crate) struct TypedScope<'l, 'h> {
    pub(crate) level: &'l ScopeLevel<'h>,
    /// The names of its levels.
    pub(crate) selectors: Selectors,
    /// Whether the scope has no files yet.
    pub(crate) is_new: bool,
}

impl<'h> ScopeLevel<'h> {
    pub(crate) fn new(hierarchy: &'h Hierarchy, level: &'h Level, pattern: &'h str) -> Self {
        let first = pattern.split('|').next().unwrap_or(pattern);
        let variables: Vec<&str> =
            pattern_variables(first).map(|variable| variable.trim_end_matches(".number")).collect();
        let needs = hierarchy.levels.iter();
        let needs = needs.filter(|other| variables.contains(&other.name.as_str()));
        ScopeLevel { level, pattern, needs: needs.collect() }
    }

    /// Returns the name of a scope: the names of its levels, separated by `/`, or the name of a level that needs none.
    pub(crate) fn scope(&self, selectors: &Selectors) -> String {
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

    /// Checks the names of a new scope, and takes existing names as they are written.
    fn new_names(&self, root: &Root, typed: &Selectors) -> Result<Selectors, Error> {
        let mut selectors = Selectors::new();
        for needed in &self.needs {
            let name = typed.get(&needed.name).map(String::as_str).unwrap_or_default();
            let name = match layout::find_name(root, needed, &selectors, name) {
                Ok(name) => name,
                Err(StoreError::Unknown { .. }) if name.starts_with('_') => {
                    let what = &needed.name;
                    return Err(Error::bad_input(format!(
                        "`{name}` cannot be the name of a {what}: it starts with an underscore"
                    )));
                }
                Err(StoreError::Unknown { .. }) => name.to_owned(),
                Err(error) => return Err(error.into()),
            };
            selectors.insert(needed.name.clone(), name);
        }
        Ok(selectors)
    }

    /// Lists the scopes that exist.
    fn list(&self, root: &Root) -> Vec<String> {
        let mut selections = vec![Selectors::new()];
        for needed in &self.needs {
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
        selections.iter().map(|selectors| self.scope(selectors)).collect()
    }

    /// Returns the form of its scopes: `{workspace}/{domain}`.
    fn form(&self) -> String {
        match self.needs.is_empty() {
            true => self.level.name.clone(),
            false => {
                let names = self.needs.iter().map(|needed| format!("{{{}}}", needed.name));
                names.collect::<Vec<_>>().join("/")
            }
        }
    }
}

/// Finds a scope of one of some levels. The names of a new scope are accepted only if `accepts_new`.
pub(crate) fn find_typed_scope<'l, 'h>(
    root: &Root,
    hierarchy: &Hierarchy,
    levels: &'l [ScopeLevel<'h>],
    scope: &str,
    accepts_new: bool,
) -> Result<TypedScope<'l, 'h>, Error> {
    let mut found = Vec::new();
    let mut fitting = Vec::new();
    for level in levels.iter().filter(|level| level.fits(scope)) {
        let typed = level.typed_names(scope);
        match layout::resolve_selectors(root, hierarchy, &typed) {
            Ok(selectors) => found.push((level, selectors)),
            Err(StoreError::Unknown { .. }) => fitting.push((level, typed)),
            Err(error) => return Err(error.into()),
        }
    }
    if found.len() > 1 {
        return Err(Error::not_found(
            format!("the scope `{}` could be any of several", scope.escape_default()),
            found.iter().map(|(level, selectors)| level.long_scope(selectors)).collect(),
        ));
    }
    if let Some((level, selectors)) = found.pop() {
        return Ok(TypedScope { level, selectors, is_new: false });
    }
    match fitting.pop() {
        Some((level, typed)) if accepts_new && fitting.is_empty() => {
            Ok(TypedScope { level, selectors: level.new_names(root, &typed)?, is_new: true })
        }
        fits => Err(unknown_scope(root, levels, scope, fits.is_some())),
    }
}

/// Returns the error for a scope that does not exist, with those that do, similar ones first. Only a scope that has the
/// form of those of a level can be created.
fn unknown_scope(root: &Root, levels: &[ScopeLevel<'_>], scope: &str, has_form: bool) -> Error {
    let mut scopes: Vec<String> = levels.iter().flat_map(|level| level.list(root)).collect();
    scopes.sort();
    scopes.dedup();
    let candidates = name::nearest_first(scope, scopes.iter().map(String::as_str), MAX_CANDIDATES);
    let message = format!("there is no scope `{}`", scope.escape_default());
    let error = Error::not_found(message, candidates);
    if has_form {
        let hint = Hint::text("use a known scope, or create this one with ");
        return error.hint(hint.field_set_to("new_scope", true));
    }
    let forms: Vec<String> = levels.iter().map(ScopeLevel::form).collect();
    error.hint(format!("a scope has the form {}", forms.join(" or ")))
}

fn split_scope(scope: &str) -> impl Iterator<Item = &str> {
    scope.trim_matches('/').split('/').map(str::trim)
}
