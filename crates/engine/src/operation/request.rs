//! Reads an operation's request from JSON.

mod explain;
mod normalise;

pub(crate) use explain::explain_mismatch;
use normalise::normalise;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_core::{Hint, Value, json};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Map;

use super::schema;
use super::spec::Spec;
use crate::Error;

/// Deserialises a request. Fields may be spelled as [`is_same_field`] allows, or as an alias.
pub(super) fn read<R: DeserializeOwned + JsonSchema>(
    spec: &Spec,
    aliases: &[(&str, &str)],
    request: Value,
) -> Result<R, Error> {
    // Only this function is compiled once per operation.
    let request = prepare(spec, aliases, schema::of_request::<R>, request)?;
    R::deserialize(&request)
        .map_err(|error| mismatch(spec, schema::of_request::<R>, &request, &error))
}

/// Returns a request with the names of fields that the operation declares, and with values in the form that
/// their types are deserialised from.
fn prepare(
    spec: &Spec,
    aliases: &[(&str, &str)],
    schema: fn() -> Schema,
    request: Value,
) -> Result<Value, Error> {
    let fields = match request {
        Value::Object(fields) if fields.is_empty() => return Ok(Value::Object(fields)),
        Value::Object(fields) => fields,
        other => {
            return Err(Error::bad_input(format!(
                "{}: the request must be a JSON object, and {} was given",
                spec.name,
                json::describe(&other)
            ))
            .hint(Hint::text("see ").help(spec.name)));
        }
    };
    let schema = cached_schema(spec, schema);
    let mut request = Value::Object(canonicalise_names(spec, aliases, &schema, fields)?);
    normalise(&schema, &mut request);
    match empty_required_field(&schema, &request) {
        Some(name) => Err(Error::bad_input(format!(
            "{}: `{name}` is empty; it needs at least one",
            spec.name
        ))
        .hint(Hint::text("see ").help(spec.name))),
        None => Ok(request),
    }
}

/// Returns a list or map of a request that is empty although the schema demands a member.
fn empty_required_field<'a>(schema: &'a Value, request: &Value) -> Option<&'a str> {
    let properties = schema["properties"].as_object()?;
    let is_empty = |(name, field): &(&String, &Value)| match &request[name.as_str()] {
        Value::Array(items) => items.is_empty() && field.get("minItems").is_some(),
        Value::Object(fields) => fields.is_empty() && field.get("minProperties").is_some(),
        _ => false,
    };
    properties.iter().find(is_empty).map(|(name, _)| name.as_str())
}

/// Explains why a request could not be deserialised.
fn mismatch(
    spec: &Spec,
    schema: fn() -> Schema,
    request: &Value,
    error: &serde_json::Error,
) -> Error {
    let reason = explain_mismatch(&cached_schema(spec, schema), request, error);
    Error::bad_input(format!("{}: {reason}", spec.name)).hint(Hint::text("see ").help(spec.name))
}

/// Returns whether two names are spellings of one field. Case and separators are ignored, and `plan`
/// and `agent` may end in `Id`, because the tool descriptions of other projects use both forms.
pub fn is_same_field(a: &str, b: &str) -> bool {
    canonical(a) == canonical(b)
}

fn canonical(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
    let lowercase: String = letters.flat_map(char::to_lowercase).collect();
    match lowercase.as_str() {
        "planid" => "plan".to_owned(),
        "agentid" => "agent".to_owned(),
        _ => lowercase,
    }
}

/// Gives every field the name that the operation declares. An unknown field is an error, because it is
/// most likely a typo that would otherwise be ignored.
fn canonicalise_names(
    spec: &Spec,
    aliases: &[(&str, &str)],
    schema: &Value,
    fields: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let properties = schema["properties"].as_object().into_iter();
    let declared: Vec<&str> = properties.flat_map(|map| map.keys()).map(String::as_str).collect();
    let mut renamed: Map<String, Value> = Map::new();
    for (name, value) in fields {
        let alias = aliases.iter().find(|(alias, _)| *alias == name).map(|(_, field)| *field);
        let exact = declared.iter().find(|declared| **declared == name).copied();
        let similar = || declared.iter().find(|declared| is_same_field(declared, &name)).copied();
        let declared_name = alias
            .or(exact)
            .or_else(similar)
            .ok_or_else(|| unknown_field(spec, &name, &declared))?
            .to_owned();
        match renamed.get(&declared_name) {
            Some(first) if !first.is_null() && !value.is_null() && *first != value => {
                return Err(Error::bad_input(format!(
                    "{}: `{declared_name}` is given twice, as {} and as {}",
                    spec.name,
                    json::describe(first),
                    json::describe(&value)
                ))
                .hint(format!("`{}` is another spelling of it; give one", name.escape_default())));
            }
            Some(first) if !first.is_null() => {}
            _ => drop(renamed.insert(declared_name, value)),
        }
    }
    Ok(renamed)
}

fn unknown_field(spec: &Spec, name: &str, declared: &[&str]) -> Error {
    let fields = match declared.is_empty() {
        true => "it has no fields".to_owned(),
        false => format!("its fields are {}", declared.join(", ")),
    };
    Error {
        candidates: heirloom_core::name::nearest(name, declared.iter().copied(), 3),
        ..Error::bad_input(format!("{}: there is no field `{}`", spec.name, name.escape_default()))
            .hint(fields)
    }
}

/// Returns the schema of a request, cached for the life of the process because generating it is slow.
fn cached_schema(spec: &Spec, schema: fn() -> Schema) -> Arc<Value> {
    static SCHEMA_BY_OPERATION: Mutex<BTreeMap<&str, Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut cache = SCHEMA_BY_OPERATION.lock().unwrap_or_else(PoisonError::into_inner);
    cache.entry(spec.name).or_insert_with(|| Arc::new(schema().to_value())).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OPS;

    #[test]
    fn spellings_of_one_field_are_the_same() {
        for (a, b) in
            [("plan", "planId"), ("plan_id", "plan"), ("agentId", "agent_id"), ("asOf", "as_of")]
        {
            assert!(is_same_field(a, b), "{a} {b}");
        }
        assert!(!is_same_field("plan", "agent") && !is_same_field("id", ""));
    }

    #[test]
    fn no_operation_has_two_fields_with_the_same_canonical_name() {
        for op in OPS {
            let schema = op.request_schema().to_value();
            let properties = schema["properties"].as_object();
            let names: Vec<&String> = properties.into_iter().flat_map(|map| map.keys()).collect();
            for (at, name) in names.iter().enumerate() {
                let duplicate = names[..at].iter().find(|other| is_same_field(other, name));
                assert_eq!(duplicate, None, "{}: {name}", op.spec.name);
            }
        }
    }
}
