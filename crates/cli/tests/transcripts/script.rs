//! What a transcript may contain.
//!
//! A transcript starts with files in the form of `testkit::Workspace::fill` (`//- PATH`, then the
//! text), or with `//- team`, which stands for `testkit::TEAM`. Then come commands, each on a line
//! that starts with `$ `, and remarks on lines that start with `// `. Whatever stands between is what
//! the command above it printed: standard output, standard error with `! ` before each line, and
//! `[exit N]` where it failed.
//!
//! Each command runs a second after the one above it, so that lists have an order.
//!
//! The commands are `heir` and `git`; and a few that edit files: `cat`, `ls`, `rm`, `append PATH TEXT`
//! and `replace PATH OLD NEW`. Words are parted by spaces and may be quoted; `NAME=VALUE` before a
//! command sets a variable, `< PATH` after it is its standard input.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use heirloom_testkit::{CommandOutput, NOW, TEAM, Workspace};

use crate::ids::Ids;

/// Runs the commands of a transcript; returns the transcript as it would have to be.
pub(crate) fn run(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (fixture, script) = split(&text);
    let workspace = Workspace::empty(binary());
    match fixture.strip_prefix("//- team\n") {
        Some(more) => {
            workspace.fill(TEAM);
            workspace.fill(more);
        }
        None => workspace.fill(fixture),
    }
    let mut out = fixture.to_owned();
    let mut ids = Ids::fixed_by(fixture);
    let mut seconds = 0;
    for line in script.lines().filter(|line| is_typed(line)) {
        if !out.is_empty() && !out.ends_with("\n\n") && !ends_with_remark(&out) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        if let Some(typed) = line.strip_prefix("$ ") {
            let ran = execute(&workspace, &moment(seconds), &ids.reveal(typed))?;
            seconds += 1;
            for file in workspace.files("") {
                // A session of work is called by its id.
                ids.learn(&file);
                if file.ends_with(".jsonl") || file.ends_with(".md") {
                    ids.learn(&workspace.read(&file));
                }
            }
            ids.learn(&ran.stdout);
            out.push_str(&ids.hide(&printed(&workspace, &ran)));
        }
    }
    Ok(out)
}

/// Returns the binary under test: the one that was built, or the one that `HEIRLOOM_BIN` names, to
/// compare how two versions behave.
fn binary() -> String {
    std::env::var("HEIRLOOM_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_heir").to_owned())
}

/// Splits a transcript into its files and its commands.
fn split(text: &str) -> (&str, &str) {
    let start = if text.starts_with("$ ") { Some(0) } else { None };
    let start = start.or_else(|| text.find("\n$ ").map(|at| at + 1)).unwrap_or(text.len());
    // Remarks above the first command belong to it.
    let before = &text[..start];
    let remarks: usize = before
        .split_inclusive('\n')
        .rev()
        .take_while(|line| line.starts_with("// "))
        .map(str::len)
        .sum();
    text.split_at(start - remarks)
}

fn is_typed(line: &str) -> bool {
    line.starts_with("$ ") || line.starts_with("// ")
}

fn ends_with_remark(out: &str) -> bool {
    out.lines().next_back().is_some_and(|line| line.starts_with("// "))
}

/// Returns what a command printed, as a transcript shows it.
fn printed(workspace: &Workspace, ran: &CommandOutput) -> String {
    let mut out = ran.stdout.clone();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str("[no line break]\n");
    }
    for line in ran.stderr.lines() {
        let _ = writeln!(out, "{}", format!("! {line}").trim_end());
    }
    if ran.code != 0 {
        let _ = writeln!(out, "[exit {}]", ran.code);
    }
    // Lines that look typed, and ends of lines that an editor would remove, are marked.
    let lines = out.lines().map(|line| match line {
        _ if is_typed(line) => format!("\\{line}\n"),
        _ if line.ends_with(' ') => format!("{line}[end]\n"),
        _ => format!("{}\n", without_size(line)),
    });
    let shown: String = lines.collect();
    shown.replace(&*workspace.path().to_string_lossy(), "[ROOT]").replace("[ROOT]\\", "[ROOT]/")
}

/// Hides the size of an index, which is not the same in every run.
fn without_size(line: &str) -> String {
    if let Some((start, _)) = line.split_once("\"bytes\": ") {
        return format!("{start}\"bytes\": [SIZE],");
    }
    match line.split_once(" MB, vectors by ").map(|(start, end)| (start.rsplit_once(' '), end)) {
        Some((Some((start, _)), end)) => format!("{start} [SIZE], vectors by {end}"),
        _ => line.to_owned(),
    }
}

/// Returns the moment that is some seconds after `NOW`.
fn moment(seconds: u32) -> String {
    let day = NOW.strip_suffix("00:00:00Z").unwrap_or(NOW);
    format!("{day}00:{:02}:{:02}Z", seconds / 60, seconds % 60)
}

/// Runs a command at a moment.
fn execute(workspace: &Workspace, now: &str, typed: &str) -> Result<CommandOutput, String> {
    let mut words = words(typed)?;
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let variables: Vec<String> = words.drain(..assigned).collect();
    let input = match words.as_slice() {
        [.., sign, _] if sign == "<" => words.pop(),
        _ => None,
    };
    words.truncate(words.len() - usize::from(input.is_some()));
    let (name, arguments) = words.split_first().ok_or("an empty command")?;
    let edited = |text: String| CommandOutput { stdout: text, stderr: String::new(), code: 0 };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (name.as_str(), arguments.as_slice()) {
        ("heir", arguments) => {
            let mut command = workspace.command();
            command.args(arguments).env("HEIRLOOM_NOW", now);
            spawn(workspace, command, &variables, input.as_deref())
        }
        ("git", ["commit-all", date]) => {
            workspace.commit_all(date);
            Ok(edited(String::new()))
        }
        ("git", arguments) => Ok(edited(workspace.git(arguments))),
        ("cat", [path]) => Ok(edited(workspace.read(path))),
        ("ls", [path]) => {
            Ok(edited(workspace.files(path).iter().map(|file| format!("{file}\n")).collect()))
        }
        ("rm", [path]) => {
            let path = workspace.path().join(path);
            let removed =
                if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            removed.map_err(|error| error.to_string())?;
            Ok(edited(String::new()))
        }
        ("append", [path, text]) => {
            let whole = workspace.read(path) + text + "\n";
            workspace.write(path, whole);
            Ok(edited(String::new()))
        }
        ("replace", [path, old, new]) => {
            let text = workspace.read(path);
            if !text.contains(old) {
                return Err(format!("{path} has no {old:?}"));
            }
            workspace.write(path, text.replace(old, new));
            Ok(edited(String::new()))
        }
        _ => Err(format!("unknown command: {typed}")),
    }
}

fn spawn(
    workspace: &Workspace,
    mut command: Command,
    variables: &[String],
    input: Option<&str>,
) -> Result<CommandOutput, String> {
    command.env("COLUMNS", "100");
    for (name, value) in variables.iter().filter_map(|variable| variable.split_once('=')) {
        command.env(name, value);
    }
    match input {
        Some(path) => {
            let file =
                File::open(workspace.path().join(path)).map_err(|error| error.to_string())?;
            command.stdin(file);
        }
        None => drop(command.stdin(Stdio::null())),
    }
    Ok(CommandOutput::of(&command.output().map_err(|error| error.to_string())?))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    })
}

/// Splits a line into words, which may be quoted.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(_) => Err(format!("a quote is not closed: {line}")),
        None => Ok(words),
    }
}
