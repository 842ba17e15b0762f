//! Failing inputs: catching them, making them small, keeping them.

use std::cell::RefCell;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{self, UnwindSafe};
use std::path::{Path, PathBuf};

use crate::signature::Signature;

/// How many smaller inputs are tried before the smallest so far is taken.
const TRIES: usize = 3000;

/// A panic and where it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What it said.
    pub message: String,
    /// The file and line.
    pub place: String,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Silences panics: thousands of them are one bug, and it is reported once.
pub fn quiet() {
    panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
        let place = info
            .location()
            .map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        LAST.with_borrow_mut(|last| *last = Some(Failure { message, place }));
    }));
}

/// Runs a target, and returns its panic as a value.
pub fn catch(run: impl FnOnce() -> Signature + UnwindSafe) -> Result<Signature, Failure> {
    panic::catch_unwind(run).map_err(|_| {
        let last = LAST.with_borrow_mut(Option::take);
        last.unwrap_or_else(|| Failure { message: "a panic".to_owned(), place: String::new() })
    })
}

/// Takes parts out of an input, large ones first, as long as `fails` holds.
pub fn minimise(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = input.to_vec();
    let mut tries = 0;
    let mut part = smallest.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        let mut shrunk = false;
        while at < smallest.len() && tries < TRIES {
            let mut shorter = smallest.clone();
            shorter.drain(at..smallest.len().min(at + part));
            tries += 1;
            if fails(&shorter) {
                smallest = shorter;
                shrunk = true;
            } else {
                at += part;
            }
        }
        if tries >= TRIES || (part == 1 && !shrunk) {
            break;
        }
        part = if part == 1 { 1 } else { part / 2 };
    }
    smallest
}

/// Writes a failing input down and says how to run it again.
pub fn keep(target: &str, input: &[u8]) {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let path = home().join(format!("{target}-{:016x}", hasher.finish()));
    let written = fs::create_dir_all(home()).and_then(|()| fs::write(&path, input));
    match written {
        Ok(()) => eprintln!(
            "  replay: cargo run --release -p heirloom-fuzz -- --target {target} {}",
            path.display()
        ),
        Err(error) => eprintln!(
            "  it could not be written to {}: {error}\n  {:?}",
            path.display(),
            String::from_utf8_lossy(input)
        ),
    }
}

fn home() -> PathBuf {
    let here = Path::new("target/fuzz/crashes");
    if Path::new("Cargo.toml").is_file() {
        here.to_path_buf()
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_is_left() {
        let fails =
            |input: &[u8]| input.windows(2).any(|pair| pair == b"ab") && input.contains(&b'z');
        assert_eq!(minimise(b"xxxxabxxxxxxxxzxxxx", fails), b"abz");
    }
}
