//! Generates the JSON schemas of requests and responses, and simplifies them for callers.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The extension of a field's schema that names its one-letter flag on the command line.
pub const SHORT_FLAG: &str = "x-short-flag";

/// The extension of a field's schema that holds another name of its flag on the command line.
pub const FLAG_ALIAS: &str = "x-flag-alias";

/// The extension of a field's schema that keeps it off the command line, where other flags say the same.
pub const NO_FLAG: &str = "x-no-flag";

/// The extension of the schema of a field with the text of a file: the command line sends an object with its `name` and its
/// `text`, so that messages can name it.
pub const NAMED_CONTENT: &str = "x-named-content";

/// Generates the schema of a request as it is deserialised. A list or map that is required must not be empty,
/// because the request would do nothing.
pub(crate) fn of_request<T: JsonSchema>() -> Schema {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_deserialize());
    // It is that of a flattened part: the description of an operation is in its `Spec`.
    schema.remove("description");
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in required.iter().filter_map(Value::as_str) {
        let field = schema.get_mut("properties").and_then(|fields| fields.get_mut(name));
        let Some(keywords) = field.and_then(Value::as_object_mut) else { continue };
        let limit = match keywords.get("type").and_then(Value::as_str) {
            Some("array") => "minItems",
            Some("object") => "minProperties",
            _ => continue,
        };
        keywords.insert(limit.to_owned(), json!(1));
    }
    schema
}

/// Generates the schema of a response as it is serialised: a field that is left out when it is empty is not
/// required.
pub(crate) fn of_response<T: JsonSchema>() -> Schema {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Generates the schema of a type, with every subschema inlined.
fn generate<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

/// Returns the schema of a request for a client that validates with it: every optional field may be null, which
/// is the same as leaving it out, and other fields are refused.
pub fn describe_request(schema: &Value) -> Value {
    let mut described = describe_response(schema);
    allow_null(&mut described);
    if let Some(keywords) = described.as_object_mut() {
        keywords.entry("properties").or_insert_with(|| json!({}));
        keywords.insert("additionalProperties".into(), json!(false));
    }
    described
}

/// Returns the schema of a response for a client that validates with it: without titles, formats of Rust's
/// number types and extensions for the command line, which say nothing to a client.
pub fn describe_response(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else {
        return match schema {
            Value::Array(items) => items.iter().map(describe_response).collect(),
            other => other.clone(),
        };
    };
    let mut out = Map::new();
    for (key, value) in keywords {
        match key.as_str() {
            "title" | "format" if value.is_string() => {}
            SHORT_FLAG | FLAG_ALIAS | NO_FLAG | NAMED_CONTENT => {}
            "default" if is_empty(value) => {}
            "oneOf" if is_enumeration(value) => out.extend(enumeration(value)),
            _ => drop(out.insert(key.clone(), describe_response(value))),
        }
    }
    Value::Object(out)
}

/// Lets the optional fields of an object, and of the objects in it, be null.
fn allow_null(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for (name, field) in fields {
        allow_null(field);
        if !required.iter().any(|other| other == name) {
            add_null(field);
        }
    }
    if let Some(items) = schema.get_mut("items") {
        allow_null(items);
    }
}

/// Lets a value be null, unless its schema already allows that.
fn add_null(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else { return };
    if let Some(options) = keywords.get_mut("anyOf").and_then(Value::as_array_mut) {
        let null = json!({"type": "null"});
        if !options.contains(&null) {
            options.push(null);
        }
        return;
    }
    if let Some(words) = keywords.get_mut("enum").and_then(Value::as_array_mut)
        && !words.contains(&Value::Null)
    {
        words.push(Value::Null);
    }
    match keywords.get_mut("type") {
        Some(Value::Array(types)) if !types.iter().any(|name| name == "null") => {
            types.push(json!("null"));
        }
        Some(name @ Value::String(_)) => *name = json!([name.clone(), "null"]),
        _ => {}
    }
}

/// Reduces a generated schema to what a caller needs: no titles, no nulls, one type per field, no
/// extensions for the command line. An optional field is one that is not required; stating that it may
/// also be null wastes tokens in every prompt that shows it.
pub fn simplify(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => simplify_object(keywords),
        Value::Array(items) => Value::Array(items.iter().map(simplify).collect()),
        other => other.clone(),
    }
}

fn simplify_object(keywords: &Map<String, Value>) -> Value {
    let mut out = Map::new();
    for (key, value) in keywords {
        match key.as_str() {
            "title" | "$schema" | "format" if value.is_string() => {}
            "minimum" | SHORT_FLAG | FLAG_ALIAS | NAMED_CONTENT => {}
            "default" if is_empty(value) => {}
            "type" => drop(out.insert(key.clone(), without_null(value))),
            "anyOf" => return simplify_any_of(keywords, value),
            "properties" => {
                let properties = value.as_object().map(|map| {
                    map.iter()
                        .map(|(name, inner)| (name.clone(), simplify(inner)))
                        .collect::<Map<_, _>>()
                });
                out.insert(key.clone(), Value::Object(properties.unwrap_or_default()));
            }
            "oneOf" => out.extend(enumeration(value)),
            _ => drop(out.insert(key.clone(), simplify(value))),
        }
    }
    Value::Object(out)
}

/// Returns whether a default value says nothing beyond "absent".
fn is_empty(value: &Value) -> bool {
    value.is_null() || *value == json!(false) || *value == json!({}) || *value == json!([])
}

fn without_null(types: &Value) -> Value {
    match types.as_array() {
        Some(list) => {
            let others: Vec<&Value> = list.iter().filter(|kind| *kind != "null").collect();
            if let [one] = others.as_slice() { (*one).clone() } else { json!(others) }
        }
        None => types.clone(),
    }
}

/// Turns `anyOf: [X, null]` into X with the description of the field.
fn simplify_any_of(keywords: &Map<String, Value>, any_of: &Value) -> Value {
    let inner = any_of.as_array().and_then(|list| {
        list.iter().find(|option| option.get("type").is_none_or(|kind| kind != "null"))
    });
    let mut out = inner.map(simplify).unwrap_or_else(|| json!({}));
    if let (Some(description), Some(object)) = (keywords.get("description"), out.as_object_mut()) {
        object.insert("description".into(), description.clone());
    }
    out
}

/// Returns whether all options are constants or lists of constants.
fn is_enumeration(one_of: &Value) -> bool {
    let is_constant =
        |option: &Value| option.get("const").is_some() || option.get("enum").is_some();
    one_of.as_array().is_some_and(|options| options.iter().all(is_constant))
}

/// Turns `oneOf: [{const: a}, {const: b}]` into `enum: [a, b]`.
fn enumeration(one_of: &Value) -> Map<String, Value> {
    let listed = |option: &Value| option.get("enum").and_then(Value::as_array).cloned();
    let options = one_of.as_array().into_iter().flatten();
    let words: Vec<Value> = options
        .flat_map(|option| {
            let constant = option.get("const").cloned().into_iter();
            constant.chain(listed(option).into_iter().flatten())
        })
        .collect();
    Map::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), Value::Array(words))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OPS;

    #[derive(JsonSchema, serde::Serialize)]
    struct Sample {
        name: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
        #[serde(default)]
        limit: usize,
        kind: Option<Kind>,
    }

    #[derive(JsonSchema, serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Kind {
        /// The documentation of a variant makes schemars list the variants one by one.
        Short,
        Long,
    }

    #[test]
    fn a_response_requires_only_what_is_always_sent() {
        let schema = describe_response(&of_response::<Sample>().to_value());
        assert_eq!(schema["required"], json!(["name", "limit", "kind"]));
        let kind = schema["properties"]["kind"]["anyOf"].as_array().unwrap();
        let words = kind[0]["enum"].as_array().unwrap();
        assert!(words.contains(&json!("short")) && words.contains(&json!("long")), "{schema}");
        assert_eq!(kind[1], json!({"type": "null"}));
    }

    #[test]
    fn an_optional_field_of_a_request_may_be_null() {
        let schema = describe_request(&of_request::<Sample>().to_value());
        let properties = &schema["properties"];
        assert_eq!(schema["required"], json!(["name"]));
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(properties["name"]["type"], "string");
        assert_eq!(properties["notes"]["type"], json!(["array", "null"]));
        assert_eq!(properties["limit"]["type"], json!(["integer", "null"]));
        assert_eq!(properties["kind"]["anyOf"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn no_schema_names_a_field_twice() {
        fn check(schema: &Value, op: &str) {
            let required = schema["required"].as_array().into_iter().flatten();
            let mut names: Vec<&str> = required.filter_map(Value::as_str).collect();
            names.sort_unstable();
            let duplicate = names.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(duplicate, None, "{op}: {schema}");
            let inner = schema.as_object().into_iter().flat_map(Map::values);
            inner.chain(schema.as_array().into_iter().flatten()).for_each(|value| check(value, op));
        }
        for op in OPS {
            check(&op.request_schema().to_value(), op.spec.name);
            check(&op.response_schema().to_value(), op.spec.name);
        }
    }

    #[test]
    fn extensions_for_the_command_line_are_not_published() {
        let has_extension = |schema: &Value| {
            let text = schema.to_string();
            text.contains(SHORT_FLAG) || text.contains(FLAG_ALIAS)
        };
        let schemas: Vec<Value> = OPS.iter().map(|op| op.request_schema().to_value()).collect();
        assert!(schemas.iter().any(has_extension));
        for publish in [simplify, describe_request, describe_response] {
            assert!(!schemas.iter().map(publish).any(|schema| has_extension(&schema)));
        }
    }
}
