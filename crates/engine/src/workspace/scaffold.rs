//! New documents, in the shape that validates.

use heirloom_core::name;
use heirloom_core::yaml::{Style, write_scalar};
use jiff::civil::Date;
use serde_json::json;

use crate::Error;

/// Writes a text as a YAML value that reads back as the same text.
fn quoted(text: &str) -> String {
    write_scalar(&json!(text), Style::Plain)
}

/// Refuses a name that cannot be a file's.
pub(crate) fn safe_name<'n>(what: &str, name: &'n str) -> Result<&'n str, Error> {
    match name::unsafe_reason(name) {
        None => Ok(name),
        Some(reason) => Err(Error::bad_input(format!(
            "`{}` cannot name a new {what}: {reason}",
            name.escape_default()
        ))),
    }
}

/// Returns the next free number in front of a name: after `0041-x` comes `0042`.
pub(crate) fn next_number<'n>(
    names: impl Iterator<Item = &'n str>,
    width: usize,
    first: u32,
) -> String {
    let highest = names
        .filter_map(name::leading_number)
        .filter(|digits| digits.len() <= NUMBER_MAX_DIGITS)
        .filter_map(|digits| digits.parse::<u32>().ok())
        .max();
    format!("{:0width$}", highest.map_or(first, |highest| highest + 1))
}

/// Longest number that is taken for one: a longer run of digits is a date or an id.
const NUMBER_MAX_DIGITS: usize = 6;

/// Returns a typed title as one line, which is all that a heading or a row of a table can hold.
pub(crate) fn one_line(what: &str, typed: &str) -> Result<String, Error> {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let lines = typed.split(is_break).map(str::trim).filter(|line| !line.is_empty());
    let title = lines.collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(Error::bad_input(format!("a new {what} needs a title"))
            .hint("say in a few words what it is about"));
    }
    Ok(title)
}

/// Returns the words of a file name for a title. Any text is a title; one without letters and
/// digits, such as an emoji, gets the name of what it is.
pub(crate) fn file_words(what: &str, title: &str) -> String {
    let slug = name::slug(title);
    if slug.is_empty() { name::slug(what) } else { slug }
}

/// Splits a typed name into the number that it asks for and its title: `0042-knowledge-graph` and
/// `0042 Knowledge graph` ask for 42. `2026 goals` is a title that starts with a number.
fn asked_number(typed: &str) -> Option<(&str, &str)> {
    let digits = name::leading_number(typed)?;
    let rest = &typed[digits.len()..];
    let is_padded = digits.len() > 1 && digits.starts_with('0');
    let is_file_name = !typed.contains(char::is_whitespace)
        && rest.starts_with(['-', '_'])
        && name::unsafe_reason(typed).is_none();
    let asks = !rest.is_empty() && digits.len() <= NUMBER_MAX_DIGITS && (is_padded || is_file_name);
    asks.then_some((digits, rest.trim_start_matches(['-', '_', ' ', '.', ':'])))
}

/// Returns the name for a new numbered thing: as typed if it has a number, else with the next one.
pub(crate) fn numbered(
    what: &str,
    title: &str,
    taken: &[String],
    width: usize,
    first: u32,
) -> Result<String, Error> {
    let name = match asked_number(title) {
        Some((digits, rest)) => format!("{digits}-{}", file_words(what, rest)),
        None => {
            let number = next_number(taken.iter().map(String::as_str), width, first);
            format!("{number}-{}", file_words(what, title))
        }
    };
    safe_name(what, &name).map(str::to_owned)
}

/// Returns the title in a typed name: `0042-knowledge-graph` is `Knowledge graph`.
pub(crate) fn title_of(typed: &str) -> String {
    match asked_number(typed) {
        Some((_, "")) | None => typed.to_owned(),
        Some((_, rest)) if rest.contains(' ') => crate::view::present::capitalised(rest),
        Some((_, rest)) => crate::view::present::capitalised(&rest.replace(['-', '_'], " ")),
    }
}

/// A workspace's document.
pub(crate) fn workspace(name: &str, today: Date) -> String {
    format!(
        "---\nname: {}\ntype: workspace\ncreated: {today}\nupdated: {today}\n---\n\n# Workspace: {name}\n\n## Mission\n\nWhat this workspace is for, in a sentence or two.\n\n## Principles\n\n- What every agent should hold to, whatever it works on.\n\n## Defaults\n\nProjects, plans and agents inherit these and may override them:\n\n```yaml\ndefaults: {{}}\n```\n",
        quoted(name)
    )
}

/// A document of the workspace's `context/` folder.
pub(crate) fn context(file: &str, title: &str, about: &str, today: Date) -> String {
    format!(
        "---\nname: {file}\ntype: context\ncreated: {today}\nupdated: {today}\n---\n\n# {title}\n\n{about}\n"
    )
}

/// A project's document.
pub(crate) fn project(title: &str, description: Option<&str>, today: Date) -> String {
    let about = description
        .unwrap_or("What this project is to achieve, and how you will know that it has.");
    let described =
        description.map(|text| format!("description: {}\n", quoted(text))).unwrap_or_default();
    format!(
        "---\nname: {}\ntype: project\n{described}status: active\ncreated: {today}\nupdated: {today}\n---\n\n# Project: {title}\n\n## Goals\n\n{about}\n\n## Constraints\n\n- Technology, compatibility and conventions that every plan of this project keeps.\n",
        quoted(title)
    )
}

/// A plan's document.
pub(crate) fn plan(
    title: &str,
    project: Option<&str>,
    description: Option<&str>,
    today: Date,
) -> String {
    let about = description.unwrap_or("What this plan delivers, and what it leaves alone.");
    let project = project.map(|name| format!("project: {}\n", quoted(name))).unwrap_or_default();
    format!(
        "---\ntitle: {}\ntype: plan\nstatus: draft\n{project}created: {today}\nupdated: {today}\n---\n\n# {title}\n\n## Scope\n\n{about}\n\n## Decisions\n\n## Open questions\n",
        quoted(title)
    )
}

/// An agent's document.
pub(crate) fn agent(title: &str, plan: &str, description: Option<&str>, today: Date) -> String {
    let about = description.unwrap_or("What this agent is to do, and when it is done.");
    format!(
        "---\ntitle: {}\ntype: agent\nplan: {}\nstatus: open\ncreated: {today}\nupdated: {today}\n---\n\n# {title}\n\n## Task\n\n{about}\n",
        quoted(title),
        quoted(plan)
    )
}

/// What stands in a new decision record until somebody writes the decision.
pub(crate) const UNDECIDED: &str = "What was decided.";

/// What stands under its heading *Context* until then.
pub(crate) const WHY: &str = "What made a decision necessary.";

/// What stands under its heading *Consequences* until then.
pub(crate) const OUTCOME: &str = "What becomes easier, and what harder.";

/// A decision record.
pub(crate) fn adr(id: &str, title: &str, status: &str, today: Date) -> String {
    format!(
        "---\ntitle: {}\ntype: adr\nstatus: {status}\ncreated: {today}\nupdated: {today}\nsupersedes: []\nsuperseded_by: null\n---\n\n# {id}: {title}\n\n## Context\n\n{WHY}\n\n## Decision\n\n{UNDECIDED}\n\n## Consequences\n\n{OUTCOME}\n",
        quoted(title)
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use heirloom_core::Document;
    use jiff::civil::date;

    #[test]
    fn every_scaffold_parses_without_a_problem() {
        let today = date(2026, 2, 22);
        let long = "word ".repeat(60);
        for hostile in [
            "it's: a \"title\" # with [all] {of} it: yes",
            "CI/CD",
            "🚀",
            "日本語",
            "--- x",
            "- x",
            "true",
            "0042",
            "?",
            "<!-- x",
            long.trim(),
        ] {
            for text in [
                workspace(hostile, today),
                context("brand", hostile, "x", today),
                project(hostile, Some(hostile), today),
                plan(hostile, Some(hostile), None, today),
                agent(hostile, hostile, None, today),
                adr("ADR-0001", hostile, "proposed", today),
            ] {
                let document = Document::parse("x.md", &text);
                assert_eq!(document.problems, [], "{text}");
                assert_eq!(
                    document
                        .field("title")
                        .or(document.field("name"))
                        .filter(|name| *name != "brand")
                        .unwrap_or(hostile),
                    hostile
                );
            }
        }
    }

    #[test]
    fn any_text_is_a_title_and_becomes_a_file_name() {
        let plan = |title: &str| numbered("plan", title, &["0041-a".into()], 4, 1).unwrap();
        for (title, name) in [
            ("CI/CD pipeline", "0042-ci-cd-pipeline"),
            ("../../evil", "0042-evil"),
            ("con", "0042-con"),
            ("🚀", "0042-plan"),
            ("?!", "0042-plan"),
            ("日本語のタイトル", "0042-日本語のタイトル"),
            ("2026 goals", "0042-2026-goals"),
            ("3-tier architecture", "0042-3-tier-architecture"),
            ("0007-auth", "0007-auth"),
            ("0007 Auth", "0007-auth"),
            ("0007-", "0007-plan"),
            ("20260101-notes", "0042-20260101-notes"),
        ] {
            assert_eq!(plan(title), name, "{title}");
        }
        assert!(plan(&"long ".repeat(60)).len() < 80);
        assert_eq!(
            ["CI/CD", "0042-knowledge-graph", "0042 CI/CD now", "2026 goals"].map(title_of),
            ["CI/CD", "Knowledge graph", "CI/CD now", "2026 goals"]
        );
        assert_eq!(one_line("plan", " a\r\nb\u{0}\u{2028}c ").unwrap(), "a b c");
        assert!(one_line("plan", " \n\u{7}").is_err());
    }

    #[test]
    fn numbers_go_on() {
        assert_eq!(next_number(["0041-a", "0007-b", "notes"].into_iter(), 4, 1), "0042");
        assert_eq!(next_number([].into_iter(), 3, 0), "000");
        assert_eq!(next_number(["20201016-x"].into_iter(), 4, 1), "0001");
    }
}
