//! Fuzz targets for all code that parses, edits or searches untrusted text, on the stable toolchain.
//!
//! `tests/targets.rs` runs each of the `targets` on its `corpus` and on a fixed number of mutations of it (`mutate`).
//! `harness` prefers to mutate inputs whose outcome (`signature`) was not seen before. `cargo-fuzz/` runs the same
//! targets under libFuzzer, which goes deeper: it is guided by coverage and makes failing inputs small.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the corpus and failing inputs are files of its own, none of which is a workspace"
)]

pub mod corpus;
pub mod harness;
pub mod mutate;
pub mod signature;
pub mod targets;
