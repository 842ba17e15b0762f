//! Makes the lookup table of the built-in model's vocabulary, and finds where the near words of each piece start, so that no
//! process has to.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a build script")]

#[allow(dead_code, reason = "looking up pieces is for the crate itself")]
#[path = "src/piece_table.rs"]
mod piece_table;

use std::error::Error;
use std::fmt::{Debug, Write};
use std::path::Path;
use std::{env, fs};

use piece_table::PieceTable;

const MODEL: &str = "../../models/static.bin";

/// The bytes before the vocabulary: a magic number, and three numbers, of which the last is the size of the vocabulary.
const HEADER_BYTES: usize = 20;

const NEAR_WORDS: &str = "../../models/near.bin";

/// The bytes before the near words: a magic number, and the number of pieces.
const NEAR_HEADER_BYTES: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={MODEL}");
    println!("cargo::rerun-if-changed={NEAR_WORDS}");
    println!("cargo::rerun-if-changed=src/piece_table.rs");
    let model = fs::read(MODEL)?;
    let (header, rest) = model.split_first_chunk::<HEADER_BYTES>().ok_or("the model is cut off")?;
    let [.., a, b, c, d] = *header;
    let pieces = rest.get(..u32::from_le_bytes([a, b, c, d]) as usize);
    let table = PieceTable::new(std::str::from_utf8(pieces.ok_or("the model is cut off")?)?);
    let mut code = String::new();
    add_static(&mut code, "STARTS", "u32", &table.starts)?;
    add_static(&mut code, "SLOTS", "(u32, u32)", &table.slots)?;
    add_static(&mut code, "FILTER", "u64", &table.filter)?;
    writeln!(code, "const MAX_PIECE_BYTES: usize = {};", table.max_piece_bytes)?;
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    fs::write(Path::new(&folder).join("builtin_table.rs"), code)?;
    let mut code = String::new();
    add_static(&mut code, "NEAR_STARTS", "u32", &near_starts(&fs::read(NEAR_WORDS)?))?;
    Ok(fs::write(Path::new(&folder).join("near_starts.rs"), code)?)
}

/// Returns where the near words of each piece start: a piece has their number in a byte, and three bytes for each.
fn near_starts(list: &[u8]) -> Vec<u32> {
    let words = list.get(NEAR_HEADER_BYTES..).unwrap_or_default();
    let next = |at: &usize| Some(at + 1 + usize::from(*words.get(*at)?) * 3);
    let starts = std::iter::successors(Some(0), next).filter(|at| *at < words.len());
    starts.map(|at| at as u32).collect()
}

fn add_static<T: Debug>(
    code: &mut String,
    name: &str,
    item: &str,
    values: &[T],
) -> std::fmt::Result {
    writeln!(code, "static {name}: [{item}; {}] = {values:?};", values.len())
}
