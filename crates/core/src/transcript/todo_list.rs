//! Replays the tool calls that maintain the agent's todo list.

use std::collections::HashMap;

use super::effect::ToolEffect;
use super::model::Todo;

/// The present state of the todo list.
#[derive(Default)]
pub(super) struct TodoList {
    /// Removed entries are `None`, so that indexes stay valid.
    entries: Vec<Option<Todo>>,
    /// Index of the entry that a call added, until the result of the call states its number.
    entry_by_call: HashMap<usize, usize>,
    /// Index of an entry by the number that later calls use for it.
    entry_by_number: HashMap<String, usize>,
}

impl TodoList {
    /// Applies the effect of a tool call.
    pub(super) fn apply_call(&mut self, call: usize, effect: &ToolEffect) {
        match effect {
            ToolEffect::ReplaceTodos(todos) => {
                let entries = todos.iter().cloned().map(Some).collect();
                *self = Self { entries, ..Self::default() };
            }
            ToolEffect::AddTodo(text) => {
                self.entry_by_call.insert(call, self.entries.len());
                self.entries.push(Some(Todo { text: text.clone(), done: false }));
            }
            ToolEffect::SetTodoStatus { number, status } => self.set_status(number, status),
            ToolEffect::None | ToolEffect::AskUser(_) | ToolEffect::ProposePlan(_) => {}
        }
    }

    /// Reads the number of a new entry (`Task #3 created`) from the result of its call.
    pub(super) fn apply_result(&mut self, call: usize, text: &str) {
        let Some(entry) = self.entry_by_call.remove(&call) else { return };
        if let Some((_, rest)) = text.split_once('#') {
            let number = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
            self.entry_by_number.insert(number, entry);
        }
    }

    /// Returns the entries that were not removed.
    pub(super) fn into_entries(self) -> Vec<Todo> {
        self.entries.into_iter().flatten().collect()
    }

    fn set_status(&mut self, number: &str, status: &str) {
        let Some(&index) = self.entry_by_number.get(number) else { return };
        match (status, &mut self.entries[index]) {
            ("deleted" | "cancelled", entry) => *entry = None,
            (status, Some(todo)) => todo.done = status == "completed",
            (_, None) => {}
        }
    }
}
