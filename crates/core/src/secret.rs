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
    let (line, SecretMatch { what, text }) = find_match(text)?;
    Some(Secret { description: what, line, redacted: redact(text) })
}

/// Returns the first secret in a text with the number of its line, counted from 1.
fn find_match(text: &str) -> Option<(usize, SecretMatch<'_>)> {
    let mut line_start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let next_line_start = line_start + line.len();
        // A token format comes before an assignment, because its description is more exact.
        let found = token_format::find(line)
            .or_else(|| key_block::find(line, &text[next_line_start..]))
            .or_else(|| url::find(line))
            .or_else(|| assignment::find(line));
        if let Some(found) = found {
            return Some((index + 1, found));
        }
        line_start = next_line_start;
    }
    None
}

/// Returns a text with every secret redacted, and how many there were. Of a private key nothing is left.
pub fn redact_all(text: &str) -> (String, usize) {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    let mut count = 0;
    while let Some((_, found)) = find_match(rest) {
        count += 1;
        let start = found.text.as_ptr() as usize - rest.as_ptr() as usize;
        redacted.push_str(&rest[..start]);
        redacted.push_str(&format!("[{}]", found.what));
        let found_end = start + found.text.len().max(1);
        // The lines of a private key follow its header.
        let end = match found.text.contains("-----BEGIN ") || found.text.contains("Private-Lines") {
            true => key_block::end(rest, start),
            false => found_end,
        };
        rest = &rest[rest.ceil_char_boundary(end)..];
    }
    redacted.push_str(rest);
    (redacted, count)
}

/// Keeps at most a quarter of the characters, so that a short password is not given away.
fn redact(secret: &str) -> String {
    let shown_chars = MAX_SHOWN_CHARS.min(secret.chars().count() / 4);
    secret.chars().take(shown_chars).chain(['…']).collect()
}
