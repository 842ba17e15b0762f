//! Brings the values of a request into the form that their types are deserialised from, by the schema of the
//! request. Clients differ in how they write the same request: many send null for a field that has no value, and
//! some write every number as a float.

use heirloom_core::Value;
use serde_json::Number;

/// Removes optional fields that are null, and turns a whole number such as `5.0` into an integer where the
/// schema asks for one. Everything else stays, also what does not match the schema.
pub(super) fn normalise(schema: &Value, value: &mut Value) {
    let schema = super::explain::without_null(schema);
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema["properties"].as_object() else { return };
            let is_optional = |name: &str| {
                let required = schema["required"].as_array();
                properties.contains_key(name)
                    && !required.is_some_and(|names| names.iter().any(|other| other == name))
            };
            fields.retain(|name, value| !(value.is_null() && is_optional(name)));
            for (name, value) in fields {
                normalise(&schema["properties"][name], value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalise(&schema["items"], item)),
        Value::Number(number) => {
            let takes_only_integers = super::explain::allows(schema, "integer")
                && !super::explain::allows(schema, "number");
            if let Some(integer) = whole_number(number).filter(|_| takes_only_integers) {
                *number = integer;
            }
        }
        _ => {}
    }
}

/// Returns a float without a fraction as an integer; `None` if it has a fraction or is too large to be exact.
fn whole_number(number: &Number) -> Option<Number> {
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_exact = float.fract() == 0.0 && float.abs() <= MAX_EXACT_INTEGER;
    is_exact.then(|| Number::from(float as i64))
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;
    use crate::operation::schema;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Inner {
        #[serde(default)]
        depth: u8,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Request {
        query: String,
        #[serde(default)]
        limit: usize,
        #[serde(default)]
        at: Option<i64>,
        #[serde(default)]
        confidence: f64,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        inner: Vec<Inner>,
        #[serde(default)]
        nested: Option<Inner>,
        #[serde(default)]
        any: Value,
    }

    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "every call makes its values in place")]
    fn check(mut value: Value, expected: Value) {
        normalise(&schema::of_request::<Request>().to_value(), &mut value);
        assert_eq!(value, expected);
    }

    #[test]
    fn an_optional_field_that_is_null_is_removed() {
        check(json!({"limit": null, "at": null, "tags": null, "inner": null}), json!({}));
        check(json!({"any": null, "nested": {"depth": null}}), json!({"nested": {}}));
        check(json!({"query": null, "unknown": null}), json!({"query": null, "unknown": null}));
    }

    #[test]
    fn a_whole_number_is_an_integer_where_the_schema_asks_for_one() {
        let numbers = json!({"limit": 5.0, "at": -3.0, "inner": [{"depth": 2.0}]});
        check(numbers, json!({"limit": 5, "at": -3, "inner": [{"depth": 2}]}));
        let other = json!({"limit": 5.5, "at": 1e300, "confidence": 1.0, "any": 1.0, "query": 1.0});
        check(other.clone(), other);
    }
}
