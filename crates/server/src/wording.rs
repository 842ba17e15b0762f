//! Words hints in the terms of MCP and HTTP: fields are JSON keys, and operations go by their names.

use heirloom_core::hint::{Argument, Hint, HintPart};
use heirloom_core::shell;
use serde_json::{Map, Value, json};

/// Words a hint.
pub(crate) fn format_hint(hint: &Hint) -> String {
    let word = |part: &HintPart| match part {
        HintPart::Text(text) => text.clone(),
        HintPart::Field { name, value: None } => name.clone(),
        HintPart::Field { name, value: Some(value) } => format!("{name}: {}", json!(value)),
        HintPart::Operation { name, arguments } if arguments.is_empty() => format!("`{name}`"),
        HintPart::Operation { name, arguments } => format!("`{name} {}`", request(arguments)),
        HintPart::Help { operation } => format!("the parameters of `{operation}`"),
        HintPart::Command { words, arguments } => {
            let arguments = arguments.iter().map(|argument| format!(" {}", shell::quote(argument)));
            format!("`heir {words}{}`", arguments.collect::<String>())
        }
    };
    hint.parts().iter().map(word).collect()
}

fn request(arguments: &[(String, Argument)]) -> Value {
    let fields = arguments.iter().map(|(field, value)| (field.clone(), json!(value)));
    Value::Object(fields.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_keys_and_operations_go_by_their_names() {
        for (hint, worded) in [
            (Hint::text("set ").field("allow_secret"), "set allow_secret"),
            (Hint::text("confirm with ").field_set_to("yes", true), "confirm with yes: true"),
            (Hint::default().operation("memory_recall"), "`memory_recall`"),
            (
                Hint::text("see ").call("adr_history", [("id", "ADR-0007")]),
                r#"see `adr_history {"id":"ADR-0007"}`"#,
            ),
            (
                Hint::default().call("memory_restore", [("fact_ids", vec!["a".to_owned()])]),
                r#"`memory_restore {"fact_ids":["a"]}`"#,
            ),
            (Hint::text("see ").help("adr_list"), "see the parameters of `adr_list`"),
            (Hint::text("run ").command("adopt", &["a b"]), "run `heir adopt 'a b'`"),
        ] {
            assert_eq!(format_hint(&hint), worded);
        }
    }
}
