//! Identifiers in a text: paths, code, flags, names of constants. They are rarely used by chance.

use std::collections::BTreeSet;

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
        found.add_quoted_code(text);
        let pieces = text.split(|c: char| c.is_whitespace() || SEPARATORS.contains(c));
        pieces.map(trim).for_each(|piece| found.add_piece(piece));
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
    is_path || has_extension || is_dotted(piece)
}

/// Returns whether a piece of text consists of lower-case words with full stops between them: `db.t4g.medium`.
fn is_dotted(piece: &str) -> bool {
    let is_word = |part: &str| {
        part.len() > 1
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    piece.contains('.') && piece.split('.').all(is_word)
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
        assert_eq!(found("on db.t4g.medium. Then"), ["db.t4g.medium"]);
        assert_eq!(
            found("serde_json::to_writer"),
            ["serde_json", "serde_json::to_writer", "to_writer"]
        );
    }
}
