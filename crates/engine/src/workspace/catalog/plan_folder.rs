//! The folder of the plans, and the numbers that they use.

use heirloom_core::hierarchy::{self, Level, Selectors};
use heirloom_core::name;
use heirloom_store::files::ARCHIVE;
use heirloom_store::{Root, layout};

/// A larger leading number is a date or an id and does not count.
const MAX_PLAN_NUMBER: u32 = 999_999;

/// The folder that contains the folders of all plans.
#[derive(Debug)]
pub(crate) struct PlanFolder {
    /// The path.
    pub(crate) path: String,
    /// The names of the plans in it.
    pub(crate) names: Vec<String>,
}

impl PlanFolder {
    /// Finds the folder of the plans; `None` if plans are not folders in one place.
    pub(crate) fn of(root: &Root, level: &Level) -> Option<Self> {
        let sites = level.name_locations();
        let (folder, _) = sites.iter().find(|(_, ending)| ending.is_empty())?;
        let path = hierarchy::expand_pattern(folder, &Selectors::new())?;
        let names = layout::list_names(root, level, &Selectors::new()).ok()?;
        Some(PlanFolder { path, names })
    }

    /// Returns the path of a plan's folder.
    pub(crate) fn folder_of(&self, plan: &str) -> String {
        if self.path.is_empty() { plan.to_owned() } else { format!("{}/{plan}", self.path) }
    }

    /// Returns the next number that no plan has, archived plans included.
    pub(crate) fn next_number(&self, root: &Root) -> u32 {
        let numbers = self.numbers(root);
        numbers.into_iter().filter(|number| *number <= MAX_PLAN_NUMBER).max().unwrap_or(0) + 1
    }

    /// Returns whether a plan or an archived plan has a number.
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
