//! Private keys in armour: PEM, OpenSSH, PGP and PuTTY.

use super::Found;

/// How far after the header the key itself must begin; between them stand lines like `Version:`.
const REACH: usize = 400;

/// The shortest run of base64 that is a key and not a word.
const SHORTEST: usize = 24;

/// Finds the header of a private key that the key itself follows.
///
/// A note that only names the header is not a key.
pub(super) fn find<'t>(line: &'t str, after: &str) -> Option<Found<'t>> {
    line.match_indices("-----BEGIN ")
        .find_map(|(begin, opening)| {
            let (label, rest) = line[begin + opening.len()..].split_once("-----")?;
            let what = named(label)?;
            let closed = rest.contains("-----");
            (holds_key(rest) || !closed && holds_key(after)).then_some((what, &line[begin..]))
        })
        .or_else(|| {
            let begin = line.find("Private-Lines: ")?;
            holds_key(after).then_some(("a PuTTY private key", &line[begin..]))
        })
}

/// Returns what the label of a block announces, if that is private.
fn named(label: &str) -> Option<&'static str> {
    match label {
        "PGP PRIVATE KEY BLOCK" => Some("a PGP private key"),
        "OPENSSH PRIVATE KEY" => Some("an OpenSSH private key"),
        _ => label.ends_with("PRIVATE KEY").then_some("a private key"),
    }
}

fn holds_key(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(REACH)];
    let text = text.split("-----").next().unwrap_or(text);
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='))).any(|run| {
        run.len() >= SHORTEST
            && run.bytes().any(|byte| byte.is_ascii_digit())
            && run.bytes().any(|byte| byte.is_ascii_uppercase())
    })
}
