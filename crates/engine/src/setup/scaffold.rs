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
pub fn safe_name<'n>(what: &str, name: &'n str) -> Result<&'n str, Error> {
    match name::unsafe_reason(name) {
        None => Ok(name),
        Some(reason) => Err(Error::bad_input(format!(
            "`{}` cannot name a new {what}: {reason}",
            name.escape_default()
        ))),
    }
}

/// Returns the next free number in front of a name: after `0041-x` comes `0042`.
pub fn next_number<'n>(names: impl Iterator<Item = &'n str>, width: usize, first: u32) -> String {
    let highest = names
        .filter_map(name::leading_number)
        .filter(|digits| digits.len() <= 6)
        .filter_map(|digits| digits.parse::<u32>().ok())
        .max();
    format!("{:0width$}", highest.map_or(first, |highest| highest + 1))
}

fn unusable(what: &str, typed: &str) -> Error {
    let typed = typed.escape_default();
    Error::bad_input(format!(
        "`{typed}` cannot name a new {what}: it has no letters or digits, or holds a path separator"
    ))
}

/// Turns a title into a file name, or refuses it.
pub fn slug_of(what: &str, title: &str) -> Result<String, Error> {
    let slug = name::slug(title);
    if slug.is_empty() || title.contains(['\0', '/', '\\']) {
        return Err(unusable(what, title));
    }
    safe_name(what, &slug).map(str::to_owned)
}

/// Returns the name for a new numbered thing: as typed if it has a number, else with the next one.
pub fn numbered(
    what: &str,
    typed: &str,
    taken: &[String],
    width: usize,
    first: u32,
) -> Result<String, Error> {
    let typed = typed.trim();
    if let Some(digits) = name::leading_number(typed).filter(|digits| digits.len() < typed.len()) {
        let rest = slug_of(what, &typed[digits.len()..]).map_err(|_| unusable(what, typed))?;
        return Ok(format!("{digits}-{rest}"));
    }
    Ok(format!(
        "{}-{}",
        next_number(taken.iter().map(String::as_str), width, first),
        slug_of(what, typed)?
    ))
}

/// Returns the title in a typed name: `0042-knowledge-graph` is `Knowledge graph`.
pub fn title_of(typed: &str) -> String {
    let typed = typed.trim();
    let Some(digits) = name::leading_number(typed).filter(|digits| digits.len() < typed.len())
    else {
        return typed.to_owned();
    };
    let rest = typed[digits.len()..].trim_start_matches(['-', '_', ' ', '.', ':']);
    let words = if rest.contains(' ') { rest.to_owned() } else { rest.replace(['-', '_'], " ") };
    crate::present::capitalised(&words)
}

/// A workspace's document.
pub fn workspace(name: &str, today: Date) -> String {
    format!(
        "---\nname: {}\ntype: workspace\ncreated: {today}\nupdated: {today}\n---\n\n# Workspace: {name}\n\n## Mission\n\nWhat this workspace is for, in a sentence or two.\n\n## Principles\n\n- What every agent should hold to, whatever it works on.\n\n## Defaults\n\nProjects, plans and agents inherit these and may override them:\n\n```yaml\ndefaults: {{}}\n```\n",
        quoted(name)
    )
}

/// A document of the workspace's `context/` folder.
pub fn context(file: &str, title: &str, about: &str, today: Date) -> String {
    format!(
        "---\nname: {file}\ntype: context\ncreated: {today}\nupdated: {today}\n---\n\n# {title}\n\n{about}\n"
    )
}

/// A project's document.
pub fn project(title: &str, description: Option<&str>, today: Date) -> String {
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
pub fn plan(title: &str, project: Option<&str>, description: Option<&str>, today: Date) -> String {
    let about = description.unwrap_or("What this plan delivers, and what it leaves alone.");
    let project = project.map(|name| format!("project: {}\n", quoted(name))).unwrap_or_default();
    format!(
        "---\ntitle: {}\ntype: plan\nstatus: draft\n{project}created: {today}\nupdated: {today}\n---\n\n# {title}\n\n## Scope\n\n{about}\n\n## Decisions\n\n## Open questions\n",
        quoted(title)
    )
}

/// An agent's document.
pub fn agent(title: &str, plan: &str, description: Option<&str>, today: Date) -> String {
    let about = description.unwrap_or("What this agent is to do, and when it is done.");
    format!(
        "---\ntitle: {}\ntype: agent\nplan: {}\nstatus: open\ncreated: {today}\nupdated: {today}\n---\n\n# {title}\n\n## Task\n\n{about}\n",
        quoted(title),
        quoted(plan)
    )
}

/// Returns a document of each sort as it is new.
pub(crate) fn samples() -> Vec<String> {
    let day = Date::ZERO;
    let mut samples = vec![
        workspace("x", day),
        project("x", None, day),
        plan("x", None, None, day),
        agent("x", "x", None, day),
        adr("x", "x", "proposed", day),
    ];
    let contexts = super::init::CONTEXT_FILES.iter();
    samples.extend(contexts.map(|(file, title, about)| context(file, title, about, day)));
    samples
}

/// What stands in a new decision record until somebody writes the decision.
pub const UNDECIDED: &str = "What was decided.";

/// A decision record.
pub fn adr(id: &str, title: &str, status: &str, today: Date) -> String {
    format!(
        "---\ntitle: {}\ntype: adr\nstatus: {status}\ncreated: {today}\nupdated: {today}\nsupersedes: []\nsuperseded_by: null\n---\n\n# {id}: {title}\n\n## Context\n\nWhat made a decision necessary.\n\n## Decision\n\n{UNDECIDED}\n\n## Consequences\n\nWhat becomes easier, and what harder.\n",
        quoted(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use heirloom_core::Document;
    use jiff::civil::date;

    #[test]
    fn every_scaffold_parses_without_a_problem() {
        let today = date(2026, 2, 22);
        let hostile = "it's: a \"title\" # with [all] {of} it: yes";
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

    #[test]
    fn numbers_go_on() {
        assert_eq!(next_number(["0041-a", "0007-b", "notes"].into_iter(), 4, 1), "0042");
        assert_eq!(next_number([].into_iter(), 3, 0), "000");
        assert_eq!(next_number(["20201016-x"].into_iter(), 4, 1), "0001");
    }
}
