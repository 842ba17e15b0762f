//! Texts of new documents. Changing a placeholder text makes existing unedited documents look edited: see
//! `template`.

use heirloom_core::name;
use heirloom_core::plan::PlanStatus;
use heirloom_core::yaml::{YamlStyle, write_inline};
use jiff::civil::Date;
use serde_json::json;

use super::input_checks::check_title;
use crate::Error;

/// Writes a text as a YAML scalar.
fn yaml_scalar(text: &str) -> String {
    write_inline(&json!(text), YamlStyle::Plain)
}

/// Refuses a name that cannot be a file name.
pub(crate) fn safe_name<'n>(what: &str, name: &'n str) -> Result<&'n str, Error> {
    match name::unsafe_reason(name) {
        None => Ok(name),
        Some(reason) => Err(Error::bad_input(format!(
            "`{}` cannot name a new {what}: {reason}",
            name.escape_default()
        ))),
    }
}

/// Returns the next free number: after `0041-x` comes `0042`.
pub(crate) fn next_number<'n>(
    names: impl Iterator<Item = &'n str>,
    width: usize,
    first: u32,
) -> String {
    let highest = names.filter_map(name::plan_number).max();
    format!("{:0width$}", highest.map_or(first, |highest| highest + 1))
}

/// Joins a typed title into one line, because a heading or a table row cannot contain line breaks.
pub(crate) fn one_line(what: &str, typed: &str) -> Result<String, Error> {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let lines = typed.split(is_break).map(str::trim).filter(|line| !line.is_empty());
    let title = lines.collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(Error::bad_input(format!("a new {what} needs a title"))
            .hint("describe it in a few words"));
    }
    check_title(&title)?;
    Ok(title)
}

/// Returns the slug of a title for a file name. A title without letters and digits, such as an emoji, is
/// replaced by the kind of document.
fn file_slug(what: &str, title: &str) -> String {
    let slug = name::slug(title);
    if slug.is_empty() { name::slug(what) } else { slug }
}

/// Splits a typed name into an explicit number and its title: `0042-knowledge-graph` and
/// `0042 Knowledge graph` have the number 42. `2026 goals` is a title that starts with a number.
fn split_number(typed: &str) -> Option<(&str, &str)> {
    let digits = name::leading_number(typed)?;
    let rest = &typed[digits.len()..];
    let is_padded = digits.len() > 1 && digits.starts_with('0');
    let is_file_name = !typed.contains(char::is_whitespace)
        && rest.starts_with(['-', '_'])
        && name::unsafe_reason(typed).is_none();
    let is_number =
        !rest.is_empty() && digits.len() <= name::MAX_NUMBER_DIGITS && (is_padded || is_file_name);
    is_number.then_some((digits, rest.trim_start_matches(['-', '_', ' ', '.', ':'])))
}

/// Returns the name of a new numbered document: with the number that was typed, or else the next one.
pub(crate) fn numbered_name(
    what: &str,
    title: &str,
    existing_names: &[String],
    width: usize,
    first: u32,
) -> Result<String, Error> {
    let name = match split_number(title) {
        Some((digits, rest)) => format!("{digits}-{}", file_slug(what, rest)),
        None => {
            let number = next_number(existing_names.iter().map(String::as_str), width, first);
            format!("{number}-{}", file_slug(what, title))
        }
    };
    safe_name(what, &name).map(str::to_owned)
}

/// Returns the title of a typed name: `Knowledge graph` for `0042-knowledge-graph`.
pub(crate) fn title_of(typed: &str) -> String {
    match split_number(typed) {
        Some((_, "")) | None => typed.to_owned(),
        Some((_, rest)) if rest.contains(' ') => crate::view::present::capitalise(rest),
        Some((_, rest)) => crate::view::present::capitalise(&rest.replace(['-', '_'], " ")),
    }
}

/// Returns the text of `workspace.md`.
pub(crate) fn workspace(name: &str, today: Date) -> String {
    format!(
        "---\nname: {}\ntype: workspace\ncreated: {today}\nupdated: {today}\n---\n\n# Workspace: {name}\n\n## Mission\n\nWhat this workspace is for, in a sentence or two.\n\n## Principles\n\n- What every agent should hold to, whatever it works on.\n\n## Defaults\n\nProjects, plans and agents inherit these and may override them:\n\n```yaml\ndefaults: {{}}\n```\n",
        yaml_scalar(name)
    )
}

/// Returns the text of a document in the `context/` folder.
pub(crate) fn context(file: &str, title: &str, about: &str, today: Date) -> String {
    format!(
        "---\nname: {file}\ntype: context\ncreated: {today}\nupdated: {today}\n---\n\n# {title}\n\n{about}\n"
    )
}

/// Returns the text of a project's document.
pub(crate) fn project(title: &str, description: Option<&str>, today: Date) -> String {
    let about = description
        .unwrap_or("What this project is to achieve, and how you will know that it has.");
    let described =
        description.map(|text| format!("description: {}\n", yaml_scalar(text))).unwrap_or_default();
    format!(
        "---\nname: {}\ntype: project\n{described}status: active\ncreated: {today}\nupdated: {today}\n---\n\n# Project: {title}\n\n## Goals\n\n{about}\n\n## Constraints\n\n- Technology, compatibility and conventions that every plan of this project keeps.\n",
        yaml_scalar(title)
    )
}

/// Returns the text of a plan's document.
pub(crate) fn plan(
    title: &str,
    project: Option<&str>,
    description: Option<&str>,
    today: Date,
) -> String {
    let about = description.unwrap_or("What this plan delivers, and what it leaves alone.");
    let project =
        project.map(|name| format!("project: {}\n", yaml_scalar(name))).unwrap_or_default();
    let status = PlanStatus::New.as_str();
    format!(
        "---\ntitle: {}\ntype: plan\nstatus: {status}\n{project}created: {today}\nupdated: {today}\n---\n\n# {title}\n\n## Scope\n\n{about}\n\n## Decisions\n\n## Open questions\n",
        yaml_scalar(title)
    )
}

/// Returns the text of an agent's document.
pub(crate) fn agent(title: &str, plan: &str, description: Option<&str>, today: Date) -> String {
    let about = description.unwrap_or("What this agent is to do, and when it is done.");
    format!(
        "---\ntitle: {}\ntype: agent\nplan: {}\nstatus: open\ncreated: {today}\nupdated: {today}\n---\n\n# {title}\n\n## Task\n\n{about}\n",
        yaml_scalar(title),
        yaml_scalar(plan)
    )
}

/// The placeholder of the section *Decision* of a new decision record.
pub(crate) const DECISION_PLACEHOLDER: &str = "What was decided.";

/// The placeholder of its section *Context*.
pub(crate) const CONTEXT_PLACEHOLDER: &str = "What made a decision necessary.";

/// The placeholder of its section *Consequences*.
pub(crate) const CONSEQUENCES_PLACEHOLDER: &str = "What becomes easier, and what harder.";

/// Returns the text of a decision record.
pub(crate) fn adr(id: &str, title: &str, status: &str, today: Date) -> String {
    format!(
        "---\ntitle: {}\ntype: adr\nstatus: {status}\ncreated: {today}\nupdated: {today}\nsupersedes: []\nsuperseded_by: null\n---\n\n# {id}: {title}\n\n## Context\n\n{CONTEXT_PLACEHOLDER}\n\n## Decision\n\n{DECISION_PLACEHOLDER}\n\n## Consequences\n\n{CONSEQUENCES_PLACEHOLDER}\n",
        yaml_scalar(title)
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use heirloom_core::Document;
    use heirloom_core::plan::{DocumentKind, check_front_matter};
    use jiff::civil::date;

    #[test]
    fn every_scaffold_parses_without_a_problem() {
        let today = date(2026, 2, 22);
        let long = "word ".repeat(60);
        for title in [
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
                workspace(title, today),
                context("brand", title, "x", today),
                project(title, Some(title), today),
                plan(title, Some(title), None, today),
                agent(title, title, None, today),
                adr("ADR-0001", title, "proposed", today),
            ] {
                let document = Document::parse("x.md", &text);
                assert_eq!(document.problems, [], "{text}");
                assert_eq!(
                    document
                        .field("title")
                        .or(document.field("name"))
                        .filter(|name| *name != "brand")
                        .unwrap_or(title),
                    title
                );
            }
        }
    }

    #[test]
    fn a_new_plan_has_a_status_of_plans() {
        let text = plan("Refunds", None, None, date(2026, 2, 22));
        let document = Document::parse("x.md", &text);
        assert_eq!(document.field("status"), Some("new"));
        assert_eq!(check_front_matter(&document, DocumentKind::Plan).invalid, []);
    }

    #[test]
    fn any_title_becomes_a_safe_file_name() {
        let plan = |title: &str| numbered_name("plan", title, &["0041-a".into()], 4, 1).unwrap();
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
    fn the_next_number_follows_the_highest() {
        assert_eq!(next_number(["0041-a", "0007-b", "notes"].into_iter(), 4, 1), "0042");
        assert_eq!(next_number([].into_iter(), 3, 0), "000");
        assert_eq!(next_number(["20201016-x"].into_iter(), 4, 1), "0001");
    }
}
