//! What was learnt in a sprint stands both in its results and in its knowledge. A context shows it once.

use std::borrow::Cow;

use heirloom_core::Value;
use serde_json::Map;

/// The key of results whose texts are also part of the knowledge of the sprint.
pub(crate) const LEARNINGS: &str = "learnings";

/// Returns data without what was learnt, if a memory of the level states all of it.
pub(super) fn without_repeated_learnings<'t>(data: &'t str, memory: &str) -> Cow<'t, str> {
    if memory.is_empty() || !data.contains(LEARNINGS) {
        return Cow::Borrowed(data);
    }
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(data) else {
        return Cow::Borrowed(data);
    };
    let stated = one_line(memory);
    let is_stated =
        |value: &Value| value.as_str().is_some_and(|text| stated.contains(&one_line(text)));
    let is_repeated = match fields.get(LEARNINGS) {
        Some(Value::Array(items)) => items.iter().all(is_stated),
        Some(text) => is_stated(text),
        None => false,
    };
    if !is_repeated {
        return Cow::Borrowed(data);
    }
    fields.shift_remove(LEARNINGS);
    Cow::Owned(format!("{:#}", Value::Object(fields)))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_learnings_that_the_memory_states_are_removed() {
        let data = r#"{"completed": 5, "learnings": ["Refunds  need locks.", "Kafka lags."]}"#;
        let memory = "## Learnings\n- Refunds need locks.\n- Kafka lags.\n";
        assert_eq!(without_repeated_learnings(data, memory), "{\n  \"completed\": 5\n}");
        for (data, memory) in [
            (data, "- Refunds need locks.\n"),
            (data, ""),
            (r#"{"learnings": {"a": 1}}"#, memory),
            ("learnings: [Kafka lags.]", memory),
        ] {
            assert_eq!(without_repeated_learnings(data, memory), data);
        }
    }
}
