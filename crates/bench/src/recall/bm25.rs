//! Plain BM25 over the stems of heir, as a baseline.

use heirloom_core::recall::terms;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Index, IndexReader, TantivyDocument, Term, doc};

use super::dataset::{Document, Question};
use super::memory_system::MemorySystem;
use crate::failure::Failure;

/// BM25 of tantivy, over the stems of heir.
#[derive(Default)]
pub(super) struct Bm25 {
    index: Option<(Index, IndexReader)>,
}

/// The tokenizer of tantivy: texts are already split into stems.
const TOKENIZER: &str = "whitespace";

impl MemorySystem for Bm25 {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text =
            schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let id = schema.add_text_field("id", STORED);
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, 50_000_000)?;
        for document in documents {
            let row = doc!(text => terms(&document.text).join(" "), id => document.doc.as_str());
            writer.add_document(row)?;
        }
        writer.commit()?;
        let reader = index.reader()?;
        self.index = Some((index, reader));
        Ok(())
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let Some((index, reader)) = &self.index else { return Ok(vec![]) };
        let schema = index.schema();
        let (text, id) = match (schema.get_field("text"), schema.get_field("id")) {
            (Ok(text), Ok(id)) => (text, id),
            _ => return Ok(vec![]),
        };
        let words = terms(&question.text).into_iter().map(|word| {
            let term = Term::from_field_text(text, &word);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(query) as Box<dyn Query>)
        });
        let searcher = reader.searcher();
        let best = TopDocs::with_limit(limit).order_by_score();
        let hits = searcher.search(&BooleanQuery::new(words.collect()), &best)?;
        let mut ids = Vec::with_capacity(hits.len());
        for (_, address) in hits {
            let document: TantivyDocument = searcher.doc(address)?;
            ids.extend(document.get_first(id).and_then(|id| Some(id.as_str()?.to_owned())));
        }
        Ok(ids)
    }
}
