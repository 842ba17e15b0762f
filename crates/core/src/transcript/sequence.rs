//! What was done, in order and in few words: the calls between two requests are taken together.

use indexmap::{IndexMap, IndexSet};

use super::prose::cut;
use super::{Role, ToolCall, ToolKind, Transcript, shell};

/// How many files a step names.
const NAMED: usize = 3;

/// How long a command or a task is named.
const SUBJECT: usize = 80;

/// Returns the steps of a session, at most so many: looking around goes first, then the middle.
pub(super) fn steps(transcript: &Transcript, most: usize) -> Vec<String> {
    let mut phases = transcript.turns.iter().filter(|turn| turn.role == Role::User).peekable();
    let mut phase = 0;
    let mut steps: IndexMap<(usize, Did), Step> = IndexMap::new();
    for call in &transcript.tool_calls {
        while phases.next_if(|turn| turn.line < call.line).is_some() {
            phase += 1;
        }
        for did in deeds(call) {
            steps.entry((phase, did)).or_default().add(call);
        }
    }
    if steps.len() > most {
        steps.retain(|(_, did), _| *did != Did::Looked);
    }
    let left_out = steps.len().saturating_sub(most);
    let told = steps.iter().map(|((_, did), step)| step.told(did));
    if left_out == 0 {
        return told.collect();
    }
    let mut told: Vec<String> = told.collect();
    let head = most / 3;
    told.splice(head..=head + left_out, [format!("… {} more steps", left_out + 1)]);
    told
}

/// What a call did, and to what.
#[derive(PartialEq, Eq, Hash)]
enum Did {
    Wrote(String),
    Edited(String),
    Ran(String),
    Committed(String),
    Looked,
    Delegated(String),
    Used(String),
}

#[derive(Default)]
struct Step<'t> {
    times: usize,
    failures: usize,
    failed_at_last: bool,
    read: IndexSet<&'t str>,
    searches: usize,
}

impl<'t> Step<'t> {
    fn add(&mut self, call: &'t ToolCall) {
        self.times += 1;
        self.failures += usize::from(call.failed);
        self.failed_at_last = call.failed;
        match call.kind {
            ToolKind::Read => self.read.extend(call.files.iter().map(String::as_str)),
            ToolKind::Search => self.searches += 1,
            _ => {}
        }
    }

    fn told(&self, did: &Did) -> String {
        let deed = match did {
            Did::Wrote(file) => format!("wrote {file}"),
            Did::Edited(file) => format!("edited {file}"),
            Did::Ran(command) => format!("ran {command}"),
            Did::Committed(subject) => format!("committed: {subject}"),
            Did::Delegated(task) => format!("delegated: {task}"),
            Did::Used(tool) => format!("used {tool}"),
            Did::Looked => return self.looked(),
        };
        let times = match (self.times, self.failures) {
            (1, _) => String::new(),
            (times, failures) if failures > 0 && !self.failed_at_last => {
                format!(" ({times}×, {failures} failed)")
            }
            (times, _) => format!(" ({times}×)"),
        };
        let end = if self.failed_at_last { ": failed" } else { "" };
        format!("{deed}{times}{end}")
    }

    fn looked(&self) -> String {
        let read = listed(self.read.iter().copied());
        match (self.read.is_empty(), self.searches) {
            (true, 0) => "looked around".to_owned(),
            (true, 1) => "searched".to_owned(),
            (true, searches) => format!("searched ({searches}×)"),
            (false, 0) => format!("read {read}"),
            (false, 1) => format!("read {read}; searched"),
            (false, searches) => format!("read {read}; searched ({searches}×)"),
        }
    }
}

/// Names the first of several things and counts the rest.
pub(super) fn listed<'t>(items: impl ExactSizeIterator<Item = &'t str>) -> String {
    let count = items.len();
    let named: Vec<&str> = items.take(NAMED).collect();
    match count.saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn deeds(call: &ToolCall) -> Vec<Did> {
    let subject = || cut(shell::named(&call.input), SUBJECT);
    let wrote = call.name.eq_ignore_ascii_case("write") || call.name.contains("create");
    match call.kind {
        ToolKind::Edit if wrote => call.files.iter().cloned().map(Did::Wrote).collect(),
        ToolKind::Edit => call.files.iter().cloned().map(Did::Edited).collect(),
        ToolKind::Read | ToolKind::Search => vec![Did::Looked],
        ToolKind::Run => match shell::commit_subject(&call.input) {
            Some(message) if !message.is_empty() && !call.failed => {
                vec![Did::Committed(cut(&message, SUBJECT))]
            }
            _ if call.input.trim().is_empty() => vec![],
            _ => vec![Did::Ran(subject())],
        },
        ToolKind::Delegate => vec![Did::Delegated(subject())],
        ToolKind::Other => vec![Did::Used(call.name.clone())],
        ToolKind::Plan | ToolKind::Ask => vec![],
    }
}
