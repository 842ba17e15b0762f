//! From JSON to an operation's request.

mod explain;

pub(crate) use explain::explained;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_core::{Value, json};
use serde::Deserialize;
use serde_json::Map;

use crate::operation::schema;
use crate::{Error, Op, Operation};

/// Reads the request of an operation.
pub(crate) fn read<O: Operation>(given: Value) -> Result<O::Request, Error> {
    let given = match given {
        Value::Null => Map::new(),
        Value::Object(given) => given,
        other => {
            return Err(Error::bad_input(format!(
                "{}: the request must be a JSON object, and {} was given",
                O::SPEC.name,
                json::described(&other)
            )));
        }
    };
    let given = Value::Object(renamed::<O>(given)?);
    O::Request::deserialize(&given).map_err(|error| {
        let what = explained(&schema::<O::Request>().to_value(), &given, &error);
        Error::bad_input(format!("{}: {what}", O::SPEC.name)).hint(format!(
            "see `heir {} --help`",
            Op::of::<O>().words().collect::<Vec<_>>().join(" ")
        ))
    })
}

/// Returns whether two names are spellings of one field. Case and separators do not matter, and a
/// plan or an agent may be called with or without `Id`: the tools that others describe use both.
pub fn is_same_field(a: &str, b: &str) -> bool {
    folded(a) == folded(b)
}

fn folded(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
    let folded: String = letters.flat_map(char::to_lowercase).collect();
    match folded.as_str() {
        "planid" => "plan".to_owned(),
        "agentid" => "agent".to_owned(),
        _ => folded,
    }
}

/// Gives every field the name that the operation declares. An unknown field is refused: it is a typo,
/// and a typo must not be silent.
fn renamed<O: Operation>(given: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if given.is_empty() {
        return Ok(given);
    }
    let known = fields::<O>();
    let mut renamed: Map<String, Value> = Map::new();
    for (name, value) in given {
        let is_declared = known.contains(&name) || O::ALIASES.contains(&name.as_str());
        let own = match is_declared {
            true => name.clone(),
            false => known
                .iter()
                .find(|own| is_same_field(own, &name))
                .cloned()
                .ok_or_else(|| unknown::<O>(&name, &known))?,
        };
        match renamed.get(&own) {
            Some(first) if !first.is_null() && !value.is_null() && *first != value => {
                return Err(Error::bad_input(format!(
                    "{}: `{own}` is given twice, as {} and as {}",
                    O::SPEC.name,
                    json::described(first),
                    json::described(&value)
                ))
                .hint(format!("`{}` is another spelling of it; give one", name.escape_default())));
            }
            Some(first) if !first.is_null() => {}
            _ => drop(renamed.insert(own, value)),
        }
    }
    Ok(renamed)
}

fn unknown<O: Operation>(name: &str, known: &[String]) -> Error {
    Error {
        candidates: heirloom_core::name::nearest(name, known.iter().map(String::as_str), 3),
        ..Error::bad_input(format!(
            "{}: there is no field `{}`",
            O::SPEC.name,
            name.escape_default()
        ))
        .hint(format!("its fields are {}", known.join(", ")))
    }
}

/// Returns the names of a request's fields, cached for the life of the process.
fn fields<O: Operation>() -> Arc<[String]> {
    static KNOWN: Mutex<BTreeMap<&str, Arc<[String]>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || {
        let schema = schema::<O::Request>().to_value();
        schema["properties"].as_object().into_iter().flat_map(|map| map.keys()).cloned().collect()
    };
    known.entry(O::SPEC.name).or_insert_with(read).clone()
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
    fn no_operation_has_two_fields_that_could_be_mistaken_for_each_other() {
        for op in OPS {
            let schema = op.request_schema().to_value();
            let properties = schema["properties"].as_object();
            let names: Vec<&String> = properties.into_iter().flat_map(|own| own.keys()).collect();
            for (at, name) in names.iter().enumerate() {
                let twin = names[..at].iter().find(|other| is_same_field(other, name));
                assert_eq!(twin, None, "{}: {name}", op.spec.name);
            }
        }
    }
}
