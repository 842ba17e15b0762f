//! The program that makes requests.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The language model of a client, which answers what a request asks it (sampling, in MCP).
pub trait ClientModel: fmt::Debug + Send + Sync {
    /// Returns a name that tells it from other models.
    fn name(&self) -> String;

    /// Answers a question, or returns the reason why it does not.
    fn complete(&self, instruction: &str, question: &str) -> Result<String, String>;
}

/// A program that makes requests over a connection, such as an agent's client.
#[derive(Debug, Default)]
pub struct Client {
    name: OnceLock<String>,
    /// Its language model, if it offers one.
    model: OnceLock<Arc<dyn ClientModel>>,
    /// Whether its requests come over a connection of its own.
    is_connected: bool,
    /// The work sessions that it started and has not ended, in the order of their start.
    work_sessions: Mutex<Vec<String>>,
}

impl Client {
    /// A program with a connection of its own.
    pub fn connected() -> Self {
        Client { is_connected: true, ..Client::default() }
    }

    /// Returns whether its requests come over a connection of its own.
    pub(crate) fn is_connected(&self) -> bool {
        self.is_connected
    }

    /// Sets the name by which the program introduced itself, unless it is set.
    pub fn introduce(&self, name: Option<String>) {
        if let Some(name) = name {
            self.name.get_or_init(|| name);
        }
    }

    /// Returns the name by which the program introduced itself.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.get().map(String::as_str)
    }

    /// Sets the language model that it offers, unless it is set.
    pub fn offer_model(&self, model: impl FnOnce() -> Option<Arc<dyn ClientModel>>) {
        if self.model.get().is_none()
            && let Some(model) = model()
        {
            self.model.get_or_init(|| model);
        }
    }

    /// Returns the language model that it offers.
    pub(crate) fn model(&self) -> Option<Arc<dyn ClientModel>> {
        self.model.get().cloned()
    }

    /// Returns whether it started work sessions that it has not ended.
    pub fn has_work_sessions(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Returns the work sessions that it started and has not ended.
    pub(crate) fn work_sessions(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// Notes that it started a work session.
    pub(crate) fn add_work_session(&self, id: &str) {
        self.lock().push(id.to_owned());
    }

    /// Notes that a work session has ended.
    pub(crate) fn remove_work_session(&self, id: &str) {
        self.lock().retain(|own| own != id);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.work_sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
