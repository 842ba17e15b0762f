//! Smaller forms of a document, for a budget that its full text does not fit into.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Document, DocumentSection};
use crate::{Value, path, prose, yaml};

/// A longer paragraph is shortened after a sentence or a list item.
const MAX_PARAGRAPH_CHARS: usize = 320;

/// How much of a document is shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DocumentForm {
    /// The title, the description and the tags.
    Card,
    /// The opening and the headings.
    Outline,
    /// The opening and the first paragraph under each heading; of a file with data, its `summary`.
    Overview,
    /// All of it.
    Full,
}

impl DocumentForm {
    /// Returns what a document in this form is worth, compared to other forms.
    pub fn points(self) -> u64 {
        match self {
            DocumentForm::Card => 1,
            DocumentForm::Outline => 2,
            DocumentForm::Overview => 4,
            DocumentForm::Full => 8,
        }
    }

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            DocumentForm::Card => "card",
            DocumentForm::Outline => "outline",
            DocumentForm::Overview => "overview",
            DocumentForm::Full => "full",
        }
    }
}

/// Returns the smaller forms of a markdown document, the largest first. No sentence is cut.
pub fn smaller_forms(document: &Document) -> Vec<(DocumentForm, String)> {
    let sections = document.sections();
    let parts: Vec<String> = sections.iter().filter_map(section_overview).collect();
    let overview = (!parts.is_empty()).then(|| (DocumentForm::Overview, parts.join("\n\n")));
    let card = card(document).map(|card| (DocumentForm::Card, card));
    overview.into_iter().chain(outline(&sections)).chain(card).collect()
}

/// Returns the smaller form of a file with data (JSON, YAML): the text that it states as its `summary`. Data is shown
/// whole or not at all otherwise, since a part of it would mislead.
pub fn stated_summary(text: &str) -> Option<(DocumentForm, String)> {
    let value = yaml::parse(text).ok()??.value();
    let summary = value.get("summary").and_then(Value::as_str).map(str::trim)?;
    (!summary.is_empty()).then(|| (DocumentForm::Overview, summary.to_owned()))
}

/// Returns the opening, which is all up to the second heading, and the other headings. A document without further
/// headings has no outline.
fn outline(sections: &[DocumentSection<'_>]) -> Option<(DocumentForm, String)> {
    let is_title = |section: &DocumentSection<'_>| section.heading.is_none_or(|it| it.level == 1);
    let opening_count = sections.iter().take(2).take_while(|section| is_title(section)).count();
    let (opening, rest) = sections.split_at(opening_count);
    let headings: Vec<String> = rest.iter().filter_map(heading_line).collect();
    if headings.is_empty() {
        return None;
    }
    let opening = opening.iter().filter_map(section_overview);
    let parts: Vec<String> = opening.chain([headings.join("\n")]).collect();
    Some((DocumentForm::Outline, parts.join("\n\n")))
}

fn heading_line(section: &DocumentSection<'_>) -> Option<String> {
    let heading = section.heading?;
    Some(format!("{} {}", "#".repeat(usize::from(heading.level)), heading.text))
}

/// Returns the heading of a section with its first paragraph.
fn section_overview(section: &DocumentSection<'_>) -> Option<String> {
    let paragraph = first_paragraph(&section.lines);
    match (heading_line(section), paragraph.is_empty()) {
        (None, true) => None,
        (None, false) => Some(paragraph),
        (Some(heading), true) => Some(heading),
        (Some(heading), false) => Some(format!("{heading}\n\n{paragraph}")),
    }
}

/// Returns the beginning of the first paragraph, and with it of the list or paragraph that it announces with a colon. A
/// section that starts with code has none.
fn first_paragraph(lines: &[&str]) -> String {
    let mut paragraphs = lines
        .split(|line| line.trim().is_empty())
        .filter(|paragraph| !paragraph.is_empty())
        .take_while(|paragraph| !is_fence(paragraph[0]));
    let Some(first) = paragraphs.next() else { return String::new() };
    let announces = first.last().is_some_and(|line| line.trim_end().ends_with(':'));
    let first = shorten(first);
    match paragraphs.next().filter(|_| announces) {
        Some(next) => format!("{first}\n\n{}", shorten(next)),
        None => first,
    }
}

/// Returns the beginning of a paragraph: whole sentences, or whole lines of a list or a table.
fn shorten(paragraph: &[&str]) -> String {
    let whole = paragraph.join("\n");
    if whole.chars().count() <= MAX_PARAGRAPH_CHARS {
        return whole;
    }
    let is_list = |line: &str| {
        line.trim_start().starts_with(['-', '*', '+', '|'])
            || line.trim_start().starts_with(|c: char| c.is_ascii_digit())
    };
    if is_list(paragraph[0]) {
        let mut chars = 0;
        let fitting = paragraph.iter().take_while(|line| {
            chars += line.chars().count();
            chars <= MAX_PARAGRAPH_CHARS
        });
        // An item may have further lines, which belong to it.
        let end = (1..=fitting.count())
            .rev()
            .find(|end| paragraph.get(*end).is_none_or(|next| is_list(next)));
        return format!("{}\n…", paragraph[..end.unwrap_or(1)].join("\n"));
    }
    let line = paragraph.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let leading = prose::leading_sentences(&line, MAX_PARAGRAPH_CHARS);
    let first = prose::split_sentences(&line).first().copied().unwrap_or_default();
    let kept = if leading.is_empty() { first } else { leading };
    if kept == line { line } else { format!("{kept} …") }
}

fn is_fence(line: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence))
}

/// Returns the title with the path, the description and the tags. A document without a description has no card: its
/// title alone is of no use.
fn card(document: &Document) -> Option<String> {
    let description = document.field("description").or_else(|| document.field("summary"))?;
    let title = document.title.as_deref().unwrap_or_else(|| path::stem(&document.path));
    let tags = document.field_list("tags");
    let tags = (!tags.is_empty()).then(|| format!("\nTags: {}", tags.join(", ")));
    Some(format!("{title} ({})\n{description}{}", document.path, tags.unwrap_or_default()))
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
                    DocumentForm::Overview,
                    "# Billing\n\nOpening.\nSecond line.\n\n## Rules\n\nThese hold:\n\n- one\n- two\n\n## Code"
                        .to_owned()
                ),
                (
                    DocumentForm::Outline,
                    "# Billing\n\nOpening.\nSecond line.\n\n## Rules\n## Code".to_owned()
                ),
                (
                    DocumentForm::Card,
                    "Billing (docs/billing.md)\nHow money moves.\nTags: billing, api".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn a_long_paragraph_is_cut_after_a_sentence_and_a_list_after_an_item() {
        let overview = |body: &str| {
            let forms = smaller_forms(&Document::parse("a.md", body));
            forms.into_iter().next().map(|(_, text)| text).unwrap_or_default()
        };
        let sentence = "Every refund is stored as an event, and balances\nare derived from events.";
        let prose = format!("# A\n\n{}\n", [sentence; 9].join(" "));
        let shown = overview(&prose);
        assert!(shown.ends_with("events. …") && shown.chars().count() < 340, "{shown}");
        let item = "- An item of a list that is rather long\n  and goes on in a second line\n";
        let shown = overview(&item.repeat(9));
        assert!(shown.ends_with("second line\n…"), "{shown}");
        assert_eq!(overview(&format!("# A\n\n{}\n", "word ".repeat(200).trim())).len(), 5 + 999);
    }

    #[test]
    fn data_has_a_smaller_form_only_if_it_states_a_summary() {
        let summary = stated_summary("{\"summary\": \"Three tasks.\", \"tasks\": [1, 2, 3]}");
        assert_eq!(summary, Some((DocumentForm::Overview, "Three tasks.".to_owned())));
        for text in ["{\"tasks\": []}", "summary: 3", "summary: ' '", "- a", "{", ""] {
            assert_eq!(stated_summary(text), None, "{text}");
        }
    }
}
