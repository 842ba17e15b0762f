//! The static model tokenizes and embeds texts as the program that created it.

#![allow(clippy::unwrap_used, reason = "a test")]

use heirloom_core::embedding::{BagOfWordsEmbedder, Embedder};
use heirloom_embed::builtin;
use serde_json::Value;

/// Expected tokens and vectors, written by `models/make.py`.
const SAMPLES: &str = include_str!("../../../models/vectors.json");

#[test]
fn pieces_and_vectors_match_the_samples() {
    let samples: Value = serde_json::from_str(SAMPLES).unwrap();
    let samples = samples.as_array().unwrap();
    assert!(samples.len() >= 40);
    let model = builtin();
    for sample in samples {
        let text = sample["text"].as_str().unwrap();
        let pieces: Vec<&str> = model
            .vocabulary()
            .pieces(text)
            .into_iter()
            .map(|id| model.vocabulary().piece(id))
            .collect();
        assert_eq!(Value::from(pieces), sample["tokens"], "{text:?}");
        let vector = model.vector(text);
        let expected = sample["vector"].as_array().unwrap();
        for (actual, expected) in vector.iter().zip(expected) {
            let expected = expected.as_f64().unwrap();
            assert!((f64::from(*actual) - expected).abs() < 1e-4, "{text:?}: {actual} {expected}");
        }
        let norm: f32 = vector.iter().map(|x| x * x).sum();
        assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-4, "{text:?}: squared norm {norm}");
    }
}

#[test]
fn punctuation_after_a_word_is_a_separate_piece() {
    let pieces = |word: &str| {
        let mut pieces = Vec::new();
        builtin().append_token_ids(word, &mut pieces);
        pieces
    };
    for word in ["cache", "parseFrontMatter", "HTTPServer2", "zxqvbn", "42", &"a".repeat(150)] {
        for mark in [".", ",", ";", ":", "!", "?"] {
            let both = [pieces(word), pieces(mark)].concat();
            assert_eq!(pieces(&format!("{word}{mark}")), both, "{word}{mark}");
        }
    }
}

#[test]
fn texts_of_similar_meaning_have_near_vectors() {
    let cosine = |a: &str, b: &str| -> f32 {
        let (a, b) = (builtin().vector(a), builtin().vector(b));
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    };
    let similar = cosine("The tests fail on Windows", "unit tests are broken on Microsoft Windows");
    let unrelated = cosine("The tests fail on Windows", "We had pasta for dinner");
    assert!(similar > unrelated + 0.3, "{similar} and {unrelated}");
    assert_eq!(builtin().vector(""), vec![0.0; builtin().dimensions()]);
}
