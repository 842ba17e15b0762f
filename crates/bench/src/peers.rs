//! Other memory tools (peers), at pinned versions, on the same data in the same run.
//!
//! Each is asked in the way that works best with it. A tool that finds nothing with a whole question is asked word by
//! word, and the results are merged here, in its favour.

mod basic_memory;
mod heir_server;
mod install;
mod limps;
mod limps_listing;
mod measurement;
mod memcite;
mod packages;
mod process;
mod report;
mod server_memory;
mod words;

pub(crate) use basic_memory::BasicMemory;
pub(crate) use install::install;
pub(crate) use limps::VERSION as LIMPS_VERSION;
pub(crate) use limps_listing::{limps, limps_listing};
pub(crate) use measurement::measure;
pub(crate) use process::run_to_end;
pub(crate) use server_memory::ServerMemory;
