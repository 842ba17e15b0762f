//! Derives missing front matter from the text and the name of a document. Nothing is made up: what a document does not say
//! stays missing.

use jiff::civil::Date;

use super::stated::{is_statement, plain_text, prose_lines, stated_value};
use super::{DocumentKind, PlanStatus};
use crate::document::DocumentSection;
use crate::{Document, Value, day, path, prose};

/// The dates of a document that its text does not state.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownDates {
    /// The day of the commit that added it.
    pub added: Option<Date>,
}

/// The longest description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// The most tags that are taken from a text.
const MAX_TAGS: usize = 12;

/// The longest tag, in characters.
const MAX_TAG_CHARS: usize = 40;

/// Returns the keys that the front matter of a document lacks and that its text, its name or its history tell, in the order
/// in which they are written.
pub fn missing_fields(
    document: &Document,
    kind: DocumentKind,
    dates: &KnownDates,
) -> Vec<(&'static str, Value)> {
    let sections = document.sections();
    let derive = |key: &'static str| -> Option<Value> {
        match key {
            "name" => name(document).map(Value::String),
            "description" => description(&sections).map(Value::String),
            "status" => status(&sections).map(|status| status.as_str().into()),
            "created" => created(document, &sections, dates).map(|date| date.to_string().into()),
            "tags" => tags(&sections).map(Value::from),
            _ => None,
        }
    };
    let keys = kind.required_keys().iter().copied().chain(["tags"]);
    let is_absent = |key: &&str| matches!(document.fields.get(*key), None | Some(Value::Null));
    keys.filter(is_absent).filter_map(|key| Some((key, derive(key)?))).collect()
}

/// Returns the title, without a mark of the status at its end; without a title the name of the file in words.
fn name(document: &Document) -> Option<String> {
    let title = document.field("title").map(str::to_owned).or_else(|| {
        let top = document.headings.iter().find(|heading| heading.level == 1);
        top.or(document.headings.first()).map(|heading| without_status(&heading.text).to_owned())
    });
    let title = title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
    title.or_else(|| name_of_file(&document.path))
}

fn name_of_file(path: &str) -> Option<String> {
    let stem = path::stem(path);
    let name = match stem.eq_ignore_ascii_case("overview") {
        true => path::file_name(path::folder(path)),
        false => stem.trim_start_matches(|c: char| c.is_ascii_digit()),
    };
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.trim().chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// Removes `[DONE]`, `(completed)` or `✅` from the end of a heading.
fn without_status(heading: &str) -> &str {
    let heading = heading.trim();
    let bare = heading.trim_end_matches(['✅', '🚧', '❌', '\u{fe0f}', ' ']);
    let start = bare.rfind(['[', '(']).unwrap_or(bare.len());
    let is_status = bare.ends_with([']', ')']) && PlanStatus::from_word(&bare[start..]).is_some();
    let title = if is_status { bare[..start].trim_end() } else { bare };
    if title.is_empty() { heading } else { title }
}

/// Returns the beginning of the first paragraph of prose: whole sentences.
fn description(sections: &[DocumentSection<'_>]) -> Option<String> {
    sections.iter().find_map(|section| {
        let lines: Vec<&str> = prose_lines(section).collect();
        let mut paragraphs = lines.split(|line| line.trim().is_empty());
        paragraphs.find_map(|paragraph| {
            let lines = paragraph.iter().copied().filter(|line| !is_statement(line));
            let lines: Vec<&str> = lines.collect();
            let is_prose = lines.first().is_some_and(|line| is_prose(line));
            let text = plain_text(&lines.join(" "));
            (is_prose && text.contains(' ')).then(|| first_sentences(&text))
        })
    })
}

/// Returns whether a line begins a paragraph of prose: not a list, a quote, a table, a picture or a comment.
fn is_prose(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with(['|', '>', '<', '!', '=', '#'])
        && !line.starts_with("---")
        && !line.starts_with("***")
        && !prose::is_list_item(line)
}

/// Returns the first sentences of a text: at most two, and at most [`MAX_DESCRIPTION_CHARS`] characters.
fn first_sentences(text: &str) -> String {
    let sentences = prose::split_sentences(text);
    let two = sentences.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    let shown = if two.chars().count() <= MAX_DESCRIPTION_CHARS {
        two.as_str()
    } else {
        sentences.first().copied().unwrap_or(text)
    };
    prose::truncate(shown, MAX_DESCRIPTION_CHARS)
}

/// Returns the status that a document states, else the one that its title is marked with, else the one that its checkboxes
/// show.
fn status(sections: &[DocumentSection<'_>]) -> Option<PlanStatus> {
    let stated = stated_value(sections, &["status", "state"]);
    if let Some(status) = stated.as_deref().and_then(status_at_start) {
        return Some(status);
    }
    marked_title(sections).or_else(|| checkbox_status(sections))
}

/// Returns the status that a value begins with: `Done (2026-02-09)` and `In progress, see below`.
fn status_at_start(value: &str) -> Option<PlanStatus> {
    let end = value.find(['(', ',', ';', '.', '|', '–', '—']).unwrap_or(value.len());
    let first = value[..end].split(" - ").next().unwrap_or_default();
    PlanStatus::from_word(first)
}

fn marked_title(sections: &[DocumentSection<'_>]) -> Option<PlanStatus> {
    let title = sections.iter().find_map(|section| section.heading)?;
    let text = title.text.trim();
    let start = text.rfind(['[', '(']).unwrap_or(text.len());
    match () {
        () if text.contains('✅') => Some(PlanStatus::Done),
        () if text.contains('🚧') => Some(PlanStatus::InProgress),
        () if text.contains('❌') => Some(PlanStatus::Abandoned),
        () => PlanStatus::from_word(&text[start..]).filter(|_| start < text.len()),
    }
}

fn checkbox_status(sections: &[DocumentSection<'_>]) -> Option<PlanStatus> {
    let boxes = sections.iter().flat_map(prose_lines).filter_map(checkbox);
    let (mut done, mut open) = (0, 0);
    for is_checked in boxes {
        *(if is_checked { &mut done } else { &mut open }) += 1;
    }
    match (done, open) {
        (0, 0) => None,
        (0, _) => Some(PlanStatus::New),
        (_, 0) => Some(PlanStatus::Done),
        _ => Some(PlanStatus::Partial),
    }
}

/// Returns whether the checkbox of a line is checked; `None` if it has none.
fn checkbox(line: &str) -> Option<bool> {
    let line = line.trim_start();
    let rest = prose::is_list_item(line).then(|| line.split_once(' '))??.1.trim_start();
    match rest.get(..3)? {
        "[ ]" => Some(false),
        "[x]" | "[X]" => Some(true),
        _ => None,
    }
}

/// Returns the day in the name of the file, else the one that the document states, else that of the commit that added it.
fn created(
    document: &Document,
    sections: &[DocumentSection<'_>],
    dates: &KnownDates,
) -> Option<Date> {
    let stated = || {
        let value = stated_value(sections, &["created", "createdat", "createdon", "date"])?;
        value.split(|c: char| c.is_whitespace() || c == ',').find_map(day::parse)
    };
    date_in_name(path::stem(&document.path)).or_else(stated).or(dates.added)
}

/// Returns the day that a name begins with: `260208-x`, `20260208-x` or `2026-02-08-x`.
pub fn date_in_name(name: &str) -> Option<Date> {
    if let Some(date) = name.get(..10).and_then(|start| start.parse::<Date>().ok()) {
        return Some(date).filter(|_| !name[10..].starts_with(|c: char| c.is_alphanumeric()));
    }
    let digits: &str = &name[..name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len())];
    let (year, rest) = match digits.len() {
        6 => (2000 + digits[..2].parse::<i16>().ok()?, &digits[2..]),
        8 => (digits[..4].parse().ok()?, &digits[4..]),
        _ => return None,
    };
    let is_year = (1990..2100).contains(&year);
    Date::new(year, rest[..2].parse().ok()?, rest[2..].parse().ok()?).ok().filter(|_| is_year)
}

/// Returns the tags that a document states: `**Tags:** a, b`, `Keywords: #a #b`.
fn tags(sections: &[DocumentSection<'_>]) -> Option<Vec<String>> {
    let stated = stated_value(sections, &["tags", "tag", "labels", "keywords", "topics"])?;
    let separator = if stated.contains(',') {
        ','
    } else if stated.contains('#') {
        ' '
    } else {
        ','
    };
    let mut tags: Vec<String> = Vec::new();
    for tag in stated.split(separator) {
        let tag = tag.trim_matches(|c: char| c.is_whitespace() || "#[]\"'".contains(c));
        let is_tag = !tag.is_empty() && tag.chars().count() <= MAX_TAG_CHARS;
        if is_tag && !tags.iter().any(|other| other == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags.truncate(MAX_TAGS);
    (!tags.is_empty()).then_some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use serde_json::{Map, json};

    fn derive(path: &str, text: &str) -> Value {
        let document = Document::parse(path, text);
        let fields = missing_fields(&document, DocumentKind::Plan, &KnownDates::default());
        Value::Object(
            fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
        )
    }

    #[test]
    fn a_plan_without_front_matter_tells_its_fields() {
        let text = "# Workflow engine ✅\n\n**Status:** In progress (since May)\n**Tags:** `workflow`, engine\n\nBuild a workflow engine. It runs graphs of tasks. More later.\n\n- [x] a\n";
        assert_eq!(
            derive("_plans/260208-workflow-engine.md", text),
            json!({
                "name": "Workflow engine",
                "description": "Build a workflow engine. It runs graphs of tasks.",
                "status": "in_progress",
                "created": "2026-02-08",
                "tags": ["workflow", "engine"],
            })
        );
    }

    #[test]
    fn what_a_document_does_not_tell_stays_missing() {
        assert_eq!(derive("a/OVERVIEW.md", ""), json!({"name": "A"}));
        assert_eq!(derive("notes.md", "- a list\n"), json!({"name": "Notes"}));
        let complete = "---\nname: A\ndescription: B\nstatus: odd\ncreated: 2026-01-01\n---\n# C\n\n**Status:** done\n";
        assert_eq!(derive("p.md", complete), json!({}));
    }

    #[test]
    fn the_status_is_stated_or_marked_or_shown_by_checkboxes() {
        let status = |text: &str| derive("p.md", text)["status"].as_str().map(str::to_owned);
        for (text, expected) in [
            ("# A [DONE]\n", Some("done")),
            ("# A (abandoned)\n", Some("abandoned")),
            ("# ✅ A\n", Some("done")),
            ("# A\n\n## Status\n\n🚧 WIP\n", Some("in_progress")),
            ("# A\n\n- [x] one\n- [X] two\n", Some("done")),
            ("# A\n\n1. [ ] one\n", Some("new")),
            ("# A\n\n* [x] one\n  - [ ] two\n", Some("partial")),
            ("# A\n\n```\n- [x] one\n```\n", None),
            ("# A (see B)\n\nText.\n", None),
            ("# A\n\n**Status:** blocked by B\n", None),
        ] {
            assert_eq!(status(text).as_deref(), expected, "{text}");
        }
        assert_eq!(derive("p.md", "# A [DONE]\n")["name"], "A");
        assert_eq!(derive("p.md", "# A (see B)\n")["name"], "A (see B)");
    }

    #[test]
    fn a_name_may_begin_with_a_date() {
        for (name, expected) in [
            ("260208-x", Some(date(2026, 2, 8))),
            ("20260208-x", Some(date(2026, 2, 8))),
            ("2026-02-08-x", Some(date(2026, 2, 8))),
            ("261308-x", None),
            ("0042-x", None),
            ("x-260208", None),
            ("日本語日本語", None),
        ] {
            assert_eq!(date_in_name(name), expected, "{name}");
        }
    }
}
