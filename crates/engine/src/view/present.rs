//! Parts of views that several operations share.

use heirloom_core::conflict::{self, Conflict, ConflictKind, Severity, Side};
use heirloom_core::staleness::{Freshness, Staleness};
use heirloom_core::{Hint, Problem, Value, staleness, transcript};

use crate::view::{Role, Span, View, span};

/// Formats a value on one line.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(self::value).collect::<Vec<_>>().join(", "))
        }
        other => conflict::format_value(other),
    }
}

/// The longest text, in characters, that is shown whole where the text is known to the reader.
const MAX_OPENING_CHARS: usize = 200;

/// Returns the first line of a text of several lines, or the first sentences of a very long one, for a reader who just
/// wrote it; any other text whole.
pub(crate) fn opening(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    if line.chars().count() > MAX_OPENING_CHARS {
        return transcript::excerpt(line, MAX_OPENING_CHARS);
    }
    if line.len() < text.len() { format!("{line} …") } else { line.to_owned() }
}

/// Formats a freshness: `fresh, 5 days`.
pub(crate) fn freshness(staleness: &Staleness) -> Span {
    let role = freshness_role(staleness.status);
    let word = freshness_word(staleness.status);
    match staleness.days_old {
        Some(1) => span(role, format!("{word}, 1 day")),
        Some(days) => span(role, format!("{word}, {days} days")),
        None => span(role, word),
    }
}

pub(crate) fn freshness_word(status: Freshness) -> &'static str {
    match status {
        Freshness::Fresh => "fresh",
        Freshness::Unknown => "unknown",
        Freshness::Warning => "warning",
        Freshness::Critical => "critical",
    }
}

pub(crate) fn freshness_role(status: Freshness) -> Role {
    match status {
        Freshness::Fresh => Role::Good,
        Freshness::Unknown | Freshness::Warning => Role::Warning,
        Freshness::Critical => Role::Bad,
    }
}

pub(crate) fn action(action: staleness::RecommendedAction) -> &'static str {
    match action {
        staleness::RecommendedAction::None => "",
        staleness::RecommendedAction::Review => "review",
        staleness::RecommendedAction::Archive => "archive",
    }
}

fn severity_role(severity: Severity) -> Role {
    match severity {
        Severity::Information => Role::Dim,
        Severity::Warning => Role::Warning,
        Severity::Critical => Role::Bad,
    }
}

/// Shows a conflict over several lines.
pub(crate) fn conflict(view: &mut View, conflict: &Conflict) {
    let role = severity_role(conflict.severity);
    let place = span(Role::Source, format!("   {}:{}", conflict.path, conflict.line));
    let mark = if conflict.severity == Severity::Information { "ℹ️" } else { "⚠️" };
    match (conflict.kind, conflict.sides.as_slice(), &conflict.key, &conflict.resolution) {
        (ConflictKind::DirectContradiction, [parent, child], Some(key), Some(resolution)) => {
            view.line([span(role, format!("{mark} CONFLICT: {key}"))]);
            let label = |side: &Side| side_label(side, parent.level == child.level);
            view.plain_line(format!("   {} says: {}", label(parent), value(&parent.value)));
            view.plain_line(format!(
                "   {} says: {} (override)",
                label(child),
                value(&child.value)
            ));
            view.plain_line(format!("   Resolution: {resolution}"));
        }
        _ => {
            view.line([span(
                role,
                format!(
                    "{mark} {}: {}",
                    conflict.kind.name().to_uppercase().replace('_', " "),
                    conflict.message
                ),
            )]);
        }
    }
    let severity = Hint::text(format!("  {} · ", conflict.severity.as_str()));
    view.line([place, span(Role::Dim, severity.then_hint(&conflict.hint))]);
}

/// Names a side of a conflict: `Workspace`, `Agent 001-schema`. Two unnamed documents of one level are
/// distinguished by their files.
fn side_label(side: &Side, is_level_shared: bool) -> String {
    let level = capitalise(&side.level);
    match &side.name {
        Some(name) => format!("{level} {name}"),
        None if is_level_shared => format!("{level} ({})", side.source),
        None => level,
    }
}

/// Shows problems, one per line.
pub(crate) fn problems(view: &mut View, problems: &[Problem]) {
    for problem in problems {
        view.line([span(Role::Bad, "⚠️ "), span(Role::Plain, problem.describe())]);
    }
}

pub(crate) fn capitalise(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Formats a number with its noun: `1 plan`, `2 plans`, `3 entries`, `4 days`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let stem = what.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number, stem) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {what}s"),
    }
}

/// Puts the article before a word: `a fact`, `an episode`.
pub(crate) fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// Formats a warning about decision records without a known status; `None` if there are none.
pub(crate) fn missing_status_warning(ids: &[String]) -> Option<String> {
    const MAX_LISTED: usize = 10;
    let (count, verb) = match ids.len() {
        0 => return None,
        1 => ("1 decision record".to_owned(), "states"),
        several => (format!("{several} decision records"), "state"),
    };
    let more = ids.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed = ids[..ids.len().min(MAX_LISTED)].join(", ");
    let are = if ids.len() == 1 { "it is" } else { "they are" };
    Some(format!(
        "{count} {verb} no known status, so {are} not counted as in force: {listed}{more}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opening_of_a_long_text_is_shown() {
        assert_eq!(opening(" Use pnpm. Always. "), "Use pnpm. Always.");
        assert_eq!(opening("Use pnpm.\r\nNot npm."), "Use pnpm. …");
        let long = format!("One sentence that is not so short after all. {}", "word ".repeat(100));
        let shown = opening(&long);
        assert!(shown.starts_with("One sentence") && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() <= MAX_OPENING_CHARS, "{shown}");
    }
}
