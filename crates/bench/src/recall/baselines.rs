//! What everybody could do: plain BM25, vectors of the static model, and the fusion of their ranks.

use std::collections::HashMap;

use heirloom_core::recall::terms;
use heirloom_embed::builtin;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Index, IndexReader, TantivyDocument, Term, doc};

use super::contender::Contender;
use super::conversation::{Asked, Document};
use crate::failure::Failure;

/// BM25 as tantivy has it, over the stems that heir finds.
#[derive(Default)]
pub(crate) struct Bm25 {
    index: Option<(Index, IndexReader)>,
}

/// The stems are cut already.
const CUT: &str = "whitespace";

impl Contender for Bm25 {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(CUT)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text =
            schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let id = schema.add_text_field("id", STORED);
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, 50_000_000).map_err(failed)?;
        for document in documents {
            let row = doc!(text => terms(&document.text).join(" "), id => document.doc.as_str());
            writer.add_document(row).map_err(failed)?;
        }
        writer.commit().map_err(failed)?;
        let reader = index.reader().map_err(failed)?;
        self.index = Some((index, reader));
        Ok(())
    }

    fn ask(&mut self, question: &Asked, limit: usize) -> Result<Vec<String>, Failure> {
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
        let found = searcher.search(&BooleanQuery::new(words.collect()), &best).map_err(failed)?;
        let mut ids = Vec::with_capacity(found.len());
        for (_, address) in found {
            let document: TantivyDocument = searcher.doc(address).map_err(failed)?;
            ids.extend(document.get_first(id).and_then(|id| Some(id.as_str()?.to_owned())));
        }
        Ok(ids)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is taken by value")]
fn failed(error: tantivy::TantivyError) -> Failure {
    Failure::new(format!("tantivy: {error}"))
}

/// The static model alone: documents by the nearness of their vectors.
#[derive(Default)]
pub(crate) struct StaticVectors {
    vectors: Vec<(String, Vec<f32>)>,
}

impl Contender for StaticVectors {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        let vector = |document: &Document| (document.doc.clone(), builtin().vector(&document.text));
        self.vectors = documents.iter().map(vector).collect();
        Ok(())
    }

    fn ask(&mut self, question: &Asked, limit: usize) -> Result<Vec<String>, Failure> {
        let query = builtin().vector(&question.text);
        let near = |vector: &[f32]| -> f32 { vector.iter().zip(&query).map(|(a, b)| a * b).sum() };
        let mut found: Vec<(f32, &str)> =
            self.vectors.iter().map(|(id, vector)| (near(vector), id.as_str())).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        Ok(found.into_iter().take(limit).map(|(_, id)| id.to_owned()).collect())
    }
}

/// The ranks of both, added up as reciprocals.
#[derive(Default)]
pub(crate) struct Fusion {
    words: Bm25,
    vectors: StaticVectors,
}

/// How little the first ranks stand out.
const SMOOTH: f64 = 60.0;
/// How far each ranking is looked at.
const DEEP: usize = 100;

impl Contender for Fusion {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.words.load(documents)?;
        self.vectors.load(documents)
    }

    fn ask(&mut self, question: &Asked, limit: usize) -> Result<Vec<String>, Failure> {
        let mut sums: HashMap<String, f64> = HashMap::new();
        let deep = DEEP.max(limit);
        for ranking in [self.words.ask(question, deep)?, self.vectors.ask(question, deep)?] {
            for (at, id) in ranking.into_iter().enumerate() {
                *sums.entry(id).or_default() += 1.0 / (SMOOTH + at as f64 + 1.0);
            }
        }
        let mut found: Vec<(String, f64)> = sums.into_iter().collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(found.into_iter().take(limit).map(|(id, _)| id).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finds_what_answers() {
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
        let question = Asked { text: "how long do refunds take?".to_owned(), ..Asked::default() };
        let contenders: [Box<dyn Contender>; 3] =
            [Box::<Bm25>::default(), Box::<StaticVectors>::default(), Box::<Fusion>::default()];
        for mut contender in contenders {
            contender.load(&documents).unwrap();
            assert_eq!(contender.ask(&question, 2).unwrap()[0], "a");
        }
    }
}
