//! What clients load in every conversation besides the rules of hot memory.

use std::collections::BTreeMap;

use heirloom_core::hot::clients::{CLIENTS, Client, RootFiles};
use heirloom_core::hot::generated::{self, GeneratedState};
use heirloom_core::hot::loaded::{imported_files, is_always_loaded};
use heirloom_core::hot::placement::{self, ClientTree, FoundPath};
use heirloom_core::path;
use heirloom_store::Root;

use super::tree::RootTree;

/// How many folders below a folder of rules are entered, one in the other.
const MAX_FOLDER_DEPTH: usize = 4;

/// The most files of a client that are read.
const MAX_FILES: usize = 500;

/// How many imports are followed from an instruction file, one after the other.
const MAX_IMPORT_DEPTH: usize = 4;

/// A file that clients load in every conversation.
#[derive(Debug)]
pub(crate) struct ClientFile {
    /// The path.
    pub(crate) path: String,
    /// The text, without what `hot link` put in.
    pub(crate) text: String,
    /// The ids of the clients.
    pub(crate) clients: Vec<&'static str>,
}

/// Returns the files that clients load in every conversation besides those of `folder`, by path.
pub(crate) fn client_files(root: &Root, folder: &str) -> Vec<ClientFile> {
    let reader = Reader { root, tree: RootTree(root), folder };
    let mut files: BTreeMap<String, ClientFile> = BTreeMap::new();
    for client in CLIENTS {
        for (path, text) in reader.files_of(client) {
            let new = || ClientFile { path: path.clone(), text, clients: vec![] };
            let file = files.entry(path.clone()).or_insert_with(new);
            if !file.clients.contains(&client.id) {
                file.clients.push(client.id);
            }
        }
    }
    files.into_values().collect()
}

struct Reader<'r> {
    root: &'r Root,
    tree: RootTree<'r>,
    folder: &'r str,
}

impl Reader<'_> {
    fn files_of(&self, client: &Client) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if let Some(rules) = &client.rules {
            let mut paths = Vec::new();
            self.list(rules.path, MAX_FOLDER_DEPTH, &mut paths);
            for path in paths.into_iter().filter(|path| path.ends_with(rules.suffix)) {
                let text = self.own_text(&path);
                found.extend(text.filter(|(_, text)| is_always_loaded(rules, text)));
            }
        }
        for name in placement::root_files_of(client, &self.tree) {
            if let Some(file) = self.own_text(&name) {
                self.add_with_imports(file, client, &mut found);
                if matches!(client.root_files, RootFiles::First(_)) {
                    break;
                }
            }
        }
        found
    }

    /// Adds an instruction file with the files that it imports.
    fn add_with_imports(
        &self,
        file: (String, String),
        client: &Client,
        found: &mut Vec<(String, String)>,
    ) {
        let mut open = vec![(file, 0)];
        while let Some(((path, text), depth)) = open.pop() {
            if found.iter().any(|(known, _)| *known == path) {
                continue;
            }
            if client.imports_files && depth < MAX_IMPORT_DEPTH {
                let imported = imported_files(&text).into_iter();
                let imported = imported.filter_map(|it| path::resolve_link(&path, it));
                open.extend(imported.filter_map(|it| Some((self.own_text(&it)?, depth + 1))));
            }
            found.push((path, text));
        }
    }

    /// Returns the path and text of a file that a person wrote, without a block of ours.
    fn own_text(&self, path: &str) -> Option<(String, String)> {
        let (file, text) = match self.tree.look(path) {
            FoundPath::File(text) => (path.to_owned(), text),
            FoundPath::Link { file: Some(file), .. } => file,
            _ => return None,
        };
        let is_rule = path::is_within(&file, self.folder);
        let is_generated = generated::file_state(&text) == GeneratedState::Unchanged;
        (!is_rule && !is_generated).then(|| (file, generated::outside_of_block(&text)))
    }

    /// Lists the files of a folder and its subfolders. Links to folders are not followed.
    fn list(&self, folder: &str, depth: usize, paths: &mut Vec<String>) {
        if self.tree.look(folder) != FoundPath::Folder {
            return;
        }
        for item in self.root.list(folder).unwrap_or_default() {
            if paths.len() == MAX_FILES {
                return;
            }
            let path = format!("{folder}/{}", item.name);
            match item.is_folder {
                true if depth > 0 && !item.is_link => self.list(&path, depth - 1, paths),
                true => {}
                false => paths.push(path),
            }
        }
    }
}
