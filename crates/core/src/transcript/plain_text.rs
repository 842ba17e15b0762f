//! Parses plain text: with the names of the speakers, as a terminal screen with `>` before the
//! user's prompts, or without either, in which case the text is a report of the agent.

use serde_json::json;

use super::builder::{ReportedCall, TranscriptBuilder};
use super::content;
use super::model::{Role, Transcript};

/// Parses the turns of a text.
pub(super) fn parse(mut builder: TranscriptBuilder<'_>, text: &str) -> Transcript {
    let lines = builder.numbered_lines(text);
    let has_speakers =
        lines.iter().any(|(_, line)| matches!(parse_speaker(line), Some((Role::User, _))));
    let is_terminal = lines
        .iter()
        .find(|(_, line)| !line.trim().is_empty())
        .is_some_and(|(_, line)| parse_prompt(line).is_some());
    let mut turn = PartialTurn { role: Role::Assistant, line: 1, text: String::new() };
    let mut in_code = false;
    for (number, line) in lines {
        in_code ^= line.trim_start().starts_with("```");
        if has_speakers
            && !in_code
            && let Some((role, rest)) = parse_speaker(line)
        {
            turn = turn.finish_and_begin(&mut builder, role, number);
            turn.push_line(rest);
        } else if !has_speakers && is_terminal && !in_code {
            turn = parse_terminal_line(&mut builder, turn, number, line);
        } else {
            turn.push_line(line);
        }
    }
    turn.finish(&mut builder);
    builder.build()
}

/// The turn to which the next line belongs.
struct PartialTurn {
    role: Role,
    line: usize,
    text: String,
}

impl PartialTurn {
    fn push_line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn finish_and_begin(
        self,
        builder: &mut TranscriptBuilder<'_>,
        role: Role,
        line: usize,
    ) -> Self {
        self.finish(builder);
        Self { role, line, text: String::new() }
    }

    fn finish(self, builder: &mut TranscriptBuilder<'_>) {
        let blank_lines = self.text.lines().take_while(|line| line.trim().is_empty()).count();
        builder.add_turn(self.role, None, &self.text, self.line + blank_lines);
    }
}

/// Parses a line of a terminal screen: a prompt, an answer, a tool call or the output of a tool.
fn parse_terminal_line(
    builder: &mut TranscriptBuilder<'_>,
    mut turn: PartialTurn,
    number: usize,
    line: &str,
) -> PartialTurn {
    let is_tool_output = line.trim_start().starts_with('⎿');
    if is_tool_output {
        return turn;
    }
    let bullet = line.trim_start().strip_prefix(['⏺', '●']).map(str::trim_start);
    if let Some((name, input)) = bullet.and_then(parse_call) {
        let input = json!({ "command": input, "path": input });
        let call = ReportedCall { id: None, name, input: &input, line: number, by_subagent: false };
        builder.add_call(&call);
        return if turn.role == Role::User {
            turn.finish_and_begin(builder, Role::Assistant, number)
        } else {
            turn
        };
    }
    match (parse_prompt(line), turn.role) {
        (Some(rest), Role::User) => turn.push_line(rest),
        (Some(rest), _) => {
            turn = turn.finish_and_begin(builder, Role::User, number);
            turn.push_line(rest);
        }
        (None, Role::User) if bullet.is_none() && line.starts_with("  ") => {
            turn.push_line(line.trim());
        }
        (None, role) => {
            if role == Role::User || bullet.is_some() {
                turn = turn.finish_and_begin(builder, Role::Assistant, number);
            }
            turn.push_line(bullet.unwrap_or(line));
        }
    }
    turn
}

/// Returns the speaker that a line names and the rest of the line: `User: hi`, `**User:** hi`,
/// `## User`, `[User] hi`, `[10:30] User: hi`.
fn parse_speaker(line: &str) -> Option<(Role, &str)> {
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

/// Returns the text after the prompt sign of a terminal.
fn parse_prompt(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['>', '❯'])?;
    rest.is_empty().then_some("").or(rest.strip_prefix(' '))
}

/// Parses `Bash(cargo test)` into a tool's name and its input.
fn parse_call(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let is_name = name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric);
    is_name.then_some((name, rest.trim_end().strip_suffix(')').unwrap_or(rest)))
}
