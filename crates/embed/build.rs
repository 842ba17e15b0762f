//! Makes the lookup table of the built-in model's vocabulary, so that no process has to.

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

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={MODEL}");
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
    Ok(fs::write(Path::new(&folder).join("builtin_table.rs"), code)?)
}

fn add_static<T: Debug>(
    code: &mut String,
    name: &str,
    item: &str,
    values: &[T],
) -> std::fmt::Result {
    writeln!(code, "static {name}: [{item}; {}] = {values:?};", values.len())
}
