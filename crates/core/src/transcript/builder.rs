//! Builds a [`Transcript`] from the messages, tool calls and results that a format parser reports.

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use jiff::Timestamp;
use serde_json::Value;

use super::effect::ToolEffect;
use super::model::{Choice, Format, Role, ToolCall, ToolKind, Transcript, Turn};
use super::todo_list::TodoList;
use super::{clean, shell_command, tools};
use crate::{Problem, json};

/// Longer lines are reported and skipped: they are pasted files and not messages.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// A transcript under construction.
pub(super) struct TranscriptBuilder<'p> {
    path: &'p str,
    transcript: Transcript,
    /// Index into `transcript.tool_calls` by the id of the call.
    call_by_id: HashMap<String, usize>,
    /// The effect of each tool call, parallel to `transcript.tool_calls`.
    effects: Vec<ToolEffect>,
    /// The commit that a call makes, by the index of the call: the subject of the command, then `hash subject` once the
    /// output of git is known.
    commits: IndexMap<usize, String>,
    todos: TodoList,
    /// Texts that `add_turn_once` added since the speaker changed, to recognise repeated messages.
    speaker_texts: HashSet<String>,
    /// The results whose calls are not known, and failures, if they are kept apart.
    results: Option<Vec<LooseResult>>,
}

/// The result of a call on another line.
pub(super) struct LooseResult {
    /// The id of the call.
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) failed: bool,
}

/// A tool call as a parser reports it.
pub(super) struct ReportedCall<'v> {
    pub(super) id: Option<&'v str>,
    pub(super) name: &'v str,
    pub(super) input: &'v Value,
    pub(super) line: usize,
    /// Whether a sub-agent made the call; such a call changes neither the list of todos nor the choices.
    pub(super) by_subagent: bool,
}

/// The result of a tool call as a parser reports it.
pub(super) struct ReportedResult<'v> {
    /// The id of the call.
    pub(super) id: Option<&'v str>,
    pub(super) text: &'v str,
    pub(super) failed: bool,
    /// The result as structured data, which Claude Code stores beside the text.
    pub(super) structured: Option<&'v Value>,
    pub(super) line: usize,
}

impl<'p> TranscriptBuilder<'p> {
    /// Begins an empty transcript.
    pub(super) fn new(path: &'p str, format: Format) -> Self {
        Self {
            path,
            transcript: Transcript::empty(format),
            call_by_id: HashMap::new(),
            effects: vec![],
            commits: IndexMap::new(),
            todos: TodoList::default(),
            speaker_texts: HashSet::new(),
            results: None,
        }
    }

    /// Begins a transcript of a single line, whose results may belong to calls of other lines.
    pub(super) fn of_single_line(path: &'p str, format: Format) -> Self {
        Self { results: Some(vec![]), ..Self::new(path, format) }
    }

    /// Returns the transcript of a single line, the ids of its calls in order, and the results of other calls.
    pub(super) fn into_single_line(self) -> (Transcript, Vec<Option<String>>, Vec<LooseResult>) {
        let mut ids = vec![None; self.transcript.tool_calls.len()];
        for (id, index) in self.call_by_id {
            ids[index] = Some(id);
        }
        (self.transcript, ids, self.results.unwrap_or_default())
    }

    /// Returns the numbered lines of a text without those that are too long, which it reports.
    pub(super) fn numbered_lines<'t>(&mut self, text: &'t str) -> Vec<(usize, &'t str)> {
        let mut lines = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            if line.len() > MAX_LINE_BYTES {
                let message = format!(
                    "the line has {} bytes and is skipped; at most 8 MiB are read",
                    line.len()
                );
                self.report_problem(number, message);
            } else {
                lines.push((number, line));
            }
        }
        lines
    }

    /// Calls `visit` with the JSON value and the number of each line that is not blank; reports lines that are not a
    /// JSON object or array.
    pub(super) fn for_each_json_line(
        &mut self,
        text: &str,
        mut visit: impl FnMut(&mut Self, &Value, usize),
    ) {
        for (number, line) in self.numbered_lines(text) {
            if !line.trim().is_empty()
                && let Some(value) = self.parse_json(number, line)
            {
                visit(self, &value, number);
            }
        }
    }

    /// Returns the transcript of a text whose lines are parsed one by one.
    pub(super) fn parse_json_lines(
        mut self,
        text: &str,
        parse_line: impl FnMut(&mut Self, &Value, usize),
    ) -> Transcript {
        self.for_each_json_line(text, parse_line);
        self.build()
    }

    fn parse_json(&mut self, number: usize, line: &str) -> Option<Value> {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() || value.is_array() => Some(value),
            Ok(_) => {
                self.report_problem(number, "the line is not a JSON object or array");
                None
            }
            Err(error) => {
                self.report_problem(number, json::describe_syntax_error(&error));
                None
            }
        }
    }

    /// Reports something that could not be read.
    pub(super) fn report_problem(&mut self, line: usize, message: impl Into<String>) {
        self.transcript.problems.push(Problem::at(self.path, line, message));
    }

    /// Extends the duration of the session to a timestamp.
    pub(super) fn include_time(&mut self, at: Option<Timestamp>) {
        let Some(at) = at else { return };
        let started = self.transcript.started.map_or(at, |started| started.min(at));
        let ended = self.transcript.ended.map_or(at, |ended| ended.max(at));
        (self.transcript.started, self.transcript.ended) = (Some(started), Some(ended));
    }

    /// Sets the id of the session.
    pub(super) fn set_session_id(&mut self, id: Option<&str>) {
        if let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) {
            self.transcript.session_id = Some(id.to_owned());
        }
    }

    /// Marks the transcript as that of a sub-agent, whose id is given.
    pub(super) fn set_subagent(&mut self, id: Option<&str>) {
        self.transcript.is_of_subagent = true;
        self.transcript.session_id = None;
        self.set_session_id(id);
    }

    /// Sets the id of the session unless it is already set.
    pub(super) fn set_session_id_if_unset(&mut self, id: Option<&str>) {
        if self.transcript.session_id.is_none() {
            self.set_session_id(id);
        }
    }

    /// Sets the working directory of the session unless it is already set.
    pub(super) fn set_cwd_if_unset(&mut self, cwd: Option<&str>) {
        if self.transcript.cwd.is_none() {
            self.transcript.cwd = cwd.filter(|cwd| !cwd.is_empty()).map(str::to_owned);
        }
    }

    /// Sets the title of the session.
    pub(super) fn set_title(&mut self, title: &str) {
        if !title.trim().is_empty() {
            self.transcript.title = Some(title.trim().to_owned());
        }
    }

    /// Adds a message, without text that the client injected.
    pub(super) fn add_turn(&mut self, role: Role, at: Option<Timestamp>, text: &str, line: usize) {
        let text = clean::strip_injected_text(text);
        if text.is_empty() {
            return;
        }
        if self.transcript.turns.last().is_some_and(|last| last.role != role) {
            self.speaker_texts.clear();
        }
        self.transcript.turns.push(Turn { role, at, text, line });
    }

    /// Adds a message unless the speaker's present run of messages already has the same text:
    /// Codex writes each message twice, as an event and as an item.
    pub(super) fn add_turn_once(
        &mut self,
        role: Role,
        at: Option<Timestamp>,
        text: &str,
        line: usize,
    ) {
        let count = self.transcript.turns.len();
        self.add_turn(role, at, text, line);
        if self.transcript.turns.len() == count {
            return;
        }
        if let Some(turn) = self.transcript.turns.last()
            && !self.speaker_texts.insert(turn.text.clone())
        {
            self.transcript.turns.pop();
        }
    }

    /// Appends a paragraph to the last message.
    pub(super) fn append_to_last_turn(&mut self, text: &str) {
        let text = clean::strip_injected_text(text);
        if let Some(turn) = self.transcript.turns.last_mut().filter(|_| !text.is_empty()) {
            turn.text.push_str("\n\n");
            turn.text.push_str(&text);
        }
    }

    /// Adds a tool call unless one with the same id exists.
    pub(super) fn add_call(&mut self, call: &ReportedCall<'_>) {
        let index = self.transcript.tool_calls.len();
        if let Some(id) = call.id {
            if self.call_by_id.contains_key(id) {
                return;
            }
            self.call_by_id.insert(id.to_owned(), index);
        }
        let described = tools::describe(call.name, call.input, self.transcript.cwd.as_deref());
        if described.kind == ToolKind::Run
            && let Some(subject) = shell_command::commit_subject(&described.input)
        {
            self.commits.insert(index, subject);
        }
        let effect = if call.by_subagent { ToolEffect::None } else { described.effect };
        self.todos.apply_call(index, &effect);
        self.effects.push(effect);
        self.transcript.tool_calls.push(ToolCall {
            name: call.name.to_owned(),
            kind: described.kind,
            input: described.input,
            arguments: tools::argument_texts(call.input),
            files: described.files,
            line: call.line,
            has_result: false,
            failed: false,
        });
    }

    /// Adds the result of a tool call. A result without a call becomes a message of the tool.
    pub(super) fn add_result(&mut self, result: &ReportedResult<'_>) {
        let Some(&index) = result.id.and_then(|id| self.call_by_id.get(id)) else {
            if let Some(results) = &mut self.results {
                let (id, text) = (result.id.map(str::to_owned), result.text.to_owned());
                results.push(LooseResult { id, text, failed: result.failed });
                return;
            }
            self.add_turn(Role::Tool, None, result.text, result.line);
            return;
        };
        let call = &mut self.transcript.tool_calls[index];
        call.has_result = true;
        call.failed |= result.failed;
        if call.failed {
            if let Some(results) = &mut self.results {
                let (id, text) = (result.id.map(str::to_owned), result.text.to_owned());
                results.push(LooseResult { id, text, failed: true });
            }
            return;
        }
        if let Some(commit) = self.commits.get_mut(&index)
            && let Some(reported) = shell_command::commit_in_output(result.text)
        {
            *commit = reported;
        }
        self.todos.apply_result(index, result.text);
        let choices = self.effects[index].user_choices(result.text, result.structured);
        let line = result.line;
        self.transcript.choices.extend(choices.into_iter().map(|text| Choice { text, line }));
    }

    /// Returns whether the transcript contains the call with this id.
    pub(super) fn has_call(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.call_by_id.contains_key(id))
    }

    /// Marks a call as failed, for formats that report the failure apart from the result.
    pub(super) fn mark_failed(&mut self, id: Option<&str>) {
        if !self.has_call(id)
            && let Some(results) = &mut self.results
        {
            let id = id.map(str::to_owned);
            results.push(LooseResult { id, text: String::new(), failed: true });
        }
        if let Some(&index) = id.and_then(|id| self.call_by_id.get(id)) {
            self.transcript.tool_calls[index].failed = true;
        }
    }

    /// Returns the transcript. Files and commits come from the calls that did not fail. A file that was written is not
    /// listed as read.
    pub(super) fn build(mut self) -> Transcript {
        let written = self.files_of(ToolKind::Edit);
        let read = self.files_of(ToolKind::Read);
        let files_read = read.difference(&written).map(|&file| file.clone()).collect();
        let files = written.into_iter().cloned().collect();
        (self.transcript.files_written, self.transcript.files_read) = (files, files_read);
        let commits: IndexSet<String> = self
            .commits
            .into_iter()
            .filter(|(index, _)| !self.transcript.tool_calls[*index].failed)
            .map(|(_, commit)| commit)
            .filter(|commit| !commit.is_empty())
            .collect();
        self.transcript.commits = commits.into_iter().collect();
        self.transcript.todos = self.todos.into_entries();
        self.transcript
    }

    fn files_of(&self, kind: ToolKind) -> IndexSet<&String> {
        let calls = self.transcript.tool_calls.iter();
        calls
            .filter(|call| call.kind == kind && !call.failed)
            .flat_map(|call| &call.files)
            .collect()
    }
}
