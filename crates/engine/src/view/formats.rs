//! Writes findings in the formats of other tools.

use heirloom_core::conflict::{Conflict, ConflictKind, Severity};
use heirloom_core::{Hint, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The output format of findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FindingsFormat {
    /// Text for people.
    #[default]
    Text,
    /// The answer as data.
    Json,
    /// Annotations for GitHub Actions.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// The output format of entries that were retrieved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EntryFormat {
    /// YAML.
    #[default]
    Yaml,
    /// JSON.
    Json,
    /// Tables for people.
    Table,
}

const PROBLEM_RULE: &str = "unreadable_document";
const WARNING_RULE: &str = "incomplete_document";

/// Writes GitHub workflow commands, one per line.
pub(crate) fn github(conflicts: &[Conflict], problems: &[Problem], warnings: &[Problem]) -> String {
    let mut out = String::new();
    for conflict in conflicts {
        let command = match conflict.severity {
            Severity::Critical => "error",
            Severity::Warning => "warning",
            Severity::Information => "notice",
        };
        out.push_str(&annotation(
            command,
            &conflict.path,
            conflict.line,
            conflict.kind.name(),
            &conflict.message,
        ));
    }
    let problems = problems.iter().map(|problem| ("error", PROBLEM_RULE, problem));
    let warnings = warnings.iter().map(|warning| ("warning", WARNING_RULE, warning));
    for (command, rule, problem) in problems.chain(warnings) {
        let line = problem.line.max(1);
        out.push_str(&annotation(command, &problem.path, line, rule, &problem.message));
    }
    out
}

fn annotation(command: &str, path: &str, line: usize, title: &str, message: &str) -> String {
    let message = message.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let path = path
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace(':', "%3A")
        .replace(',', "%2C");
    format!("::{command} file={path},line={line},title={title}::{message}\n")
}

/// Returns a SARIF log with one run.
pub(crate) fn sarif(conflicts: &[Conflict], problems: &[Problem], warnings: &[Problem]) -> Value {
    let level = |severity: Severity| match severity {
        Severity::Critical => "error",
        Severity::Warning => "warning",
        Severity::Information => "note",
    };
    let mut rules: Vec<Value> = ConflictKind::ALL
        .iter()
        .map(|kind| json!({"id": kind.name(), "shortDescription": {"text": kind.description()}}))
        .collect();
    rules.push(json!({"id": PROBLEM_RULE, "shortDescription": {"text": "A document, or a part of it, cannot be read."}}));
    if !warnings.is_empty() {
        let about = "A document lacks front matter that its kind needs.";
        rules.push(json!({"id": WARNING_RULE, "shortDescription": {"text": about}}));
    }
    let results: Vec<Value> = conflicts
        .iter()
        .map(|conflict| {
            result(
                conflict.kind.name(),
                level(conflict.severity),
                &Hint::text(&conflict.message).then(" (").then_hint(&conflict.hint).then(")"),
                &conflict.path,
                conflict.line,
            )
        })
        .chain(problems.iter().map(|problem| {
            let message = Hint::text(&problem.message);
            result(PROBLEM_RULE, "error", &message, &problem.path, problem.line)
        }))
        .chain(warnings.iter().map(|warning| {
            let message = Hint::text(&warning.message);
            result(WARNING_RULE, "warning", &message, &warning.path, warning.line)
        }))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "heir", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(rule: &str, level: &str, message: &Hint, path: &str, line: usize) -> Value {
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(path)}, "region": {"startLine": line.max(1)}}}],
    })
}

/// Percent-encodes a relative path as a URI.
fn uri(path: &str) -> String {
    path.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
