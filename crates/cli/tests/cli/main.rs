//! Runs the real program. One test program for all files: it is linked once, and its tests keep every processor busy.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests set up real files and run real programs; one that cannot go on has failed"
)]

mod archive;
mod assembly;
#[cfg(unix)]
mod attacks;
mod bad_input;
mod budgets;
#[cfg(unix)]
mod cold;
mod conflicts;
mod consolidation;
mod contradictions;
mod conversations;
mod damage;
mod decisions;
mod documents;
mod entries;
mod entry_dates;
mod exchange;
mod extraction;
mod fields;
#[cfg(target_os = "linux")]
mod full_disk;
mod guide;
mod hierarchies;
#[cfg(unix)]
mod hot;
mod learnings;
mod log;
mod mcp;
mod mcp_arguments;
mod memory;
mod merges;
#[cfg(unix)]
mod nothing_lost;
mod openapi;
mod prediction;
mod purge;
mod recall;
mod renumber;
mod resolve;
mod rest;
mod retrieve;
mod sessions;
mod signals;
mod staleness;
mod surroundings;
mod terminal;
mod undo;
mod usage;
mod watch;

/// The program.
const HEIR: &str = env!("CARGO_BIN_EXE_heir");

/// Returns names that lead out of the workspace, or that no document can have. `outside` is the absolute path of a folder
/// beside the workspace.
fn hostile_names(outside: &str) -> [&str; 11] {
    [
        "../../outside",
        "..",
        "../../etc",
        "/etc",
        outside,
        "..\\..\\outside",
        "0042\0",
        "\0",
        "-rf",
        "~",
        "",
    ]
}
