//! The tree of commands, derived from the tables.
//!
//! Building every argument of every command would cost more than most commands do, so a command's
//! arguments are added when it is the one that was typed.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use heirloom_engine::{CONFIRMATION, Error, ErrorKind, OPS, Op, ops};
use heirloom_server::SessionOpener;

use crate::environment::Environment;
use crate::exit::Code;
use crate::local::{self, LOCAL_COMMANDS, LocalCommand};
use crate::output::Output;
use crate::{arguments, completion, sections};

/// Earlier names of commands, which still work and are not shown.
const ALIASES: &[(&[&str], &[&str])] =
    &[(&["notes"], &["note", "list"]), (&["stats"], &["memory", "stats"])];

/// A row of either table.
enum Row {
    Op(&'static Op),
    LocalCommand(&'static LocalCommand),
}

impl Row {
    fn words(&self) -> Vec<&'static str> {
        match self {
            Row::Op(op) => op.words().collect(),
            Row::LocalCommand(local) => local.words.to_vec(),
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Row::Op(op) => op.spec.about,
            Row::LocalCommand(local) => local.about,
        }
    }
}

fn rows() -> impl Iterator<Item = Row> {
    OPS.iter().map(Row::Op).chain(LOCAL_COMMANDS.iter().map(Row::LocalCommand))
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
pub(crate) fn words_after(typed: &[&str]) -> Vec<&'static str> {
    let mut words: Vec<&'static str> = Vec::new();
    for row in rows() {
        let own = row.words();
        if own.len() > typed.len() && own[..typed.len()] == *typed {
            let next = own[typed.len()];
            words.extend((!words.contains(&next) && next != "reference").then_some(next));
        }
    }
    words
}

/// The help of the program. The commands are in sections, which clap cannot lay out itself.
fn help_template() -> String {
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n{{options}}{{after-help}}",
        sections::help()
    )
}

fn root_command() -> Command {
    Command::new("heir")
        .version(env!("CARGO_PKG_VERSION"))
        .about("What a team's AI agents inherit: standards, decisions and memory, in your files.")
        .help_template(help_template())
        .after_help("`heir help commands` lists all commands.")
        .override_usage("heir [OPTIONS] <COMMAND>")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .global(true)
                .help("The workspace's folder [default: found from here upwards]"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .global(true)
                .help("Print the answer as JSON"),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .value_parser(["auto", "always", "never"])
                .default_value("auto")
                .hide_default_value(true)
                .global(true)
                .hide_possible_values(true)
                .help("When to use colours: auto, always or never"),
        )
}

fn tree(has_arguments: &dyn Fn(&[&str]) -> bool) -> Command {
    let mut root = root_command();
    for row in rows() {
        root = add_command(root, &row, has_arguments);
    }
    for (alias, words) in ALIASES {
        let Some(row) = rows().find(|row| row.words() == *words) else { continue };
        let name = alias[alias.len() - 1];
        let command = leaf(name, &row).hide(true);
        root = root.subcommand(if has_arguments(alias) {
            command.defer(with_arguments)
        } else {
            command
        });
    }
    root
}

/// Adds the command of a row, below the command that groups it.
fn add_command(root: Command, row: &Row, has_arguments: &dyn Fn(&[&str]) -> bool) -> Command {
    let words = row.words();
    let (name, groups) = words.split_last().expect("a command has a word");
    let leaf = leaf(name, row).hide(words == ["reference"]);
    let leaf = if has_arguments(&words) { leaf.defer(with_arguments) } else { leaf };
    match groups {
        // A word may be a command and a group at once: `note TEXT` and `note done`.
        [] if rows().any(|other| other.words().len() > 1 && other.words()[0] == *name) => root
            .subcommand(leaf.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true)),
        [] => root.subcommand(leaf),
        [group, ..] => {
            let root = match root.find_subcommand(group) {
                Some(_) => root,
                None => root.subcommand(group_command(group)),
            };
            root.mut_subcommand(group, |command| command.subcommand(leaf))
        }
    }
}

fn leaf(name: &'static str, row: &Row) -> Command {
    Command::new(name)
        .about(first_sentence(row.about()))
        .long_about(row.about())
        .display_name(row.words().join(" "))
}

fn group_command(word: &'static str) -> Command {
    let about = sections::about(word).unwrap_or_default();
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
        Some(Row::LocalCommand(local)) => with_command_completion((local.arguments)(command)),
        None => command,
    }
}

/// Lets the shell complete the argument that names a command (`heir help`, `heir man`).
fn with_command_completion(command: Command) -> Command {
    let names_a_command = command.get_arguments().any(|argument| argument.get_id() == "command");
    match names_a_command {
        true => command.mut_arg("command", |argument| {
            argument.add(completion::command_completer(words_after))
        }),
        false => command,
    }
}

/// Returns the operation that was typed, if the command is one.
pub(crate) fn typed_operation(matches: &ArgMatches) -> Option<&'static Op> {
    let (words, _) = typed_command(matches);
    OPS.iter().find(|op| op.words().eq(words.iter().copied()))
}

/// Returns the words of the command that was typed, and its arguments.
fn typed_command(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let mut words = Vec::new();
    let mut leaf = matches;
    while let Some((word, inner)) = leaf.subcommand() {
        words.push(word);
        leaf = inner;
    }
    if let Some((_, own)) = ALIASES.iter().find(|(alias, _)| *alias == words) {
        words = own.to_vec();
    }
    (words, leaf)
}

/// Runs the command that was typed.
pub(crate) fn run(
    environment: &Environment,
    output: &Output,
    matches: &ArgMatches,
) -> Result<Code, Error> {
    let (words, leaf) = typed_command(matches);
    match rows().find(|row| row.words() == words) {
        Some(Row::Op(op)) => run_operation(environment, output, leaf, op),
        Some(Row::LocalCommand(local)) => (local.run)(&local::CommandContext {
            environment,
            output,
            matches: leaf,
            commands: root,
        }),
        None => Err(Error::bad_input(format!("`{}` is not a command", words.join(" ")))),
    }
}

fn run_operation(
    environment: &Environment,
    output: &Output,
    matches: &ArgMatches,
    op: &Op,
) -> Result<Code, Error> {
    let mut request = arguments::build_request(matches, op)?;
    let session = environment.open(op.scope(&request))?;
    let session = if output.is_json() { session } else { session.without_token_counts() };
    let mut reply = ops::run(op, &session, request.clone());
    // A destructive operation fails with `Unconfirmed` first: ask the user, then call it again.
    if let Err(question) = &reply
        && question.kind == ErrorKind::Unconfirmed
        && output.ask_to_confirm(question)
    {
        request[CONFIRMATION] = true.into();
        reply = ops::run(op, &session, request);
    }
    let reply = reply?;
    output.reply(&reply);
    Ok(if reply.has_findings() { Code::Findings } else { Code::Success })
}
