//! Which places of which documents mean the record or the plan that gets another number.

use std::collections::HashSet;

use heirloom_core::conflict::{self, ByName};
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::{self, Level, Selectors};
use heirloom_core::path::percent_decoded;
use heirloom_core::renumber::{self, Form, Meaning, Name, Occurrence, Owner, Unclear};
use heirloom_core::supersession::Supersession;
use heirloom_core::{name, path};
use heirloom_store::files::ARCHIVE;
use heirloom_store::{Root, layout};

use super::{Catalog, Filed};

/// A document that names what is renumbered.
#[derive(Debug)]
pub(crate) struct Edit<'c> {
    /// The document.
    pub(crate) filed: &'c Filed,
    /// Its new text.
    pub(crate) after: String,
    /// How many numbers are replaced.
    pub(crate) replaced: usize,
    /// What is left to a person.
    pub(crate) unclear: Vec<Unclear>,
}

/// The folder in which every plan has a folder.
#[derive(Debug)]
pub(crate) struct PlanFolder {
    /// Its path.
    pub(crate) path: String,
    /// The plans in it.
    pub(crate) names: Vec<String>,
}

impl PlanFolder {
    /// Finds the folder of the plans, if each plan is a folder in one place.
    pub(crate) fn of(root: &Root, level: &Level) -> Option<Self> {
        let sites = level.name_sites();
        let (folder, _) = sites.iter().find(|(_, ending)| ending.is_empty())?;
        let path = hierarchy::expand(folder, &Selectors::new())?;
        let names = layout::names(root, level, &Selectors::new()).ok()?;
        Some(PlanFolder { path, names })
    }

    /// Returns where a plan's folder is.
    pub(crate) fn folder_of(&self, plan: &str) -> String {
        if self.path.is_empty() { plan.to_owned() } else { format!("{}/{plan}", self.path) }
    }

    /// Returns a number that no plan has, and none that is in the archive had.
    pub(crate) fn next_number(&self, root: &Root) -> u32 {
        let numbers = self.numbers(root);
        numbers.into_iter().filter(|number| *number < 1_000_000).max().unwrap_or(0) + 1
    }

    /// Returns whether a plan has a number, or had it and is in the archive.
    pub(crate) fn is_taken(&self, root: &Root, number: u32) -> bool {
        self.numbers(root).contains(&number)
    }

    fn numbers(&self, root: &Root) -> Vec<u32> {
        let archived = root.list(&format!("{ARCHIVE}/{}", self.path)).unwrap_or_default();
        let archived = archived.iter().map(|item| item.name.as_str());
        let names = self.names.iter().map(String::as_str).chain(archived);
        names.filter_map(|name| name::leading_number(name)?.parse().ok()).collect()
    }
}

impl Catalog {
    /// Rewrites every document that names a record by its file or its number.
    pub(crate) fn renumber_record(
        &self,
        record: &Filed,
        name: &Name,
        number: u32,
    ) -> Vec<Edit<'_>> {
        let supersession = Supersession::new(&self.adrs);
        let own = &record.document.path;
        let owner = |filed: &Filed| match &filed.adr {
            Some(adr) if adr.path == *own => Owner::This,
            Some(adr) if adr.number == Some(name.number()) => Owner::Twin,
            _ => Owner::Other,
        };
        self.rewrite(name, number, &owner, &|filed, found| {
            self.means_record(&supersession, filed, found, own)
        })
    }

    /// Rewrites every document that names a plan by its folder or its number.
    pub(crate) fn renumber_plan(
        &self,
        root: &Root,
        plans: &PlanFolder,
        plan: &str,
        name: &Name,
        number: u32,
    ) -> Vec<Edit<'_>> {
        let supersession = Supersession::new(&self.adrs);
        let has_number =
            |other: &str| Name::of_plan(other).is_some_and(|other| other.number() == name.number());
        let owner = |filed: &Filed| match filed.selectors.get("plan") {
            Some(own) if filed.kind == NodeKind::Plan && own == plan => Owner::This,
            Some(own) if filed.kind == NodeKind::Plan && has_number(own) => Owner::Twin,
            _ => Owner::Other,
        };
        let folder = plans.folder_of(plan);
        let is_unique = plans.names.iter().filter(|other| has_number(other)).count() == 1;
        self.rewrite(name, number, &owner, &|filed, found| match found.form {
            Form::Name => self.names_plan(root, &supersession, filed, found.written, &folder),
            Form::Number => self.numbers_plan(filed, found, &folder, is_unique),
        })
    }

    fn rewrite(
        &self,
        name: &Name,
        number: u32,
        owner: &dyn Fn(&Filed) -> Owner,
        meaning: &dyn Fn(&Filed, &Occurrence<'_>) -> Meaning,
    ) -> Vec<Edit<'_>> {
        let mut seen = HashSet::new();
        let once = self.filed.iter().filter(|filed| seen.insert(filed.document.path.as_str()));
        once.filter_map(|filed| {
            let done = renumber::rewrite(&filed.text, name, number, owner(filed), &|found| {
                meaning(filed, found)
            });
            let concerns = done.replaced > 0 || !done.unclear.is_empty();
            concerns.then_some(Edit {
                filed,
                after: done.text,
                replaced: done.replaced,
                unclear: done.unclear,
            })
        })
        .collect()
    }

    fn means_record(
        &self,
        supersession: &Supersession<'_>,
        from: &Filed,
        found: &Occurrence<'_>,
        record: &str,
    ) -> Meaning {
        let home = from.document.path.as_str();
        let written = match found.form {
            Form::Name => Some(found.written),
            Form::Number => found.link,
        };
        let led_to = written.and_then(|written| {
            let paths = candidates(home, written, record);
            paths.iter().find_map(|path| supersession.at_path(path))
        });
        if let Some(at) = led_to {
            return if self.adrs[at].path == record { Meaning::This } else { Meaning::Other };
        }
        if written.is_some_and(is_elsewhere) {
            return Meaning::Other;
        }
        let own = supersession.at_path(record).map(|at| &self.adrs[at]);
        let Some(own) = own else { return Meaning::Other };
        let same: Vec<usize> = match found.form {
            Form::Name => supersession.with_stem(path::stem(record)).to_vec(),
            Form::Number if !supersession.with_stem(found.written).is_empty() => {
                return Meaning::Other;
            }
            Form::Number => {
                let prefix = |id: &str| id.split('-').next().unwrap_or_default().to_owned();
                own.number
                    .into_iter()
                    .flat_map(|number| supersession.numbered(number))
                    .filter(|&at| prefix(&self.adrs[at].id) == prefix(&own.id))
                    .collect()
            }
        };
        let near: Vec<usize> = same
            .iter()
            .copied()
            .filter(|&at| conflict::is_near(home, &self.adrs[at].path))
            .collect();
        let meant = if near.is_empty() { same } else { near };
        match meant.as_slice() {
            [one] if self.adrs[*one].path == record => Meaning::This,
            several if several.iter().any(|&at| self.adrs[at].path == record) => Meaning::Unclear,
            _ => Meaning::Other,
        }
    }

    fn names_plan(
        &self,
        root: &Root,
        supersession: &Supersession<'_>,
        from: &Filed,
        written: &str,
        folder: &str,
    ) -> Meaning {
        let inside = |path: &String| {
            path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let paths = candidates(&from.document.path, written, "");
        let has_path = written.contains('/');
        let is_other =
            |path: &String| self.at_path(path).is_some() || has_path && root.exists(path);
        if paths.iter().any(inside) {
            Meaning::This
        } else if is_elsewhere(written) || paths.iter().any(is_other) {
            Meaning::Other
        } else if supersession.with_stem(path::file_name(folder)).is_empty() {
            Meaning::This
        } else {
            Meaning::Unclear
        }
    }

    fn numbers_plan(
        &self,
        from: &Filed,
        found: &Occurrence<'_>,
        folder: &str,
        is_unique: bool,
    ) -> Meaning {
        let is_bare = found.written.bytes().all(|byte| byte.is_ascii_digit());
        if !is_bare {
            return if is_unique { Meaning::This } else { Meaning::Unclear };
        }
        // A number in `depends_on` of an agent means another agent of its plan first.
        match self.by_name(&from.document, found.written) {
            ByName::Document(path) if path::folder(&path) == folder => Meaning::This,
            ByName::Several => Meaning::Unclear,
            ByName::Document(_) | ByName::Nothing => Meaning::Other,
        }
    }
}

/// Returns the paths that a written one may mean: from its document, from the root, and with the
/// ending that wiki links leave out.
fn candidates(home: &str, written: &str, like: &str) -> Vec<String> {
    let target = percent_decoded(written.split(['#', '?']).next().unwrap_or(written));
    let ending = like.rsplit_once('.').map_or("md", |(_, ending)| ending);
    let with_ending = format!("{target}.{ending}");
    [target, with_ending]
        .iter()
        .flat_map(|target| [path::joined(home, target), path::joined("", target)])
        .flatten()
        .collect()
}

/// The rest of an address after its scheme: `//example.org/…`.
fn is_elsewhere(written: &str) -> bool {
    written.starts_with("//") || written.contains("://")
}
