//! Classifies tool calls by the tool's name and input, whichever client made them.

use serde_json::Value;

use super::content;
use super::effect::{ToolEffect, effect_of};
use super::model::ToolKind;
use super::shell_command::{self, ReadOnlyCommand};
use crate::shell;

/// What a tool call means.
pub(super) struct CallDescription {
    pub(super) kind: ToolKind,
    /// The argument that describes the call best.
    pub(super) input: String,
    /// The files that the call names, relative to the working directory.
    pub(super) files: Vec<String>,
    pub(super) effect: ToolEffect,
}

/// Tool names in lower case and without separators, by kind.
const TOOL_NAMES: &[(ToolKind, &str)] = &[
    (
        ToolKind::Edit,
        "applydiff applypatch create createfile edit editfile multiedit notebookedit replace \
         searchreplace strreplace strreplacebasededittool strreplaceeditor update write writefile \
         writetofile",
    ),
    (ToolKind::Read, "notebookread read readfile readmanyfiles view viewimage"),
    (
        ToolKind::Run,
        "bash containerexec exec execcommand executecommand localshell run runcommand \
         runshellcommand runterminalcmd shell shellcommand terminal",
    ),
    (
        ToolKind::Search,
        "codebasesearch glob grep grepfiles grepsearch listdir listdirectory listfiles ls search \
         searchfiles toolsearch webfetch websearch",
    ),
    (ToolKind::Delegate, "agent spawnagent task"),
    (
        ToolKind::Plan,
        "enterplanmode exitplanmode taskcreate taskget tasklist taskupdate todoread todowrite \
         updateplan",
    ),
    (ToolKind::Ask, "askuserquestion requestuserinput"),
];

/// Argument names of the file that a call works on.
const PATH_KEYS: &str =
    "file_path notebook_path path filePath filename file target_file absolute_path";

/// Argument names of lists of files.
const PATH_LIST_KEYS: [&str; 3] = ["paths", "files", "file_paths"];

/// Names of the arguments that describe a call, most descriptive first.
const DESCRIPTIVE_KEYS: &str =
    "command cmd description query pattern url prompt subject question message skill name input";

/// Classifies a call by the tool's name and its input.
pub(super) fn describe(name: &str, input: &Value, cwd: Option<&str>) -> CallDescription {
    let normalized_name = normalize_name(name);
    let (kind, text, files) = classify(kind_of(&normalized_name), input, cwd);
    let effect = effect_of(&normalized_name, input);
    let files: Vec<String> = files.iter().map(|file| relative_to(cwd, file)).collect();
    let text = match &effect {
        ToolEffect::AskUser(questions) => {
            questions.iter().map(|question| question.text.as_str()).collect::<Vec<_>>().join(" ")
        }
        _ => text,
    };
    let input = if text.is_empty() { files.join(", ") } else { text };
    CallDescription { kind, input, files, effect }
}

/// Refines the kind of a tool by its input: an edit may only view a file, and a command may apply a
/// patch or only read. Returns the kind, the descriptive argument and the files.
fn classify(kind: ToolKind, input: &Value, cwd: Option<&str>) -> (ToolKind, String, Vec<String>) {
    let command = command_of(input);
    let texts =
        [input.as_str(), input["input"].as_str(), input["patch"].as_str(), command.as_deref()];
    let patch = texts.into_iter().flatten().find(|text| text.contains("*** Begin Patch"));
    match (kind, patch) {
        (ToolKind::Edit | ToolKind::Run, Some(patch)) => {
            (ToolKind::Edit, String::new(), files_in_patch(patch))
        }
        (ToolKind::Edit, None) if input["command"] == "view" => {
            (ToolKind::Read, String::new(), paths_of(input))
        }
        (ToolKind::Edit | ToolKind::Read, None) => (kind, String::new(), paths_of(input)),
        (ToolKind::Run, None) => {
            let command = command.unwrap_or_default();
            match shell_command::parse_read_only(&command) {
                Some(ReadOnlyCommand::ShowsFiles(files)) => (ToolKind::Read, String::new(), files),
                Some(ReadOnlyCommand::Searches) => (ToolKind::Search, command, vec![]),
                None => (kind, command, vec![]),
            }
        }
        _ => (kind, descriptive_argument(input, cwd), vec![]),
    }
}

/// Returns a path relative to the working directory if it lies in it, else the path.
fn relative_to(cwd: Option<&str>, path: &str) -> String {
    let path = with_forward_slashes(path);
    let relative = cwd.map(with_forward_slashes).and_then(|cwd| {
        let rest = path.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/')?;
        (!rest.is_empty() && rest.split('/').all(|part| part != "..")).then(|| rest.to_owned())
    });
    relative.unwrap_or_else(|| path.strip_prefix("./").unwrap_or(&path).to_owned())
}

fn kind_of(normalized_name: &str) -> ToolKind {
    let contains = |names: &str| names.split(' ').any(|name| name == normalized_name);
    let found = TOOL_NAMES.iter().find(|(_, names)| contains(names));
    found.map_or(ToolKind::Other, |(kind, _)| *kind)
}

fn normalize_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the command line of a call: a string, an array of words, or the script of
/// `bash -lc script`.
fn command_of(input: &Value) -> Option<String> {
    let action = &input["action"];
    let command = [&input["command"], &input["cmd"], &action["command"], input]
        .into_iter()
        .find(|value| value.is_string() || value.is_array())?;
    let words: Vec<&str> = match command {
        Value::String(command) => return Some(command.clone()),
        command => content::array_items(command).iter().filter_map(Value::as_str).collect(),
    };
    Some(match words.as_slice() {
        [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => (*script).to_owned(),
        words => words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
    })
}

fn quote(word: &str) -> String {
    let is_plain = !word.contains(|c: char| c.is_whitespace() || "'\"\\;|&".contains(c));
    if is_plain { word.to_owned() } else { shell::single_quote(word) }
}

fn paths_of(input: &Value) -> Vec<String> {
    let single = PATH_KEYS.split(' ').find_map(|key| input[key].as_str());
    let lists = PATH_LIST_KEYS.iter().flat_map(|key| content::array_items(&input[*key]));
    single.into_iter().chain(lists.filter_map(Value::as_str)).map(str::to_owned).collect()
}

fn files_in_patch(patch: &str) -> Vec<String> {
    let path_in = |line: &str| {
        let headers = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
        let path = headers.iter().find_map(|header| line.strip_prefix(header))?;
        Some(path.trim().to_owned()).filter(|path| !path.is_empty())
    };
    patch.lines().filter_map(path_in).collect()
}

/// The longest text of arguments that is kept, in bytes.
const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// Returns all texts of a call's input, one a line: what a file will contain and not what it contained.
pub(super) fn argument_texts(input: &Value) -> String {
    let mut text = String::new();
    add_texts(input, &mut text);
    text.truncate(text.floor_char_boundary(MAX_ARGUMENT_BYTES));
    text
}

fn add_texts(value: &Value, text: &mut String) {
    match value {
        Value::String(own) if own.contains("*** Begin Patch") => {
            let is_kept = |line: &&str| line.starts_with('+') || line.starts_with("*** ");
            own.lines().filter(is_kept).for_each(|line| {
                text.push_str(line.trim_start_matches('+'));
                text.push('\n');
            });
        }
        Value::String(own) => {
            text.push_str(own);
            text.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, text)),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !name.to_lowercase().starts_with("old"));
            kept.for_each(|(_, value)| add_texts(value, text));
        }
        _ => {}
    }
}

fn descriptive_argument(input: &Value, cwd: Option<&str>) -> String {
    if let Some(text) = input.as_str() {
        return text.to_owned();
    }
    let argument = [input, &input["action"]].into_iter().find_map(|input| {
        DESCRIPTIVE_KEYS.split(' ').find_map(|key| input[key].as_str()).map(str::to_owned)
    });
    argument
        .or_else(|| paths_of(input).first().map(|path| relative_to(cwd, path)))
        .unwrap_or_default()
}

/// Replaces the backslashes of a Windows path (`C:\…`).
fn with_forward_slashes(path: &str) -> String {
    let is_windows = path.get(1..3) == Some(":\\");
    if is_windows { path.replace('\\', "/") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_in_the_working_directory_become_relative() {
        for (cwd, path, expected) in [
            ("/w/app", "/w/app/src/a.rs", "src/a.rs"),
            ("/w/app/", "/w/app/a.rs", "a.rs"),
            ("/w/app", "/w/apple/a.rs", "/w/apple/a.rs"),
            ("/w/app", "/w/app/../a.rs", "/w/app/../a.rs"),
            ("/w/app", "./a.rs", "a.rs"),
            ("C:\\w", "C:\\w\\src\\a.rs", "src/a.rs"),
            ("/", "/etc/hosts", "etc/hosts"),
        ] {
            assert_eq!(relative_to(Some(cwd), path), expected, "{cwd} {path}");
        }
        assert_eq!(relative_to(None, "/w/a.rs"), "/w/a.rs");
    }
}
