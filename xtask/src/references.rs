//! The generated references: commands, tools, settings and the HTTP API.

use std::process::Command;

use heirloom_server::mcp::{self, Listing};
use heirloom_server::openapi;
use serde_json::Value;

use crate::run::root;

/// Writes the references.
pub(crate) fn write() -> Result<(), String> {
    for (path, text) in all()? {
        let path = root().join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Fails when a reference is not what would be written now.
pub(crate) fn check() -> Result<(), String> {
    for (path, text) in all()? {
        let now =
            std::fs::read_to_string(root().join(path)).unwrap_or_default().replace("\r\n", "\n");
        if now != text {
            return Err(format!("{path} is out of date; run `cargo xtask references`"));
        }
    }
    eprintln!("references: current");
    Ok(())
}

fn all() -> Result<Vec<(&'static str, String)>, String> {
    Ok(vec![
        ("docs/reference/commands.md", commands()?),
        ("docs/reference/tools.md", tools()),
        ("docs/reference/settings.md", settings()),
        ("docs/reference/openapi.json", format!("{:#}\n", openapi::document())),
    ])
}

fn commands() -> Result<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "heirloom", "--", "reference"])
        .current_dir(root())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("heir reference: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn tools() -> String {
    let mut page = String::from(
        "# Tools\n\nGenerated from the table of operations; do not edit.\n\n`heir mcp` lists the core tools; `--tools memory|plans|tasks|all` lists more. Every tool can be called, listed or not.\n",
    );
    let core = mcp::tools(Listing { group: None, all: false });
    for tool in mcp::tools(Listing { group: None, all: true }) {
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
                None => field["type"].as_str().unwrap_or("any").to_owned(),
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
    let schema = schemars::schema_for!(heirloom_store::Config).to_value();
    let mut page = String::from(
        "# Settings\n\nGenerated from the program; do not edit.\n\nSettings are in `.heirloom/config.toml`. Every key has a default; a key that is not known is an error.\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
    );
    let defaults = serde_json::to_value(heirloom_store::Config::default()).unwrap_or_default();
    rows(&schema, &schema, &defaults, "", &mut page);
    page.push_str(&format!("\n## Schema\n\n```json\n{schema:#}\n```\n"));
    page
}

fn rows(schema: &Value, whole: &Value, default: &Value, path: &str, page: &mut String) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, field) in properties {
        let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let about = field["description"].as_str().unwrap_or_default().replace('\n', " ");
        let referred = field["$ref"]
            .as_str()
            .and_then(|reference| whole.pointer(reference.trim_start_matches('#')));
        match (
            referred,
            field["additionalProperties"]["$ref"]
                .as_str()
                .and_then(|reference| whole.pointer(reference.trim_start_matches('#'))),
        ) {
            (Some(inner), _) if inner["oneOf"].is_array() => {
                let words = inner["oneOf"].as_array().into_iter().flatten();
                let words: Vec<String> = words.map(|word| word["const"].to_string()).collect();
                let default = &default[name];
                page.push_str(&format!(
                    "| `{here}` | {} | `{default}` | {about} |\n",
                    words.join(" or ")
                ));
            }
            (Some(inner), _) => rows(inner, whole, &default[name], &here, page),
            (None, Some(inner)) => rows(inner, whole, &Value::Null, &format!("{here}.NAME"), page),
            (None, None) if field["items"]["$ref"].is_string() => {
                let inner = field["items"]["$ref"]
                    .as_str()
                    .and_then(|reference| whole.pointer(reference.trim_start_matches('#')));
                inner
                    .into_iter()
                    .for_each(|inner| rows(inner, whole, &Value::Null, &format!("{here}[]"), page));
            }
            (None, None) => {
                let kind = match &field["type"] {
                    Value::Array(kinds) => kinds
                        .iter()
                        .filter_map(Value::as_str)
                        .filter(|kind| *kind != "null")
                        .collect::<Vec<_>>()
                        .join(" or "),
                    kind => kind.as_str().unwrap_or("any").to_owned(),
                };
                let shown = if default[name].is_null() {
                    field
                        .get("default")
                        .filter(|default| !default.is_null())
                        .map(Value::to_string)
                        .unwrap_or_default()
                } else {
                    default[name].to_string()
                };
                page.push_str(&format!(
                    "| `{here}` | {kind} | {} | {about} |\n",
                    if shown.is_empty() { String::new() } else { format!("`{shown}`") }
                ));
            }
        }
    }
}
