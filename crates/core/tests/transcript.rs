//! Tests of reading and digesting transcripts of each format: sample sessions with expected results, and property tests
//! that no text makes the reader panic.

use heirloom_core::transcript::{
    Digest, Format, Role, ToolKind, Transcript, digest_transcript, parse,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const CLAUDE_CODE: &str = include_str!("transcripts/claude_code.jsonl");
const CODEX: &str = include_str!("transcripts/codex.jsonl");
const CODEX_BARE: &str = include_str!("transcripts/codex_bare.jsonl");
const CHAT: &str = include_str!("transcripts/chat.jsonl");
const SESSION: &str = include_str!("transcripts/session.txt");
const TERMINAL: &str = include_str!("transcripts/terminal.txt");

fn turns(transcript: &Transcript) -> Vec<(Role, usize, &str)> {
    let turn = transcript.turns.iter();
    turn.map(|turn| (turn.role, turn.line, turn.text.lines().next().unwrap_or(""))).collect()
}

fn calls(transcript: &Transcript) -> Vec<(ToolKind, &str, bool)> {
    transcript.tool_calls.iter().map(|call| (call.kind, call.input.as_str(), call.failed)).collect()
}

fn problems(transcript: &Transcript) -> Vec<String> {
    transcript.problems.iter().map(ToString::to_string).collect()
}

fn digested(text: &str) -> Digest {
    digest_transcript(&parse("s", text))
}

#[test]
fn a_claude_code_transcript_is_read() {
    let transcript = parse("s.jsonl", CLAUDE_CODE);
    assert_eq!(transcript.format, Format::ClaudeCode);
    assert_eq!(transcript.cwd.as_deref(), Some("/home/ada/shop"));
    assert_eq!(
        turns(&transcript),
        [
            (
                Role::User,
                5,
                "The cart loses items when two tabs are open. Please find out why and fix it."
            ),
            (Role::Assistant, 7, "I'll look at how the cart is stored."),
            (Role::Assistant, 24, "We'll use a version number for each item instead of a lock."),
            (Role::Assistant, 39, "The cart no longer loses items: each item has a version."),
            (Role::User, 40, "ok thanks"),
            (Role::User, 42, "Also write a test that opens two tabs at once"),
            (Role::Assistant, 45, "The test for two tabs is written, but it does not run yet."),
        ]
    );
    assert_eq!(
        calls(&transcript),
        [
            (ToolKind::Read, "src/cart.ts", false),
            (ToolKind::Search, "localStorage", false),
            (ToolKind::Delegate, "Survey the storage code", false),
            (ToolKind::Read, "src/tabs.ts", false),
            (ToolKind::Edit, "docs/survey.md", false),
            (ToolKind::Ask, "Which store should hold the cart?", false),
            (ToolKind::Plan, "", false),
            (ToolKind::Plan, "", false),
            (ToolKind::Edit, "src/cart.ts", false),
            (ToolKind::Edit, "src/cart.ts", false),
            (ToolKind::Edit, "/etc/hosts", true),
            (ToolKind::Run, "cd /home/ada/shop && npm test", true),
            (ToolKind::Edit, "src/store.ts", false),
            (ToolKind::Run, "npm test", false),
            (
                ToolKind::Run,
                "git add -A && git commit -m \"$(cat <<'EOF'\nKeep the cart in IndexedDB\n\nBody.\nEOF\n)\"",
                false
            ),
            (ToolKind::Plan, "", false),
            (ToolKind::Run, "npx playwright test tabs", true),
        ]
    );
    assert_eq!(transcript.files_written, ["docs/survey.md", "src/cart.ts", "src/store.ts"]);
    assert_eq!(transcript.files_read, ["src/tabs.ts"]);
    assert_eq!(transcript.commits, ["1a2b3c4 Keep the cart in IndexedDB"]);
    assert_eq!(transcript.started, Some("2026-03-01T10:00:01Z".parse().unwrap()));
    assert_eq!(
        problems(&transcript),
        ["s.jsonl:46: this is not JSON: the text ends inside a string at column 44"]
    );
}

#[test]
fn a_claude_code_transcript_is_digested() {
    let digest = digested(CLAUDE_CODE);
    assert_eq!(digest.title, "The cart loses items when two tabs are open");
    assert_eq!(
        digest.goals,
        [
            "The cart loses items when two tabs are open. Please find out why and fix it.",
            "Also write a test that opens two tabs at once",
        ]
    );
    assert_eq!(
        digest.decisions,
        [
            "Which store should hold the cart? → IndexedDB",
            "Accepted plan: Move the cart to IndexedDB",
            "We'll use a version number for each item instead of a lock.",
        ]
    );
    assert_eq!(
        digest.open,
        [
            "I cannot start a browser here.",
            "Shall I install one?",
            "Install Playwright's browser",
            "`npx playwright test tabs` failed",
            "The test for two tabs is written, but it does not run yet.",
        ]
    );
    assert_eq!(
        digest.sequence,
        [
            "read src/cart.ts, src/tabs.ts; searched",
            "delegated: Survey the storage code",
            "wrote docs/survey.md",
            "edited src/cart.ts (2×)",
            "edited /etc/hosts: failed",
            "ran npm test (2×, 1 failed)",
            "edited src/store.ts",
            "committed: Keep the cart in IndexedDB",
            "ran npx playwright test tabs: failed",
        ]
    );
    assert_eq!(digest.outcome, "The test for two tabs is written, but it does not run yet.");
    assert_eq!(digest.todos, ["Test two tabs"]);
    assert_eq!(
        digest.summary,
        "Asked: The cart loses items when two tabs are open. Please find out why and fix it.\n\
         Outcome: The test for two tabs is written, but it does not run yet.\n\
         Decided: Which store should hold the cart? → IndexedDB; Accepted plan: Move the cart to \
         IndexedDB; We'll use a version number for each item instead of a lock.\n\
         Open: I cannot start a browser here. Shall I install one? Install Playwright's browser; \
         `npx playwright test tabs` failed.\n\
         To do: Test two tabs.\n\
         Changed: docs/survey.md, src/cart.ts, src/store.ts.\n\
         Commits: 1a2b3c4 Keep the cart in IndexedDB."
    );
}

#[test]
fn a_codex_transcript_is_read_and_digested() {
    let transcript = parse("s.jsonl", CODEX);
    assert_eq!(transcript.format, Format::Codex);
    assert_eq!(
        turns(&transcript),
        [
            (Role::User, 6, "Add rate limits to the login route. Keep it simple."),
            (Role::Assistant, 14, "Going with a token bucket in memory."),
            (Role::Assistant, 22, "Logins are limited to five a minute for each address."),
        ]
    );
    assert_eq!(
        calls(&transcript),
        [
            (ToolKind::Read, "src/login.py", false),
            (ToolKind::Plan, "", false),
            (ToolKind::Edit, "src/login.py, src/limit.py", false),
            (ToolKind::Run, "pytest -q", true),
            (ToolKind::Run, "git commit -am 'Limit logins'", true),
        ]
    );
    assert_eq!(transcript.files_written, ["src/login.py", "src/limit.py"]);
    assert_eq!((transcript.commits.len(), transcript.problems.len()), (0, 0));
    let digest = digest_transcript(&transcript);
    assert_eq!(digest.decisions, ["Going with a token bucket in memory."]);
    assert_eq!(
        digest.open,
        [
            "The commit is blocked by the sandbox.",
            "Should I try it outside?",
            "`pytest -q` failed",
            "`git commit -am 'Limit logins'` failed",
        ]
    );
    assert_eq!(digest.todos, ["Describe the limit in the docs"]);
}

#[test]
fn an_old_codex_transcript_has_no_envelope() {
    let transcript = parse("s.jsonl", CODEX_BARE);
    assert_eq!((transcript.format, transcript.problems.len()), (Format::Codex, 0));
    assert_eq!(transcript.cwd.as_deref(), Some("/home/ada/old"));
    assert_eq!(
        turns(&transcript),
        [(Role::User, 4, "Rename the flag --fast to --quick."), (Role::Assistant, 9, "Renamed.")]
    );
    assert_eq!(transcript.files_written, ["src/main.go", "cmd/main.go"]);
}

#[test]
fn a_transcript_of_json_lines_is_read_and_digested() {
    let transcript = parse("s.jsonl", CHAT);
    assert_eq!(transcript.format, Format::JsonLines);
    assert_eq!(
        turns(&transcript),
        [
            (Role::System, 1, "You are helpful."),
            (Role::User, 2, "Which queue do we use for mails? Pick one and write it down."),
            (Role::Tool, 9, "a result without a call"),
            (Role::Assistant, 10, "**Decisions**"),
        ]
    );
    assert_eq!(
        calls(&transcript),
        [(ToolKind::Edit, "docs/queue.md", false), (ToolKind::Run, "make docs", true)]
    );
    assert_eq!(transcript.ended, Some("2026-05-01T12:01:00Z".parse().unwrap()));
    assert_eq!(
        problems(&transcript),
        [
            "s.jsonl:4: this is not JSON: a value is expected (text must be in double quotes) at column 2",
            "s.jsonl:6: the line is not a JSON object or array",
            "s.jsonl:11: the message has no known role; expected `role` to be user, assistant, tool or system",
        ]
    );
    let digest = digest_transcript(&transcript);
    assert_eq!(digest.decisions, ["NATS for mails", "No retries at night"]);
    assert_eq!(digest.outcome, "Done, apart from the docs");
    assert_eq!(digest.todos, ["Build the docs"]);
}

#[test]
fn a_transcript_in_one_json_document_is_read() {
    for text in [
        "[\n  {\"role\": \"user\", \"content\": \"Hi\"}\n]",
        "{\n  \"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]\n}",
        "[{\"role\": \"user\", \"content\": \"Hi\"}]",
        "\u{feff}{\"messages\": [{\"role\": \"user\", \"content\": {\"parts\": [\"Hi\"]}}]}",
    ] {
        assert_eq!(turns(&parse("s", text)), [(Role::User, 1, "Hi")], "{text}");
    }
}

#[test]
fn a_text_transcript_is_split_at_speakers() {
    let transcript = parse("s.txt", SESSION);
    assert_eq!(transcript.format, Format::Text);
    assert_eq!(
        turns(&transcript),
        [
            (Role::User, 1, "Make the report faster."),
            (Role::Assistant, 4, "The query has no index. I chose an index over a cache."),
            (Role::User, 11, "Is it faster now?"),
            (Role::Assistant, 12, "Yes: two seconds. Waiting for the review of the index."),
        ]
    );
    let digest = digest_transcript(&transcript);
    assert_eq!(digest.decisions, ["I chose an index over a cache."]);
    assert_eq!(digest.open, ["Waiting for the review of the index."]);
}

#[test]
fn a_terminal_transcript_is_split_at_prompts() {
    let transcript = parse("s.txt", TERMINAL);
    assert_eq!(
        turns(&transcript),
        [
            (Role::User, 1, "fix the typo in the readme"),
            (Role::Assistant, 4, "I'll fix both."),
            (Role::Assistant, 12, "Both typos are fixed."),
        ]
    );
    assert_eq!(
        calls(&transcript),
        [(ToolKind::Edit, "README.md", false), (ToolKind::Run, "make lint", false)]
    );
}

#[test]
fn a_transcript_without_speakers_is_read_as_a_report() {
    let digest = digested("# Cache\n\nThe cache is done.\n\n## Open questions\n\n- Which size?\n");
    assert_eq!((digest.title.as_str(), digest.goals.len()), ("Cache", 0));
    assert_eq!(digest.outcome, "The cache is done.");
    assert_eq!(digest.open, ["Which size?"]);
    assert_eq!(digested("").title, "Session");
    assert_eq!(digested(":").title, "Session");
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let long = format!("{{\"role\":\"user\",\"content\":\"{}\"}}", "é".repeat(5 << 20));
    let text = format!(
        "{{\"role\":\"user\",\"content\":\"Hi\"}}\n{long}\n{{\"role\":\"ai\",\"text\":\"Yes\"}}\n"
    );
    let transcript = parse("s", &text);
    assert_eq!(turns(&transcript), [(Role::User, 1, "Hi"), (Role::Assistant, 3, "Yes")]);
    assert_eq!(
        problems(&transcript),
        ["s:2: the line has 10485788 bytes and is skipped; at most 8 MiB are read"]
    );
}

#[test]
fn completed_tasks_are_removed_from_todos() {
    let line = |blocks: &str, role: &str, n: usize| {
        format!(
            "{{\"type\":\"{role}\",\"uuid\":\"{n}\",\"sessionId\":\"s\",\"message\":{{\"role\":\"{role}\",\"content\":[{blocks}]}}}}\n"
        )
    };
    let call = |id: usize, name: &str, input: &str| {
        let block = format!(
            "{{\"type\":\"tool_use\",\"id\":\"t{id}\",\"name\":\"{name}\",\"input\":{input}}}"
        );
        let result = format!(
            "{{\"type\":\"tool_result\",\"tool_use_id\":\"t{id}\",\"content\":\"Task #{id} created\"}}"
        );
        line(&block, "assistant", id * 2) + &line(&result, "user", id * 2 + 1)
    };
    let text = [
        call(1, "TaskCreate", "{\"subject\":\"Parse\"}"),
        call(2, "TaskCreate", "{\"subject\":\"Print\"}"),
        call(3, "TaskUpdate", "{\"taskId\":\"1\",\"status\":\"completed\"}"),
    ];
    assert_eq!(digested(&text.concat()).todos, ["Print"]);
}

#[test]
fn a_long_transcript_has_a_short_digest() {
    let text: String = (0..40)
        .map(|n| {
            format!(
                "{{\"role\":\"user\",\"content\":\"Please change the part number {n} now\"}}\n\
                 {{\"role\":\"assistant\",\"content\":\"We decided to change {n}.\",\"tool_calls\":\
                 [{{\"function\":{{\"name\":\"edit\",\"arguments\":{{\"path\":\"{n}.rs\"}}}}}}]}}\n"
            )
        })
        .collect();
    let digest = digested(&text);
    assert_eq!((digest.goals.len(), digest.decisions.len(), digest.sequence.len()), (12, 24, 12));
    assert_eq!(digest.goals[0], "Please change the part number 0 now");
    assert_eq!(digest.goals[11], "Please change the part number 39 now");
    assert_eq!(digest.sequence[3..6], ["edited 3.rs", "… 29 more steps", "edited 33.rs"]);
    assert_eq!(digest.sequence[11], "edited 39.rs");
}

fn is_within_limits(digest: &Digest) -> bool {
    let lists = [&digest.goals, &digest.sequence, &digest.todos];
    let statements = [&digest.instructions, &digest.decisions, &digest.findings, &digest.open];
    let is_short = |list: &[String], max_items: usize, max_chars: usize| {
        list.len() <= max_items && list.iter().all(|item| item.chars().count() <= max_chars)
    };
    lists.iter().all(|list| is_short(list, 12, 300))
        && statements.iter().all(|list| is_short(list, 24, 480))
        && digest.title.chars().count() <= 80
        && digest.summary.chars().count() <= 1200
}

/// Generates fragments of transcripts, so that generated texts pass the detection of the format.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = [
        "User: ",
        "Assistant: ",
        "> ",
        "⏺ Bash(",
        "```",
        "- [ ] ",
        "## Decisions\n",
        "decided to ",
        "{\"role\":\"user\",\"content\":\"",
        "\"}",
        "\n",
        "<system-reminder>",
        "</system-reminder>",
        ";base64,",
        "data:",
        "*** Begin Patch\n*** Add File: ",
        "git commit -m \"",
        "\"=\"",
        "。",
        "…",
        "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":\"<é>",
        "{\"type\":\"user\",\"uuid\":\"1\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",",
    ];
    prop_oneof![select(fixed.to_vec()).prop_map(str::to_owned), ".{0,12}"]
}

/// Generates a transcript in which some characters were replaced.
fn damaged() -> impl Strategy<Value = String> {
    let whole = select(vec![CLAUDE_CODE, CODEX, CODEX_BARE, CHAT, SESSION, TERMINAL]);
    let replacements = prop::collection::vec((any::<Index>(), 0..40_usize, ".{0,6}"), 1..8);
    (whole, replacements).prop_map(|(whole, replacements)| {
        let mut chars: Vec<char> = whole.chars().collect();
        for (start, length, replacement) in replacements {
            let start = start.index(chars.len() + 1);
            let end = (start + length).min(chars.len());
            chars.splice(start..end, replacement.chars());
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn any_transcript_has_a_digest_within_limits(fragments in prop::collection::vec(fragment(), 0..40)) {
        prop_assert!(is_within_limits(&digested(&fragments.concat())));
    }

    #[test]
    fn a_damaged_transcript_has_a_digest_within_limits(text in damaged()) {
        prop_assert!(is_within_limits(&digested(&text)));
    }
}

#[test]
fn a_greeting_is_no_title() {
    let text = "User: Hey!\n\nUser: Hello. Please make refunds idempotent.\n\nAgent: Done.\n";
    assert_eq!(digested(text).title, "Please make refunds idempotent");
    assert_eq!(digested("User: Hey!\n\nAgent: Hello.\n").title, "Hey!");
}
