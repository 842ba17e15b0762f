//! Keys of statements such as `billing.pool_size = 100`, which say nothing of other keys.

/// What stands between a key and its value.
const SEPARATORS: [&str; 3] = ["=", ":", " is set to "];

/// Returns the key that a statement gives a value, in lower case: a name of several parts before a sign.
pub(super) fn stated_key(statement: &str) -> Option<String> {
    let after_circumstance = statement.split_once(", `").map(|(_, rest)| rest);
    let text = after_circumstance.unwrap_or(statement).trim_start_matches(['`', '"', ' ']);
    let is_of_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
    let end = text.find(|c: char| !is_of_key(c))?;
    let (key, rest) = text.split_at(end);
    let rest = rest.trim_start_matches(['`', '"']);
    let is_followed = |separator: &&str| -> bool {
        let rest = if separator.starts_with(' ') { rest } else { rest.trim_start() };
        let after = rest.strip_prefix(*separator);
        after.is_some_and(|after| !after.starts_with([':', '/', '=', '\\']))
    };
    let has_parts = key.trim_matches(|c: char| !c.is_alphanumeric()).contains(['_', '.', '-', '/']);
    (has_parts && SEPARATORS.iter().any(is_followed)).then(|| key.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_before_a_sign_are_keys() {
        for (statement, key) in [
            ("`billing.pool_size = 100`", Some("billing.pool_size")),
            ("Session_ttl: 30 minutes", Some("session_ttl")),
            ("`log-level` is set to `warn`", Some("log-level")),
            ("In staging, `auth.ttl` = 5", Some("auth.ttl")),
            ("Timeout: 30 seconds", None),
            ("pool_size is 5", None),
            ("`std::fs` is banned", None),
            ("src/lib.rs is generated", None),
            ("https://example.org/a", None),
            ("", None),
        ] {
            assert_eq!(stated_key(statement).as_deref(), key, "{statement}");
        }
    }
}
