//! Explains why the parameters of a known method are not valid.
//!
//! The library reads a request whose parameters do not match its method as one with an unknown method, so the
//! client would be told that the method does not exist.

use heirloom_core::json::describe;
use rmcp::ErrorData;
use rmcp::model::{CustomRequest, ErrorCode};
use serde_json::Value;

/// The type of a parameter.
enum ParamType {
    Text,
    Object,
}

/// A parameter of a method: its name, its type, and whether it is required.
type Param = (&'static str, ParamType, bool);

/// The methods with parameters that this server answers.
const METHODS: &[(&str, &[Param])] = &[
    ("tools/call", &[("name", ParamType::Text, true), ("arguments", ParamType::Object, false)]),
    ("prompts/get", &[("name", ParamType::Text, true), ("arguments", ParamType::Object, false)]),
    ("resources/read", &[("uri", ParamType::Text, true)]),
    ("tools/list", &[("cursor", ParamType::Text, false)]),
    ("prompts/list", &[("cursor", ParamType::Text, false)]),
    ("resources/list", &[("cursor", ParamType::Text, false)]),
    ("resources/templates/list", &[("cursor", ParamType::Text, false)]),
];

/// Returns the error for a request that the library could not read.
pub(super) fn explain(request: &CustomRequest) -> ErrorData {
    let method = request.method.as_str();
    let Some((_, declared)) = METHODS.iter().find(|(name, _)| *name == method) else {
        let message = format!("there is no method `{}`", method.escape_default());
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    };
    let params = request.params.as_ref().unwrap_or(&Value::Null);
    let reason = declared.iter().find_map(|param| defect(params, param));
    let reason = reason.unwrap_or_else(|| "the parameters do not match the method".to_owned());
    ErrorData::invalid_params(format!("{method}: {reason}"), None)
}

/// Describes what is wrong with a parameter.
fn defect(params: &Value, (name, kind, is_required): &Param) -> Option<String> {
    let (is_valid, expected) = match (kind, &params[*name]) {
        (_, Value::Null) if *is_required => return Some(format!("`{name}` is missing")),
        (_, Value::Null) => return None,
        (ParamType::Text, value) => (value.is_string(), "a string"),
        (ParamType::Object, value) => (value.is_object(), "an object"),
    };
    let given = || describe(&params[*name]);
    (!is_valid).then(|| format!("`{name}` must be {expected}, and {} was given", given()))
}
