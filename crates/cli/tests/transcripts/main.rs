//! Transcripts of the commands: each file of this folder says what is typed, and the real binary
//! must print what stands below it.
//!
//! `SNAPSHOTS=overwrite cargo test --test transcripts` writes what is printed now into the files;
//! `git diff` then shows what changed. `script` says what a transcript may contain.

#![allow(clippy::disallowed_methods, reason = "a transcript edits files as a person does")]

mod ids;
mod script;

use std::path::{Path, PathBuf};

use tryfn::{Case, Data, Harness};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    Harness::new(folder, case, |path: &Path| script::run(path)).select(["*.txt"]).test();
}

fn case(path: PathBuf) -> Case {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let expected = Data::read_from(&path, None).raw();
    Case { name, fixture: path, expected }
}
