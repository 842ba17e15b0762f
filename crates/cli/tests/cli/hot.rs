//! Hot memory: `hot link` and `hot unlink` in the file tree of each client, and with hostile links.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use heirloom_testkit::Workspace;

use crate::HEIR;

/// Rules, a command, and a file of a person.
const RULES: &str = "\
//- .heirloom/config.toml
hierarchy = \"plans\"
//- agent/rules/common/user-profile.md
<!-- budget: 50 lines -->
# User profile

Answer in English. See [the docs](../../../docs/a.md).
//- agent/rules/common/always.md
---
alwaysApply: true
---
<!-- budget: 10 lines -->
# Always

Run the tests.
//- agent/commands/common/save-memory.md
---
description: Save memory
---
# Save memory
//- docs/a.md
# A
";

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Folder,
    Link(PathBuf),
    File(Vec<u8>),
}

/// Returns everything in a folder but the state of Heirloom and git.
fn tree(folder: &Path) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(open) = folders.pop() {
        for entry in fs::read_dir(open).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if [".git", ".heirloom/local", ".heirloom/cache", ".home"].contains(&name.as_str()) {
                continue;
            }
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let found = if kind.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap())
            } else if kind.is_dir() {
                folders.push(path);
                Entry::Folder
            } else {
                Entry::File(fs::read(&path).unwrap())
            };
            entries.insert(name, found);
        }
    }
    entries
}

/// Links a client in a file tree, changes a rule, links again and unlinks; afterwards the tree must be what it was. Returns
/// the workspace as it is while the client is linked, through `look`.
fn link_and_unlink(clients: &str, files: &str, look: impl Fn(&Workspace)) {
    let workspace = Workspace::with(HEIR, RULES);
    workspace.fill(files);
    check_round_trip(&workspace, clients, look);
}

fn check_round_trip(workspace: &Workspace, clients: &str, look: impl Fn(&Workspace)) {
    let rule = "agent/rules/common/user-profile.md";
    let before = tree(workspace.path());
    let check = || workspace.heir("hot link --check").code;
    workspace.heir(&format!("hot link {clients}")).ok();
    assert_eq!(check(), 0, "{clients}: up to date");
    look(workspace);
    let text = workspace.read(rule);
    workspace.write(rule, text.replace("English", "French"));
    workspace.write("agent/rules/common/new.md", "# New\n\nA new rule.\n");
    // A pattern in settings covers new rules.
    let is_outdated = !workspace.has("opencode.jsonc");
    assert_eq!(check(), i32::from(is_outdated), "{clients}: out of date");
    workspace.heir("hot link").ok();
    assert_eq!(check(), 0, "{clients}: up to date again");
    fs::remove_file(workspace.path().join("agent/rules/common/new.md")).unwrap();
    workspace.heir("hot link").ok();
    workspace.heir("hot link").ok();
    look(workspace);
    workspace.heir("hot unlink").ok();
    workspace.write(rule, text);
    assert_eq!(tree(workspace.path()), before, "{clients}: not as it was");
}

fn link_of(workspace: &Workspace, path: &str) -> Option<String> {
    let target = fs::read_link(workspace.path().join(path)).ok()?;
    Some(target.to_str().unwrap().to_owned())
}

#[test]
fn claude_code_follows_links() {
    let files =
        "//- CLAUDE.md\n# Mine\n//- .claude/rules/mine.md\n# Mine\n//- .claude/settings.json\n{}\n";
    link_and_unlink("claude-code", files, |workspace| {
        let link = link_of(workspace, ".claude/rules/user-profile.md").unwrap();
        assert_eq!(link, "../../agent/rules/common/user-profile.md");
        assert!(workspace.read(".claude/rules/user-profile.md").contains("Answer in"));
        assert!(
            workspace.read(".claude/commands/save-memory.md").starts_with("---\ndescription: Save")
        );
        assert_eq!(workspace.read("CLAUDE.md"), "# Mine\n");
    });
    link_and_unlink("claude-code", "", |_| {});
}

#[test]
fn cursor_needs_front_matter() {
    let files =
        "//- .cursor/rules/gitignore-tool-behavior.mdc\n---\nalwaysApply: true\n---\nMine\n";
    link_and_unlink("cursor", files, |workspace| {
        let generated = workspace.read(".cursor/rules/user-profile.mdc");
        assert!(generated.starts_with("---\nalwaysApply: true\n---\n<!-- Made by"), "{generated}");
        assert!(generated.contains("(../../docs/a.md)"), "{generated}");
        let link = link_of(workspace, ".cursor/rules/always.mdc").unwrap();
        assert_eq!(link, "../../agent/rules/common/always.md");
        assert!(workspace.has(".agents/skills/save-memory/SKILL.md"));
        let status = workspace.json("hot status");
        let besides: Vec<&str> = status["client_files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["path"].as_str().unwrap())
            .collect();
        assert_eq!(besides, [".cursor/rules/gitignore-tool-behavior.mdc"]);
        assert_eq!(status["heaviest_client"], "cursor");
    });
}

#[test]
fn codex_reads_a_block_in_agents_md() {
    link_and_unlink("codex", "//- AGENTS.md\n# Mine\nno final line break", |workspace| {
        let agents = workspace.read("AGENTS.md");
        assert!(
            agents.starts_with("# Mine\nno final line break\n\n<!-- heirloom:hot begin"),
            "{agents}"
        );
        assert!(agents.contains("Answer in") && agents.contains("(docs/a.md)"), "{agents}");
    });
    link_and_unlink("codex", "//- AGENTS.md\n# Mine\r\n\r\nDo.\r\n", |workspace| {
        let agents = workspace.read("AGENTS.md");
        assert_eq!(agents.matches('\n').count(), agents.matches("\r\n").count());
    });
    link_and_unlink("codex", "//- .codex/config.toml\n\n", |workspace| {
        assert!(workspace.read("AGENTS.md").starts_with("<!-- heirloom:hot begin"));
    });
    let workspace = Workspace::with(HEIR, RULES);
    workspace.write("CLAUDE.md", "# Mine\n");
    let printed = workspace.heir("hot link codex").ok();
    assert!(printed.contains("a new one would hide CLAUDE.md from opencode and Zed"), "{printed}");
    assert!(!workspace.has("AGENTS.md"));
}

#[test]
fn copilot_has_a_folder_of_instructions() {
    link_and_unlink("copilot", "//- .github/copilot-instructions.md\n# Mine\n", |workspace| {
        let generated = workspace.read(".github/instructions/user-profile.instructions.md");
        assert!(generated.starts_with("---\napplyTo: \"**\"\n---\n"), "{generated}");
        assert_eq!(workspace.read(".github/copilot-instructions.md"), "# Mine\n");
    });
}

#[test]
fn gemini_imports_the_rules() {
    link_and_unlink("gemini", "//- GEMINI.md\n# Mine\n", |workspace| {
        assert!(workspace.read("GEMINI.md").contains("\n@./agent/rules/common/always.md\n"));
    });
    link_and_unlink("gemini", "", |workspace| assert!(workspace.has("GEMINI.md")));
    let files = "//- .gemini/settings.json\n{\"context\":{\"fileName\":\"TEAM.md\"}}\n//- TEAM.md\n# Mine\n";
    link_and_unlink("gemini", files, |workspace| {
        assert!(workspace.read("TEAM.md").contains("\n@./agent/rules/common/always.md\n"));
    });
}

#[test]
fn a_file_that_settings_name_counts_against_the_budget() {
    let workspace = Workspace::with(HEIR, RULES);
    workspace.write("GEMINI.md", "# Not read\n");
    workspace.write("TEAM.md", "# Team\n");
    workspace.write(".gemini/settings.json", r#"{"context":{"fileName":["TEAM.md"]}}"#);
    let status = workspace.json("hot status");
    let files = status["client_files"].as_array().unwrap();
    // Zed reads GEMINI.md, too.
    let is_of_gemini =
        |file: &&serde_json::Value| file["clients"].as_array().unwrap().contains(&"gemini".into());
    let paths: Vec<&str> =
        files.iter().filter(is_of_gemini).map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["TEAM.md"]);
}

#[test]
fn antigravity_and_windsurf_have_folders_of_rules() {
    for (client, path) in
        [("antigravity", ".agents/rules/always.md"), ("windsurf", ".windsurf/rules/always.md")]
    {
        link_and_unlink(client, "", |workspace| {
            let text = workspace.read(path);
            assert!(
                text.starts_with("---\ntrigger: always_on\nalwaysApply: true\n---\n"),
                "{text}"
            );
        });
    }
}

#[test]
fn opencode_is_told_of_the_folder() {
    link_and_unlink("opencode", "", |workspace| {
        assert!(workspace.read("opencode.jsonc").contains("\"agent/rules/common/*.md\""));
    });
    link_and_unlink(
        "opencode",
        "//- opencode.json\n{ /* mine */ }\n//- CLAUDE.md\n# Mine\n",
        |workspace| {
            assert_eq!(workspace.read("opencode.json"), "{ /* mine */ }\n");
            assert!(workspace.read("CLAUDE.md").contains("Answer in"));
        },
    );
}

#[test]
fn zed_reads_the_first_of_its_files() {
    link_and_unlink("zed", "//- .rules\n# Mine\n//- AGENTS.md\n# Mine too\n", |workspace| {
        assert!(workspace.read(".rules").contains("Answer in"));
        assert_eq!(workspace.read("AGENTS.md"), "# Mine too\n");
    });
}

#[test]
fn all_clients_together_get_every_rule_once() {
    link_and_unlink("all", "//- AGENTS.md\n# Mine\n//- CLAUDE.md\n# Mine\n", |workspace| {
        // Cursor, Copilot and Windsurf read AGENTS.md, which Codex needs.
        for folder in [".cursor/rules", ".github/instructions", ".windsurf/rules"] {
            assert!(!workspace.has(folder), "{folder}");
        }
        assert_eq!(workspace.files(".agents/skills").len(), 1);
        assert!(!workspace.has("opencode.jsonc"));
    });
}

#[test]
fn one_client_is_taken_back_and_the_others_stay() {
    let workspace = Workspace::with(HEIR, RULES);
    workspace.heir("hot link claude-code").ok();
    let before = tree(workspace.path());
    workspace.heir("hot link cursor").ok();
    workspace.heir("hot unlink cursor").ok();
    assert_eq!(tree(workspace.path()), before);
    let error = workspace.heir("hot unlink cursor").failed(2);
    assert!(error.contains("Cursor is not linked"), "{error}");
}

#[test]
fn files_are_generated_where_links_cannot_be_made() {
    let workspace = Workspace::with(HEIR, RULES);
    let before = tree(workspace.path());
    workspace.heir("hot link claude-code").ok();
    // Without support for links, git checks out a file with the target.
    let link = workspace.path().join(".claude/rules/always.md");
    fs::remove_file(&link).unwrap();
    fs::write(&link, "../../agent/rules/common/always.md").unwrap();
    assert_eq!(workspace.heir("hot link --check").code, 1);
    workspace.heir("hot link --copies").ok();
    assert_eq!(link_of(&workspace, ".claude/rules/always.md"), None);
    assert!(workspace.read(".claude/rules/always.md").contains("Run the tests."));
    workspace.heir("hot link").ok();
    assert_eq!(link_of(&workspace, ".claude/rules/user-profile.md"), None);
    workspace.heir("hot unlink").ok();
    assert_eq!(tree(workspace.path()), before);
}

#[test]
fn what_a_person_wrote_or_changed_is_kept() {
    let workspace = Workspace::with(HEIR, RULES);
    workspace.write(".cursor/rules/user-profile.mdc", "mine");
    workspace.write("AGENTS.md", "# Mine\n");
    let printed = workspace.heir("hot link cursor claude-code").ok();
    assert!(printed.contains("it is not a file that `heir hot link` made"), "{printed}");
    assert_eq!(workspace.read(".cursor/rules/user-profile.mdc"), "mine");
    // A link and a generated file that were changed since.
    let always = workspace.path().join(".cursor/rules/always.mdc");
    fs::remove_file(&always).unwrap();
    symlink("../../docs/a.md", &always).unwrap();
    let skill = workspace.read(".agents/skills/save-memory/SKILL.md");
    workspace.write(".agents/skills/save-memory/SKILL.md", format!("{skill}more\n"));
    assert_eq!(workspace.heir("hot link --check").code, 1);
    let printed = workspace.heir("hot unlink").ok();
    assert_eq!(
        printed.matches("it was changed since `heir hot link` made it").count(),
        2,
        "{printed}"
    );
    assert_eq!(link_of(&workspace, ".cursor/rules/always.mdc").unwrap(), "../../docs/a.md");
    assert!(workspace.read(".agents/skills/save-memory/SKILL.md").ends_with("more\n"));
    assert!(!workspace.has(".claude") && !workspace.has(".heirloom/hot-links.json"));
    // What is added around a block stays, and the block goes.
    workspace.heir("hot link codex").ok();
    let linked = workspace.read("AGENTS.md");
    workspace.write("AGENTS.md", format!("Before.\n{linked}\nAfter.\n"));
    workspace.heir("hot unlink").ok();
    assert_eq!(workspace.read("AGENTS.md"), "Before.\n# Mine\n\nAfter.\n");
}

#[test]
fn hostile_links_and_records_reach_nothing_outside() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("victim.md"), "xyzzy-plugh").unwrap();
    fs::create_dir(outside.path().join("rules")).unwrap();
    let victim = outside.path().join("victim.md");
    let before_outside = tree(outside.path());
    let link = |workspace: &Workspace, path: &str, target: &Path| {
        let path = workspace.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        drop(fs::remove_file(&path));
        drop(fs::remove_dir_all(&path));
        symlink(target, path).unwrap();
    };
    let record = r#"{"version":1,"clients":["cursor","zed"],"folders":["docs","../out",".git"],"files":["README.md","docs/a.md","../victim.md","AGENTS.md",".cursor/rules/mine.mdc",".agents/rules/away.md"]}"#;
    type Attack<'a> = (&'a str, Box<dyn Fn(&Workspace) + 'a>);
    let attacks: Vec<Attack<'_>> = vec![
        (
            "client folders",
            Box::new(|w| {
                link(w, ".claude", outside.path());
                link(w, ".cursor/rules", &outside.path().join("rules"));
                link(w, ".github", outside.path());
                link(w, ".agents", outside.path());
                link(w, ".windsurf", outside.path());
            }),
        ),
        (
            "instruction files",
            Box::new(|w| {
                for file in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".rules", "opencode.jsonc"] {
                    link(w, file, &victim);
                }
            }),
        ),
        (
            "dangling instruction files",
            Box::new(|w| link(w, "AGENTS.md", &outside.path().join("new.md"))),
        ),
        (
            "private files inside",
            Box::new(|w| {
                w.write(".env", "xyzzy-plugh");
                link(w, "AGENTS.md", Path::new(".env"));
                link(w, "GEMINI.md", Path::new(".heirloom/config.toml"));
                link(w, "agent/rules/common/env.md", Path::new("../../../.env"));
            }),
        ),
        (
            "rules",
            Box::new(|w| {
                link(w, "agent/rules/common/user-profile.md", &victim);
                link(w, "agent/commands", outside.path());
            }),
        ),
        ("the folder of the rules", Box::new(|w| link(w, "agent/rules/common", outside.path()))),
        (
            "the record",
            Box::new(|w| {
                w.write(".heirloom/hot-links.json", record);
                w.write("README.md", "xyzzy-keep");
                w.write(".cursor/rules/mine.mdc", "xyzzy-keep");
                link(w, ".agents/rules/away.md", &victim);
            }),
        ),
        ("the record as a link", Box::new(|w| link(w, ".heirloom/hot-links.json", &victim))),
        ("the list of reviews", Box::new(|w| link(w, ".heirloom/hot-reviews.memory.md", &victim))),
        ("the document of an item", Box::new(|w| link(w, ".heirloom/context", outside.path()))),
    ];
    for (attack, prepare) in attacks {
        let workspace = Workspace::with(HEIR, RULES);
        prepare(&workspace);
        for command in [
            "hot status",
            "hot check",
            "hot init all",
            "hot link all",
            "hot link --check",
            "hot link --copies",
            "hot reviewed",
            "hot demote always#always",
            "hot demote user-profile#user-profile --to .git/x.md",
            "hot demote always#always --to ../x.md",
            "hot promote always#always",
            "hot unlink zed",
            "hot unlink",
        ] {
            let ran = workspace.heir(command);
            let printed = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                !printed.contains("xyzzy") && !printed.contains("panicked"),
                "{attack}: {command}: {printed}"
            );
            assert_eq!(tree(outside.path()), before_outside, "{attack}: {command}: {printed}");
            for (path, entry) in tree(workspace.path()) {
                let is_source =
                    ["README.md", ".env", ".cursor/rules/mine.mdc"].contains(&path.as_str());
                if let Entry::File(bytes) = entry
                    && !is_source
                {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    assert!(!text.contains("xyzzy"), "{attack}: {command}: {path} has a copy");
                }
            }
        }
        if attack == "the record" {
            assert_eq!(workspace.read("README.md"), "xyzzy-keep");
            assert_eq!(workspace.read(".cursor/rules/mine.mdc"), "xyzzy-keep");
            assert!(workspace.has("docs/a.md") && workspace.path().join("docs").is_dir());
        }
    }
}

#[test]
fn a_block_goes_into_no_file_that_is_not_markdown() {
    for file in [".env", ".git/config", ".heirloom/config.toml"] {
        let workspace = Workspace::with(HEIR, RULES);
        if !workspace.has(file) {
            workspace.write(file, "mine\n");
        }
        let before = workspace.read(file);
        let settings = format!(r#"{{"context":{{"fileName":["{file}"]}}}}"#);
        workspace.write(".gemini/settings.json", settings);
        let printed = workspace.heir("hot link gemini").ok();
        assert!(printed.contains("which its settings name, is no markdown file"), "{printed}");
        assert_eq!(workspace.read(file), before);
    }
}

#[test]
fn an_item_moves_to_warm_memory_and_back() {
    for (hierarchy, more, to) in [
        ("plans", "", ".heirloom/context/rules.md"),
        ("sprints", "", ".memory/project/conventions/rules.md"),
        (
            "domains",
            "//- resources/workspaces/devtools/OVERVIEW.md\n# D\n",
            "resources/workspaces/devtools/_architecture/rules.md",
        ),
    ] {
        let workspace = Workspace::with(HEIR, RULES);
        workspace.write(".heirloom/config.toml", format!("hierarchy = \"{hierarchy}\"\n"));
        workspace.fill(more);
        let rule = "agent/rules/common/names.md";
        workspace.write(rule, "<!-- budget: 50 lines -->\r\n# Names\r\n\r\n## Zebra branches\r\n\r\n- feat/zebra\r\n\r\n## Files\r\nshort");
        let before = tree(workspace.path());
        let folders = |tree: &BTreeMap<String, Entry>| -> BTreeMap<String, Entry> {
            tree.iter()
                .filter(|(_, entry)| **entry != Entry::Folder)
                .map(|(path, entry)| (path.clone(), entry.clone()))
                .collect()
        };
        let printed = workspace.heir("hot demote names#zebra-branches").ok();
        assert!(printed.contains(to), "{printed}");
        assert!(workspace.read(to).contains("## Zebra branches\r\n\r\n- feat/zebra\r\n\r\n"));
        assert!(!workspace.read(rule).contains("feat/zebra"));
        assert!(workspace.read(rule).contains("[Zebra branches](<"));
        // Warm memory is recalled.
        assert!(workspace.heir("recall zebra").ok().contains(to), "{hierarchy}");
        workspace.heir("hot promote names#zebra-branches").ok();
        assert_eq!(folders(&tree(workspace.path())), folders(&before), "{hierarchy}");
    }
}

#[test]
fn an_item_takes_the_place_of_its_link_in_a_renamed_rule() {
    let workspace = Workspace::with(HEIR, RULES);
    let text = "# Names\n\n## Branches\n\n- feat/x\n\n## Files\n";
    workspace.write("agent/rules/common/names.md", text);
    workspace.heir("hot demote names#branches").ok();
    let folder = workspace.path().join("agent/rules/common");
    fs::rename(folder.join("names.md"), folder.join("naming.md")).unwrap();
    workspace.heir("hot promote naming#branches").ok();
    assert_eq!(workspace.read("agent/rules/common/naming.md"), text);
    assert!(!workspace.has(".heirloom/context/rules.md"));
}

#[test]
fn a_demoted_item_comes_back_by_the_name_that_is_printed() {
    let workspace = Workspace::with(HEIR, RULES);
    let text = "# Names\n\n## Files\na\n\n## Files\nb\n\n## !!\nc\n";
    workspace.write("agent/rules/common/names.md", text);
    let demote = |item: &str| {
        let printed = workspace.heir(&format!("hot demote {item}")).ok();
        let (_, name) = printed.rsplit_once("heir hot promote ").unwrap();
        name.trim().trim_matches(['`', '\'']).to_owned()
    };
    let names = [demote("names#files-1"), demote("names#files"), demote("names#L7")];
    assert_eq!(names[0], "names.md#files");
    // With two links of that heading, and for a heading without letters, the id is the name.
    assert!(names[1..].iter().all(|name| !name.contains('#')), "{names:?}");
    for name in names.iter().rev() {
        workspace.heir(&format!("hot promote {name}")).ok();
    }
    assert_eq!(workspace.read("agent/rules/common/names.md"), text);
}
