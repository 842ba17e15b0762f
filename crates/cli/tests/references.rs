//! The generated references are what the program would generate now: commands, tools, settings and the HTTP API.
//! `cargo xtask references` writes them (`REFERENCES=overwrite`).

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "a test reads and writes files of the repository"
)]

use std::path::Path;
use std::process::Command;

use heirloom_server::mcp::{self, ToolFilter};
use heirloom_server::openapi;
use heirloom_store::Config;
use serde_json::Value;

#[test]
fn the_page_of_commands_is_current() {
    let output = Command::new(env!("CARGO_BIN_EXE_heir")).arg("reference").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check("commands.md", &String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_page_of_tools_is_current() {
    check("tools.md", &tools());
}

#[test]
fn the_page_of_settings_is_current() {
    check("settings.md", &settings());
}

#[test]
fn the_openapi_document_is_current() {
    check("openapi.json", &format!("{:#}\n", openapi::document()));
}

/// Compares a reference with what would be written now, or writes it.
fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var("REFERENCES").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(current == text, "docs/reference/{name} is out of date; run `cargo xtask references`");
}

fn tools() -> String {
    let mut page = String::from(
        "# Tools\n\nGenerated from the table of operations; do not edit.\n\n`heir mcp` lists the core tools; `--tools memory|plans|tasks|all` lists more. Every tool can be called, listed or not.\n",
    );
    let core = mcp::tools(ToolFilter { group: None, all: false });
    for tool in mcp::tools(ToolFilter { group: None, all: true }) {
        let listed = if core.iter().any(|other| other.name == tool.name) { " (core)" } else { "" };
        page.push_str(&format!(
            "\n## `{}`{listed}\n\n{}\n",
            tool.name,
            tool.description.as_deref().unwrap_or_default()
        ));
        let schema = Value::Object((*tool.input_schema).clone());
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let Some(properties) =
            schema["properties"].as_object().filter(|properties| !properties.is_empty())
        else {
            continue;
        };
        page.push_str("\n| parameter | type | meaning |\n|---|---|---|\n");
        for (name, field) in properties {
            let kind = match field["enum"].as_array() {
                Some(words) => {
                    words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" \\| ")
                }
                None => match &field["type"] {
                    Value::Null => "any".to_owned(),
                    _ => type_of(field),
                },
            };
            let must = if required.contains(&name.as_str()) { " (required)" } else { "" };
            page.push_str(&format!(
                "| `{name}`{must} | {kind} | {} |\n",
                field["description"].as_str().unwrap_or_default()
            ));
        }
    }
    page
}

fn settings() -> String {
    let schema = schemars::schema_for!(Config).to_value();
    let defaults = serde_json::to_value(Config::default()).unwrap();
    let mut page = String::from(
        "# Settings\n\nGenerated from the program; do not edit.\n\nSettings are in `.heirloom/config.toml`. Every key has a default; an unknown key is an error. For the hierarchy `sprints`, `.memory/config.yaml` may set `loading_strategy`, `token_allocation`, `token_budget` and `stages` too; where both files set one, `.heirloom/config.toml` wins.\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
    );
    SettingsTable { schema: &schema, page: &mut page }.add_rows(&schema, &defaults, "");
    page.push_str(&format!("\n## Schema\n\n```json\n{schema:#}\n```\n"));
    page
}

struct SettingsTable<'s> {
    /// The whole schema, in which references are looked up.
    schema: &'s Value,
    page: &'s mut String,
}

impl<'s> SettingsTable<'s> {
    /// Adds a row for each setting in a table of the settings, whose key starts with `prefix`.
    fn add_rows(&mut self, table: &'s Value, defaults: &Value, prefix: &str) {
        for (name, field) in table["properties"].as_object().into_iter().flatten() {
            let key = format!("{prefix}{name}");
            let default = &defaults[name];
            let inner = self.referred(field);
            if let Some(words) = inner.and_then(|inner| inner["oneOf"].as_array()) {
                let words: Vec<String> =
                    words.iter().map(|word| word["const"].to_string()).collect();
                self.add_row(&key, &words.join(" or "), Some(default), field);
            } else if let Some(inner) = inner {
                self.add_rows(inner, default, &format!("{key}."));
            } else if let Some(inner) = self.referred(&field["additionalProperties"]) {
                self.add_rows(inner, &Value::Null, &format!("{key}.NAME."));
            } else if let Some(inner) = self.referred(&field["items"]) {
                self.add_rows(inner, &Value::Null, &format!("{key}[]."));
            } else {
                let default = if default.is_null() { field.get("default") } else { Some(default) };
                self.add_row(&key, &type_of(field), default, field);
            }
        }
    }

    fn add_row(&mut self, key: &str, kind: &str, default: Option<&Value>, field: &Value) {
        let default = default.filter(|default| !default.is_null());
        let default = default.map(|default| format!("`{default}`")).unwrap_or_default();
        let about = field["description"].as_str().unwrap_or_default().replace('\n', " ");
        self.page.push_str(&format!("| `{key}` | {kind} | {default} | {about} |\n"));
    }

    /// Returns the part of the schema that a field refers to.
    fn referred(&self, field: &Value) -> Option<&'s Value> {
        self.schema.pointer(field["$ref"].as_str()?.trim_start_matches('#'))
    }
}

fn type_of(field: &Value) -> String {
    match &field["type"] {
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.collect::<Vec<_>>().join(" or ")
        }
        kind => kind.as_str().unwrap_or("any").to_owned(),
    }
}
