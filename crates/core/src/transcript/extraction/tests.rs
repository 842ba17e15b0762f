//! Tests on short conversations.

use super::*;
use crate::transcript::{Role, parse};

/// A session of Claude Code in which commands fail, the user corrects the agent, and something is decided.
const PAYMENTS: &str = include_str!("tests/payments.claude.jsonl");

/// A session of Codex.
const SEARCH: &str = include_str!("tests/search.codex.jsonl");

/// Returns the proposals of a conversation: `u: TEXT` is a message of the user, `a: TEXT` one of the agent.
fn proposals(lines: &[&str]) -> Vec<Proposal> {
    let message = |line: &&str| {
        let (role, text) = line.split_once(": ").expect("a role");
        let role = if role == "u" { "user" } else { "assistant" };
        serde_json::json!({"role": role, "content": text}).to_string()
    };
    let text = lines.iter().map(message).collect::<Vec<_>>().join("\n");
    extract(&parse("t.jsonl", &text), 0)
}

fn texts(proposals: &[Proposal], kind: ProposalKind) -> Vec<&str> {
    let of_kind = proposals.iter().filter(|proposal| proposal.kind == kind);
    of_kind.map(|proposal| proposal.text.as_str()).collect()
}

fn texts_of(lines: &[&str], kind: ProposalKind) -> Vec<String> {
    texts(&proposals(lines), kind).into_iter().map(str::to_owned).collect()
}

#[test]
fn only_the_user_instructs_and_prefers() {
    let lines = [
        "u: Can you set up the tests?",
        "a: Always run them in CI. I prefer short names. From now on I use tabs.",
        "u: Always show the failing test first when I ask about a build.",
        "u: I prefer short functions, can you split this one?",
    ];
    assert_eq!(
        texts_of(&lines, ProposalKind::Instruction),
        ["Always show the failing test first when I ask about a build."]
    );
    assert_eq!(texts_of(&lines, ProposalKind::Preference), ["I prefer short functions"]);
    let of_the_second = &proposals(&lines)[1];
    assert_eq!((of_the_second.line, of_the_second.speaker), (4, Role::User));
}

#[test]
fn preferences_in_passing_are_found() {
    for text in [
        "I'd rather have plain SQL than an ORM.",
        "I'm new to this, and I hate long answers, so how do I start?",
        "Can you sketch the page with my preference for dark themes in mind?",
        "I'm trying to keep the bundle under 100 KB, but I'm not sure how.",
        "I want to parse this without adding another dependency.",
        "I'd like to check the form using plain JavaScript instead of jQuery.",
    ] {
        let found = proposals(&[&format!("u: {text}")]);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].kind, ProposalKind::Preference, "{text}");
        assert!(text.contains(&found[0].text), "{text}");
    }
}

#[test]
fn questions_reports_and_steps_are_no_rules() {
    for text in [
        "I've never written a Flask route before.",
        "I always get this error on the second run.",
        "Should I always retry?",
        "Do you think I prefer tabs?",
        "I keep getting a timeout.",
        "Never mind.",
        "The manual says: \"Always unplug the device before you open it.\"",
        "I chose the blue one over the red one, was that right?",
    ] {
        let found = proposals(&[&format!("u: {text}")]);
        assert!(!found.iter().any(|proposal| proposal.kind.is_standing()), "{text}: {found:?}");
    }
}

#[test]
fn a_long_sentence_is_reduced_to_the_clause_of_the_preference() {
    let filler = "considering that the deadline is in April and the team has four people";
    let text = format!(
        "I'm working on a tracker for my budget that has charts and exports and a login page for \
         the family, and I prefer small dependencies over frameworks, {filler}, can you help me?"
    );
    let found = proposals(&[&format!("u: {text}")]);
    assert_eq!(
        texts(&found, ProposalKind::Preference),
        ["I prefer small dependencies over frameworks"]
    );
}

#[test]
fn a_later_statement_names_the_one_that_it_changes() {
    let found = proposals(&[
        "u: Always format dates as month, day and year.",
        "a: Understood.",
        "u: From now on format dates as year, month and day instead.",
    ]);
    let [one] = found.as_slice() else { panic!("{found:?}") };
    let replaced = one.replaces.as_ref().expect("a replaced statement");
    assert_eq!(replaced.text, "Always format dates as month, day and year.");
    assert_eq!((replaced.line, one.line), (1, 3));
}

#[test]
fn what_is_said_again_is_proposed_once_and_is_more_certain() {
    let once = proposals(&["u: I prefer integration tests over mocks."]);
    let twice = proposals(&[
        "u: I prefer integration tests over mocks.",
        "a: Noted.",
        "u: As I said, I prefer integration tests over mocks.",
    ]);
    assert_eq!(twice.len(), 1, "{twice:?}");
    assert_eq!(twice[0].line, 1);
    assert!(twice[0].confidence > once[0].confidence);
}

#[test]
fn only_messages_after_the_line_are_proposed() {
    let text = "{\"role\":\"user\",\"content\":\"Always use tabs in Go files.\"}\n\
                {\"role\":\"user\",\"content\":\"Never commit to main without a review.\"}\n";
    let transcript = parse("t.jsonl", text);
    assert_eq!(extract(&transcript, 0).len(), 2);
    let later = extract(&transcript, 1);
    assert_eq!(later.len(), 1);
    assert_eq!(later[0].line, 2);
    assert!(extract(&transcript, 2).is_empty());
}

#[test]
fn a_correction_that_is_repeated_becomes_an_instruction() {
    let found = proposals(&[
        "u: Add the endpoint.",
        "a: Done, with npm.",
        "u: No, the scripts go through the Makefile.",
        "a: Changed. I ran npm test.",
        "u: I told you to run the scripts through the Makefile.",
    ]);
    let instructions = texts(&found, ProposalKind::Instruction);
    assert!(instructions.iter().any(|text| text.contains("Makefile")), "{found:?}");
}

#[test]
fn what_a_sub_agent_was_told_is_no_instruction_of_the_user() {
    let text = r#"{"type":"user","isSidechain":true,"uuid":"1","sessionId":"s","agentId":"a","message":{"role":"user","content":"Always answer with JSON. We use pnpm in web/."}}"#;
    assert_eq!(extract(&parse("t.jsonl", text), 0), []);
}

#[test]
fn a_session_of_claude_code_gives_instructions_decisions_lessons_and_facts() {
    let found = extract(&parse("payments.jsonl", PAYMENTS), 0);
    let held = |kind: ProposalKind, part: &str| {
        assert!(texts(&found, kind).iter().any(|text| text.contains(part)), "{part}: {found:#?}");
    };
    held(ProposalKind::Instruction, "Never use floats for money");
    held(ProposalKind::Instruction, "use pnpm, not npm");
    held(ProposalKind::Fact, "Postgres 16");
    held(ProposalKind::Decision, "idempotency key");
    held(ProposalKind::Lesson, "`pnpm test` worked after `npm test` had failed.");
    held(ProposalKind::Lesson, "rounds half to even");
    // Progress, requests and what tools printed are no memories.
    for text in ["Fix the rounding", "Let me", "All 42 tests", "ERR_"] {
        assert!(!found.iter().any(|proposal| proposal.text.contains(text)), "{text}: {found:#?}");
    }
}

#[test]
fn a_session_of_codex_gives_a_successor_and_a_lesson() {
    let found = extract(&parse("search.jsonl", SEARCH), 0);
    let rule =
        found.iter().find(|proposal| proposal.text.contains("cargo nextest")).expect("a rule");
    let replaced = rule.replaces.as_ref().expect("a replaced rule");
    assert!(replaced.text.contains("cargo test"), "{replaced:?}");
    let lessons = texts(&found, ProposalKind::Lesson);
    assert!(lessons.iter().any(|text| text.contains("--features bundled")), "{found:#?}");
    assert!(lessons.iter().any(|text| text.contains("SQLITE_BUSY")), "{found:#?}");
}

#[test]
fn pasted_documents_logs_and_code_are_no_instructions() {
    let plan = format!(
        "# Plan\n\n## Steps\n\nUse the new client. Don't touch the cache. All fields are empty strings. {}",
        "The watcher sends an event and the library keeps it. ".repeat(30)
    );
    for text in [
        plan.as_str(),
        "This session is being continued from a previous conversation. Always read the file first.",
        "no changes added to commit (use \"git add\" and/or \"git commit -a\")",
        "// Always include the header",
        "+    // never flush twice",
        "\\ No newline at end of file",
    ] {
        let found = proposals(&[&format!("u: {text}")]);
        assert_eq!(found, [], "{text}");
    }
    // A rule in so many words counts in a long message, too.
    let rule = format!("{plan}\n\nNever commit to main.");
    assert_eq!(
        texts_of(&[&format!("u: {rule}")], ProposalKind::Instruction),
        ["Never commit to main."]
    );
}

#[test]
fn descriptions_of_code_are_no_rules() {
    for text in [
        "The flag is defined on the watch command but never read.",
        "Refunds are sometimes a cent short.",
        "Can you help me design how these parts interact with each other?",
        "The lockout is triggered only after 5 attempts, here's what I have so far:",
        "I've been tracking the metrics as you said, always reporting exact numbers.",
        "How can I prioritize my tasks?",
    ] {
        let found = proposals(&[&format!("u: {text}")]);
        assert!(!found.iter().any(|proposal| proposal.kind.is_standing()), "{text}: {found:?}");
    }
}

#[test]
fn only_a_reply_that_accepts_makes_a_decision() {
    let call = r#"{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"command\":\"make\"}"}}]}"#;
    let decisions = |reply: &str| {
        let lines = [
            r#"{"role":"user","content":"Look at the watcher."}"#.to_owned(),
            call.to_owned(),
            r#"{"role":"assistant","content":"Should I refactor the watcher to use fsnotify?"}"#
                .to_owned(),
            serde_json::json!({"role": "user", "content": reply}).to_string(),
        ];
        let found = extract(&parse("t.jsonl", &lines.join("\n")), 0);
        texts(&found, ProposalKind::Decision).len()
    };
    assert_eq!(decisions("yes, do it"), 1);
    assert_eq!(decisions("Address 4 and 18."), 0);
    assert_eq!(decisions("Why do we need that at all?"), 0);
}

#[test]
fn the_id_depends_on_kind_and_text_alone() {
    let id = proposal_id(ProposalKind::Instruction, "Use tabs.");
    assert_eq!(id, proposal_id(ProposalKind::Instruction, "use  tabs"));
    assert_ne!(id, proposal_id(ProposalKind::Fact, "Use tabs."));
}

#[test]
fn statements_of_other_conversations_are_related() {
    let earlier = [
        EarlierStatement { kind: ProposalKind::Fact, text: "We use Postgres 15." },
        EarlierStatement {
            kind: ProposalKind::Instruction,
            text: "Always sign commits with the team key.",
        },
    ];
    let related = |text: &str| {
        let found = proposals(&[&format!("u: {text}")]);
        relate(&found[0], &earlier)
    };
    assert_eq!(related("Always sign commits with the team key!"), Some((Relation::Repeats, 1)));
    assert_eq!(
        related("From now on sign commits with your own key instead."),
        Some((Relation::Changes, 1))
    );
    assert_eq!(related("Always answer in French."), None);
    let short = [EarlierStatement {
        kind: ProposalKind::Preference,
        text: "I prefer short answers without code",
    }];
    let found =
        proposals(&["u: From now on I prefer long answers with code instead of short ones."]);
    assert_eq!(relate(&found[0], &short), Some((Relation::Changes, 0)));
}
