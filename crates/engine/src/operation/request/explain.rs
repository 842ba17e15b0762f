//! Explains why a request does not match its schema: names the field, the value given and the values
//! allowed.

use heirloom_core::{Value, json};
use serde_json::Map;

/// A value that does not match its schema.
struct Mismatch {
    message: String,
    /// The text by which serde's error message refers to it.
    serde_quote: String,
}

/// Explains a deserialisation error: returns the mismatch that serde reported, or else the first one.
/// A schema may be stricter than its deserialiser (which also accepts `known-issues` as a section), so
/// this is called only after serde has failed.
pub(crate) fn explain_mismatch(schema: &Value, value: &Value, error: &serde_json::Error) -> String {
    let mut found = Vec::new();
    find_mismatches(schema, value, "", &mut found);
    let serde_message = error.to_string();
    let reported = found.iter().position(|mismatch| serde_message.contains(&mismatch.serde_quote));
    match found.into_iter().nth(reported.unwrap_or(0)) {
        Some(mismatch) => mismatch.message,
        None => json::error_message(error),
    }
}

fn find_mismatches(schema: &Value, value: &Value, path: &str, found: &mut Vec<Mismatch>) {
    if matches(schema, value) && !value.is_object() && !value.is_array() {
        return;
    }
    let schema = without_null(schema);
    match value {
        Value::Object(fields) if allows(schema, "object") => {
            find_field_mismatches(schema, fields, path, found);
        }
        Value::Array(items) if allows(schema, "array") => {
            for (at, item) in items.iter().enumerate() {
                find_mismatches(&schema["items"], item, &format!("{path}[{at}]"), found);
            }
        }
        _ if matches(schema, value) => {}
        _ => found.push(Mismatch {
            message: format!(
                "`{path}` must be {}, and {} was given",
                describe_allowed(schema),
                json::describe(value)
            ),
            serde_quote: serde_quote(value),
        }),
    }
}

fn find_field_mismatches(
    schema: &Value,
    fields: &Map<String, Value>,
    path: &str,
    found: &mut Vec<Mismatch>,
) {
    for name in texts(&schema["required"]).filter(|name| !fields.contains_key(*name)) {
        let allowed = describe_allowed(&schema["properties"][name]);
        found.push(Mismatch {
            message: format!("`{}` is missing; it must be {allowed}", join(path, name)),
            serde_quote: format!("missing field `{name}`"),
        });
    }
    for (name, value) in fields {
        let declared = schema["properties"].get(name);
        let inner = declared.unwrap_or(&schema["additionalProperties"]);
        if declared.is_none() && *inner == Value::Bool(false) {
            let properties = schema["properties"].as_object().into_iter();
            let known: Vec<&str> =
                properties.flat_map(|map| map.keys()).map(String::as_str).collect();
            found.push(Mismatch {
                message: format!(
                    "there is no field `{}`; the fields are {}",
                    join(path, name),
                    known.join(", ")
                ),
                serde_quote: format!("unknown field `{name}`"),
            });
        } else {
            find_mismatches(inner, value, &join(path, name), found);
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the only option of an `anyOf` that is not null, or else the schema itself.
pub(super) fn without_null(schema: &Value) -> &Value {
    let options = schema["anyOf"].as_array().into_iter().flatten();
    let mut non_null = options.filter(|option| option["type"] != "null");
    match (non_null.next(), non_null.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the values of an enumeration; none for another schema.
fn enum_values(schema: &Value) -> Vec<&str> {
    let options = schema["oneOf"].as_array().into_iter().flatten();
    let listed = options
        .flat_map(|option| option["const"].as_str().into_iter().chain(texts(&option["enum"])));
    texts(&schema["enum"]).chain(listed).collect()
}

/// Returns whether a schema declares a JSON type.
pub(super) fn allows(schema: &Value, json_type: &str) -> bool {
    let declared = &schema["type"];
    declared == json_type || texts(declared).any(|name| name == json_type)
}

/// Returns whether a value has the type, the range or one of the enumerated values of a schema.
/// Elements and fields are not compared.
fn matches(schema: &Value, value: &Value) -> bool {
    if let Some(options) = schema["anyOf"].as_array() {
        return options.iter().any(|option| matches(option, value));
    }
    let values = enum_values(schema);
    if !values.is_empty() {
        let is_allowed_null = value.is_null() && allows(schema, "null");
        return is_allowed_null || value.as_str().is_some_and(|value| values.contains(&value));
    }
    if schema["type"].is_null() {
        return true;
    }
    let bound = |name: &str| schema[name].as_f64();
    let is_in_range = |number: f64| {
        bound("minimum").is_none_or(|minimum| number >= minimum)
            && bound("maximum").is_none_or(|maximum| number <= maximum)
    };
    match value {
        Value::Null => allows(schema, "null"),
        Value::Bool(_) => allows(schema, "boolean"),
        Value::String(_) => allows(schema, "string"),
        Value::Array(_) => allows(schema, "array"),
        Value::Object(_) => allows(schema, "object"),
        Value::Number(number) => {
            let is_integer = number.is_i64() || number.is_u64();
            (allows(schema, "number") || (is_integer && allows(schema, "integer")))
                && number.as_f64().is_some_and(is_in_range)
        }
    }
}

/// Describes in words what a schema allows.
fn describe_allowed(schema: &Value) -> String {
    let schema = without_null(schema);
    let values = enum_values(schema);
    if !values.is_empty() {
        return format!("one of {}", values.join(", "));
    }
    let range = match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(minimum), Some(maximum)) => format!(" from {minimum} to {maximum}"),
        (Some(minimum), None) => format!(", {minimum} or more"),
        (None, Some(maximum)) => format!(", {maximum} or less"),
        (None, None) => String::new(),
    };
    let types = ["string", "integer", "number", "boolean", "array", "object"];
    let kinds = types.into_iter().filter(|name| allows(schema, name)).map(|name| match name {
        "string" => "a string".to_owned(),
        "integer" => format!("an integer{range}"),
        "number" => format!("a number{range}"),
        "boolean" => "true or false".to_owned(),
        "array" if allows(&schema["items"], "string") => "a list of strings".to_owned(),
        "array" if allows(&schema["items"], "object") => "a list of objects".to_owned(),
        "array" => "a list".to_owned(),
        _ => "an object".to_owned(),
    });
    let kinds: Vec<String> = kinds.collect();
    if kinds.is_empty() { "any value".to_owned() } else { kinds.join(" or ") }
}

/// Returns how serde's error message refers to a value.
fn serde_quote(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("boolean `{value}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) => text.clone(),
        Value::Array(_) => "sequence".to_owned(),
        Value::Object(_) => "map".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::schema::of_request;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only deserialised")]
    struct Inner {
        name: String,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only deserialised")]
    struct Request {
        query: String,
        #[serde(default)]
        limit: Option<u8>,
        #[serde(default)]
        colour: Option<Colour>,
        #[serde(default)]
        flag: bool,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        inner: Vec<Inner>,
    }

    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "every call makes its value in place")]
    fn check(value: Value, explanation: &str) {
        let error = serde_json::from_value::<Request>(value.clone()).unwrap_err();
        assert_eq!(
            explain_mismatch(&of_request::<Request>().to_value(), &value, &error),
            explanation
        );
    }

    #[test]
    fn explanations_name_the_field_the_value_and_what_is_allowed() {
        check(json!({}), "`query` is missing; it must be a string");
        check(json!({"query": 5}), "`query` must be a string, and 5 was given");
        check(json!({"query": null}), "`query` must be a string, and null was given");
        let limit = "`limit` must be an integer from 0 to 255, and";
        check(json!({"query": "q", "limit": "ten"}), &format!("{limit} \"ten\" was given"));
        check(json!({"query": "q", "limit": -1}), &format!("{limit} -1 was given"));
        check(json!({"query": "q", "limit": 300}), &format!("{limit} 300 was given"));
        check(json!({"query": "q", "limit": 1.5}), &format!("{limit} 1.5 was given"));
        check(
            json!({"query": "q", "flag": "yes"}),
            "`flag` must be true or false, and \"yes\" was given",
        );
        check(
            json!({"query": "q", "colour": "blue"}),
            "`colour` must be one of red, green, and \"blue\" was given",
        );
        check(
            json!({"query": "q", "colour": 7}),
            "`colour` must be one of red, green, and 7 was given",
        );
        check(
            json!({"query": "q", "tags": "a"}),
            "`tags` must be a list of strings, and \"a\" was given",
        );
        check(
            json!({"query": "q", "tags": ["a", 7]}),
            "`tags[1]` must be a string, and 7 was given",
        );
        check(
            json!({"query": "q", "inner": [{"name": "a"}, {}]}),
            "`inner[1].name` is missing; it must be a string",
        );
        check(
            json!({"query": "q", "inner": [{"nme": "a", "name": ""}]}),
            "there is no field `inner[0].nme`; the fields are name",
        );
    }
}
