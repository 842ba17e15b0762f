//! Addresses that carry a password: `scheme://user:password@host`.

use super::{Found, value};

/// The shortest password that is taken for one.
const SHORTEST: usize = 4;

/// Passwords that examples and local set-ups use, and that therefore give nothing away.
const USUAL: &[&str] = &[
    "admin", "guest", "mysql", "pass", "passwd", "password", "postgres", "root", "secret", "test",
    "token", "user",
];

/// Finds an address with a password in it.
pub(super) fn find(line: &str) -> Option<Found<'_>> {
    line.match_indices("://").find_map(|(at, colon)| {
        let has_scheme = line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let password = password(&line[at + colon.len()..])?;
        has_scheme.then_some(("an address with a password in it", password))
    })
}

fn password(address: &str) -> Option<&str> {
    let ends = |c: char| c.is_whitespace() || "/?#\"'`\\".contains(c);
    let authority = address.split(ends).next().unwrap_or(address);
    let (identity, _host) = authority.rsplit_once('@')?;
    let (user, password) = identity.split_once(':')?;
    let usual = |usual: &&str| usual.eq_ignore_ascii_case(password);
    let given = password.chars().count() >= SHORTEST
        && password != user
        && !USUAL.iter().any(usual)
        && !value::is_stand_in(password);
    given.then_some(password)
}
