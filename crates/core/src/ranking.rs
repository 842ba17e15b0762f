//! Which texts answer a query best, by the words that they share with it (BM25).

use std::collections::{HashMap, HashSet};

use crate::words::words;

/// How soon a repeated word counts for less.
const SATURATION: f64 = 1.2;
/// How much a long text counts for less.
const LENGTH_WEIGHT: f64 = 0.75;

/// Returns the texts that share a word with the query, best first, with their scores. Any text is a
/// query; one without words finds nothing.
pub fn rank(query: &str, texts: &[String]) -> Vec<(usize, f64)> {
    let wanted: HashSet<String> = words(query).into_iter().collect();
    let counted: Vec<(HashMap<&str, f64>, f64)> = texts
        .iter()
        .map(|text| {
            let all = words(text);
            let length = all.len() as f64;
            let mut counts = HashMap::new();
            for word in all {
                if let Some(word) = wanted.get(&word) {
                    *counts.entry(word.as_str()).or_insert(0.0) += 1.0;
                }
            }
            (counts, length)
        })
        .collect();
    let total = texts.len() as f64;
    let mean = counted.iter().map(|(_, length)| length).sum::<f64>() / total.max(1.0);
    let mut holders: HashMap<&str, f64> = HashMap::new();
    for word in counted.iter().flat_map(|(counts, _)| counts.keys()) {
        *holders.entry(word).or_default() += 1.0;
    }
    let weight = |word: &str| {
        let holding = holders.get(word).copied().unwrap_or_default();
        (1.0 + (total - holding + 0.5) / (holding + 0.5)).ln()
    };
    let score = |(counts, length): &(HashMap<&str, f64>, f64)| -> f64 {
        let scores = counts.iter().map(|(word, count)| {
            let damping = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / mean);
            weight(word) * count * (SATURATION + 1.0) / (count + damping)
        });
        // A sum whose order varies would vary in its last bits, and equal texts would part.
        let mut scores: Vec<f64> = scores.collect();
        scores.sort_by(f64::total_cmp);
        scores.iter().sum()
    };
    let mut ranked: Vec<(usize, f64)> =
        counted.iter().map(score).enumerate().filter(|(_, score)| *score > 0.0).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_decide_and_any_text_is_a_query() {
        let texts: Vec<String> = ["use the cache", "use the schema.ts file", "use C++ for it"]
            .map(str::to_owned)
            .to_vec();
        let best = |query: &str| rank(query, &texts).first().map(|(at, _)| *at);
        assert_eq!(best("use schema.ts"), Some(1));
        assert_eq!(best("C++"), Some(2));
        assert_eq!(best("what's the cache?"), Some(0));
        assert_eq!(best("\""), None);
        assert_eq!(rank("x", &[]), []);
    }
}
