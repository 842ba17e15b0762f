//! The commands of the guide, run in the order in which a reader meets them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use heirloom_testkit::Workspace;

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

/// Returns the lines of all `sh` fences.
fn commands(page: &str) -> Vec<String> {
    let fences = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    fences.flat_map(str::lines).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// Splits a line as a shell does: words, double quotes, a comment at its end.
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

#[test]
fn every_command_of_the_guide_works() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide.md"))
        .unwrap();
    let workspace = Workspace::empty(HEIR);
    workspace.write("CLAUDE.md", "Run the tests.\n");
    let commands = commands(&page);
    assert!(commands.len() > 15, "{commands:?}");
    for line in commands {
        let words = words(&line);
        assert_eq!(words[0], "heir", "{line}");
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let ran = workspace.run(&arguments);
        assert_eq!(ran.code, 0, "{line}\n{}\n{}", ran.stdout, ran.stderr);
    }
}
