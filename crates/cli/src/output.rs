//! Prints answers and errors: text for people, JSON for programs.

use std::io::{self, BufRead, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use heirloom_core::Problem;
use heirloom_core::hint::{Hint, format_hints};
use heirloom_engine::view::{Role, escape_unprintable};
use heirloom_engine::{Error, Op, Reply, View};
use serde_json::{Value, json};

use crate::wording;

/// Prints.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    color: ColorChoice,
    /// The operation that was called, if any: hints name its fields.
    op: Option<&'static Op>,
}

impl Output {
    /// Reads from the arguments how to print what the operation answers.
    pub(crate) fn new(matches: &ArgMatches, op: Option<&'static Op>) -> Self {
        let color = match matches.get_one::<String>("color").map(String::as_str) {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            _ => ColorChoice::Auto,
        };
        Output { json: matches.get_flag("json"), color, op }
    }

    /// Returns whether answers are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints an answer.
    pub(crate) fn reply(&self, reply: &Reply) {
        match self.json {
            true => self.json(&reply.data(&|hint| self.word(hint))),
            false => {
                self.view(&reply.view());
                for notice in reply.notices() {
                    self.note(&format!("⚠️ {}", escape_unprintable(&self.word(&notice))));
                }
            }
        }
    }

    fn word(&self, hint: &Hint) -> String {
        wording::format_hint(hint, self.op)
    }

    /// Prints a view.
    pub(crate) fn view(&self, view: &View) {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.color);
        let is_plain = stdout.current_choice() == ColorChoice::Never;
        let paint = |role: Role, text: &str| match is_plain {
            true => text.to_owned(),
            false => paint(role, text),
        };
        let text = view.render(terminal_width(), &|hint| self.word(hint), &paint);
        if is_plain {
            // A view has no escape sequences that would have to be removed.
            drop(stdout);
            return self.text(&text);
        }
        finish(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    }

    /// Prints data, with its hints worded.
    pub(crate) fn data(&self, mut value: Value) {
        format_hints(&mut value, &|hint| self.word(hint));
        self.json(&value);
    }

    fn json(&self, value: &Value) {
        self.text(&format!("{}\n", printable_json(value)));
    }

    /// Prints a text as it is.
    pub(crate) fn text(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        finish(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    }

    /// Prints a message to a person on standard error.
    pub(crate) fn note(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
        // There is nowhere to report a failure of standard error.
        drop(writeln!(stderr, "{text}"));
    }

    /// Prints problems to a person on standard error.
    pub(crate) fn problems(&self, problems: &[Problem]) {
        for problem in problems {
            self.note(&format!("⚠️ {}", escape_unprintable(&self.word(&problem.describe()))));
        }
    }

    /// Asks the user to confirm; returns false where there is no terminal to ask on.
    pub(crate) fn ask_to_confirm(&self, question: &Error) -> bool {
        if self.json || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return false;
        }
        self.note(&escape_unprintable(&question.message));
        let mut stderr = io::stderr().lock();
        let mut answer = String::new();
        let asked = write!(stderr, "Go on? [y/N] ")
            .and_then(|()| stderr.flush())
            .and_then(|()| io::stdin().lock().read_line(&mut answer));
        asked.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// Prints a failure on standard error.
    pub(crate) fn error(&self, error: &Error) {
        if self.json {
            let mut report = json!({"error": error});
            format_hints(&mut report, &|hint| self.word(hint));
            self.note(&printable_json(&report));
            return;
        }
        let mut text =
            format!("{} {}", paint(Role::Bad, "error:"), escape_unprintable(&error.message));
        if !error.candidates.is_empty() {
            text.push_str(&format!(
                "\n  {} {}",
                paint(Role::Dim, "candidates:"),
                escape_unprintable(&error.candidates.join(", "))
            ));
        }
        if let Some(hint) = &error.hint {
            text.push_str(&format!(
                "\n  {} {}",
                paint(Role::Dim, "hint:"),
                escape_unprintable(&self.word(hint))
            ));
        }
        self.note(&text);
    }
}

/// Formats a JSON value over several lines. Line breaks inside strings are escaped already; those of the
/// layout stay.
fn printable_json(value: &Value) -> String {
    let lines = format!("{value:#}");
    lines.lines().map(escape_unprintable).collect::<Vec<_>>().join("\n")
}

/// Ignores a closed pipe (`heir … | head`); a full disk is an error.
fn finish(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            drop(writeln!(io::stderr(), "error: the answer could not be written: {error}"));
            std::process::exit(crate::exit::Code::System as i32);
        }
    }
}

/// The width of a terminal that does not state its size, in columns.
const DEFAULT_WIDTH: usize = 80;

/// Returns the width of the terminal; `None` where standard output is not one, so that the text in a pipe
/// does not depend on it.
fn terminal_width() -> Option<usize> {
    let stated = terminal_size::terminal_size_of(io::stdout());
    let width = stated.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0);
    width.or_else(|| io::stdout().is_terminal().then_some(DEFAULT_WIDTH))
}

fn paint(role: Role, text: &str) -> String {
    let style = match role {
        Role::Plain => return text.to_owned(),
        Role::Title => Style::new().bold().underline(),
        Role::Key => AnsiColor::Cyan.on_default(),
        Role::Value => Style::new().bold(),
        Role::Source => AnsiColor::Blue.on_default(),
        Role::Dim => Style::new().dimmed(),
        Role::Good => AnsiColor::Green.on_default(),
        Role::Warning => AnsiColor::Yellow.on_default(),
        Role::Bad => AnsiColor::Red.on_default().bold(),
    };
    format!("{style}{text}{style:#}")
}
