//! Which rules in the folder of a client are loaded in every conversation.

use crate::Value;
use crate::hot::clients::RulesFolder;
use crate::hot::generated::front_matter_keys;

/// Patterns that match every file.
const EVERY_FILE: &[&str] = &["**", "**/*", "*"];

/// Returns whether a rule is loaded in every conversation. A rule that does not say when it is loaded counts as
/// always loaded.
pub fn is_always_loaded(rules: &RulesFolder, text: &str) -> bool {
    let stated = front_matter_keys(text);
    let value_of = |key: &str| stated.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let required =
        rules.front_matter.iter().find_map(|(key, value)| Some((value_of(key)?, *value)));
    match required {
        Some((stated, required)) => is_same(stated, required.trim_matches('"')),
        None => {
            !rules.lazy_keys.iter().any(|key| value_of(key).is_some_and(|value| !is_empty(value)))
        }
    }
}

fn is_same(stated: &Value, required: &str) -> bool {
    match stated {
        Value::String(text) if EVERY_FILE.contains(&required) => EVERY_FILE.contains(&text.trim()),
        Value::String(text) => text.trim() == required,
        // The text of a boolean or a number.
        other => format!("{other}") == required,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Returns the files that an instruction file imports with `@path`, as written.
pub fn imported_files(text: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let words = line.split_whitespace().filter_map(|word| word.strip_prefix('@'));
        found.extend(words.filter(|file| file.to_lowercase().ends_with(".md")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hot::clients;

    #[test]
    fn the_front_matter_says_when_a_rule_is_loaded() {
        let is_loaded = |client: &str, front_matter: &str| {
            let rules = clients::find(client).unwrap().rules.as_ref().unwrap();
            is_always_loaded(rules, &format!("---\n{front_matter}\n---\n# A\n"))
        };
        for (client, front_matter, expected) in [
            ("cursor", "alwaysApply: true\nglobs: \"*.rs\"", true),
            ("cursor", "alwaysApply: false", false),
            ("cursor", "globs: \"*.rs\"", false),
            ("cursor", "globs:\nowner: me", true),
            ("claude-code", "paths: [src/**]", false),
            ("claude-code", "owner: me", true),
            ("copilot", "applyTo: \"**/*\"", true),
            ("copilot", "applyTo: \"src/**\"", false),
            ("windsurf", "trigger: always_on", true),
            ("windsurf", "trigger: manual", false),
        ] {
            assert_eq!(is_loaded(client, front_matter), expected, "{client}: {front_matter}");
        }
    }

    #[test]
    fn imports_are_words_outside_of_code() {
        let text = "See @AGENTS.md and @docs/a.md.\n```\n@x.md\n```\nme@y.md @person\n";
        assert_eq!(imported_files(text), ["AGENTS.md"]);
    }
}
