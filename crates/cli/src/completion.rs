//! Completion in the shell: the shell runs this program to ask what may be typed next.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, EnvCompleter, Shells};
use heirloom_engine::Op;
use heirloom_engine::completion::{self, CommandLine};

use crate::environment::Environment;

/// The environment variable that asks for completions; its value is the shell.
const VARIABLE: &str = "HEIRLOOM_COMPLETE";

/// Answers a shell that asks for completions and exits; does nothing otherwise.
///
/// `commands_for` returns the commands that the typed words may mean.
pub(crate) fn answer(commands_for: fn(&[String]) -> Command) {
    let factory = || commands_for(&typed_words().0);
    CompleteEnv::with_factory(factory).var(VARIABLE).complete();
}

/// Returns the completion script of a shell.
pub(crate) fn script(shell: &str) -> std::io::Result<String> {
    let shells = Shells::builtins();
    let completer: &dyn EnvCompleter = shells
        .completer(shell)
        .ok_or_else(|| std::io::Error::other(format!("{shell} is not supported")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "heir", "heir", "heir", &mut script)?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// What is needed to complete an argument.
#[derive(Debug, Clone)]
pub(crate) struct CompletedField {
    /// The field.
    pub(crate) field: String,
    /// The words of a choice; empty for other fields.
    pub(crate) words: Vec<String>,
}

/// Returns the completer of a field whose values are names of the workspace.
pub(crate) fn completer(op: &Op, field: &str) -> Option<ArgValueCompleter> {
    let kind = completion::kind_of(op, field)?;
    Some(ArgValueCompleter::new(move |current: &OsStr| names(kind, current)))
}

/// Returns the completer of a positional argument that a flag may shift.
pub(crate) fn shifting_completer(
    op: &Op,
    slots: &[CompletedField],
    position: usize,
) -> ArgValueCompleter {
    let (op, slots) = (*op, slots.to_vec());
    ArgValueCompleter::new(move |current: &OsStr| {
        let (words, _) = typed_words();
        let left_out =
            op.flag_alternative().filter(|(_, flag)| words.contains(&format!("--{flag}")));
        let is_there =
            |slot: &&CompletedField| left_out.is_none_or(|(field, _)| slot.field != field);
        let Some(slot) = slots.iter().filter(is_there).nth(position) else { return vec![] };
        match completion::kind_of(&op, &slot.field) {
            Some(kind) => names(kind, current),
            None => starting_with(slot.words.iter().map(|word| (word.clone(), None)), current),
        }
    })
}

/// Returns the completer of the words of a command; `words_after` returns those that may follow some words.
pub(crate) fn command_completer(
    words_after: fn(&[&str]) -> Vec<&'static str>,
) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let (words, _) = typed_words();
        let words = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        // The first word is `help` or `man` itself.
        let words: Vec<&str> = words.skip(1).collect();
        let next = words_after(&words).into_iter();
        starting_with(next.map(|word| (word.to_owned(), None)), current)
    })
}

fn names(kind: completion::NameKind, current: &OsStr) -> Vec<CompletionCandidate> {
    let (words, root) = typed_words();
    let Some(session) = Environment::of_shell(root).open_quietly() else { return vec![] };
    let text = current.to_string_lossy();
    let found = completion::complete(&session, kind, CommandLine { words: &words, current: &text });
    starting_with(found.into_iter().map(|name| (name.name, name.about)), current)
}

fn starting_with(
    names: impl Iterator<Item = (String, Option<String>)>,
    current: &OsStr,
) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy().to_lowercase();
    names
        .filter(|(name, _)| name.to_lowercase().starts_with(&current))
        .map(|(name, about)| CompletionCandidate::new(name).help(about.map(Into::into)))
        .collect()
}

/// Returns the words of the command line without the one that is completed, and the folder of `--root`.
fn typed_words() -> (Vec<String>, Option<PathBuf>) {
    let mut line: Vec<OsString> =
        std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    // Some shells say which word is completed; for the others it is the last one.
    let index = Environment::completed_word().unwrap_or(line.len().saturating_sub(1));
    if index < line.len() {
        line.remove(index);
    }
    let words: Vec<String> =
        line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let root =
        words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--root")? {
            "" => words.get(at + 1).map(PathBuf::from),
            value => value.strip_prefix('=').map(PathBuf::from),
        });
    (words, root)
}
