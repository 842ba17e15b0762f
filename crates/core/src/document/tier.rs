//! Smaller forms of a document, for a budget that its full text does not fit into.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Document, DocumentSection};
use crate::{Value, path, yaml};

/// How much of a document is shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The title, the description and the tags.
    Card,
    /// The opening and the first paragraph under each heading; of a file with data, its `summary`.
    Overview,
    /// All of it.
    Full,
}

impl Tier {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Card => "card",
            Tier::Overview => "overview",
            Tier::Full => "full",
        }
    }
}

/// Returns the smaller forms of a markdown document, the larger one first. Each consists of whole paragraphs.
pub fn smaller_forms(document: &Document) -> Vec<(Tier, String)> {
    let sections = document.sections();
    let parts: Vec<String> = sections.iter().filter_map(section_overview).collect();
    let overview = (!parts.is_empty()).then(|| (Tier::Overview, parts.join("\n\n")));
    overview.into_iter().chain([(Tier::Card, card(document))]).collect()
}

/// Returns the smaller form of a file with data (JSON, YAML): the text that it states as its `summary`. Data is shown
/// whole or not at all otherwise, since a part of it would mislead.
pub fn stated_summary(text: &str) -> Option<(Tier, String)> {
    let value = yaml::parse(text).ok()??.value();
    let summary = value.get("summary").and_then(Value::as_str).map(str::trim)?;
    (!summary.is_empty()).then(|| (Tier::Overview, summary.to_owned()))
}

/// Returns the heading of a section with its first paragraph.
fn section_overview(section: &DocumentSection<'_>) -> Option<String> {
    let paragraph = first_paragraph(&section.lines);
    let heading = section.heading.map(|heading| {
        let marks = "#".repeat(usize::from(heading.level));
        format!("{marks} {}", heading.text)
    });
    match (heading, paragraph.is_empty()) {
        (None, true) => None,
        (None, false) => Some(paragraph),
        (Some(heading), true) => Some(heading),
        (Some(heading), false) => Some(format!("{heading}\n\n{paragraph}")),
    }
}

/// Returns the first paragraph, and with it the list or paragraph that it announces with a colon. A section that starts
/// with code has none.
fn first_paragraph(lines: &[&str]) -> String {
    let mut paragraphs = lines
        .split(|line| line.trim().is_empty())
        .filter(|paragraph| !paragraph.is_empty())
        .take_while(|paragraph| !is_fence(paragraph[0]));
    let Some(first) = paragraphs.next() else { return String::new() };
    let announces = first.last().is_some_and(|line| line.trim_end().ends_with(':'));
    let first = first.join("\n");
    match paragraphs.next().filter(|_| announces) {
        Some(next) => format!("{first}\n\n{}", next.join("\n")),
        None => first,
    }
}

fn is_fence(line: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence))
}

/// Returns the title with the path, the description and the tags.
fn card(document: &Document) -> String {
    let title = document.title.as_deref().unwrap_or_else(|| path::stem(&document.path));
    let mut lines = vec![format!("{title} ({})", document.path)];
    let description = document.field("description").or_else(|| document.field("summary"));
    lines.extend(description.map(str::to_owned));
    let tags = document.field_list("tags");
    if !tags.is_empty() {
        lines.push(format!("Tags: {}", tags.join(", ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overview_has_the_first_paragraphs_and_a_card_the_description() {
        let text = "---\ndescription: How money moves.\ntags: [billing, api]\n---\n# Billing\n\nOpening.\nSecond line.\n\nMore.\n\n## Rules\n\nThese hold:\n\n- one\n- two\n\nElse.\n\n## Code\n\n```rust\nfn main() {}\n```\n";
        let forms = smaller_forms(&Document::parse("docs/billing.md", text));
        assert_eq!(
            forms,
            [
                (
                    Tier::Overview,
                    "# Billing\n\nOpening.\nSecond line.\n\n## Rules\n\nThese hold:\n\n- one\n- two\n\n## Code"
                        .to_owned()
                ),
                (
                    Tier::Card,
                    "Billing (docs/billing.md)\nHow money moves.\nTags: billing, api".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn data_has_a_smaller_form_only_if_it_states_a_summary() {
        let summary = stated_summary("{\"summary\": \"Three tasks.\", \"tasks\": [1, 2, 3]}");
        assert_eq!(summary, Some((Tier::Overview, "Three tasks.".to_owned())));
        for text in ["{\"tasks\": []}", "summary: 3", "summary: ' '", "- a", "{", ""] {
            assert_eq!(stated_summary(text), None, "{text}");
        }
    }
}
