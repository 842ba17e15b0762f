//! `assemble`: what goes into a context, and what never does.

use heirloom_testkit::{SeededRng, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

/// Makes a workspace with facts of several sections, one of which is superseded and one archived.
fn shop() -> Workspace {
    let workspace = Workspace::with(HEIR, TEAM);
    for (section, text) in [
        ("Decisions", "Refunds are events of the ledger and never edits of a payment"),
        ("Decisions", "Invoices are numbered per year"),
        ("Specs", "Refunds take 14 days"),
        ("Specs", "A partial refund of the ledger needs a second person"),
        ("Known Issues", "The refund queue stalls when the ledger is locked"),
        ("Constraints", "Money is stored as whole cents"),
        ("Patterns & Conventions", "Errors of the ledger are typed results"),
    ] {
        workspace.run(&["fact", "add", "--section", section, text]).ok();
    }
    workspace
}

fn id_of(workspace: &Workspace, text: &str) -> String {
    let found = workspace.json(&format!("recall {text} -k 1"));
    found["hits"][0]["id"].as_str().unwrap().to_owned()
}

fn assemble(workspace: &Workspace, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["assemble", "--json"].iter().chain(arguments).copied().collect();
    serde_json::from_str(&workspace.run(&all).ok()).unwrap()
}

fn context(answer: &Value) -> &str {
    answer["context"].as_str().unwrap()
}

#[test]
fn the_budget_is_never_exceeded_and_more_of_it_never_gives_less() {
    let workspace = shop();
    let mut rng = SeededRng::new(20);
    let mut budgets: Vec<u64> = (0..14).map(|_| rng.below(400) as u64).chain([200_000]).collect();
    budgets.sort_unstable();
    let mut before = 0.0;
    for budget in budgets {
        let arguments = ["--task", "refunds of the ledger", "--budget", &budget.to_string()];
        let answer = assemble(&workspace, &[&arguments[..], &["--explain"]].concat());
        assert!(answer["token_count"].as_u64().unwrap() <= budget, "{budget}");
        let lines = answer["lines"].as_array().unwrap();
        let tokens: u64 = lines.iter().map(|line| line["tokens"].as_u64().unwrap()).sum();
        assert!(tokens <= budget);
        let shares = lines.iter().filter(|line| line["level"] == "full");
        let value: f64 = shares.map(|line| line["value"].as_f64().unwrap()).sum();
        // Shorter levels and excerpts have a part of the value, so a little less may be counted here.
        assert!(value >= before * 0.75, "{budget}: {value} after {before}");
        before = value.max(before);
    }
}

#[test]
fn superseded_and_archived_memories_never_appear() {
    let workspace = shop();
    let old = id_of(&workspace, "refunds 14 days");
    workspace.run(&["fact", "edit", &old, "Refunds take 30 days"]).ok();
    let archived = id_of(&workspace, "partial refund second person");
    workspace.run(&["memory", "archive", &archived, "--reason", "test"]).ok();
    let answer = assemble(&workspace, &["--task", "how long do refunds of the ledger take"]);
    let context = context(&answer);
    assert!(context.contains("30 days"), "{context}");
    assert!(!context.contains("14 days") && !context.contains("second person"), "{context}");
}

#[test]
fn pins_come_first_whatever_the_task_is() {
    let workspace = shop();
    let pinned = id_of(&workspace, "invoices numbered per year");
    workspace.run(&["memory", "focus", &pinned]).ok();
    let answer = assemble(&workspace, &["--task", "refunds", "--budget", "40"]);
    assert!(context(&answer).contains("Invoices are numbered"), "{}", context(&answer));
    let explained = assemble(&workspace, &["--task", "refunds", "--explain"]);
    let line = &explained["lines"][0];
    assert_eq!((&line["reason"], &line["tier"]), (&json!("pinned"), &json!("critical")));
}

#[test]
fn entries_of_memory_documents_are_found_if_something_names_them() {
    let workspace = shop();
    for (agent, choice) in [("001-schema", "Redis"), ("002-web", "NATS")] {
        workspace.write(
            &format!("plans/0042-graph/agents/{agent}.md"),
            "---\nupdated: 2026-02-20\n---\n",
        );
        let memory = format!(
            "---\nupdated: 2026-02-20\n---\n## Findings\n- Agent {agent} feeds the parrots\n\n## Decisions\n| Decision | Choice |\n|---|---|\n| Queue | {choice} |\n"
        );
        workspace.write(&format!("plans/0042-graph/agents/{agent}.memory.md"), memory);
    }
    let conflict = "Contradiction: Queue is decided as NATS";
    let answer = assemble(&workspace, &["--task", "refunds of invoices"]);
    assert!(!context(&answer).contains(conflict), "{}", context(&answer));
    let answer = assemble(&workspace, &["--task", "which queue do we use, NATS?"]);
    assert!(context(&answer).contains(conflict), "{}", context(&answer));

    let parrots = "Agent 002-web feeds the parrots";
    let answer = assemble(&workspace, &["--task", "refunds of invoices"]);
    assert!(!context(&answer).contains(parrots), "{}", context(&answer));
    let [fact, entry] = ["invoices numbered per year", parrots].map(|text| id_of(&workspace, text));
    workspace.run(&["memory", "connect", &fact, &entry, "contradicts"]).ok();
    let answer = assemble(&workspace, &["--task", "invoices numbered per year"]);
    let contradiction = format!("contradicts `{parrots}`");
    assert!(context(&answer).contains(&contradiction), "{}", context(&answer));

    workspace.run(&["memory", "focus", &id_of(&workspace, parrots)]).ok();
    let answer = assemble(&workspace, &["--task", "whole cents"]);
    assert!(context(&answer).contains(parrots), "{}", context(&answer));
}

#[test]
fn nothing_is_said_twice() {
    let workspace = shop();
    workspace.run(&["fact", "add", "--section", "Specs", "Refunds take 14 days!"]).ok();
    workspace.run(&["note", "refunds take 14 days"]).ok();
    workspace.run(&["fact", "add", "--section", "Specs", "Refunds take 15 days"]).ok();
    let answer = assemble(&workspace, &["--task", "how long do refunds take", "--explain"]);
    // One line states the contradiction, and with it both facts.
    let lines = context(&answer).lines().map(str::to_lowercase);
    let stated = lines.filter(|line| line.contains("take 14 days"));
    assert_eq!(stated.count(), 1, "{}", context(&answer));
    assert!(context(&answer).contains("15 days"), "another number is no repetition");
    let left_out = answer["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|one| one["because"].as_str().unwrap().ends_with("says the same")));
}

#[test]
fn errors_are_critical_and_every_line_has_a_source() {
    let workspace = shop();
    let arguments = ["--task", "show refunds", "--error", "the queue stalls: ledger is locked"];
    let answer =
        assemble(&workspace, &[&arguments[..], &["--activity", "debugging", "--explain"]].concat());
    let lines = answer["lines"].as_array().unwrap();
    let is_known = |line: &&Value| line["text"].as_str().unwrap().contains("stalls when");
    assert_eq!(lines.iter().find(is_known).unwrap()["tier"], "critical");
    for line in lines {
        assert!(!line["source"].as_str().unwrap().is_empty(), "{line}");
        let id = line["id"].as_str().unwrap();
        if line["kind"] != "value" {
            workspace.run(&["show", id]).ok();
        }
    }
}

#[test]
fn a_changed_file_keeps_the_beginning_of_the_context() {
    let workspace = shop();
    workspace.run(&["fact", "add", "--section", "Specs", "src/queue.rs drains the outbox"]).ok();
    workspace.run(&["fact", "add", "--section", "Specs", "src/mail.rs renders templates"]).ok();
    let of_file = |file: &str| {
        let arguments = ["--task", "refunds of the ledger", "--file", file];
        context(&assemble(&workspace, &arguments)).to_owned()
    };
    let (queue, mail) = (of_file("src/queue.rs"), of_file("src/mail.rs"));
    assert_ne!(queue, mail);
    let common = queue.bytes().zip(mail.bytes()).take_while(|(a, b)| a == b).count();
    assert!(common >= queue.find("## Files").unwrap(), "{queue}\n{mail}");
    assert_eq!(queue, of_file("src/queue.rs"), "the same signals give the same context");
}

#[test]
fn work_gets_what_is_useful_and_a_question_whatever_may_answer_it() {
    let workspace = shop();
    let work = assemble(&workspace, &["--task", "Number the invoices per year", "--explain"]);
    assert!(context(&work).contains("Invoices are numbered per year"), "{work}");
    assert!(!context(&work).contains("queue stalls"), "{work}");
    for note in ["Ada: I saw the invoices in March", "Ben: the invoices were blue"] {
        workspace.run(&["note", note]).ok();
    }
    let question = assemble(&workspace, &["--task", "How are invoices numbered?"]);
    for text in ["Invoices are numbered per year", "in March", "were blue"] {
        assert!(context(&question).contains(text), "{question}");
    }
    assert!(!context(&question).contains("queue stalls"), "{question}");
    let refunds = assemble(&workspace, &["--task", "Show refunds on the invoice", "--explain"]);
    let left_out = refunds["left_out"].as_array().unwrap();
    let because = |left: &Value| left["because"].as_str().unwrap().contains("usefulness");
    assert!(left_out.iter().any(because), "{refunds}");
}

#[test]
fn a_record_that_answers_a_question_is_one_line_and_others_are_pointers() {
    let workspace =
        Workspace::with(HEIR, "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs/adr\"]\n");
    let record = |subject: &str, reason: &str| {
        format!(
            "# {subject}\n\nStatus: accepted\n\n## Context\n\n{reason}\n\n## Decision\n\nWe use {subject} from now on.\n\n## Consequences\n\nThe team has to learn {subject}.\n\n[1]: https://example.org/{subject}\n"
        )
    };
    let queue = "Refunds wait in a queue that must survive a restart of the ledger.";
    workspace.write("docs/adr/0001-kafka.md", record("Kafka", queue));
    workspace.write("docs/adr/0002-svelte.md", record("Svelte", "The pages were slow to build."));
    let answer = assemble(&workspace, &["--task", "Why do refunds wait in Kafka?", "--explain"]);
    let lines = answer["lines"].as_array().unwrap();
    let shown: Vec<&Value> = lines.iter().filter(|line| line["tier"] != "index").collect();
    assert_eq!(shown.len(), 1, "{answer:#}");
    let text = shown[0]["text"].as_str().unwrap();
    assert!(text.contains(queue) && text.contains("We use Kafka"), "{text}");
    assert!(!context(&answer).contains("example.org"), "{answer:#}");
    let pointers: Vec<&Value> = lines.iter().filter(|line| line["tier"] == "index").collect();
    assert!(pointers.iter().any(|line| line["text"].as_str().unwrap().contains("Svelte")));
}

#[test]
fn a_withdrawn_decision_is_explained_but_not_shown() {
    let workspace =
        Workspace::with(HEIR, "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs/adr\"]\n");
    let record = |status: &str| {
        format!(
            "# Track links in emails\n\nStatus: {status}\n\n## Decision\n\nWe track the links in emails with a redirect.\n"
        )
    };
    workspace.write("docs/adr/0001-track-links.md", record("accepted"));
    let task = ["--task", "Track the links in emails to providers", "--explain"];
    assert!(context(&assemble(&workspace, &task)).contains("with a redirect"));
    workspace.write("docs/adr/0001-track-links.md", record("withdrawn"));
    let answer = assemble(&workspace, &task);
    assert!(!context(&answer).contains("with a redirect"), "{answer:#}");
    let left_out = answer["left_out"].as_array().unwrap();
    let because = |left: &Value| left["because"].as_str().unwrap().contains("withdrawn");
    assert!(left_out.iter().any(because), "{answer:#}");
}

#[test]
fn an_instruction_keeps_the_name_of_the_speaker() {
    let workspace = shop();
    let instruction = "user: Always show a refund in euros when I ask about refunds.";
    workspace.run(&["fact", "add", "--section", "Specs", instruction]).ok();
    for task in ["Show refunds on the invoice", "How much is a refund?"] {
        let answer = assemble(&workspace, &["--task", task]);
        assert!(context(&answer).contains(instruction), "{answer}");
    }
}

#[test]
fn conventions_for_every_change_come_with_work_on_code() {
    let workspace = shop();
    for text in ["Run the linter before every commit", "Tests of the export compare headers"] {
        workspace.run(&["fact", "add", "--section", "Patterns & Conventions", text]).ok();
    }
    let work = |activity| {
        assemble(&workspace, &["--task", "Number the invoices per year", "--activity", activity])
    };
    assert!(context(&work("feature")).contains("Run the linter"));
    assert!(!context(&work("feature")).contains("Tests of the export"));
    assert!(!context(&work("planning")).contains("Run the linter"));
}

#[test]
fn why_names_the_source_and_the_reason() {
    let workspace = shop();
    let none = workspace.run(&["why", "refunds"]).failed(2);
    assert!(none.contains("no context was assembled"), "{none}");
    assemble(&workspace, &["--task", "refunds of the ledger"]);
    let why: Value =
        serde_json::from_str(&workspace.run(&["why", "refunds take 14 days", "--json"]).ok())
            .unwrap();
    assert_eq!(why["task"], "refunds of the ledger");
    assert_eq!(why["lines"][0]["reason"], "answers the task");
    let unknown = workspace.run(&["why", "walruses"]).ok();
    assert!(unknown.contains("no memory says that"), "{unknown}");
    let stored = workspace.run(&["fact", "add", "--section", "Specs", "Walnuts crack.", "--json"]);
    let stored: Value = serde_json::from_str(&stored.ok()).unwrap();
    let id = stored["id"].as_str().unwrap();
    let not_shown = workspace.run(&["why", id]).ok();
    assert!(not_shown.contains("did not answer the task"), "{not_shown}");
}

#[test]
fn why_knows_what_is_superseded_or_archived() {
    let workspace = shop();
    let old = id_of(&workspace, "refunds 14 days");
    let new = workspace.run(&["fact", "edit", &old, "Refunds take 30 days", "--json"]).ok();
    let new: Value = serde_json::from_str(&new).unwrap();
    let archived = id_of(&workspace, "partial refund second person");
    workspace.run(&["memory", "archive", &archived, "--reason", "test"]).ok();
    assemble(&workspace, &["--task", "refunds of the ledger"]);
    let short = |id: &str| id[id.len() - 8..].to_owned();
    for text in ["refunds take 14 days", &old] {
        let why = workspace.run(&["why", text]).ok();
        let expected =
            format!("it was superseded by {} on 2026-02-22", short(new["id"].as_str().unwrap()));
        assert!(why.contains(&expected), "{why}");
    }
    let why = workspace.run(&["why", "a partial refund needs a second person"]).ok();
    assert!(why.contains("it was archived on 2026-02-22"), "{why}");
}

#[test]
fn explanations_have_the_text_of_the_context() {
    let workspace = shop();
    let long = "The export of Larkspur runs at night. ".repeat(30);
    workspace.run(&["fact", "add", "--section", "Specs", &format!("{long}It needs 3 keys.")]).ok();
    let answer =
        assemble(&workspace, &["--task", "export of Larkspur", "--budget", "200", "--explain"]);
    let lines = answer["lines"].as_array().unwrap();
    assert!(!lines.is_empty());
    for line in lines {
        let text = line["text"].as_str().unwrap();
        assert!(context(&answer).lines().any(|shown| shown == text), "{text}");
    }
    let why = workspace.run(&["why", "export of Larkspur at night"]).ok();
    assert!(!why.contains(&long), "{why}");
}

#[test]
fn pointers_to_records_with_shared_numbers_work() {
    let record = |title: &str| {
        format!(
            "# {title}\n\nStatus: accepted\n\n## Decision\n\nWe chose {title} for the ledger of refunds.\n"
        )
    };
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs/adr\", \"billing/adr\"]\n//- .heirloom/projects/web/project.md\n# Web\n",
    );
    workspace.write("docs/adr/0001-use-sqlite.md", record("SQLite"));
    workspace.write("billing/adr/0001-use-kafka.md", record("Kafka"));
    workspace.write("docs/adr/0002-use-rust.md", record("Rust"));
    workspace.write(".heirloom/projects/web/adrs/ADR-0007-use-svelte.md", record("Svelte"));
    let answer = assemble(&workspace, &["--task", "ledger of refunds", "--explain"]);
    let lines = answer["lines"].as_array().unwrap();
    for title in ["SQLite", "Kafka", "Rust", "Svelte"] {
        let of_title = lines.iter().filter(|line| line["text"].as_str().unwrap().contains(title));
        let ids: Vec<&str> = of_title.map(|line| line["id"].as_str().unwrap()).collect();
        assert!(!ids.is_empty(), "{title}: {answer:#}");
        for id in ids {
            let shown = workspace.run(&["show", id]).ok();
            assert!(shown.contains(&format!("We chose {title}")), "{id}: {shown}");
        }
    }
}

#[test]
fn rules_of_the_levels_that_hold_for_every_change_are_shown() {
    let workspace = shop();
    workspace.write(
        "AGENTS.md",
        "# Agents\n\n## Rules\n\n- Run `make lint` before you commit.\n- Use blue for refunds.\n\nTests live in `tests/`.\n",
    );
    workspace.run(&["adopt"]).ok();
    let task = ["--task", "Let refunds of the ledger take 20 days"];
    let answer = assemble(&workspace, &task);
    assert!(
        context(&answer).contains("Run `make lint` before you commit. [AGENTS.md]"),
        "{answer}"
    );
    assert!(!context(&answer).contains("Use blue"), "{answer}");
    let planning = assemble(&workspace, &[&task[..], &["--activity", "planning"]].concat());
    assert!(!context(&planning).contains("make lint"), "{planning}");
}

#[test]
fn lines_may_be_ordered_by_value() {
    let workspace = shop();
    let error = "the refund queue stalls: the ledger is locked";
    let arguments = ["--task", "Number the invoices per year", "--error", error];
    let stable = assemble(&workspace, &arguments);
    let by_value = assemble(&workspace, &[&arguments[..], &["--order", "value"]].concat());
    assert!(context(&by_value).starts_with("## Errors\n"), "{by_value}");
    assert!(!context(&stable).starts_with("## Errors\n"), "{stable}");
    let sorted = |answer: &Value| {
        let mut lines: Vec<String> = context(answer).lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(&stable), sorted(&by_value));
}
