//! The statements of a file, bounded.

use heirloom_core::imports::SourceStatement;

/// Maximum number of statements of a file.
const MAX_STATEMENTS: usize = 300;

/// Maximum length of a name or a path in a statement, in bytes.
const MAX_NAME_BYTES: usize = 300;

/// The statements of a file, each once, in their order.
#[derive(Debug, Default)]
pub(crate) struct Statements(Vec<SourceStatement>);

impl Statements {
    pub(crate) fn import(&mut self, name: &str) {
        self.add(&[name], || SourceStatement::Import(name.to_owned()));
    }

    pub(crate) fn module(&mut self, name: &str) {
        self.add(&[name], || SourceStatement::Module(name.to_owned()));
    }

    pub(crate) fn file(&mut self, path: &str) {
        self.add(&[path], || SourceStatement::File(path.to_owned()));
    }

    pub(crate) fn package(&mut self, name: &str) {
        self.add(&[name], || SourceStatement::Package(name.to_owned()));
    }

    pub(crate) fn alias(&mut self, pattern: &str, target: &str) {
        self.add(&[pattern, target], || {
            SourceStatement::Alias(pattern.to_owned(), target.to_owned())
        });
    }

    pub(crate) fn into_list(self) -> Vec<SourceStatement> {
        self.0
    }

    fn add(&mut self, texts: &[&str], statement: impl FnOnce() -> SourceStatement) {
        let is_bounded = texts.iter().all(|text| (1..=MAX_NAME_BYTES).contains(&text.len()));
        if is_bounded && self.0.len() < MAX_STATEMENTS {
            let statement = statement();
            if !self.0.contains(&statement) {
                self.0.push(statement);
            }
        }
    }
}
