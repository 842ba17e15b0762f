//! The model reads texts as the program that made it does.

#![allow(clippy::unwrap_used, reason = "a test")]

use heirloom_core::embedding::{ByWords, Embedder};
use heirloom_embed::builtin;
use serde_json::Value;

/// Written by `models/make.py` from the same file.
const SAMPLES: &str = include_str!("../../../models/vectors.json");

#[test]
fn pieces_and_vectors_are_those_of_the_maker() {
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
        let wanted = sample["vector"].as_array().unwrap();
        for (own, wanted) in vector.iter().zip(wanted) {
            let wanted = wanted.as_f64().unwrap();
            assert!((f64::from(*own) - wanted).abs() < 1e-4, "{text:?}: {own} is not {wanted}");
        }
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "{text:?} is {length} long");
    }
}

#[test]
fn a_mark_behind_a_word_is_a_piece_of_its_own() {
    let pieces = |word: &str| {
        let mut pieces = Vec::new();
        builtin().add_pieces(word, &mut pieces);
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
fn what_means_alike_is_near() {
    let near = |a: &str, b: &str| -> f32 {
        let (a, b) = (builtin().vector(a), builtin().vector(b));
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    };
    let alike = near("The tests fail on Windows", "unit tests are broken on Microsoft Windows");
    let other = near("The tests fail on Windows", "We had pasta for dinner");
    assert!(alike > other + 0.3, "{alike} and {other}");
    assert_eq!(builtin().vector(""), vec![0.0; builtin().dimensions()]);
}
