//! Whether the name of a value says that the value is secret.

use crate::words::humps;

/// How far back a name may begin.
pub(super) const REACH: usize = 64;

/// How many words before a sign belong to the name.
const MOST_WORDS: usize = 5;

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A person chose it.
    Password,
    /// A machine made it.
    Token,
    /// It may as well be a commit or an identifier.
    Authorization,
}

/// Words that name a secret, whole or as the end of a word: `PGPASSWORD`.
const ENDINGS: &[(&str, Kind)] = &[
    ("password", Kind::Password),
    ("passwd", Kind::Password),
    ("passphrase", Kind::Password),
    ("passcode", Kind::Password),
    ("pwd", Kind::Password),
    ("secret", Kind::Token),
    ("token", Kind::Token),
    ("apikey", Kind::Token),
    ("accesskey", Kind::Token),
    ("authkey", Kind::Token),
    ("privatekey", Kind::Token),
    ("secretkey", Kind::Token),
    ("credential", Kind::Token),
    ("credentials", Kind::Token),
];

/// Words that name a secret only when they stand alone.
const WHOLE: &[&str] = &["auth", "authorization"];

/// Words that make the word `key` after them a secret.
const KEYS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "auth",
    "deploy",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "service",
    "session",
    "shared",
    "signing",
    "storage",
    "webhook",
];

/// Words that make the word `pass` after them a password; compilers and tests have passes too.
const ACCOUNTS: &[&str] = &[
    "admin", "database", "db", "email", "ftp", "mail", "mysql", "pg", "postgres", "redis", "root",
    "smtp", "ssh", "user",
];

/// Words after the secret's that make the value one about the secret.
const ABOUT: &[&str] = &[
    "age",
    "algorithm",
    "arn",
    "audience",
    "bucket",
    "budget",
    "change",
    "checksum",
    "commit",
    "count",
    "digest",
    "dir",
    "encoding",
    "endpoint",
    "env",
    "expiration",
    "expires",
    "expiry",
    "field",
    "file",
    "fingerprint",
    "fix",
    "format",
    "hash",
    "header",
    "id",
    "ids",
    "index",
    "issuer",
    "kind",
    "len",
    "length",
    "lifetime",
    "limit",
    "limits",
    "manager",
    "max",
    "maximum",
    "min",
    "minimum",
    "name",
    "offset",
    "param",
    "parameter",
    "path",
    "pattern",
    "policy",
    "position",
    "prefix",
    "provider",
    "ref",
    "regex",
    "reset",
    "rotation",
    "rules",
    "scope",
    "scopes",
    "sha",
    "sha256",
    "size",
    "status",
    "store",
    "suffix",
    "timeout",
    "ttl",
    "type",
    "uri",
    "url",
    "usage",
    "uuid",
    "var",
    "variable",
    "version",
];

/// Returns what the name at the end of a text says of its value, if it speaks of a secret.
pub(super) fn kind(before: &str) -> Option<Kind> {
    let window = &before[before.floor_char_boundary(before.len().saturating_sub(REACH))..];
    let name = window.rsplit([',', ';', '{', '|', '&', '?', ':', '=', '>', '@']).next()?;
    let words = words(name);
    let words = &words[words.len().saturating_sub(MOST_WORDS)..];
    let (at, kind) = (0..words.len()).rev().find_map(|at| Some((at, kind_at(words, at)?)))?;
    let is_about = |word: &&str| ABOUT.iter().any(|about| about.eq_ignore_ascii_case(word));
    (!words[at + 1..].iter().any(is_about)).then_some(kind)
}

/// Returns the kind of the secret that the word at an index names.
fn kind_at(words: &[&str], at: usize) -> Option<Kind> {
    let word = words[at];
    let whole = |name: &str| name.eq_ignore_ascii_case(word);
    let follows = |first: &&str| at > 0 && first.eq_ignore_ascii_case(words[at - 1]);
    if whole("key") {
        KEYS.iter().any(follows).then_some(Kind::Token)
    } else if whole("pass") {
        (words.len() == 1 || ACCOUNTS.iter().any(follows)).then_some(Kind::Password)
    } else if WHOLE.iter().any(|name| whole(name)) {
        Some(Kind::Authorization)
    } else {
        ENDINGS.iter().find(|(name, _)| ends_with(word, name)).map(|&(_, kind)| kind)
    }
}

fn ends_with(word: &str, ending: &str) -> bool {
    let start = word.len().checked_sub(ending.len());
    start.is_some_and(|start| word[start..].eq_ignore_ascii_case(ending))
}

/// Splits a name into its words: `dbPassword`, `db_password` and `DB password` have two.
fn words(name: &str) -> Vec<&str> {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    parts.filter(|part| !part.is_empty()).flat_map(humps).collect()
}
