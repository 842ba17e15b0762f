//! Fuzzing of everything that parses, edits or is asked a text from outside, on the stable toolchain.
//!
//! The parts, in the order in which an input passes through them: `corpus` holds the seeds, `mutate` bends one of them
//! (with `random`), `harness` runs it through one of the `targets` under a `watchdog`, `crash` makes a failing one
//! small and keeps it. `cargo-fuzz/` runs the same targets under libFuzzer.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a terminal tool with files of its own, none of which is a workspace"
)]

pub mod corpus;
pub mod crash;
pub mod harness;
pub mod mutate;
pub mod random;
pub mod signature;
pub mod targets;
pub mod watchdog;
