//! The samples are assembled from pieces and pseudo-random characters, so that secret scanners do
//! not report this file.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const DIGITS: &str = "0123456789";
const URL_SAFE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns pseudo-random characters that depend on the seed only.
fn pseudo_random(alphabet: &str, length: usize, seed: u64) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            char::from(alphabet[(state >> 33) as usize % alphabet.len()])
        })
        .collect()
}

/// Joins the pieces of a sample. `~a36` stands for 36 random letters and digits; `~x`, `~u` and `~d`
/// for random hex, base32 and decimal digits, `~w` for random URL-safe base64.
fn sample(pieces: &[&str], seed: u64) -> String {
    let piece = |(index, piece): (usize, &&str)| {
        let alphabet = match piece.as_bytes() {
            [b'~', b'a', ..] => ALNUM,
            [b'~', b'x', ..] => HEX,
            [b'~', b'u', ..] => UPPER,
            [b'~', b'd', ..] => DIGITS,
            [b'~', b'w', ..] => URL_SAFE,
            _ => return (*piece).to_owned(),
        };
        pseudo_random(alphabet, piece[2..].parse().unwrap(), seed + index as u64)
    };
    pieces.iter().enumerate().map(piece).collect()
}

const SECRETS: &[(&str, &[&str])] = &[
    ("an AWS access key id", &["AKIA", "~u16"]),
    // The issuer's documented example is refused too.
    ("an AWS access key id", &["AKIA", "IOSFODNN7EXAMPLE"]),
    ("an AWS access key id", &["aws_access_key_id = AKIA", "~u16", "\r"]),
    ("an AWS temporary access key id", &["(ASIA", "~u16", ")"]),
    ("a secret key or token", &["aws_secret_access_key = ", "~a20", "/", "~a11", "+", "~a7"]),
    ("a GitHub token", &["the bot uses ghp_", "~a36", "."]),
    ("a GitHub token", &["https://gho_", "~a36", "@github.com/o/r"]),
    ("a GitHub token", &["ghu_", "~a36"]),
    ("a GitHub token", &["GITHUB_TOKEN=ghs_", "~a36"]),
    ("a GitHub token", &["{\"log\": \"line\\nghr_", "~a36", "\\n\"}"]),
    ("a GitHub fine-grained token", &["github_pat_", "~a22", "_", "~a59"]),
    ("a GitLab access token", &["glpat-", "~a20"]),
    ("a Slack token", &["xoxb-", "~d12", "-", "~d12", "-", "~a24"]),
    ("a Slack token", &["xoxp-", "~d12", "-", "~a32"]),
    (
        "a Slack webhook",
        &["https://hooks.slack.com/", "services/T", "~u8", "/B", "~u10", "/", "~a24"],
    ),
    ("a Stripe secret key", &["sk_live_", "~a24"]),
    ("a Stripe restricted key", &["rk_live_", "~a24"]),
    ("a Stripe webhook secret", &["whsec_", "~a32"]),
    ("an OpenAI API key", &["sk-", "~a48"]),
    ("an OpenAI project key", &["sk-proj-", "~a30", "_", "~a30"]),
    ("an Anthropic API key", &["sk-ant-", "api03-", "~a40", "-", "~a50"]),
    ("a Google API key", &["?key=AIza", "~a35", "&x=1"]),
    ("a Google OAuth client secret", &["GOCSPX-", "~a28"]),
    ("an npm token", &["//registry.npmjs.org/:_authToken=npm_", "~a36"]),
    (
        "a secret key or token",
        &[
            "//registry.npmjs.org/:_authToken=",
            "~x8",
            "-",
            "~x4",
            "-4",
            "~x3",
            "-9",
            "~x3",
            "-",
            "~x12",
        ],
    ),
    (
        "a secret key or token",
        &["HEROKU_API_KEY=", "~x8", "-", "~x4", "-4", "~x3", "-9", "~x3", "-", "~x12"],
    ),
    (
        "a secret key or token",
        &["the Heroku API key is ", "~x8", "-", "~x4", "-4", "~x3", "-9", "~x3", "-", "~x12", "."],
    ),
    ("a Heroku API key", &["HRKU-AA", "~w58"]),
    ("a secret key or token", &["CLOUDFLARE_API_TOKEN=", "~w40"]),
    ("a secret key or token", &["export CF_API_TOKEN=\"", "~w40", "\""]),
    ("a Discord bot token", &["M", "~a25", ".", "~w6", ".", "~w27"]),
    ("a Discord bot token", &["DISCORD_TOKEN=O", "~a23", ".", "~w6", ".", "~w38"]),
    ("a Mailgun API key", &["key-", "~x32"]),
    ("a Mailgun API key", &["MAILGUN_API_KEY=", "~x32", "-", "~x8", "-", "~x8"]),
    ("a password", &["the staging password is ", "kestrel", "77"]),
    ("a password", &["my db password is ", "heron", "7"]),
    ("a password", &["The db password is: ", "heron", "7"]),
    ("a password", &["db password: ", "heron", "7"]),
    ("a password", &["root password = ", "h3r0n", "!"]),
    ("a password", &["log in as admin with the password '", "heron", "7'"]),
    ("a password", &["the password is now ", "Heron", "2026!"]),
    ("a password", &["the password has been set to ", "Heron", "2026!"]),
    ("a password", &["our admin's password was changed to ", "Heron", "2026!"]),
    ("a password", &["das Passwort ist ", "Reiher", "123!"]),
    ("a user and a password", &["curl -u admin:", "H3ron", "99x https://x"]),
    (
        "a secret key or token",
        &["registry.npmjs.org _authToken ", "~x8", "-", "~x4", "-", "~x4", "-", "~x4", "-", "~x12"],
    ),
    (
        "a secret key or token",
        &["heroku auth token ", "~x8", "-", "~x4", "-", "~x4", "-", "~x4", "-", "~x12"],
    ),
    ("a password", &["the password for the new staging box is ", "Kestrel", "77."]),
    ("a password", &["log in as admin with the password ", "kestrel", "77, then"]),
    ("a password", &["Use passphrase '", "kestrel", "-77-hazel!'"]),
    ("a PyPI token", &["pypi-AgE", "~a80"]),
    ("a Hugging Face token", &["hf_", "~a34"]),
    ("a SendGrid API key", &["SG.", "~a22", ".", "~a43"]),
    ("a DigitalOcean token", &["dop_v1_", "~x64"]),
    ("an Azure storage account key", &["AccountName=a;AccountKey=", "~a86", "==;"]),
    ("a Telegram bot token", &["bot ", "~d9", ":AA", "~a33"]),
    ("a Twilio API key", &["SK", "~x32"]),
    ("a JSON Web Token", &["eyJ", "~a30", ".eyJ", "~a60", ".", "~a43"]),
    ("a Databricks token", &["dapi", "~x32"]),
    ("a Vault service token", &["hvs.", "~a28"]),
    ("an age secret key", &["AGE-SECRET-KEY-1", "~u58"]),
    ("a private key", &["-----BEGIN RSA PRIVATE", " KEY-----\n", "~a64", "\n", "~a64"]),
    ("a private key", &["\"-----BEGIN PRIVATE", " KEY-----\\n", "~a64", "\\n\""]),
    ("an OpenSSH private key", &["-----BEGIN OPENSSH PRIVATE", " KEY-----\n", "~a70"]),
    (
        "a PGP private key",
        &["-----BEGIN PGP PRIVATE KEY", " BLOCK-----\nVersion: GnuPG v2\n\n", "~a64"],
    ),
    ("a PuTTY private key", &["Private-", "Lines: 14\n", "~a64"]),
    ("a URL with a password in it", &["postgres://app:", "~a12", "@db.internal:5432/app"]),
    ("a URL with a password in it", &["redis://:", "~a9", "@cache:6379"]),
    ("a URL with a password in it", &["see `amqp://svc:", "kdjfuwmq", "@mq/vhost`"]),
    ("an authorization token", &["curl -H \"Authorization: Bearer ", "~a32", "\" x"]),
    ("an authorization token", &["'authorization': 'bearer ", "~a32", "'"]),
    ("an authorization header with a password", &["Authorization: Basic ", "dXNlcjpw", "YXNz"]),
    ("a password", &["password = ", "Tr0ub4", "dor"]),
    ("a password", &["Password: `", "winter", "2024", "`"]),
    ("a password", &["**Password:** ", "kestrel", "77 for the staging box"]),
    ("a password", &["PGPASSWORD='", "Gr33n", "tea!'"]),
    ("a password", &["jdbc:x?user=a&password=", "Gr33n", "tea&ssl=true"]),
    ("a password", &["<password>", "Gr33n", "tea</password>"]),
    ("a password", &["mysql --password ", "Gr33n", "tea"]),
    ("a password", &["the staging password is ", "Gr33n", "+tea."]),
    ("a password", &["Server=db;Pwd=", "~a9", "7;"]),
    ("a password", &["db_pass: ", "q", "!Wertzui"]),
    ("a secret key or token", &["api_key: \"", "~a32", "\""]),
    ("a secret key or token", &["API key = ", "~x32"]),
    ("a secret key or token", &["SECRET_TOKEN=", "~a24"]),
    ("a secret key or token", &["\"clientSecret\": \"", "~a30", "\","]),
    ("a secret key or token", &["export X_TOKEN=", "~x40"]),
    ("a secret key or token", &["{\\\"accessToken\\\": \\\"", "~a40", "\\\"}"]),
    ("a secret key or token", &["X-Api-Key: ", "~a32"]),
    ("a secret key or token", &["SECRET_KEY = b'", "~a40", "'"]),
    ("a secret key or token", &["APIKEY=>'", "~a28", "'"]),
    ("a secret key or token", &["encryptionKey := \"", "~a43", "=\""]),
];

const HARMLESS: &[&str] = &[
    "",
    "fixed in 3f786850e387550fdab836ed7e6dc881de23001b",
    "auth: 3f786850e387550fdab836ed7e6dc881de23001b",
    "the auth fix landed in commit: 3f786850e387550fdab836ed7e6dc881de23001b",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "idempotency token: 550e8400-e29b-41d4-a716-446655440000",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "token: sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
    "crates/core/src/secret/token.rs:42",
    "PWD=/home/user2/projects/app",
    "token_path = /var/run/secrets/kubernetes.io/serviceaccount/token",
    "private_key: ~/.ssh/id_ed25519_work_2024",
    "https://example.com:8443/a/b?token_type=jwt#x@y",
    "ssh://git@github.com:22/org/repo.git",
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@localhost/db",
    "postgres://app:<password>@db/app",
    "postgres://app:${DB_PASSWORD}@db/app",
    "postgres://app:$DB_PASSWORD@db/app",
    "https://x-access-token:TOKEN@github.com/o/r",
    "https://user:pass@sub.example.com:8080/p/a/t/h?query=string",
    "pub const InheritPrivateKey: X509RequestInheritOptions = 3i32;",
    "mysql://root:****@db",
    "mysql://root:%s@db",
    "password: <password>",
    "password = ${DB_PASSWORD2}",
    "password: $PASSWORD_1",
    "token=$TOKEN",
    "password=%s",
    "password: {{ secret.v1 }}",
    "token: ${{ secrets.GITHUB_TOKEN_2 }}",
    "password: xxxxxxxx12",
    "password: ********",
    "api_key = \"your-api-key-here-1234\"",
    "password: changeme123",
    "api_key: example-key-0123456789ab",
    "secret = REDACTED",
    "secret: [REDACTED-2024-01-01]",
    "const token = process.env.API_TOKEN_V2_PRODUCTION;",
    "token = os.environ[\"X_TOKEN_2\"]",
    "token: env(\"X1_TOKEN_FOR_THE_JOB\")",
    "let token = getToken(user1, Scope::Read2);",
    "token = client.auth2.getAccessTokenSilently1",
    "password = generatePassword(16)",
    "password = hash_password2(raw)",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "headers = {\"Authorization\": f\"Bearer {token1}\"}",
    "headers = {\"Authorization\": \"Bearer \" + token1}",
    "Authorization: Basic authentication is off",
    "Authorization: Basic base64(user:pass)",
    "the token expires after 3600 seconds",
    "password: must be at least 12 characters",
    "password: required, 12-64 characters",
    "password: >=12chars",
    "password: pbkdf2-sha256",
    "the password is hashed with `argon2id`",
    "password: argon2id",
    "the password is base64-encoded",
    "the password is sha256 of the pin",
    "the password is in utf8",
    "the password was rotated in 2026",
    "the password is set to expire after 90days",
    "password: at least 12chars",
    "docker run -u 1000:1000 app",
    "docker run --user app:app2 image",
    "the password is rotated every 90 days",
    "the password is 12-64 characters long",
    "the password is 2024-01-15",
    "the password is stored in vault-v2/db",
    "with the password argon2id-hashed",
    "the password field2 is required",
    "password reset12 link",
    "NotificationServiceFactory.create.withDefaultConfigurationOptions2",
    "HEROKU_APP_ID=550e8400-e29b-41d4-a716-446655440000",
    "_authToken=${NPM_TOKEN}",
    "api_token: My-Service-Account-For-The-Production-Cluster-2024",
    "last password change: 2024-01-15T10:00:00Z",
    "token_limit = 4096",
    "api_key: string",
    "password: Option<String>,",
    "secret rotation: every 90 days",
    "max_tokens=100000",
    "tokenizer = cl100k_base",
    "author: someone",
    "author: someone2024@corp.com",
    "keyboard: qwerty",
    "primary key: 3f786850e387550fdab836ed7e6dc881de23001b",
    "public_key: AAAAC3NzaC1lZDI1NTE5AAAAIJ7vuL3xVChQ1m2AB9Yg5",
    "secret: projects/p1/secrets/db-password/versions/3",
    "secret: my-app-tls-7f9c4d5b6",
    "secretName: my-app-7f9c4d5b6-x2x9z",
    "password: !vault db/creds",
    "password: user2.password",
    "auth: OAuth2-with-PKCE-and-RFC7636",
    "pass: 1234/1234 tests",
    "second pass: -O2+lto=thin",
    "pass 3/4: lto+codegen-units=1",
    "password: 8-64 characters, 1 digit",
    "JWT secret: 256-bit, rotated quarterly",
    "session token: 128-bit-random-base64url-encoded",
    "token: RS256-signed-JWT-with-kid",
    "auth: see crates/server/src/auth/v2/middleware.rs:42",
    "pwd: ~/src/app-v2",
    "password reset link: https://x.y/reset?id=12345",
    "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123",
    "api_key: op://vault/item2/field",
    "access key: Ctrl+Shift+F12",
    "keys look like AKIA followed by 16 characters; tokens like ghp_",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-... and sk-proj-<key>",
    "sk-learn-pipeline-with-a-very-long-descriptive-name",
    "the risk-assessment-of-the-migration-to-the-new-cluster-in-2024",
    "xoxb-your-token-goes-here-1",
    "eyJ is how a JSON Web Token starts, as in eyJ….eyJ….x",
    concat!("from -----BEGIN PRIVATE", " KEY----- to -----END PRIVATE", " KEY-----"),
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n",
    concat!("-----BEGIN PRIVATE", " KEY-----\n<the key>\n-----END PRIVATE", " KEY-----"),
    "пароль и токен: смотри в хранилище",
    "password：パスワードは別の場所にあります2024",
];

#[test]
fn secrets_are_found() {
    for (seed, (what, pieces)) in SECRETS.iter().enumerate() {
        let text = sample(pieces, seed as u64);
        let found = find(&text).map(|secret| secret.description);
        assert_eq!(found, Some(*what), "{text}");
    }
}

#[test]
fn ordinary_notes_are_accepted() {
    for text in HARMLESS {
        assert_eq!(find(text), None, "{text}");
    }
}

#[test]
fn secrets_are_found_for_nearly_all_random_values() {
    for (what, pieces) in SECRETS {
        let missed = (1000..2000).filter(|&seed| find(&sample(pieces, seed)).is_none()).count();
        assert!(missed <= 20, "{what} {pieces:?}: {missed} of 1000 missed");
    }
}

#[test]
fn a_secret_is_redacted() {
    let key = sample(&["AKIA", "~u16"], 1);
    let found = find(&format!("first\nthe key is {key}\n")).unwrap();
    assert_eq!((found.line, found.redacted.as_str()), (2, "AKIA…"));
    let password = sample(&["password=", "Gr33n", "tea"], 1);
    assert_eq!(find(&password).unwrap().redacted, "Gr…");
}

#[test]
fn truncated_secrets_do_not_panic() {
    for (_, pieces) in SECRETS {
        let text = sample(pieces, 7);
        for end in 0..=text.len() {
            find(&text[..end]);
            find(&format!("{}é…🗝", &text[..end]));
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_text_does_not_panic(text in any::<String>(), end in 0..SECRETS.len()) {
        find(&text);
        find(&format!("{text}{}{text}", SECRETS[end].1[0]));
    }

    #[test]
    fn arbitrary_names_and_operators_do_not_panic(
        words in prop::collection::vec(
            select(vec!["password", "token", "=", ":", "\"", "'", " ", "é", "://", "@", "\\", "--",
                " is ", "-----BEGIN ", "PRIVATE", " KEY-----", "Basic ", "eyJ", ".", "\n", "{", "ﬀ9Z!"]),
            0..40,
        )
    ) {
        find(&words.concat());
    }

    #[test]
    fn a_secret_is_found_on_any_line(
        before in "(\\PC*\n){0,4}",
        after in "|[ \n]\\PC*(\n\\PC*){0,2}",
        (_, pieces) in select(SECRETS),
    ) {
        prop_assume!(find(&before).is_none());
        let text = format!("{before}\n{}{after}", sample(pieces, 7));
        let line = before.matches('\n').count() + 2;
        prop_assert_eq!(find(&text).map(|secret| secret.line), Some(line));
    }
}

#[test]
fn every_secret_of_a_text_is_redacted() {
    let text = "GET https://ada:hunter2secret@db.example.com failed\ntoken ghp_16C7e42F292c6912E7710c838347Ae178B4a again\n";
    let (redacted, count) = redact_all(text);
    assert_eq!(count, 2, "{redacted}");
    assert!(!redacted.contains("hunter2secret") && !redacted.contains("ghp_16C7"), "{redacted}");
    assert!(redacted.contains("failed\n") && redacted.ends_with(" again\n"), "{redacted}");
    assert_eq!(redact_all("no secret"), ("no secret".to_owned(), 0));
}

#[test]
fn a_private_key_is_removed_to_its_end() {
    let key = "MIIEpAIBAAKCAQEA7bq1Zk3sXw9fG2hJ4kL5mN6pQ7rS8tU9vW0x".repeat(2);
    let text = format!(
        "bad key:\n-----BEGIN RSA PRIVATE KEY-----\n{key}\n{key}\n-----END RSA PRIVATE KEY-----\nexit 1"
    );
    assert_eq!(redact_all(&text), ("bad key:\n[a private key]\nexit 1".to_owned(), 1));
}
