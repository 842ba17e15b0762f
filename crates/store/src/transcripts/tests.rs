use std::fs;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;

use super::*;
use crate::sha256;

struct Home {
    folder: tempfile::TempDir,
    root: Root,
    folders: ClientFolders,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(path.join("shop/.heirloom")).unwrap();
        fs::write(path.join("shop/.heirloom/workspace.md"), "# Shop\n").unwrap();
        let root = Root::open(&path.join("shop")).unwrap();
        let folders = ClientFolders {
            claude_code: Some(path.join("claude")),
            codex: Some(path.join("codex")),
            gemini: Some(path.join("gemini")),
            copilot_cli: Some(path.join("copilot")),
            opencode: Some(path.join("opencode")),
            home: Some(path),
        };
        Home { folder, root, folders }
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(path)
    }

    fn list(&self) -> Transcripts {
        Transcripts::list(&self.root, &self.folders, &mut KnownFiles::default())
    }

    /// Returns the names of the transcripts, from the home folder.
    fn names(&self) -> Vec<String> {
        let home = format!("{}/", self.path("").display().to_string().trim_end_matches('/'));
        self.list().found.into_iter().map(|found| found.name.replace(&home, "")).collect()
    }

    fn shop(&self) -> String {
        self.path("shop").display().to_string()
    }

    /// Returns the texts of all transcripts with their lines.
    fn texts(&self) -> Vec<(usize, String)> {
        let mut texts = vec![];
        for transcript in self.list().found {
            let (found, problems, _) = read(&self.root, &transcript, None);
            assert_eq!(problems, Vec::<String>::new());
            texts.extend(found);
        }
        texts
    }
}

fn read(
    root: &Root,
    transcript: &Transcript,
    from: Option<&Position>,
) -> (Vec<(usize, String)>, Vec<String>, Position) {
    let mut reader = transcript.open(root, from).unwrap();
    let (mut texts, mut problems) = (vec![], vec![]);
    while let Some(line) = reader.next_line().unwrap() {
        for message in &line.messages {
            let again = transcript.read_lines(root, reader.stream(), &[(line.offset, line.line)]);
            assert!(again.unwrap()[0].contains(message), "{message:?}");
        }
        texts.extend(line.messages.into_iter().map(|message| (message.line, message.text)));
        problems.extend(line.problem.map(|problem| problem.to_string()));
    }
    (texts, problems, reader.position().unwrap())
}

/// Returns the name that Claude Code gives the folder of sessions that ran in a folder.
fn slug(folder: &str) -> String {
    folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn codex(cwd: &str) -> String {
    let meta = json!({"type": "session_meta", "payload": {"id": "s", "cwd": cwd}});
    let said =
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": "By Codex."}});
    format!("{meta}\n{said}\n")
}

#[test]
fn only_sessions_of_the_workspace_are_listed() {
    let home = Home::new();
    let shop = home.shop();
    let other = home.path("other").display().to_string();
    home.write("shop/agent-transcripts/a.jsonl", "{\"role\":\"user\",\"content\":\"Inside.\"}\n");
    home.write("shop/agent-transcripts/notes.txt", "no transcript");
    for (name, cwd) in [("own", &shop), ("other", &other)] {
        let file = format!("codex/sessions/2026/02/21/rollout-{name}.jsonl");
        home.write(&file, codex(cwd));
        let events = [
            json!({"type": "session.start", "data": {"sessionId": name, "context": {"cwd": cwd}}}),
            json!({"type": "user.message", "data": {"content": "By Copilot."}}),
        ];
        let events: String = events.iter().map(|event| format!("{event}\n")).collect();
        home.write(&format!("copilot/session-state/{name}/events.jsonl"), events);
        let messages = [
            json!({"sessionId": name, "projectHash": "h", "startTime": "2026-02-21T09:00:00Z"}),
            json!({"id": "1", "timestamp": "2026-02-21T09:00:00Z", "type": "user", "content": "By Gemini."}),
        ];
        let messages: String = messages.iter().map(|line| format!("{line}\n")).collect();
        home.write(&format!("gemini/tmp/{name}/.project_root"), cwd.as_bytes());
        home.write(&format!("gemini/tmp/{name}/chats/session-1.jsonl"), messages);
        let slug = slug(cwd);
        let line = json!({"type": "user", "uuid": "u", "sessionId": "s", "cwd": cwd,
            "message": {"role": "user", "content": "By Claude."}});
        home.write(&format!("claude/projects/{slug}/1.jsonl"), format!("{line}\n"));
    }
    let compressed = compress_to_vec(codex(&shop).as_bytes(), CompressionLevel::Fastest);
    home.write("codex/archived_sessions/rollout-old.jsonl.zst", compressed);
    let slug = slug(&shop);
    let expected = [
        "agent-transcripts/a.jsonl".to_owned(),
        format!("claude/projects/{slug}/1.jsonl"),
        "codex/archived_sessions/rollout-old.jsonl.zst".to_owned(),
        "codex/sessions/2026/02/21/rollout-own.jsonl".to_owned(),
        "copilot/session-state/own/events.jsonl".to_owned(),
        "gemini/tmp/own/chats/session-1.jsonl".to_owned(),
    ];
    let mut names = home.names();
    names.sort();
    assert_eq!(names, expected);
    let mut texts: Vec<String> = home.texts().into_iter().map(|(_, text)| text).collect();
    texts.sort();
    let by = ["By Claude.", "By Codex.", "By Codex.", "By Copilot.", "By Gemini.", "Inside."];
    assert_eq!(texts, by);
}

#[test]
fn old_folders_of_gemini_are_found_by_the_hash_of_the_root() {
    let home = Home::new();
    let document = |text: &str| {
        let at = "2026-02-21T09:00:00Z";
        let message = json!({"id": "1", "timestamp": at, "type": "user", "content": text});
        json!({"sessionId": "s", "projectHash": "h", "startTime": at, "messages": [message]})
    };
    let own = sha256::hex_digest(home.shop().as_bytes());
    let other = sha256::hex_digest(home.path("other").display().to_string().as_bytes());
    let write = |folder: &str, file: &str, text: &str| {
        home.write(&format!("gemini/tmp/{folder}/chats/{file}"), document(text).to_string());
    };
    write(&own, "session-1.json", "Old.");
    write(&own, "session-2.json", "Copied.");
    write(&other, "session-3.json", "Other.");
    home.write("gemini/tmp/shop/.project_root", home.shop());
    write("shop", "session-2.jsonl", "Copied.");
    let expected = [
        format!("gemini/tmp/{own}/chats/session-1.json"),
        "gemini/tmp/shop/chats/session-2.jsonl".to_owned(),
    ];
    assert_eq!(home.names(), expected);
    assert_eq!(home.texts(), [(1, "Old.".to_owned()), (1, "Copied.".to_owned())]);
}

#[test]
fn sessions_of_opencode_are_read_and_the_folder_stays_as_it_is() {
    let home = Home::new();
    let folder = home.path("opencode");
    fs::create_dir_all(&folder).unwrap();
    let db = rusqlite::Connection::open(folder.join("opencode.db")).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, title TEXT, time_updated INTEGER);
         CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
         CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                            time_updated INTEGER, data TEXT);
         CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER,
                                       time_created INTEGER, data TEXT);",
    )
    .unwrap();
    let other = home.path("other").display().to_string();
    for (session, directory) in [("s1", &home.shop()), ("s2", &home.shop()), ("s3", &other)] {
        let row = "INSERT INTO session VALUES (?1, ?2, 'Title', 1)";
        db.execute(row, (session, directory)).unwrap();
    }
    db.execute_batch(
        r#"INSERT INTO message VALUES ('m1', 's1', 1, 1, '{"role":"user"}'), ('m2', 's1', 2, 2, '{"role":"assistant"}');
           INSERT INTO part VALUES ('p2', 'm2', 's1', 2, 2, '{"type":"text","text":"Done."}'),
                                   ('p1', 'm1', 's1', 1, 1, '{"type":"text","text":"Go."}');
           INSERT INTO session_message VALUES ('x', 's2', 'user', 1, 5, '{"text":"Newer."}');"#,
    )
    .unwrap();
    let texts = [(2, "Go.".to_owned()), (1, "Done.".to_owned()), (1, "Newer.".to_owned())];
    // The rows are still in the write-ahead log.
    assert_eq!(home.texts(), texts);
    drop(db);
    let files = || fs::read_dir(&folder).unwrap().count();
    assert_eq!(files(), 1);
    assert_eq!(home.texts(), texts);
    assert_eq!(files(), 1, "reading makes no file");
    fs::write(folder.join("opencode.db"), "no database").unwrap();
    assert_eq!(home.list().problems.len(), 1);
}

#[test]
fn a_grown_file_is_read_from_where_it_ended() {
    let home = Home::new();
    let line = |text: &str| format!("{{\"role\":\"user\",\"content\":\"{text}\"}}");
    let path = "shop/agent-transcripts/a.jsonl";
    let read_from = |from: Option<&Position>| read(&home.root, &home.list().found[0], from);
    home.write(path, format!("{}\n{}", line("one"), line("two")));
    let (texts, problems, position) = read_from(None);
    assert_eq!(texts, [(1, "one".to_owned()), (2, "two".to_owned())]);
    assert_eq!(problems.len(), 0);
    home.write(path, format!("{}\n{}\n{}\n{{\"role\":", line("one"), line("two"), line("three")));
    let (texts, problems, position) = read_from(Some(&position));
    assert_eq!(texts, [(3, "three".to_owned())]);
    assert!(
        problems[0].starts_with("agent-transcripts/a.jsonl:4: this is not JSON"),
        "{problems:?}"
    );
    home.write(
        path,
        format!("{}\n{}\n{}\n{}\n", line("one"), line("two"), line("three"), line("four")),
    );
    let (texts, problems, _) = read_from(Some(&position));
    assert_eq!((texts, problems.len()), (vec![(4, "four".to_owned())], 0));
    // A file that was replaced is read from its beginning.
    home.write(
        path,
        format!(
            "{}\n{}\n",
            line("other and longer than before, so that it grew"),
            line("x").repeat(20)
        ),
    );
    let (texts, ..) = read_from(Some(&position));
    assert_eq!(texts[0].0, 1);
}

#[test]
fn hostile_files_are_reported_and_do_not_stop_the_others() {
    let home = Home::new();
    let good = "{\"role\":\"user\",\"content\":\"fine\"}\n";
    let long = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(9 << 20));
    let mut bytes = format!("{good}{}\n{long}", "[".repeat(50_000)).into_bytes();
    bytes.extend(b"{\"role\":\"user\",\"content\":\"bad \xff byte\"}\n");
    bytes.extend(good.as_bytes());
    home.write("shop/agent-transcripts/a.jsonl", bytes);
    home.write("secret.jsonl", good);
    #[cfg(unix)]
    {
        let folder = home.path("shop/agent-transcripts");
        std::os::unix::fs::symlink(home.path("secret.jsonl"), folder.join("b.jsonl")).unwrap();
        std::os::unix::fs::symlink(home.path(""), folder.join("c")).unwrap();
        std::os::unix::fs::symlink("a.jsonl", folder.join("d.jsonl")).unwrap();
    }
    let list = home.list();
    let (texts, problems, _) = read(&home.root, &list.found[0], None);
    let texts: Vec<_> = texts.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(texts, [(1, "fine"), (4, "bad \u{fffd} byte"), (5, "fine")]);
    let lines: Vec<String> =
        problems.iter().map(|it| it.split(' ').next().unwrap().to_owned()).collect();
    let expected = [2, 3, 4].map(|line| format!("agent-transcripts/a.jsonl:{line}:"));
    assert_eq!(lines, expected);
    if cfg!(unix) {
        let names: Vec<&str> = list.found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["agent-transcripts/a.jsonl", "agent-transcripts/d.jsonl"]);
        let problems: Vec<String> = list.problems.iter().map(ToString::to_string).collect();
        let expected = ["b.jsonl", "c"].map(|link| {
            format!("agent-transcripts/{link}:1: this symbolic link leads out of the workspace")
        });
        assert_eq!(problems, expected);
    }
}

#[test]
fn a_bomb_of_zstd_ends() {
    let home = Home::new();
    let mut text = codex(&home.shop()).into_bytes();
    text.extend(vec![b'x'; 64 << 20]);
    let path = "codex/sessions/2026/02/21/rollout-b.jsonl.zst";
    home.write(path, compress_to_vec(text.as_slice(), CompressionLevel::Fastest));
    assert!(fs::metadata(home.path(path)).unwrap().len() < 1 << 20);
    let (texts, problems, _) = read(&home.root, &home.list().found[0], None);
    assert_eq!((texts.len(), problems.len()), (1, 1));
    assert!(problems[0].contains("at most 8 MiB are read"), "{problems:?}");
    home.write(path, "no zstd");
    assert_eq!(home.list().found.len(), 0, "a damaged file states no folder");
    assert!(Path::new(&home.path(path)).exists());
}
