//! Transcripts as text: with the names of the speakers, with `>` before what the user typed, or
//! without either, which is the agent's own report.

use serde_json::json;

use super::recorder::{Call, Recorder};
use super::{Role, Transcript, content};

/// Reads the turns of a text.
pub(super) fn read<'p>(mut recorder: Recorder<'p>, text: &str) -> Transcript {
    let lines = recorder.lines(text);
    let named = lines.iter().any(|(_, line)| matches!(speaker(line), Some((Role::User, _))));
    let prompted = lines
        .iter()
        .find(|(_, line)| !line.trim().is_empty())
        .is_some_and(|(_, line)| prompt(line).is_some());
    let mut turn = Open { role: Role::Assistant, line: 1, text: String::new() };
    let mut fenced = false;
    for (number, line) in lines {
        fenced ^= line.trim_start().starts_with("```");
        if named
            && !fenced
            && let Some((role, rest)) = speaker(line)
        {
            turn = turn.next(&mut recorder, role, number);
            turn.add(rest);
        } else if !named && prompted && !fenced {
            turn = terminal_line(&mut recorder, turn, number, line);
        } else {
            turn.add(line);
        }
    }
    turn.close(&mut recorder);
    recorder.finish()
}

/// The turn that is being read.
struct Open {
    role: Role,
    line: usize,
    text: String,
}

impl Open {
    fn add(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn next(self, recorder: &mut Recorder<'_>, role: Role, line: usize) -> Self {
        self.close(recorder);
        Self { role, line, text: String::new() }
    }

    fn close(self, recorder: &mut Recorder<'_>) {
        let blank = self.text.lines().take_while(|line| line.trim().is_empty()).count();
        recorder.turn(self.role, None, &self.text, self.line + blank);
    }
}

/// Reads a line of a terminal's screen: prompts, answers, calls of tools and their output.
fn terminal_line(recorder: &mut Recorder<'_>, mut turn: Open, number: usize, line: &str) -> Open {
    if line.trim_start().starts_with('⎿') {
        return turn;
    }
    let marked = line.trim_start().strip_prefix(['⏺', '●']).map(str::trim_start);
    if let Some((name, input)) = marked.and_then(called) {
        let input = json!({ "command": input, "path": input });
        let call = Call { id: None, name, input: &input, line: number, delegated: false };
        recorder.call(&call);
        return if turn.role == Role::User {
            turn.next(recorder, Role::Assistant, number)
        } else {
            turn
        };
    }
    match (prompt(line), turn.role) {
        (Some(rest), Role::User) => turn.add(rest),
        (Some(rest), _) => {
            turn = turn.next(recorder, Role::User, number);
            turn.add(rest);
        }
        (None, Role::User) if marked.is_none() && line.starts_with("  ") => turn.add(line.trim()),
        (None, role) => {
            if role == Role::User || marked.is_some() {
                turn = turn.next(recorder, Role::Assistant, number);
            }
            turn.add(marked.unwrap_or(line));
        }
    }
    turn
}

/// Returns who a line says is speaking, and the rest of the line: `User: hi`, `**User:** hi`,
/// `## User`, `[10:30] User: hi`.
fn speaker(line: &str) -> Option<(Role, &str)> {
    let line = line.trim();
    let heading = line.trim_start_matches('#').trim();
    if heading.len() < line.len() {
        let name = heading.trim_matches(['*', ':', ' ']);
        return content::role_of(name).map(|role| (role, ""));
    }
    let line = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) if content::role_of(name).is_some() => {
            let rest = rest.trim_start().trim_start_matches(':').trim_start();
            return content::role_of(name).map(|role| (role, rest));
        }
        Some((_, rest)) => rest.trim_start(),
        None => line,
    };
    let (name, rest) = line.split_once(':')?;
    let role = content::role_of(name.trim_matches(['*', '_', ' ']))?;
    Some((role, rest.trim_start_matches('*').trim()))
}

fn prompt(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['>', '❯'])?;
    rest.is_empty().then_some("").or(rest.strip_prefix(' '))
}

/// Reads `Bash(cargo test)`.
fn called(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let is_name = name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric);
    is_name.then_some((name, rest.trim_end().strip_suffix(')').unwrap_or(rest)))
}
