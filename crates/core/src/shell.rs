//! Words of a command line that is shown to a person.

use std::borrow::Cow;

/// Quotes a word so that a shell takes it as it is: a file name may come from somebody else's
/// repository, and people paste the commands that a hint shows.
pub fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | ',');
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_read_is_quoted() {
        assert_eq!(word("ADR-0001"), "ADR-0001");
        assert_eq!(word("docs/adr/0001-ä.md"), "docs/adr/0001-ä.md");
        assert_eq!(word("a b"), "'a b'");
        assert_eq!(word("$(x)'`y`"), r"'$(x)'\''`y`'");
    }
}
