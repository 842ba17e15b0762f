//! What the path of a file says: its words, whether it is a test, and whether it changes with everything.

use super::identifiers::hash_word;

/// Words in the paths of tests.
const TEST_WORDS: [&str; 14] = [
    "test",
    "tests",
    "spec",
    "specs",
    "testing",
    "e2e",
    "snapshot",
    "snapshots",
    "snap",
    "bench",
    "benches",
    "it",
    "mock",
    "fixtures",
];

/// Names that many folders have a file of. Such a file is named after its folder.
const COMMON_NAMES: [&str; 7] = ["mod", "lib", "main", "index", "init", "readme", "conftest"];

/// Folders that say nothing about a file.
const COMMON_FOLDERS: [&str; 2] = ["src", "lib"];

/// Names of lock files besides `*.lock` and `*-lock.json` or `.yaml`.
const LOCK_FILES: [&str; 7] = [
    "npm-shrinkwrap.json",
    "go.sum",
    "go.work.sum",
    "bun.lockb",
    "gradle.lockfile",
    "package.resolved",
    "pnpm-lock.yaml",
];

/// Names of changelogs without their extension.
const CHANGELOG_NAMES: [&str; 9] = [
    "change-log",
    "change_log",
    "changes",
    "news",
    "history",
    "release",
    "releases",
    "release-notes",
    "release_notes",
];

/// Extensions of changelogs.
const CHANGELOG_EXTENSIONS: [&str; 6] = ["", "md", "rst", "txt", "adoc", "markdown"];

/// What the path of a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PathFeatures {
    /// The hashes of the words of its name without words of tests, in order.
    pub(super) subject: Vec<u32>,
    /// The hashes of the words of its name and its folders, sorted.
    pub(super) words: Vec<u32>,
    /// Whether it is a test.
    pub(super) is_test: bool,
    /// Whether it is a lock file or a changelog.
    pub(super) is_hot: bool,
}

impl PathFeatures {
    pub(super) fn of(path: &str) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = match name.starts_with('.') {
            true => name,
            false => name.split('.').next().unwrap_or(name),
        };
        let is_test_word = |word: &String| TEST_WORDS.contains(&word.as_str());
        let is_test = path_words(path).iter().any(is_test_word);
        let mut subject = path_words(stem);
        subject.retain(|word| !is_test_word(word));
        let is_common = match subject.as_slice() {
            [] => true,
            [word] => COMMON_NAMES.contains(&word.as_str()),
            _ => false,
        };
        if is_common {
            let last_folder = folder.rsplit('/').next().unwrap_or_default();
            subject.splice(0..0, path_words(last_folder));
        }
        let mut folders = path_words(folder);
        folders.retain(|word| !is_test_word(word) && !COMMON_FOLDERS.contains(&word.as_str()));
        let hash = |word: &String| hash_word(word.as_bytes());
        let mut words: Vec<u32> = subject.iter().chain(&folders).map(hash).collect();
        words.sort_unstable();
        words.dedup();
        let subject = subject.iter().map(hash).collect();
        PathFeatures { subject, words, is_test, is_hot: is_hot_by_name(path) }
    }
}

/// Returns whether a file is a lock file or a changelog, which changes with everything.
pub fn is_hot_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_lock = extension == "lock"
        || matches!(extension, "json" | "yml" | "yaml")
            && (stem.ends_with("-lock") || stem.ends_with(".lock"))
        || LOCK_FILES.contains(&name.as_str());
    let is_changelog = name.starts_with("changelog")
        || CHANGELOG_NAMES.contains(&stem) && CHANGELOG_EXTENSIONS.contains(&extension)
        || CHANGELOG_NAMES.contains(&name.as_str());
    is_lock || is_changelog
}

/// Returns the words of a path in lower case, split at punctuation, digits and humps of camel case.
pub fn path_words(path: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in path.split(|c: char| !c.is_ascii_alphanumeric()) {
        let bytes = part.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            let end = start + word_length(&bytes[start..]);
            words.push(part[start..end].to_ascii_lowercase());
            start = end;
        }
    }
    words
}

/// Returns the length of the first word: digits, capitals that no small letter follows, or small letters after at most
/// one capital.
fn word_length(text: &[u8]) -> usize {
    let count = |from: usize, is_part: fn(&u8) -> bool| {
        text[from..].iter().take_while(|byte| is_part(byte)).count()
    };
    let digits = count(0, u8::is_ascii_digit);
    let capitals = count(0, u8::is_ascii_uppercase);
    let small = count(capitals, u8::is_ascii_lowercase);
    match (digits, capitals, small) {
        (1.., _, _) => digits,
        (_, 0 | 1, small) => capitals + small,
        (_, capitals, 0) => capitals,
        // The last capital belongs to the next word.
        (_, capitals, _) => capitals - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_paths_are_split_at_humps_and_digits() {
        assert_eq!(path_words("src/HTTPServer2.rs"), ["src", "http", "server", "2", "rs"]);
        assert_eq!(path_words("parseURL-fooBar_X"), ["parse", "url", "foo", "bar", "x"]);
    }

    #[test]
    fn a_test_has_the_subject_of_what_it_tests() {
        let subject = |path: &str| PathFeatures::of(path).subject;
        assert_eq!(subject("tests/parser_test.rs"), subject("src/parser.rs"));
        assert_eq!(subject("src/parser/mod.rs").len(), 2);
        assert!(PathFeatures::of("tests/a.rs").is_test && !PathFeatures::of("src/a.rs").is_test);
    }

    #[test]
    fn lock_files_and_changelogs_are_hot() {
        for path in [
            "Cargo.lock",
            "a/yarn.lock",
            "package-lock.json",
            "go.sum",
            "CHANGES.rst",
            "docs/CHANGELOG-2.md",
            "NEWS",
        ] {
            assert!(is_hot_by_name(path), "{path}");
        }
        for path in ["src/lock.rs", "news.py", "history/mod.rs", "src/changes.rs"] {
            assert!(!is_hot_by_name(path), "{path}");
        }
    }
}
