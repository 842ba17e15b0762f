//! Detects text that looks like a secret, so that it is refused before it is written to a file that
//! is committed to git.
//!
//! A secret in git history cannot be taken back, so a doubtful value in a published token format
//! counts as a secret. Hashes, identifiers, placeholders and prose about secrets must pass, because
//! false alarms teach people to switch the check off.

mod assignment;
mod key_block;
mod token_format;
mod url;
mod value;

#[cfg(test)]
mod tests;

/// The most characters of a secret that are shown.
const MAX_SHOWN_CHARS: usize = 4;

/// Something in a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like: `an AWS access key id`.
    pub description: &'static str,
    /// The line within the text, counted from 1.
    pub line: usize,
    /// A redacted form: at most the first four characters, fewer of a short secret, and `…`.
    pub redacted: String,
}

/// A secret within a line.
struct SecretMatch<'t> {
    what: &'static str,
    text: &'t str,
}

/// Returns the first secret in a text.
pub fn find(text: &str) -> Option<Secret> {
    let mut line_start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let next_line_start = line_start + line.len();
        // A token format comes before an assignment, because its description is more exact.
        let found = token_format::find(line)
            .or_else(|| key_block::find(line, &text[next_line_start..]))
            .or_else(|| url::find(line))
            .or_else(|| assignment::find(line));
        if let Some(SecretMatch { what, text }) = found {
            return Some(Secret { description: what, line: index + 1, redacted: redact(text) });
        }
        line_start = next_line_start;
    }
    None
}

/// Keeps at most a quarter of the characters, so that a short password is not given away.
fn redact(secret: &str) -> String {
    let shown_chars = MAX_SHOWN_CHARS.min(secret.chars().count() / 4);
    secret.chars().take(shown_chars).chain(['…']).collect()
}
