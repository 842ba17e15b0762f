//! What a tool call means, whichever agent makes it.

use serde_json::Value;

use super::effect::{Effect, effect};
use super::{content, shell};

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Writes a file.
    Edit,
    /// Reads a file.
    Read,
    /// Runs a command.
    Run,
    /// Looks for something without changing anything.
    Search,
    /// Hands work to a sub-agent.
    Delegate,
    /// Keeps the agent's own plan.
    Plan,
    /// Asks the user.
    Ask,
    /// Does something else.
    Other,
}

/// A tool call with its meaning.
pub(super) struct Described {
    pub(super) kind: ToolKind,
    pub(super) input: String,
    pub(super) files: Vec<String>,
    pub(super) effect: Effect,
}

/// Names of tools without case and separators, by what they do.
const KINDS: &[(ToolKind, &str)] = &[
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

/// The keys under which a call names its file.
const PATH_KEYS: &str =
    "file_path notebook_path path filePath filename file target_file absolute_path";

/// The keys under which a call says what it is about, the most telling first.
const TELLING_KEYS: &str =
    "command cmd description query pattern url prompt subject question message skill name input";

/// Describes a call by the tool's name and its input.
pub(super) fn describe(name: &str, input: &Value, cwd: Option<&str>) -> Described {
    let plain = plain_name(name);
    let kind = kind_of(&plain);
    let command = command_of(input);
    let patch =
        [input.as_str(), input["input"].as_str(), input["patch"].as_str(), command.as_deref()]
            .into_iter()
            .flatten()
            .find(|text| text.contains("*** Begin Patch"));
    let describe = |kind, input: String, files: Vec<String>| {
        let files = files.iter().map(|file| relative(cwd, file)).collect();
        Described { kind, input, files, effect: Effect::None }
    };
    let mut described = match (kind, patch) {
        (ToolKind::Edit | ToolKind::Run, Some(patch)) => {
            describe(ToolKind::Edit, String::new(), patched_files(patch))
        }
        (ToolKind::Edit, None) if input["command"] == "view" => {
            describe(ToolKind::Read, String::new(), paths_of(input))
        }
        (ToolKind::Edit | ToolKind::Read, None) => describe(kind, String::new(), paths_of(input)),
        (ToolKind::Run, None) => {
            let command = command.unwrap_or_default();
            match shell::look(&command) {
                Some(shell::Look::Files(files)) => describe(ToolKind::Read, String::new(), files),
                Some(shell::Look::Around) => describe(ToolKind::Search, command, vec![]),
                None => describe(kind, command, vec![]),
            }
        }
        _ => describe(kind, told_by(input, cwd), vec![]),
    };
    described.effect = effect(&plain, input);
    if let Effect::Ask(questions) = &described.effect {
        described.input =
            questions.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
    }
    if described.input.is_empty() {
        described.input = described.files.join(", ");
    }
    described
}

/// Returns a path relative to a folder that it lies in, else the path.
pub(super) fn relative(cwd: Option<&str>, path: &str) -> String {
    let path = slashed(path);
    let below = cwd.map(slashed).and_then(|cwd| {
        let rest = path.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/')?;
        (!rest.is_empty() && rest.split('/').all(|part| part != "..")).then(|| rest.to_owned())
    });
    below.unwrap_or_else(|| path.strip_prefix("./").unwrap_or(&path).to_owned())
}

fn kind_of(plain_name: &str) -> ToolKind {
    let named = |names: &str| names.split(' ').any(|name| name == plain_name);
    KINDS.iter().find(|(_, names)| named(names)).map_or(ToolKind::Other, |(kind, _)| *kind)
}

fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the command of a call: a text, or the words of one behind `bash -lc`.
fn command_of(input: &Value) -> Option<String> {
    let action = &input["action"];
    let command = [&input["command"], &input["cmd"], &action["command"], input]
        .into_iter()
        .find(|value| value.is_string() || value.is_array())?;
    let words: Vec<&str> = match command {
        Value::String(command) => return Some(command.clone()),
        command => content::array(command).iter().filter_map(Value::as_str).collect(),
    };
    Some(match words.as_slice() {
        [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => (*script).to_owned(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    })
}

fn quoted(word: &str) -> String {
    let plain = !word.contains(|c: char| c.is_whitespace() || "'\"\\;|&".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn paths_of(input: &Value) -> Vec<String> {
    let named = PATH_KEYS.split(' ').find_map(|key| input[key].as_str());
    let several =
        ["paths", "files", "file_paths"].iter().flat_map(|key| content::array(&input[*key]));
    named.into_iter().chain(several.filter_map(Value::as_str)).map(str::to_owned).collect()
}

fn patched_files(patch: &str) -> Vec<String> {
    let file = |line: &str| {
        let heads = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
        let path = heads.iter().find_map(|head| line.strip_prefix(head))?;
        Some(path.trim().to_owned()).filter(|path| !path.is_empty())
    };
    patch.lines().filter_map(file).collect()
}

fn told_by(input: &Value, cwd: Option<&str>) -> String {
    if let Some(text) = input.as_str() {
        return text.to_owned();
    }
    let told = [input, &input["action"]].into_iter().find_map(|input| {
        TELLING_KEYS.split(' ').find_map(|key| input[key].as_str()).map(str::to_owned)
    });
    told.or_else(|| paths_of(input).first().map(|path| relative(cwd, path))).unwrap_or_default()
}

fn slashed(path: &str) -> String {
    let windows = path.get(1..3) == Some(":\\");
    if windows { path.replace('\\', "/") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_only_below_the_folder() {
        for (cwd, path, expected) in [
            ("/w/app", "/w/app/src/a.rs", "src/a.rs"),
            ("/w/app/", "/w/app/a.rs", "a.rs"),
            ("/w/app", "/w/apple/a.rs", "/w/apple/a.rs"),
            ("/w/app", "/w/app/../a.rs", "/w/app/../a.rs"),
            ("/w/app", "./a.rs", "a.rs"),
            ("C:\\w", "C:\\w\\src\\a.rs", "src/a.rs"),
            ("/", "/etc/hosts", "etc/hosts"),
        ] {
            assert_eq!(relative(Some(cwd), path), expected, "{cwd} {path}");
        }
        assert_eq!(relative(None, "/w/a.rs"), "/w/a.rs");
    }
}
