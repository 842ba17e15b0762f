//! Summarises the tool calls of a session as a short list of steps. Equal actions between two
//! messages of the user become one step.

use indexmap::{IndexMap, IndexSet};

use crate::prose::truncate;
use crate::transcript::model::{Role, ToolCall, ToolKind, Transcript};
use crate::transcript::shell_command;

/// Number of files that a step names.
const MAX_NAMED_FILES: usize = 3;

/// Length to which a command or a task is shortened, in characters.
const MAX_SUBJECT_CHARS: usize = 80;

/// Returns at most `max_count` steps in order. If there are more, steps that only read are dropped
/// first, then the middle of the list.
pub(super) fn collect_steps(transcript: &Transcript, max_count: usize) -> Vec<String> {
    let mut requests = transcript.turns.iter().filter(|turn| turn.role == Role::User).peekable();
    let mut request_count = 0;
    let mut steps: IndexMap<(usize, StepAction), CallGroup> = IndexMap::new();
    for call in &transcript.tool_calls {
        while requests.next_if(|turn| turn.line < call.line).is_some() {
            request_count += 1;
        }
        for action in actions_of(call) {
            steps.entry((request_count, action)).or_default().add(call);
        }
    }
    if steps.len() > max_count {
        steps.retain(|(_, action), _| *action != StepAction::Explored);
    }
    let excess = steps.len().saturating_sub(max_count);
    let mut steps: Vec<String> =
        steps.iter().map(|((_, action), calls)| calls.describe(action)).collect();
    if excess > 0 {
        let head = max_count / 3;
        let omitted = format!("… {} more steps", excess + 1);
        steps.splice(head..=head + excess, [omitted]);
    }
    steps
}

/// What a call did.
#[derive(PartialEq, Eq, Hash)]
enum StepAction {
    Wrote(String),
    Edited(String),
    Ran(String),
    Committed(String),
    /// Read or searched.
    Explored,
    Delegated(String),
    Used(String),
}

/// The calls that did the same.
#[derive(Default)]
struct CallGroup<'t> {
    count: usize,
    failures: usize,
    last_failed: bool,
    files_read: IndexSet<&'t str>,
    searches: usize,
}

impl<'t> CallGroup<'t> {
    fn add(&mut self, call: &'t ToolCall) {
        self.count += 1;
        self.failures += usize::from(call.failed);
        self.last_failed = call.failed;
        match call.kind {
            ToolKind::Read => self.files_read.extend(call.files.iter().map(String::as_str)),
            ToolKind::Search => self.searches += 1,
            _ => {}
        }
    }

    fn describe(&self, action: &StepAction) -> String {
        let description = match action {
            StepAction::Wrote(file) => format!("wrote {file}"),
            StepAction::Edited(file) => format!("edited {file}"),
            StepAction::Ran(command) => format!("ran {command}"),
            StepAction::Committed(subject) => format!("committed: {subject}"),
            StepAction::Delegated(task) => format!("delegated: {task}"),
            StepAction::Used(tool) => format!("used {tool}"),
            StepAction::Explored => return self.describe_exploration(),
        };
        let count = match (self.count, self.failures) {
            (1, _) => String::new(),
            (count, failures) if failures > 0 && !self.last_failed => {
                format!(" ({count}×, {failures} failed)")
            }
            (count, _) => format!(" ({count}×)"),
        };
        let outcome = if self.last_failed { ": failed" } else { "" };
        format!("{description}{count}{outcome}")
    }

    fn describe_exploration(&self) -> String {
        let files = abbreviate_list(self.files_read.iter().copied());
        match (self.files_read.is_empty(), self.searches) {
            (true, 0) => "looked around".to_owned(),
            (true, 1) => "searched".to_owned(),
            (true, searches) => format!("searched ({searches}×)"),
            (false, 0) => format!("read {files}"),
            (false, 1) => format!("read {files}; searched"),
            (false, searches) => format!("read {files}; searched ({searches}×)"),
        }
    }
}

/// Names the first files of a list and counts the rest: `a, b, c and 2 more`.
pub(super) fn abbreviate_list<'t>(files: impl ExactSizeIterator<Item = &'t str>) -> String {
    let count = files.len();
    let named: Vec<&str> = files.take(MAX_NAMED_FILES).collect();
    match count.saturating_sub(MAX_NAMED_FILES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn actions_of(call: &ToolCall) -> Vec<StepAction> {
    let subject = || truncate(shell_command::short_form(&call.input), MAX_SUBJECT_CHARS);
    let creates_file = call.name.eq_ignore_ascii_case("write") || call.name.contains("create");
    match call.kind {
        ToolKind::Edit if creates_file => {
            call.files.iter().cloned().map(StepAction::Wrote).collect()
        }
        ToolKind::Edit => call.files.iter().cloned().map(StepAction::Edited).collect(),
        ToolKind::Read | ToolKind::Search => vec![StepAction::Explored],
        ToolKind::Run => match shell_command::commit_subject(&call.input) {
            Some(message) if !message.is_empty() && !call.failed => {
                vec![StepAction::Committed(truncate(&message, MAX_SUBJECT_CHARS))]
            }
            _ if call.input.trim().is_empty() => vec![],
            _ => vec![StepAction::Ran(subject())],
        },
        ToolKind::Delegate => vec![StepAction::Delegated(subject())],
        ToolKind::Other => vec![StepAction::Used(call.name.clone())],
        ToolKind::Plan | ToolKind::Ask => vec![],
    }
}
