//! Words hints in the terms of the command line: fields are flags, and operations are commands.

use heirloom_core::hint::{Argument, Hint, HintPart};
use heirloom_core::shell;
use heirloom_engine::{Op, ops};

use crate::arguments;

/// Words a hint. The fields that it names are those of `op`, the operation that was called.
pub(crate) fn format_hint(hint: &Hint, op: Option<&Op>) -> String {
    let word = |part: &HintPart| match part {
        HintPart::Text(text) => text.clone(),
        HintPart::Field { name, value } => {
            let flag = arguments::spelling(op, name);
            match value {
                Some(value) => with_value(&flag, value),
                None => flag,
            }
        }
        HintPart::Operation { name, arguments } => match ops::by_name(name) {
            Some(op) => format!("`{}`", command_line(op, arguments)),
            None => format!("`{name}`"),
        },
        HintPart::Help { operation } => match ops::by_name(operation) {
            Some(op) => format!("`{} --help`", command_line(op, &[])),
            None => format!("`heir help {operation}`"),
        },
        HintPart::Command { words, arguments } => {
            let words = std::iter::once(words.clone()).chain(arguments.iter().map(quote));
            format!("`heir {}`", words.collect::<Vec<_>>().join(" "))
        }
    };
    hint.parts().iter().map(word).collect()
}

/// Returns the command that calls an operation.
fn command_line(op: &Op, arguments: &[(String, Argument)]) -> String {
    let mut words = vec!["heir".to_owned()];
    words.extend(op.words().map(str::to_owned));
    for name in op.positionals() {
        let given = arguments.iter().filter(|(field, _)| field == name);
        words.extend(given.flat_map(|(_, value)| values(value)));
    }
    let is_flag = |field: &str| op.positionals().all(|name| name != field);
    for (field, value) in arguments.iter().filter(|(field, _)| is_flag(field)) {
        words.push(with_value(&arguments::spelling(Some(op), field), value));
    }
    words.join(" ")
}

/// Returns a flag with its value; a list repeats the flag.
fn with_value(flag: &str, value: &Argument) -> String {
    match value {
        Argument::Flag(_) => flag.to_owned(),
        value => {
            let flags = values(value).into_iter().map(|value| format!("{flag} {value}"));
            flags.collect::<Vec<_>>().join(" ")
        }
    }
}

/// Returns the words that a value is typed as.
fn values(value: &Argument) -> Vec<String> {
    match value {
        Argument::Flag(flag) => vec![flag.to_string()],
        Argument::Text(text) => vec![quote(text)],
        Argument::List(items) => items.iter().map(quote).collect(),
    }
}

fn quote(text: impl AsRef<str>) -> String {
    shell::quote(text.as_ref()).into_owned()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test reads the sources")]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::local::LOCAL_COMMANDS;

    #[test]
    fn fields_are_flags_and_operations_are_commands() {
        let add = ops::by_name("workflow_add");
        for (hint, op, worded) in [
            (Hint::text("set ").field("allow_secret"), add, "set --allow-secret"),
            (Hint::text("add ").field("steps").then("!"), add, "add --step!"),
            (Hint::text("give the ").field("trigger"), add, "give the TRIGGER"),
            (Hint::default().field_set_to("yes", true), None, "--yes"),
            (Hint::default().operation("memory_recall"), None, "`heir recall`"),
            (Hint::text("see ").help("adr_list"), None, "see `heir adr list --help`"),
            (Hint::default().command("init", &[]), None, "`heir init`"),
            (Hint::default().command("adopt", &["a b"]), None, "`heir adopt 'a b'`"),
        ] {
            assert_eq!(format_hint(&hint, op), worded);
        }
    }

    #[test]
    fn a_request_is_a_command_line() {
        let ids = vec!["a".to_owned(), "b;c".to_owned()];
        let edit = Hint::default().call(
            "memory_supersede",
            [("supersedes", ids.into()), ("fact_id", Argument::from("ID"))],
        );
        let expected = "`heir fact edit ID --supersede a --supersede 'b;c'`";
        assert_eq!(format_hint(&edit, None), expected);
        let stale = Hint::default().call("context_health", [("stale", true)]);
        assert_eq!(format_hint(&stale, None), "`heir context health --stale`");
    }

    #[test]
    fn every_operation_and_command_that_a_hint_names_exists() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut references = Vec::new();
        for name in ["core", "store", "engine"] {
            find_references(&crates.join(name).join("src"), &mut references);
        }
        assert!(references.len() > 20, "{references:?}");
        for (method, name) in references {
            let exists = match method {
                "command" => LOCAL_COMMANDS.iter().any(|local| local.words.join(" ") == name),
                _ => ops::by_name(&name).is_some(),
            };
            assert!(exists, ".{method}(\"{name}\")");
        }
    }

    /// Finds the names that are passed to the methods of a hint.
    fn find_references(folder: &Path, found: &mut Vec<(&'static str, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                find_references(&path, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let is_of_hints = text.contains("Hint::");
            for method in ["operation", "call", "help", "command"] {
                let opening = format!(".{method}(");
                let calls = text.split(&opening).skip(1).filter(|_| is_of_hints);
                let names = calls.filter_map(|call| call.trim_start().strip_prefix('"'));
                found
                    .extend(names.map(|name| (method, name.split('"').next().unwrap().to_owned())));
            }
        }
    }
}
