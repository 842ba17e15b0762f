//! The folder of the plans, and the numbers that they use.

use heirloom_core::hierarchy::{self, Level, Selectors};
use heirloom_core::name;
use heirloom_store::{Root, archive, layout};

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
        self.numbers(root).into_iter().max().unwrap_or(0) + 1
    }

    /// Returns whether a plan or an archived plan has a number.
    pub(crate) fn is_taken(&self, root: &Root, number: u32) -> bool {
        self.numbers(root).contains(&number)
    }

    fn numbers(&self, root: &Root) -> Vec<u32> {
        let archived = archive::list(root);
        let archived = archived.iter().filter_map(|file| self.plan_at(&file.source));
        let names = self.names.iter().map(String::as_str).chain(archived);
        names.filter_map(name::plan_number).collect()
    }

    /// Returns the plan whose folder contains a file.
    fn plan_at<'f>(&self, file: &'f str) -> Option<&'f str> {
        let inner = match self.path.as_str() {
            "" => file,
            folder => file.strip_prefix(folder)?.strip_prefix('/')?,
        };
        inner.split('/').next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archived_plans_count_and_dates_do_not() {
        let home = tempfile::tempdir().unwrap();
        let root = Root::open_new(home.path()).unwrap();
        for source in ["plans/0009-old/plan.md", "plans/20260222-notes/plan.md", "docs/0099-x/a.md"]
        {
            assert!(root.create(&archive::location(source, 2), "# X\n").unwrap());
        }
        let plans = PlanFolder { path: "plans".into(), names: vec!["0003-new".into()] };
        assert_eq!(plans.next_number(&root), 10);
        assert!(plans.is_taken(&root, 9) && plans.is_taken(&root, 3));
        assert!(!plans.is_taken(&root, 99));
    }
}
