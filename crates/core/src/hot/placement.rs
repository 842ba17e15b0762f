//! Decides which file to put where, so that each client loads every rule once and no new file hides an existing one.

use std::collections::BTreeSet;

use crate::hot::SourceFile;
use crate::hot::clients::{self, CLIENTS, Client, CommandForm, RootFiles, RulesFolder};
use crate::hot::generated::{self, GeneratedState};
use crate::yaml::YamlStyle;
use crate::{Value, frontmatter, name, path, yaml};

/// What is at a path. No link is followed on the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPath {
    /// Nothing.
    Missing,
    /// A text file.
    File(String),
    /// A file that cannot be read, or something else than a file or a folder, and why.
    Unreadable(String),
    /// A folder.
    Folder,
    /// A symbolic link.
    Link {
        /// The target as written.
        target: String,
        /// The path and text of the file in the root that it leads to.
        file: Option<(String, String)>,
    },
    /// Something below this symbolic link.
    BehindLink(String),
}

/// The files of a repository, as far as clients read them.
pub trait ClientTree {
    /// Returns what is at a path.
    fn look(&self, path: &str) -> FoundPath;
}

/// What is to be put where clients read it.
#[derive(Debug)]
pub struct PlacementRequest<'r> {
    /// The clients.
    pub clients: &'r [&'static Client],
    /// The folder of the rules.
    pub folder: &'r str,
    /// The rules.
    pub rules: &'r [SourceFile],
    /// The commands.
    pub commands: &'r [SourceFile],
    /// Whether files are generated in place of links.
    pub copies: bool,
}

/// The content to put at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A link.
    Link {
        /// The target, relative to the link.
        target: String,
    },
    /// A generated file.
    File(String),
    /// A block at the end of an instruction file.
    Block(String),
}

/// A file to put where clients read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The path.
    pub path: String,
    /// The content.
    pub content: Content,
    /// The source: a file, or the folder of the rules.
    pub source: String,
    /// The ids of the clients that read it.
    pub clients: Vec<&'static str>,
}

/// A client that needs no file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedClient {
    /// The id of the client.
    pub client: &'static str,
    /// The path that it reads.
    pub by: String,
}

/// A client to which the rules cannot be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnservedClient {
    /// The id of the client.
    pub client: &'static str,
    /// Why.
    pub reason: String,
    /// What to do.
    pub hint: String,
}

/// What to put where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlacementPlan {
    /// The files.
    pub placements: Vec<Placement>,
    /// Clients that need no file of their own.
    pub served: Vec<ServedClient>,
    /// Clients to which the rules cannot be given.
    pub unserved: Vec<UnservedClient>,
    /// What people should know.
    pub notices: Vec<String>,
}

/// An instruction file that holds the rules.
struct Host {
    /// The path by which clients read it.
    path: String,
    /// The path of the file itself, if `path` is a link.
    file: String,
    /// Its length in bytes before.
    bytes: usize,
    clients: Vec<&'static Client>,
}

/// What a path of an instruction file leads to.
enum RootFile {
    Missing,
    Usable { file: String, bytes: usize },
    NoFile,
    Unusable(String),
}

/// Decides what to put where.
pub fn plan(request: &PlacementRequest<'_>, tree: &dyn ClientTree) -> PlacementPlan {
    let mut planner = Planner { request, tree, hosts: vec![], plan: PlacementPlan::default() };
    // First the clients that read nothing but instruction files: the others need no file of their own if they read the same
    // instruction file.
    let (with_folder, without): (Vec<_>, Vec<_>) =
        request.clients.iter().copied().partition(|client| client.rules.is_some());
    let (with_settings, only_root): (Vec<_>, Vec<_>) =
        without.into_iter().partition(|client| client.settings.is_some());
    only_root.into_iter().for_each(|client| planner.add_root_client(client));
    with_settings.into_iter().for_each(|client| planner.add_settings_client(client));
    for client in with_folder {
        match (planner.host_of(client), &client.rules) {
            (Some(host), _) => planner.serve(client, host),
            (None, Some(rules)) => planner.add_rules(client, rules),
            (None, None) => {}
        }
    }
    request.clients.iter().for_each(|client| planner.add_commands(client));
    planner.finish()
}

struct Planner<'p> {
    request: &'p PlacementRequest<'p>,
    tree: &'p dyn ClientTree,
    hosts: Vec<Host>,
    plan: PlacementPlan,
}

impl Planner<'_> {
    /// Chooses an instruction file for a client that has no folder of rules.
    fn add_root_client(&mut self, client: &'static Client) {
        let names = root_files_of(client, self.tree);
        for file in &names {
            match self.root_file(file) {
                RootFile::Usable { file: target, bytes } => {
                    return self.add_host(client, file, target, bytes);
                }
                RootFile::Unusable(reason) => {
                    return self.fail(client, reason, "make it a file of its own");
                }
                RootFile::Missing | RootFile::NoFile => {}
            }
        }
        let is_shared = names.iter().any(|name| name == clients::AGENTS_FILE);
        let new =
            if is_shared { clients::AGENTS_FILE } else { names.first().map_or("", |name| name) };
        if !clients::is_known_place(new) {
            let reason = format!("its settings name {}", names.join(", "));
            return self.fail(client, reason, "create one of these files");
        }
        match self.hidden_by(new).as_slice() {
            [] => self.add_host(client, new, new.to_owned(), 0),
            hidden => {
                let (first, file) = &hidden[0];
                let others: Vec<&str> = hidden.iter().map(|(name, _)| *name).collect();
                let reason = format!(
                    "it reads {new}, which does not exist, and a new one would hide {file} from {}",
                    if others.len() > 1 { others.join(" and ") } else { (*first).to_owned() }
                );
                let hint = format!(
                    "create {new} yourself, or make it a link to {file}, and link {} again",
                    client.id
                );
                self.fail(client, reason, &hint);
            }
        }
    }

    /// Adds a client that can be told of the folder by its settings.
    fn add_settings_client(&mut self, client: &'static Client) {
        let Some(settings) = &client.settings else { return };
        let pattern = format!("{}/*.md", self.request.folder);
        let existing = settings.existing.iter().find_map(|file| match self.tree.look(file) {
            FoundPath::Missing => None,
            FoundPath::File(text) => {
                let is_own = generated::file_state(&text) == GeneratedState::Unchanged;
                (!is_own).then_some((*file, text))
            }
            _ => Some((*file, String::new())),
        });
        if let Some((file, text)) = existing {
            let names_folder =
                ["", "./"].iter().any(|it| text.contains(&format!("\"{it}{pattern}\"")));
            return match names_folder {
                true => self.serve(client, file.to_owned()),
                false => self.add_root_client(client),
            };
        }
        if let Some(host) = self.host_of(client) {
            return self.serve(client, host);
        }
        let value = serde_json::json!({"$schema": settings.schema, settings.key: [pattern]});
        let text = format!("{value:#}\n");
        let text = generated::mark_file(settings.path, &text, self.request.folder);
        let source = self.request.folder.to_owned();
        self.place(client, settings.path.to_owned(), Content::File(text), source);
    }

    /// Puts every rule into the folder of a client.
    fn add_rules(&mut self, client: &'static Client, rules: &RulesFolder) {
        if rules.path == self.request.folder {
            return self.serve(client, rules.path.to_owned());
        }
        match self.tree.look(rules.path) {
            FoundPath::Missing | FoundPath::Folder => {}
            FoundPath::Link { target, .. }
                if rules.front_matter.is_empty()
                    && rules.suffix == ".md"
                    && rules.follows_links
                    && path::resolve_link(rules.path, &target).as_deref()
                        == Some(self.request.folder) =>
            {
                return self.serve(client, rules.path.to_owned());
            }
            FoundPath::Link { .. } => {
                let reason = format!("{} is a symbolic link, which is not followed", rules.path);
                return self.fail(client, reason, "replace the link by a folder");
            }
            FoundPath::BehindLink(link) => {
                let reason = format!("{link} is a symbolic link, which is not followed");
                return self.fail(client, reason, "replace the link by a folder");
            }
            FoundPath::File(_) | FoundPath::Unreadable(_) => {
                let reason = format!("{} is no folder", rules.path);
                return self.fail(client, reason, "move it to another place");
            }
        }
        for source in self.request.rules {
            let place = format!("{}/{}{}", rules.path, source.stem(), rules.suffix);
            let can_link = rules.follows_links
                && !self.request.copies
                && generated::states_keys(&source.text, rules.front_matter);
            let content = if can_link {
                Content::Link { target: path::relative_link(&place, &source.path) }
            } else {
                let text = generated::copy_for(source, &place, rules.front_matter);
                Content::File(generated::mark_file(&place, &text, &source.path))
            };
            if let Content::File(text) = &content {
                self.check_size(client, &place, text.len());
            }
            self.place(client, place, content, source.path.clone());
        }
    }

    fn add_commands(&mut self, client: &'static Client) {
        for source in self.request.commands {
            let place = &client.commands;
            let name = name::slug(source.stem());
            if name.is_empty() {
                continue;
            }
            let path = match place.form {
                CommandForm::Skill => format!("{}/{name}/SKILL.md", place.folder),
                CommandForm::Command | CommandForm::Workflow => {
                    format!("{}/{name}.md", place.folder)
                }
            };
            let text = command_text(source, &path, place.form, &name);
            self.place(client, path, Content::File(text), source.path.clone());
        }
    }

    /// Adds the blocks of the instruction files and the notices.
    fn finish(mut self) -> PlacementPlan {
        let folder = self.request.folder.to_owned();
        for host in std::mem::take(&mut self.hosts) {
            let imports = host.clients.iter().all(|client| client.imports_files);
            let parts = self.request.rules.iter().map(|source| match imports {
                true => format!("@./{}\n", path::relative_link(&host.path, &source.path)),
                false => format!("{}\n", generated::body_for(source, &host.file)),
            });
            let body = parts.collect::<Vec<_>>().join(if imports { "" } else { "\n" });
            for client in &host.clients {
                self.check_size(client, &host.path, host.bytes + body.len());
            }
            let clients = host.clients.iter().map(|client| client.id).collect();
            let content = Content::Block(body);
            let placement =
                Placement { path: host.path.clone(), content, source: folder.clone(), clients };
            if !self.request.rules.is_empty() {
                self.plan.placements.push(placement);
            }
        }
        self.add_notices_of_double_loading();
        self.plan.placements.sort_by(|a, b| a.path.cmp(&b.path));
        self.plan
    }

    /// Says where a client may load the rules twice.
    fn add_notices_of_double_loading(&mut self) {
        let rules: BTreeSet<&str> =
            self.request.rules.iter().map(|source| source.path.as_str()).collect();
        let is_of_rules = |placement: &Placement| {
            rules.contains(placement.source.as_str()) || placement.source == self.request.folder
        };
        let placed: Vec<&Placement> =
            self.plan.placements.iter().filter(|placement| is_of_rules(placement)).collect();
        let mut notices = Vec::new();
        for client in self.request.clients {
            if !placed.iter().any(|placement| placement.clients.contains(&client.id)) {
                continue;
            }
            for also in client.may_also_read {
                let is_read = placed.iter().any(|placement| {
                    path::is_within(&placement.path, also.path)
                        && !placement.clients.contains(&client.id)
                });
                let is_hidden = also
                    .unless_exists
                    .is_some_and(|file| self.tree.look(file) != FoundPath::Missing);
                if is_read && !is_hidden {
                    let (reader, path) = (also.reader, also.path);
                    let notice = format!("{reader} reads {path} too, and loads the rules twice");
                    if !notices.contains(&notice) {
                        notices.push(notice);
                    }
                }
            }
        }
        self.plan.notices.extend(notices);
    }

    fn check_size(&mut self, client: &Client, path: &str, bytes: usize) {
        if let Some(limit) = client.max_file_bytes.filter(|limit| bytes > *limit) {
            let name = client.name;
            self.plan.notices.push(format!(
                "{name} reads at most {limit} bytes of {path}, which has {bytes}: the end is left out"
            ));
        }
    }

    fn place(&mut self, client: &'static Client, path: String, content: Content, source: String) {
        let known = self.plan.placements.iter_mut().find(|known| known.path == path);
        match known {
            Some(known) => known.clients.push(client.id),
            None => {
                let clients = vec![client.id];
                self.plan.placements.push(Placement { path, content, source, clients });
            }
        }
    }

    fn serve(&mut self, client: &'static Client, by: String) {
        if let Some(host) = self.hosts.iter_mut().find(|host| host.path == by) {
            host.clients.push(client);
        }
        self.plan.served.push(ServedClient { client: client.id, by });
    }

    fn fail(&mut self, client: &'static Client, reason: String, hint: &str) {
        let hint = hint.to_owned();
        self.plan.unserved.push(UnservedClient { client: client.id, reason, hint });
    }

    fn add_host(&mut self, client: &'static Client, path: &str, file: String, bytes: usize) {
        match self.hosts.iter_mut().find(|host| host.file == file) {
            Some(host) => host.clients.push(client),
            None => {
                let path = path.to_owned();
                self.hosts.push(Host { path, file, bytes, clients: vec![client] });
            }
        }
    }

    /// Returns the path of the host that a client reads.
    fn host_of(&self, client: &Client) -> Option<String> {
        let names = root_files_of(client, self.tree);
        let is_first_only = matches!(client.root_files, RootFiles::First(_));
        for file in names {
            let RootFile::Usable { file, .. } = self.root_file(&file) else { continue };
            if let Some(host) = self.hosts.iter().find(|host| host.file == file) {
                return Some(host.path.clone());
            }
            if is_first_only {
                return None;
            }
        }
        None
    }

    fn root_file(&self, path: &str) -> RootFile {
        let usable = |file: String, bytes: usize| RootFile::Usable { file, bytes };
        match self.tree.look(path) {
            FoundPath::Missing => match self.hosts.iter().any(|host| host.path == path) {
                true => usable(path.to_owned(), 0),
                false => RootFile::Missing,
            },
            // Settings that name the file come with the repository.
            FoundPath::File(_) if !is_instruction_file(path) => {
                RootFile::Unusable(format!("{path}, which its settings name, is no markdown file"))
            }
            FoundPath::File(text) => usable(path.to_owned(), text.len()),
            FoundPath::Folder => RootFile::NoFile,
            FoundPath::Unreadable(reason) => RootFile::Unusable(format!("{path}: {reason}")),
            FoundPath::Link { file: Some((file, text)), .. } => {
                if path::is_within(&file, self.request.folder) {
                    let reason = format!("{path} is a symbolic link to one of the rules");
                    RootFile::Unusable(reason)
                } else if is_instruction_file(&file) {
                    usable(file, text.len())
                } else {
                    let reason =
                        format!("{path} is a symbolic link to {file}, which is no markdown");
                    RootFile::Unusable(reason)
                }
            }
            FoundPath::Link { file: None, .. } => RootFile::Unusable(format!(
                "{path} is a symbolic link that leads to no file in the workspace"
            )),
            FoundPath::BehindLink(link) => {
                RootFile::Unusable(format!("{link} is a symbolic link, which is not followed"))
            }
        }
    }

    /// Returns which existing files a new one would hide, each with the client that would no longer read it.
    fn hidden_by(&self, new: &str) -> Vec<(&'static str, &'static str)> {
        let exists = |file: &str| {
            matches!(self.tree.look(file), FoundPath::File(_) | FoundPath::Link { .. })
        };
        let hidden = CLIENTS.iter().filter_map(|client| {
            let RootFiles::First(files) = client.root_files else { return None };
            let at = files.iter().position(|file| *file == new)?;
            let (before, after) = (&files[..at], &files[at + 1..]);
            let file = after.iter().find(|file| exists(file))?;
            (!before.iter().any(|file| exists(file))).then_some((client.name, *file))
        });
        hidden.collect()
    }
}

/// Returns whether a file may get a block: markdown, and not one that belongs to git or to Heirloom.
pub(super) fn is_instruction_file(path: &str) -> bool {
    let is_known = clients::is_known_place(path) && !path.ends_with(".jsonc");
    !super::is_reserved(path) && (is_known || path.to_lowercase().ends_with(".md"))
}

/// Returns the instruction files that a client reads, in order.
pub fn root_files_of(client: &Client, tree: &dyn ClientTree) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    match client.root_files {
        RootFiles::All(names) | RootFiles::First(names) => owned(names),
        RootFiles::Named { settings, keys, usual } => {
            let named = match tree.look(settings) {
                FoundPath::File(text) => named_files(&text, keys),
                _ => vec![],
            };
            if named.is_empty() { owned(usual) } else { named }
        }
    }
}

/// Returns the names at a path of keys of JSON settings.
fn named_files(settings: &str, keys: &[&str]) -> Vec<String> {
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let value = keys.iter().try_fold(&settings, |value, key| value.get(key));
    match value {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => vec![],
    }
}

/// The longest description of a command in characters.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// Returns the text of a command in the form of a client.
fn command_text(source: &SourceFile, place: &str, form: CommandForm, name: &str) -> String {
    let description = Value::String(description(&source.text));
    let description = yaml::write_inline(&description, YamlStyle::Plain);
    let keys = match form {
        CommandForm::Skill => vec![("name", name), ("description", description.as_str())],
        CommandForm::Command | CommandForm::Workflow => {
            vec![("description", description.as_str())]
        }
    };
    let text = generated::copy_for(source, place, &keys);
    generated::mark_file(place, &text, &source.path)
}

/// Returns the first sentence of a text's first paragraph.
fn description(text: &str) -> String {
    let body = &text[frontmatter::body_start(text)..];
    let is_prose = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with(['#', '<', '`', '|', '>'])
    };
    let lines = body.lines().skip_while(|line| !is_prose(line)).take_while(is_prose);
    let paragraph = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let sentence = paragraph.split_inclusive(". ").next().unwrap_or_default().trim();
    sentence.chars().take(MAX_DESCRIPTION_CHARS).collect()
}

#[cfg(test)]
mod tests;
