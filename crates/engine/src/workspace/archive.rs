//! What is archived and restored together, and what is in the archive.

use std::cell::OnceCell;

use heirloom_core::adr::{self, Adr};
use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::{name, path};
use heirloom_store::Root;
use heirloom_store::archive::{self, Archived};
use heirloom_store::files::ARCHIVE;
use heirloom_store::journal::Rename;

use crate::Error;

/// What is archived and restored together: a plan with its folder, an agent with its memory, or one
/// document by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its files and folders, there or not.
    parts: Vec<String>,
    /// The paths that its main document may have.
    mains: Vec<String>,
}

impl Unit {
    /// Returns what belongs to a document: all of the plan, the agent or the project that it is the
    /// main document of, else the document alone.
    pub(crate) fn around(hierarchy: &Hierarchy, path: &str) -> Self {
        let named = hierarchy
            .levels
            .iter()
            .filter(|level| level.is_selected())
            .find_map(|level| Some(Unit::of_name(level, &level.names_in_main(path)?)));
        named.unwrap_or_else(|| Unit { parts: vec![path.to_owned()], mains: vec![path.to_owned()] })
    }

    /// Returns what a document lies in the folder of: the plan of an agent.
    fn enclosing(hierarchy: &Hierarchy, path: &str) -> Option<Self> {
        let levels = hierarchy.levels.iter().rev().filter(|level| level.is_selected());
        let mut units =
            levels.filter_map(|level| Some(Unit::of_name(level, &level.names_in_folder(path)?)));
        units.find(|unit| !unit.mains.iter().any(|main| main == path))
    }

    fn of_name(level: &Level, selectors: &Selectors) -> Self {
        let main = level.always.first().into_iter().flat_map(|main| main.split('|'));
        let mains = main.filter_map(|pattern| hierarchy::expand(pattern, selectors));
        Unit { parts: level.parts(selectors), mains: mains.collect() }
    }

    /// Returns whether a path belongs to it.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.parts.iter().any(|part| path::is_within(path, part))
    }

    /// Returns whether another unit belongs to it.
    pub(crate) fn encloses(&self, other: &Unit) -> bool {
        self != other && other.parts.iter().all(|part| self.holds(part))
    }

    /// Returns its files and folders that are there.
    pub(crate) fn parts_in(&self, root: &Root) -> Vec<&str> {
        self.parts.iter().map(String::as_str).filter(|part| root.exists(part)).collect()
    }

    fn has_main(&self, path: &str) -> bool {
        self.mains.iter().any(|main| main == path)
    }
}

/// What is to be restored.
#[derive(Debug)]
pub(crate) struct Restoration {
    /// The moves that bring it back.
    pub(crate) renames: Vec<Rename>,
    /// Other versions of it, which stay in the archive.
    pub(crate) others: Vec<String>,
}

/// The archive of a workspace, listed when it is first asked.
pub(crate) struct Archive<'r> {
    root: &'r Root,
    files: OnceCell<Vec<Archived>>,
    /// The files by their paths as decision records.
    records: OnceCell<Vec<Adr>>,
}

impl<'r> Archive<'r> {
    /// Takes the archive of a workspace.
    pub(crate) fn new(root: &'r Root) -> Self {
        Archive { root, files: OnceCell::new(), records: OnceCell::new() }
    }

    fn files(&self) -> &[Archived] {
        self.files.get_or_init(|| archive::list(self.root))
    }

    /// Returns whether a path, a decision's id or the name of a plan is in it.
    pub(crate) fn holds(&self, name: &str) -> bool {
        let is_named =
            |file: &Archived| file.source == name || folder_name(&file.source) == Some(name);
        self.files().iter().any(is_named)
            || self.records().iter().any(|record| adr::id_matches(record, name))
    }

    fn records(&self) -> &[Adr] {
        let read = || self.files().iter().map(|file| adr::read(&file.source, "")).collect();
        self.records.get_or_init(read)
    }

    /// Returns the version under which a unit is archived next: a later one than every version of
    /// it, or of what encloses it, that is there.
    pub(crate) fn next_version(&self, hierarchy: &Hierarchy, unit: &Unit) -> u32 {
        let enclosing = unit.mains.first().and_then(|main| Unit::enclosing(hierarchy, main));
        let is_taken = |file: &&Archived| {
            unit.holds(&file.source)
                || enclosing.as_ref().is_some_and(|enclosing| enclosing.has_main(&file.source))
        };
        let latest = self.files().iter().filter(is_taken).map(|file| file.version).max();
        let next = latest.map_or(1, |latest| latest + 1);
        let is_free = |version: &u32| {
            let mut parts = unit.parts.iter();
            parts.all(|part| !self.root.exists(&archive::location(part, *version)))
        };
        (next..).find(is_free).unwrap_or(next)
    }

    /// Finds what a name means and how it comes back: the latest version, or the one whose path in
    /// the archive is given.
    pub(crate) fn restoration(
        &self,
        hierarchy: &Hierarchy,
        typed: &str,
    ) -> Result<Restoration, Error> {
        let named = self.named(typed);
        let mut units: Vec<Unit> = Vec::new();
        for file in &named {
            let unit = Unit::around(hierarchy, &file.source);
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        // Whoever names a folder means the unit that fills it, not each of its documents.
        let outer = units.clone();
        units.retain(|unit| !outer.iter().any(|outer| outer.encloses(unit)));
        let unit = match units.as_slice() {
            [unit] => unit,
            [] => return Err(self.unknown(typed)),
            several => {
                let paths = several.iter().map(|unit| unit.parts[0].clone()).collect();
                return Err(Error::not_found(
                    format!("`{typed}` could be any of several archived documents"),
                    paths,
                )
                .hint("use a path"));
            }
        };
        let versions = named.iter().filter(|file| unit.has_main(&file.source));
        let Some(chosen) = versions.max_by_key(|file| file.age()) else {
            return Err(self.unknown(typed));
        };
        self.refuse_fragment(hierarchy, chosen)?;
        let mut others: Vec<&Archived> = self
            .files()
            .iter()
            .filter(|file| unit.has_main(&file.source) && file.age() != chosen.age())
            .collect();
        others.sort_by_key(|file| std::cmp::Reverse(file.age()));
        Ok(Restoration {
            renames: self.renames(unit, chosen),
            others: others.into_iter().map(|file| file.location.clone()).collect(),
        })
    }

    /// A part of a plan that was archived whole comes back with the plan.
    fn refuse_fragment(&self, hierarchy: &Hierarchy, chosen: &Archived) -> Result<(), Error> {
        let Some(enclosing) = Unit::enclosing(hierarchy, &chosen.source) else { return Ok(()) };
        let is_whole =
            |file: &&Archived| file.version == chosen.version && enclosing.has_main(&file.source);
        match self.files().iter().find(is_whole) {
            Some(main) if enclosing.parts_in(self.root).is_empty() => {
                let folder = path::file_name(path::folder(&main.source));
                Err(Error::bad_input(format!(
                    "{} was archived as a part of {}",
                    chosen.source, enclosing.parts[0]
                ))
                .hint(format!("restore all of it with `heir context restore {folder}`")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the moves that bring one version of a unit back. A folder moves whole unless
    /// something is in its place; then each of its files does.
    fn renames(&self, unit: &Unit, chosen: &Archived) -> Vec<Rename> {
        if chosen.copy.is_some() {
            let Archived { location, source, .. } = chosen.clone();
            return vec![Rename { from: location, to: source }];
        }
        let mut renames: Vec<Rename> = Vec::new();
        let files = self.files().iter();
        let files = files.filter(|file| file.version == chosen.version && file.copy.is_none());
        for file in files {
            let Some(part) = unit.parts.iter().find(|part| path::is_within(&file.source, part))
            else {
                continue;
            };
            let below = file.source.len() - part.len();
            let base = &file.location[..file.location.len() - below];
            let whole = Rename { from: base.to_owned(), to: part.clone() };
            let is_other = |other: &Rename| other.to == *part && other.from != base;
            let is_whole = !self.root.exists(part) && !renames.iter().any(is_other);
            let Archived { location, source, .. } = file.clone();
            let rename = if is_whole { whole } else { Rename { from: location, to: source } };
            if !renames.contains(&rename) {
                renames.push(rename);
            }
        }
        renames
    }

    fn unknown(&self, typed: &str) -> Error {
        let mut sources: Vec<&str> = self.files().iter().map(|file| file.source.as_str()).collect();
        sources.dedup();
        let near = name::nearest(typed, sources.iter().copied(), 5);
        let candidates = if near.is_empty() {
            sources.iter().take(10).map(|source| (*source).to_owned()).collect()
        } else {
            near
        };
        let typed = typed.escape_default();
        Error::not_found(format!("there is no archived document `{typed}`"), candidates)
    }

    /// Returns the archived files that a name may mean: by the path in the archive, by the path
    /// before, by an ADR's id, by the name of a plan, an agent or a project, by a file's stem.
    fn named(&self, typed: &str) -> Vec<&Archived> {
        let typed = typed.trim_start_matches("./").trim_end_matches('/');
        let all = || self.files().iter();
        if path::is_within(typed, ARCHIVE) {
            return all().filter(|file| path::is_within(&file.location, typed)).collect();
        }
        let exact: Vec<&Archived> = all()
            .filter(|file| {
                file.source == typed || file.source.strip_prefix(".heirloom/") == Some(typed)
            })
            .collect();
        if !exact.is_empty() {
            return exact;
        }
        let records: Vec<&Archived> = all()
            .filter(|file| {
                typed.starts_with(char::is_alphabetic)
                    && adr::id_matches(&adr::read(&file.source, ""), typed)
            })
            .collect();
        if !records.is_empty() {
            return records;
        }
        let names: Vec<&str> = all().flat_map(|file| names_of(&file.source)).collect();
        let found = match name::find(path::file_name(typed), names) {
            name::Match::One(found) => vec![found],
            name::Match::Ambiguous(found) => found,
            name::Match::Unknown(_) => vec![],
        };
        let is_named = |file: &&Archived| {
            names_of(&file.source).iter().any(|own| found.iter().any(|name| name == own))
        };
        all().filter(is_named).collect()
    }
}

/// Returns the paths of the archived documents, where they lie now.
pub(crate) fn documents(root: &Root) -> Vec<String> {
    let mut found = archive::files_under(root, ARCHIVE);
    found.retain(|path| path.ends_with(".md"));
    found
}

/// Returns the name of the plan or the project that a document is the main one of.
fn folder_name(path: &str) -> Option<&str> {
    let stem = path::stem(path);
    let is_main = stem == "plan" || stem == "project" || stem.ends_with("-plan");
    is_main.then(|| path::file_name(path::folder(path)))
}

/// A plan's or a project's document is called by its folder.
fn names_of(path: &str) -> Vec<&str> {
    folder_name(path).into_iter().chain([path::stem(path)]).collect()
}
