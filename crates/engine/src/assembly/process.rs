//! Recognises statements about how code is written and checked, which hold for every change of it.

use heirloom_core::recall::terms;

use super::change::Change;

/// Stems of words for what every change has.
const COMMIT_TERMS: [&str; 4] = ["branch", "changelog", "commit", "pull"];

/// Stems of words for what every change of code has besides.
const CODE_TERMS: [&str; 7] = ["comment", "format", "lint", "linter", "name", "test", "typo"];

/// Stems of words for the end of a change: what is to be done before it holds for every change.
const END_TERMS: [&str; 4] = ["commit", "merg", "pull", "push"];

/// How many words of a statement may stand before "before", and how many words after it are looked at.
const STATEMENT_WORDS: usize = 20;
const END_WORDS: usize = 3;

/// Stems of these that mean something else unless they are the first word: "Prefer derived query method names". As a label
/// ("Format: `* text`") they begin a definition, which says nothing without its heading.
const FIRST_WORD_TERMS: [&str; 3] = ["comment", "format", "name"];

/// Words before the subject of a statement that do not restrict it.
const OPENING_WORDS: [&str; 12] = [
    "all", "always", "any", "do", "each", "every", "keep", "never", "prefer", "run", "use", "write",
];

/// How many words after an opening word are looked at.
const SUBJECT_WORDS: usize = 4;

/// Words that restrict the subject before them: "tests of the export".
const RESTRICTING_WORDS: [&str; 8] =
    ["about", "against", "for", "in", "of", "that", "which", "with"];

/// Words that begin a condition, under which alone a statement holds: "Use /test-first when fixing bugs".
const CONDITIONAL_WORDS: [&str; 4] = ["if", "unless", "when", "where"];

/// Words after "test" that leave it the subject: "test names", "test every change", and not "test data".
const WORDS_AFTER_TEST: [&str; 15] = [
    "a",
    "all",
    "and",
    "before",
    "cases",
    "code",
    "coverage",
    "descriptions",
    "each",
    "every",
    "files",
    "names",
    "new",
    "suites",
    "the",
];

/// Returns whether a statement is about how a change like this one is written and checked. Its subject decides: "Tests are named after …" holds for every change, "Frontend tests are …" and "Tests of the export
/// are …" only for some.
pub(super) fn concerns_every_change(text: &str, change: Change) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(1 + SUBJECT_WORDS).collect();
    let Some(first) = words.first() else { return false };
    let has_term =
        |word: &str, stems: &[&str]| terms(word).iter().any(|term| stems.contains(&term.as_str()));
    let is_process = |word: &&str| {
        let is_of_code = change == Change::Code && has_term(word, &CODE_TERMS);
        (is_of_code || has_term(word, &COMMIT_TERMS)) && !is_identifier(word)
    };
    // "Pull requests", and not "pull consumers".
    let is_other_pull = |at: usize| {
        let next = words.get(at + 1).map(|word| word.to_lowercase()).unwrap_or_default();
        has_term(words[at], &["pull"])
            && !has_term(words[at], &["request"])
            && !next.starts_with("request")
    };
    let opens = OPENING_WORDS.binary_search(&first.to_lowercase().as_str()).is_ok();
    let is_before = |word: &&str| word.eq_ignore_ascii_case("before");
    let until_end =
        text.split_whitespace().take(STATEMENT_WORDS).skip_while(|word| !is_before(word));
    let is_before_end = (opens || is_before(first))
        && until_end.skip(1).take(END_WORDS).any(|word| has_term(word, &END_TERMS));
    let is_subject = |(at, word): (usize, &&str)| {
        let is_label = word.ends_with(':') && has_term(word, &FIRST_WORD_TERMS);
        // "Named exports" are exports.
        let is_participle = word.to_lowercase().ends_with("ed");
        is_process(word)
            && !is_other_pull(at)
            && !is_label
            && !is_participle
            && (at == 0 || opens && !has_term(word, &FIRST_WORD_TERMS))
    };
    let subject = words.iter().enumerate().position(is_subject);
    let is_part_of_subject = |at: usize| {
        let next = words.get(at + 1).map(|word| word.to_lowercase()).unwrap_or_default();
        words[at].eq_ignore_ascii_case("test") && !WORDS_AFTER_TEST.contains(&next.as_str())
    };
    let is_restricted = |at: usize| {
        // The subject may have two words: "commit messages of …".
        let after = words.iter().skip(at + 1).take(2);
        after.into_iter().any(|word| RESTRICTING_WORDS.contains(&word.to_lowercase().as_str()))
    };
    let mut statement = text.split(['.', ';']).next().unwrap_or_default().split_whitespace();
    let is_conditional =
        statement.any(|word| CONDITIONAL_WORDS.contains(&word.to_lowercase().as_str()));
    let subject =
        subject.filter(|at| !is_conditional && !is_restricted(*at) && !is_part_of_subject(*at));
    change != Change::Nothing && (is_before_end || subject.is_some())
}

/// Returns whether a word is a name in code or of a tool, such as "TestExport", "test_export" or "lint-imports", and not a
/// word of the language.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_compound = word.contains('-') && !word.to_lowercase().starts_with("pull-request");
    is_compound
        || word.contains(|c: char| c == '_' || c.is_numeric())
        || word.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_whose_subject_every_change_has_hold_for_every_change() {
        assert!(OPENING_WORDS.is_sorted());
        for text in [
            "Run make lint and make test before a pull request.",
            "Commit titles are imperative.",
            "Comments say why, not what.",
            "Before each push, the linters must pass.",
            "Test names say what is expected.",
            "Keep tests deterministic.",
            "Pull requests have one reviewer.",
            "Pull-requests have one reviewer.",
            "Always run the linter.",
            "Run `bundle exec rubocop` and `bundle exec rspec` before pushing.",
        ] {
            assert!(concerns_every_change(text, Change::Code), "{text}");
            assert!(!concerns_every_change(text, Change::Nothing), "{text}");
        }
        for text in [
            "Frontend tests need a browser.",
            "TestExportFull pins a commit of the node.",
            "lint-imports enforces layers: contrib over apps over lib.",
            "Pull status handling: 404 ends the request, 409 is an error.",
            "Test data comes from the factories.",
            "Format: `* (tag) [#number] message`",
            "Named exports only, and never call a file index.ts.",
            "Prefer derived query method names over annotations.",
            "Use `@JoinColumn(name = …)` for the owning side.",
            "Images that run as root are rejected.",
            "Before a release, the export is compared.",
            "Run the export before the nightly job.",
            "Use `/test-first` when adding behaviour or fixing bugs.",
            "Styling uses the utility classes of the design system.",
            "",
        ] {
            assert!(!concerns_every_change(text, Change::Code), "{text}");
        }
        assert!(concerns_every_change("Commit titles are imperative.", Change::NoCode));
        assert!(!concerns_every_change("Keep tests deterministic.", Change::NoCode));
    }
}
