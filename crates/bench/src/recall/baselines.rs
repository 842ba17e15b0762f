//! Baselines: plain BM25, vectors of the static model, and the reciprocal rank fusion of both.

use std::collections::HashMap;

use heirloom_embed::builtin;

use super::dataset::{Document, Question};
use super::measures::fusion_score;
use super::memory_system::MemorySystem;
use crate::failure::Failure;

/// How many results of each ranking are fused.
const FUSED_RESULTS: usize = 100;

/// Creates BM25 of tantivy, over the stems of heir.
#[cfg(feature = "tantivy")]
pub(crate) fn bm25() -> Result<Box<dyn MemorySystem>, Failure> {
    Ok(Box::<super::bm25::Bm25>::default())
}

/// Says how to build the program with tantivy.
#[cfg(not(feature = "tantivy"))]
pub(crate) fn bm25() -> Result<Box<dyn MemorySystem>, Failure> {
    Err(Failure::new(crate::programs::WITHOUT_TANTIVY))
}

/// Creates a ranking by the cosines of vectors of the static model.
pub(crate) fn static_vectors() -> Result<Box<dyn MemorySystem>, Failure> {
    Ok(Box::<StaticVectors>::default())
}

/// Creates the reciprocal rank fusion of BM25 and vectors.
pub(crate) fn fusion() -> Result<Box<dyn MemorySystem>, Failure> {
    Ok(Box::new(Fusion { systems: [bm25()?, static_vectors()?] }))
}

/// Vectors of the static model, ranked by cosine.
#[derive(Default)]
struct StaticVectors {
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
pub(crate) fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The reciprocal rank fusion of two systems.
struct Fusion {
    systems: [Box<dyn MemorySystem>; 2],
}

impl MemorySystem for Fusion {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.systems.iter_mut().try_for_each(|system| system.load(documents))
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let mut sums: HashMap<String, f64> = HashMap::new();
        for system in &mut self.systems {
            let ranking = system.ask(question, FUSED_RESULTS.max(limit))?;
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
        let mut baselines = vec![static_vectors().unwrap()];
        if cfg!(feature = "tantivy") {
            baselines.extend([bm25().unwrap(), fusion().unwrap()]);
        }
        for mut baseline in baselines {
            baseline.load(&documents).unwrap();
            assert_eq!(baseline.ask(&question, 2).unwrap()[0], "a");
        }
    }

    #[test]
    #[cfg(not(feature = "tantivy"))]
    fn a_program_without_tantivy_says_how_to_build_it() {
        for baseline in [bm25(), fusion()] {
            let failure = baseline.err().unwrap().to_string();
            assert!(failure.contains("-p heirloom-bench --features tantivy"), "{failure}");
        }
    }
}
