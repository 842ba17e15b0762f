//! The review of proposals one by one on a terminal.

use std::io::{self, BufRead, Write};

use heirloom_engine::view::{Role, View, escape_unprintable, span};
use heirloom_engine::{Error, ReviewFile};

use super::decisions::{Decisions, Proposal};
use crate::local::CommandContext;

/// The keys that a person types.
const KEYS: &str = "a accept · e edit and accept · d drop · s skip · A accept the rest · q quit";

/// What a person typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Accept,
    Edit,
    Drop,
    Skip,
    AcceptRest,
    Quit,
}

impl Key {
    fn of(typed: &str) -> Option<Self> {
        match typed.trim() {
            "A" | "all" => Some(Key::AcceptRest),
            "a" | "y" | "yes" | "accept" => Some(Key::Accept),
            "e" | "edit" => Some(Key::Edit),
            "d" | "n" | "no" | "drop" => Some(Key::Drop),
            "s" | "" | "skip" => Some(Key::Skip),
            "q" | "quit" => Some(Key::Quit),
            _ => None,
        }
    }
}

/// Shows the proposals one by one and asks what to do with each. What was decided before the review ends counts.
pub(super) fn run(call: &CommandContext<'_>, proposals: &[Proposal]) -> Result<Decisions, Error> {
    let mut decisions = Decisions::default();
    let mut input = io::stdin().lock();
    let mut accepts_rest = false;
    for (number, proposal) in proposals.iter().enumerate() {
        if accepts_rest {
            decisions.accept.push(proposal.id.clone());
            continue;
        }
        call.output.view(&view(number + 1, proposals.len(), proposal));
        match ask(call, &mut input)? {
            Key::Accept => decisions.accept.push(proposal.id.clone()),
            Key::AcceptRest => {
                decisions.accept.push(proposal.id.clone());
                accepts_rest = true;
            }
            Key::Edit => match edit(call, &proposal.text) {
                Ok(Some(text)) => {
                    decisions.accept.push(proposal.id.clone());
                    decisions.texts.push((proposal.id.clone(), text));
                }
                Ok(None) => call.output.note("the text is empty: skipped"),
                // An error would discard the decisions before it.
                Err(error) => {
                    call.output.error(&error);
                    call.output.note("skipped");
                }
            },
            Key::Drop => decisions.drop.push(proposal.id.clone()),
            Key::Skip => {}
            Key::Quit => break,
        }
    }
    Ok(decisions)
}

fn view(number: usize, count: usize, proposal: &Proposal) -> View {
    let mut view = View::new();
    view.blank();
    view.line([
        span(Role::Dim, format!("{number} of {count}  ")),
        span(Role::Key, proposal.short_id()),
        span(Role::Title, format!("  {}", proposal.kind)),
    ]);
    for line in proposal.text.lines() {
        view.line([span(Role::Value, line)]);
    }
    let mut details = vec![proposal.by.clone()];
    details.extend(proposal.date.clone());
    details.push(format!("{:.2}", proposal.confidence));
    details.push(proposal.reason.clone());
    view.line([
        span(Role::Dim, format!("{} · ", details.join(" · "))),
        span(Role::Source, &proposal.source),
    ]);
    if let Some((text, source)) = &proposal.replaces {
        view.line([span(Role::Warning, format!("instead of: {text} ({source})"))]);
    }
    view
}

/// Asks until a known key was typed. The end of the input ends the review.
fn ask(call: &CommandContext<'_>, input: &mut impl BufRead) -> Result<Key, Error> {
    loop {
        let failed = |error: io::Error| Error::system(error.to_string());
        let mut stderr = io::stderr().lock();
        write!(stderr, "{KEYS} ? ").and_then(|()| stderr.flush()).map_err(failed)?;
        let mut typed = String::new();
        if input.read_line(&mut typed).map_err(failed)? == 0 {
            return Ok(Key::Quit);
        }
        match Key::of(&typed) {
            Some(key) => return Ok(key),
            None => call
                .output
                .note(&format!("`{}` is none of these", escape_unprintable(typed.trim()))),
        }
    }
}

/// Lets the person change a text in the editor; `None` if nothing is left of it.
fn edit(call: &CommandContext<'_>, text: &str) -> Result<Option<String>, Error> {
    let editor = call.environment.editor().ok_or_else(|| {
        Error::bad_input("no editor is set, and none was found").hint("set VISUAL or EDITOR")
    })?;
    let session = call.environment.session()?;
    let file = ReviewFile::of_one(&session);
    file.write(&format!("{text}\n"))?;
    editor.open(&file.path())?;
    let edited = file.read()?.unwrap_or_default().trim().to_owned();
    file.remove()?;
    Ok(Some(edited).filter(|edited| !edited.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart_by_case() {
        assert_eq!(Key::of("a\n"), Some(Key::Accept));
        assert_eq!(Key::of("A\n"), Some(Key::AcceptRest));
        assert_eq!(Key::of("\n"), Some(Key::Skip));
        assert_eq!(Key::of("x"), None);
    }
}
