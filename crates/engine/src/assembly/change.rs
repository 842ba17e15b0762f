//! What a piece of work changes, which decides which rules concern it.

use heirloom_core::assembly::Activity;
use heirloom_core::path;

/// What a piece of work changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing.
    Nothing,
    /// Text for people, or the versions of dependencies.
    NoCode,
    /// Code.
    Code,
}

/// Endings of the names of files for people, and of files that list dependencies.
const ENDINGS_WITHOUT_CODE: [&str; 12] =
    ["adoc", "csv", "gradle", "json", "lock", "markdown", "md", "mod", "rst", "sum", "toml", "txt"];

/// Verbs with which a task begins that raises a version.
const VERSION_VERBS: [&str; 3] = ["bump", "update", "upgrade"];

impl Change {
    /// Returns what a task changes, by the activity, the files that are named and its words.
    pub(super) fn of(activity: Activity, files: &[String], task: &str) -> Self {
        let has_no_code = |file: &String| {
            let ending = path::file_name(file).rsplit_once('.').map(|(_, ending)| ending);
            ending.is_some_and(|it| ENDINGS_WITHOUT_CODE.contains(&it.to_lowercase().as_str()))
        };
        match activity.changes_code() {
            false => Change::Nothing,
            true if raises_version(task) => Change::NoCode,
            true if !files.is_empty() && files.iter().all(has_no_code) => Change::NoCode,
            true => Change::Code,
        }
    }
}

/// Returns whether a task is to raise a version: "Upgrade govuk-frontend from 6.1.0 to 6.3.0".
fn raises_version(task: &str) -> bool {
    let mut words = task.split_whitespace();
    let verb = words.next().unwrap_or_default().to_lowercase();
    let is_version = |word: &str| {
        let digits = word.trim_start_matches('v').trim_end_matches(['.', ',', ';']);
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.')
    };
    VERSION_VERBS.contains(&verb.as_str()) && words.any(is_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_manifests_and_versions_are_no_code() {
        let change = |files: &[&str], task: &str| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            Change::of(Activity::Feature, &files, task)
        };
        assert_eq!(change(&[], "Upgrade the cards from 6.1.0 to 6.3.0."), Change::NoCode);
        assert_eq!(change(&["go/go.mod"], "Use x/net v0.57.0"), Change::NoCode);
        assert_eq!(change(&["docs/guide.md", "README.adoc"], "Describe refunds"), Change::NoCode);
        assert_eq!(change(&["docs/guide.md", "src/a.rs"], "Add refunds"), Change::Code);
        assert_eq!(change(&["Makefile"], "Build in parallel"), Change::Code);
        assert_eq!(change(&[], "Update the heading of the form"), Change::Code);
        assert_eq!(change(&[], ""), Change::Code);
        assert_eq!(Change::of(Activity::Planning, &[], "Plan refunds"), Change::Nothing);
    }
}
