//! Detects passwords in URLs, `scheme://user:password@host`, and in the option of `curl`, `-u user:password`.

use super::{SecretMatch, value};

const MIN_PASSWORD_CHARS: usize = 4;

/// Passwords of examples and local set-ups, which are not secret.
const COMMON_PASSWORDS: &[&str] = &[
    "admin", "guest", "mysql", "pass", "passwd", "password", "postgres", "root", "secret", "test",
    "token", "user",
];

/// Returns the first password in a URL or in an option for a user and a password.
pub(super) fn find(line: &str) -> Option<SecretMatch<'_>> {
    find_in_url(line).or_else(|| find_in_option(line))
}

fn find_in_option(line: &str) -> Option<SecretMatch<'_>> {
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        if matches!(word, "-u" | "--user") {
            let given = words.clone().next()?.trim_matches(['"', '\'', '`']);
            let password = given.split_once(':').map(|(_, password)| password);
            let is_secret = |password: &&str| {
                password.chars().count() >= MIN_PASSWORD_CHARS
                    && password.contains(|c: char| c.is_ascii_digit())
                    && password.contains(char::is_alphabetic)
                    && !value::is_placeholder(password)
            };
            if let Some(text) = password.filter(is_secret) {
                return Some(SecretMatch { what: "a user and a password", text });
            }
        }
    }
    None
}

fn find_in_url(line: &str) -> Option<SecretMatch<'_>> {
    line.match_indices("://").find_map(|(at, separator)| {
        let has_scheme = line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let text = secret_password(&line[at + separator.len()..])?;
        has_scheme.then_some(SecretMatch { what: "a URL with a password in it", text })
    })
}

/// Returns the password of a URL without its scheme, unless it is a common one or a placeholder.
fn secret_password(url: &str) -> Option<&str> {
    let ends_authority = |c: char| c.is_whitespace() || "/?#\"'`\\".contains(c);
    let authority = url.split(ends_authority).next().unwrap_or(url);
    let (credentials, _host) = authority.rsplit_once('@')?;
    let (user, password) = credentials.split_once(':')?;
    let is_secret = password.chars().count() >= MIN_PASSWORD_CHARS
        && password != user
        && !COMMON_PASSWORDS.iter().any(|common| common.eq_ignore_ascii_case(password))
        && !value::is_placeholder(password);
    is_secret.then_some(password)
}
