//! Which files of a repository a source file imports.
//!
//! A reader of source code states what a file imports, as [`SourceStatement`]s; [`SourceFiles`] knows the paths of a
//! repository and finds the files that are meant. Statements do not depend on other files, so a changed file costs only
//! itself. What leads out of the repository, or cannot be found, is left out.

mod files;
mod go;
mod java;
mod python;
mod rust;
mod script;
#[cfg(test)]
mod tests;

pub use files::SourceFiles;

/// What a source file or a manifest states about other files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceStatement {
    /// It imports a module, under the name that its language uses: `crate::a::b`, `..a.b`, `./a`.
    Import(String),
    /// It declares a module that is a file of its own: `mod a;`, or `a/b` inside a module `a`.
    Module(String),
    /// It includes a file by its path from the folder of this file.
    File(String),
    /// It is the manifest of a package with this name.
    Package(String),
    /// It states that imports like the first pattern are found at the second; each may have one `*`.
    Alias(String, String),
}

/// Languages whose imports are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceLanguage {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// TypeScript and JavaScript.
    Script,
    /// Go.
    Go,
    /// Java.
    Java,
}

/// Extensions of TypeScript and JavaScript, in the order in which an import without one is looked for.
const SCRIPT_EXTENSIONS: [&str; 8] = ["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs"];

impl SourceLanguage {
    /// Returns the language of a file by its extension.
    pub fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension {
            "rs" => Some(SourceLanguage::Rust),
            "py" | "pyi" => Some(SourceLanguage::Python),
            "go" => Some(SourceLanguage::Go),
            "java" => Some(SourceLanguage::Java),
            _ if SCRIPT_EXTENSIONS.contains(&extension) => Some(SourceLanguage::Script),
            _ => None,
        }
    }
}

/// Manifests whose packages and aliases are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manifest {
    /// `Cargo.toml`.
    Cargo,
    /// `go.mod`.
    GoModule,
    /// `package.json`.
    NodePackage,
    /// `tsconfig.json`, `tsconfig.base.json` or `jsconfig.json`.
    ScriptConfig,
}

impl Manifest {
    /// Returns which manifest a file is by its name.
    pub fn of(path: &str) -> Option<Self> {
        match crate::path::file_name(path) {
            "Cargo.toml" => Some(Manifest::Cargo),
            "go.mod" => Some(Manifest::GoModule),
            "package.json" => Some(Manifest::NodePackage),
            "tsconfig.json" | "tsconfig.base.json" | "jsconfig.json" => {
                Some(Manifest::ScriptConfig)
            }
            _ => None,
        }
    }
}
