//! Sets up workspaces: a new one, an existing repository, an example.

pub mod adopt;
pub mod demo;
mod git_files;
pub mod init;
