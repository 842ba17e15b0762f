//! A cloned or unpacked repository is untrusted. Whatever it contains, nothing outside the root is
//! read, written or removed, no program runs, no connection is made, and no command hangs.
//!
//! Each attack prepares a workspace beside a folder of unrelated files, runs every kind of
//! command, checks that the folder did not change, and checks that a message names what was refused.
//! `SECURITY.md` states the threat model.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heirloom_testkit::{TEAM, Workspace};

use crate::HEIR;

/// Content of the files outside, which must never be printed.
const SECRET: &str = "xyzzy-plugh";

/// Time after which a command is taken to hang.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Commands that each attack has to withstand.
const COMMANDS: &[&[&str]] = &[
    &["context", "resolve", "0042", "001", "--json"],
    &["context", "resolve", "0042", "001"],
    &["context", "health"],
    &["context", "validate"],
    &["recall", "graph", "--json"],
    &["recall", "xyzzy"],
    &["index", "status"],
    &["predict", "--file", "plans/0042-graph/0042-graph-plan.md", "--error", "xyzzy"],
    &["assemble", "--file", "../victim.txt", "--task", "tables"],
    &["fact", "add", "--section", "Decisions", "Tables are drawn first"],
    &["fact", "add", "--section", "Decisions", "--private", "Only I know this"],
    &["memory", "add", "0042", "001", "finding", "Indexes are slow"],
    &["memory", "add", "0042", "--plan", "finding", "Plans are long"],
    &["memory", "show", "0042", "001"],
    &["session", "start", "Attack"],
    &["note", "Look at this"],
    &["memory", "focus", "Tables are drawn first"],
    &["session", "end"],
    &["adr", "new", "Use a queue"],
    &["adr", "list"],
    &["plan", "new", "Next thing"],
    &["plan", "list"],
    &["plan", "status", "0042", "done"],
    &["retrieve", "context"],
    &["retrieve", "plans", "--tier", "T2", "--format", "table"],
    &["migrate"],
    &["agent", "list", "0042"],
    &["context", "archive", "0043-auth"],
    &["context", "restore", "0043-auth"],
    &["graph", "export"],
    &["graph", "health"],
    &["fact", "list"],
    &["stats"],
    &["export"],
    &["index", "rebuild"],
    &["memory", "search-archive", "auth"],
    &["init"],
    &["adopt"],
];

/// A hostile workspace, and a folder outside that must not be read or changed.
struct Scene {
    workspace: Workspace,
    outside: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene =
            Scene { workspace: Workspace::with(HEIR, TEAM), outside: tempfile::tempdir().unwrap() };
        let secret = format!("---\ntitle: {SECRET}\nupdated: 2026-02-01\n---\n\n# {SECRET}\n");
        let fact = format!(
            r#"{{"v":1,"id":"019c0000-0000-7000-8000-00000000000a","at":"2026-02-01T00:00:00Z","by":"eve","kind":"fact","section":"Decisions","content":"{SECRET}"}}"#
        );
        for (name, text) in [
            ("victim.txt", SECRET),
            ("victim.db", SECRET),
            ("0123456789abcdef.seg", SECRET),
            ("secret.md", &secret),
            ("plan.md", &secret),
            ("project.md", &secret),
            ("ADR-0009-secret.md", &secret),
            ("001-secret.md", &secret),
            ("secret.jsonl", &format!("{fact}\n")),
            ("config.toml", "hierarchy = \"plans\"\n"),
            (".gitignore", "*.md\n"),
        ] {
            fs::write(scene.outside(name), text).unwrap();
        }
        scene
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }

    fn inside(&self, path: &str) -> PathBuf {
        self.workspace.path().join(path)
    }

    /// Replaces a path by a link to a file or folder outside.
    fn link(&self, path: &str, target: &str) {
        let target =
            if target.is_empty() { self.outside.path().into() } else { self.outside(target) };
        self.link_to(path, &target);
    }

    fn link_to(&self, path: &str, target: &Path) {
        let path = self.inside(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            drop(fs::remove_file(&path));
        }
        symlink(target, path).unwrap();
    }

    /// Replaces a file by a FIFO; reading it would block forever.
    fn fifo(&self, path: &str) {
        let path = self.inside(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        drop(fs::remove_file(&path));
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Creates a program outside that creates the file `RAN` when it runs.
    fn program(&self) -> String {
        let program = self.outside("program");
        let trace = self.outside("RAN");
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\ncat\n", trace.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program.display().to_string()
    }

    /// Creates a repository outside, with a commit.
    fn other_repository(&self) -> PathBuf {
        let other = self.outside("repository");
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("a.md"), SECRET).unwrap();
        for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", SECRET]] {
            let mut git = Command::new("git");
            git.current_dir(&other).args(["-c", "user.name=o", "-c", "user.email=o@example.org"]);
            assert!(git.args(arguments).status().unwrap().success());
        }
        other.join(".git")
    }

    /// Returns the contents of the files and the targets of the links outside, by path.
    fn outside_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.outside.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                let bytes = match () {
                    () if kind.is_symlink() => {
                        fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                    }
                    () if kind.is_dir() => {
                        folders.push(path.clone());
                        vec![]
                    }
                    () if kind.is_fifo() => vec![],
                    () => fs::read(&path).unwrap(),
                };
                files.insert(path, bytes);
            }
        }
        files
    }

    /// Runs a command and returns its output. Panics if it hangs.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = self.workspace.command();
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipes: (Box<dyn Read + Send>, Box<dyn Read + Send>) =
            (Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap()));
        let reader = std::thread::spawn(move || {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            pipes.0.read_to_end(&mut out).unwrap();
            pipes.1.read_to_end(&mut err).unwrap();
            out.extend(err);
            String::from_utf8_lossy(&out).into_owned()
        });
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > TIMEOUT {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("heir {arguments:?} hangs");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let printed = reader.join().unwrap();
        assert!(!printed.contains("panicked"), "heir {arguments:?}: {printed}");
        printed
    }

    /// Runs every command, and checks after each that nothing outside was changed or printed.
    fn withstand(&self) -> String {
        let before = self.outside_files();
        let mut printed = String::new();
        for arguments in COMMANDS {
            let output = self.run(arguments);
            assert!(!output.contains(SECRET), "heir {arguments:?} read a file outside: {output}");
            let after = self.outside_files();
            assert_eq!(after, before, "heir {arguments:?} changed a file outside: {output}");
            printed.push_str(&format!("$ heir {}\n{output}\n", arguments.join(" ")));
        }
        printed
    }
}

/// Defines a test for each attack: how it is prepared, and the message that the commands must print.
macro_rules! attacks {
    ($($name:ident: $prepare:expr => $message:expr;)*) => {$(
        #[test]
        fn $name() {
            let scene = Scene::new();
            let prepare: fn(&Scene) = $prepare;
            prepare(&scene);
            let printed = scene.withstand();
            assert!(printed.contains($message), "`{}` was not printed:\n{printed}", $message);
        }
    )*};
}

const LEADS_OUT: &str = "this symbolic link leads out of the workspace";
const NO_LINKS: &str = "is a symbolic link, and links are not followed here";

// Links in place of Heirloom's own folders and files.
attacks! {
    the_index_is_a_link: |s| s.link(".heirloom/cache/index", "") => NO_LINKS;
    the_cache_is_a_link: |s| s.link(".heirloom/cache", "") => NO_LINKS;
    the_cache_is_a_link_inside: |s| {
        fs::create_dir(s.inside("src")).unwrap();
        s.link_to(".heirloom/cache", Path::new("../src"));
    } => NO_LINKS;
    the_lexical_index_is_a_link: |s| {
        s.link(".heirloom/cache/words", "");
        s.workspace.write(".heirloom/config.toml", "[embedder]\nkind = \"endpoint\"\n");
    } => NO_LINKS;
    the_lock_of_the_index_is_a_link: |s| s.link(".heirloom/cache/index/lock", "victim.txt")
        => "the index cannot be stored";
    the_name_of_the_index_is_a_link: |s| s.link(".heirloom/cache/index/current", "victim.txt")
        => "Build the graph";
    the_cache_of_documents_is_a_link: |s| s.link(".heirloom/cache/documents", "")
        => "Build the graph";
    the_name_of_the_cache_of_documents_is_a_link: |s| {
        s.link(".heirloom/cache/documents/current", "victim.txt");
    } => "Build the graph";
    a_cached_count_is_a_link: |s| s.link(".heirloom/cache/tokens-o200k", "victim.txt")
        => "Build the graph";
    the_cached_history_is_a_link: |s| s.link(".heirloom/cache/history", "victim.txt")
        => "Build the graph";
    the_workspace_is_a_link: |s| {
        fs::create_dir(s.outside("home")).unwrap();
        fs::write(s.outside("home/workspace.md"), SECRET).unwrap();
        s.link(".heirloom", "home");
    } => "is a symbolic link that leads out of";
    the_local_state_is_a_link: |s| s.link(".heirloom/local", "") => NO_LINKS;
    the_private_log_is_a_link: |s| s.link(".heirloom/local/memory", "") => NO_LINKS;
    the_private_facts_are_a_link: |s| s.link(".heirloom/local/memory/fact", "") => NO_LINKS;
    the_write_lock_is_a_link: |s| s.link(".heirloom/local/write.lock", "victim.txt")
        => "a path led outside";
    the_clone_id_is_a_link: |s| s.link(".heirloom/local/clone", "victim.txt")
        => "a path led outside";
    the_state_beside_git_is_a_link: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        s.link(".git/heirloom", "");
    } => NO_LINKS;
}

// Links in place of documents and the log.
attacks! {
    the_log_is_a_link: |s| s.link(".heirloom/memory", "") => LEADS_OUT;
    the_facts_are_a_link: |s| s.link(".heirloom/memory/fact", "") => LEADS_OUT;
    a_shard_is_a_link: |s| s.link(".heirloom/memory/fact/2026-01-aaaaaaaa.jsonl", "secret.jsonl")
        => LEADS_OUT;
    the_root_document_is_a_link: |s| s.link(".heirloom/workspace.md", "secret.md") => LEADS_OUT;
    the_settings_are_a_link: |s| s.link(".heirloom/config.toml", "config.toml") => LEADS_OUT;
    the_context_is_a_link: |s| s.link(".heirloom/context", "") => LEADS_OUT;
    a_context_document_is_a_link: |s| s.link(".heirloom/context/secret.md", "secret.md")
        => LEADS_OUT;
    a_link_is_dangling: |s| s.link(".heirloom/context/new.md", "new.md") => LEADS_OUT;
    the_plans_are_a_link: |s| s.link("plans", "") => LEADS_OUT;
    a_plan_is_a_link: |s| s.link("plans/0042-graph", "") => LEADS_OUT;
    a_plan_document_is_a_link: |s| s.link("plans/0042-graph/0042-graph-plan.md", "secret.md")
        => LEADS_OUT;
    the_agents_are_a_link: |s| s.link("plans/0042-graph/agents", "") => LEADS_OUT;
    an_agent_is_a_link: |s| s.link("plans/0042-graph/agents/001-schema.md", "secret.md")
        => LEADS_OUT;
    an_agents_memory_is_a_link: |s| {
        s.link("plans/0042-graph/agents/001-schema.memory.md", "secret.md");
    } => LEADS_OUT;
    a_plans_memory_is_a_link: |s| s.link("plans/0042-graph/plan.memory.md", "secret.md")
        => LEADS_OUT;
    the_records_are_a_link: |s| s.link(".heirloom/adrs", "") => LEADS_OUT;
    a_record_is_a_link: |s| s.link(".heirloom/adrs/ADR-0009-secret.md", "ADR-0009-secret.md")
        => LEADS_OUT;
    adopted_records_are_a_link: |s| {
        s.link("docs/adr", "");
        s.workspace.write(".heirloom/config.toml", "[adrs]\nfolders = [\"docs/adr\"]\n");
    } => LEADS_OUT;
    the_metadata_of_a_record_is_a_link: |s| {
        s.workspace.write("docs/adr/1-x/README.md", "# X\n");
        s.link("docs/adr/1-x/kep.yaml", "secret.md");
        s.workspace.write(".heirloom/config.toml", "[adrs]\nfolders = [\"docs/adr\"]\n");
    } => "Build the graph";
    the_metadata_of_a_record_is_a_fifo: |s| {
        s.workspace.write("docs/adr/1-x/README.md", "# X\n");
        s.fifo("docs/adr/1-x/kep.yaml");
        s.workspace.write(".heirloom/config.toml", "[adrs]\nfolders = [\"docs/adr\"]\n");
    } => "Build the graph";
    the_projects_are_a_link: |s| s.link(".heirloom/projects", "") => LEADS_OUT;
    the_archive_is_a_link: |s| s.link(".heirloom/archive", "") => LEADS_OUT;
    a_rule_file_is_a_link: |s| {
        s.link("CLAUDE.md", "secret.md");
        s.workspace.write(".heirloom/config.toml", "[levels.workspace]\nfiles = [\"CLAUDE.md\"]\n");
    } => LEADS_OUT;
    the_ignore_rules_are_a_link: |s| s.link(".gitignore", ".gitignore") => "Build the graph";
    a_draft_is_a_link: |s| {
        s.workspace.write("plans/0042-graph/agents/001-schema.memory.md", "---\nname: m\n---\n");
        s.link("plans/0042-graph/agents/.001-schema.memory.md.heir-new", "victim.txt");
    } => "Indexes are slow";
    a_device_is_a_document: |s| s.link_to(".heirloom/context/zero.md", Path::new("/dev/zero"))
        => LEADS_OUT;
    links_are_cyclic: |s| {
        for folder in [".heirloom/archive", ".heirloom/context", "plans/0042-graph", "docs/adr"] {
            for name in ["a", "b", "c", "d"] {
                s.link_to(&format!("{folder}/{name}"), Path::new("."));
            }
        }
        s.link_to("plans/0044-circle", Path::new("../plans"));
        s.workspace.write(".heirloom/config.toml", "[adrs]\nfolders = [\"docs/adr\"]\n");
    } => "Build the graph";
}

// Settings.
attacks! {
    a_pattern_climbs_out: |s| {
        let settings = "[levels.workspace]\nfiles = [\"../*/secret.md\"]\n";
        s.workspace.write(".heirloom/config.toml", settings);
    } => "must be a path below the root";
    a_pattern_is_absolute: |s| {
        let path = s.outside("secret.md");
        let settings = format!("[levels.workspace]\nfiles = [{:?}]\n", path.display().to_string());
        s.workspace.write(".heirloom/config.toml", settings);
    } => "must be a path below the root";
    a_hierarchy_climbs_out: |s| {
        s.workspace.write(".heirloom/config.toml", "hierarchy = \"h\"\n[[hierarchies.h.levels]]\nname = \"a\"\npriority = 0\nalways = [\"x/../../secret.md\"]\n");
    } => "must be a path below the root";
    a_memory_file_climbs_out: |s| {
        s.workspace.write(".heirloom/config.toml", "hierarchy = \"h\"\n[[hierarchies.h.levels]]\nname = \"plan\"\npriority = 0\nalways = [\"plans/{plan}/plan.md\"]\nmemory = \"../{plan}.memory.md\"\n");
    } => "must be a path below the root";
    the_folder_of_records_climbs_out: |s| {
        s.workspace.write(".heirloom/config.toml", "[adrs]\nfolders = [\"docs/../../records\"]\n");
    } => "must be a folder below the root";
    the_folder_of_records_is_absolute: |s| {
        let folder = s.outside.path().display().to_string();
        s.workspace.write(".heirloom/config.toml", format!("[adrs]\nfolders = [{folder:?}]\n"));
    } => "must be a folder below the root";
    a_model_is_outside: |s| {
        let folder = s.outside.path().display().to_string();
        let settings = format!("[embedder]\nkind = \"transformer\"\nfolder = {folder:?}\n");
        s.workspace.write(".heirloom/config.toml", settings);
    } => "is outside of the workspace";
    a_model_is_a_fifo: |s| {
        s.workspace.write(".heirloom/config.toml", "[embedder]\nkind = \"transformer\"\nfolder = \"m\"\n");
        s.fifo("m/config.json");
    } => "it is not a regular file";
    numbers_are_huge: |s| {
        s.workspace.write(".heirloom/config.toml", "[memory]\npins = 9223372036854775807\n[staleness]\nwarning = 1e300\ncritical = 1e300\narchive = 1e300\n");
    } => "Build the graph";
}

// Journals and indexes that come with an archive.
attacks! {
    a_journal_moves_a_file_out: |s| {
        s.workspace.write("draft.md", "evil");
        let outside = s.outside.path().file_name().unwrap().to_string_lossy().into_owned();
        journal(s, s.workspace.path(), &format!(r#"{{"from":"draft.md","to":"../{outside}/victim.txt","before":"absent"}}"#), "");
    } => "this interrupted change cannot be completed";
    a_journal_moves_a_file_through_a_link: |s| {
        s.workspace.write("draft.md", "evil");
        s.link("door", "");
        journal(s, s.workspace.path(), r#"{"from":"draft.md","to":"door/new.txt","before":"absent"}"#, "");
    } => "this interrupted change cannot be completed";
    a_journal_appends_outside: |s| {
        let outside = s.outside.path().file_name().unwrap().to_string_lossy().into_owned();
        journal(s, s.workspace.path(), "", &format!(r#"{{"base":"root","path":"../{outside}/victim.txt","at":0,"text":"evil\n","existed":true}}"#));
    } => "a path led outside";
    a_journal_names_another_root: |s| {
        fs::create_dir_all(s.outside(".heirloom")).unwrap();
        journal(s, s.outside.path(), r#"{"from":"secret.md","to":"victim.txt","before":"absent"}"#, "");
    } => "is not a work tree of this repository";
    a_journal_has_an_older_format: |s| {
        let victim = s.outside("victim.txt").display().to_string();
        let text = format!(r#"{{"moves":[],"appends":[{{"path":{victim:?},"at":0,"text":"evil\n","existed":true}}]}}"#);
        s.workspace.write(".heirloom/local/journal.json", text);
    } => "this interrupted change cannot be completed";
    a_list_of_drafts_names_files_outside: |s| {
        let draft = s.outside(".a.md.heir-new");
        fs::write(&draft, SECRET).unwrap();
        let outside = s.outside.path().file_name().unwrap().to_string_lossy().into_owned();
        let text = format!(r#"{{"root":{:?},"paths":["../{outside}/.a.md.heir-new"]}}"#, s.workspace.path());
        s.workspace.write(".heirloom/local/journal.drafts", text);
    } => "Indexes are slow";
    an_index_comes_with_the_archive: |s| {
        s.run(&["recall", "graph"]);
        // The files get new inodes and times, as if they were unpacked from an archive.
        for file in s.workspace.files(".heirloom/cache/index") {
            let bytes = fs::read(s.inside(&file)).unwrap();
            fs::remove_file(s.inside(&file)).unwrap();
            let bytes = match file.ends_with(".seg") || file.ends_with(".db") {
                true => vec![0xff; bytes.len()],
                false => bytes,
            };
            fs::write(s.inside(&file), bytes).unwrap();
        }
    } => "Build the graph";
}

fn journal(scene: &Scene, root: &Path, moves: &str, appends: &str) {
    let text = format!(r#"{{"root":{root:?},"moves":[{moves}],"appends":[{appends}]}}"#);
    scene.workspace.write(".heirloom/local/journal.json", text);
}

const FOREIGN_REPOSITORY: &str = "which does not name";

// A `.git` that leads elsewhere, or whose settings run programs.
attacks! {
    a_git_file_names_another_repository: |s| {
        let other = s.other_repository();
        s.workspace.write(".git", format!("gitdir: {}\n", other.display()));
    } => FOREIGN_REPOSITORY;
    a_git_link_leads_to_another_repository: |s| {
        let other = s.other_repository();
        s.link_to(".git", &other);
    } => FOREIGN_REPOSITORY;
    a_git_file_names_a_forged_work_tree: |s| {
        let other = s.other_repository();
        s.workspace.write("forged/commondir", other.display().to_string());
        s.workspace.write("forged/gitdir", s.inside(".git").display().to_string());
        s.workspace.write("forged/HEAD", "ref: refs/heads/main\n");
        s.workspace.write(".git", "gitdir: forged\n");
    } => FOREIGN_REPOSITORY;
    a_git_folder_shares_another_repository: |s| {
        let other = s.other_repository();
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        s.workspace.write(".git/commondir", other.display().to_string());
    } => FOREIGN_REPOSITORY;
    a_reference_climbs_out: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        let victim = s.outside("victim.txt");
        s.workspace.write(".git/HEAD", format!("ref: refs/../../..{}\n", victim.display()));
    } => "Build the graph";
    git_settings_run_programs: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        let program = s.program();
        for key in ["core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass",
            "core.editor", "diff.external", "diff.evil.textconv", "diff.evil.command",
            "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "filter.a=b.clean",
            "gpg.program", "gpg.ssh.program", "credential.helper", "core.alternateRefsCommand"]
        {
            s.workspace.git(&["config", key, &program]);
        }
        s.workspace.git(&["config", "log.showSignature", "true"]);
        s.workspace.git(&["config", "filter.evil.required", "true"]);
        s.workspace.write(".gitattributes", "*.md filter=evil diff=evil\n*.toml filter=a=b\n");
        for hook in ["post-index-change", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"] {
            let hook = s.inside(&format!(".git/hooks/{hook}"));
            fs::create_dir_all(hook.parent().unwrap()).unwrap();
            fs::copy(&program, hook).unwrap();
        }
        // With a new modification time, git compares the contents and would run the filters.
        for path in ["plans/0042-graph/0042-graph-plan.md", ".heirloom/workspace.md"] {
            let text = s.workspace.read(path);
            s.workspace.write(path, text);
        }
    } => "Build the graph";
    git_hooks_are_outside: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        let program = s.program();
        fs::copy(&program, s.outside("post-index-change")).unwrap();
        s.workspace.git(&["config", "core.hooksPath", &s.outside.path().display().to_string()]);
    } => "Build the graph";
    git_fetches_missing_objects: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        let program = s.program();
        s.workspace.git(&["config", "extensions.partialClone", "origin"]);
        s.workspace.git(&["config", "remote.origin.promisor", "true"]);
        s.workspace.git(&["config", "remote.origin.url", &format!("ext::{program}")]);
        s.workspace.git(&["config", "protocol.ext.allow", "always"]);
        let objects = s.inside(".git/objects");
        for folder in fs::read_dir(objects).unwrap() {
            drop(fs::remove_dir_all(folder.unwrap().path()));
        }
    } => "Build the graph";
    the_work_tree_is_outside: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        s.workspace.git(&["config", "core.worktree", &s.outside.path().display().to_string()]);
    } => "Build the graph";
    the_workspace_looks_like_a_bare_repository: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        let program = s.program();
        for file in ["config", "HEAD"] {
            fs::copy(s.inside(".git").join(file), s.inside(file)).unwrap();
        }
        for folder in ["objects", "refs"] {
            fs::create_dir(s.inside(folder)).unwrap();
        }
        let settings = format!("[core]\n\tbare = true\n\tfsmonitor = {program}\n");
        s.workspace.write("config", settings);
    } => "Build the graph";
    the_cached_history_contains_an_option: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        let option = format!("--output={}", s.outside("new.txt").display());
        s.workspace.write(".heirloom/cache/history", format!("{option} {:0>16}\n", ""));
    } => "Build the graph";
}

// Files that are not regular or too large.
const NOT_REGULAR: &str = "this is not a regular file";
attacks! {
    the_root_document_is_a_fifo: |s| s.fifo(".heirloom/workspace.md") => NOT_REGULAR;
    the_settings_are_a_fifo: |s| s.fifo(".heirloom/config.toml") => NOT_REGULAR;
    a_plan_is_a_fifo: |s| s.fifo("plans/0042-graph/0042-graph-plan.md") => NOT_REGULAR;
    a_record_is_a_fifo: |s| s.fifo(".heirloom/adrs/ADR-0009-x.md") => NOT_REGULAR;
    a_memory_is_a_fifo: |s| s.fifo("plans/0042-graph/agents/001-schema.memory.md") => NOT_REGULAR;
    a_shard_is_a_fifo: |s| s.fifo(".heirloom/memory/fact/2026-01-aaaaaaaa.jsonl")
        => "it is not a regular file";
    the_ignore_rules_are_a_fifo: |s| s.fifo(".gitignore") => "Build the graph";
    the_caches_are_fifos: |s| {
        for file in ["tokens-o200k", "history", "index/current", "words/current"] {
            s.fifo(&format!(".heirloom/cache/{file}"));
        }
    } => "Build the graph";
    the_journal_is_a_fifo: |s| s.fifo(".heirloom/local/journal.json") => "it is not a regular file";
    the_index_lock_is_a_fifo: |s| s.fifo(".heirloom/cache/index/lock") => "the index cannot be stored";
    the_write_lock_is_a_fifo: |s| s.fifo(".heirloom/local/write.lock")
        => "it is not a regular file";
    a_git_file_is_a_fifo: |s| s.fifo(".git") => "Build the graph";
    the_head_is_a_fifo: |s| {
        s.workspace.commit_all("2026-02-01T00:00:00Z");
        s.fifo(".git/HEAD");
    } => "Build the graph";
    a_document_is_huge: |s| sparse(&s.inside(".heirloom/context/huge.md"), 9 << 20)
        => "9 MB is too large for a document";
    a_shard_is_huge: |s| sparse(&s.inside(".heirloom/memory/fact/2026-01-aaaaaaaa.jsonl"), 3 << 30)
        => "it is larger than 2048 MB";
}

fn sparse(path: &Path, length: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().set_len(length).unwrap();
}

#[test]
fn endpoints_in_the_settings_are_not_connected_to() {
    for table in ["embedder", "llm"] {
        let scene = Scene::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let kind = if table == "embedder" { "kind = \"endpoint\"\n" } else { "" };
        let settings =
            format!("[{table}]\n{kind}endpoint = \"http://{address}/v1\"\nmodel = \"m\"\n");
        scene.workspace.write(".heirloom/config.toml", settings);
        let turn = r#"{"role":"user","content":"We decided to use a queue"}"#;
        scene.workspace.write("session.jsonl", format!("{turn}\n"));
        let printed = scene.run(&["compact", "session.jsonl"]) + &scene.withstand();
        let variable = format!("HEIRLOOM_{}_ENDPOINT=", table.to_uppercase());
        assert!(printed.contains(&variable), "{printed}");
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "[{table}] was connected to");
    }
}

/// Returns whether a text contains control characters that a terminal would interpret.
fn has_control_characters(printed: &str) -> bool {
    let is_harmful = |c: char| {
        (c.is_control() && !['\n', '\t'].contains(&c))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    printed.contains(is_harmful)
}

#[test]
fn control_characters_are_not_printed() {
    const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}lave\u{2066}";
    let scene = Scene::new();
    let workspace = &scene.workspace;
    for path in [
        format!("plans/0044-{EVIL}/plan.md"),
        format!("plans/0042-graph/agents/002-{EVIL}.md"),
        format!(".heirloom/context/{EVIL}.md"),
        format!(".heirloom/adrs/ADR-0009-{EVIL}.md"),
        format!(".heirloom/memory/fact/{EVIL}.jsonl"),
        format!(".heirloom/projects/{EVIL}/project.md"),
    ] {
        let yaml = EVIL.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
        let yaml = yaml.replace('\u{9b}', "\\u009b");
        let text = format!(
            "---\ntitle: \"{yaml}\"\nstatus: \"{yaml}\"\nk: \"{yaml}\"\n---\n\n# {EVIL}\n\n{EVIL}\n"
        );
        workspace.write(&path, text);
    }
    workspace.write(
        "plans/0043-auth/plan.memory.md",
        format!("---\nname: m\n---\n\n## Shared Discoveries\n\n- {EVIL}\n"),
    );
    workspace.run(&["fact", "add", "--section", "Decisions", &format!("Say {EVIL}")]);
    let printed = scene.withstand();
    assert!(!has_control_characters(&printed), "{}", printed.escape_debug());
    for arguments in [
        &["recall", "owned"][..],
        &["recall", EVIL],
        &["context", "resolve", EVIL],
        &["fact", "show", EVIL],
        &["graph", "show", EVIL],
        &["context", "resolve", "0043", "--json"],
        &["no-such-command", EVIL],
    ] {
        let printed = scene.run(arguments);
        assert!(!has_control_characters(&printed), "{arguments:?}: {}", printed.escape_debug());
    }
    assert!(scene.run(&["recall", "owned"]).contains("\\u001b"));
}

#[test]
fn control_characters_are_not_sent_to_agents() {
    let scene = Scene::new();
    let hidden = "\u{202e}\u{1b}[31m";
    scene.workspace.write(".heirloom/context/a.md", format!("# A\n\nSome {hidden}text.\n"));
    let mut wire =
        heirloom_testkit::McpClient::open(scene.workspace.command().args(["mcp", "--structured"]));
    for (tool, arguments) in [
        ("context_resolve", serde_json::json!({})),
        ("memory_recall", serde_json::json!({"query": "text"})),
        ("context_resolve", serde_json::json!({"plan": hidden})),
    ] {
        let call = serde_json::json!({"name": tool, "arguments": arguments});
        let answer = wire.ask("tools/call", &call);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(!has_control_characters(text), "{tool}: {}", text.escape_debug());
    }
}

#[test]
fn a_file_of_decisions_that_leads_out_is_neither_read_nor_written() {
    for (path, target) in [
        ("user/memory/workspaces/w/decisions.md", "secret.md"),
        ("user/memory/workspaces/w/decisions.md", "new.md"),
        ("user/memory/workspaces/w", ""),
        ("user", ""),
    ] {
        let scene = Scene::new();
        scene.workspace.write(".heirloom/config.toml", "hierarchy = \"domains\"\n");
        scene.workspace.write("resources/workspaces/w/OVERVIEW.md", "# W\n");
        scene.link(path, target);
        let before = scene.outside_files();
        let entry = ["learn", "decision", "A text.", "--title", "T"];
        let mut printed = String::new();
        for arguments in [
            [&entry[..], &["--scope", "w"]].concat(),
            [&entry[..], &["--scope", "w/../../..", "--new-scope"]].concat(),
            [&entry[..], &["--scope", "../../../..", "--new-scope"]].concat(),
            vec!["learn", "archive", "--older-than", "1d", "--unused"],
            vec!["recall", "xyzzy"],
            vec!["context", "health"],
            vec!["context", "load", "--select", "workspace=w", "--budget", "1000"],
        ] {
            let output = scene.run(&arguments);
            assert!(!output.contains(SECRET), "heir {arguments:?} read a file outside: {output}");
            assert_eq!(scene.outside_files(), before, "heir {arguments:?} wrote outside: {output}");
            printed.push_str(&output);
        }
        assert!(printed.contains(LEADS_OUT), "{path}: {printed}");
    }
}
