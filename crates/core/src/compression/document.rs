//! Shorter forms of documents and of their sections.

use super::{Level, compressed, label, summary};
use crate::document::{Document, DocumentForm, DocumentSection, smaller_forms};
use crate::prose::{one_line, split_sentences};

/// Headings of the section that states a decision, in lower case.
const DECISION_HEADINGS: [&str; 3] = ["decision", "decision outcome", "decisions"];

/// Returns the text of a document at a level, without its front matter: its overview, its outline, its title. The
/// compressed form of a decision record, or of a document without headings, is the title with the first statement. `None`
/// if the document has no shorter form at that level.
pub fn document_at_level(document: &Document, level: Level) -> Option<String> {
    let forms = smaller_forms(document);
    let form = |wanted: DocumentForm| {
        forms.iter().find(|(form, _)| *form == wanted).map(|(_, text)| text.clone())
    };
    let prose = document.prose.trim();
    let is_shorter = |text: &String| text.trim().len() < prose.len();
    let overview = || form(DocumentForm::Overview).filter(is_shorter).or_else(|| summary(prose));
    match level {
        Level::Full => None,
        Level::Summary => overview(),
        Level::Compressed => {
            let sections = document.sections();
            let decision = sections.iter().find(|section| is_decision(section));
            let outline = form(DocumentForm::Outline).filter(|_| decision.is_none());
            let statement = || {
                let stated = document.field("description").map(str::to_owned);
                let decided = decision.and_then(first_sentence);
                let opening = || sections.iter().find_map(first_sentence);
                let statement = decided.or(stated).or_else(opening)?;
                let statement = compressed(&statement).unwrap_or_else(|| one_line(&statement));
                Some(match &document.title {
                    Some(title) => format!("{title}: {statement}"),
                    None => statement,
                })
            };
            let longest = overview().map_or(prose.len(), |overview| overview.len());
            outline.filter(|outline| outline.len() < longest).or_else(statement).filter(is_shorter)
        }
        Level::Index => Some(document.title.clone().unwrap_or_else(|| label(prose))),
    }
    .filter(|text| !text.trim().is_empty())
}

fn is_decision(section: &DocumentSection<'_>) -> bool {
    section.heading.is_some_and(|heading| {
        DECISION_HEADINGS.contains(&heading.text.trim().to_lowercase().as_str())
    })
}

/// Returns the first sentence of a section that is neither code nor a table.
fn first_sentence(section: &DocumentSection<'_>) -> Option<String> {
    let mut paragraphs = section.lines.split(|line| line.trim().is_empty());
    let is_prose = |paragraph: &&[&str]| {
        paragraph.first().is_some_and(|line| !line.starts_with(['`', '|', '~']))
    };
    let paragraph = paragraphs.find(is_prose)?.join(" ");
    split_sentences(&paragraph).first().map(|sentence| (*sentence).to_owned())
}

/// Returns the text of a section of a document, `title › heading: text`, at a level. Every level keeps the title and the
/// heading. `None` if it is not such a text, or has no shorter form at that level.
pub fn section_at_level(text: &str, level: Level) -> Option<String> {
    let start = text.find(" › ")?;
    let end = start + text[start..].find(": ")?;
    let (name, body) = (&text[..end], &text[end + 2..]);
    let shorter = match level {
        Level::Full => return None,
        Level::Summary => summary(body)?,
        Level::Compressed => compressed(body)?,
        Level::Index => return Some(name.to_owned()),
    };
    Some(format!("{name}: {shorter}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "---\nstatus: accepted\n---\n# Use SQLite\n\n## Context\n\nWe need an index. It is small.\n\n## Decision\n\nWe will use SQLite for the index, unless it grows beyond 10 GB. Backups are copies.\n\n## Consequences\n\nOne file.\n";

    #[test]
    fn a_decision_record_is_compressed_to_its_decision() {
        let document = Document::parse("docs/adr/0001-use-sqlite.md", RECORD);
        let level = |level| document_at_level(&document, level);
        assert_eq!(
            level(Level::Compressed).as_deref(),
            Some("Use SQLite: use SQLite index, unless it grows beyond 10 GB.")
        );
        assert_eq!(level(Level::Index).as_deref(), Some("Use SQLite"));
        assert!(level(Level::Summary).is_some_and(|text| text.contains("## Consequences")));
    }

    #[test]
    fn a_document_of_one_paragraph_has_shorter_forms() {
        let sentence = "The ledger of Larkspur is a log of events, and it is never edited. ";
        let document = Document::parse("notes.md", &sentence.repeat(20));
        let lengths = Level::ALL.map(|level| {
            document_at_level(&document, level).map_or(document.prose.len(), |text| text.len())
        });
        assert!(lengths.windows(2).all(|pair| pair[0] > pair[1]), "{lengths:?}");
    }

    #[test]
    fn a_section_keeps_its_title_and_heading() {
        let text = "ADR-0001: Use SQLite › Context: The index is really small. It must not grow beyond 10 GB.";
        let level = |level| section_at_level(text, level);
        assert_eq!(level(Level::Index).as_deref(), Some("ADR-0001: Use SQLite › Context"));
        assert_eq!(
            level(Level::Compressed).as_deref(),
            Some("ADR-0001: Use SQLite › Context: not grow beyond 10 GB.")
        );
        assert_eq!(section_at_level("A fact: no section", Level::Index), None);
    }
}
