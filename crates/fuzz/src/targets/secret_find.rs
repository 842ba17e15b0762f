//! Texts that look like secrets.

use heirloom_core::secret::{self, Secret};

use crate::signature::Signature;

/// The most characters of a secret that are shown, before `…`.
const SHOWN: usize = 4;

/// Searches for a secret: the line exists, only its beginning is shown, and a harmless line in front changes only the
/// line number. `¦` is removed from the input; it keeps secret scanners from reporting the corpus.
pub fn secret_find(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    let text = text.replace('¦', "");
    let found = secret::find(&text);
    let moved = secret::find(&format!("a line\n{text}"));
    let expected = found.clone().map(|secret| Secret { line: secret.line + 1, ..secret });
    assert_eq!(moved, expected, "a harmless line in front changes what is found");
    let Some(Secret { description, line, redacted }) = found else {
        return Signature::of("nothing");
    };
    let Some(own) = text.split_inclusive('\n').nth(line - 1) else {
        panic!("there is no line {line}")
    };
    let Some(start) = redacted.strip_suffix('…') else { panic!("{redacted:?} shows it all") };
    assert!(start.chars().count() <= SHOWN, "{redacted:?} shows too much");
    assert!(own.contains(start), "{redacted:?} is not on line {line}");
    assert!(!description.is_empty(), "a secret without a description");
    Signature::of((description, line.min(3), start.chars().count()))
}
