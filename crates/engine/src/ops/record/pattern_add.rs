//! `pattern add`: a shape that code takes here.

use heirloom_core::Value;
use heirloom_core::record::{Body, Pattern};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::Particulars;
use crate::ops::answers::Stored;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PatternAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// When it applies (new_endpoint).
    trigger: String,
    /// The shape, as text or as a JSON structure.
    #[serde(default)]
    template: Option<String>,
    /// The shape in a line (route → validate → handle → respond).
    #[serde(default)]
    hint: Option<String>,
    /// More about it.
    #[serde(default)]
    content: Option<String>,
    #[serde(flatten)]
    particulars: Particulars,
}

impl Operation for PatternAdd {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "pattern_add",
        usage: "pattern add <trigger>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store a shape that code takes here, and when it applies.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let trigger = super::add::named(&request.trigger, "a pattern without a trigger")?;
        if request.template.is_none() && request.hint.is_none() && request.content.is_none() {
            return Err(Error::bad_input("a pattern without a shape")
                .hint("give --template, --hint or --content"));
        }
        let template = request.template.map_or(Value::Null, |text| {
            serde_json::from_str(&text)
                .ok()
                .filter(|value: &Value| value.is_object() || value.is_array())
                .unwrap_or(Value::String(text))
        });
        let content = request.content.unwrap_or_default();
        let body =
            Body::Pattern(Box::new(Pattern { trigger, template, hint: request.hint, content }));
        super::add::store(session, body, &request.particulars)
    }
}
