//! Classifies values: placeholders, readable names and random strings.

/// Parts of placeholders. Words have at least four letters, so that a random value does not contain
/// one by chance.
const PLACEHOLDER_PARTS: &[&str] = &[
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

/// Template syntax and prefixes of digests, anywhere in a value.
const TEMPLATE_PARTS: &[&str] =
    &["${", "$(", "{{", "#{", "%(", "{}", "sha256:", "sha256-", "sha512-"];

/// Names of algorithms, which contain digits like passwords.
const ALGORITHMS: &[&str] = &[
    "aes128", "aes256", "argon2", "argon2d", "argon2i", "argon2id", "base64", "ed25519", "es256",
    "hs256", "hs512", "oauth2", "pbkdf2", "rs256", "sha1", "sha256", "sha512", "x25519",
];

/// A value with at most this many distinct bytes is a placeholder: `********`, `xxxx-xxxx`.
const MAX_PLACEHOLDER_BYTES: usize = 3;

/// A longer value of capitals without `_` is not the name of a constant.
const MAX_CONSTANT_WORD_BYTES: usize = 12;

/// Returns whether a value is a placeholder for a secret: `<password>`, `$TOKEN`, `xxxx`, `changeme`.
pub(super) fn is_placeholder(value: &str) -> bool {
    is_template(value)
        || is_constant_name(value)
        || count_distinct_bytes(value) <= MAX_PLACEHOLDER_BYTES
        || words_of(value).any(|word| ALGORITHMS.iter().any(|name| name.eq_ignore_ascii_case(word)))
        || has_placeholder_part(value)
}

/// Returns whether a value contains a placeholder's part in consistent case: `fake`, `Fake` or
/// `FAKE`, but not `fAkE`.
fn has_placeholder_part(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_consistent = |(at, part): (usize, &str)| {
        let after_first = value[at..at + part.len()].bytes().skip(1);
        !after_first.clone().any(|byte| byte.is_ascii_lowercase())
            || !after_first.clone().any(|byte| byte.is_ascii_uppercase())
    };
    PLACEHOLDER_PARTS.iter().any(|part| lower.match_indices(part).any(is_consistent))
}

/// Returns whether a value is a template or the name of a variable.
fn is_template(value: &str) -> bool {
    let is_name =
        |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_.".contains(&byte));
    let starts_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    value.starts_with(['<', '>', '=', '{', '[', '('])
        || value.strip_prefix('$').is_some_and(starts_name)
        || value.strip_prefix(['@', '!', '&', '#', ':', '%', '~']).is_some_and(is_name)
        || TEMPLATE_PARTS.iter().any(|part| value.contains(part))
        || value.split_once('<').is_some_and(|(_, rest)| rest.contains('>'))
}

/// Returns whether a value is the name of a constant: `DB_PASSWORD`, `TOKEN`.
fn is_constant_name(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        && (value.contains('_') || value.len() <= MAX_CONSTANT_WORD_BYTES)
}

/// Returns whether a value is a UUID, which is far more often an identifier than a secret.
pub(super) fn is_uuid(value: &str) -> bool {
    value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Returns whether a value has the form of a git commit or of a SHA-256 digest.
pub(super) fn is_digest(value: &str) -> bool {
    matches!(value.len(), 40 | 64) && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a value consists mostly of words and numbers, like names, paths and versions.
///
/// Up to two thirds may be random, because names of pods, for example, end in a random suffix.
pub(super) fn is_made_of_words(value: &str) -> bool {
    let random_bytes: usize = words_of(value).filter(|word| !is_word(word)).map(str::len).sum();
    random_bytes * 3 < value.len() * 2
}

/// Returns the parts of a value between punctuation.
fn words_of(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns whether all parts of a value are words and numbers.
pub(super) fn has_only_words(value: &str) -> bool {
    words_of(value).all(is_word)
}

/// Returns whether at least half of a value are words in one case or with a capital, and numbers.
pub(super) fn is_made_of_plain_words(value: &str) -> bool {
    let is_plain = |word: &&str| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = letters.get(1..).unwrap_or_default();
        let is_lower = rest.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_upper = letters.bytes().all(|byte| byte.is_ascii_uppercase());
        is_lower || is_upper
    };
    let plain_bytes: usize = words_of(value).filter(is_plain).map(str::len).sum();
    plain_bytes * 2 >= value.len()
}

/// Returns whether a part is a number or a word: letters and digits alternate at most twice, and
/// the case changes no more often than in `camelCase`.
fn is_word(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    if letters == 0 || !word.is_ascii() {
        return true;
    }
    let count_pairs = |is_change: fn(u8, u8) -> bool| {
        word.as_bytes().windows(2).filter(|pair| is_change(pair[0], pair[1])).count()
    };
    let digit_changes = count_pairs(|a, b| a.is_ascii_digit() != b.is_ascii_digit());
    let hump_starts = count_pairs(|a, b| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    let ends_acronym = |bytes: &&[u8]| {
        bytes[..2].iter().all(u8::is_ascii_uppercase) && bytes[2].is_ascii_lowercase()
    };
    let acronym_ends = word.as_bytes().windows(3).filter(ends_acronym).count();
    digit_changes <= 2 && (hump_starts + acronym_ends) * 4 <= letters
}

/// Returns whether a value contains digits or letters of both cases.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Returns the Shannon entropy of a value in bits per byte.
pub(super) fn entropy(value: &str) -> f64 {
    let length = value.len() as f64;
    let counts = count_bytes(value);
    let probabilities =
        counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / length);
    probabilities.map(|probability| -probability * probability.log2()).sum()
}

fn count_distinct_bytes(value: &str) -> usize {
    count_bytes(value).iter().filter(|&&count| count > 0).count()
}

/// Returns how often each byte occurs.
fn count_bytes(value: &str) -> [u32; 256] {
    let mut counts = [0; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    counts
}
