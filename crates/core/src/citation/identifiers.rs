//! Identifiers in a text: paths, code, flags, names of constants, numbers with units. They are rarely used by chance.

use std::collections::BTreeSet;

/// Units that make a number a statement, besides symbols such as `%`.
const UNITS: [&str; 44] = [
    "ms",
    "s",
    "sec",
    "second",
    "seconds",
    "min",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "b",
    "kb",
    "kib",
    "mb",
    "mib",
    "gb",
    "gib",
    "tb",
    "px",
    "pt",
    "rows",
    "times",
    "retries",
    "attempts",
    "connections",
    "requests",
    "items",
    "lines",
    "tokens",
    "percent",
    "workers",
    "threads",
    "jobs",
    "cents",
    "characters",
];

/// A shorter number alone says nothing, in digits.
const MIN_NUMBER_DIGITS: usize = 3;

/// A shorter name says nothing, in bytes.
const MIN_NAME_BYTES: usize = 3;

/// Shorter or longer code between backticks says nothing or is no name, in bytes.
const MIN_QUOTED_BYTES: usize = 4;
const MAX_QUOTED_BYTES: usize = 80;

/// The identifiers of a text in lower case.
#[derive(Debug, Clone, Default)]
pub(super) struct Identifiers(BTreeSet<String>);

impl Identifiers {
    /// Finds the identifiers of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut found = Identifiers::default();
        let pieces: Vec<&str> =
            text.split(|c: char| c.is_whitespace() || SEPARATORS.contains(c)).collect();
        let pieces: Vec<&str> =
            pieces.into_iter().map(trim).filter(|piece| !piece.is_empty()).collect();
        found.add_quoted_code(text);
        for (position, piece) in pieces.iter().enumerate() {
            found.add_piece(piece);
            found.add_number(piece, pieces.get(position + 1).copied());
        }
        found
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Adds what stands between backticks.
    fn add_quoted_code(&mut self, text: &str) {
        for quoted in text.split('`').skip(1).step_by(2) {
            let code = quoted.trim().trim_end_matches(['(', ')']).to_lowercase();
            if (MIN_QUOTED_BYTES..MAX_QUOTED_BYTES).contains(&code.len()) && !code.contains('\n') {
                self.0.insert(code);
            }
        }
    }

    /// Adds a piece of text if it is a name in code, and its last part: `src/a/login.ts` and `login.ts`.
    fn add_piece(&mut self, piece: &str) {
        if piece.len() < MIN_NAME_BYTES || !is_code(piece) {
            return;
        }
        self.0.insert(piece.to_lowercase());
        let parts = piece.split(['/', ':', '.']).filter(|part| part.len() >= MIN_NAME_BYTES);
        self.0.extend(parts.filter(|part| is_code(part)).map(str::to_lowercase));
        if let Some((_, file)) = piece.rsplit_once('/')
            && file.contains('.')
        {
            self.0.insert(file.to_lowercase());
        }
    }

    /// Adds a number with its unit, and a long number alone.
    fn add_number(&mut self, piece: &str, next: Option<&str>) {
        let digits =
            piece.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, attached) = piece.split_at(digits);
        if number.is_empty() || number.starts_with('.') {
            return;
        }
        let unit = if attached.is_empty() { next.unwrap_or_default() } else { attached };
        let unit = unit.to_lowercase();
        if UNITS.contains(&unit.as_str()) || unit == "%" {
            let unit = unit.strip_suffix('s').filter(|unit| unit.len() > 1).unwrap_or(&unit);
            self.0.insert(format!("{number} {unit}"));
        }
        let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        if attached.is_empty() && number.len() >= MIN_NUMBER_DIGITS && !is_year {
            self.0.insert(number.to_owned());
        }
    }
}

/// What separates names in code, besides spaces.
const SEPARATORS: &str = "`'\"()[]{}<>,;=|&*!?#$\\…";

/// Removes punctuation around a name.
fn trim(piece: &str) -> &str {
    piece.trim_start_matches(['.', ':', '~']).trim_end_matches(['.', ':', '/', '-', '~'])
}

/// Returns whether a piece of text is a name in code.
fn is_code(piece: &str) -> bool {
    let has_letter = piece.contains(|c: char| c.is_alphabetic());
    let bytes = piece.as_bytes();
    let has_hump =
        bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let has_inner = |mark: char| piece.trim_matches(mark).contains(mark);
    let is_upper = !piece.contains(|c: char| c.is_lowercase());
    let has_digit = piece.contains(|c: char| c.is_ascii_digit());
    let upper_letters = piece.chars().filter(|c| c.is_uppercase()).count();
    // `Retry-After`, and not `half-even`.
    let is_header = piece.contains('-')
        && piece.split('-').all(|part| part.starts_with(|c: char| c.is_uppercase()));
    let is_abbreviated = piece.eq_ignore_ascii_case("e.g") || piece.eq_ignore_ascii_case("i.e");
    has_letter
        && !is_abbreviated
        && (has_hump
            || has_inner('_')
            || piece.contains("::")
            || piece.starts_with("--")
            || has_path_or_extension(piece)
            || is_header
            || has_inner('+')
            || is_upper && has_digit && upper_letters > 0 && piece.len() > 3
            || has_digit && has_inner('-'))
}

/// Returns whether a piece of text is a path or a file name, and not two words with a slash or a full stop between them.
fn has_path_or_extension(piece: &str) -> bool {
    let parts = piece.split('/').filter(|part| !part.is_empty()).count();
    let is_path = piece.starts_with('/') && parts > 0 || parts > 2;
    let extension = piece.rsplit_once('.').map(|(name, extension)| (name, extension.len()));
    let has_extension = extension.is_some_and(|(name, length)| {
        !name.is_empty() && (1..=5).contains(&length) && name.contains(|c: char| c.is_alphabetic())
    });
    is_path || has_extension
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut names: Vec<String> = Identifiers::of(text).iter().map(str::to_owned).collect();
        names.sort();
        names
    }

    #[test]
    fn names_in_code_are_found() {
        assert_eq!(found("see `src/auth/login.ts`."), ["login.ts", "src/auth/login.ts"]);
        assert_eq!(found("set WORKER_PREFETCH or maxRetries"), ["maxretries", "worker_prefetch"]);
        assert_eq!(found("the header Retry-After, ADR-0031"), ["adr-0031", "retry-after"]);
        assert_eq!(found("Postgres and the half-even rule, e.g. here"), Vec::<String>::new());
        assert_eq!(
            found("serde_json::to_writer"),
            ["serde_json", "serde_json::to_writer", "to_writer"]
        );
    }

    #[test]
    fn numbers_count_with_a_unit_or_if_they_are_long() {
        assert_eq!(found("at most 150 kB, 14 days, 5 apples"), ["14 day", "150", "150 kb"]);
        assert_eq!(found("HTTP 429 since 2023"), ["429"]);
        assert_eq!(found("in 64MB"), ["64 mb", "64mb"]);
    }
}
