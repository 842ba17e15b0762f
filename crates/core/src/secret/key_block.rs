//! Detects private keys in text blocks: PEM, OpenSSH, PGP and PuTTY.

use super::SecretMatch;

/// How far after the header the key must begin; lines such as `Version:` may be between them.
const MAX_HEADER_BYTES: usize = 400;

/// The shortest run of base64 that is a key and not a word.
const MIN_KEY_BYTES: usize = 24;

/// Returns the first header of a private key that is followed by the key.
///
/// A header alone is not a secret: documentation mentions it. `after` is the text after the line.
pub(super) fn find<'t>(line: &'t str, after: &str) -> Option<SecretMatch<'t>> {
    find_armored_key(line, after).or_else(|| {
        let start = line.find("Private-Lines: ")?;
        let found = SecretMatch { what: "a PuTTY private key", text: &line[start..] };
        has_key(after).then_some(found)
    })
}

/// Returns the first `-----BEGIN … PRIVATE KEY-----` that is followed by a key.
fn find_armored_key<'t>(line: &'t str, after: &str) -> Option<SecretMatch<'t>> {
    line.match_indices("-----BEGIN ").find_map(|(start, prefix)| {
        let (label, rest) = line[start + prefix.len()..].split_once("-----")?;
        let what = describe_private_key(label)?;
        let ends_on_line = rest.contains("-----");
        let is_followed_by_key = has_key(rest) || !ends_on_line && has_key(after);
        is_followed_by_key.then_some(SecretMatch { what, text: &line[start..] })
    })
}

/// Returns the end of the block that begins at a position: after its last line, or else the end of the text.
pub(super) fn end(text: &str, start: usize) -> usize {
    let Some(footer) = text[start..].find("-----END ") else { return text.len() };
    let footer = start + footer;
    text[footer..].find('\n').map_or(text.len(), |length| footer + length)
}

/// Describes the key that a block's label announces, if it is a private key.
fn describe_private_key(label: &str) -> Option<&'static str> {
    match label {
        "PGP PRIVATE KEY BLOCK" => Some("a PGP private key"),
        "OPENSSH PRIVATE KEY" => Some("an OpenSSH private key"),
        _ => label.ends_with("PRIVATE KEY").then_some("a private key"),
    }
}

fn has_key(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(MAX_HEADER_BYTES)];
    let text = text.split("-----").next().unwrap_or(text);
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    text.split(|c| !is_base64(c)).any(|run| {
        run.len() >= MIN_KEY_BYTES
            && run.bytes().any(|byte| byte.is_ascii_digit())
            && run.bytes().any(|byte| byte.is_ascii_uppercase())
    })
}
