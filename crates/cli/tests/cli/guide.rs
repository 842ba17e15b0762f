//! Runs the commands of the guide in order.

use std::collections::HashMap;

use heirloom_server::mcp::{self, ToolFilter};
use heirloom_testkit::Workspace;

use crate::HEIR;

const CONVERSATION: &str = r#"{"role":"user","content":"Add the refund endpoint"}
{"role":"assistant","content":"We decided to answer 202. The endpoint is done."}
{"role":"user","content":"Always answer refunds with 202."}
"#;

/// Returns the lines of all `sh` code blocks.
fn commands(page: &str) -> Vec<String> {
    let fences = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    fences.flat_map(str::lines).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// Splits a line as a shell does: words, double quotes, and a comment at the end.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    let mut rest = line.trim();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap(),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

/// Returns the short ids in a text, in order.
fn ids(text: &str) -> Vec<&str> {
    let is_id = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split_whitespace().filter(is_id).collect()
}

fn guide() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_paragraph_for_agents_names_only_tools_that_they_see() {
    let names = |all| -> Vec<String> {
        let tools = mcp::tools(ToolFilter { group: None, all });
        tools.iter().map(|tool| tool.name.to_string()).collect()
    };
    let (listed, all) = (names(false), names(true));
    let page = guide();
    let paragraph = page.split("```markdown\n## Memory").nth(1).unwrap();
    let words = paragraph.split("```").next().unwrap().split('`').skip(1).step_by(2);
    let named: Vec<&str> = words.filter(|word| all.iter().any(|name| name == word)).collect();
    assert!(named.contains(&"context_resolve"), "{named:?}");
    for name in named {
        assert!(listed.iter().any(|other| other == name), "{name} is not listed by default");
    }
}

#[test]
fn every_command_of_the_guide_works() {
    let page = guide();
    let workspace = Workspace::empty(HEIR);
    workspace.write("CLAUDE.md", "Run the tests.\n");
    workspace.write("session.jsonl", CONVERSATION);
    workspace.write("plan.json", "{\"goal\": \"Refunds\"}");
    workspace.write("results.json", "{\"done\": 3, \"learnings\": [\"Start with the ledger.\"]}");
    let expectations = page.split("```yaml\n- query").nth(1).unwrap().split("```").next().unwrap();
    workspace.write("memory-tests.yaml", format!("- query{expectations}"));
    workspace.commit_all("2026-02-20T00:00:00Z");
    let commands = commands(&page);
    assert!(commands.len() > 60, "{commands:?}");
    // Maps the ids in the comments of the guide to the ids in the actual output.
    let mut actual_ids: HashMap<&str, String> = HashMap::new();
    for line in &commands {
        let mut words = words(line);
        for word in &mut words {
            if let Some(id) = actual_ids.get(word.as_str()) {
                word.clone_from(id);
            }
        }
        assert_eq!(words[0], "heir", "{line}");
        let file =
            words.iter().position(|word| word == ">").map(|at| words.split_off(at)[1].clone());
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let ran = workspace.run(&arguments);
        assert_eq!(ran.code, 0, "{line}\n{}\n{}", ran.stdout, ran.stderr);
        if let Some(file) = file {
            workspace.write(&file, &ran.stdout);
        }
        let comment = line.split_once("# ").map_or("", |(_, comment)| comment);
        let (promised, answered) = (ids(comment), ids(&ran.stdout));
        assert!(promised.len() <= answered.len(), "{line}\n{}", ran.stdout);
        actual_ids.extend(promised.into_iter().zip(answered.into_iter().map(str::to_owned)));
    }
}
