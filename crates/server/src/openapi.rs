//! The OpenAPI description of the HTTP interface, derived from the table of operations.

use heirloom_engine::{OPS, Op, schema};
use serde_json::{Map, Value, json};

/// Returns the OpenAPI document.
pub fn document() -> Value {
    let endpoints = OPS.iter().map(|op| (format!("/v1/{}", op.spec.name), path(op)));
    let further = OPS.iter().flat_map(|op| op.paths.iter().map(move |at| (at.to_string(), op)));
    let further = further.map(|(at, op)| {
        let mut described = path(op);
        // Ids are unique in the document.
        let words: Vec<&str> = at.split('/').filter(|word| !word.is_empty()).collect();
        let words = words.join(".").replace(['{', '}'], "");
        described["post"]["operationId"] = json!(words);
        move_to_path(&mut described["post"], &at);
        (at, described)
    });
    let paths: Map<String, Value> = endpoints.chain(further).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Heirloom",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What a team's AI agents inherit. Served on loopback by `heir serve`.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:4747"}],
        "paths": paths,
        "components": {"schemas": {"Error": error_schema()}},
    })
}

/// Describes the fields that a path states as its parameters and no longer as part of the body.
fn move_to_path(described: &mut Value, path: &str) {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters = Vec::new();
    for name in names {
        let request = &mut described["requestBody"]["content"]["application/json"]["schema"];
        let properties = request.get_mut("properties").and_then(Value::as_object_mut);
        let schema = properties.and_then(|properties| properties.remove(name));
        if let Some(required) = request.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|field| field != name);
        }
        let schema = schema.unwrap_or_else(|| json!({"type": "string"}));
        parameters.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
    }
    if !parameters.is_empty() {
        described["parameters"] = json!(parameters);
    }
}

fn path(op: &Op) -> Value {
    let request = schema::describe_request(&op.request_schema().to_value());
    let response = schema::describe_response(&op.response_schema().to_value());
    let needs_body = request
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|required| !required.is_empty());
    let error = |about: &str| json!({"description": about, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
    json!({
        "post": {
            "operationId": op.spec.name,
            "summary": format!("heir {}", op.spec.usage),
            "description": op.spec.about,
            "tags": [op.spec.group.as_str()],
            "requestBody": {"required": needs_body, "content": {"application/json": {"schema": request}}},
            "responses": {
                "200": {"description": "The result.", "content": {"application/json": {"schema": response}}},
                "400": error("The request, or a file that it needs, is invalid."),
                "403": error("The Host is not this machine, or the Origin is not this server."),
                "404": error("A name in the request matches nothing, or is ambiguous."),
                "405": error("Only POST is allowed."),
                "408": error("The body was not received in time."),
                "409": error("There is no workspace."),
                "413": error("The body is too large."),
                "500": error("An I/O error or an internal error."),
            },
        },
    })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["kind", "message"],
                "properties": {
                    "kind": {"type": "string", "enum": ["bad_input", "unconfirmed", "not_found", "no_workspace", "system"]},
                    "message": {"type": "string"},
                    "hint": {"type": "string"},
                    "candidates": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    })
}
