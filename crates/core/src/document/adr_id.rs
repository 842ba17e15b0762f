//! Ids of decision records, derived from their paths.
//!
//! They are here and not in `adr`, because references in documents are recognised by them and `adr`
//! builds on documents.

use crate::{name, path};

/// Longest prefix of letters before a record's number.
const MAX_PREFIX_LETTERS: usize = 4;

/// The length of a date such as `2023-11-07`.
const DATE_LENGTH: usize = 10;

/// More digits are a date, not a record's number.
pub(crate) const MAX_NUMBER_DIGITS: usize = 5;

/// Derives the id and the number of a record from its path: the letters and digits that its name
/// starts with, or the whole name and no number.
pub fn derive_id(path: &str) -> (String, Option<u32>) {
    let name = adr_name(path);
    let Some((letters, digits)) = split_number(name) else { return (name.to_owned(), None) };
    let prefix = match letters {
        "" if path.split('/').any(|part| part == "keps") => "KEP".to_owned(),
        "" => "ADR".to_owned(),
        letters => letters.to_uppercase(),
    };
    (format!("{prefix}-{digits}"), digits.parse().ok())
}

/// Returns the name of a record: the name of its folder if the record is a folder, otherwise its file
/// name without the extension.
pub fn adr_name(path: &str) -> &str {
    folder_name(path).unwrap_or_else(|| path::stem(path))
}

/// Returns the name of a record's folder if the path is the `README.md` of a numbered folder.
pub fn folder_name(path: &str) -> Option<&str> {
    let is_readme = path::file_name(path) == "README.md";
    let folder = path::file_name(path::folder(path));
    (is_readme && split_number(folder).is_some()).then_some(folder)
}

/// Removes the date that a name may start with, if a number follows it: `2023-11-07_029-event-source`.
fn without_date(name: &str) -> &str {
    let is_date = |date: &str| {
        let shape = date.char_indices().all(|(at, c)| match at {
            4 | 7 => matches!(c, '-' | '_'),
            _ => c.is_ascii_digit(),
        });
        shape && date.len() == DATE_LENGTH
    };
    let Some(date) = name.get(..DATE_LENGTH).filter(|date| is_date(date)) else { return name };
    let rest = name[date.len()..].trim_start_matches(['-', '_', ' ']);
    if rest.starts_with(|c: char| c.is_ascii_digit()) { rest } else { name }
}

/// Returns the letters and the digits that a numbered name starts with.
fn split_number(name: &str) -> Option<(&str, &str)> {
    let name = without_date(name);
    let letters = name.len() - name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let rest = name[letters..].trim_start_matches(['-', '_', ' ']);
    let (digits, after) = name::split_leading_digits(rest);
    let ends_word = !after.starts_with(char::is_alphanumeric);
    let is_number = (1..=MAX_NUMBER_DIGITS).contains(&digits.len())
        && ends_word
        && letters <= MAX_PREFIX_LETTERS;
    is_number.then(|| (&name[..letters], digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_from_file_names() {
        let id = |path: &str| derive_id(path).0;
        assert_eq!(id("x/ADR-0010-use-sqlite.md"), "ADR-0010");
        assert_eq!(id("0010-use-sqlite.md"), "ADR-0010");
        assert_eq!(id("ADR001_title.md"), "ADR-001");
        assert_eq!(id("pep-0123.rst"), "PEP-0123");
        assert_eq!(id("oep-0003-arch-x.rst"), "OEP-0003");
        assert_eq!(id("20201016-slug.md"), "20201016-slug");
        assert_eq!(id("2023-11-07_029-event-source.md"), "ADR-029");
        assert_eq!(id("2023-11-07-event-source.md"), "ADR-2023");
        assert_eq!(id("template-engine.md"), "template-engine");
    }

    #[test]
    fn only_the_readme_of_a_numbered_folder_has_a_folder_name() {
        assert_eq!(folder_name("keps/sig-node/1729-images/README.md"), Some("1729-images"));
        assert_eq!(folder_name("keps/sig-node/1729-images/notes.md"), None);
        assert_eq!(folder_name("keps/README.md"), None);
        assert_eq!(folder_name("README.md"), None);
    }
}
