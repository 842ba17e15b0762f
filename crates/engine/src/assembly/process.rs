//! Recognises statements about how code is written and checked, which hold for every change of it.

use heirloom_core::assembly::Activity;
use heirloom_core::recall::terms;

/// Stems of words for what every change of code has.
const PROCESS_TERMS: [&str; 12] = [
    "branch",
    "changelog",
    "comment",
    "commit",
    "format",
    "lint",
    "linter",
    "name",
    "pull",
    "style",
    "test",
    "typo",
];

/// Words before the subject of a statement that do not restrict it.
const OPENING_WORDS: [&str; 12] = [
    "all", "always", "any", "do", "each", "every", "keep", "never", "prefer", "run", "use", "write",
];

/// How many words after an opening word are looked at.
const SUBJECT_WORDS: usize = 6;

/// Returns whether a statement is about how code is written and checked, and the activity is one that changes code. Its
/// subject decides: "Tests are named after …" holds for every change, "Frontend tests are …" only for some.
pub(super) fn concerns_every_change(text: &str, activity: Activity) -> bool {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return false };
    let is_process = |word: &str| {
        terms(word).iter().any(|term| PROCESS_TERMS.binary_search(&term.as_str()).is_ok())
    };
    let opens = OPENING_WORDS.binary_search(&first.to_lowercase().as_str()).is_ok();
    activity.changes_code()
        && (is_process(first) || opens && words.take(SUBJECT_WORDS).any(is_process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_whose_subject_every_change_has_hold_for_every_change() {
        assert!(PROCESS_TERMS.is_sorted() && OPENING_WORDS.is_sorted());
        for text in [
            "Run make lint and make test before a pull request.",
            "Commit titles are imperative.",
            "Comments say why, not what.",
        ] {
            assert!(concerns_every_change(text, Activity::Feature), "{text}");
            assert!(!concerns_every_change(text, Activity::Planning), "{text}");
        }
        for text in ["Frontend tests need a browser.", "Images that run as root are rejected.", ""]
        {
            assert!(!concerns_every_change(text, Activity::Feature), "{text}");
        }
    }
}
