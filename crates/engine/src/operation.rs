//! Defines what an operation is, and its type-erased form, from which the command line, MCP and HTTP
//! interfaces are derived.

pub(crate) mod request;
pub mod schema;
mod spec;

use heirloom_core::Hint;
use heirloom_core::hint::{HintFormatter, format_hints};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, Session, View};

pub use spec::{Effect, Group, Spec};

/// An operation: a request, a response and the function between them.
pub trait Operation: 'static {
    /// The request. Its fields are the flags of the command line, the parameters of the MCP tool and
    /// the body of the HTTP request; their doc comments are the help text of all three.
    type Request: DeserializeOwned + JsonSchema;
    /// The response.
    type Response: Answer;
    /// The name, usage and description of the operation.
    const SPEC: Spec;

    /// Runs the operation.
    fn run(session: &Session, request: Self::Request) -> Result<Self::Response, Error>;

    /// Prepares to answer a request on the thread that received it, if the data is already in memory:
    /// the server then avoids the cost of handing the request to another thread.
    const PREPARE_INLINE: Option<PrepareInline> = None;

    /// Returns what has to be open for a request.
    fn scope(_request: &Value) -> Scope {
        Scope::Workspace
    }

    /// Alternative names of request fields, each with the name of the field. Spellings of one name
    /// (`plan`, `planId`, `plan_id`) need not be listed.
    const ALIASES: &[(&str, &str)] = &[];

    /// Further paths of the endpoint, besides `/v1/<name>`.
    const PATHS: &[&str] = &[];
}

/// What has to be open for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The workspace of the caller.
    Workspace,
    /// Any workspace of this machine, because the request is about all of them.
    Machine,
}

/// Prepares to answer a request on the thread that received it; returns whether that is possible.
pub type PrepareInline = fn(&Session, &Value) -> bool;

/// A response that can be serialised and rendered for people.
pub trait Answer: Serialize + JsonSchema + 'static {
    /// Lays the answer out for people.
    fn view(&self) -> View;

    /// Lays the answer out for agents.
    fn agent_view(&self) -> View {
        self.view()
    }

    /// Returns what a person should know besides the view, which may be the input of another program. The command line
    /// prints it on standard error.
    fn notices(&self) -> Vec<Hint> {
        vec![]
    }

    /// Returns the answer as JSON, with its hints worded.
    fn data(&self, word: HintFormatter<'_>) -> Value {
        format_answer(self, word)
    }

    /// Returns whether it contains findings that should fail a script.
    fn has_findings(&self) -> bool {
        false
    }
}

/// An operation with its types erased: a row of the table `OPS`.
#[derive(Clone, Copy)]
pub struct Op {
    /// The name, usage and description.
    pub spec: Spec,
    request_schema: fn() -> Schema,
    response_schema: fn() -> Schema,
    call: fn(&Session, Value) -> Result<Reply, Error>,
    scope: fn(&Value) -> Scope,
    /// Further paths of the endpoint, besides `/v1/<name>`.
    pub paths: &'static [&'static str],
    /// Prepares to answer a request on the thread that received it; `None` if it never can.
    pub prepare_inline: Option<PrepareInline>,
}

/// An operation's answer with its type erased.
pub struct Reply {
    answer: Box<dyn ErasedAnswer>,
}

impl Op {
    /// Erases an operation's types.
    pub const fn new<O: Operation>() -> Self {
        Op {
            spec: O::SPEC,
            request_schema: schema::of_request::<O::Request>,
            response_schema: schema::of_response::<O::Response>,
            call: call::<O>,
            scope: O::scope,
            paths: O::PATHS,
            prepare_inline: O::PREPARE_INLINE,
        }
    }

    /// Returns the JSON schema of the request as it is deserialised.
    pub fn request_schema(&self) -> Schema {
        (self.request_schema)()
    }

    /// Returns the JSON schema of the response as it is serialised.
    pub fn response_schema(&self) -> Schema {
        (self.response_schema)()
    }

    /// Returns what has to be open for a request.
    pub fn scope(&self, request: &Value) -> Scope {
        (self.scope)(request)
    }

    /// Runs the operation.
    pub(crate) fn call(&self, session: &Session, request: Value) -> Result<Reply, Error> {
        (self.call)(session, request)
    }

    /// Returns the words of the command: `context`, `resolve`.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.spec.words()
    }

    /// Returns the fields that are positional on the command line.
    pub fn positionals(&self) -> impl Iterator<Item = &'static str> {
        self.spec.positionals()
    }

    /// Returns the positional field that a flag may replace, and that flag.
    pub fn flag_alternative(&self) -> Option<(&'static str, &'static str)> {
        self.spec.flag_alternative()
    }
}

impl Reply {
    /// Wraps an answer.
    pub fn new(answer: impl Answer) -> Self {
        Reply { answer: Box::new(answer) }
    }

    /// Returns the answer as JSON, with its hints worded.
    pub fn data(&self, word: HintFormatter<'_>) -> Value {
        self.answer.data(word)
    }

    /// Lays the answer out for people.
    pub fn view(&self) -> View {
        self.answer.view()
    }

    /// Lays the answer out for agents.
    pub fn agent_view(&self) -> View {
        self.answer.agent_view()
    }

    /// Returns what a person should know besides the view.
    pub fn notices(&self) -> Vec<Hint> {
        self.answer.notices()
    }

    /// Returns whether it contains findings that should fail a script.
    pub fn has_findings(&self) -> bool {
        self.answer.has_findings()
    }
}

/// An [`Answer`] that can be a trait object.
trait ErasedAnswer {
    fn data(&self, word: HintFormatter<'_>) -> Value;
    fn view(&self) -> View;
    fn agent_view(&self) -> View;
    fn notices(&self) -> Vec<Hint>;
    fn has_findings(&self) -> bool;
}

impl<A: Answer> ErasedAnswer for A {
    fn data(&self, word: HintFormatter<'_>) -> Value {
        Answer::data(self, word)
    }

    fn view(&self) -> View {
        Answer::view(self)
    }

    fn agent_view(&self) -> View {
        Answer::agent_view(self)
    }

    fn notices(&self) -> Vec<Hint> {
        Answer::notices(self)
    }

    fn has_findings(&self) -> bool {
        Answer::has_findings(self)
    }
}

/// Serialises an answer and words its hints.
pub(crate) fn format_answer(answer: &(impl Serialize + ?Sized), word: HintFormatter<'_>) -> Value {
    let mut data = serde_json::to_value(answer)
        .unwrap_or_else(|error| serde_json::json!({"error": error.to_string()}));
    format_hints(&mut data, word);
    data
}

fn call<O: Operation>(session: &Session, request: Value) -> Result<Reply, Error> {
    let request = request::read(&O::SPEC, O::ALIASES, request)?;
    O::run(session, request).map(Reply::new)
}
