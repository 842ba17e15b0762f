//! What a value is made of: whether it stands in for a secret, reads as words, or is random.

/// Parts of a value that someone wrote in the place of a secret. Four letters and more, so that a
/// random value does not hold one by chance.
const STAND_INS: &[&str] = &[
    "....",
    "1234567890",
    "****",
    "____",
    "abcdefghij",
    "change-me",
    "change_me",
    "changeme",
    "dummy",
    "example",
    "fake",
    "foobar",
    "goes-here",
    "goes_here",
    "import.meta",
    "insert",
    "notreal",
    "not-real",
    "not_real",
    "os.environ",
    "placehold",
    "process.env",
    "redacted",
    "replace",
    "sample",
    "xxxxx",
    "your",
    "…",
];

/// Beginnings and insertions of templates, types, digests and lookups.
const TEMPLATES: &[&str] = &["${", "$(", "{{", "#{", "%(", "{}", "sha256:", "sha256-", "sha512-"];

/// Names of algorithms that hold digits as passwords do.
const ALGORITHMS: &[&str] = &[
    "aes128", "aes256", "argon2", "argon2d", "argon2i", "argon2id", "base64", "ed25519", "es256",
    "hs256", "hs512", "oauth2", "pbkdf2", "rs256", "sha1", "sha256", "sha512", "x25519",
];

/// Tells whether a value stands in for a secret: `<password>`, `$TOKEN`, `xxxx`, `changeme`.
pub(super) fn is_stand_in(value: &str) -> bool {
    is_template(value)
        || is_constant_name(value)
        || distinct(value) <= 3
        || words(value).any(|word| ALGORITHMS.iter().any(|name| name.eq_ignore_ascii_case(word)))
        || holds_stand_in(value)
}

/// Tells whether a value holds a stand-in in one case: `fake` or `Fake`, but not `fAkE`.
fn holds_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let in_one_case = |(at, part): (usize, &str)| {
        let written = value[at..at + part.len()].bytes().skip(1);
        !written.clone().any(|byte| byte.is_ascii_lowercase())
            || !written.clone().any(|byte| byte.is_ascii_uppercase())
    };
    STAND_INS.iter().any(|part| lower.match_indices(part).any(in_one_case))
}

/// Tells whether a value is filled in later: it starts as a template or a variable does.
fn is_template(value: &str) -> bool {
    let named = |rest: &str| rest.bytes().all(|b| b.is_ascii_alphabetic() || b"_.".contains(&b));
    let variable = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    value.starts_with(['<', '>', '=', '{', '[', '('])
        || value.strip_prefix('$').is_some_and(variable)
        || value.strip_prefix(['@', '!', '&', '#', ':', '%', '~']).is_some_and(named)
        || TEMPLATES.iter().any(|template| value.contains(template))
        || value.split_once('<').is_some_and(|(_, rest)| rest.contains('>'))
}

/// Tells whether a value is the name of a constant: `DB_PASSWORD`, `TOKEN`.
fn is_constant_name(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
        && (value.contains('_') || value.len() <= 12)
}

/// Tells whether a value is a UUID, which names a thing far more often than it opens one.
pub(super) fn is_uuid(value: &str) -> bool {
    value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// Tells whether a value has the form of a git commit or of a sha256 digest.
pub(super) fn is_digest(value: &str) -> bool {
    matches!(value.len(), 40 | 64) && value.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Tells whether a value reads as words and numbers, as names, paths and versions do.
///
/// A name may end in something random, as a pod's does, and is a name still.
pub(super) fn is_wordy(value: &str) -> bool {
    let random: usize = words(value).filter(|word| !is_word(word)).map(str::len).sum();
    random * 3 < value.len() * 2
}

/// The parts of a value between its punctuation.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Tells whether a part is a number or a word: letters and digits hardly alternate in it, and its
/// cases no more than in `camelCase`.
fn is_word(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    if letters == 0 || !word.is_ascii() {
        return true;
    }
    let changes = |between: fn(u8, u8) -> bool| {
        word.as_bytes().windows(2).filter(|pair| between(pair[0], pair[1])).count()
    };
    let to_digits = |a: u8, b: u8| a.is_ascii_digit() != b.is_ascii_digit();
    let to_upper = |a: u8, b: u8| a.is_ascii_lowercase() && b.is_ascii_uppercase();
    let acronym_ends = |three: &&[u8]| {
        three[..2].iter().all(u8::is_ascii_uppercase) && three[2].is_ascii_lowercase()
    };
    let humps = changes(to_upper) + word.as_bytes().windows(3).filter(acronym_ends).count();
    changes(to_digits) <= 2 && humps * 4 <= letters
}

/// Tells whether letters of both cases or letters and digits are mixed in a value.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Returns the Shannon entropy of a value in bits a byte.
pub(super) fn entropy(value: &str) -> f64 {
    let length = value.len() as f64;
    let share = |&count: &u32| f64::from(count) / length;
    let counts = counts(value);
    counts.iter().filter(|&&count| count > 0).map(share).map(|share| -share * share.log2()).sum()
}

fn distinct(value: &str) -> usize {
    counts(value).iter().filter(|&&count| count > 0).count()
}

fn counts(value: &str) -> [u32; 256] {
    let mut counts = [0; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    counts
}
