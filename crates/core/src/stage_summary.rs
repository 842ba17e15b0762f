//! The summary of a stage, extracted from its artifacts. Nothing is added that the artifacts do not say.

use crate::document::{DocumentForm, smaller_forms};
use crate::printable::escape_unprintable;
use crate::words::short_hash;
use crate::{Document, Value, data_summary, lines, path, prose};

/// A longer text is shortened after a sentence or a word.
const MAX_TEXT_CHARS: usize = 300;

const MARK_START: &str = "<!-- extracted from the artifacts; hash ";
const MARK_END: &str = " -->";

/// Writes the summary of a stage from its artifacts, each with its file name and text.
pub fn write(stage: &str, artifacts: &[(String, String)]) -> String {
    let mut text = format!("# Summary of {stage}\n");
    for (file, content) in artifacts {
        let body = artifact_summary(file, content);
        let lines: Vec<String> = body.trim().lines().map(escape_unprintable).collect();
        text.push_str(&format!("\n## {}\n\n{}\n", path::stem(file), lines.join("\n")));
    }
    mark(&text)
}

/// Adds a comment with the hash of the text, by which a later edit is recognised.
fn mark(text: &str) -> String {
    format!("{text}\n{MARK_START}{}{MARK_END}\n", short_hash(text))
}

/// Returns whether a summary is as it was extracted, so that it may be replaced. One that a person wrote or edited is
/// not.
pub fn is_extracted(summary: &str) -> bool {
    let summary = summary.replace("\r\n", "\n");
    let Some((text, rest)) = summary.rsplit_once(&format!("\n{MARK_START}")) else { return false };
    rest.trim_end() == format!("{}{MARK_END}", short_hash(text))
}

/// Returns a text without the comment that [`write`] adds, which is of no use to a reader.
pub fn without_mark(text: &str) -> &str {
    match text.rsplit_once(MARK_START) {
        Some((before, rest))
            if rest.trim_end().ends_with(MARK_END.trim_start())
                && !rest.trim_end().contains('\n') =>
        {
            before.trim_end()
        }
        _ => text,
    }
}

fn artifact_summary(file: &str, content: &str) -> String {
    let is_markdown = [".md", ".markdown", ".mdx"].iter().any(|end| file.ends_with(end));
    match serde_json::from_str::<Value>(content) {
        Ok(value) => data_summary::summarise(&value),
        Err(_) if is_markdown => markdown_summary(file, content),
        Err(_) => first_lines(content),
    }
}

/// Returns the overview of a markdown artifact, its headings two levels lower so that they stay below that of the
/// artifact.
fn markdown_summary(file: &str, content: &str) -> String {
    let document = Document::parse(file, content);
    let overview =
        smaller_forms(&document).into_iter().find(|(form, _)| *form == DocumentForm::Overview);
    let text = overview.map_or_else(|| document.prose.trim().to_owned(), |(_, text)| text);
    // The title of the document is often the name of the artifact, which is its heading already.
    let name = prose::comparison_key(path::stem(file));
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let is_repeated = first.starts_with('#') && prose::comparison_key(first) == name;
    let text = if is_repeated { rest } else { &text };
    let lower = |line: &str| match line.starts_with('#') {
        true => format!("##{line}"),
        false => line.to_owned(),
    };
    text.lines().map(lower).collect::<Vec<_>>().join("\n")
}

/// Returns the first paragraph of a text.
fn first_lines(content: &str) -> String {
    let newline = lines::detect_newline(content);
    let first = content.trim_start().split(&newline.repeat(2)).next().unwrap_or_default();
    prose::truncate(&prose::one_line(first), MAX_TEXT_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_what_the_artifacts_say() {
        let artifacts = [
            ("design.md".to_owned(), "# Design\n\nEvents are stored.\n\nMore.\n".to_owned()),
            (
                "plan.json".to_owned(),
                "{\"goal\": \"Ship refunds\", \"tasks\": [{\"title\": \"API\"}, {\"title\": \"Events\"}], \"none\": null, \"risk\": {\"level\": \"low\", \"notes\": [1, 2]}}".to_owned(),
            ),
        ];
        let summary = write("planning", &artifacts);
        assert!(
            summary.starts_with("# Summary of planning\n\n## design\n\nEvents are stored.\n\n## plan\n\n- goal: Ship refunds\n- tasks: API, Events\n- risk: level low; notes (2)\n\n<!-- extracted"),
            "{summary}"
        );
        assert_eq!(summary, write("planning", &artifacts));
    }

    #[test]
    fn control_characters_are_escaped() {
        let artifacts = [
            ("log.txt".to_owned(), "a \u{1b}[31mred\u{202e} b".to_owned()),
            ("plan.json".to_owned(), "{\"goal\": \"\\u001b[2Jx\"}".to_owned()),
            ("notes.md".to_owned(), "# A\n\n\u{7}b.\n".to_owned()),
        ];
        let summary = write("planning", &artifacts);
        assert!(!summary.contains(|c: char| c.is_control() && c != '\n'), "{summary:?}");
        assert!(summary.contains("\\u001b[31mred\\u202e b"), "{summary}");
    }

    #[test]
    fn an_edited_summary_is_recognised() {
        let summary = write("planning", &[("plan.txt".to_owned(), "Ship it.".to_owned())]);
        assert!(is_extracted(&summary) && is_extracted(&summary.replace('\n', "\r\n")));
        assert!(!is_extracted(&summary.replace("Ship it", "Ship it soon")));
        assert_eq!(without_mark(&summary), "# Summary of planning\n\n## plan\n\nShip it.");
        assert_eq!(without_mark("a\nb\n"), "a\nb\n");
        assert!(!is_extracted(&format!("{summary}More.\n")) && !is_extracted("# Mine\n"));
    }
}
