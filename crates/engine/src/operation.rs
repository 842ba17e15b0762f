//! What an operation is, and the form in which the doors see it.

pub(crate) mod request;
pub mod schema;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, Session, View};

/// An operation: a request, a response and what to do between them.
pub trait Operation: 'static {
    /// What is asked. Its fields are the flags of the CLI, the parameters of the tool and the body
    /// of the HTTP request; their doc comments are the help of all three.
    type Request: DeserializeOwned + JsonSchema;
    /// What is answered.
    type Response: Answer;
    /// What the doors need to know.
    const SPEC: Spec;

    /// Does it.
    fn run(session: &Session, request: Self::Request) -> Result<Self::Response, Error>;

    /// Prepares to answer a request on the thread that received it, if that can be done at once: a
    /// server then need not hand it to another thread, which would take longer.
    const PREPARE_INLINE: Option<PrepareInline> = None;

    /// Other names that fields of the request go by. Spellings of one name (`plan`, `planId`,
    /// `plan_id`) need not be listed.
    const ALIASES: &[&str] = &[];
}

/// Prepares to answer a request on the thread that received it; returns whether that is possible.
pub type PrepareInline = fn(&Session, &Value) -> bool;

/// What every response can do.
pub trait Answer: Serialize + JsonSchema + 'static {
    /// Lays it out for people.
    fn view(&self) -> View;

    /// Says whether it holds findings that should fail a script.
    fn has_findings(&self) -> bool {
        false
    }
}

/// What the doors need to know of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Its name as a tool and in `POST /v1/<name>`.
    pub name: &'static str,
    /// Its words on the command line, then its positional arguments: `context resolve [plan] [agent]`.
    /// A flag may stand in an argument's place, and says that there is none:
    /// `memory show <plan> <agent|--plan>`.
    pub usage: &'static str,
    /// Which list of tools shows it.
    pub group: Group,
    /// Whether it changes anything.
    pub effect: Effect,
    /// What it does, in a sentence or two.
    pub about: &'static str,
}

/// The lists of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Listed by default.
    Core,
    /// Listed with `--tools plans`.
    Plans,
    /// Listed with `--tools memory`.
    Memory,
    /// Listed with `--tools tasks`.
    Tasks,
}

impl Group {
    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            Group::Core => "core",
            Group::Plans => "plans",
            Group::Memory => "memory",
            Group::Tasks => "tasks",
        }
    }
}

/// Whether an operation changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It reads.
    Reads,
    /// It writes.
    Writes,
    /// It takes something away, so that a person is asked first.
    TakesAway,
}

/// An operation with its types erased: a row of the table.
#[derive(Clone, Copy)]
pub struct Op {
    /// What it is.
    pub spec: Spec,
    request_schema: fn() -> Schema,
    response_schema: fn() -> Schema,
    call: fn(&Session, Value) -> Result<Reply, Error>,
    /// Prepares to answer a request on the thread that received it, if it ever can.
    pub prepare_inline: Option<PrepareInline>,
}

/// An operation's answer, ready for any door.
pub struct Reply {
    answer: Box<dyn ErasedAnswer>,
}

impl Op {
    /// Erases an operation's types.
    pub const fn of<O: Operation>() -> Self {
        Op {
            spec: O::SPEC,
            request_schema: schema::<O::Request>,
            response_schema: schema::<O::Response>,
            call: call::<O>,
            prepare_inline: O::PREPARE_INLINE,
        }
    }

    /// Returns the schema of its request.
    pub fn request_schema(&self) -> Schema {
        (self.request_schema)()
    }

    /// Returns the schema of its response.
    pub fn response_schema(&self) -> Schema {
        (self.response_schema)()
    }

    /// Runs it.
    pub fn call(&self, session: &Session, request: Value) -> Result<Reply, Error> {
        (self.call)(session, request)
    }

    /// Returns its words on the command line: `context resolve`.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.spec.usage.split(' ').filter(|word| !word.starts_with(['[', '<']))
    }

    /// Returns the fields that are positional on the command line.
    pub fn positionals(&self) -> impl Iterator<Item = &'static str> {
        self.spec
            .usage
            .split(' ')
            .filter(|word| word.starts_with(['[', '<']))
            .map(|word| word.trim_matches(['[', ']', '<', '>', '.']))
            .map(|word| word.split('|').next().unwrap_or(word))
    }

    /// Returns the positional field that a flag may stand in for, and the flag.
    pub fn stand_in(&self) -> Option<(&'static str, &'static str)> {
        let words = self.spec.usage.split(' ').map(|word| word.trim_matches(['[', ']', '<', '>']));
        words.filter_map(|word| word.split_once("|--")).next()
    }
}

impl Reply {
    /// Returns the answer as data.
    pub fn data(&self) -> Value {
        self.answer.data()
    }

    /// Lays the answer out for people.
    pub fn view(&self) -> View {
        self.answer.view()
    }

    /// Says whether it holds findings that should fail a script.
    pub fn has_findings(&self) -> bool {
        self.answer.has_findings()
    }

    /// Wraps an answer.
    pub fn of(answer: impl Answer) -> Self {
        Reply { answer: Box::new(answer) }
    }
}

trait ErasedAnswer {
    fn data(&self) -> Value;
    fn view(&self) -> View;
    fn has_findings(&self) -> bool;
}

impl<A: Answer> ErasedAnswer for A {
    fn data(&self) -> Value {
        serde_json::to_value(self)
            .unwrap_or_else(|error| serde_json::json!({"error": error.to_string()}))
    }

    fn view(&self) -> View {
        Answer::view(self)
    }

    fn has_findings(&self) -> bool {
        Answer::has_findings(self)
    }
}

pub(crate) fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

fn call<O: Operation>(session: &Session, request: Value) -> Result<Reply, Error> {
    let request = request::read::<O>(request)?;
    O::run(session, request).map(Reply::of)
}
