//! Quality measures of rankings.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

/// The depths k at which rankings are measured.
pub(crate) const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// The constant `k` of reciprocal rank fusion.
const FUSION_RANK_OFFSET: f64 = 60.0;

/// Measures over questions: sums at first, means after [`Measures::means`].
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Measures {
    /// The share of the answers that is among the first k results.
    pub(crate) recall: BTreeMap<usize, f64>,
    /// The share of questions with an answer among the first k results.
    pub(crate) any: BTreeMap<usize, f64>,
    /// The share of questions with all answers among the first k results.
    pub(crate) all: BTreeMap<usize, f64>,
    /// The normalised discounted cumulative gain of the first k results.
    pub(crate) ndcg: BTreeMap<usize, f64>,
    /// The mean reciprocal rank of the first answer.
    pub(crate) mrr: f64,
    /// How many questions.
    pub(crate) questions: usize,
}

impl Measures {
    /// Adds a question, with the ids of its results, best first, and the ids of its answers.
    pub(crate) fn add(&mut self, results: &[String], gold: &[String]) {
        let gold: HashSet<&str> = gold.iter().map(String::as_str).collect();
        self.questions += 1;
        let hits: Vec<bool> = results.iter().map(|id| gold.contains(id.as_str())).collect();
        for depth in DEPTHS {
            let answers_found = hits.iter().take(depth).filter(|hit| **hit).count();
            let add = |map: &mut BTreeMap<usize, f64>, value: f64| {
                *map.entry(depth).or_default() += value;
            };
            add(&mut self.recall, answers_found as f64 / gold.len() as f64);
            add(&mut self.any, f64::from(u8::from(answers_found > 0)));
            add(&mut self.all, f64::from(u8::from(answers_found == gold.len())));
            let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
            let gained: f64 = (0..depth.min(hits.len())).filter(|rank| hits[*rank]).map(gain).sum();
            let best: f64 = (0..depth.min(gold.len())).map(gain).sum();
            add(&mut self.ndcg, gained / best);
        }
        if let Some(first) = hits.iter().position(|hit| *hit) {
            self.mrr += 1.0 / (first + 1) as f64;
        }
    }

    /// Turns sums into means.
    pub(crate) fn means(mut self) -> Self {
        let questions = self.questions.max(1) as f64;
        for map in [&mut self.recall, &mut self.any, &mut self.all, &mut self.ndcg] {
            map.values_mut().for_each(|value| *value = round(*value / questions));
        }
        self.mrr = round(self.mrr / questions);
        self
    }
}

fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Returns what a result at a rank adds to its score in reciprocal rank fusion.
pub(crate) fn fusion_score(rank: usize) -> f64 {
    1.0 / (FUSION_RANK_OFFSET + rank as f64)
}

/// How much of some evidence is among the first k results.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct EvidenceMeasures {
    /// How many pieces of evidence there are, over all questions.
    pub(crate) pieces: usize,
    /// The share of them that is among the first k results; counts until [`EvidenceMeasures::means`].
    pub(crate) recall: BTreeMap<usize, f64>,
}

impl EvidenceMeasures {
    /// Adds a piece of evidence, which the results of its question may have.
    pub(crate) fn add(&mut self, results: &[String], piece: &str) {
        self.pieces += 1;
        let rank = results.iter().position(|id| id == piece);
        for depth in DEPTHS {
            let is_found = rank.is_some_and(|rank| rank < depth);
            *self.recall.entry(depth).or_default() += f64::from(u8::from(is_found));
        }
    }

    /// Turns counts into shares.
    pub(crate) fn means(mut self) -> Self {
        let pieces = self.pieces.max(1) as f64;
        self.recall.values_mut().for_each(|count| *count = round(*count / pieces));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_means_over_questions() {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let mut measures = Measures::default();
        measures.add(&ids(&["x", "a", "y", "b"]), &ids(&["a", "b"]));
        measures.add(&ids(&["c"]), &ids(&["c"]));
        let means = measures.means();
        assert_eq!((means.recall[&1], means.recall[&5]), (0.5, 1.0));
        assert_eq!((means.any[&1], means.all[&1]), (0.5, 0.5));
        assert_eq!(means.mrr, 0.75);
        assert!(means.ndcg[&5] < 1.0 && means.ndcg[&5] > 0.8);
    }
}
