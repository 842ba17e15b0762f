//! Keys and tokens that are known by the shape their issuer gives them.

use super::{Found, value};
use Alphabet::{Alnum, Base64, Digits, Hex, OneOf, UpperAlnum, Word};
use Part::{Is, Of};

/// No upper bound on the length of a part.
const ANY: usize = usize::MAX;

/// The least entropy of a key; under it, it was written to show the shape.
const LEAST_ENTROPY: f64 = 2.5;

/// The characters a part is made of.
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
    const fn has(self, byte: u8) -> bool {
        match self {
            Alnum => byte.is_ascii_alphanumeric(),
            Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
            Digits => byte.is_ascii_digit(),
            Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            OneOf(set) => holds(set.as_bytes(), byte),
            UpperAlnum => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
        }
    }
}

const fn holds(set: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < set.len() {
        if set[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

/// A stretch of a shape. A part's alphabet does not hold what the next part starts with, so that
/// no part is ever tried twice.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// This text.
    Is(&'static str),
    /// At least so many and at most so many characters of an alphabet.
    Of(Alphabet, usize, usize),
}

/// What it looks like, and its parts.
type Shape = (&'static str, &'static [Part]);

/// The shapes, a more telling one before one that would hold it too.
const SHAPES: &[Shape] = &[
    ("an AWS access key id", &[Is("AKIA"), Of(UpperAlnum, 16, 16)]),
    ("an AWS temporary access key id", &[Is("ASIA"), Of(UpperAlnum, 16, 16)]),
    ("an AWS bearer token", &[Is("ABSK"), Of(Base64, 100, 300)]),
    ("a GitHub token", &[Is("gh"), Of(OneOf("opurs"), 1, 1), Is("_"), Of(Alnum, 36, 255)]),
    ("a GitHub fine-grained token", &[Is("github_pat_"), Of(Word, 36, 255)]),
    ("a GitLab access token", &[Is("glpat-"), Of(Word, 20, ANY)]),
    ("a GitLab deploy token", &[Is("gldt-"), Of(Word, 20, ANY)]),
    ("a GitLab runner token", &[Is("glrt-"), Of(Word, 20, ANY)]),
    ("a GitLab job token", &[Is("glcbt-"), Of(Word, 20, ANY)]),
    ("a Slack token", &[Is("xox"), Of(OneOf("abeoprs"), 1, 1), Is("-"), Of(Word, 10, ANY)]),
    ("a Slack app token", &[Is("xapp-"), Of(Word, 20, ANY)]),
    (
        "a Slack webhook",
        &[
            Is("https://hooks.slack.com/services/T"),
            Of(Alnum, 8, 16),
            Is("/B"),
            Of(Alnum, 8, 16),
            Is("/"),
            Of(Alnum, 20, 32),
        ],
    ),
    (
        "a Discord webhook",
        &[Is("https://discord.com/api/webhooks/"), Of(Digits, 17, 20), Is("/"), Of(Word, 60, 80)],
    ),
    ("a Stripe secret key", &[Is("sk_live_"), Of(Alnum, 16, ANY)]),
    ("a Stripe restricted key", &[Is("rk_live_"), Of(Alnum, 16, ANY)]),
    ("a Stripe webhook secret", &[Is("whsec_"), Of(Base64, 24, 80)]),
    ("an Anthropic API key", &[Is("sk-ant-"), Of(Word, 24, ANY)]),
    ("an OpenRouter API key", &[Is("sk-or-v1-"), Of(Hex, 64, 64)]),
    ("an OpenAI project key", &[Is("sk-proj-"), Of(Word, 24, ANY)]),
    ("an OpenAI service account key", &[Is("sk-svcacct-"), Of(Word, 24, ANY)]),
    ("an OpenAI admin key", &[Is("sk-admin-"), Of(Word, 24, ANY)]),
    ("an OpenAI API key", &[Is("sk-"), Of(Alnum, 32, 64)]),
    ("a Groq API key", &[Is("gsk_"), Of(Alnum, 40, 64)]),
    ("an xAI API key", &[Is("xai-"), Of(Alnum, 70, 100)]),
    ("a Perplexity API key", &[Is("pplx-"), Of(Alnum, 40, 64)]),
    ("a Replicate token", &[Is("r8_"), Of(Word, 37, 37)]),
    ("a Google API key", &[Is("AIza"), Of(Word, 35, 35)]),
    ("a Google OAuth client secret", &[Is("GOCSPX-"), Of(Word, 28, 28)]),
    ("a Google OAuth access token", &[Is("ya29."), Of(Word, 20, ANY)]),
    ("an npm token", &[Is("npm_"), Of(Alnum, 36, 36)]),
    ("a PyPI token", &[Is("pypi-AgE"), Of(Word, 50, ANY)]),
    ("a RubyGems API key", &[Is("rubygems_"), Of(Hex, 48, 48)]),
    ("a crates.io token", &[Is("cio"), Of(Alnum, 32, 32)]),
    ("a Docker Hub token", &[Is("dckr_"), Of(OneOf("pato"), 3, 3), Is("_"), Of(Word, 27, 64)]),
    ("a Hugging Face token", &[Is("hf_"), Of(Alnum, 30, 40)]),
    ("a SendGrid API key", &[Is("SG."), Of(Word, 16, 32), Is("."), Of(Word, 32, 64)]),
    ("a DigitalOcean token", &[Is("do"), Of(OneOf("opr"), 1, 1), Is("_v1_"), Of(Hex, 64, 64)]),
    ("an Azure storage account key", &[Is("AccountKey="), Of(Base64, 86, 86), Is("==")]),
    ("an Azure shared access key", &[Is("SharedAccessKey="), Of(Base64, 43, 43), Is("=")]),
    ("a Telegram bot token", &[Of(Digits, 8, 10), Is(":A"), Of(Word, 34, 34)]),
    ("a Twilio API key", &[Is("SK"), Of(Hex, 32, 32)]),
    (
        "a JSON Web Token",
        &[Is("eyJ"), Of(Word, 10, ANY), Is(".eyJ"), Of(Word, 10, ANY), Is("."), Of(Word, 10, ANY)],
    ),
    ("a Databricks token", &[Is("dapi"), Of(Hex, 32, 32)]),
    ("a Vault service token", &[Is("hvs."), Of(Word, 24, ANY)]),
    ("a Vault batch token", &[Is("hvb."), Of(Word, 24, ANY)]),
    ("an age secret key", &[Is("AGE-SECRET-KEY-1"), Of(UpperAlnum, 58, 58)]),
    ("a Shopify token", &[Is("shp"), Of(OneOf("acpst"), 2, 2), Is("_"), Of(Alnum, 32, 32)]),
    ("a Square token", &[Is("sq0"), Of(OneOf("acpst"), 3, 3), Is("-"), Of(Word, 22, 43)]),
    ("a Linear API key", &[Is("lin_api_"), Of(Alnum, 40, 40)]),
    ("a Notion token", &[Is("ntn_"), Of(Alnum, 40, 60)]),
    ("a Figma token", &[Is("figd_"), Of(Word, 40, 60)]),
    ("a Postman API key", &[Is("PMAK-"), Of(Hex, 24, 24), Is("-"), Of(Hex, 34, 34)]),
    ("a Grafana token", &[Is("glsa_"), Of(Alnum, 32, 32), Is("_"), Of(Alnum, 8, 8)]),
    ("a New Relic key", &[Is("NRAK-"), Of(UpperAlnum, 27, 27)]),
    ("a Sentry token", &[Is("sntry"), Of(OneOf("su"), 1, 1), Is("_"), Of(Word, 40, ANY)]),
    ("a Doppler token", &[Is("dp.pt."), Of(Alnum, 40, 44)]),
    ("a Pulumi token", &[Is("pul-"), Of(Hex, 40, 40)]),
    ("a PlanetScale token", &[Is("pscale_tkn_"), Of(Word, 32, 64)]),
    ("a Supabase token", &[Is("sbp_"), Of(Hex, 40, 40)]),
    ("a 1Password service account token", &[Is("ops_eyJ"), Of(Word, 100, ANY)]),
    ("an Atlassian API token", &[Is("ATATT3"), Of(Word, 60, ANY)]),
    ("a Tailscale key", &[Is("tskey-"), Of(Word, 20, ANY)]),
];

/// For each byte, the shapes that may start with it, one bit each.
const STARTS: [u128; 256] = starts();

const fn starts() -> [u128; 256] {
    let mut starts = [0; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        let mut byte = 0;
        while byte < 256 {
            let may_start = match SHAPES[at].1[0] {
                Is(text) => text.as_bytes()[0] == byte as u8,
                Of(alphabet, _, _) => alphabet.has(byte as u8),
            };
            if may_start {
                starts[byte] |= 1 << at;
            }
            byte += 1;
        }
        at += 1;
    }
    starts
}

/// Finds the first key or token of a known shape.
pub(super) fn find(line: &str) -> Option<Found<'_>> {
    let bytes = line.as_bytes();
    (0..bytes.len()).find_map(|at| {
        let candidates = STARTS[usize::from(bytes[at])];
        if candidates == 0 || !is_start(&bytes[..at]) {
            return None;
        }
        ones(candidates).find_map(|index| matched(SHAPES[index], &line[at..]))
    })
}

/// Returns the places of the bits that are set, lowest first.
fn ones(mut bits: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros();
        bits &= bits.checked_sub(1)?;
        Some(lowest as usize)
    })
}

/// Tells whether a key may start here: not within a word, unless that is an escape as `\n` is.
///
/// That a dash belongs to the word keeps the search linear, since no alphabet without an upper
/// bound then holds a second start.
fn is_start(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., byte] => !Word.has(*byte),
        [] => true,
    }
}

/// Returns what a text starts with, if it has this shape and is not a stand-in.
fn matched((what, parts): Shape, text: &str) -> Option<Found<'_>> {
    let mut end = 0;
    for part in parts {
        end += length(*part, &text.as_bytes()[end..])?;
    }
    let given = match parts[0] {
        Is(prefix) => &text[prefix.len()..end],
        Of(..) => &text[..end],
    };
    // In capitals and of one length it is no word that happens to begin like a key: what an issuer
    // prints as its example is refused too.
    let is_exact = matches!(parts, [_, Of(UpperAlnum, least, most)] if least == most);
    let is_key = (!given.contains(['-', '_']) || value::is_mixed(given))
        && value::entropy(given) >= LEAST_ENTROPY
        && (is_exact || !value::is_stand_in(given));
    is_key.then_some((what, &text[..end]))
}

fn length(part: Part, bytes: &[u8]) -> Option<usize> {
    match part {
        Is(text) => bytes.starts_with(text.as_bytes()).then_some(text.len()),
        Of(alphabet, least, most) => {
            let enough = bytes.iter().take(most.saturating_add(1));
            let length = enough.take_while(|&&byte| alphabet.has(byte)).count();
            (least..=most).contains(&length).then_some(length)
        }
    }
}
