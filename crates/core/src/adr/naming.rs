//! File names of decision records, so that a new record is named like the others in its folder.

use jiff::civil::Date;

use super::derive_id;
use crate::{name, path};

/// The naming scheme of a folder of records: `0019-use-x.md`, `ADR-0019_use_x.md`, `adr-019-Use-X.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingScheme {
    /// The text before the number, with its separator.
    prefix: String,
    numbering: Numbering,
    /// The text between the number and the title.
    separator: String,
    title_style: TitleStyle,
    /// The extension, with its dot.
    extension: String,
}

/// What a name starts with, apart from the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// A number with this many digits.
    Number(usize),
    /// A date in this format.
    Date(&'static str),
    /// The title.
    None,
}

/// How the title is written in a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TitleStyle {
    /// The text between two words; `None` if names have no title.
    separator: Option<&'static str>,
    case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    /// Only the first word starts with a capital.
    Sentence,
    /// Every word starts with a capital.
    Title,
}

impl Default for NamingScheme {
    /// Names a file `ADR-0019-use-x.md`.
    fn default() -> Self {
        NamingScheme {
            prefix: "ADR-".into(),
            numbering: Numbering::Number(4),
            separator: "-".into(),
            title_style: TitleStyle { separator: Some("-"), case: Case::Lower },
            extension: ".md".into(),
        }
    }
}

impl NamingScheme {
    /// Derives the naming scheme of a folder from its newest record; `None` if there is none in
    /// markdown.
    pub fn detect(names: &[&str]) -> Option<Self> {
        let markdown = names.iter().filter(|name| !path::is_restructured_text(name));
        let newest = markdown.max_by_key(|name| (number_of(name), **name))?;
        Some(Self::of_file(newest))
    }

    fn of_file(file: &str) -> Self {
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, "md"));
        let (prefix, numbering, rest) = split_stem(stem);
        let title = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        NamingScheme {
            prefix: prefix.to_owned(),
            numbering,
            separator: rest[..rest.len() - title.len()].to_owned(),
            title_style: TitleStyle::of(title),
            extension: format!(".{extension}"),
        }
    }

    /// Returns whether names contain a number.
    pub fn is_numbered(&self) -> bool {
        matches!(self.numbering, Numbering::Number(_))
    }

    /// Returns the file name of a new record.
    pub fn name(&self, number: u32, title: &str, today: Date) -> String {
        let number = match self.numbering {
            Numbering::Number(width) => format!("{number:0width$}"),
            Numbering::Date(format) => today.strftime(format).to_string(),
            Numbering::None => String::new(),
        };
        let NamingScheme { prefix, separator, title_style, extension, .. } = self;
        let slug = name::slug(title);
        // The slug is empty for a title without letters and digits, such as an emoji.
        let title = title_style.write(if slug.is_empty() { "decision" } else { &slug });
        let separator = if title.is_empty() { "" } else { separator };
        format!("{prefix}{number}{separator}{title}{extension}")
    }
}

/// Returns the number of a record; the year of a date is not one.
fn number_of(file: &str) -> Option<u32> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_numbered = matches!(split_stem(stem).1, Numbering::Number(_));
    derive_id(file).1.filter(|_| is_numbered)
}

/// Splits a stem into the text before the number, the kind of number and the text after it.
fn split_stem(stem: &str) -> (&str, Numbering, &str) {
    const DATE_FORMATS: [(&str, usize); 3] = [("%Y-%m-%d", 10), ("%Y_%m_%d", 10), ("%Y%m%d", 8)];
    for (format, length) in DATE_FORMATS {
        let date = stem.get(..length).filter(|date| Date::strptime(format, date).is_ok());
        if date.is_some() && !stem[length..].starts_with(|c: char| c.is_ascii_digit()) {
            return ("", Numbering::Date(format), &stem[length..]);
        }
    }
    if derive_id(stem).1.is_none() {
        return ("", Numbering::None, stem);
    }
    let start = stem.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let (digits, rest) = name::split_leading_digits(&stem[start..]);
    (&stem[..start], Numbering::Number(digits.len()), rest)
}

impl TitleStyle {
    /// Derives the style from the title in a file name.
    fn of(title: &str) -> Self {
        let separators = ["-", "_", " "].into_iter();
        let most_frequent = separators.max_by_key(|mark| title.matches(mark).count());
        let mark = most_frequent.filter(|mark| title.contains(mark));
        let is_capitalised = |word: &&str| word.starts_with(char::is_uppercase);
        let words: Vec<&str> =
            title.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect();
        let capital_count = words.iter().filter(|word| is_capitalised(word)).count();
        let is_camel_case = mark.is_none() && title.chars().skip(1).any(char::is_uppercase);
        let case = match capital_count {
            _ if is_camel_case => Case::Title,
            0 => Case::Lower,
            _ if words.len() > 1 && capital_count * 2 > words.len() => Case::Title,
            _ if words.first().is_some_and(is_capitalised) => Case::Sentence,
            _ => Case::Lower,
        };
        let separator = match mark {
            _ if title.is_empty() => None,
            Some(mark) => Some(mark),
            None if is_camel_case => Some(""),
            None => Some("-"),
        };
        TitleStyle { separator, case }
    }

    /// Writes the words of a slug in this style.
    fn write(&self, slug: &str) -> String {
        let Some(separator) = self.separator else { return String::new() };
        let words = slug.split('-').enumerate().map(|(index, word)| match self.case {
            Case::Title => capitalise(word),
            Case::Sentence if index == 0 => capitalise(word),
            Case::Sentence | Case::Lower => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(separator)
    }
}

fn capitalise(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_new_name_follows_the_newest_record() {
        let next = |names: &[&str]| {
            NamingScheme::detect(names).unwrap().name(20, "Use PostgreSQL now", date(2026, 2, 22))
        };
        assert_eq!(next(&["0001-a.md", "0019-use-x.md"]), "0020-use-postgresql-now.md");
        assert_eq!(next(&["ADR-0019-x.md"]), "ADR-0020-use-postgresql-now.md");
        assert_eq!(next(&["adr-019-x.md"]), "adr-020-use-postgresql-now.md");
        assert_eq!(next(&["ADR019_use_x.md"]), "ADR020_use_postgresql_now.md");
        assert_eq!(next(&["0019-Use-The-X.md"]), "0020-Use-Postgresql-Now.md");
        assert_eq!(next(&["0019 Use x.markdown"]), "0020 Use postgresql now.markdown");
        assert_eq!(next(&["019-UseTheX.md"]), "020-UsePostgresqlNow.md");
        assert_eq!(next(&["ADR-0019.md"]), "ADR-0020.md");
        assert_eq!(next(&["19. Use x.md"]), "20. Use postgresql now.md");
        assert_eq!(next(&["2025-01-31-use-x.md"]), "2026-02-22-use-postgresql-now.md");
        assert_eq!(next(&["20250131-x.md"]), "20260222-use-postgresql-now.md");
        assert_eq!(next(&["use-x.md", "keep-y.md"]), "use-postgresql-now.md");
        assert_eq!(next(&["0003-new.md", "ADR-2.md", "notes.md"]), "0020-use-postgresql-now.md");
        assert_eq!(NamingScheme::detect(&[]), None);
        assert_eq!(NamingScheme::detect(&["0001-x.rst"]), None);
    }
}
