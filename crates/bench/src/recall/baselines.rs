//! Baselines: plain BM25, vectors of the static model, and the reciprocal rank fusion of both.

use std::collections::HashMap;

use heirloom_core::recall::terms;
use heirloom_embed::builtin;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Index, IndexReader, TantivyDocument, Term, doc};

use super::dataset::{Document, Question};
use super::measures::fusion_score;
use super::memory_system::MemorySystem;
use crate::failure::Failure;

/// BM25 of tantivy, over the stems of heir.
#[derive(Default)]
pub(crate) struct Bm25 {
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
        let mut writer = index.writer_with_num_threads(1, 50_000_000).map_err(tantivy_failure)?;
        for document in documents {
            let row = doc!(text => terms(&document.text).join(" "), id => document.doc.as_str());
            writer.add_document(row).map_err(tantivy_failure)?;
        }
        writer.commit().map_err(tantivy_failure)?;
        let reader = index.reader().map_err(tantivy_failure)?;
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
        let found =
            searcher.search(&BooleanQuery::new(words.collect()), &best).map_err(tantivy_failure)?;
        let mut ids = Vec::with_capacity(found.len());
        for (_, address) in found {
            let document: TantivyDocument = searcher.doc(address).map_err(tantivy_failure)?;
            ids.extend(document.get_first(id).and_then(|id| Some(id.as_str()?.to_owned())));
        }
        Ok(ids)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes the error by value")]
fn tantivy_failure(error: tantivy::TantivyError) -> Failure {
    Failure::new(format!("tantivy: {error}"))
}

/// Vectors of the static model, ranked by cosine.
#[derive(Default)]
pub(crate) struct StaticVectors {
    vectors: Vec<(String, Vec<f32>)>,
}

impl MemorySystem for StaticVectors {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        let vector = |document: &Document| (document.doc.clone(), builtin().vector(&document.text));
        self.vectors = documents.iter().map(vector).collect();
        Ok(())
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let query = builtin().vector(&question.text);
        let cosines =
            self.vectors.iter().map(|(id, vector)| (dot_product(vector, &query), id.as_str()));
        let mut ranked: Vec<(f32, &str)> = cosines.collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        Ok(ranked.into_iter().take(limit).map(|(_, id)| id.to_owned()).collect())
    }
}

/// Returns the dot product of two vectors, which is their cosine if both have length 1.
pub(super) fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The reciprocal rank fusion of BM25 and vectors.
#[derive(Default)]
pub(crate) struct Fusion {
    bm25: Bm25,
    vectors: StaticVectors,
}

/// How many results of each ranking are fused.
const FUSED_RESULTS: usize = 100;

impl MemorySystem for Fusion {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.bm25.load(documents)?;
        self.vectors.load(documents)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let mut sums: HashMap<String, f64> = HashMap::new();
        let fused = FUSED_RESULTS.max(limit);
        for ranking in [self.bm25.ask(question, fused)?, self.vectors.ask(question, fused)?] {
            for (rank, id) in ranking.into_iter().enumerate() {
                *sums.entry(id).or_default() += fusion_score(rank + 1);
            }
        }
        let mut ranked: Vec<(String, f64)> = sums.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(ranked.into_iter().take(limit).map(|(id, _)| id).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_baseline_ranks_the_answer_first() {
        let document = |doc: &str, text: &str| Document {
            doc: doc.to_owned(),
            group: None,
            at: None,
            text: text.to_owned(),
        };
        let documents = [
            document("a", "Refunds take thirty days"),
            document("b", "The index is kept in SQLite"),
        ];
        let question =
            Question { text: "how long do refunds take?".to_owned(), ..Question::default() };
        let baselines: [Box<dyn MemorySystem>; 3] =
            [Box::<Bm25>::default(), Box::<StaticVectors>::default(), Box::<Fusion>::default()];
        for mut baseline in baselines {
            baseline.load(&documents).unwrap();
            assert_eq!(baseline.ask(&question, 2).unwrap()[0], "a");
        }
    }
}
