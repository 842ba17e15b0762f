//! Notes of basic-memory: markdown with observations (`- [category] text #tag (context)`) and
//! relations (`- relation_type [[Target]]`).

mod names;
mod syntax;

use std::sync::Arc;

use heirloom_core::fold::Place;
use heirloom_core::frontmatter::{self, Split};
use heirloom_core::record::{Body, Fact, Section};
use heirloom_core::{Document, day, words};
use jiff::Timestamp;
use uuid::Uuid;

use super::batch::{self, Batch};
use super::blocks::{self, Block};
use super::relation::Link;
use super::{Imported, Importing, Text, section};
use names::Names;
use syntax::{Observation, Stated};

pub(super) use syntax::observation;

/// How much of a note's prose is a fact.
const LONGEST: usize = 600;

/// How many tags of a note are on each of its facts.
const MOST_TAGS: usize = 50;

/// A note.
struct Note {
    path: Arc<str>,
    document: Document,
    /// What its origins name it by.
    key: String,
    title: String,
    tags: Vec<String>,
    created: Option<Timestamp>,
    /// Whether its front matter never closes, so that nobody knows where its prose starts.
    is_open: bool,
}

/// A relation of a note, by its place in the batch.
struct Related {
    note: usize,
    line: usize,
    stated: Stated,
}

/// Reads the notes of a folder together: relations lead from one to another.
pub(super) fn import(texts: &[Text<'_>], given: &mut Importing<'_>) -> Imported {
    let mut batch = Batch::new(given);
    let notes: Vec<Note> = texts.iter().map(|text| Note::read(text, &mut batch)).collect();
    let mut related = Vec::new();
    let mut first_facts = Vec::with_capacity(notes.len());
    for (index, note) in notes.iter().enumerate() {
        first_facts.push(note.take(index, &mut related, &mut batch));
    }
    let names = Names::of(notes.iter().map(|note| (&note.document, note.title.as_str())));
    for relation in &related {
        relate(relation, &notes, &names, &first_facts, &mut batch);
    }
    batch.finish()
}

impl Note {
    fn read(text: &Text<'_>, batch: &mut Batch<'_, '_>) -> Self {
        let document = Document::parse(text.path, text.content);
        let path: Arc<str> = text.path.into();
        let place = |key: &str| batch::place(&path, document.line_of(key));
        let title = document.title.clone().filter(|title| batch.fits(&place("title"), title));
        let permalink = document.field("permalink");
        let permalink = permalink.filter(|link| batch.fits(&place("permalink"), link));
        let tags = tags_of(&document);
        if tags.len() > MOST_TAGS {
            let message = format!("of {} tags only {MOST_TAGS} are kept", tags.len());
            batch.problem(&place("tags"), message);
        }
        let tags = tags.into_iter().take(MOST_TAGS);
        Note {
            created: batch.moment(&place("created"), document.field("created")),
            key: permalink.unwrap_or(text.path).to_owned(),
            title: title.unwrap_or_else(|| names::stem(text.path).to_owned()),
            tags: tags.filter(|tag| batch.fits(&place("tags"), tag)).collect(),
            path,
            is_open: frontmatter::split(text.content) == Split::Unclosed,
            document,
        }
    }

    /// Takes the facts of a note and returns the first; its relations are left for later.
    fn take(
        &self,
        index: usize,
        related: &mut Vec<Related>,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let (blocks, unclosed) = blocks::read(&self.document);
        let is_sound = self.document.problems.is_empty() && unclosed.is_none();
        self.document
            .problems
            .iter()
            .cloned()
            .chain(unclosed)
            .for_each(|found| batch.report(found));
        let mut first = None;
        let mut observed = false;
        let mut under = String::new();
        for block in &blocks {
            match block {
                Block::Heading(heading) => under = heading.text.trim().to_lowercase(),
                Block::Paragraph { .. } => {}
                Block::Item { line, text, .. } => match syntax::read(text, &under) {
                    syntax::Item::Observation(observation) => {
                        observed = true;
                        let taken = self.take_observation(*line, observation, batch);
                        first = first.or(taken);
                    }
                    syntax::Item::Relation(stated) => {
                        related.push(Related { note: index, line: *line, stated });
                    }
                    syntax::Item::Unread(hint) => {
                        let message = format!("this item under `{under}` cannot be read");
                        let place = batch::place(&self.path, *line);
                        batch.report(batch::problem(&place, message).hint(hint));
                    }
                    syntax::Item::Prose => {}
                },
            }
        }
        let has_prose = !observed && !self.is_open;
        if has_prose { self.take_prose(&blocks, is_sound, batch) } else { first }
    }

    fn take_observation(
        &self,
        line: usize,
        observation: Observation,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let category = observation.category.as_deref();
        let section = category.and_then(section::of_category);
        let kept = category.filter(|_| section.is_none()).map(str::to_owned);
        let tags = observation.tags.into_iter().chain(kept).collect();
        let place = batch::place(&self.path, line);
        self.take_fact(
            &place,
            section.unwrap_or(Section::Architecture),
            observation.text,
            tags,
            batch,
        )
    }

    /// Takes the first paragraph of a note that observes nothing.
    fn take_prose(
        &self,
        blocks: &[Block<'_>],
        is_sound: bool,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let prose = blocks.iter().find_map(|block| match block {
            Block::Paragraph { line, text } if !text.starts_with('|') => Some((*line, text)),
            _ => None,
        });
        let Some((line, text)) = prose else {
            if is_sound {
                let hint = "write what is known as `- [category] text`";
                let message = "this note has no observation and no paragraph";
                batch.report(batch::problem(&batch::place(&self.path, 1), message).hint(hint));
            }
            return None;
        };
        let text = syntax::first_sentences(text, LONGEST);
        let says_title = words::normalised(&text).contains(&words::normalised(&self.title));
        let content = if says_title { text } else { format!("{}: {text}", self.title) };
        let place = batch::place(&self.path, line);
        self.take_fact(&place, Section::Architecture, content, vec![], batch)
    }

    fn take_fact(
        &self,
        place: &Place,
        section: Section,
        content: String,
        tags: Vec<String>,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let origin = format!("basic-memory:{}#{}", self.key, batch::hash(&content));
        let key = Some(self.title.clone());
        let fact = Fact { section, content, key, value: None, scope: None };
        let mut record = batch.draft(origin, Body::Fact(fact));
        record.tags = batch::tags(tags.into_iter().chain(self.tags.iter().cloned()));
        record.source = Some(self.path.to_string());
        if let Some(created) = self.created {
            record.at = created;
            record.valid_from = Some(day::of(created));
        }
        batch.take(place, record)
    }
}

/// The tags of a note, as a list or between commas, with or without `#`.
fn tags_of(document: &Document) -> Vec<String> {
    let written = document.field_list("tags");
    let tags = written.iter().flat_map(|tag| tag.split(','));
    batch::tags(tags.map(|tag| tag.trim().trim_start_matches('#').to_owned()))
}

fn relate(
    relation: &Related,
    notes: &[Note],
    names: &Names,
    first_facts: &[Option<Uuid>],
    batch: &mut Batch<'_, '_>,
) {
    let note = &notes[relation.note];
    let place = batch::place(&note.path, relation.line);
    let Stated { words, target, context } = &relation.stated;
    let index = match names.find(target) {
        Ok(index) => index,
        Err(reason) => return batch.problem(&place, format!("`[[{target}]]`: {reason}")),
    };
    let link = Link {
        origin: format!(
            "basic-memory:{}#relation:{}",
            note.key,
            batch::hash(&format!("{words}\n{target}"))
        ),
        words,
        from: (&note.title, first_facts[relation.note]),
        to: (target, first_facts[index]),
        content: context.clone(),
    };
    match link.draft(&place, batch) {
        Ok(record) => drop(batch.take(&place, record)),
        Err(problem) => batch.report(problem),
    }
}

#[cfg(test)]
mod tests;
