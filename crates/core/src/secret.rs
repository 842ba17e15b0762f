//! Text that looks like a secret, so that it is refused before it reaches a file that goes to git.
//!
//! What is written down in git is there for good, so a doubtful value of a published shape counts
//! as a secret; but hashes, identifiers, stand-ins and prose about secrets must pass, or people
//! learn to switch the check off.

mod address;
mod assignment;
mod key_block;
mod shape;
mod value;

#[cfg(test)]
mod tests;

/// The most characters of a secret that are shown.
const SHOWN: usize = 4;

/// What looks like a secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like: `an AWS access key id`.
    pub what: &'static str,
    /// The line within the text, from 1.
    pub line: usize,
    /// A form fit to show: its first four characters, fewer of a short one, and `…`.
    pub shown: String,
}

/// A secret within a line: what it looks like and its text.
type Found<'t> = (&'static str, &'t str);

/// Finds the first thing in a text that looks like a secret.
pub fn find(text: &str) -> Option<Secret> {
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        // A shape comes before an assignment, because it says more exactly what was found.
        let found = shape::find(line)
            .or_else(|| key_block::find(line, &text[start + line.len()..]))
            .or_else(|| address::find(line))
            .or_else(|| assignment::find(line));
        if let Some((what, secret)) = found {
            return Some(Secret { what, line: index + 1, shown: shown(secret) });
        }
        start += line.len();
    }
    None
}

/// Shows no more than a quarter, so that a short password is not given away.
fn shown(secret: &str) -> String {
    let most = SHOWN.min(secret.chars().count() / 4);
    secret.chars().take(most).chain(['…']).collect()
}
