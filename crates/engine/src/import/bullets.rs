//! Imports the lists of `CLAUDE.md`, `AGENTS.md` and similar files: one fact per list item.

use std::sync::Arc;

use heirloom_core::Document;
use heirloom_core::document::Heading;
use heirloom_core::name;
use heirloom_core::record::{Body, Fact, FactSection, Origin};

use super::batch::{self, Batch, ImportContext, ImportResult, SourceText};
use super::blocks::{self, MarkdownBlock};
use super::section;

/// A list item, joined with the items nested in it.
struct Bullet<'d> {
    line: usize,
    text: String,
    section: FactSection,
    heading: Option<&'d Heading>,
}

/// Imports every item of every list.
pub(super) fn import(texts: &[SourceText<'_>], context: &mut ImportContext<'_>) -> ImportResult {
    let mut batch = Batch::new(context);
    for text in texts {
        let document = Document::parse(text.path, text.content);
        let (blocks, unclosed) = blocks::read(&document);
        let problems = document.problems.iter().cloned().chain(unclosed);
        let has_no_problems = problems.map(|problem| batch.report(problem)).count() == 0;
        let bullets = collect_bullets(&blocks);
        let path: Arc<str> = text.path.into();
        if bullets.is_empty() && has_no_problems {
            let hint = "only list items are imported, one fact per item";
            batch.report(
                batch::problem(&batch::place(&path, 1), "the file contains no list").hint(hint),
            );
        }
        for bullet in bullets {
            import_bullet(&path, bullet, &mut batch);
        }
    }
    batch.finish()
}

fn collect_bullets<'d>(blocks: &[MarkdownBlock<'d>]) -> Vec<Bullet<'d>> {
    let mut bullets: Vec<Bullet<'d>> = Vec::new();
    let mut headings: Vec<&Heading> = Vec::new();
    for block in blocks {
        match block {
            MarkdownBlock::Heading(heading) => {
                headings.retain(|outer| outer.level < heading.level);
                headings.push(heading);
            }
            MarkdownBlock::Item { nested: true, text, .. } => {
                if let Some(bullet) = bullets.last_mut() {
                    append_nested(&mut bullet.text, text);
                }
            }
            MarkdownBlock::Item { nested: false, line, text } => bullets.push(Bullet {
                line: *line,
                text: text.clone(),
                section: section_under(&headings),
                heading: headings.last().copied(),
            }),
            MarkdownBlock::Paragraph { .. }
            | MarkdownBlock::TableRow { .. }
            | MarkdownBlock::Code { .. } => {}
        }
    }
    bullets
}

/// Returns the section of the nearest heading that names one. The title of the file describes its subject
/// and not a kind of fact, so it counts only for items directly under it.
fn section_under(headings: &[&Heading]) -> FactSection {
    let nearest_first = headings.iter().rev().enumerate();
    nearest_first
        .filter(|(distance, heading)| *distance == 0 || heading.level > 1)
        .find_map(|(_, heading)| section::of_heading(&heading.text))
        .unwrap_or(FactSection::Patterns)
}

fn import_bullet(path: &Arc<str>, bullet: Bullet<'_>, batch: &mut Batch<'_, '_>) {
    let place = batch::place(path, bullet.line);
    if bullet.text.is_empty() {
        return batch.report_at(&place, "this list item is empty");
    }
    // The path would differ if the same file is imported from another folder.
    let file = path.rsplit('/').next().unwrap_or(path);
    let item = format!("{file}#{}", batch::hash(&bullet.text));
    let origin = Origin::imported("bullets", item);
    let fact =
        Fact { section: bullet.section, content: bullet.text, key: None, value: None, scope: None };
    let mut record = batch.draft(origin, Body::Fact(fact));
    record.tags = batch::tags(bullet.heading.map(|heading| name::slug(&heading.text)));
    record.source = Some(format!("{path}:{}", bullet.line));
    batch.insert(&place, record);
}

/// Appends the text of a nested item: `Run: a; b`.
fn append_nested(text: &mut String, added: &str) {
    if !text.is_empty() && !added.is_empty() {
        let has_punctuation = text.ends_with([':', ';', ',', '.', '!', '?']);
        text.push_str(if has_punctuation { " " } else { "; " });
    }
    text.push_str(added);
}

#[cfg(test)]
mod tests;
