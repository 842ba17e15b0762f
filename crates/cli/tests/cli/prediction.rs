//! `predict`: commits and memories that work on a file will need.

use std::fs;

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

use crate::HEIR;

/// Writes files and commits them with a message, on a day of January 2026.
fn commit(workspace: &Workspace, day: u32, message: &str, files: &[&str]) -> String {
    for file in files {
        let text = if workspace.has(file) { workspace.read(file) } else { String::new() };
        workspace.write(file, format!("{text}// {message}\n"));
    }
    workspace.git(&["add", "--all"]);
    let date = format!("2026-01-{day:02}T10:00:00Z");
    workspace.git_at(&["commit", "--quiet", "--message", message], &date);
    workspace.git(&["rev-parse", "HEAD"]).trim().to_owned()
}

/// Makes a repository in which the parser and the lexer change together.
fn repository() -> Workspace {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    commit(&workspace, 1, "Start", &["README.md"]);
    commit(&workspace, 2, "Add a parser", &["src/parser.rs", "src/lexer.rs"]);
    commit(&workspace, 3, "Add a printer", &["src/printer.rs"]);
    commit(&workspace, 4, "Parse numbers", &["src/parser.rs", "src/lexer.rs"]);
    commit(&workspace, 5, "Print numbers", &["src/printer.rs"]);
    workspace
}

fn predict(workspace: &Workspace, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["predict", "--json"].iter().chain(arguments).copied().collect();
    serde_json::from_str(&workspace.run(&all).ok()).unwrap()
}

fn titles(answer: &Value) -> Vec<&str> {
    let memories = answer["predicted_memories"].as_array().unwrap().iter();
    memories.map(|memory| memory["title"].as_str().unwrap()).collect()
}

#[test]
fn commits_of_files_that_change_together_are_predicted() {
    let workspace = repository();
    let answer = predict(&workspace, &["--file", "src/parser.rs"]);
    let first = &answer["predicted_memories"][0];
    assert_eq!(first["title"], "Parse numbers");
    assert_eq!(
        (first["kind"].as_str(), first["date"].as_str()),
        (Some("commit"), Some("2026-01-04"))
    );
    assert_eq!(first["files"], json!(["src/lexer.rs", "src/parser.rs"]));
    assert_eq!(
        first["reason"],
        "src/lexer.rs changed together with src/parser.rs in 2 of 2 commits"
    );
    assert_eq!(answer["confidence"], first["confidence"]);
    // A path of this machine names the same file.
    let absolute = workspace.path().canonicalize().unwrap().join("src/parser.rs");
    assert_eq!(predict(&workspace, &["--file", absolute.to_str().unwrap()]), answer);
}

#[test]
fn an_update_by_new_commits_equals_a_new_history() {
    let workspace = repository();
    let state = workspace.path().join(".heirloom/cache/prediction");
    predict(&workspace, &["--file", "src/parser.rs"]);
    assert!(state.is_file());
    commit(&workspace, 6, "Parse strings", &["src/parser.rs", "src/lexer.rs", "src/strings.rs"]);
    workspace.git(&["mv", "src/lexer.rs", "src/tokens.rs"]);
    commit(&workspace, 7, "Rename the lexer", &["src/parser.rs"]);
    let files = ["src/parser.rs", "src/tokens.rs", "src/printer.rs", "src/strings.rs"];
    let predict_all = || files.map(|file| predict(&workspace, &["--file", file, "--explain"]));
    let updated = predict_all();
    let reason = &updated[0]["predicted_memories"][0]["reason"];
    assert_eq!(reason, "src/tokens.rs changed together with src/parser.rs in 4 of 4 commits");
    fs::remove_file(&state).unwrap();
    assert_eq!(predict_all(), updated);
    // Without its cache the history is read again, and so it is if the cache is damaged.
    let mut bytes = fs::read(&state).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&state, &bytes).unwrap();
    assert_eq!(predict_all(), updated);
    fs::write(&state, b"heirloom-prediction-1 3000\n").unwrap();
    assert_eq!(predict_all(), updated);
}

#[test]
fn a_rewritten_history_is_read_again() {
    let workspace = repository();
    predict(&workspace, &["--file", "src/parser.rs"]);
    workspace.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    commit(&workspace, 9, "Parse dates", &["src/parser.rs", "src/lexer.rs"]);
    let answer = predict(&workspace, &["--file", "src/parser.rs"]);
    assert_eq!(titles(&answer)[0], "Parse dates");
    let state = workspace.path().join(".heirloom/cache/prediction");
    fs::remove_file(state).unwrap();
    assert_eq!(predict(&workspace, &["--file", "src/parser.rs"]), answer);
}

#[test]
fn merges_and_bots_are_no_memories() {
    let workspace = repository();
    workspace.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    commit(&workspace, 6, "Lex numbers", &["src/lexer.rs", "src/numbers.rs"]);
    workspace.git(&["checkout", "--quiet", "main"]);
    workspace.git(&["merge", "--quiet", "--no-ff", "--message", "Merge side", "side"]);
    workspace.write("src/lexer.rs", "// by a bot\n");
    workspace.git(&["add", "--all"]);
    workspace.git(&["commit", "--quiet", "--author", "dep[bot] <b@b>", "--message", "Bump"]);
    for file in ["src/lexer.rs", "src/parser.rs", "src/numbers.rs", "src/printer.rs"] {
        let answer = predict(&workspace, &["--file", file]);
        let titles = titles(&answer);
        assert!(!titles.contains(&"Merge side") && !titles.contains(&"Bump"), "{titles:?}");
    }
    let answer = predict(&workspace, &["--file", "src/lexer.rs"]);
    assert!(titles(&answer).contains(&"Lex numbers"), "{answer}");
}

#[test]
fn a_stored_memory_stands_for_the_commit_that_it_belongs_to() {
    let workspace = repository();
    let hash = workspace.git(&["log", "--format=%H", "--grep=Parse numbers"]);
    let hash = hash.trim();
    let fact = ["fact", "add", "--section", "Decisions", "Numbers have no sign", "--source"];
    workspace.run(&[&fact[..], &[&hash[..10]]].concat()).ok();
    let answer = predict(&workspace, &["--file", "src/parser.rs"]);
    let memories = answer["predicted_memories"].as_array().unwrap();
    let memory = memories.iter().find(|memory| memory["kind"] == "fact");
    let memory = memory.unwrap_or_else(|| panic!("{answer:#}"));
    assert_eq!(memory["commit"], hash);
    assert_eq!(memory["title"], "Parse numbers");
    assert!(memories.iter().all(|memory| memory["id"] != hash), "{answer}");
    let shown = workspace.run(&["show", memory["id"].as_str().unwrap()]).ok();
    assert!(shown.contains("Numbers have no sign"), "{shown}");
}

#[test]
fn a_decision_record_stands_for_the_commit_that_changed_it() {
    let workspace = repository();
    let record = ".heirloom/adrs/ADR-0001-tokens.md";
    workspace.write(
        record,
        "---\nstatus: accepted\ndate: 2026-01-06\n---\n\n# ADR-0001: Tokens are values\n",
    );
    commit(&workspace, 6, "Make tokens values", &["src/lexer.rs", "src/parser.rs"]);
    let answer = predict(&workspace, &["--file", "src/parser.rs"]);
    let memories = answer["predicted_memories"].as_array().unwrap();
    let memory = memories.iter().find(|memory| memory["kind"] == "adr").unwrap();
    assert_eq!(
        (memory["id"].as_str(), memory["title"].as_str()),
        (Some("ADR-0001"), Some("Make tokens values"))
    );
}

#[test]
fn memories_that_name_a_file_or_its_identifiers_are_predicted() {
    let workspace = repository();
    workspace.write(
        "src/ledger_book.rs",
        "fn post_entry() { check_balance_sheet(); check_balance_sheet(); }\n",
    );
    for text in [
        "src/ledger_book.rs is generated",
        "Never call check_balance_sheet while the ledger is locked",
        "Invoices are numbered per year",
    ] {
        workspace.run(&["fact", "add", "--section", "Specs", text]).ok();
    }
    let answer = predict(&workspace, &["--file", "src/ledger_book.rs"]);
    let found = titles(&answer);
    assert_eq!(found[0], "src/ledger_book.rs is generated");
    assert!(
        found.contains(&"Never call check_balance_sheet while the ledger is locked"),
        "{found:?}"
    );
    assert!(!found.contains(&"Invoices are numbered per year"), "{found:?}");
}

#[test]
fn branches_and_errors_are_signals() {
    let workspace = repository();
    workspace.run(&["plan", "new", "Refund events"]).ok();
    let plan = workspace.json("plan list")["items"][0]["name"].as_str().unwrap().to_owned();
    let answer = predict(&workspace, &["--branch", "feature/refund-events"]);
    assert_eq!(answer["predicted_memories"][0]["id"], json!(format!("plan/{plan}")));
    let answer = predict(&workspace, &["--error", "cannot parse numbers"]);
    assert_eq!(titles(&answer)[0], "Parse numbers");
}

#[test]
fn what_is_missing_is_said() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    let warnings = |file: &str| predict(&workspace, &["--file", file])["warnings"].to_string();
    assert!(warnings("a.rs").contains("no git repository"), "{}", warnings("a.rs"));
    assert!(warnings("a.rs").contains("there is no file `a.rs`"));
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    assert!(warnings("a.rs").contains("no commit yet"), "{}", warnings("a.rs"));
    assert!(workspace.run(&["predict"]).failed(2).contains("state a file"));
    let repository = repository();
    let answer = predict(&repository, &["--file", "src/missing.rs"]);
    assert!(answer["warnings"][0].as_str().unwrap().contains("there is no file"), "{answer}");
    for outside in ["../other/src/parser.rs", "/etc/passwd"] {
        let answer = predict(&repository, &["--file", outside]);
        assert!(answer["warnings"][0].as_str().unwrap().contains("there is no file"), "{answer}");
        assert_eq!(answer["predicted_memories"], json!([]), "{outside}");
    }
}

#[test]
fn a_workspace_below_the_top_of_its_repository_has_its_own_paths() {
    let workspace = repository();
    workspace.write("shop/.heirloom/workspace.md", "# Shop\n");
    commit(&workspace, 6, "Sell", &["shop/src/cart.rs", "shop/src/order.rs", "src/lexer.rs"]);
    let mut command = workspace.command();
    let output = command
        .current_dir(workspace.path().join("shop"))
        .args(["predict", "--json", "--file", "src/cart.rs"])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = &answer["predicted_memories"][0]["files"];
    assert!(files.as_array().unwrap().contains(&json!("src/order.rs")), "{answer}");
    assert!(files.as_array().unwrap().contains(&json!("../src/lexer.rs")), "{answer}");
}

#[test]
fn assembled_contexts_contain_predicted_commits() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    for day in 1..20 {
        let message = format!("Let the parser read large numbers {day}");
        commit(&workspace, day, &message, &["src/parser.rs", "src/lexer.rs", "src/tokens.rs"]);
    }
    let context = |arguments: &[&str]| {
        let all = [&["assemble", "--json", "--file", "src/parser.rs"], arguments].concat();
        let answer: Value = serde_json::from_str(&workspace.run(&all).ok()).unwrap();
        answer["context"].as_str().unwrap().to_owned()
    };
    let hash = workspace.git(&["log", "-1", "--format=%h", "--abbrev=7"]);
    let line = format!("Let the parser read large numbers 19 ({}, 2026-01-19)", hash.trim());
    for arguments in [&[][..], &["--task", "The parser rejects large numbers"]] {
        assert!(context(arguments).contains(&line), "{}", context(arguments));
    }
    // One word in common is not enough.
    for task in ["Show the price in euros", "Split the parser"] {
        let other = context(&["--task", task]);
        assert!(!other.contains("large numbers"), "{other}");
    }
}

/// Makes a repository in which the shop imports the cart, and both never changed together.
fn importing_repository() -> Workspace {
    let workspace = repository();
    workspace.write("src/lib.rs", "mod shop;\nmod cart;\n");
    commit(&workspace, 6, "Add a crate", &["Cargo.toml", "src/lib.rs"]);
    workspace.write("src/cart.rs", "pub struct Cart;\n");
    commit(&workspace, 7, "Add a cart", &["src/cart.rs"]);
    workspace.write("src/shop.rs", "use crate::cart::Cart;\n");
    commit(&workspace, 8, "Add a shop", &["src/shop.rs"]);
    workspace
}

fn find<'a>(answer: &'a Value, title: &str) -> &'a Value {
    let memories = answer["predicted_memories"].as_array().unwrap();
    let found = memories.iter().find(|memory| memory["title"] == title);
    found.unwrap_or_else(|| panic!("no {title} in {answer:#}"))
}

#[test]
fn memories_about_imported_and_importing_files_are_predicted() {
    let workspace = importing_repository();
    let cart = "src/cart.rs keeps prices without tax";
    let shop = "src/shop.rs is called by two threads";
    for text in [cart, shop, "src/printer.rs needs a printer"] {
        workspace.run(&["fact", "add", "--section", "Specs", text]).ok();
    }
    let answer = predict(&workspace, &["--file", "src/shop.rs"]);
    assert_eq!(find(&answer, cart)["reason"], "names src/cart.rs, imported by src/shop.rs");
    assert!(!titles(&answer).contains(&"src/printer.rs needs a printer"), "{answer}");
    let answer = predict(&workspace, &["--file", "src/cart.rs"]);
    assert_eq!(find(&answer, shop)["reason"], "names src/shop.rs, which imports src/cart.rs");
}

#[test]
fn for_a_new_file_the_commits_of_what_it_imports_are_predicted() {
    let workspace = importing_repository();
    workspace.write("src/order.rs", "use crate::cart::Cart;\nuse std::fmt;\n");
    let answer = predict(&workspace, &["--file", "src/order.rs"]);
    let commit = find(&answer, "Add a cart");
    assert_eq!(commit["reason"], "changed src/cart.rs, which src/order.rs imports");
    // An import that is changed but not committed counts.
    workspace.write("src/order.rs", "use crate::printer::print;\n");
    let answer = predict(&workspace, &["--file", "src/order.rs"]);
    let reason = find(&answer, "Print numbers")["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason, "changed src/printer.rs, which src/order.rs imports");
}

#[test]
fn similar_errors_are_found_with_what_followed() {
    let workspace = repository();
    let title = "Checkout crashed with E4711 in totalPrice";
    let outcome = "rounded after the discount";
    let episode = ["episode", "add", title, "--outcome", outcome, "--file", "src/printer.rs"];
    workspace.run(&episode).ok();
    workspace.run(&["fact", "add", "--section", "Known Issues", "The nightly build failed"]).ok();
    let error = "2026-02-03T10:00:00Z error E4711: failed at /ci/build/src/parser.rs:12:3 (0x7ffe)";
    let answer = predict(&workspace, &["--error", error]);
    let found = find(&answer, title);
    let reason = "names E4711, as the error does; it ended: rounded after the discount";
    assert_eq!(found["reason"], reason);
    // The file of the stack trace is a file of the work.
    assert!(titles(&answer).contains(&"Parse numbers"), "{answer:#}");
    assert!(!titles(&answer).contains(&"The nightly build failed"), "{answer:#}");
    // What differs from run to run does not matter.
    let other = "error E4711: failed at /other/src/parser.rs:99";
    assert_eq!(titles(&predict(&workspace, &["--error", other])), titles(&answer));
    for generic in ["the build failed with an error", "failed to hydrate"] {
        let answer = predict(&workspace, &["--error", generic]);
        assert_eq!(answer["predicted_memories"], json!([]), "{generic}");
    }
}

#[test]
fn a_commit_is_shown_by_the_beginning_of_its_hash() {
    let workspace = repository();
    let hash = workspace.git(&["log", "--format=%H", "--grep=Parse numbers"]);
    let hash = hash.trim();
    let fact = ["fact", "add", "--section", "Decisions", "Numbers have no sign", "--source"];
    workspace.run(&[&fact[..], &[hash]].concat()).ok();
    let shown = workspace.run(&["show", &hash[..7]]).ok();
    for part in [hash, "Parse numbers", "2026-01-04", "src/lexer.rs", "Numbers have no sign"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let answer: Value =
        serde_json::from_str(&workspace.run(&["show", "--json", hash]).ok()).unwrap();
    assert_eq!(answer["commits"][0]["files"], json!(["src/lexer.rs", "src/parser.rs"]));
    assert!(workspace.run(&["show", "0123456789"]).failed(2).contains("nothing has the id"));
}

#[test]
fn work_that_recurs_on_a_weekday_is_predicted_near_it() {
    let workspace = repository();
    let run_at = |now: &str, arguments: &[&str]| workspace.run_at(now, arguments);
    for (day, version) in [(1, 2), (8, 3), (15, 4), (22, 5)] {
        let now = format!("2026-01-{day:02}T09:00:00Z");
        run_at(&now, &["episode", "add", &format!("Release 1.{version}")]).ok();
        run_at(&now, &["episode", "add", &format!("Odd work {version}{version}")]).ok();
    }
    let workflow = ["workflow", "add", "Release", "--step", "Tag the commit"];
    run_at("2026-01-22T09:00:00Z", &workflow).ok();
    let predict_at = |now: &str| -> Value {
        let arguments = ["predict", "--json", "--file", "src/printer.rs"];
        serde_json::from_str(&run_at(now, &arguments).ok()).unwrap()
    };
    let thursday = predict_at("2026-01-29T09:00:00Z");
    let reason = "recurs: 4 of 4 times on a Thursday, which is today; last on 2026-01-22";
    assert_eq!(find(&thursday, "Release 1.5")["reason"], reason);
    assert!(thursday["predicted_memories"].to_string().contains("workflow"), "{thursday:#}");
    let monday = predict_at("2026-01-26T09:00:00Z");
    assert!(!titles(&monday).contains(&"Release 1.5"), "{monday:#}");
}

#[test]
fn work_of_every_morning_is_predicted_in_the_morning() {
    let workspace = repository();
    for day in [19, 20, 21] {
        // Work counts from its beginning.
        let (started, ended) =
            (format!("2026-01-{day}T09:00:00Z"), format!("2026-01-{day}T11:00:00Z"));
        let title = format!("Look at the alerts of {day} January");
        workspace.run_at(&started, &["session", "start", &title]).ok();
        workspace.run_at(&ended, &["session", "end"]).ok();
    }
    let predict_at = |now: &str| -> Value {
        let arguments = ["predict", "--json", "--file", "src/printer.rs"];
        serde_json::from_str(&workspace.run_at(now, &arguments).ok()).unwrap()
    };
    let title = "Look at the alerts of 21 January";
    let morning = predict_at("2026-01-22T08:40:00Z");
    let reason = "recurs at this time of day: on 3 of 3 days; last on 2026-01-21";
    assert_eq!(find(&morning, title)["reason"], reason);
    let later = predict_at("2026-01-22T11:40:00Z");
    assert!(!titles(&later).contains(&title), "{later:#}");
}

#[test]
fn a_clone_without_contents_gets_a_warning() {
    let source = repository();
    source.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = Workspace::with(HEIR, "");
    let url = format!("file://{}", source.path().display());
    let options = ["clone", "--quiet", "--no-checkout", "--filter=blob:none", &url, "partial"];
    clone.git(&options);
    let mut command = clone.command();
    let folder = clone.path().join("partial");
    fs::create_dir_all(folder.join(".heirloom")).unwrap();
    fs::write(folder.join(".heirloom/workspace.md"), "# Shop\n").unwrap();
    let output = command
        .current_dir(&folder)
        .args(["predict", "--json", "--file", "src/parser.rs"])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warning = answer["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("the git history could not be read"), "{answer:#}");
}
