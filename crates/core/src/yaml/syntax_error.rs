//! Plain wordings of the parser's error messages.

/// Messages of `saphyr-parser` and what they mean to a user. The list covers common mistakes; other
/// messages are shown unchanged.
const MESSAGES: &[(&str, &str)] = &[
    (
        "block sequence entries are not allowed in this context",
        "a list item (`- `) is not allowed here; put it on a line of its own",
    ),
    ("did not find expected next token", "the text ends too early"),
    (
        "illegal placement of ':' indicator",
        "`:` is not allowed here; put a text that contains `: ` in quotes",
    ),
    ("invalid indentation", "the line is indented wrongly"),
    ("invalid indentation in quoted scalar", "a line of the quoted text is indented too little"),
    (
        "invalid trailing content after double-quoted scalar",
        "there is text after the closing quote",
    ),
    (
        "mapping values are not allowed in this context",
        "`:` is not allowed here; put a text that contains `: ` in quotes",
    ),
    ("misplaced bracket", "the brackets do not match"),
    ("simple key expect ':'", "a `:` is missing after a key"),
    ("simple key expected", "a key is expected here"),
    ("tab cannot be used as indentation", "the line is indented with a tab; use spaces"),
    (
        "tabs disallowed within this context (block indentation)",
        "the line is indented with a tab; use spaces",
    ),
    ("tabs disallowed in this context", "a tab is not allowed here; use spaces"),
    ("unexpected eof", "the text ends too early"),
    (
        "while parsing a block collection, did not find expected '-' indicator",
        "a list item (`- `) is expected here; check the indentation",
    ),
    (
        "while parsing a block mapping, did not find expected key",
        "a `key: value` line is expected here; check the indentation and the quotes",
    ),
    (
        "while parsing a flow mapping, did not find expected ',' or '}'",
        "a `,` or `}` is missing in the braces",
    ),
    (
        "while parsing a flow sequence, expected ',' or ']'",
        "a `,` or `]` is missing in the brackets",
    ),
    ("while parsing a node, did not find expected node content", "a value is expected here"),
    (
        "while parsing a quoted scalar, found unknown escape character",
        "there is an unknown escape in the double quotes; write `\\\\` for a backslash",
    ),
    ("while parsing node, found unknown anchor", "the alias (`*…`) refers to an unknown anchor"),
    (
        "while scanning a quoted scalar, found unexpected end of stream",
        "a closing quote is missing",
    ),
    (
        "while scanning a quoted scalar, found unexpected document indicator",
        "a closing quote is missing",
    ),
];

/// Returns the plain wording of a message of the parser.
pub(super) fn plain_message(message: &str) -> &str {
    MESSAGES.iter().find(|(original, _)| *original == message).map_or(message, |(_, plain)| plain)
}

#[cfg(test)]
mod tests {
    use crate::yaml::parse;

    #[test]
    fn common_mistakes_are_explained() {
        for (text, message) in [
            ("a:\n\tb: 1\n", "the line is indented with a tab; use spaces"),
            ("a: b: c\n", "`:` is not allowed here; put a text that contains `: ` in quotes"),
            ("a: 'x\n", "a closing quote is missing"),
            ("a: *b\n", "the alias (`*…`) refers to an unknown anchor"),
        ] {
            assert_eq!(parse(text).unwrap_err().message, message, "{text:?}");
        }
    }
}
