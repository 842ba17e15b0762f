//! Which file each client gets, by what is in the repository.

use std::collections::BTreeMap;

use super::*;

#[derive(Default)]
struct Tree(BTreeMap<String, FoundPath>);

impl Tree {
    fn with_files(files: &[&str]) -> Self {
        let file = |path: &&str| ((*path).to_owned(), FoundPath::File("mine\n".to_owned()));
        Tree(files.iter().map(file).collect())
    }

    fn and(mut self, path: &str, found: FoundPath) -> Self {
        self.0.insert(path.to_owned(), found);
        self
    }
}

impl ClientTree for Tree {
    fn look(&self, path: &str) -> FoundPath {
        self.0.get(path).cloned().unwrap_or(FoundPath::Missing)
    }
}

const FOLDER: &str = "agent/rules/common";

fn plan_of(ids: &[&str], tree: &Tree) -> PlacementPlan {
    let clients: Vec<&Client> = ids.iter().map(|id| clients::find(id).unwrap()).collect();
    let text = "# Rule\n".to_owned();
    let rules = [SourceFile { path: format!("{FOLDER}/a.md"), text }];
    plan(
        &PlacementRequest {
            clients: &clients,
            folder: FOLDER,
            rules: &rules,
            commands: &[],
            copies: false,
        },
        tree,
    )
}

/// The paths with the clients that read them, then the clients that cannot be served.
fn shown(ids: &[&str], tree: &Tree) -> (Vec<String>, Vec<&'static str>) {
    let plan = plan_of(ids, tree);
    let mut paths: Vec<String> = plan
        .placements
        .iter()
        .map(|placement| format!("{}: {}", placement.path, placement.clients.join(" ")))
        .collect();
    let served = plan.served.iter().filter(|it| !paths.iter().any(|path| path.starts_with(&it.by)));
    let served: Vec<String> = served.map(|it| format!("({}: {})", it.by, it.client)).collect();
    paths.extend(served);
    (paths, plan.unserved.iter().map(|it| it.client).collect())
}

fn check(ids: &[&str], tree: &Tree, paths: &[&str], unserved: &[&str]) {
    let (found, failed) = shown(ids, tree);
    assert_eq!(
        (found.as_slice(), failed.as_slice()),
        (&paths.iter().map(|&it| it.to_owned()).collect::<Vec<_>>()[..], unserved)
    );
}

#[test]
fn additive_folders_come_before_instruction_files() {
    let empty = Tree::default();
    check(&["claude-code"], &empty, &[".claude/rules/a.md: claude-code"], &[]);
    check(&["cursor"], &empty, &[".cursor/rules/a.mdc: cursor"], &[]);
    check(&["copilot"], &empty, &[".github/instructions/a.instructions.md: copilot"], &[]);
    check(&["windsurf"], &empty, &[".windsurf/rules/a.md: windsurf"], &[]);
    check(&["opencode"], &empty, &["opencode.jsonc: opencode"], &[]);
    check(&["gemini"], &empty, &["GEMINI.md: gemini"], &[]);
    check(&["codex"], &empty, &["AGENTS.md: codex"], &[]);
    // With files of a person, the same places are used beside them.
    let tree = Tree::with_files(&["AGENTS.md", "CLAUDE.md", "GEMINI.md"]);
    check(
        &["cursor", "claude-code"],
        &tree,
        &[".claude/rules/a.md: claude-code", ".cursor/rules/a.mdc: cursor"],
        &[],
    );
}

#[test]
fn a_client_that_reads_the_instruction_file_needs_no_folder() {
    let empty = Tree::default();
    check(
        &["cursor", "codex", "copilot", "zed", "opencode", "windsurf"],
        &empty,
        &["AGENTS.md: codex zed opencode cursor copilot windsurf"],
        &[],
    );
    // Whether Claude Code reads AGENTS.md depends on its version.
    let plan = plan_of(&["claude-code", "codex"], &empty);
    assert_eq!(plan.placements.len(), 2);
    assert!(plan.notices[0].contains("2.1.277"), "{:?}", plan.notices);
    let tree = Tree::with_files(&["CLAUDE.md", "AGENTS.md"]);
    assert_eq!(plan_of(&["claude-code", "codex"], &tree).notices, Vec::<String>::new());
}

#[test]
fn no_new_file_hides_another_one() {
    let tree = Tree::with_files(&["CLAUDE.md"]);
    // AGENTS.md would hide CLAUDE.md from opencode and Zed.
    check(&["codex"], &tree, &[], &["codex"]);
    let plan = plan_of(&["codex"], &tree);
    assert!(plan.unserved[0].reason.contains("hide CLAUDE.md from opencode and Zed"));
    // Zed reads CLAUDE.md already, and so does Claude Code.
    check(&["zed", "claude-code"], &tree, &["CLAUDE.md: zed claude-code"], &[]);
    // Zed reads the first of several files, so only that one reaches it.
    let tree = Tree::with_files(&[".cursorrules", "AGENTS.md"]);
    check(&["zed"], &tree, &[".cursorrules: zed"], &[]);
    let tree = Tree::with_files(&[".github/copilot-instructions.md", "AGENTS.md"]);
    check(
        &["zed", "codex"],
        &tree,
        &[".github/copilot-instructions.md: zed", "AGENTS.md: codex"],
        &[],
    );
    // An override hides AGENTS.md from Codex.
    let tree = Tree::with_files(&["AGENTS.override.md", "AGENTS.md"]);
    check(&["codex"], &tree, &["AGENTS.override.md: codex"], &[]);
    // A folder is no instruction file.
    let tree = Tree::with_files(&["AGENTS.md"]).and(".clinerules", FoundPath::Folder);
    check(&["zed"], &tree, &["AGENTS.md: zed"], &[]);
}

#[test]
fn settings_of_a_client_decide() {
    let settings = |text: &str| FoundPath::File(text.to_owned());
    let tree = Tree::with_files(&["AGENTS.md"])
        .and(".gemini/settings.json", settings(r#"{"context":{"fileName":["AGENTS.md"]}}"#));
    check(&["gemini"], &tree, &["AGENTS.md: gemini"], &[]);
    let plan = plan_of(&["gemini"], &tree);
    assert_eq!(plan.placements[0].content, Content::Block("@./agent/rules/common/a.md\n".into()));
    let plan = plan_of(&["gemini", "codex"], &tree);
    assert_eq!(plan.placements[0].content, Content::Block("# Rule\n".into()));
    let named = r#"{ // mine
        "instructions": ["agent/rules/common/*.md"] }"#;
    let tree = Tree::default().and("opencode.json", settings(named));
    check(&["opencode"], &tree, &["(opencode.json: opencode)"], &[]);
    // Settings of a person are not edited.
    let tree = Tree::default().and("opencode.json", settings("{}"));
    check(&["opencode"], &tree, &["AGENTS.md: opencode"], &[]);
}

#[test]
fn links_of_a_person_are_respected() {
    let link = |target: &str, file: Option<&str>| FoundPath::Link {
        target: target.to_owned(),
        file: file.map(|file| (file.to_owned(), "mine\n".to_owned())),
    };
    // AGENTS.md is a link to CLAUDE.md: one block reaches both clients.
    let tree =
        Tree::with_files(&["CLAUDE.md"]).and("AGENTS.md", link("CLAUDE.md", Some("CLAUDE.md")));
    check(&["codex", "claude-code"], &tree, &["AGENTS.md: codex claude-code"], &[]);
    for hostile in [
        link("../outside.md", None),
        link(".git/config", Some(".git/config")),
        link(".env", Some(".env")),
        link("agent/rules/common/a.md", Some("agent/rules/common/a.md")),
    ] {
        let tree = Tree::default().and("AGENTS.md", hostile);
        check(&["codex"], &tree, &[], &["codex"]);
    }
    let tree = Tree::default().and(".claude/rules", link("../agent/rules/common", None));
    check(&["claude-code"], &tree, &["(.claude/rules: claude-code)"], &[]);
    let tree = Tree::default().and(".claude/rules", link("../../outside", None));
    check(&["claude-code"], &tree, &[], &["claude-code"]);
    let tree = Tree::default().and(".cursor/rules", FoundPath::BehindLink(".cursor".into()));
    check(&["cursor"], &tree, &[], &["cursor"]);
}

#[test]
fn a_link_needs_the_front_matter_of_the_client() {
    let cursor = [clients::find("cursor").unwrap()];
    let content = |text: &str, copies: bool| {
        let rules = [SourceFile { path: format!("{FOLDER}/a.md"), text: text.to_owned() }];
        let request = PlacementRequest {
            clients: &cursor,
            folder: FOLDER,
            rules: &rules,
            commands: &[],
            copies,
        };
        plan(&request, &Tree::default()).placements.remove(0).content
    };
    let stated = "---\nalwaysApply: true\n---\n# A\n";
    let target = "../../agent/rules/common/a.md".to_owned();
    assert_eq!(content(stated, false), Content::Link { target });
    assert!(matches!(content(stated, true), Content::File(_)));
    let Content::File(text) = content("# A\n", false) else { panic!("a link") };
    assert!(text.starts_with("---\nalwaysApply: true\n---\n<!-- Made by"), "{text}");
}

#[test]
fn commands_have_the_form_of_the_client_and_no_duplicates() {
    let all: Vec<&Client> = CLIENTS.iter().collect();
    let text = "# Save\n\nSaves: what was learnt. More.\n".to_owned();
    let commands = [SourceFile { path: "agent/commands/common/save-memory.md".into(), text }];
    let request = PlacementRequest {
        clients: &all,
        folder: FOLDER,
        rules: &[],
        commands: &commands,
        copies: false,
    };
    let plan = plan(&request, &Tree::default());
    let paths: Vec<&str> = plan.placements.iter().map(|it| it.path.as_str()).collect();
    let commands = [
        ".agents/skills/save-memory/SKILL.md",
        ".claude/commands/save-memory.md",
        ".windsurf/workflows/save-memory.md",
    ];
    assert_eq!(
        paths.iter().filter(|path| path.contains("save")).collect::<Vec<_>>(),
        commands.iter().collect::<Vec<_>>()
    );
    let Content::File(skill) = &plan.placements[0].content else { panic!("no file") };
    assert!(
        skill
            .starts_with("---\nname: save-memory\ndescription: \"Saves: what was learnt.\"\n---\n"),
        "{skill}"
    );
}
