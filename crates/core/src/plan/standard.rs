//! Checks the front matter of plans and overviews.

use super::{DocumentKind, PlanStatus};
use crate::document::scalar_to_text;
use crate::{Document, Hint, Problem, Value, day};

/// What is wrong with the front matter of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatterFindings {
    /// Keys that are missing.
    pub missing: Vec<Problem>,
    /// Values that are not valid.
    pub invalid: Vec<Problem>,
}

/// Checks the front matter of a plan or an overview. A document that could not be read has no findings, since its problems
/// are known. The date in `updated` is checked where documents are dated.
pub fn check_front_matter(document: &Document, kind: DocumentKind) -> FrontMatterFindings {
    let mut findings = FrontMatterFindings::default();
    if !document.problems.is_empty() && document.fields.is_empty() {
        return findings;
    }
    let missing: Vec<&str> =
        kind.required_keys().iter().copied().filter(|key| is_missing(document, key)).collect();
    if !missing.is_empty() {
        let keys: Vec<String> = missing.iter().map(|key| format!("`{key}`")).collect();
        let message = format!("the front matter has no {}", join_words(&keys));
        let hint = Hint::text("add it, or see what ")
            .call("migrate", [("dry_run", true)])
            .then(" would add");
        findings.missing.push(Problem::at(&document.path, 1, message).hint(hint));
    }
    if kind == DocumentKind::Plan {
        findings.invalid.extend(invalid_status(document));
        findings.invalid.extend(invalid_created(document));
    }
    findings.invalid.extend(invalid_tags(document));
    findings
}

fn is_missing(document: &Document, key: &str) -> bool {
    match document.fields.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(_) => false,
    }
}

fn invalid_status(document: &Document) -> Option<Problem> {
    let status = document.fields.get("status").filter(|_| !is_missing(document, "status"))?;
    let text = scalar_to_text(status).unwrap_or_default();
    if PlanStatus::ALL.iter().any(|known| known.as_str() == text) {
        return None;
    }
    let message = format!("`status: {text}` is not a status of a plan");
    let words = PlanStatus::words();
    let hint = match PlanStatus::from_word(&text) {
        Some(meant) => format!("write `{}`; the statuses are {words}", meant.as_str()),
        None => format!("write one of {words}"),
    };
    Some(Problem::at(&document.path, document.line_of("status"), message).hint(hint))
}

fn invalid_created(document: &Document) -> Option<Problem> {
    let created = document.fields.get("created").filter(|_| !is_missing(document, "created"))?;
    let text = scalar_to_text(created).unwrap_or_else(|| created.to_string());
    if day::parse(&text).is_some() {
        return None;
    }
    let message = format!("`created: {text}` is not a date");
    let problem = Problem::at(&document.path, document.line_of("created"), message);
    Some(problem.hint("write it as 2026-02-22"))
}

fn invalid_tags(document: &Document) -> Option<Problem> {
    let tags = document.fields.get("tags").filter(|tags| !tags.is_null())?;
    let is_list_of_texts = |items: &Vec<Value>| items.iter().all(|item| !item.is_object());
    if tags.is_string() || tags.as_array().is_some_and(is_list_of_texts) {
        return None;
    }
    let problem =
        Problem::at(&document.path, document.line_of("tags"), "`tags` is not a list of words");
    Some(problem.hint("write `tags: [first, second]`"))
}

fn join_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and no {last}", first.join(", no ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(kind: DocumentKind, text: &str) -> Vec<String> {
        let findings = check_front_matter(&Document::parse("p.md", text), kind);
        let all = findings.missing.iter().chain(&findings.invalid);
        all.map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_plan_has_no_findings() {
        let plan = "---\nname: A\ndescription: B\nstatus: in_progress\ncreated: 2026-02-08\n---\n";
        assert_eq!(describe(DocumentKind::Plan, plan), [""; 0]);
        let overview = "---\nname: A\ndescription: B\n---\n";
        assert_eq!(describe(DocumentKind::Overview, overview), [""; 0]);
    }

    #[test]
    fn missing_keys_are_one_finding_and_each_wrong_value_has_its_line() {
        assert_eq!(
            describe(DocumentKind::Plan, "# A\n"),
            [
                "p.md:1: the front matter has no `name`, no `description`, no `status` and no `created`"
            ]
        );
        let plan = "---\nname: A\ndescription: \nstatus: finito\ncreated: soon\ntags: 3\n---\n";
        assert_eq!(
            describe(DocumentKind::Plan, plan),
            [
                "p.md:1: the front matter has no `description`",
                "p.md:4: `status: finito` is not a status of a plan",
                "p.md:5: `created: soon` is not a date",
                "p.md:6: `tags` is not a list of words",
            ]
        );
    }

    #[test]
    fn front_matter_that_cannot_be_read_is_not_reported_again() {
        assert_eq!(describe(DocumentKind::Plan, "---\na: [\n---\n"), [""; 0]);
    }
}
