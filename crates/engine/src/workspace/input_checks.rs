//! Checks of typed texts before they are written.

use heirloom_core::secret;

use crate::Error;

/// Rejects a text that looks like a secret.
pub(crate) fn reject_secret(text: &str) -> Result<(), Error> {
    let Some(secret) = secret::find(text) else { return Ok(()) };
    Err(Error::bad_input(format!(
        "this looks like {} ({}, line {}), and all agents can read memory",
        secret.description, secret.redacted, secret.line
    )))
}

/// The longest title, in characters: it is a heading, part of a file name, and a line of every list.
const MAX_TITLE_CHARS: usize = 200;

/// Returns an error if a title is too long.
pub(crate) fn check_title(title: &str) -> Result<(), Error> {
    let chars = title.chars().count();
    if chars <= MAX_TITLE_CHARS {
        return Ok(());
    }
    let message = format!("the title has {chars} characters, and {MAX_TITLE_CHARS} are allowed");
    Err(Error::bad_input(message).hint("shorten it, and write the rest into the text"))
}
