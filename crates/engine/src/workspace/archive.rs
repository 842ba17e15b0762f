//! Archiving and restoring of documents: which files move together, and what the archive contains.

use std::cell::OnceCell;

use heirloom_core::adr::{self, Adr};
use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::{Hint, name, path};
use heirloom_store::Root;
use heirloom_store::archive::{self, ArchivedFile};
use heirloom_store::files::ARCHIVE;
use heirloom_store::journal::Rename;

use crate::Error;

/// The files that are archived and restored together: a plan with its folder, an agent with its memory,
/// or a single document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its files and folders, whether they exist or not.
    parts: Vec<String>,
    /// The possible paths of its main document.
    mains: Vec<String>,
}

impl Unit {
    /// Returns the unit of a document: the whole plan, agent or project if it is the main document of
    /// one, or else the document alone.
    pub(crate) fn of_document(hierarchy: &Hierarchy, path: &str) -> Self {
        let level_unit = hierarchy
            .levels
            .iter()
            .filter(|level| level.needs_selection())
            .find_map(|level| Some(Unit::of_level(level, &level.match_main_document(path)?)));
        level_unit
            .unwrap_or_else(|| Unit { parts: vec![path.to_owned()], mains: vec![path.to_owned()] })
    }

    /// Returns the unit whose folder contains a document, such as the plan of an agent.
    fn enclosing(hierarchy: &Hierarchy, path: &str) -> Option<Self> {
        let levels = hierarchy.levels.iter().rev().filter(|level| level.needs_selection());
        let mut units =
            levels.filter_map(|level| Some(Unit::of_level(level, &level.match_folder(path)?)));
        units.find(|unit| !unit.mains.iter().any(|main| main == path))
    }

    fn of_level(level: &Level, selectors: &Selectors) -> Self {
        let main = level.always.first().into_iter().flat_map(|main| main.split('|'));
        let mains = main.filter_map(|pattern| hierarchy::expand_pattern(pattern, selectors));
        Unit { parts: level.paths_of_name(selectors), mains: mains.collect() }
    }

    /// Returns whether a path belongs to the unit.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.parts.iter().any(|part| path::is_within(path, part))
    }

    /// Returns whether another unit lies within this one.
    pub(crate) fn encloses(&self, other: &Unit) -> bool {
        self != other && other.parts.iter().all(|part| self.contains(part))
    }

    /// Returns its files and folders that exist.
    pub(crate) fn existing_parts(&self, root: &Root) -> Vec<&str> {
        self.parts.iter().map(String::as_str).filter(|part| root.exists(part)).collect()
    }

    fn has_main(&self, path: &str) -> bool {
        self.mains.iter().any(|main| main == path)
    }
}

/// The moves that restore a unit.
#[derive(Debug)]
pub(crate) struct Restoration {
    /// The moves.
    pub(crate) renames: Vec<Rename>,
    /// Other versions of the unit, which stay in the archive.
    pub(crate) others: Vec<String>,
}

/// The archive of a workspace, listed on first use.
pub(crate) struct Archive<'r> {
    root: &'r Root,
    files: OnceCell<Vec<ArchivedFile>>,
    /// The archived files, read as decision records by their paths.
    records: OnceCell<Vec<Adr>>,
}

impl<'r> Archive<'r> {
    /// Creates a view of the archive without reading it.
    pub(crate) fn new(root: &'r Root) -> Self {
        Archive { root, files: OnceCell::new(), records: OnceCell::new() }
    }

    fn files(&self) -> &[ArchivedFile] {
        self.files.get_or_init(|| archive::list(self.root))
    }

    /// Returns whether the archive contains a path, a decision's id or the name of a plan.
    pub(crate) fn holds(&self, name: &str) -> bool {
        let is_named =
            |file: &ArchivedFile| file.source == name || folder_name(&file.source) == Some(name);
        self.files().iter().any(is_named)
            || self.records().iter().any(|record| adr::has_id(record, name))
    }

    fn records(&self) -> &[Adr] {
        let read = || self.files().iter().map(|file| adr::read(&file.source, "")).collect();
        self.records.get_or_init(read)
    }

    /// Returns the next version of a unit: higher than every archived version of it and of the unit
    /// that encloses it.
    pub(crate) fn next_version(&self, hierarchy: &Hierarchy, unit: &Unit) -> u32 {
        let enclosing = unit.mains.first().and_then(|main| Unit::enclosing(hierarchy, main));
        let is_taken = |file: &&ArchivedFile| {
            unit.contains(&file.source)
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

    /// Finds the unit that a name refers to and how to restore it: the latest version, or the one whose
    /// path in the archive is given.
    pub(crate) fn plan_restoration(
        &self,
        hierarchy: &Hierarchy,
        typed: &str,
    ) -> Result<Restoration, Error> {
        let matching = self.find_files(typed);
        let unit = &self.find_unit(hierarchy, typed, &matching)?;
        let versions = matching.iter().filter(|file| unit.has_main(&file.source));
        let Some(chosen) = versions.max_by_key(|file| file.recency()) else {
            return Err(self.unknown(typed));
        };
        self.check_not_part_of_plan(hierarchy, chosen)?;
        let mut others: Vec<&ArchivedFile> = self
            .files()
            .iter()
            .filter(|file| unit.has_main(&file.source) && file.recency() != chosen.recency())
            .collect();
        others.sort_by_key(|file| std::cmp::Reverse(file.recency()));
        Ok(Restoration {
            renames: self.renames(unit, chosen),
            others: others.into_iter().map(|file| file.location.clone()).collect(),
        })
    }

    /// Finds the main document of the unit that a name refers to, in its latest version, or the one whose path in the
    /// archive is given. `None` if the archive contains nothing with the name.
    pub(crate) fn find_document(
        &self,
        hierarchy: &Hierarchy,
        typed: &str,
    ) -> Result<Option<&ArchivedFile>, Error> {
        let matching = self.find_files(typed);
        if matching.is_empty() {
            return Ok(None);
        }
        let unit = self.find_unit(hierarchy, typed, &matching)?;
        let mains = matching.into_iter().filter(|file| unit.has_main(&file.source));
        Ok(mains.max_by_key(|file| file.recency()))
    }

    /// Returns the only unit that archived files belong to.
    fn find_unit(
        &self,
        hierarchy: &Hierarchy,
        typed: &str,
        files: &[&ArchivedFile],
    ) -> Result<Unit, Error> {
        let mut units: Vec<Unit> = Vec::new();
        for file in files {
            let unit = Unit::of_document(hierarchy, &file.source);
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        // The name of a folder refers to the unit of the folder, not to each document in it.
        let outer = units.clone();
        units.retain(|unit| !outer.iter().any(|outer| outer.encloses(unit)));
        if units.len() > 1 {
            let paths = units.iter().map(|unit| unit.parts[0].clone()).collect();
            let message = format!("`{typed}` could be any of several archived documents");
            return Err(Error::not_found(message, paths).hint("use a path"));
        }
        units.pop().ok_or_else(|| self.unknown(typed))
    }

    /// Refuses to restore a part of a plan that was archived as a whole: it is restored with the plan.
    fn check_not_part_of_plan(
        &self,
        hierarchy: &Hierarchy,
        chosen: &ArchivedFile,
    ) -> Result<(), Error> {
        let Some(enclosing) = Unit::enclosing(hierarchy, &chosen.source) else { return Ok(()) };
        let is_enclosing_main = |file: &&ArchivedFile| {
            file.version == chosen.version && enclosing.has_main(&file.source)
        };
        match self.files().iter().find(is_enclosing_main) {
            Some(main) if enclosing.existing_parts(self.root).is_empty() => {
                let folder = path::file_name(path::folder(&main.source));
                Err(Error::bad_input(format!(
                    "{} was archived together with {}",
                    chosen.source, enclosing.parts[0]
                ))
                .hint(
                    Hint::text("restore them together with ")
                        .call("context_restore", [("name", folder)]),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Returns the moves that restore one version of a unit. A folder is moved as a whole, unless its
    /// original path is occupied; then its files are moved one by one.
    fn renames(&self, unit: &Unit, chosen: &ArchivedFile) -> Vec<Rename> {
        if chosen.copy.is_some() {
            let ArchivedFile { location, source, .. } = chosen.clone();
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
            let suffix_length = file.source.len() - part.len();
            let archived_part = &file.location[..file.location.len() - suffix_length];
            let is_target_taken = self.root.exists(part)
                || renames.iter().any(|other| other.to == *part && other.from != archived_part);
            let ArchivedFile { location, source, .. } = file.clone();
            let rename = match is_target_taken {
                false => Rename { from: archived_part.to_owned(), to: part.clone() },
                true => Rename { from: location, to: source },
            };
            if !renames.contains(&rename) {
                renames.push(rename);
            }
        }
        renames
    }

    fn unknown(&self, typed: &str) -> Error {
        let mut sources: Vec<&str> = self.files().iter().map(|file| file.source.as_str()).collect();
        sources.dedup();
        let candidates = name::suggestions(typed, sources);
        let typed = typed.escape_default();
        Error::not_found(format!("there is no archived document `{typed}`"), candidates)
    }

    /// Returns the archived files that a name matches. It may be a path in the archive, an original
    /// path, an ADR's id, the name of a plan, an agent or a project, or a file's stem.
    fn find_files(&self, typed: &str) -> Vec<&ArchivedFile> {
        let typed = typed.trim_start_matches("./").trim_end_matches('/');
        let all = || self.files().iter();
        if path::is_within(typed, ARCHIVE) {
            return all().filter(|file| path::is_within(&file.location, typed)).collect();
        }
        let exact: Vec<&ArchivedFile> = all()
            .filter(|file| {
                file.source == typed || file.source.strip_prefix(".heirloom/") == Some(typed)
            })
            .collect();
        if !exact.is_empty() {
            return exact;
        }
        let records: Vec<&ArchivedFile> = all()
            .filter(|file| {
                typed.starts_with(char::is_alphabetic)
                    && adr::has_id(&adr::read(&file.source, ""), typed)
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
        let is_named = |file: &&ArchivedFile| {
            names_of(&file.source).iter().any(|name| found.iter().any(|found| found == name))
        };
        all().filter(is_named).collect()
    }
}

/// Returns the current paths of the archived documents.
pub(crate) fn documents(root: &Root) -> Vec<String> {
    let mut found = archive::files_under(root, ARCHIVE);
    found.retain(|path| path.ends_with(".md"));
    found
}

/// Returns whether one of the archived documents was at a path.
pub(crate) fn holds_path(archived: &[String], path: &str) -> bool {
    let sources = archived.iter().filter_map(|location| ArchivedFile::parse(location));
    sources.into_iter().any(|archived| archived.source == path)
}

/// Returns the name of a plan or a project, given the path of its main document.
fn folder_name(path: &str) -> Option<&str> {
    let stem = path::stem(path);
    let is_main = stem == "plan" || stem == "project" || stem.ends_with("-plan");
    is_main.then(|| path::file_name(path::folder(path)))
}

/// Returns the names by which a document can be found: its folder, if it is a main document, and its
/// stem.
fn names_of(path: &str) -> Vec<&str> {
    folder_name(path).into_iter().chain([path::stem(path)]).collect()
}
