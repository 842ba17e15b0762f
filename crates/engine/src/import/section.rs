//! Which section a heading, a category or a type of thing belongs to.

use heirloom_core::record::Section;

/// Words of headings and categories. Where several are found the first section wins: the rules of
/// an architecture are rules, and its decisions are decisions.
const WORDS: &[(Section, &[&str])] = &[
    (
        Section::KnownIssues,
        &[
            "issues",
            "bugs",
            "problems",
            "gotcha",
            "pitfall",
            "limitation",
            "caveat",
            "workaround",
            "troubleshooting",
        ],
    ),
    (Section::Decisions, &["decision", "adr"]),
    (
        Section::Constraints,
        &[
            "constraint",
            "must",
            "never",
            "rule",
            "security",
            "forbidden",
            "policy",
            "policies",
            "restriction",
            "invariant",
        ],
    ),
    (Section::RecentWork, &["recent", "recently", "changelog", "status", "progress"]),
    (Section::Specs, &["spec", "specification", "requirement", "goal", "feature", "roadmap"]),
    (
        Section::Patterns,
        &[
            "convention",
            "pattern",
            "style",
            "test",
            "testing",
            "workflow",
            "command",
            "guideline",
            "practice",
            "technique",
            "tip",
            "naming",
            "standard",
            "preference",
        ],
    ),
    (
        Section::Architecture,
        &["architecture", "structure", "stack", "design", "layout", "component", "fact"],
    ),
];

/// Words that say more of one thing than in a heading (`Issue tracking`, `Error handling`).
const CATEGORIES: &[(Section, &[&str])] = &[
    (Section::KnownIssues, &["issue", "bug", "problem", "error", "incident"]),
    (Section::Constraints, &["requirement"]),
    (Section::RecentWork, &["task", "event", "milestone"]),
];

/// Returns the section that the words of a heading name.
pub(super) fn of_heading(heading: &str) -> Option<Section> {
    find(WORDS, &words(heading))
}

/// Returns the section of a category, or of a type of thing.
pub(super) fn of_category(category: &str) -> Option<Section> {
    let words = words(category);
    find(CATEGORIES, &words).or_else(|| find(WORDS, &words))
}

fn find(table: &[(Section, &[&str])], words: &[String]) -> Option<Section> {
    let is_one = |own: &str| {
        words.iter().any(|word| word == own || word.strip_suffix('s').is_some_and(|one| one == own))
    };
    let found = table.iter().find(|(_, own)| own.iter().any(|own| is_one(own)));
    found.map(|(section, _)| *section)
}

/// Returns the words of a name, whether it is `bug_report`, `BugReport` or `Bug report`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (was_small && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_sections() {
        for (heading, section) in [
            ("Project structure", Some(Section::Architecture)),
            ("Architecture decisions", Some(Section::Decisions)),
            ("🚫 NEVER do this", Some(Section::Constraints)),
            ("Common gotchas", Some(Section::KnownIssues)),
            ("Issue tracking workflow", Some(Section::Patterns)),
            ("Error handling", None),
            ("Requirements", Some(Section::Specs)),
            ("Changelog", Some(Section::RecentWork)),
            ("", None),
        ] {
            assert_eq!(of_heading(heading), section, "{heading}");
        }
    }

    #[test]
    fn categories_name_sections() {
        for (category, section) in [
            ("requirement", Some(Section::Constraints)),
            ("BugReport", Some(Section::KnownIssues)),
            ("design_decision", Some(Section::Decisions)),
            ("tip", Some(Section::Patterns)),
            ("person", None),
        ] {
            assert_eq!(of_category(category), section, "{category}");
        }
    }
}
