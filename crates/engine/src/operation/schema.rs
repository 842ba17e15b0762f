//! Generates the JSON schemas of requests and responses, and simplifies them for callers.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The extension of a field's schema that names its one-letter flag on the command line.
pub const SHORT_FLAG: &str = "x-short-flag";

/// The extension of a field's schema that holds another name of its flag on the command line.
pub const FLAG_ALIAS: &str = "x-flag-alias";

/// Generates the schema of a type, with every subschema inlined.
pub(crate) fn generate<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
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
            "minimum" | SHORT_FLAG | FLAG_ALIAS => {}
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

    #[test]
    fn extensions_for_the_command_line_are_not_published() {
        let has_extension = |schema: &Value| {
            let text = schema.to_string();
            text.contains(SHORT_FLAG) || text.contains(FLAG_ALIAS)
        };
        let schemas: Vec<Value> = OPS.iter().map(|op| op.request_schema().to_value()).collect();
        assert!(schemas.iter().any(has_extension));
        assert!(!schemas.iter().map(simplify).any(|schema| has_extension(&schema)));
    }
}
