//! Reads source files with tree-sitter: which modules a file imports, and what manifests state about packages.
//!
//! The sources come with a repository, so everything is bounded: the bytes that are read, the steps of the parser, the
//! depth of the tree, and the number and length of statements. A file that exceeds a bound has fewer statements.

mod manifest;
mod parse;
mod statements;

mod go;
mod java;
mod python;
mod rust;
mod script;
#[cfg(test)]
mod tests;

use heirloom_core::imports::{Manifest, SourceLanguage, SourceStatement};

use statements::Statements;

/// The part of a file that is read, from its beginning.
pub const MAX_SOURCE_BYTES: usize = 200_000;

/// Returns what a file states about other files; nothing for a file of another kind.
pub fn read_statements(path: &str, content: &[u8]) -> Vec<SourceStatement> {
    let content = &content[..content.len().min(MAX_SOURCE_BYTES)];
    let mut statements = Statements::default();
    if let Some(manifest) = Manifest::of(path) {
        manifest::read(manifest, content, &mut statements);
    } else if let Some(language) = SourceLanguage::of(path) {
        match language {
            SourceLanguage::Rust => rust::read(content, &mut statements),
            SourceLanguage::Python => python::read(content, &mut statements),
            SourceLanguage::Script => script::read(content, &mut statements),
            SourceLanguage::Go => go::read(content, &mut statements),
            SourceLanguage::Java => java::read(content, &mut statements),
        }
    }
    statements.into_list()
}
