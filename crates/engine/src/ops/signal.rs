//! Commands that tell what is known about the present work.

pub(crate) mod branch;
pub(crate) mod clear;
pub(crate) mod error;
pub(crate) mod file;
pub(crate) mod list;
mod report;
pub(crate) mod user;
