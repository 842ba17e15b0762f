//! What is retrieved from scopes, and the migration of their documents.

use std::fs;

use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

/// A workspace with the documents that the format of `retrieve` is defined by.
const DEVTOOLS: &str = r#"//- .heirloom/config.toml
hierarchy = "domains"
//- resources/workspaces/devtools/OVERVIEW.md
(full workspace OVERVIEW.md content)
//- resources/workspaces/devtools/common/OVERVIEW.md
---
name: DevTools Common
description: "Shared tools and utilities across all domains..."
---
//- resources/workspaces/devtools/common/_plans/260208-workflow-engine.md
---
name: "Workflow Engine"
description: "Build a workflow execution engine for sequential and parallel task graphs"
status: done
created: 2026-02-08
updated: 2026-02-09
tags: [workflow, engine, xstate]
---
//- resources/workspaces/devtools/common/_plans/260223-spa-self-serve.md
---
name: "SPA Self-Serve from Feature Modules"
description: "Eliminate per-SPA boilerplate in server package"
status: in_progress
created: 2026-02-23
tags:
  - nestjs
  - spa
  - architecture
---
//- user/memory/workspaces/devtools/decisions.md
### [2026-02-08] xstate

**Category:** architecture
**Tags:** workflow, state-management, xstate

Chose xstate v5 for workflow state management — actor model + strong TypeScript support

---
//- user/memory/workspaces/devtools/lessons.md
### [2026-02-23] require.resolve

**Category:** debugging
**Tags:** pnpm, nestjs, module-resolution

pnpm strict isolation means require.resolve() must be called from the consuming package, not from a shared utility

---
"#;

/// Checks that a value has the fields and values of another one; more fields are fine.
#[track_caller]
fn check_contains(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, value) in expected {
                check_contains(found.get(key).unwrap_or(&Value::Null), value);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{found:?}");
            found
                .iter()
                .zip(expected)
                .for_each(|(found, expected)| check_contains(found, expected));
        }
        (found, expected) => assert_eq!(found, expected),
    }
}

/// Returns the YAML that a command prints, as a value.
fn yaml(workspace: &Workspace, arguments: &str) -> Value {
    let text = workspace.heir(arguments).ok();
    heirloom_core::yaml::parse(&text).unwrap().unwrap().value()
}

#[test]
fn plans_are_returned_as_the_format_says() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let expected = json!({"plans": [
        {
            "name": "Workflow Engine",
            "description": "Build a workflow execution engine for sequential and parallel task graphs",
            "status": "done",
            "created": "2026-02-08",
            "updated": "2026-02-09",
            "tags": ["workflow", "engine", "xstate"],
            "_meta": {
                "document_path": "resources/workspaces/devtools/common/_plans/260208-workflow-engine.md",
                "document_id": "260208-workflow-engine"
            }
        },
        {
            "name": "SPA Self-Serve from Feature Modules",
            "description": "Eliminate per-SPA boilerplate in server package",
            "status": "in_progress",
            "created": "2026-02-23",
            "tags": ["nestjs", "spa", "architecture"],
            "_meta": {
                "document_path": "resources/workspaces/devtools/common/_plans/260223-spa-self-serve.md",
                "document_id": "260223-spa-self-serve"
            }
        },
    ]});
    check_contains(
        &yaml(&workspace, "retrieve plans --workspace devtools --domain common"),
        &expected,
    );
    check_contains(&workspace.json("retrieve plans --workspace devtools"), &expected);
    let plans =
        yaml(&workspace, "retrieve plans --workspace devtools --status in-progress --tag spa");
    assert_eq!(plans["plans"].as_array().unwrap().len(), 1);
    assert_eq!(plans["plans"][0].get("updated"), None);
}

#[test]
fn overviews_are_returned_as_the_format_says() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let expected = json!({"overviews": [
        {
            "scope": "devtools",
            "tier": "T1",
            "content": "(full workspace OVERVIEW.md content)",
            "_meta": {"document_path": "resources/workspaces/devtools/OVERVIEW.md"}
        },
        {
            "scope": "devtools/common",
            "tier": "T0",
            "abstract": "Shared tools and utilities across all domains...",
            "_meta": {"document_path": "resources/workspaces/devtools/common/OVERVIEW.md"}
        },
    ]});
    check_contains(&yaml(&workspace, "retrieve overview --workspace devtools"), &expected);
}

#[test]
fn learnings_are_returned_as_the_format_says() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let expected = json!({
        "decisions": [{
            "content": "Chose xstate v5 for workflow state management — actor model + strong TypeScript support",
            "date": "2026-02-08",
            "category": "architecture",
            "tags": ["workflow", "state-management", "xstate"],
            "_meta": {"document_path": "user/memory/workspaces/devtools/decisions.md"}
        }],
        "lessons": [{
            "content": "pnpm strict isolation means require.resolve() must be called from the consuming package, not from a shared utility",
            "date": "2026-02-23",
            "category": "debugging",
            "tags": ["pnpm", "nestjs", "module-resolution"],
            "_meta": {"document_path": "user/memory/workspaces/devtools/lessons.md"}
        }],
    });
    check_contains(&yaml(&workspace, "retrieve learnings --workspace devtools"), &expected);
    let all = yaml(&workspace, "retrieve context --scope devtools/common");
    check_contains(&all, &expected);
    assert_eq!(all["plans"].as_array().unwrap().len(), 2);
}

#[test]
fn a_filter_that_a_list_does_not_have_is_refused() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let mut client = McpClient::open(workspace.command().arg("mcp"));
    for (tool, filters, message) in [
        ("retrieve_plans", json!({"category": "tooling"}), "plans have no category"),
        ("retrieve_learnings", json!({"status": ["done"]}), "decisions and lessons have no status"),
    ] {
        let arguments = json!({"scope": "devtools", "filters": filters});
        let answer = client.call_for_text(tool, &arguments);
        assert!(answer.contains(message), "{answer}");
    }
    let arguments = json!({"scope": "devtools", "filters": {"status": ["done"]}});
    let answer = client.call_for_text("retrieve_plans", &arguments);
    assert!(answer.contains("Workflow Engine") && !answer.contains("SPA"), "{answer}");
    client.close();
}

#[test]
fn a_budget_is_never_exceeded_and_says_what_is_left_out() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    for number in 0..40 {
        let path = format!(
            "resources/workspaces/devtools/common/_plans/2601{:02}-x{number}.md",
            1 + number % 28
        );
        let status = if number == 7 { "in_progress" } else { "done" };
        let text = format!(
            "---\nname: Plan {number}\ndescription: It does thing {number}.\nstatus: {status}\ncreated: 2026-01-02\n---\n"
        );
        workspace.write(&path, text);
    }
    let too_small = workspace.heir("retrieve context --workspace devtools --budget 100").failed(2);
    assert!(too_small.contains("holds no entry"), "{too_small}");
    for budget in [400, 500, 1000, 2000] {
        let command = format!("retrieve context --workspace devtools --budget {budget}");
        let text = workspace.heir(&command).ok();
        let tokens = heirloom_store::tokens::count(&text);
        assert!(tokens <= budget, "{tokens} of {budget}:\n{text}");
        assert!(budget < 1000 || tokens > budget / 2, "{tokens} of {budget}:\n{text}");
    }
    let answer = yaml(&workspace, "retrieve plans --workspace devtools --budget 700");
    let plans = answer["plans"].as_array().unwrap();
    assert!(plans.iter().any(|plan| plan["name"] == "Plan 7"), "{answer:#}");
    let left = answer["left_out"][0]["entries"].as_u64().unwrap();
    assert_eq!(left as usize + plans.len(), 42);
    assert!(answer["left_out"][0]["get"].as_str().unwrap().contains("heir retrieve plans"));
}

#[test]
fn template_text_describes_nothing() {
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.heir("plan new Refunds").ok();
    let described = |command: &str| -> Value {
        let answer = workspace.json(command);
        let plans = answer["plans"].as_array().unwrap();
        plans.iter().find(|plan| plan["name"] == "Refunds").unwrap().clone()
    };
    let plan = described("retrieve plans --status new");
    assert_eq!((plan.get("description"), &plan["status"]), (None, &json!("new")), "{plan:#}");
    let overview = described("retrieve plans --status new --tier T1");
    assert!(!overview.to_string().contains("What this plan delivers"), "{overview:#}");
    let path = plan["_meta"]["document_path"].as_str().unwrap();
    let text = workspace.read(path).replace("What this plan delivers, and", "It pays back, and");
    workspace.write(path, text);
    let plan = described("retrieve plans");
    assert_eq!(plan["description"], "It pays back, and what it leaves alone.");
}

#[test]
fn a_context_is_limited_where_no_budget_is_stated() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let command = "retrieve context --workspace devtools";
    let small = workspace.json(command);
    assert!(small.get("tokens").is_none() && small.get("left_out").is_none(), "{small:#}");
    let folder = "resources/workspaces/devtools/common";
    for number in 0..200 {
        let text =
            format!("---\nname: Thing {number}\ndescription: It does thing {number}.\n---\n");
        workspace.write(&format!("{folder}/_plans/{number}.md"), &text);
        workspace.write(&format!("{folder}/_features/{number}.md"), &text);
    }
    let text = workspace.heir(command).ok();
    let tokens = heirloom_store::tokens::count(&text);
    assert!((6_000..=8_000).contains(&tokens), "{tokens}");
    let answer = workspace.json(command);
    let left_out = answer["left_out"].as_array().unwrap();
    let features = left_out.iter().find(|left| left["list"] == "features").unwrap();
    let get = features["get"].as_str().unwrap();
    let budget = get.strip_prefix("the same with --budget ").unwrap();
    let whole = workspace.json(&format!("{command} --budget {budget}"));
    assert!(whole.get("left_out").is_none(), "{budget}: {}", whole["left_out"]);
    assert_eq!(whole["features"].as_array().unwrap().len(), 200);
    for number in 0..200 {
        workspace.write(&format!("{folder}/_spikes/{number}.md"), "---\nname: [\n---\n");
    }
    let damaged = workspace.json(command);
    assert_eq!(damaged["problems"].as_array().unwrap().len(), 200);
    assert!(!damaged["plans"].as_array().unwrap().is_empty(), "problems take no room of entries");
}

#[test]
fn a_dry_run_is_a_patch_that_git_applies_to_the_same_result() {
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let folder = "resources/workspaces/devtools/common";
    workspace.write(
        &format!("{folder}/_plans/260301-crlf.md"),
        "# Windows\r\n\r\nLines end in two bytes.\r\n",
    );
    workspace.write(
        &format!("{folder}/_plans/260302-mark.md"),
        "\u{feff}---\nname: Mark # c\n---\nNo newline",
    );
    workspace.write(&format!("{folder}/_plans/260303-empty.md"), "");
    workspace.write("resources/workspaces/devtools/ABSTRACT.md", "Tools for developers.\n");
    workspace.commit_all("2026-02-20T00:00:00Z");
    let patch = workspace.heir("migrate --dry-run").stdout;
    let clone = workspace.clone_repository();
    assert_eq!(workspace.git(&["status", "--short"]), "");
    workspace.heir("migrate").ok();
    let patched: Value = workspace.json("migrate");
    assert_eq!(patched["changed"], json!([]), "a second run changes nothing");
    let path = clone.path().join("migrate.patch");
    fs::write(&path, clone_patch(&workspace, &clone, &patch)).unwrap();
    clone.git(&["apply", "--whitespace=nowarn", path.to_str().unwrap()]);
    fs::remove_file(&path).unwrap();
    for file in workspace.files("resources") {
        assert_eq!(workspace.bytes(&file), clone.bytes(&file), "{file}");
    }
    let crlf = workspace.read(&format!("{folder}/_plans/260301-crlf.md"));
    assert!(crlf.ends_with("---\r\n\r\n# Windows\r\n\r\nLines end in two bytes.\r\n"), "{crlf:?}");
    let mark = workspace.read(&format!("{folder}/_plans/260302-mark.md"));
    assert!(
        mark.starts_with("\u{feff}---\nname: Mark # c\n") && mark.ends_with("\n---\nNo newline"),
        "{mark:?}"
    );
}

/// Returns the patch with the line breaks of the files, which are not printed to a terminal.
fn clone_patch(workspace: &Workspace, clone: &Workspace, printed: &str) -> String {
    let diff = clone.json("migrate --dry-run")["diff"].as_str().unwrap().to_owned();
    assert_eq!(diff.lines().count(), printed.lines().count(), "{}", workspace.path().display());
    diff
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_root_are_not_followed() {
    use std::os::unix::fs::symlink;
    let workspace = Workspace::with(HEIR, DEVTOOLS);
    let outside = tempfile::tempdir().unwrap();
    let secret = "---\nname: xyzzy-plugh\n---\nxyzzy-plugh\n";
    fs::write(outside.path().join("260101-secret.md"), secret).unwrap();
    fs::write(outside.path().join("ABSTRACT.md"), "xyzzy-plugh").unwrap();
    let scope = workspace.path().join("resources/workspaces/devtools");
    symlink(outside.path(), scope.join("_plans")).unwrap();
    symlink(outside.path().join("ABSTRACT.md"), scope.join("ABSTRACT.md")).unwrap();
    symlink(outside.path().join("260101-secret.md"), scope.join("common/_plans/260101-link.md"))
        .unwrap();
    for command in [
        "retrieve context --workspace devtools",
        "retrieve plans --workspace devtools --tier T2",
        "migrate --dry-run",
        "migrate",
        "plan status 260101-link done",
        "context validate",
    ] {
        let output = workspace.heir(command);
        assert!(!output.stdout.contains("xyzzy") && !output.stderr.contains("xyzzy"), "{output:?}");
    }
    let names: Vec<_> =
        fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(fs::read_to_string(outside.path().join("260101-secret.md")).unwrap(), secret);
}
