//! The files of a repository, and how imports are found among them.

use rustc_hash::FxHashMap;

use super::{Manifest, SourceLanguage, SourceStatement, go, java, python, rust, script};
use crate::path;

/// Maximum number of files that one import stands for: a package of Go or Java may have more.
pub(super) const MAX_FILES_PER_PACKAGE: usize = 20;

/// Maximum number of files that a file is taken to import.
const MAX_IMPORTS_PER_FILE: usize = 200;

/// An import pattern of a `tsconfig.json`.
#[derive(Debug)]
pub(super) struct Alias<'f> {
    /// The folder of the file that states it.
    pub(super) folder: &'f str,
    pub(super) pattern: &'f str,
    pub(super) target: &'f str,
}

/// The paths of a repository, and what its manifests state.
#[derive(Debug, Default)]
pub struct SourceFiles<'f> {
    numbers: FxHashMap<&'f str, u32>,
    /// The source files of each folder.
    folders: FxHashMap<&'f str, Vec<(&'f str, u32)>>,
    /// The folders that end in a name, for packages of Java.
    folders_by_name: FxHashMap<&'f str, Vec<&'f str>>,
    /// The folders of crates, by the name that code uses for them.
    crates: FxHashMap<String, &'f str>,
    pub(super) go_modules: FxHashMap<&'f str, &'f str>,
    pub(super) node_packages: FxHashMap<&'f str, &'f str>,
    pub(super) aliases: Vec<Alias<'f>>,
}

impl<'f> SourceFiles<'f> {
    /// Collects files: their numbers, paths and statements.
    pub fn new(files: impl Iterator<Item = (u32, &'f str, &'f [SourceStatement])>) -> Self {
        let mut all = SourceFiles::default();
        for (number, path, statements) in files {
            all.numbers.insert(path, number);
            let folder = path::folder(path);
            if let Some(manifest) = Manifest::of(path) {
                all.add_manifest(manifest, folder, statements);
            } else if SourceLanguage::of(path).is_some() {
                all.add_to_folder(folder, path, number);
            }
        }
        all
    }

    fn add_to_folder(&mut self, folder: &'f str, path: &'f str, number: u32) {
        let files = self.folders.entry(folder).or_default();
        if files.is_empty() {
            self.folders_by_name.entry(path::file_name(folder)).or_default().push(folder);
        }
        files.push((path, number));
    }

    fn add_manifest(
        &mut self,
        manifest: Manifest,
        folder: &'f str,
        statements: &'f [SourceStatement],
    ) {
        for statement in statements {
            match (manifest, statement) {
                (Manifest::Cargo, SourceStatement::Package(name)) => {
                    self.crates.insert(name.replace('-', "_"), folder);
                }
                (Manifest::GoModule, SourceStatement::Package(name)) => {
                    self.go_modules.insert(name, folder);
                }
                (Manifest::NodePackage, SourceStatement::Package(name)) => {
                    self.node_packages.insert(name, folder);
                }
                (_, SourceStatement::Alias(pattern, target)) => {
                    self.aliases.push(Alias { folder, pattern, target });
                }
                _ => {}
            }
        }
    }

    /// Returns the numbers of the files that a file with some statements imports, each once, in their order.
    pub fn imports(&self, path: &str, statements: &[SourceStatement]) -> Vec<u32> {
        let Some(language) = SourceLanguage::of(path) else { return vec![] };
        let own = self.number(path);
        let mut found = Vec::new();
        for statement in statements {
            let files = match (language, statement) {
                (SourceLanguage::Rust, statement) => rust::find(self, path, statement),
                (SourceLanguage::Python, SourceStatement::Import(name)) => {
                    python::find(self, path, name)
                }
                (SourceLanguage::Script, SourceStatement::Import(name)) => {
                    script::find(self, path, name)
                }
                (SourceLanguage::Go, SourceStatement::Import(name)) => go::find(self, name),
                (SourceLanguage::Java, SourceStatement::Import(name)) => java::find(self, name),
                _ => vec![],
            };
            for file in files {
                if Some(file) != own && !found.contains(&file) {
                    found.push(file);
                }
            }
            if found.len() >= MAX_IMPORTS_PER_FILE {
                break;
            }
        }
        found
    }

    /// Returns the number of the file with a path.
    pub(super) fn number(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    /// Returns the first of some paths that exists.
    pub(super) fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<u32> {
        paths.into_iter().find_map(|path| self.number(&path))
    }

    /// Returns the source files of a folder.
    pub(super) fn in_folder(&self, folder: &str) -> &[(&'f str, u32)] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns the folders whose last part is a name.
    pub(super) fn folders_named(&self, name: &str) -> &[&'f str] {
        self.folders_by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the folder of a crate by the name that code uses for it.
    pub(super) fn crate_folder(&self, name: &str) -> Option<&'f str> {
        self.crates.get(name).copied()
    }
}

/// Joins a folder and a path below it. The root is the empty folder.
pub(super) fn join(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// Returns the folders that contain a path, the nearest first; the root is last.
pub(super) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path::folder(path));
    std::iter::from_fn(move || {
        let folder = rest?;
        rest = (!folder.is_empty()).then(|| path::folder(folder));
        Some(folder)
    })
}
