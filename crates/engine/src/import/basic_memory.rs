//! Imports notes of basic-memory: markdown with observations (`- [category] text #tag (context)`) and
//! relations (`- relation_type [[Target]]`).

mod names;
mod syntax;

use std::sync::Arc;

use heirloom_core::fold::LineLocation;
use heirloom_core::frontmatter::{self, FrontMatterLocation};
use heirloom_core::record::{Body, Fact, FactSection, Origin};
use heirloom_core::{Document, day};
use jiff::Timestamp;
use uuid::Uuid;

use super::batch::{self, Batch, ImportContext, ImportResult, SourceText};
use super::blocks::{self, MarkdownBlock};
use super::relation::ForeignRelation;
use super::section;
use names::NoteIndex;
use syntax::{Observation, RelationItem};

pub(super) use syntax::parse_observation;

/// The name of the format.
pub(super) const FORMAT: &str = "basic-memory";

/// Limits the prose of a note that becomes a fact, in characters.
const MAX_PROSE_CHARS: usize = 600;

/// Limits the tags of a note, because each of its facts gets all of them.
const MAX_NOTE_TAGS: usize = 50;

/// A note of basic-memory, read but not imported.
struct Note {
    path: Arc<str>,
    document: Document,
    /// The identifier of the note in the origins of its records.
    key: String,
    title: String,
    tags: Vec<String>,
    created: Option<Timestamp>,
    /// Whether its front matter is never closed, so that the start of its prose is unknown.
    has_unclosed_front_matter: bool,
}

/// A relation of a note, to be imported when all notes are known.
struct NoteRelation {
    /// The position of the note in the import.
    note: usize,
    line: usize,
    item: RelationItem,
}

/// What was imported from one note.
#[derive(Default)]
struct ImportedItems {
    first_observation: Option<Uuid>,
    first_prose: Option<Uuid>,
    /// Whether the note has anything to import, even if it was rejected.
    has_content: bool,
}

impl ImportedItems {
    fn add_observation(&mut self, fact: Option<Uuid>) {
        self.has_content = true;
        self.first_observation = self.first_observation.or(fact);
    }

    fn add_prose(&mut self, fact: Option<Uuid>) {
        self.has_content = true;
        self.first_prose = self.first_prose.or(fact);
    }
}

/// Imports notes together, because relations lead from one note to another.
pub(super) fn import(texts: &[SourceText<'_>], context: &mut ImportContext<'_>) -> ImportResult {
    let mut batch = Batch::new(context);
    let notes: Vec<Note> = texts.iter().map(|text| Note::read(text, &mut batch)).collect();
    let mut relations = Vec::new();
    let mut first_facts = Vec::with_capacity(notes.len());
    for (index, note) in notes.iter().enumerate() {
        first_facts.push(note.import_items(index, &mut relations, &mut batch));
    }
    let names = NoteIndex::new(notes.iter().map(|note| (&note.document, note.title.as_str())));
    for relation in &relations {
        import_relation(relation, &notes, &names, &first_facts, &mut batch);
    }
    batch.finish()
}

impl Note {
    fn read(text: &SourceText<'_>, batch: &mut Batch<'_, '_>) -> Self {
        let document = Document::parse(text.path, text.content);
        let path: Arc<str> = text.path.into();
        let place = |key: &str| batch::place(&path, document.line_of(key));
        let title = document.title.clone().filter(|title| batch.check_name(&place("title"), title));
        let permalink = document.field("permalink");
        let permalink = permalink.filter(|link| batch.check_name(&place("permalink"), link));
        let tags = tags_of(&document);
        if tags.len() > MAX_NOTE_TAGS {
            let message =
                format!("only the first {MAX_NOTE_TAGS} of {} tags are imported", tags.len());
            batch.report_at(&place("tags"), message);
        }
        let tags = tags.into_iter().take(MAX_NOTE_TAGS);
        let title = title.unwrap_or_else(|| names::stem(text.path).to_owned());
        Note {
            created: batch.timestamp(&place("created"), document.field("created")),
            // The path would differ if the same file is imported from another folder.
            key: permalink.unwrap_or(&title).to_owned(),
            title,
            tags: tags.filter(|tag| batch.check_name(&place("tags"), tag)).collect(),
            path,
            has_unclosed_front_matter: frontmatter::split(text.content)
                == FrontMatterLocation::Unclosed,
            document,
        }
    }

    /// Imports the facts of a note and returns the first one. Its relations are collected for later, when
    /// all notes are known.
    fn import_items(
        &self,
        index: usize,
        relations: &mut Vec<NoteRelation>,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let (blocks, unclosed) = blocks::read(&self.document);
        let has_reported_problems = !self.document.problems.is_empty() || unclosed.is_some();
        self.document
            .problems
            .iter()
            .cloned()
            .chain(unclosed)
            .for_each(|problem| batch.report(problem));
        let mut imported = ImportedItems::default();
        let mut heading_text = String::new();
        for block in &blocks {
            match block {
                MarkdownBlock::Heading(heading) => {
                    heading_text = heading.text.trim().to_lowercase();
                }
                MarkdownBlock::Paragraph { line, text }
                | MarkdownBlock::TableRow { line, text }
                | MarkdownBlock::Code { line, text } => {
                    imported.add_prose(self.import_prose(*line, text, batch));
                }
                MarkdownBlock::Item { text, .. } if text.is_empty() => {}
                MarkdownBlock::Item { line, text, .. } => {
                    match syntax::parse_item(text, &heading_text) {
                        syntax::ListItem::Observation(observation) => {
                            let fact = self.import_observation(*line, observation, batch);
                            imported.add_observation(fact);
                        }
                        syntax::ListItem::Relation(item) => {
                            imported.has_content = true;
                            relations.push(NoteRelation { note: index, line: *line, item });
                        }
                        syntax::ListItem::MalformedRelation => {
                            let place = batch::place(&self.path, *line);
                            batch.report(
                                batch::problem(&place, "this item names no relation or no target")
                                    .hint("write it as `- relation_type [[Target]]`"),
                            );
                        }
                        syntax::ListItem::Prose => {
                            imported.add_prose(self.import_prose(*line, text, batch));
                        }
                    }
                }
            }
        }
        if !imported.has_content && !has_reported_problems {
            let hint = "write a fact as `- [category] text`";
            let message = "this note has no observation and no paragraph";
            batch.report(batch::problem(&batch::place(&self.path, 1), message).hint(hint));
        }
        imported.first_observation.or(imported.first_prose)
    }

    fn import_observation(
        &self,
        line: usize,
        observation: Observation,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let category = observation.category.as_deref();
        let section = category.and_then(section::of_category);
        // A category without a section is kept as a tag.
        let category_tag = category.filter(|_| section.is_none()).map(str::to_owned);
        let tags = observation.tags.into_iter().chain(category_tag).collect();
        let place = batch::place(&self.path, line);
        self.import_fact(
            &place,
            section.unwrap_or(FactSection::Architecture),
            &observation.text,
            tags,
            batch,
        )
    }

    /// Imports a paragraph or an ordinary list item. Without the end of its front matter, it is not known where the prose
    /// of a note starts.
    fn import_prose(&self, line: usize, text: &str, batch: &mut Batch<'_, '_>) -> Option<Uuid> {
        if self.has_unclosed_front_matter {
            return None;
        }
        let place = batch::place(&self.path, line);
        let content = syntax::first_sentences(text, MAX_PROSE_CHARS);
        if content.chars().count() < text.trim().chars().count() {
            let message = format!(
                "only the first sentences, up to {MAX_PROSE_CHARS} characters, are imported"
            );
            batch.report_at(&place, message);
        }
        self.import_fact(&place, FactSection::Architecture, &content, vec![], batch)
    }

    /// Imports a fact. Its text begins with the title of the note, unless it contains it: a fact is read on its own.
    fn import_fact(
        &self,
        place: &LineLocation,
        section: FactSection,
        text: &str,
        tags: Vec<String>,
        batch: &mut Batch<'_, '_>,
    ) -> Option<Uuid> {
        let item = format!("{}#{}", self.key, batch::hash(text));
        let content = batch::with_name(&self.title, text);
        let origin = Origin::imported(FORMAT, item);
        let fact_key = Some(self.title.clone());
        let fact = Fact { section, content, key: fact_key, value: None, scope: None };
        let mut record = batch.draft(origin, Body::Fact(fact));
        record.tags = batch::tags(tags.into_iter().chain(self.tags.iter().cloned()));
        record.source = Some(self.path.to_string());
        if let Some(created) = self.created {
            record.at = created;
            record.valid_from = Some(day::of_timestamp(created));
        }
        batch.insert(place, record)
    }
}

/// Returns the tags of a note, which may be a list or separated by commas, with or without `#`.
fn tags_of(document: &Document) -> Vec<String> {
    let written = document.field_list("tags");
    let tags = written.iter().flat_map(|tag| tag.split(','));
    batch::tags(tags.map(|tag| tag.trim().trim_start_matches('#').to_owned()))
}

fn import_relation(
    relation: &NoteRelation,
    notes: &[Note],
    note_index: &NoteIndex,
    first_facts: &[Option<Uuid>],
    batch: &mut Batch<'_, '_>,
) {
    let note = &notes[relation.note];
    let place = batch::place(&note.path, relation.line);
    let RelationItem { words, target, context } = &relation.item;
    let target_fact = note_index.find(target).and_then(|index| first_facts[index]);
    let foreign = ForeignRelation {
        origin: Origin::imported(
            FORMAT,
            format_args!("{}#relation:{}", note.key, batch::hash(&format!("{words}\n{target}"))),
        ),
        words,
        from: (&note.title, first_facts[relation.note]),
        to: (target, target_fact),
        content: context.clone(),
    };
    match foreign.draft_or_sentence(&place, batch) {
        Ok(record) => drop(batch.insert(&place, record)),
        Err(problem) => batch.report(problem),
    }
}

#[cfg(test)]
mod tests;
