//! `pattern add`: stores a code pattern of this workspace.

use heirloom_core::record::{Body, Pattern};
use heirloom_core::{Hint, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Map;

use crate::memory::RecordAttributes;
use crate::ops::answers::StoredRecord;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PatternAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// When the pattern applies (new_endpoint).
    trigger: String,
    /// The pattern, as text or as a JSON structure.
    #[serde(default)]
    #[schemars(schema_with = "template_schema")]
    template: Option<Template>,
    /// The pattern in one line (route → validate → handle → respond).
    #[serde(default)]
    hint: Option<String>,
    /// Longer explanation.
    #[serde(default)]
    content: Option<String>,
    #[serde(flatten)]
    attributes: RecordAttributes,
}

/// A pattern as text or as a structure.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Template {
    Text(String),
    Object(Map<String, Value>),
    List(Vec<Value>),
}

fn template_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "object", "array", "null"]})
}

impl Template {
    /// Returns the template as JSON. The command line has only text, so text that is a structure is parsed.
    fn into_json(self) -> Value {
        match self {
            Template::Object(fields) => Value::Object(fields),
            Template::List(items) => Value::Array(items),
            Template::Text(text) => serde_json::from_str(&text)
                .ok()
                .filter(|value: &Value| value.is_object() || value.is_array())
                .unwrap_or(Value::String(text)),
        }
    }
}

impl Operation for PatternAdd {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "pattern_add",
        usage: "pattern add <trigger>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store a code pattern of this workspace and when it applies.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let trigger = super::add::require_title(&request.trigger, "a pattern needs a trigger")?;
        if request.template.is_none() && request.hint.is_none() && request.content.is_none() {
            return Err(Error::bad_input("a pattern needs a template, a hint or a content").hint(
                Hint::text("add ")
                    .field("template")
                    .then(", ")
                    .field("hint")
                    .then(" or ")
                    .field("content"),
            ));
        }
        let template = request.template.map_or(Value::Null, Template::into_json);
        let content = request.content.unwrap_or_default();
        let body =
            Body::Pattern(Box::new(Pattern { trigger, template, hint: request.hint, content }));
        super::add::store(session, body, &request.attributes)
    }
}
