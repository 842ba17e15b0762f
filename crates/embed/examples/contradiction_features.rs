//! Writes the numbers that rules compute for the pairs of a file; `models/judge/combine.py` fits a model to them.
//!
//!     cargo run -p heirloom-embed --example contradiction_features -- PAIRS.tsv FEATURES.f32 NAMES.txt
//!
//! A line of PAIRS.tsv has two statements separated by a tab. FEATURES.f32 holds the numbers of all pairs, little endian,
//! pair by pair, and NAMES.txt the name of each number.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::io::{BufWriter, Write};
use std::time::Instant;
use std::{env, fs};

use heirloom_core::contradiction::named_features;
use heirloom_embed::builtin;

fn main() -> Result<(), Box<dyn Error>> {
    let [pairs, features, names] = [1, 2, 3]
        .map(|at| env::args().nth(at).ok_or("PAIRS.tsv, FEATURES.f32 and NAMES.txt are needed"));
    let text = fs::read_to_string(pairs?)?;
    let mut out = BufWriter::new(fs::File::create(features?)?);
    let vectors: RefCell<HashMap<String, Vec<f32>>> = RefCell::default();
    let nearness = |a: &str, b: &str| -> f32 {
        let mut vectors = vectors.borrow_mut();
        for word in [a, b] {
            if !vectors.contains_key(word) {
                vectors.insert(word.to_owned(), builtin().vector(word));
            }
        }
        vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
    };
    let mut all_names = Vec::new();
    let started = Instant::now();
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        let mut fields = line.split('\t');
        let (Some(a), Some(b)) = (fields.next(), fields.next()) else {
            return Err(format!("line {}: two statements are needed", number + 1).into());
        };
        let (names, values) = named_features(a, b, &nearness);
        for value in values {
            out.write_all(&value.to_le_bytes())?;
        }
        all_names = names;
        count += 1;
    }
    out.flush()?;
    fs::write(names?, all_names.join("\n") + "\n")?;
    eprintln!("{count} pairs in {:?}", started.elapsed());
    Ok(())
}
