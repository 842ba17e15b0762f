//! Setting things up: a workspace, its documents, an example.

pub mod adopt;
pub mod demo;
mod git_files;
pub mod init;
