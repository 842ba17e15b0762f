//! The agent's own list of things to do, as its tools write it.

use std::collections::HashMap;

use super::effect::Effect;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// What is to do.
    pub text: String,
    /// Whether it is done.
    pub done: bool,
}

/// The list in its present state.
#[derive(Default)]
pub(super) struct TodoList {
    /// What is on it; a place is empty when its entry was taken off.
    entries: Vec<Option<Todo>>,
    /// The entries that calls have made and whose numbers are not known.
    by_call: HashMap<usize, usize>,
    /// The numbers by which later calls name the entries.
    by_number: HashMap<String, usize>,
}

impl TodoList {
    /// Applies the call of a tool.
    pub(super) fn called(&mut self, call: usize, effect: &Effect) {
        match effect {
            Effect::Todos(todos) => {
                let entries = todos.iter().cloned().map(Some).collect();
                *self = Self { entries, ..Self::default() };
            }
            Effect::NewTodo(text) => {
                self.by_call.insert(call, self.entries.len());
                self.entries.push(Some(Todo { text: text.clone(), done: false }));
            }
            Effect::TodoState { number, status } => self.set(number, status),
            Effect::None | Effect::Ask(_) | Effect::Plan(_) => {}
        }
    }

    /// Learns the number of a new entry from the result of its call.
    pub(super) fn answered(&mut self, call: usize, text: &str) {
        let Some(entry) = self.by_call.remove(&call) else { return };
        if let Some((_, rest)) = text.split_once('#') {
            let number = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
            self.by_number.insert(number, entry);
        }
    }

    /// Returns the list.
    pub(super) fn items(self) -> Vec<Todo> {
        self.entries.into_iter().flatten().collect()
    }

    fn set(&mut self, number: &str, status: &str) {
        let Some(&at) = self.by_number.get(number) else { return };
        match (status, &mut self.entries[at]) {
            ("deleted" | "cancelled", entry) => *entry = None,
            (status, Some(todo)) => todo.done = status == "completed",
            (_, None) => {}
        }
    }
}
