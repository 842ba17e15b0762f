//! Setting things up: a workspace, its documents, an example.

pub mod adopt;
pub mod demo;
pub mod init;
pub mod scaffold;
