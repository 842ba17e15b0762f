//! The tree of commands, derived from the tables.
//!
//! Building every argument of every command would cost more than most commands do, so a command's
//! arguments are added when it is the one that was typed.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use heirloom_engine::{Error, ErrorKind, OPS, Op};

use crate::environment::Environment;
use crate::exit::Code;
use crate::local::{self, LOCALS, Local};
use crate::output::Output;
use crate::{arguments, environment, exit};

/// What the words that group commands are about.
const GROUPS: &[(&str, &str)] = &[
    ("context", "What agents inherit, how fresh it is and where it conflicts"),
    ("workspace", "The workspace and its documents"),
    ("project", "Projects"),
    ("plan", "Plans"),
    ("agent", "Agents of plans"),
    ("adr", "Decision records and what replaced them"),
    ("graph", "How documents are related"),
    ("memory", "What agents and plans remember, and what is done with memories of every kind"),
    ("fact", "Facts: single things that are known"),
    ("episode", "Episodes: what happened in a stretch of work, and why"),
    ("pattern", "Patterns: shapes that code takes here"),
    ("workflow", "Workflows: steps that are taken here"),
    ("index", "The index that recall looks into; nothing needs these commands"),
    ("session", "Sessions of work, which leave an episode"),
];

/// A row of either table.
enum Row {
    Op(&'static Op),
    Local(&'static Local),
}

impl Row {
    fn words(&self) -> Vec<&'static str> {
        match self {
            Row::Op(op) => op.words().collect(),
            Row::Local(local) => local.words.to_vec(),
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Row::Op(op) => op.spec.about,
            Row::Local(local) => local.about,
        }
    }
}

fn rows() -> impl Iterator<Item = Row> {
    OPS.iter().map(Row::Op).chain(LOCALS.iter().map(Row::Local))
}

/// Returns the whole tree.
pub(crate) fn root() -> Command {
    tree(&|_| true)
}

/// Returns the tree in which only commands that some words may mean have their arguments: a shell
/// that completes one command needs no other's.
pub(crate) fn root_of(typed: &[String]) -> Command {
    tree(&|words| {
        let mut typed = typed.iter();
        words.iter().all(|word| typed.any(|typed| typed == word))
    })
}

/// Returns the words that may follow those of a command.
pub(crate) fn words_after(typed: &[&str]) -> impl Iterator<Item = String> {
    let mut words: Vec<&'static str> = Vec::new();
    for row in rows() {
        let own = row.words();
        if own.len() > typed.len() && own[..typed.len()] == *typed {
            let next = own[typed.len()];
            words.extend((!words.contains(&next) && next != "reference").then_some(next));
        }
    }
    words.into_iter().map(str::to_owned)
}

fn tree(has_arguments: &dyn Fn(&[&str]) -> bool) -> Command {
    let mut root = Command::new("heir")
        .version(env!("CARGO_PKG_VERSION"))
        .about("What a team's AI agents inherit: standards, decisions and memory, in files that people read, edit and merge.")
        .after_help(format!("{}\n\n{}", exit::EXPLAINED, environment::EXPLAINED))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .arg(Arg::new("root").long("root").value_name("FOLDER").value_parser(value_parser!(PathBuf)).global(true).help("The workspace's folder, instead of looking upwards from here"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).global(true).help("Print the answer as JSON"))
        .arg(Arg::new("color").long("color").value_name("WHEN").value_parser(["auto", "always", "never"]).default_value("auto").hide_default_value(true).global(true).help("Colours: auto, always or never"));
    for row in rows() {
        let words = row.words();
        let (last, groups) = words.split_last().expect("a command has a word");
        let leaf = Command::new(*last)
            .about(first_sentence(row.about()))
            .long_about(row.about())
            .display_name(words.join(" "))
            .hide(words == ["reference"]);
        let leaf = if has_arguments(&words) { leaf.defer(with_arguments) } else { leaf };
        root = match groups {
            // A word may be a command and a group at once: `note TEXT` and `note done`.
            [] if rows().any(|other| other.words().len() > 1 && other.words()[0] == *last) => root
                .subcommand(
                    leaf.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true),
                ),
            [] => root.subcommand(leaf),
            [group, ..] => {
                let exists = root.find_subcommand(group).is_some();
                if !exists {
                    root = root.subcommand(group_command(group));
                }
                root.mut_subcommand(group, |command| command.subcommand(leaf))
            }
        };
    }
    root
}

fn group_command(word: &'static str) -> Command {
    let about = GROUPS.iter().find(|(group, _)| *group == word).map_or("", |(_, about)| *about);
    Command::new(word).about(about).subcommand_required(true).arg_required_else_help(true)
}

fn first_sentence(about: &'static str) -> &'static str {
    let end = about.find(". ").or_else(|| about.find(": ")).unwrap_or(about.len());
    about[..end].trim_end_matches('.')
}

/// Adds the arguments of the command that was typed; it is known by its words.
fn with_arguments(command: Command) -> Command {
    let words = command.get_display_name().unwrap_or_default().to_owned();
    match rows().find(|row| row.words().join(" ") == words) {
        Some(Row::Op(op)) => arguments::add(command, op),
        Some(Row::Local(local)) => (local.arguments)(command),
        None => command,
    }
}

/// Runs the command that was typed.
pub(crate) fn run(
    environment: &Environment,
    output: &Output,
    matches: &ArgMatches,
) -> Result<Code, Error> {
    let mut words = Vec::new();
    let mut leaf = matches;
    while let Some((word, inner)) = leaf.subcommand() {
        words.push(word);
        leaf = inner;
    }
    match rows().find(|row| row.words() == words) {
        Some(Row::Op(op)) => run_operation(environment, output, leaf, op),
        Some(Row::Local(local)) => {
            (local.run)(&local::Call { environment, output, matches: leaf, commands: root })
        }
        None => Err(Error::bad_input(format!("`{}` is not a command", words.join(" ")))),
    }
}

fn run_operation(
    environment: &Environment,
    output: &Output,
    matches: &ArgMatches,
    op: &Op,
) -> Result<Code, Error> {
    let mut request = arguments::request(matches, op)?;
    let session = match request["workspaces"] == true {
        true => environment.session_of_any()?,
        false => environment.session()?,
    };
    let session = if output.is_json() { session } else { session.without_token_counts() };
    let mut reply = op.call(&session, request.clone());
    // What takes something away says what that is, and waits for a yes.
    if let Err(question) = &reply
        && question.kind == ErrorKind::Unconfirmed
        && output.confirmed(question)
    {
        request["yes"] = true.into();
        reply = op.call(&session, request);
    }
    let reply = reply?;
    output.reply(&reply);
    Ok(if reply.has_findings() { Code::Findings } else { Code::Fine })
}
