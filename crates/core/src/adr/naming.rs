//! How the files of decision records are named, so that a new one is named like its neighbours.

use jiff::civil::Date;

use super::id_of;
use crate::name;

/// How the records of a folder are named: `0019-use-x.md`, `ADR-0019_use_x.md`, `adr-019-Use-X.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// What stands before the number, with its separator.
    prefix: String,
    numbering: Numbering,
    /// What stands between the number and the title.
    separator: String,
    words: Words,
    /// The ending, with its dot.
    ending: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// A number of so many digits.
    Number(usize),
    /// The day, in this format.
    Day(&'static str),
    /// Nothing: the title alone.
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    /// What stands between two words; `None` if files have no title in their names.
    separator: Option<&'static str>,
    case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    /// The first word starts with a capital.
    Sentence,
    /// Every word does.
    Title,
}

impl Default for Naming {
    /// Names a file `ADR-0019-use-x.md`.
    fn default() -> Self {
        Naming {
            prefix: "ADR-".into(),
            numbering: Numbering::Number(4),
            separator: "-".into(),
            words: Words { separator: Some("-"), case: Case::Lower },
            ending: ".md".into(),
        }
    }
}

impl Naming {
    /// Reads the naming of a folder from the names of its records; the newest one decides.
    pub fn of(names: &[&str]) -> Option<Self> {
        let markdown = names.iter().filter(|name| !name.to_lowercase().ends_with(".rst"));
        let newest = markdown.max_by_key(|name| (number_of(name), **name))?;
        Some(Self::of_name(newest))
    }

    fn of_name(file: &str) -> Self {
        let (stem, ending) = file.rsplit_once('.').unwrap_or((file, "md"));
        let (prefix, numbering, rest) = parts(stem);
        let title = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        Naming {
            prefix: prefix.to_owned(),
            numbering,
            separator: rest[..rest.len() - title.len()].to_owned(),
            words: Words::of(title),
            ending: format!(".{ending}"),
        }
    }

    /// Returns whether names hold a number.
    pub fn is_numbered(&self) -> bool {
        matches!(self.numbering, Numbering::Number(_))
    }

    /// Returns the name of a new record.
    pub fn name(&self, number: u32, title: &str, today: Date) -> String {
        let number = match self.numbering {
            Numbering::Number(width) => format!("{number:0width$}"),
            Numbering::Day(format) => today.strftime(format).to_string(),
            Numbering::None => String::new(),
        };
        let Naming { prefix, separator, words, ending, .. } = self;
        let slug = name::slug(title);
        // A title without letters and digits, such as an emoji, is called what it is.
        let words = words.write(if slug.is_empty() { "decision" } else { &slug });
        // Without a title in the name, there is nothing to separate from the number.
        let separator = if words.is_empty() { "" } else { separator };
        format!("{prefix}{number}{separator}{words}{ending}")
    }
}

/// Returns a record's number; a year that a day starts with is none.
fn number_of(file: &str) -> Option<u32> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_numbered = matches!(parts(stem).1, Numbering::Number(_));
    id_of(file).1.filter(|_| is_numbered)
}

/// Splits a stem into what stands before the number, the number and the rest.
fn parts(stem: &str) -> (&str, Numbering, &str) {
    const DAYS: [(&str, usize); 3] = [("%Y-%m-%d", 10), ("%Y_%m_%d", 10), ("%Y%m%d", 8)];
    for (format, length) in DAYS {
        let day = stem.get(..length).filter(|day| Date::strptime(format, day).is_ok());
        if day.is_some() && !stem[length..].starts_with(|c: char| c.is_ascii_digit()) {
            return ("", Numbering::Day(format), &stem[length..]);
        }
    }
    if id_of(stem).1.is_none() {
        return ("", Numbering::None, stem);
    }
    let start = stem.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let rest = stem[start..].trim_start_matches(|c: char| c.is_ascii_digit());
    (&stem[..start], Numbering::Number(stem.len() - start - rest.len()), rest)
}

impl Words {
    fn of(title: &str) -> Self {
        let separators = ["-", "_", " "].into_iter();
        let separator = separators.max_by_key(|mark| title.matches(mark).count());
        let mark = separator.filter(|mark| title.contains(mark));
        let is_upper = |word: &&str| word.starts_with(char::is_uppercase);
        let words: Vec<&str> =
            title.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect();
        let capitals = words.iter().filter(|word| is_upper(word)).count();
        let joined = mark.is_none() && title.chars().skip(1).any(char::is_uppercase);
        let case = match capitals {
            _ if joined => Case::Title,
            0 => Case::Lower,
            _ if words.len() > 1 && capitals * 2 > words.len() => Case::Title,
            _ if words.first().is_some_and(is_upper) => Case::Sentence,
            _ => Case::Lower,
        };
        let separator = match mark {
            _ if title.is_empty() => None,
            Some(mark) => Some(mark),
            None if joined => Some(""),
            None => Some("-"),
        };
        Words { separator, case }
    }

    fn write(&self, slug: &str) -> String {
        let Some(separator) = self.separator else { return String::new() };
        let cased = slug.split('-').enumerate().map(|(at, word)| match self.case {
            Case::Title => capitalised(word),
            Case::Sentence if at == 0 => capitalised(word),
            Case::Sentence | Case::Lower => word.to_owned(),
        });
        cased.collect::<Vec<_>>().join(separator)
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_new_name_is_like_the_newest() {
        let next = |names: &[&str]| {
            Naming::of(names).unwrap().name(20, "Use PostgreSQL now", date(2026, 2, 22))
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
        assert_eq!(Naming::of(&[]), None);
        assert_eq!(Naming::of(&["0001-x.rst"]), None);
    }
}
