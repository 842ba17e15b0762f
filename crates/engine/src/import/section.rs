//! Maps headings, categories and entity types to sections.

use heirloom_core::record::FactSection;

/// Words of headings and categories. If several match, the first section of this table wins: the rules of
/// an architecture are rules, and its decisions are decisions.
const HEADING_WORDS: &[(FactSection, &[&str])] = &[
    (
        FactSection::KnownIssues,
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
    (FactSection::Decisions, &["decision", "adr"]),
    (
        FactSection::Constraints,
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
    (FactSection::RecentWork, &["recent", "recently", "changelog", "status", "progress"]),
    (FactSection::Specs, &["spec", "specification", "requirement", "goal", "feature", "roadmap"]),
    (
        FactSection::Patterns,
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
        FactSection::Architecture,
        &["architecture", "structure", "stack", "design", "layout", "component", "fact"],
    ),
];

/// Words that identify a section as a category but not in a heading (`Issue tracking`, `Error handling`).
const CATEGORY_WORDS: &[(FactSection, &[&str])] = &[
    (FactSection::KnownIssues, &["issue", "bug", "problem", "error", "incident"]),
    (FactSection::Constraints, &["requirement"]),
    (FactSection::RecentWork, &["task", "event", "milestone"]),
];

/// Returns the section that matches the words of a heading.
pub(super) fn of_heading(heading: &str) -> Option<FactSection> {
    find(HEADING_WORDS, &words(heading))
}

/// Returns the section that matches a category or an entity type.
pub(super) fn of_category(category: &str) -> Option<FactSection> {
    let words = words(category);
    find(CATEGORY_WORDS, &words).or_else(|| find(HEADING_WORDS, &words))
}

fn find(table: &[(FactSection, &[&str])], words: &[String]) -> Option<FactSection> {
    let contains = |keyword: &str| {
        words.iter().any(|word| word == keyword || word.strip_suffix('s') == Some(keyword))
    };
    let found = table.iter().find(|(_, keywords)| keywords.iter().any(|word| contains(word)));
    found.map(|(section, _)| *section)
}

/// Splits a name into lowercase words, whether it is `bug_report`, `BugReport` or `Bug report`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lowercase = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (was_lowercase && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lowercase = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_map_to_sections() {
        for (heading, section) in [
            ("Project structure", Some(FactSection::Architecture)),
            ("Architecture decisions", Some(FactSection::Decisions)),
            ("🚫 NEVER do this", Some(FactSection::Constraints)),
            ("Common gotchas", Some(FactSection::KnownIssues)),
            ("Issue tracking workflow", Some(FactSection::Patterns)),
            ("Error handling", None),
            ("Requirements", Some(FactSection::Specs)),
            ("Changelog", Some(FactSection::RecentWork)),
            ("", None),
        ] {
            assert_eq!(of_heading(heading), section, "{heading}");
        }
    }

    #[test]
    fn categories_map_to_sections() {
        for (category, section) in [
            ("requirement", Some(FactSection::Constraints)),
            ("BugReport", Some(FactSection::KnownIssues)),
            ("design_decision", Some(FactSection::Decisions)),
            ("tip", Some(FactSection::Patterns)),
            ("person", None),
        ] {
            assert_eq!(of_category(category), section, "{category}");
        }
    }
}
