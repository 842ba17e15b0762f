//! How good a ranking is.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

/// How far down a ranking is looked.
pub(crate) const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// Measures over questions, each the mean of all.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Measures {
    /// The share of what answers that is among the first k.
    pub(crate) recall: BTreeMap<usize, f64>,
    /// The share of questions with any answer among the first k.
    pub(crate) any: BTreeMap<usize, f64>,
    /// The share of questions with all answers among the first k.
    pub(crate) all: BTreeMap<usize, f64>,
    /// The discounted gain of the first k against the best possible.
    pub(crate) ndcg: BTreeMap<usize, f64>,
    /// The reciprocal rank of the first answer.
    pub(crate) mrr: f64,
    /// How many questions.
    pub(crate) questions: usize,
}

impl Measures {
    /// Adds a question: what was found, best first, and what answers.
    pub(crate) fn add(&mut self, found: &[String], gold: &[String]) {
        let gold: HashSet<&str> = gold.iter().map(String::as_str).collect();
        self.questions += 1;
        let hits: Vec<bool> = found.iter().map(|id| gold.contains(id.as_str())).collect();
        for depth in DEPTHS {
            let among = hits.iter().take(depth).filter(|hit| **hit).count();
            let add = |map: &mut BTreeMap<usize, f64>, value: f64| {
                *map.entry(depth).or_default() += value;
            };
            add(&mut self.recall, among as f64 / gold.len() as f64);
            add(&mut self.any, f64::from(u8::from(among > 0)));
            add(&mut self.all, f64::from(u8::from(among == gold.len())));
            let gain = |at: usize| 1.0 / ((at + 2) as f64).log2();
            let gained: f64 = (0..depth.min(hits.len())).filter(|at| hits[*at]).map(gain).sum();
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
            map.values_mut().for_each(|value| *value = rounded(*value / questions));
        }
        self.mrr = rounded(self.mrr / questions);
        self
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_means() {
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
