//! Why a request does not fit its schema, in words that name the field, what was given and what is
//! allowed.

use heirloom_core::{Value, json};

/// One thing that does not fit.
struct Mismatch {
    message: String,
    /// What serde's own message would quote of it.
    quoted: String,
}

/// Returns why a value could not be read: the mismatch that serde met, or the first one. A schema
/// may be stricter than what is read (`known-issues` is also a section), so serde decides whether
/// anything is wrong at all.
pub(crate) fn explained(schema: &Value, given: &Value, error: &serde_json::Error) -> String {
    let mut found = Vec::new();
    compare(schema, given, "", &mut found);
    let said = error.to_string();
    let met = found.iter().position(|mismatch| said.contains(&mismatch.quoted));
    match found.into_iter().nth(met.unwrap_or(0)) {
        Some(mismatch) => mismatch.message,
        None => json::message(error),
    }
}

fn compare(schema: &Value, given: &Value, path: &str, found: &mut Vec<Mismatch>) {
    if fits(schema, given) && !given.is_object() && !given.is_array() {
        return;
    }
    let schema = without_null(schema);
    match given {
        Value::Object(map) if allows(schema, "object") => {
            for name in texts(&schema["required"]).filter(|name| !map.contains_key(*name)) {
                let allowed = allowed(&schema["properties"][name]);
                found.push(Mismatch {
                    message: format!("`{}` is missing; it must be {allowed}", join(path, name)),
                    quoted: format!("missing field `{name}`"),
                });
            }
            for (name, value) in map {
                let declared = schema["properties"].get(name);
                let inner = declared.unwrap_or(&schema["additionalProperties"]);
                if declared.is_none() && *inner == Value::Bool(false) {
                    let own = schema["properties"].as_object();
                    let own: Vec<&str> =
                        own.into_iter().flat_map(|own| own.keys()).map(String::as_str).collect();
                    found.push(Mismatch {
                        message: format!(
                            "there is no field `{}`; there are {}",
                            join(path, name),
                            own.join(", ")
                        ),
                        quoted: format!("unknown field `{name}`"),
                    });
                } else {
                    compare(inner, value, &join(path, name), found);
                }
            }
        }
        Value::Array(items) if allows(schema, "array") => {
            for (at, item) in items.iter().enumerate() {
                compare(&schema["items"], item, &format!("{path}[{at}]"), found);
            }
        }
        _ if fits(schema, given) => {}
        _ => found.push(Mismatch {
            message: format!(
                "`{path}` must be {}, and {} was given",
                allowed(schema),
                json::described(given)
            ),
            quoted: quoted(given),
        }),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the option of a schema that is not null, where there is a choice.
fn without_null(schema: &Value) -> &Value {
    let options = schema["anyOf"].as_array().into_iter().flatten();
    let mut real = options.filter(|option| option["type"] != "null");
    match (real.next(), real.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the words that a schema allows, where it lists them.
fn words(schema: &Value) -> Vec<&str> {
    let options = schema["oneOf"].as_array().into_iter().flatten();
    let listed = options
        .flat_map(|option| option["const"].as_str().into_iter().chain(texts(&option["enum"])));
    texts(&schema["enum"]).chain(listed).collect()
}

fn allows(schema: &Value, wanted: &str) -> bool {
    let kind = &schema["type"];
    kind == wanted || texts(kind).any(|own| own == wanted)
}

/// Returns whether a value is of the kind that a schema describes; what is inside is not looked at.
fn fits(schema: &Value, given: &Value) -> bool {
    if let Some(options) = schema["anyOf"].as_array() {
        return options.iter().any(|option| fits(option, given));
    }
    let words = words(schema);
    if !words.is_empty() {
        let takes_null = given.is_null() && allows(schema, "null");
        return takes_null || given.as_str().is_some_and(|given| words.contains(&given));
    }
    if schema["type"].is_null() {
        return true;
    }
    let bound = |name: &str| schema[name].as_f64();
    let is_within = |number: f64| {
        bound("minimum").is_none_or(|least| number >= least)
            && bound("maximum").is_none_or(|most| number <= most)
    };
    match given {
        Value::Null => allows(schema, "null"),
        Value::Bool(_) => allows(schema, "boolean"),
        Value::String(_) => allows(schema, "string"),
        Value::Array(_) => allows(schema, "array"),
        Value::Object(_) => allows(schema, "object"),
        Value::Number(number) => {
            let is_whole = number.is_i64() || number.is_u64();
            (allows(schema, "number") || (is_whole && allows(schema, "integer")))
                && number.as_f64().is_some_and(is_within)
        }
    }
}

/// Describes what a schema allows.
fn allowed(schema: &Value) -> String {
    let schema = without_null(schema);
    let words = words(schema);
    if !words.is_empty() {
        return format!("one of {}", words.join(", "));
    }
    let range = match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(", {least} or more"),
        (None, Some(most)) => format!(", {most} or less"),
        (None, None) => String::new(),
    };
    let named = ["string", "integer", "number", "boolean", "array", "object"];
    let kinds = named.into_iter().filter(|kind| allows(schema, kind)).map(|kind| match kind {
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

/// Returns how serde's message quotes a value.
fn quoted(given: &Value) -> String {
    match given {
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
    use crate::operation::schema;
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
    #[expect(dead_code, reason = "it is only read")]
    struct Inner {
        name: String,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is only read")]
    struct Asked {
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
    fn check(given: Value, said: &str) {
        let error = serde_json::from_value::<Asked>(given.clone()).unwrap_err();
        assert_eq!(explained(&schema::<Asked>().to_value(), &given, &error), said);
    }

    #[test]
    fn every_mismatch_names_the_field_what_was_given_and_what_is_allowed() {
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
            "there is no field `inner[0].nme`; there are name",
        );
    }
}
