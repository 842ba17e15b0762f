//! The index follows the files, even if it is damaged or replaced.

use std::fs;
use std::thread;
use std::time::Duration;

use heirloom_testkit::{McpClient, Workspace};
use serde_json::{Value, json};

use super::long_log::team_with_a_long_log;
use super::{ask, first, team, texts};

/// Starts a server, which keeps the index open.
fn serve(team: &Workspace) -> McpClient {
    McpClient::open(team.command().args(["mcp", "--structured"]))
}

/// Returns the text of the first hit.
fn best(server: &mut McpClient, query: &str) -> String {
    first(&server.call("memory_recall", &json!({"query": query}))).to_owned()
}

#[test]
fn a_new_fact_is_found_at_once_and_not_after_it_is_archived() {
    let team = team();
    assert!(texts(&ask(&team, "webhooks retry")).is_empty());
    let stored: Value = serde_json::from_str(
        &team
            .run(&["fact", "add", "--section", "Specs", "Webhooks retry five times", "--json"])
            .ok(),
    )
    .unwrap();
    assert_eq!(first(&ask(&team, "webhooks retry")), "Webhooks retry five times");
    team.run(&["memory", "archive", stored["id"].as_str().unwrap()]).ok();
    assert!(texts(&ask(&team, "webhooks retry")).is_empty());
    let filtered = ask(&team, "webhooks retry");
    assert_eq!(filtered["near_misses"][0]["standing"], "archived", "{filtered:#}");
    let archived = team.json("memory search-archive webhooks");
    assert_eq!(archived["hits"][0]["text"], "Webhooks retry five times");
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let team = team();
    let good = ask(&team, "sqlite");
    let folder = team.path().join(".heirloom/cache/index");
    for damage in ["remove", "truncate", "scribble", "other"] {
        let entries = fs::read_dir(&folder).unwrap().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| !path.ends_with("lock")) {
            match damage {
                "remove" => fs::remove_file(&path).unwrap(),
                "truncate" => {
                    let size = fs::metadata(&path).unwrap().len();
                    fs::File::options().write(true).open(&path).unwrap().set_len(size / 2).unwrap();
                }
                "scribble" => fs::write(&path, "not an index").unwrap(),
                _ if path.extension().is_some_and(|ending| ending == "seg") => {
                    fs::remove_file(&path).unwrap();
                }
                _ => {}
            }
        }
        assert_eq!(ask(&team, "sqlite"), good, "{damage}");
    }
    let status = team.json("index status");
    assert_eq!(status["state"], "up to date");
    assert_eq!(status["active"], 3, "three facts; the documents are untouched templates");
    assert_eq!(team.json("index rebuild")["state"], "rebuilt");
    assert_eq!(ask(&team, "sqlite"), good);
}

#[test]
fn an_index_with_a_damaged_page_or_segment_is_rebuilt() {
    let team = team();
    let right = ask(&team, "refunds after payment");
    let tables = || {
        let files = team.files(".heirloom/cache/index");
        team.path().join(files.iter().find(|file| file.ends_with(".db")).unwrap())
    };
    let pages = fs::read(tables()).unwrap().len() / 4096;
    for page in 1..pages {
        for lost in [0x00, 0xa5] {
            let mut bytes = fs::read(tables()).unwrap();
            bytes[page * 4096..][..4096].fill(lost);
            fs::write(tables(), bytes).unwrap();
            assert_eq!(ask(&team, "refunds after payment"), right, "page {page}, {lost}");
            team.run(&["index", "rebuild"]).ok();
        }
    }
    let segment = || {
        let files = team.files(".heirloom/cache/index");
        team.path().join(files.iter().find(|file| file.ends_with(".seg")).unwrap())
    };
    let length = fs::read(segment()).unwrap().len();
    for at in (0..length).step_by(length / 30) {
        let mut bytes = fs::read(segment()).unwrap();
        bytes[at] ^= 0x55;
        fs::write(segment(), bytes).unwrap();
        let texts_of = |answer: &Value| texts(answer).join("\n");
        assert_eq!(texts_of(&ask(&team, "refunds after payment")), texts_of(&right), "byte {at}");
        team.run(&["index", "rebuild"]).ok();
    }
}

#[test]
fn recall_is_lexical_only_if_the_embedder_does_not_answer() {
    let team = team();
    assert!(first(&ask(&team, "refunds after payment")).starts_with("Refunds"));
    let index = team.read(".heirloom/cache/index/current");
    // This endpoint accepts connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/v1", silent.local_addr().unwrap());
    let settings = team.read(".heirloom/config.toml");
    for (endpoint, why) in [
        ("http://127.0.0.1:9/v1", "failed"),
        (silent.as_str(), "failed"),
        ("not a url", "is not an http or https address"),
    ] {
        let other =
            format!("[embedder]\nkind = \"endpoint\"\nendpoint = \"{endpoint}\"\nmodel = \"m\"\n");
        team.write(".heirloom/config.toml", format!("{settings}\n{other}"));
        let mut command = team.command();
        if endpoint.starts_with("http") {
            command.env("HEIRLOOM_EMBEDDER_ENDPOINT", endpoint);
        }
        command.args(["recall", "refunds after payment", "--json"]);
        let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        assert!(first(&answer).starts_with("Refunds"), "{answer:#}");
        let problem = answer["problems"][0]["message"].as_str().unwrap();
        assert!(problem.contains("by words only") && problem.contains(why), "{answer:#}");
    }
    let status = team.json("index status");
    assert_eq!(
        (&status["folder"], &status["active"]),
        (&json!(".heirloom/cache/words"), &json!(3))
    );
    assert!(status["problems"][0]["message"].as_str().unwrap().contains("by words only"));
    assert_eq!(
        team.read(".heirloom/cache/index/current"),
        index,
        "the index with vectors must be kept"
    );
    // An evaluation without the embedder must not pass.
    team.write("expected.yaml", "- query: refunds after payment\n  must: thirty days\n");
    assert_eq!(team.run(&["eval", "expected.yaml"]).code, 4);
}

#[test]
fn entries_with_the_same_id_are_found() {
    let team = team();
    team.run(&["plan", "new", "Refund flow"]).ok();
    let path = "plans/0001-refund-flow/plan.memory.md";
    let entry = "- Walruses sleep on the ice <!-- id:0123456789ab -->\n";
    let other = "- Walruses swim <!-- id:0123456789ab -->\n";
    team.write(
        path,
        format!("---\nname: m\n---\n\n## Shared Discoveries\n\n{entry}{other}{entry}"),
    );
    assert!(first(&ask(&team, "walruses on the ice")).starts_with("Walruses sleep"));
}

#[test]
fn a_document_without_a_date_has_the_date_of_its_last_commit() {
    let team = team();
    team.git(&["init", "-q"]);
    let path = ".heirloom/context/herds.md";
    team.write(path, "# Herds\n\nThe wildebeest migrates.\n");
    let dated = |server: &mut McpClient| {
        let request = json!({"query": "wildebeest", "k": 1});
        let of_server = server.call("memory_recall", &request)["hits"][0]["at"].take();
        let of_process = ask(&team, "wildebeest")["hits"][0]["at"].take();
        assert_eq!(of_server, of_process);
        fs::remove_dir_all(team.path().join(".heirloom/cache")).unwrap();
        let rebuilt = ask(&team, "wildebeest")["hits"][0]["at"].take();
        assert_eq!(rebuilt, of_process);
        rebuilt.as_str().unwrap_or_default().to_owned()
    };
    let mut server = serve(&team);
    // Before the first commit, the document has the date of its file.
    assert_ne!(dated(&mut server), "");
    for day in ["2025-05-05", "2025-06-06"] {
        team.commit_all(&format!("{day}T10:00:00Z"));
        assert_eq!(dated(&mut server), day);
        team.write(path, format!("# Herds\n\nThe wildebeest migrates since {day}.\n"));
        assert_eq!(dated(&mut server), day);
    }
    let answer = ask(&team, "what was written in June 2025");
    assert_eq!(first(&answer), "Herds: The wildebeest migrates since 2025-06-06.", "{answer:#}");
    let stated = "---\nupdated: 2025-01-01\n---\n\n# Herds\n\nThe wildebeest migrates.\n";
    team.write(path, stated);
    assert_eq!(dated(&mut server), "2025-01-01");
}

#[test]
fn ignored_documents_are_not_found_and_archived_ones_only_in_the_archive() {
    let team = team();
    team.run(&["plan", "new", "Wombat rollout", "--description", "Wombats reach every shop"]).ok();
    let plan = team.files("plans").into_iter().find(|path| path.ends_with("plan.md")).unwrap();
    let found = |query: &str| {
        let paths = ask(&team, query)["hits"].as_array().unwrap().clone();
        paths.iter().any(|hit| hit["_meta"]["path"] == plan.as_str())
    };
    assert!(found("wombats"));
    let ignored = team.read(".gitignore");
    team.write(".gitignore", format!("{ignored}plans/\n"));
    assert!(!found("wombats"));
    team.write(".gitignore", format!("{ignored}.heirloom/\n"));
    assert!(found("wombats"));
    // Ignoring the whole folder `.heirloom` hides nothing; ignoring a document by its path hides it.
    let notes = ".heirloom/context/vision.md";
    team.write(notes, "---\nname: vision\n---\n\n# Vision\n\nEvery emu shall have a fence.\n");
    assert!(first(&ask(&team, "emu")).contains("fence"));
    team.write(".gitignore", format!("{ignored}{notes}\n"));
    assert_eq!(texts(&ask(&team, "emu")), Vec::<&str>::new());
    team.write(".gitignore", ignored);
    assert!(found("wombats"));
    team.run(&["context", "archive", &plan]).ok();
    assert!(!found("wombats"));
    let archived = team.json("memory search-archive wombats");
    assert!(first(&archived).ends_with("Wombats reach every shop"), "{archived:#}");
}

/// The file of the replaced record does not change.
#[test]
fn a_decision_record_that_another_one_supersedes_is_not_recalled() {
    let team = team();
    let record = |status: &str, said: &str| format!("---\nstatus: {status}\n---\n# {said}\n");
    let (old, new) = (".heirloom/adrs/ADR-0091-old.md", ".heirloom/adrs/ADR-0092-new.md");
    team.write(old, record("accepted", "Numbats sort the mail"));
    let standing = |answer: &Value, list: &str| answer[list][0]["standing"].clone();
    assert_eq!(standing(&ask(&team, "numbats"), "hits"), "active");
    team.write(new, record("accepted\nsupersedes: [ADR-0091]", "Quolls sort the mail"));
    assert_eq!(texts(&ask(&team, "numbats")), Vec::<&str>::new());
    assert_eq!(standing(&ask(&team, "numbats"), "near_misses"), "superseded");
    team.write(new, record("proposed\nsupersedes: [ADR-0091]", "Quolls sort the mail"));
    assert_eq!(standing(&ask(&team, "numbats"), "hits"), "active");
}

#[test]
fn an_ignored_decision_record_supersedes_no_other() {
    let team = team();
    let ignored = team.read(".gitignore");
    team.write(".gitignore", format!("{ignored}*-draft.md\n"));
    let record = |status: &str, said: &str| format!("---\nstatus: {status}\n---\n# {said}\n");
    team.write(".heirloom/adrs/ADR-0091-old.md", record("accepted", "Numbats sort the mail"));
    let draft = record("accepted\nsupersedes: [ADR-0091]", "Quolls sort the mail");
    team.write(".heirloom/adrs/ADR-0092-draft.md", draft);
    for text in ["one", "two"] {
        team.write(".heirloom/context/other.md", format!("# Other\n\n{text}\n"));
        assert_eq!(ask(&team, "numbats")["hits"][0]["standing"], "active");
    }
}

/// Some file systems store modification times in whole seconds.
#[test]
fn a_file_that_was_rewritten_within_the_same_second_is_read_again() {
    let team = team();
    let path = ".heirloom/context/herds.md";
    let write = |animal: &str| {
        team.write(path, format!("# Herds\n\nThe {animal} migrates.\n"));
        let file = fs::File::options().write(true).open(team.path().join(path)).unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let second = std::time::UNIX_EPOCH + Duration::from_secs(now.as_secs());
        file.set_modified(second).unwrap();
    };
    write("gnu");
    assert!(first(&ask(&team, "migrates")).contains("gnu"));
    write("elk");
    assert!(first(&ask(&team, "migrates")).contains("elk"));
}

#[test]
fn a_server_uses_the_index_that_another_process_rebuilt() {
    let team = team();
    let mut server = serve(&team);
    assert_eq!(
        best(&mut server, "refunds"),
        "Refunds are possible for thirty days after the payment"
    );
    for text in ["Xylophones are loud", "Yachts are slow"] {
        team.run(&["fact", "add", "--section", "specs", text]).ok();
    }
    team.run(&["index", "rebuild"]).ok();
    team.run(&["fact", "add", "--section", "specs", "Aardvarks dig tunnels"]).ok();
    assert_eq!(first(&ask(&team, "aardvarks")), "Aardvarks dig tunnels");
    assert_eq!(best(&mut server, "aardvarks"), "Aardvarks dig tunnels");
    for (query, text) in [("aardvarks", "Aardvarks dig tunnels"), ("yachts", "Yachts are slow")] {
        assert_eq!(first(&ask(&team, query)), text);
        assert_eq!(best(&mut server, query), text);
    }
    fs::remove_dir_all(team.path().join(".heirloom/cache")).unwrap();
    assert_eq!(best(&mut server, "yachts"), "Yachts are slow");
    assert_eq!(first(&ask(&team, "yachts")), "Yachts are slow");
}

/// After a change of the log alone, a server reads only what is new; other changes must not escape it then.
#[test]
fn a_server_notices_every_change_after_facts_of_another_process() {
    let team = team();
    let mut server = serve(&team);
    best(&mut server, "refunds");
    for (number, animal) in ["a heron", "an otter", "a badger"].iter().enumerate() {
        team.run(&["fact", "add", "--section", "Specs", &format!("The mascot is {animal}")]).ok();
        assert!(best(&mut server, animal).contains(animal), "{animal}");
        let document = format!(".heirloom/context/animal-{number}.md");
        team.write(
            &document,
            format!("# Animals\n\nThe zoo keeps {animal} and a walrus-{number}.\n"),
        );
        assert!(best(&mut server, &format!("walrus-{number}")).contains("zoo"), "{document}");
    }
    // A line that a person deletes is forgotten.
    let shards = fs::read_dir(team.path().join(".heirloom/memory/fact")).unwrap();
    for shard in shards.map(|shard| shard.unwrap().path()) {
        let text = fs::read_to_string(&shard).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.contains("badger")).collect();
        fs::write(&shard, kept.join("\n") + "\n").unwrap();
    }
    assert!(!best(&mut server, "mascot badger").contains("mascot is a badger"));
}

#[test]
fn a_server_finds_new_facts_while_another_process_writes_the_index() {
    let team = team();
    let mut server = serve(&team);
    let mut add_and_find = |animal: &str| {
        team.run(&["fact", "add", "--section", "Specs", &format!("The mascot is {animal}")]).ok();
        assert_eq!(best(&mut server, animal), format!("The mascot is {animal}"));
    };
    add_and_find("a heron");
    let lock = team.path().join(".heirloom/cache/index/lock");
    let lock = fs::File::options().write(true).open(lock).unwrap();
    lock.lock().unwrap();
    add_and_find("an otter");
    add_and_find("a badger");
    lock.unlock().unwrap();
    add_and_find("a weasel");
    assert_eq!(first(&ask(&team, "otter")), "The mascot is an otter");
}

#[cfg(unix)]
#[test]
fn a_server_survives_truncation_of_its_index_files() {
    let team = team();
    let mut server = serve(&team);
    let index = team.path().join(".heirloom/cache/index");
    // Truncates one file in each round, and all of them in the last.
    for round in 0..8 {
        assert!(best(&mut server, "refunds").starts_with("Refunds"), "{round}");
        // Files that were opened just after a change are checked again, so wait and ask again.
        thread::sleep(Duration::from_millis(60));
        assert!(best(&mut server, "refunds").starts_with("Refunds"), "{round}");
        let mut files: Vec<_> =
            fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let one = files.get(round).cloned().into_iter().collect();
        for path in if round == 7 { files } else { one } {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_len(if round % 2 == 0 { 0 } else { 4097 }).unwrap();
        }
    }
    assert!(best(&mut server, "refunds").starts_with("Refunds"));
}

#[test]
fn a_server_reads_changed_settings() {
    let team = team_with_a_long_log();
    let mut server = serve(&team);
    let request = json!({"query": "service 77"});
    let mut freshness = || server.call("memory_recall", &request)["hits"][0]["freshness"].take();
    assert_eq!(freshness(), "critical");
    assert_eq!(freshness(), "critical");
    let settings = "[staleness]\nwarning = 100\ncritical = 200\narchive = 300\n";
    team.write(".heirloom/config.toml", settings);
    assert_eq!(freshness(), "fresh");
}
