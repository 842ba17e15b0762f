//! Quotes the words of shell commands.

use std::borrow::Cow;

/// Quotes a word for a shell unless it is safe unquoted.
///
/// Users paste suggested commands, and a file name in an untrusted repository may contain shell
/// syntax.
pub fn quote(text: &str) -> Cow<'_, str> {
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | ',');
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_safe) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(single_quote(text))
    }
}

/// Writes a word between single quotes.
pub(crate) fn single_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_with_special_characters_are_quoted() {
        assert_eq!(quote("ADR-0001"), "ADR-0001");
        assert_eq!(quote("docs/adr/0001-ä.md"), "docs/adr/0001-ä.md");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("$(x)'`y`"), r"'$(x)'\''`y`'");
    }
}
