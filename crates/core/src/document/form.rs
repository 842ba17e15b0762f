//! Smaller forms of a document, for a budget that its full text does not fit into.

mod part;

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Document, DocumentSection};
use crate::{Value, data_summary, path, prose, yaml};
use part::parts;

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
    /// The beginning of every section.
    Part,
    /// All of it.
    Full,
}

impl DocumentForm {
    /// Returns what a document in this form is worth, compared to other forms. `share` is the share of its tokens that the
    /// form has. The first tokens of a document are worth more than the last ones.
    pub fn points(self, share: f64) -> u64 {
        let points_of_share = (600.0 * share.clamp(0.0, 1.0).sqrt()) as u64;
        match self {
            DocumentForm::Card => 100,
            DocumentForm::Outline => 100 + points_of_share,
            DocumentForm::Overview | DocumentForm::Part => 200 + points_of_share,
            DocumentForm::Full => 800,
        }
    }

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            DocumentForm::Card => "card",
            DocumentForm::Outline => "outline",
            DocumentForm::Overview => "overview",
            DocumentForm::Part => "part",
            DocumentForm::Full => "full",
        }
    }
}

/// Returns the smaller forms of a markdown document, the largest first: parts of several lengths, the overview, the outline
/// and the card. No sentence is cut.
pub fn smaller_forms(document: &Document) -> Vec<(DocumentForm, String)> {
    let sections = document.sections();
    let overviews: Vec<String> = sections.iter().filter_map(section_overview).collect();
    let overview = Some(overviews.join("\n\n")).filter(|overview| !overview.is_empty());
    let outline = outline(&sections);
    let outline_chars = outline.as_ref().map_or(0, |outline| outline.chars().count());
    let parts = parts(&sections, outline_chars).into_iter().map(|part| (DocumentForm::Part, part));
    let overview = overview.map(|overview| (DocumentForm::Overview, overview));
    let outline = outline.map(|outline| (DocumentForm::Outline, outline));
    let mut forms: Vec<(DocumentForm, String)> = parts.chain(overview).chain(outline).collect();
    forms.sort_by_key(|(_, text)| Reverse(text.chars().count()));
    forms.extend(card(document).map(|card| (DocumentForm::Card, card)));
    forms
}

/// Returns the smaller form of a file with data (JSON, YAML): the text that it states as its `summary`, else a list of its
/// keys with short values. No part of it is shown as if it were all.
pub fn smaller_form_of_data(text: &str) -> Option<(DocumentForm, String)> {
    let value = yaml::parse(text).ok()??.value();
    let stated = value.get("summary").and_then(Value::as_str).map(str::trim);
    let (form, smaller) = match (&value, stated.filter(|stated| !stated.is_empty())) {
        (_, Some(stated)) => (DocumentForm::Overview, stated.to_owned()),
        (Value::Object(_) | Value::Array(_), None) => {
            (DocumentForm::Outline, data_summary::summarise(&value))
        }
        _ => return None,
    };
    (!smaller.is_empty() && smaller.len() < text.trim().len()).then_some((form, smaller))
}

/// Returns the opening, which is all up to the second heading, and the other headings. A document without further
/// headings has no outline.
fn outline(sections: &[DocumentSection<'_>]) -> Option<String> {
    let is_title = |section: &DocumentSection<'_>| section.heading.is_none_or(|it| it.level == 1);
    let opening_count = sections.iter().take(2).take_while(|section| is_title(section)).count();
    let (opening, rest) = sections.split_at(opening_count);
    let headings: Vec<String> = rest.iter().filter_map(heading_line).collect();
    if headings.is_empty() {
        return None;
    }
    let opening = opening.iter().filter_map(section_overview);
    let parts: Vec<String> = opening.chain([headings.join("\n")]).collect();
    Some(parts.join("\n\n"))
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
    if is_list_line(paragraph[0]) {
        let mut chars = 0;
        let fitting = paragraph.iter().take_while(|line| {
            chars += line.chars().count();
            chars <= MAX_PARAGRAPH_CHARS
        });
        // An item may have further lines, which belong to it.
        let end = (1..=fitting.count())
            .rev()
            .find(|end| paragraph.get(*end).is_none_or(|next| is_list_line(next)));
        return format!("{}\n…", paragraph[..end.unwrap_or(1)].join("\n"));
    }
    let line = paragraph.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let leading = prose::leading_sentences(&line, MAX_PARAGRAPH_CHARS);
    let first = prose::split_sentences(&line).first().copied().unwrap_or_default();
    let kept = if leading.is_empty() { first } else { leading };
    if kept == line { line } else { format!("{kept} …") }
}

/// Returns whether a line begins an item of a list or is a row of a table.
fn is_list_line(line: &str) -> bool {
    line.trim_start().starts_with(['-', '*', '+', '|'])
        || line.trim_start().starts_with(|c: char| c.is_ascii_digit())
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
            let forms = smaller_forms(&Document::parse("a.md", body)).into_iter();
            let mut overviews = forms.filter(|(form, _)| *form == DocumentForm::Overview);
            overviews.next().map(|(_, text)| text).unwrap_or_default()
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
    fn data_has_the_summary_that_it_states_or_a_list_of_its_keys() {
        let summary = smaller_form_of_data("{\"summary\": \"Three tasks.\", \"tasks\": [1, 2, 3]}");
        assert_eq!(summary, Some((DocumentForm::Overview, "Three tasks.".to_owned())));
        let list = smaller_form_of_data(
            "goal: Ship refunds\ntasks:\n  - id: 7\n    log: a long text\n  - id: 8\n    log: a long text\n",
        );
        let expected = "- goal: Ship refunds\n- tasks: 7, 8".to_owned();
        assert_eq!(list, Some((DocumentForm::Outline, expected)));
        for text in ["{\"tasks\": []}", "{}", "3", "- a", "{", ""] {
            assert_eq!(smaller_form_of_data(text), None, "{text}");
        }
    }
}
