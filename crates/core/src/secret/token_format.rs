//! Detects keys and tokens by the format that their issuer publishes.

use super::{SecretMatch, value};
use Alphabet::{Alnum, Base64, Digits, Hex, OneOf, UpperAlnum, Word};
use FormatPart::{Chars, Literal};

/// The maximum length of a part without an upper bound.
const UNLIMITED: usize = usize::MAX;

/// The least entropy of a real token, in bits per byte; examples of the format have less.
const MIN_ENTROPY: f64 = 2.5;

/// The characters of a part.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    Alnum,
    Base64,
    Digits,
    Hex,
    OneOf(&'static str),
    UpperAlnum,
    /// Letters, digits, `_` and `-`.
    Word,
}

impl Alphabet {
    const fn contains(self, byte: u8) -> bool {
        match self {
            Alnum => byte.is_ascii_alphanumeric(),
            Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
            Digits => byte.is_ascii_digit(),
            Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            OneOf(set) => contains_byte(set.as_bytes(), byte),
            UpperAlnum => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
        }
    }
}

/// `slice::contains`, which is not a `const fn`.
const fn contains_byte(set: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < set.len() {
        if set[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

/// A part of a token format. Its alphabet must not contain the first character of the next part, so
/// that matching needs no backtracking.
#[derive(Debug, Clone, Copy)]
enum FormatPart {
    Literal(&'static str),
    /// Characters of an alphabet, with the minimum and the maximum length.
    Chars(Alphabet, usize, usize),
}

/// The description of a token and the parts of its format.
type TokenFormat = (&'static str, &'static [FormatPart]);

/// The known formats. A specific format comes before a general one that would match it too.
const TOKEN_FORMATS: &[TokenFormat] = &[
    ("an AWS access key id", &[Literal("AKIA"), Chars(UpperAlnum, 16, 16)]),
    ("an AWS temporary access key id", &[Literal("ASIA"), Chars(UpperAlnum, 16, 16)]),
    ("an AWS bearer token", &[Literal("ABSK"), Chars(Base64, 100, 300)]),
    (
        "a GitHub token",
        &[Literal("gh"), Chars(OneOf("opurs"), 1, 1), Literal("_"), Chars(Alnum, 36, 255)],
    ),
    ("a GitHub fine-grained token", &[Literal("github_pat_"), Chars(Word, 36, 255)]),
    ("a GitLab access token", &[Literal("glpat-"), Chars(Word, 20, UNLIMITED)]),
    ("a GitLab deploy token", &[Literal("gldt-"), Chars(Word, 20, UNLIMITED)]),
    ("a GitLab runner token", &[Literal("glrt-"), Chars(Word, 20, UNLIMITED)]),
    ("a GitLab job token", &[Literal("glcbt-"), Chars(Word, 20, UNLIMITED)]),
    (
        "a Slack token",
        &[Literal("xox"), Chars(OneOf("abeoprs"), 1, 1), Literal("-"), Chars(Word, 10, UNLIMITED)],
    ),
    ("a Slack app token", &[Literal("xapp-"), Chars(Word, 20, UNLIMITED)]),
    (
        "a Slack webhook",
        &[
            Literal("https://hooks.slack.com/services/T"),
            Chars(Alnum, 8, 16),
            Literal("/B"),
            Chars(Alnum, 8, 16),
            Literal("/"),
            Chars(Alnum, 20, 32),
        ],
    ),
    (
        "a Discord webhook",
        &[
            Literal("https://discord.com/api/webhooks/"),
            Chars(Digits, 17, 20),
            Literal("/"),
            Chars(Word, 60, 80),
        ],
    ),
    // A bot token starts with its user id, which is a number in base64.
    ("a Discord bot token", &DISCORD_TOKENS[0]),
    ("a Discord bot token", &DISCORD_TOKENS[1]),
    ("a Discord bot token", &DISCORD_TOKENS[2]),
    ("a Heroku API key", &[Literal("HRKU-"), Chars(Word, 36, UNLIMITED)]),
    ("a Mailgun API key", &[Literal("key-"), Chars(Alnum, 32, 32)]),
    (
        "a Mailgun API key",
        &[Chars(Hex, 32, 32), Literal("-"), Chars(Hex, 8, 8), Literal("-"), Chars(Hex, 8, 8)],
    ),
    ("a Stripe secret key", &[Literal("sk_live_"), Chars(Alnum, 16, UNLIMITED)]),
    ("a Stripe restricted key", &[Literal("rk_live_"), Chars(Alnum, 16, UNLIMITED)]),
    ("a Stripe webhook secret", &[Literal("whsec_"), Chars(Base64, 24, 80)]),
    ("an Anthropic API key", &[Literal("sk-ant-"), Chars(Word, 24, UNLIMITED)]),
    ("an OpenRouter API key", &[Literal("sk-or-v1-"), Chars(Hex, 64, 64)]),
    ("an OpenAI project key", &[Literal("sk-proj-"), Chars(Word, 24, UNLIMITED)]),
    ("an OpenAI service account key", &[Literal("sk-svcacct-"), Chars(Word, 24, UNLIMITED)]),
    ("an OpenAI admin key", &[Literal("sk-admin-"), Chars(Word, 24, UNLIMITED)]),
    ("an OpenAI API key", &[Literal("sk-"), Chars(Alnum, 32, 64)]),
    ("a Groq API key", &[Literal("gsk_"), Chars(Alnum, 40, 64)]),
    ("an xAI API key", &[Literal("xai-"), Chars(Alnum, 70, 100)]),
    ("a Perplexity API key", &[Literal("pplx-"), Chars(Alnum, 40, 64)]),
    ("a Replicate token", &[Literal("r8_"), Chars(Word, 37, 37)]),
    ("a Google API key", &[Literal("AIza"), Chars(Word, 35, 35)]),
    ("a Google OAuth client secret", &[Literal("GOCSPX-"), Chars(Word, 28, 28)]),
    ("a Google OAuth access token", &[Literal("ya29."), Chars(Word, 20, UNLIMITED)]),
    ("an npm token", &[Literal("npm_"), Chars(Alnum, 36, 36)]),
    ("a PyPI token", &[Literal("pypi-AgE"), Chars(Word, 50, UNLIMITED)]),
    ("a RubyGems API key", &[Literal("rubygems_"), Chars(Hex, 48, 48)]),
    ("a crates.io token", &[Literal("cio"), Chars(Alnum, 32, 32)]),
    (
        "a Docker Hub token",
        &[Literal("dckr_"), Chars(OneOf("pato"), 3, 3), Literal("_"), Chars(Word, 27, 64)],
    ),
    ("a Hugging Face token", &[Literal("hf_"), Chars(Alnum, 30, 40)]),
    (
        "a SendGrid API key",
        &[Literal("SG."), Chars(Word, 16, 32), Literal("."), Chars(Word, 32, 64)],
    ),
    (
        "a DigitalOcean token",
        &[Literal("do"), Chars(OneOf("opr"), 1, 1), Literal("_v1_"), Chars(Hex, 64, 64)],
    ),
    (
        "an Azure storage account key",
        &[Literal("AccountKey="), Chars(Base64, 86, 86), Literal("==")],
    ),
    (
        "an Azure shared access key",
        &[Literal("SharedAccessKey="), Chars(Base64, 43, 43), Literal("=")],
    ),
    ("a Telegram bot token", &[Chars(Digits, 8, 10), Literal(":A"), Chars(Word, 34, 34)]),
    ("a Twilio API key", &[Literal("SK"), Chars(Hex, 32, 32)]),
    (
        "a JSON Web Token",
        &[
            Literal("eyJ"),
            Chars(Word, 10, UNLIMITED),
            Literal(".eyJ"),
            Chars(Word, 10, UNLIMITED),
            Literal("."),
            Chars(Word, 10, UNLIMITED),
        ],
    ),
    ("a Databricks token", &[Literal("dapi"), Chars(Hex, 32, 32)]),
    ("a Vault service token", &[Literal("hvs."), Chars(Word, 24, UNLIMITED)]),
    ("a Vault batch token", &[Literal("hvb."), Chars(Word, 24, UNLIMITED)]),
    ("an age secret key", &[Literal("AGE-SECRET-KEY-1"), Chars(UpperAlnum, 58, 58)]),
    (
        "a Shopify token",
        &[Literal("shp"), Chars(OneOf("acpst"), 2, 2), Literal("_"), Chars(Alnum, 32, 32)],
    ),
    (
        "a Square token",
        &[Literal("sq0"), Chars(OneOf("acpst"), 3, 3), Literal("-"), Chars(Word, 22, 43)],
    ),
    ("a Linear API key", &[Literal("lin_api_"), Chars(Alnum, 40, 40)]),
    ("a Notion token", &[Literal("ntn_"), Chars(Alnum, 40, 60)]),
    ("a Figma token", &[Literal("figd_"), Chars(Word, 40, 60)]),
    (
        "a Postman API key",
        &[Literal("PMAK-"), Chars(Hex, 24, 24), Literal("-"), Chars(Hex, 34, 34)],
    ),
    (
        "a Grafana token",
        &[Literal("glsa_"), Chars(Alnum, 32, 32), Literal("_"), Chars(Alnum, 8, 8)],
    ),
    ("a New Relic key", &[Literal("NRAK-"), Chars(UpperAlnum, 27, 27)]),
    (
        "a Sentry token",
        &[Literal("sntry"), Chars(OneOf("su"), 1, 1), Literal("_"), Chars(Word, 40, UNLIMITED)],
    ),
    ("a Doppler token", &[Literal("dp.pt."), Chars(Alnum, 40, 44)]),
    ("a Pulumi token", &[Literal("pul-"), Chars(Hex, 40, 40)]),
    ("a PlanetScale token", &[Literal("pscale_tkn_"), Chars(Word, 32, 64)]),
    ("a Supabase token", &[Literal("sbp_"), Chars(Hex, 40, 40)]),
    ("a 1Password service account token", &[Literal("ops_eyJ"), Chars(Word, 100, UNLIMITED)]),
    ("an Atlassian API token", &[Literal("ATATT3"), Chars(Word, 60, UNLIMITED)]),
    ("a Tailscale key", &[Literal("tskey-"), Chars(Word, 20, UNLIMITED)]),
];

/// The formats of a Discord bot token, by its first letter.
const DISCORD_TOKENS: [[FormatPart; 6]; 3] =
    [discord_token("M"), discord_token("N"), discord_token("O")];

const fn discord_token(first: &'static str) -> [FormatPart; 6] {
    [
        Literal(first),
        Chars(Word, 23, 27),
        Literal("."),
        Chars(Word, 6, 7),
        Literal("."),
        Chars(Word, 27, 38),
    ]
}

/// Bit `i` of entry `b` is set if format `i` may start with byte `b`.
const FORMATS_BY_FIRST_BYTE: [u128; 256] = formats_by_first_byte();

const fn formats_by_first_byte() -> [u128; 256] {
    let mut formats = [0; 256];
    let mut index = 0;
    while index < TOKEN_FORMATS.len() {
        let mut byte = 0;
        while byte < 256 {
            let may_start = match TOKEN_FORMATS[index].1[0] {
                Literal(text) => text.as_bytes()[0] == byte as u8,
                Chars(alphabet, _, _) => alphabet.contains(byte as u8),
            };
            if may_start {
                formats[byte] |= 1 << index;
            }
            byte += 1;
        }
        index += 1;
    }
    formats
}

/// Returns the first token of a known format.
pub(super) fn find(line: &str) -> Option<SecretMatch<'_>> {
    let bytes = line.as_bytes();
    (0..bytes.len()).find_map(|at| {
        let candidates = FORMATS_BY_FIRST_BYTE[usize::from(bytes[at])];
        if candidates == 0 || !may_start_token(&bytes[..at]) {
            return None;
        }
        set_bits(candidates).find_map(|index| match_format(TOKEN_FORMATS[index], &line[at..]))
    })
}

/// Returns the indexes of the bits that are set, lowest first.
fn set_bits(mut bits: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros();
        bits &= bits.checked_sub(1)?;
        Some(lowest as usize)
    })
}

/// Returns whether a token may start after a text: not within a word, except after an escape such
/// as `\n`.
///
/// A dash counts as part of the word. This keeps the search linear, because a part without an upper
/// bound then contains no second start.
fn may_start_token(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., byte] => !Word.contains(*byte),
        [] => true,
    }
}

/// Matches a format at the start of a text. Placeholders do not match.
fn match_format((what, parts): TokenFormat, text: &str) -> Option<SecretMatch<'_>> {
    let mut end = 0;
    for part in parts {
        end += match_part(*part, &text.as_bytes()[end..])?;
    }
    let random_part = match parts[0] {
        Literal(prefix) => &text[prefix.len()..end],
        Chars(..) => &text[..end],
    };
    // A format of capitals with one fixed length matches no ordinary word, so it is refused even if
    // it contains a placeholder word, as the issuer's documented example key does.
    let is_exact = matches!(parts, [_, Chars(UpperAlnum, min, max)] if min == max);
    // A prefix of one letter also starts the path of a class or a module.
    let is_readable = matches!(parts[0], Literal(prefix) if prefix.len() == 1)
        && value::has_only_words(random_part);
    let is_token = !is_readable
        && (!random_part.contains(['-', '_']) || value::is_mixed(random_part))
        && value::entropy(random_part) >= MIN_ENTROPY
        && (is_exact || !value::is_placeholder(random_part));
    is_token.then_some(SecretMatch { what, text: &text[..end] })
}

/// Returns the length of a part at the start of the bytes.
fn match_part(part: FormatPart, bytes: &[u8]) -> Option<usize> {
    match part {
        Literal(text) => bytes.starts_with(text.as_bytes()).then_some(text.len()),
        Chars(alphabet, min, max) => {
            let candidates = bytes.iter().take(max.saturating_add(1));
            let length = candidates.take_while(|&&byte| alphabet.contains(byte)).count();
            (min..=max).contains(&length).then_some(length)
        }
    }
}
