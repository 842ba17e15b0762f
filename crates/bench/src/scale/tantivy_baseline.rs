//! A plain index of tantivy, as a baseline on the same data.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, Schema, TEXT};
use tantivy::{Index, TantivyDocument, doc};

use crate::failure::Failure;

/// An index of tantivy with default settings.
pub(crate) struct TantivyBaseline {
    index: Index,
    text: Field,
}

/// Indexes the memories of a file, one a line.
pub(crate) fn index_file(memories: &Path, folder: &Path) -> Result<(), Failure> {
    let text = fs::read_to_string(memories).map_err(Failure::io("reading", memories))?;
    let memories: Vec<String> = text.lines().map(str::to_owned).collect();
    TantivyBaseline::new(folder, &memories).map(drop)
}

impl TantivyBaseline {
    /// Indexes memories on two threads.
    pub(super) fn new(folder: &Path, memories: &[String]) -> Result<Self, Failure> {
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", TEXT);
        let id = schema.add_u64_field("id", STORED);
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer_with_num_threads(2, 200_000_000)?;
        for (number, memory) in memories.iter().enumerate() {
            writer.add_document(doc!(text => memory.as_str(), id => number as u64))?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(TantivyBaseline { index, text })
    }

    /// Opens the index that another process made of a file.
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let index = Index::open_in_dir(folder)?;
        let text = index.schema().get_field("text")?;
        Ok(TantivyBaseline { index, text })
    }

    /// Searches the ten best hits of each question, and returns how long each search took.
    pub(crate) fn ask(&self, questions: &[String]) -> Result<Vec<Duration>, Failure> {
        let searcher = self.index.reader()?.searcher();
        let parser = QueryParser::for_index(&self.index, vec![self.text]);
        let mut times = Vec::with_capacity(questions.len());
        for question in questions {
            let started = Instant::now();
            let (query, _) = parser.parse_query_lenient(question);
            let best_ten = TopDocs::with_limit(10).order_by_score();
            let hits = searcher.search(&query, &best_ten)?;
            let best = hits.first().map(|(_, address)| searcher.doc::<TantivyDocument>(*address));
            drop(best);
            times.push(started.elapsed());
        }
        Ok(times)
    }
}
