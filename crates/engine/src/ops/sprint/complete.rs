//! `sprint complete`: merges the results of a sprint into its progress and its knowledge.

use heirloom_core::hierarchy::{self, Selectors};
use heirloom_core::lines::detect_newline;
use heirloom_core::{Value, json, yaml};
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use crate::loading::LEARNINGS;
use crate::memory::WriteTransaction;
use crate::ops::answers::WrittenFiles;
use crate::ops::request_parts::InputData;
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SprintComplete;

/// The heading of what was learnt.
const LEARNINGS_HEADING: &str = "## Learnings";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Sprint.
    sprint: String,
    /// Results as a JSON object (or a text of JSON or YAML): each key is set in progress.json; `learnings`, a text or a
    /// list, is added to the knowledge of the sprint.
    results: InputData,
    /// Write it even if it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

impl Operation for SprintComplete {
    type Request = Request;
    type Response = WrittenFiles;
    const SPEC: Spec = Spec {
        name: "sprint_complete",
        usage: "sprint complete <sprint>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Complete a sprint: merge its results into progress.json and add what was learnt to its knowledge. Repeating it with the same results changes nothing.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenFiles, Error> {
        let results = results(request.results)?;
        let learnings = learnings(&results)?;
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let (_, sprints) = inherit::hierarchy(session.config()?, Some(hierarchy::SPRINTS))?;
        let level =
            sprints.level("sprint").ok_or_else(|| Error::bad_input("there are no sprints"))?;
        let sprint = layout::find_name(session.root(), level, &Selectors::new(), &request.sprint)?;
        let mut written = WrittenFiles::new("sprint", &sprint);

        let progress = format!(".memory/sprint/{sprint}/progress.json");
        let before = session.root().read(&progress)?;
        let after = merge_progress(&progress, before.as_deref(), &results)?;
        written.write(&mut transaction, progress, after)?;

        if !learnings.is_empty() {
            let selectors = Selectors::from_iter([("sprint".to_owned(), sprint.clone())]);
            let knowledge = level.memory.as_deref();
            let knowledge =
                knowledge.and_then(|pattern| hierarchy::expand_pattern(pattern, &selectors));
            let knowledge =
                knowledge.unwrap_or_else(|| format!(".memory/sprint/{sprint}/knowledge.md"));
            let before = session.root().read(&knowledge)?;
            let before = before.unwrap_or_else(|| format!("# Knowledge of {sprint}\n"));
            written.write(&mut transaction, knowledge, add_learnings(&before, &learnings))?;
        }
        transaction.commit()?;
        Ok(written)
    }
}

/// Returns the results as an object.
fn results(InputData(content): InputData) -> Result<Map<String, Value>, Error> {
    let refuse = |found: &Value| {
        Error::bad_input(format!("the results must be an object, not {}", json::describe(found)))
            .hint("for example {\"completed\": 5, \"learnings\": [\"…\"]}")
    };
    match content {
        Value::Object(results) => Ok(results),
        Value::String(text) if text.trim_start().starts_with('{') => serde_json::from_str(&text)
            .map_err(|error| {
                let reason = json::describe_syntax_error(&error);
                Error::bad_input(format!("the results, line {}: {reason}", error.line()))
            }),
        Value::String(text) => {
            let parsed = yaml::parse(&text).map_err(|error| {
                Error::bad_input(format!("the results, line {}: {}", error.line, error.message))
                    .hint("write them as JSON or YAML")
            })?;
            match parsed.map(|node| node.value()) {
                Some(Value::Object(results)) => Ok(results),
                other => Err(refuse(&other.unwrap_or(Value::Null))),
            }
        }
        other => Err(refuse(&other)),
    }
}

/// Returns what was learnt, each item as the lines to add.
fn learnings(results: &Map<String, Value>) -> Result<Vec<String>, Error> {
    let refuse = || {
        Error::bad_input(format!("`{LEARNINGS}` must be a text or a list of texts"))
            .hint("write each thing that was learnt as a text")
    };
    let texts = match results.get(LEARNINGS) {
        None | Some(Value::Null) => return Ok(vec![]),
        Some(Value::String(text)) => vec![text.trim().to_owned()],
        Some(Value::Array(items)) => {
            let item = |item: &Value| {
                let text = item.as_str().ok_or_else(refuse)?;
                let words: Vec<&str> = text.split_whitespace().collect();
                Ok(words.join(" "))
            };
            let items: Vec<String> = items.iter().map(item).collect::<Result<_, Error>>()?;
            items
                .into_iter()
                .filter(|item| !item.is_empty())
                .map(|item| format!("- {item}"))
                .collect()
        }
        Some(_) => return Err(refuse()),
    };
    Ok(texts.into_iter().filter(|text| !text.is_empty()).collect())
}

/// Sets the results in the text of progress.json.
fn merge_progress(
    path: &str,
    before: Option<&str>,
    results: &Map<String, Value>,
) -> Result<String, Error> {
    let before = before.filter(|text| !text.trim().is_empty());
    let after = json::set_keys(before.unwrap_or("{}"), results).map_err(|error| {
        let reason = json::describe_syntax_error(&error);
        Error::bad_input(format!("{path}:{}: {reason}", error.line()))
            .hint("correct the file; nothing was written")
    })?;
    // A file that has the results already stays as it is, however it is formatted.
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    match before {
        Some(before) if value(before) == value(&after) => Ok(before.to_owned()),
        _ => Ok(format!("{after}\n")),
    }
}

/// Adds what was learnt at the end of its section, which is created if it is missing. What the section has already is
/// not added again.
fn add_learnings(before: &str, learnings: &[String]) -> String {
    let newline = detect_newline(before);
    let new = learnings.iter().filter(|text| !has_lines(before, text));
    let new: Vec<String> = new.map(|text| text.replace('\n', newline)).collect();
    if new.is_empty() {
        return before.to_owned();
    }
    let added = new.join(newline);
    match section_end(before) {
        Some(end) => {
            let (head, tail) = before.split_at(end);
            let body = head.trim_end();
            let separator = match body.ends_with(LEARNINGS_HEADING) || added.starts_with("- ") {
                true => newline.to_owned(),
                false => newline.repeat(2),
            };
            let tail = match tail.is_empty() {
                true => newline.to_owned(),
                false => format!("{}{tail}", newline.repeat(2)),
            };
            format!("{body}{separator}{added}{tail}")
        }
        None => {
            let body = before.trim_end();
            format!("{body}{}{LEARNINGS_HEADING}{newline}{added}{newline}", newline.repeat(2))
        }
    }
}

/// Returns whether a text has the lines of another one, one after the other.
fn has_lines(text: &str, part: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let part: Vec<&str> = part.lines().map(str::trim_end).collect();
    lines.windows(part.len().max(1)).any(|window| window == part)
}

/// Returns where the section of what was learnt ends: at the next heading of its level or above, or at the end.
fn section_end(text: &str) -> Option<usize> {
    let mut offset = 0;
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        let is_heading = line.starts_with("# ") || line.starts_with("## ");
        if is_inside && is_heading {
            return Some(offset);
        }
        is_inside |= line.trim_end() == LEARNINGS_HEADING;
        offset += line.len();
    }
    is_inside.then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learnings_are_added_once_and_other_text_stays() {
        let add = |before: &str, text: &str| add_learnings(before, &[text.to_owned()]);
        let once = add("# K\n\nA fact.\n", "- One");
        assert_eq!(once, "# K\n\nA fact.\n\n## Learnings\n- One\n");
        assert_eq!(add(&once, "- One"), once);
        assert_eq!(add(&once, "- On"), format!("{once}- On\n"));
        assert_eq!(add(&once, "- Two"), "# K\n\nA fact.\n\n## Learnings\n- One\n- Two\n");
        let inside = "## Learnings\nText.\n\n## More\n\nx\n";
        assert_eq!(add(inside, "Other."), "## Learnings\nText.\n\nOther.\n\n## More\n\nx\n");
        assert_eq!(add("# K\r\n", "a\nb"), "# K\r\n\r\n## Learnings\r\na\r\nb\r\n");
    }
}
