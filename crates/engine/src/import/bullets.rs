//! Lists in `CLAUDE.md`, `AGENTS.md` and the like: one fact for each item of a list.

use std::sync::Arc;

use heirloom_core::Document;
use heirloom_core::document::Heading;
use heirloom_core::name;
use heirloom_core::record::{Body, Fact, Section};

use super::batch::{self, Batch};
use super::blocks::{self, Block};
use super::{Imported, Importing, Text, section};

/// An item with those in it.
struct Bullet<'d> {
    line: usize,
    text: String,
    section: Section,
    heading: Option<&'d Heading>,
}

/// Reads every item of every list.
pub(super) fn import(texts: &[Text<'_>], given: &mut Importing<'_>) -> Imported {
    let mut batch = Batch::new(given);
    for text in texts {
        let document = Document::parse(text.path, text.content);
        let (blocks, unclosed) = blocks::read(&document);
        let problems = document.problems.iter().cloned().chain(unclosed);
        let is_sound = problems.map(|problem| batch.report(problem)).count() == 0;
        let bullets = gather(&blocks);
        let path: Arc<str> = text.path.into();
        if bullets.is_empty() && is_sound {
            let hint = "only lists are taken, one fact for each item";
            batch.report(
                batch::problem(&batch::place(&path, 1), "there is no list here").hint(hint),
            );
        }
        for bullet in bullets {
            take(&path, bullet, &mut batch);
        }
    }
    batch.finish()
}

fn gather<'d>(blocks: &[Block<'d>]) -> Vec<Bullet<'d>> {
    let mut bullets: Vec<Bullet<'d>> = Vec::new();
    let mut above: Vec<&Heading> = Vec::new();
    for block in blocks {
        match block {
            Block::Heading(heading) => {
                above.retain(|own| own.level < heading.level);
                above.push(heading);
            }
            Block::Item { nested: true, text, .. } => {
                if let Some(bullet) = bullets.last_mut() {
                    join(&mut bullet.text, text);
                }
            }
            Block::Item { nested: false, line, text } => bullets.push(Bullet {
                line: *line,
                text: text.clone(),
                section: section_under(&above),
                heading: above.last().copied(),
            }),
            Block::Paragraph { .. } => {}
        }
    }
    bullets
}

/// The nearest heading that names a section decides. The title of the whole file says what it is
/// about and not what sort of knowledge it holds, so it decides only for what is right under it.
fn section_under(above: &[&Heading]) -> Section {
    let nearest_first = above.iter().rev().enumerate();
    nearest_first
        .filter(|(distance, heading)| *distance == 0 || heading.level > 1)
        .find_map(|(_, heading)| section::of_heading(&heading.text))
        .unwrap_or(Section::Patterns)
}

fn take(path: &Arc<str>, bullet: Bullet<'_>, batch: &mut Batch<'_, '_>) {
    let place = batch::place(path, bullet.line);
    if bullet.text.is_empty() {
        return batch.problem(&place, "this item says nothing");
    }
    let origin = format!("bullets:{path}#{}", batch::hash(&bullet.text));
    let fact =
        Fact { section: bullet.section, content: bullet.text, key: None, value: None, scope: None };
    let mut record = batch.draft(origin, Body::Fact(fact));
    record.tags = batch::tags(bullet.heading.map(|heading| name::slug(&heading.text)));
    record.source = Some(format!("{path}:{}", bullet.line));
    batch.take(&place, record);
}

/// Joins an item to the one that it is in: `Run: a; b`.
fn join(text: &mut String, added: &str) {
    if !text.is_empty() && !added.is_empty() {
        let is_open = text.ends_with([':', ';', ',', '.', '!', '?']);
        text.push_str(if is_open { " " } else { "; " });
    }
    text.push_str(added);
}

#[cfg(test)]
mod tests;
