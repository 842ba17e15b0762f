//! The schema of a request as the doors need it: no titles, no nulls, one type a field.

use serde_json::{Map, Value, json};

/// Strips a generated schema down to what a caller needs to know. An optional field is one that is
/// not required; that it may also be null is noise in every prompt that shows it.
pub fn simplified(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut out = Map::new();
            for (key, value) in map {
                match key.as_str() {
                    "title" | "$schema" | "format" if value.is_string() => {}
                    "minimum" => {}
                    "default"
                        if value.is_null()
                            || *value == json!(false)
                            || *value == json!({})
                            || *value == json!([]) => {}
                    "type" => drop(out.insert(key.clone(), without_null(value))),
                    "anyOf" => return merged(map, value),
                    "properties" => {
                        let properties = value.as_object().map(|map| {
                            map.iter()
                                .map(|(name, inner)| (name.clone(), simplified(inner)))
                                .collect::<Map<_, _>>()
                        });
                        out.insert(key.clone(), Value::Object(properties.unwrap_or_default()));
                    }
                    "oneOf" => out.extend(enumeration(value)),
                    _ => drop(out.insert(key.clone(), simplified(value))),
                }
            }
            Value::Object(out)
        }
        Value::Array(items) => Value::Array(items.iter().map(simplified).collect()),
        other => other.clone(),
    }
}

fn without_null(types: &Value) -> Value {
    match types.as_array() {
        Some(list) => {
            let kept: Vec<&Value> = list.iter().filter(|kind| *kind != "null").collect();
            if let [one] = kept.as_slice() { (*one).clone() } else { json!(kept) }
        }
        None => types.clone(),
    }
}

/// `anyOf: [X, null]` is X, with the field's own description.
fn merged(map: &Map<String, Value>, any_of: &Value) -> Value {
    let inner = any_of.as_array().and_then(|list| {
        list.iter().find(|option| option.get("type").is_none_or(|kind| kind != "null"))
    });
    let mut out = inner.map(simplified).unwrap_or_else(|| json!({}));
    if let (Some(description), Some(object)) = (map.get("description"), out.as_object_mut()) {
        object.insert("description".into(), description.clone());
    }
    out
}

/// `oneOf: [{const: a}, {const: b}]` is `enum: [a, b]`.
fn enumeration(one_of: &Value) -> Map<String, Value> {
    let words: Vec<Value> =
        one_of
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|option| {
                option.get("const").cloned().into_iter().chain(
                    option.get("enum").and_then(Value::as_array).cloned().into_iter().flatten(),
                )
            })
            .collect();
    Map::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), Value::Array(words))])
}
