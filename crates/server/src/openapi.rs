//! The OpenAPI description of the HTTP door, derived from the table of operations.

use heirloom_engine::{OPS, Op, schema};
use serde_json::{Map, Value, json};

/// Returns the description.
pub fn document() -> Value {
    let paths: Map<String, Value> =
        OPS.iter().map(|op| (format!("/v1/{}", op.spec.name), path(op))).collect();
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

fn path(op: &Op) -> Value {
    let request = schema::simplified(&op.request_schema().to_value());
    let needs_body = request
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|required| !required.is_empty());
    let failed = |about: &str| json!({"description": about, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
    json!({
        "post": {
            "operationId": op.spec.name,
            "summary": format!("heir {}", op.spec.usage),
            "description": op.spec.about,
            "tags": [op.spec.group.word()],
            "requestBody": {"required": needs_body, "content": {"application/json": {"schema": request}}},
            "responses": {
                "200": {"description": "The answer.", "content": {"application/json": {"schema": schema::simplified(&op.response_schema().to_value())}}},
                "400": failed("The request, or a file it needs, is wrong."),
                "403": failed("The Host or Origin is not this machine."),
                "404": failed("There is no such thing, or several."),
                "405": failed("Only POST is taken."),
                "409": failed("There is no workspace."),
                "413": failed("The body is too large."),
                "500": failed("The system failed."),
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
                    "kind": {"type": "string", "enum": ["bad_input", "not_found", "no_workspace", "system"]},
                    "message": {"type": "string"},
                    "hint": {"type": "string"},
                    "candidates": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    })
}
