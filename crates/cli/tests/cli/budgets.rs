//! Token budgets: `context load`, `context resolve --budget`, `prompt`, and what feeds them.

use heirloom_testkit::{McpClient, SeededRng, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

/// The settings as the description of the memory hierarchy writes them.
const SETTINGS: &str = "\
# .memory/config.yaml
loading_strategy:
  project:
    always_load:
      - CLAUDE.md
      - conventions/python.md
    conditional_load:
      - decisions/*.md  # Load recent first
    max_tokens: 5000

  sprint:
    always_load:
      - goals.md
      - progress.json
    conditional_load:
      - retrospectives/*.md
    max_tokens: 10000

  stage:
    always_load:
      - current_artifacts/*
    conditional_load:
      - previous_stage_summary.md
    max_tokens: 15000

  agent:
    always_load:
      - prompt_template.md
      - tools_config.yaml
    conditional_load:
      - recent_actions.json
    max_tokens: 20000

token_allocation:
  # How to split token budget
  planner:
    project: 0.3  # More project context
    sprint: 0.4   # More sprint context
    stage: 0.2
    agent: 0.1

  coder:
    project: 0.1
    sprint: 0.1
    stage: 0.3   # More stage artifacts
    agent: 0.5   # More agent-specific
";

const SENTENCE: &str = "Every refund is stored as an event and balances are derived from events. ";

/// Makes a workspace of sprints. The always loaded files of the coder take nearly 1,000 tokens.
fn sprints() -> Workspace {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/config.toml
hierarchy = \"sprints\"
//- .memory/project/conventions/python.md
---
style: black
---
# Python

Use type hints everywhere.
//- .memory/sprint/sprint-01/goals.md
# Goals

Ship refunds.
//- .memory/sprint/sprint-01/progress.json
{\"done\": 3}
//- .memory/stage/planning/current_artifacts/plan.json
{\"summary\": \"Two tasks.\", \"tasks\": [\"API\", \"Events\"]}
//- .memory/agent/planner/prompt_template.md
# Planner

You plan the sprint.
//- .memory/agent/planner/tools_config.yaml
tools: [read]
//- .memory/agent/coder/tools_config.yaml
tools: [read, write]
",
    );
    workspace.write(".memory/config.yaml", SETTINGS);
    let claude =
        format!("# Shop\n\n{}\n\n## Rules\n\n{}\n", SENTENCE.repeat(20), SENTENCE.repeat(9));
    workspace.write("CLAUDE.md", claude);
    for number in 1..=5 {
        let decision =
            format!("---\nupdated: 2026-02-0{number}\n---\n# Decision {number}\n\n{SENTENCE}\n");
        workspace.write(&format!(".memory/project/decisions/00{number}.md"), decision);
    }
    let prompt = format!("# Coder\n\n{}\n", "You write code with tests. ".repeat(163));
    workspace.write(".memory/agent/coder/prompt_template.md", prompt);
    workspace
}

fn load(workspace: &Workspace, agent: &str, stage: &str, budget: usize) -> Value {
    workspace.json(&format!(
        "context load --agent {agent} --sprint sprint-01 --stage {stage} --budget {budget}"
    ))
}

fn entries<'v>(loaded: &'v Value, layer: &str) -> &'v Vec<Value> {
    loaded[layer].as_array().unwrap()
}

fn keys<'v>(loaded: &'v Value, layer: &str) -> Vec<&'v str> {
    entries(loaded, layer).iter().map(|entry| entry["key"].as_str().unwrap()).collect()
}

#[test]
fn memory_loads_within_budget() {
    let workspace = sprints();
    let context = load(&workspace, "planner", "planning", 10_000);
    assert!(context["total_tokens"].as_u64().unwrap() <= 10_000);
    assert!(!entries(&context, "project").is_empty());
    assert!(!entries(&context, "sprint").is_empty());
    let layers = ["project", "sprint", "stage", "agent"];
    let all = layers.iter().flat_map(|layer| entries(&context, layer));
    let sum: u64 = all.map(|entry| entry["tokens"].as_u64().unwrap()).sum();
    assert_eq!(context["total_tokens"], sum);
    assert_eq!(context["role"], "planner");
    let entry = &context["project"][0];
    assert_eq!((&entry["layer"], &entry["key"]), (&json!("project"), &json!("claude_md")));
    assert_eq!(entry["content"].as_str().unwrap(), workspace.read("CLAUDE.md").trim_end());
    assert_eq!(entry["metadata"]["path"], "CLAUDE.md");
    assert_eq!(
        keys(&context, "project")[1..4],
        ["python_md", "decision_005", "decision_004"],
        "the newest decisions come first"
    );
}

#[test]
fn agent_memory_loads_first_with_a_limited_budget() {
    let workspace = sprints();
    let context = load(&workspace, "coder", "coding", 1000);
    assert!(!entries(&context, "agent").is_empty());
    assert!(entries(&context, "project").is_empty(), "{:#}", context["usage"]);
    assert!(context["total_tokens"].as_u64().unwrap() <= 1000);
    assert_eq!(context["usage"][0]["layer"], "agent");
    let left_out = context["left_out"].as_array().unwrap();
    let claude = left_out.iter().find(|left| left["path"] == "CLAUDE.md").unwrap();
    assert!(claude["tokens"].as_u64().unwrap() > 100, "{claude}");
    assert_eq!(context["warnings"], json!(["the stage `coding` has no files yet"]));
}

/// The agent keeps its place whatever its document looks like.
#[test]
fn agent_memory_of_any_shape_loads_first_with_a_limited_budget() {
    let sentence = |at: usize| format!("Rule {at} says that refunds are events.");
    let sentences = (0..300).map(sentence).collect::<Vec<_>>().join(" ");
    let lines = |start: &str, end: &str| {
        (0..300).map(|at| format!("{start}{}{end}\n", sentence(at))).collect::<String>()
    };
    let shapes = [
        ("a paragraph", sentences.clone()),
        ("words", "refund ledger event ".repeat(900)),
        ("a list", format!("# Coder\n\n{}", lines("- ", ""))),
        ("a table", format!("# Coder\n\n| rule |\n|---|\n{}", lines("| ", " |"))),
        ("code", format!("# Coder\n\n```\n{}```\n", lines("// ", ""))),
        ("sections", lines("## Section\n\n", "\n")),
        ("headings", (0..400).map(|at| format!("## Rule {at}\n\n")).collect()),
    ];
    for (shape, text) in shapes {
        let workspace = sprints();
        workspace.write(".memory/agent/coder/prompt_template.md", text);
        workspace.write("CLAUDE.md", "# Shop\n\nRefunds.\n");
        for budget in [300, 1000] {
            let context = load(&workspace, "coder", "coding", budget);
            let total = context["total_tokens"].as_u64().unwrap();
            assert!(keys(&context, "agent").contains(&"prompt_template_md"), "{shape} {budget}");
            assert!(entries(&context, "project").is_empty(), "{shape}: {:#}", context["usage"]);
            assert!(total <= budget as u64 && total * 10 >= budget as u64 * 8, "{shape} {total}");
        }
    }
}

#[test]
fn what_does_not_fit_whole_is_shortened() {
    let workspace = sprints();
    let form = |budget: usize| {
        let context = load(&workspace, "planner", "planning", budget);
        let found = entries(&context, "project").iter().find(|entry| entry["key"] == "claude_md");
        found.map(|entry| {
            assert!(!entry["content"].as_str().unwrap().is_empty());
            entry["metadata"]["form"].as_str().unwrap().to_owned()
        })
    };
    assert_eq!(form(10_000).as_deref(), Some("full"));
    assert_eq!(form(300).as_deref(), Some("part"));
    assert_eq!(form(40), None);
    let context = load(&workspace, "planner", "planning", 0);
    assert_eq!(context["total_tokens"], 0);
}

#[test]
fn an_agent_may_state_its_role_and_a_request_another() {
    let workspace = sprints();
    let share = |arguments: &str| {
        let loaded = workspace.json(&format!("context load --sprint sprint-01 {arguments}"));
        (loaded["role"].clone(), loaded["usage"][0]["share"].clone())
    };
    assert_eq!(share("--agent coder"), (json!("coder"), json!(0.5)));
    assert_eq!(share("--agent coder --role planner"), (json!("planner"), json!(0.1)));
    workspace.write(".memory/agent/dana/prompt.md", "---\nrole: coder\n---\n# Dana\n");
    assert_eq!(share("--agent dana"), (json!("coder"), json!(0.5)));
    workspace.write(".memory/agent/dana/prompt.md", "---\nrole: cook\n---\n# Dana\n");
    let loaded = workspace.json("context load --agent dana");
    assert_eq!(loaded["role"], Value::Null);
    assert_eq!(loaded["usage"][0]["share"], 0.4);
    assert_eq!(loaded["problems"][0]["line"], 2);
    let error = workspace.heir("context load --agent coder --role codr").failed(2);
    assert!(error.contains("candidates: coder"), "{error}");
}

#[test]
fn both_settings_files_are_read_and_the_workspace_wins() {
    let workspace = sprints();
    workspace.write(
        ".heirloom/config.toml",
        "hierarchy = \"sprints\"\ntoken_budget = 700\n\n[loading_strategy.agent]\nalways_load = [\"prompt_template.md\"]\nconditional_load = []\n\n[token_allocation.planner]\nagent = 0.6\nsprint = 0.4\n",
    );
    let loaded = workspace.json("context load --agent planner --sprint sprint-01");
    assert_eq!((&loaded["budget"], &loaded["usage"][0]["share"]), (&json!(700), &json!(0.6)));
    assert_eq!(keys(&loaded, "agent"), ["prompt_template_md"]);
    assert_eq!(loaded["usage"][0]["max_tokens"], 20_000, "what one file sets alone holds");
    let problems = loaded["problems"].as_array().unwrap();
    let messages: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}:{}", problem["path"].as_str().unwrap(), problem["line"]))
        .collect();
    assert_eq!(
        messages,
        [".memory/config.yaml:27", ".memory/config.yaml:30", ".memory/config.yaml:36"],
        "{problems:#?}"
    );
}

#[test]
fn mistakes_in_the_settings_are_errors_only_where_sprints_are_used() {
    let workspace = sprints();
    workspace.write(".memory/config.yaml", "loading_strategy:\n  agent:\n    max_token: 3\n");
    let error = workspace.heir("context load --agent coder").failed(2);
    assert!(error.contains(".memory/config.yaml:3: there is no setting"), "{error}");
    assert!(error.contains("did you mean `max_tokens`?"), "{error}");
    workspace.write(".heirloom/config.toml", "hierarchy = \"plans\"\n");
    workspace.heir("context resolve").ok();
    let error = workspace.heir("context load --sprint sprint-01").failed(2);
    assert!(error.contains(".memory/config.yaml:3"), "{error}");
    workspace.write(".memory/config.yaml", "token_budget: 90\n");
    let loaded = workspace.json("context load --sprint sprint-01");
    assert_eq!((&loaded["hierarchy"], &loaded["budget"]), (&json!("sprints"), &json!(90)));
}

#[test]
fn budgets_work_on_every_hierarchy() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/config.toml
hierarchy = \"teams\"
[[hierarchies.teams.levels]]
name = \"company\"
priority = 0
share = 0.25
always = [\"company.md\"]
if_room = [\"notes/*.md\"]
[[hierarchies.teams.levels]]
name = \"team\"
priority = 10
share = 0.75
max_tokens = 30
always = [\"teams/{team}.md\"]
//- company.md
# Company
//- notes/a.md
---
updated: 2026-01-01
---
An old note.
//- notes/b.md
---
updated: 2026-02-01
---
A new note.
//- teams/red.md
# Red

This team has a document that does not fit, since the level has a maximum that is smaller. The rest
of this paragraph is only here to make it longer than that maximum in any case.
",
    );
    let loaded = workspace.json("context load --select team=red");
    assert_eq!(keys(&loaded, "company"), ["company_md", "note_b", "note_a"]);
    assert_eq!(keys(&loaded, "team"), [""; 0]);
    assert_eq!(loaded["left_out"][0]["path"], "teams/red.md");
    let team = Workspace::with(HEIR, heirloom_testkit::TEAM);
    let loaded = team.json("context load --plan 0042 --agent 001 --budget 60");
    assert!(loaded["total_tokens"].as_u64().unwrap() <= 60);
    assert!(!entries(&loaded, "agent").is_empty());
}

#[test]
fn resolve_counts_values_and_decisions_towards_the_budget() {
    let mut tree = heirloom_testkit::TEAM.to_owned();
    tree.push_str("//- .heirloom/context/limits.md\n---\nlimits:\n");
    (0..40).for_each(|at| tree.push_str(&format!("  limit_{at}: at most {at} requests\n")));
    tree.push_str("---\n# Limits\n");
    let workspace = Workspace::with(HEIR, &tree);
    let whole = workspace.json("context resolve 0042 001");
    assert_eq!(whole["left_out"], Value::Null);
    let mut last = 0;
    for budget in [0, 30, 100, 250, 1000, 10_000] {
        let resolved = workspace.json(&format!("context resolve 0042 001 --budget {budget}"));
        let lines = |resolved: &Value| {
            let provenance = resolved["provenance"].as_object().unwrap();
            let rows = provenance.iter().map(|(key, history)| {
                let winner = history.as_array().unwrap().last().unwrap();
                format!("{key} {} {}\n", winner["value"], winner["source"])
            });
            let decisions = resolved["decisions"].as_array().unwrap().iter();
            let decisions =
                decisions.map(|decision| format!("{} {}\n", decision["id"], decision["title"]));
            rows.chain(decisions).map(|line| heirloom_store::tokens::count(&line)).sum::<usize>()
        };
        let tokens = resolved["tokens"].as_u64().unwrap();
        let texts = resolved["layers"].as_array().unwrap().iter();
        let texts: u64 = texts.map(|layer| layer["tokens"].as_u64().unwrap()).sum();
        assert!(
            tokens <= budget && lines(&resolved) as u64 + texts <= budget.max(tokens),
            "{budget}"
        );
        let values = resolved["provenance"].as_object().unwrap().len();
        assert!(values >= last, "more budget gives more values");
        last = values;
        let left_out = resolved["left_out_lines"].as_array().unwrap();
        assert_eq!(left_out.is_empty(), budget == 10_000, "{budget}");
        let keys = left_out.iter().filter(|key| key.as_str().unwrap().starts_with("limits."));
        let shown = resolved["values"]["limits"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!(keys.count() + shown, 40, "{budget}");
    }
    assert_eq!(
        workspace.json("context resolve 0042 001 --budget 10000")["values"],
        whole["values"]
    );
    let error = workspace.run(&["context", "resolve", "--budget", "-1"]).failed(2);
    assert!(error.contains("from 0 to"), "{error}");
}

#[test]
fn a_stage_hands_its_summary_to_the_next_one() {
    let workspace = sprints();
    workspace.write(
        "out/plan.json",
        "{\"goal\":\"Ship refunds\",\"tasks\":[{\"title\":\"API\"}],\"n\":1.10}",
    );
    workspace.write("out/notes.md", "# Notes\n\nEvents were chosen.\n");
    let complete =
        "stage complete planning --artifact plan=out/plan.json --artifact notes=out/notes.md";
    let first = workspace.json(complete);
    assert_eq!(first["next"], "requirements");
    let plan = workspace.read(".memory/stage/planning/current_artifacts/plan.json");
    assert!(
        plan.starts_with("{\n  \"goal\": \"Ship refunds\",\n") && plan.contains("1.10"),
        "{plan}"
    );
    let summary = workspace.read(".memory/stage/planning/summary.md");
    assert!(
        summary.contains("Ship refunds") && summary.contains("Events were chosen."),
        "{summary}"
    );
    let loaded = load(&workspace, "planner", "requirements", 5000);
    assert_eq!(
        loaded["stage"][0]["metadata"]["path"],
        ".memory/stage/requirements/previous_stage_summary.md"
    );

    let before = workspace.files(".memory");
    let again = workspace.json(complete);
    let statuses = again["files"].as_array().unwrap().iter().map(|file| &file["status"]);
    assert!(statuses.clone().all(|status| status == "unchanged"), "{again:#}");
    assert_eq!(workspace.files(".memory"), before);

    // A changed artifact replaces the old one; a summary that was edited by hand stays.
    workspace.write("out/plan.json", "{\"goal\": \"Ship invoices\"}");
    workspace.heir(complete).ok();
    let summary = workspace.read(".memory/stage/planning/summary.md");
    assert!(summary.contains("Ship invoices") && !summary.contains("refunds"), "{summary}");
    workspace.write(".memory/stage/planning/summary.md", "Mine.\n");
    let kept = workspace.json(complete);
    assert_eq!(kept["files"][2]["status"], "kept");
    assert_eq!(workspace.read(".memory/stage/planning/summary.md"), "Mine.\n");
    let handed = workspace.read(".memory/stage/requirements/previous_stage_summary.md");
    assert_eq!(handed, "Mine.\n");
}

#[test]
fn a_stage_is_completed_as_a_whole_or_not_at_all() {
    let workspace = sprints();
    workspace.write("good.json", "{\"a\": 1}").write("bad.json", "{\"a\": }");
    let before = workspace.files(".memory");
    for arguments in [
        "stage complete coding --artifact good=good.json --artifact bad=bad.json",
        "stage complete coding --artifact ../../x=good.json",
        "stage complete coding --artifact x",
        "stage complete ../../out --artifact good=good.json",
        "stage complete codin --artifact good=good.json",
        "stage complete coding",
        "sprint complete sprint-02 --results good.json",
        "sprint complete sprint-01 --results bad.json",
    ] {
        assert_eq!(workspace.heir(arguments).code, 2, "{arguments}");
        assert_eq!(workspace.files(".memory"), before, "{arguments}");
    }
    workspace.write(".memory/sprint/sprint-01/progress.json", "{\"a\": 1,}");
    let error = workspace.heir("sprint complete sprint-01 --results good.json").failed(2);
    assert!(error.contains(".memory/sprint/sprint-01/progress.json:1"), "{error}");
    assert_eq!(workspace.read(".memory/sprint/sprint-01/progress.json"), "{\"a\": 1,}");
}

#[cfg(unix)]
#[test]
fn a_stage_does_not_lead_out_of_the_workspace() {
    let workspace = sprints();
    let outside = Workspace::empty(HEIR);
    outside.write("secret.json", "{\"key\": 1}");
    workspace.write("good.json", "{\"a\": 1}");
    let link = |from: &std::path::Path, to: &str| {
        std::os::unix::fs::symlink(from, workspace.path().join(to)).unwrap();
    };
    link(outside.path(), ".memory/stage/coding");
    assert_ne!(workspace.heir("stage complete coding --artifact good=good.json").code, 0);
    assert_eq!(outside.files(""), ["secret.json"]);
    link(&outside.path().join("secret.json"), ".memory/agent/coder/recent_actions.json");
    let loaded = load(&workspace, "coder", "planning", 50_000);
    assert!(!loaded.to_string().contains("\\\"key\\\""), "{loaded:#}");
    std::fs::remove_file(workspace.path().join(".memory/config.yaml")).unwrap();
    link(&outside.path().join("secret.json"), ".memory/config.yaml");
    workspace.heir("context load --agent coder").failed(2);
}

#[test]
fn a_sprint_keeps_its_results_and_what_was_learnt() {
    let workspace = sprints();
    let progress = "{\n  \"exact\": 12345678901234567890.10,\n  \"done\": 3,\n  \"open\": [1]\n}\n";
    workspace.write(".memory/sprint/sprint-01/progress.json", progress);
    workspace.write("results.json", "{\"done\": 5, \"learnings\": [\"Events are cheap.\"]}");
    let first = workspace.json("sprint complete sprint-01 --results results.json");
    assert_eq!(first["files"].as_array().unwrap().len(), 2);
    let merged = workspace.read(".memory/sprint/sprint-01/progress.json");
    assert!(
        merged.contains("12345678901234567890.10") && merged.contains("\"done\": 5"),
        "{merged}"
    );
    let knowledge = workspace.read(".memory/sprint/sprint-01/knowledge.md");
    assert_eq!(knowledge.matches("## Learnings\n- Events are cheap.\n").count(), 1, "{knowledge}");
    workspace.heir("sprint complete sprint-01 --results results.json").ok();
    assert_eq!(workspace.read(".memory/sprint/sprint-01/knowledge.md"), knowledge);
    assert_eq!(workspace.read(".memory/sprint/sprint-01/progress.json"), merged);
    workspace.write("more.yaml", "learnings:\n- Retry twice.\n");
    workspace.heir("sprint complete sprint-01 --results more.yaml").ok();
    let knowledge = workspace.read(".memory/sprint/sprint-01/knowledge.md");
    assert_eq!(knowledge.matches("## Learnings").count(), 1);
    let shown = workspace.json("memory show sprint=sprint-01");
    assert_eq!(shown["lessons"], json!(["Events are cheap.", "Retry twice."]));
    // The results state it as well, and a context shows it once.
    let prompt = workspace.heir("prompt --agent coder --sprint sprint-01 --stage coding").ok();
    assert_eq!(prompt.matches("Retry twice.").count(), 1, "{prompt}");
    let results = workspace.read(".memory/sprint/sprint-01/progress.json");
    assert!(results.contains("Retry twice."), "{results}");
}

#[test]
fn an_artifact_has_one_name_and_no_control_characters() {
    let workspace = sprints();
    workspace.write("a.txt", "Done \u{1b}[31mred\u{1b}[0m.\n");
    workspace.write("b.txt", "Other.\n");
    let twice =
        workspace.heir("stage complete coding --artifact a=a.txt --artifact a=b.txt").failed(2);
    assert!(twice.contains("`a.txt` is given twice"), "{twice}");
    workspace.heir("stage complete coding --artifact a=a.txt").ok();
    let summary = workspace.read(".memory/stage/coding/summary.md");
    assert!(summary.contains("Done \\u001b[31mred"), "{summary}");
    assert!(!summary.contains('\u{1b}'), "{summary}");
}

#[test]
fn files_that_are_always_loaded_and_missing_are_named() {
    let workspace = sprints();
    std::fs::remove_file(workspace.path().join(".memory/agent/planner/tools_config.yaml")).unwrap();
    let warning = "tools_config.yaml, which the agent always loads, does not exist";
    let loaded = load(&workspace, "planner", "planning", 10_000);
    assert_eq!(loaded["warnings"], json!([warning]));
    let built = workspace.run(&["prompt", "--agent", "planner", "--sprint", "sprint-01"]);
    assert!(built.stderr.contains(warning), "{}", built.stderr);
    assert!(!built.ok().contains(warning));
}

#[test]
fn bad_budgets_and_settings_say_what_is_allowed() {
    let workspace = sprints();
    for (arguments, expected) in [
        (vec!["context", "load", "--budget", "-5"], "state a number from 0 to"),
        (vec!["prompt", "--budget", "-5"], "state a number from 0 to"),
        (vec!["context", "load", "--budget", "1e3"], "not a whole number"),
        (vec!["assemble", "--budget", "-5"], "0"),
        (vec!["context", "load", "--role", "codr"], "coder"),
        (vec!["context", "load", "--stage", "codng"], "coding"),
    ] {
        let error = workspace.run(&arguments).failed(2);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    for (text, expected) in [
        ("<<<<<<< HEAD\n", ".memory/config.yaml:1: a git conflict marker"),
        (
            "loading_strategy:\n  agent:\n    max_tokens: -5\n",
            ".memory/config.yaml:3: loading_strategy.agent.max_tokens: -5 is not a whole number from 0 on",
        ),
        (
            "token_allocation:\n  coder:\n    agent: .nan\n",
            ".memory/config.yaml:3: token_allocation.coder.agent",
        ),
        (
            "token_allocation:\n  coder: {agent: 0.7, stage: 0.7}\n",
            ".memory/config.yaml:2: token_allocation.coder: the shares add up to 1.40",
        ),
    ] {
        workspace.write(".memory/config.yaml", text);
        let error = workspace.heir("context load --agent coder").failed(2);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn levels_remember_as_plans_do() {
    let workspace = sprints();
    workspace.run(&["memory", "add", "stage=planning", "lesson", "Plan in small steps"]).ok();
    workspace.run(&["memory", "add", "sprint=sprint-01", "decision", "Store events"]).ok();
    workspace.run(&["memory", "add", "sprint-01", "coder", "finding", "The build is slow"]).ok();
    let found = workspace.json("recall small steps");
    assert_eq!(
        found["hits"][0]["_meta"]["path"], ".memory/stage/planning/stage.memory.md",
        "{found:#}"
    );
    let facts = workspace.json("fact list");
    assert!(facts.to_string().contains("Store events"), "{facts:#}");
    let loaded = load(&workspace, "coder", "planning", 50_000);
    assert!(keys(&loaded, "agent").contains(&"agent_memory_md"), "{loaded:#}");
    assert!(keys(&loaded, "stage").contains(&"stage_memory_md"));
    let error = workspace.run(&["memory", "add", "team=red", "lesson", "x"]).failed(2);
    assert!(error.contains("sprint="), "{error}");
    // A stage of the settings remembers before it has files.
    let added =
        workspace.run(&["memory", "add", "stage=testing", "lesson", "Test early", "--json"]);
    let added: Value = serde_json::from_str(&added.ok()).unwrap();
    assert_eq!(added["source"], ".memory/stage/testing/stage.memory.md");
    assert_eq!(added["notices"], json!(["the stage `testing` has no other files yet"]));
    let error = workspace.run(&["memory", "add", "stage=tsting", "lesson", "x"]).failed(2);
    assert!(error.contains("testing"), "{error}");
}

#[test]
fn a_task_of_a_sprint_gets_the_memory_of_its_levels() {
    let workspace = sprints();
    workspace.run(&["memory", "add", "sprint=sprint-01", "decision", "Store events"]).ok();
    workspace.run(&["memory", "add", "stage=coding", "blocker", "The build is broken"]).ok();
    let context = |names: &str| {
        let answer = workspace.json(&format!("assemble {names}"));
        answer["context"].as_str().unwrap().to_owned()
    };
    let own = context("--sprint sprint-01 --stage coding");
    assert!(own.contains("Store events") && own.contains("The build is broken"), "{own}");
    let other = context("--stage planning");
    assert!(!other.contains("The build is broken"), "{other}");
    let mut client = McpClient::open(workspace.command().arg("mcp"));
    let arguments = json!({"sprint": "sprint-01", "stage": "coding"});
    let answer =
        client.ask("tools/call", &json!({"name": "context_assemble", "arguments": arguments}));
    assert!(answer.contains("The build is broken"), "{answer}");
    // Sprints may be beside the default hierarchy.
    workspace.write(".heirloom/config.toml", "hierarchy = \"plans\"\n");
    let beside = context("--sprint sprint-01 --stage coding");
    assert!(beside.contains("Store events") && beside.contains("The build is broken"), "{beside}");
    let unknown = workspace.run(&["assemble", "--file", "src/none.rs", "--json"]).ok();
    assert!(unknown.contains("there is no file `src/none.rs`"), "{unknown}");
}

#[test]
fn every_budget_from_the_stated_minimum_on_gives_a_prompt() {
    let workspace = sprints();
    let names = "--agent planner --sprint sprint-01 --stage planning";
    let error = workspace.heir(&format!("prompt {names} --budget 1")).failed(2);
    let least: usize = error.split("at least ").nth(1).unwrap().trim().parse().unwrap();
    workspace.heir(&format!("prompt {names} --budget {}", least - 1)).failed(2);
    for budget in least..least + 24 {
        let built = workspace.json(&format!("prompt {names} --budget {budget}"));
        assert!(built["tokens"].as_u64().unwrap() <= budget as u64, "{budget}");
    }
}

#[test]
fn a_prompt_has_the_sections_in_order_and_fits() {
    let workspace = sprints();
    let names = "--agent planner --sprint sprint-01 --stage planning";
    let prompt = workspace.heir(&format!("prompt {names} --task Begin")).ok();
    let headings = [
        "## Project Context",
        "### claude_md",
        "## Current Sprint",
        "## Stage Artifacts",
        "```json",
        "## Your Task",
        "You plan the sprint.",
        "Begin",
    ];
    let places: Vec<usize> = headings.iter().map(|text| prompt.rfind(text).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}\n{prompt}");
    for budget in [60, 100, 200, 400, 800, 1600] {
        let built = workspace.json(&format!("prompt {names} --budget {budget}"));
        assert!(built["tokens"].as_u64().unwrap() <= budget);
        let text = format!("{}\n", built["prompt"].as_str().unwrap());
        assert_eq!(built["tokens"], heirloom_store::tokens::count(&text), "{budget}");
    }
    workspace.heir(&format!("prompt {names} --budget 3")).failed(2);

    let mut client = McpClient::open(workspace.command().arg("mcp"));
    let answer = client.ask(
        "prompts/get",
        &json!({"name": "prompt", "arguments": {"agent": "planner", "sprint": "sprint-01", "budget": "300"}}),
    );
    assert!(answer.contains("## Your Task"), "{answer}");
}

/// Over random trees and budgets, nothing exceeds the budget, and with more budget the value never falls.
#[test]
fn random_trees_stay_within_the_budget_and_gain_with_it() {
    let mut rng = SeededRng::new(7);
    for _ in 0..3 {
        let workspace = sprints();
        for number in 0..12 {
            let words = SENTENCE.repeat(1 + rng.below(60));
            let folder = [
                ".memory/project/decisions",
                ".memory/sprint/sprint-01/retrospectives",
                ".memory/stage/planning/current_artifacts",
            ][rng.below(3)];
            workspace.write(&format!("{folder}/{number}.md"), format!("# {number}\n\n{words}\n"));
        }
        let mut budgets: Vec<usize> = (0..6).map(|_| rng.below(6000)).collect();
        budgets.sort_unstable();
        let mut best: Vec<u64> = vec![];
        for budget in budgets {
            let loaded = load(&workspace, "planner", "planning", budget);
            assert!(loaded["total_tokens"].as_u64().unwrap() <= budget as u64);
            let value = loaded["value"].as_array().unwrap().iter();
            let value: Vec<u64> = value.map(|number| number.as_u64().unwrap()).collect();
            assert!(value >= best, "{budget}: {best:?} then {value:?}");
            best = value;
        }
    }
}
