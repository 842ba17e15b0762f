//! Gathers what the readers of the formats find into one transcript.

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use jiff::Timestamp;
use serde_json::Value;

use super::effect::Effect;
use super::todos::TodoList;
use super::{
    Choice, Format, MAX_LINE, Role, ToolCall, ToolKind, Transcript, Turn, clean, shell, tools,
};
use crate::Problem;

/// A transcript that is being read.
pub(super) struct Recorder<'p> {
    path: &'p str,
    transcript: Transcript,
    calls: HashMap<String, usize>,
    effects: Vec<Effect>,
    /// The commit that each call makes.
    commits: IndexMap<usize, String>,
    todos: TodoList,
    said: HashSet<String>,
}

/// The call of a tool, as a format tells it.
pub(super) struct Call<'v> {
    pub(super) id: Option<&'v str>,
    pub(super) name: &'v str,
    pub(super) input: &'v Value,
    pub(super) line: usize,
    /// Whether a sub-agent made it.
    pub(super) delegated: bool,
}

/// The result of a call, as a format tells it.
pub(super) struct Answer<'v> {
    pub(super) id: Option<&'v str>,
    pub(super) text: &'v str,
    pub(super) failed: bool,
    /// The result as the program keeps it beside the text.
    pub(super) detail: Option<&'v Value>,
    pub(super) line: usize,
}

impl<'p> Recorder<'p> {
    /// Begins a transcript with nothing in it.
    pub(super) fn new(path: &'p str, format: Format) -> Self {
        let transcript = Transcript {
            format,
            cwd: None,
            title: None,
            turns: vec![],
            tool_calls: vec![],
            files: vec![],
            files_read: vec![],
            commits: vec![],
            choices: vec![],
            todos: vec![],
            started: None,
            ended: None,
            problems: vec![],
        };
        Self {
            path,
            transcript,
            calls: HashMap::new(),
            effects: vec![],
            commits: IndexMap::new(),
            todos: TodoList::default(),
            said: HashSet::new(),
        }
    }

    /// Returns the lines that can be read, with their numbers; reports the ones that are too long.
    pub(super) fn lines<'t>(&mut self, text: &'t str) -> Vec<(usize, &'t str)> {
        let mut lines = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            if line.len() > MAX_LINE {
                self.problem(number, format!("the line has {} bytes; 8 MiB are read", line.len()));
            } else {
                lines.push((number, line));
            }
        }
        lines
    }

    /// Parses a line as JSON; reports it when it is none.
    pub(super) fn json(&mut self, number: usize, line: &str) -> Option<Value> {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() || value.is_array() => Some(value),
            Ok(_) => {
                self.problem(number, "it is not a JSON object");
                None
            }
            Err(error) => {
                let reason = error.to_string().replace(" at line 1 column ", " at column ");
                self.problem(number, format!("it is not JSON: {reason}"));
                None
            }
        }
    }

    /// Reports what could not be read.
    pub(super) fn problem(&mut self, line: usize, message: impl Into<String>) {
        self.transcript.problems.push(Problem::at(self.path, line, message));
    }

    /// Notes a time that a line bears.
    pub(super) fn time(&mut self, at: Option<Timestamp>) {
        let Some(at) = at else { return };
        let started = self.transcript.started.map_or(at, |started| started.min(at));
        let ended = self.transcript.ended.map_or(at, |ended| ended.max(at));
        (self.transcript.started, self.transcript.ended) = (Some(started), Some(ended));
    }

    /// Notes the folder of the session; the first one counts.
    pub(super) fn folder(&mut self, cwd: Option<&str>) {
        if self.transcript.cwd.is_none() {
            self.transcript.cwd = cwd.filter(|cwd| !cwd.is_empty()).map(str::to_owned);
        }
    }

    /// Notes the title of the session; the last one counts.
    pub(super) fn title(&mut self, title: &str) {
        if !title.trim().is_empty() {
            self.transcript.title = Some(title.trim().to_owned());
        }
    }

    /// Adds what was said, without what the program put around it.
    pub(super) fn turn(&mut self, role: Role, at: Option<Timestamp>, text: &str, line: usize) {
        let text = clean::spoken(text);
        if text.is_empty() {
            return;
        }
        if self.transcript.turns.last().is_some_and(|last| last.role != role) {
            self.said.clear();
        }
        self.transcript.turns.push(Turn { role, at, text, line });
    }

    /// Adds what was said unless the same speaker has just said it: Codex writes each message
    /// twice, as an event and as an item.
    pub(super) fn turn_once(&mut self, role: Role, at: Option<Timestamp>, text: &str, line: usize) {
        let before = self.transcript.turns.len();
        self.turn(role, at, text, line);
        if self.transcript.turns.len() == before {
            return;
        }
        if let Some(turn) = self.transcript.turns.last()
            && !self.said.insert(turn.text.clone())
        {
            self.transcript.turns.pop();
        }
    }

    /// Adds to the last turn, which a further line of the same message goes on with.
    pub(super) fn more(&mut self, text: &str) {
        let text = clean::spoken(text);
        if let Some(turn) = self.transcript.turns.last_mut().filter(|_| !text.is_empty()) {
            turn.text.push_str("\n\n");
            turn.text.push_str(&text);
        }
    }

    /// Adds the call of a tool.
    pub(super) fn call(&mut self, call: &Call<'_>) {
        let index = self.transcript.tool_calls.len();
        if let Some(id) = call.id {
            if self.calls.contains_key(id) {
                return;
            }
            self.calls.insert(id.to_owned(), index);
        }
        let described = tools::describe(call.name, call.input, self.transcript.cwd.as_deref());
        if described.kind == ToolKind::Run
            && let Some(subject) = shell::commit_subject(&described.input)
        {
            self.commits.insert(index, subject);
        }
        let effect = if call.delegated { Effect::None } else { described.effect };
        self.todos.called(index, &effect);
        self.effects.push(effect);
        self.transcript.tool_calls.push(ToolCall {
            name: call.name.to_owned(),
            kind: described.kind,
            input: described.input,
            files: described.files,
            line: call.line,
            answered: false,
            failed: false,
        });
    }

    /// Adds the result of a call; one whose call is not there is a turn of the tool.
    pub(super) fn answer(&mut self, answer: &Answer<'_>) {
        let Some(&index) = answer.id.and_then(|id| self.calls.get(id)) else {
            self.turn(Role::Tool, None, answer.text, answer.line);
            return;
        };
        let call = &mut self.transcript.tool_calls[index];
        call.answered = true;
        call.failed |= answer.failed;
        if call.failed {
            return;
        }
        if let Some(commit) = self.commits.get_mut(&index)
            && let Some(shown) = shell::commit_shown(answer.text)
        {
            *commit = shown;
        }
        self.todos.answered(index, answer.text);
        let chosen = self.effects[index].chosen(answer.text, answer.detail);
        let line = answer.line;
        self.transcript.choices.extend(chosen.into_iter().map(|text| Choice { text, line }));
    }

    /// Tells whether a call is in the transcript.
    pub(super) fn knows(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.calls.contains_key(id))
    }

    /// Notes that a call failed, where that is said apart from its result.
    pub(super) fn failed(&mut self, id: Option<&str>) {
        if let Some(&index) = id.and_then(|id| self.calls.get(id)) {
            self.transcript.tool_calls[index].failed = true;
        }
    }

    /// Ends the transcript: draws the files and commits from the calls that did not fail.
    pub(super) fn finish(mut self) -> Transcript {
        let files = |kind: ToolKind| -> IndexSet<&String> {
            self.transcript
                .tool_calls
                .iter()
                .filter(|call| call.kind == kind && !call.failed)
                .flat_map(|call| &call.files)
                .collect()
        };
        let written = files(ToolKind::Edit);
        let read = files(ToolKind::Read);
        let files_read = read.difference(&written).map(|&file| file.clone()).collect();
        self.transcript.files = written.into_iter().cloned().collect();
        self.transcript.files_read = files_read;
        let commits: IndexSet<String> = self
            .commits
            .into_iter()
            .filter(|(index, _)| !self.transcript.tool_calls[*index].failed)
            .map(|(_, commit)| commit)
            .filter(|commit| !commit.is_empty())
            .collect();
        self.transcript.commits = commits.into_iter().collect();
        self.transcript.todos = self.todos.items();
        self.transcript
    }
}
