use std::time::{Duration, Instant};

use jiff::civil::Date;

use super::*;
use crate::record::Relation;

fn fact(id: &str, role: LinkRole, text: &str) -> LinkableMemory {
    LinkableMemory::new(Referent::entry(id), role, text)
}

fn record(number: u32, title: &str, text: &str) -> LinkableMemory {
    LinkableMemory {
        name: Some(format!("ADR-{number:04}")),
        number: Some(number),
        title: Some(title.to_owned()),
        ..LinkableMemory::new(
            Referent::document(format!("adr/ADR-{number:04}")),
            LinkRole::DecisionRecord,
            text,
        )
    }
}

fn found(memories: &[LinkableMemory]) -> Vec<String> {
    let changed: Vec<usize> = (0..memories.len()).collect();
    let found = find_links(memories, &changed, &KnownRelations::default(), usize::MAX, |_| true);
    let shown = |link: &ProposedLink| {
        format!("{} {} {}", link.from.short(), link.relation.as_str(), link.to.short())
    };
    found.links.iter().map(shown).collect()
}

#[test]
fn names_in_texts_and_artifacts_are_evidence() {
    let mut memories = [
        record(4, "Handles", "## Decision\n\nWe wrap effects."),
        record(7, "Callbacks", "## Decision\n\nThis builds on [ADR 4](0004-handles.md)."),
        fact(
            "style",
            LinkRole::Other,
            "Components are handles (ADR-4), given to callbacks (ADR-7).",
        ),
        LinkableMemory {
            artifacts: vec!["adr:ADR-0007".to_owned()],
            ..fact("tests", LinkRole::Other, "Tests stub the callback.")
        },
    ];
    memories[0].names = vec!["0004-handles.md".to_owned()];
    assert_eq!(
        found(&memories),
        [
            "adr/ADR-0007 depends_on adr/ADR-0004",
            "style motivated_by adr/ADR-0004",
            "style motivated_by adr/ADR-0007",
            "tests motivated_by adr/ADR-0007",
        ]
    );
}

#[test]
fn a_record_is_not_the_reason_of_the_fact_that_was_made_from_it() {
    let own = LinkableMemory {
        made_from: Some("ADR-0004".to_owned()),
        ..fact("a", LinkRole::Decision, "Effects are handles (ADR-4).")
    };
    assert_eq!(found(&[record(4, "Handles", ""), own]), [""; 0]);
}

#[test]
fn what_a_record_says_is_proposed_once() {
    let own = LinkableMemory {
        made_from: Some("ADR-0007".to_owned()),
        ..fact("a", LinkRole::Decision, "Callbacks. This builds on ADR-4.")
    };
    let memories = [
        record(4, "Handles", ""),
        record(7, "Callbacks", "## Decision\n\nThis builds on ADR-4."),
        own.clone(),
    ];
    assert_eq!(found(&memories), ["adr/ADR-0007 depends_on adr/ADR-0004"]);
    // The record is in another clone: the fact alone says it.
    assert_eq!(found(&[record(4, "Handles", ""), own]), ["a depends_on adr/ADR-0004"]);
}

#[test]
fn a_clause_and_a_statement_agree_in_numbers_and_negation() {
    let reason = |text: &str| fact("fact", LinkRole::Decision, text);
    let statement = |text: &str| fact("reason", LinkRole::Other, text);
    let holds =
        |clause: &str, stated: &str| !found(&[reason(clause), statement(stated)]).is_empty();
    let clause = "Batches are split because the gateway rejects bodies over 2 megabytes.";
    assert!(holds(clause, "The gateway rejects bodies over 2 megabytes."));
    assert!(!holds(clause, "The gateway rejects bodies over 5 megabytes."));
    assert!(!holds(clause, "The gateway never rejects bodies over 2 megabytes."));
    assert!(!holds(clause, "The gateway rejects bodies over 2 megabytes in these cases:"));
    let condition = "Batches are split because if the gateway rejects bodies over 2 megabytes";
    assert!(!holds(condition, "The gateway rejects bodies over 2 megabytes."));
}

#[test]
fn a_clause_leads_to_the_memory_that_states_it() {
    let memories = [
        fact("drops", LinkRole::Problem, "The message queue drops events under load."),
        fact("other", LinkRole::Other, "Events are stored for a year."),
        fact(
            "outbox",
            LinkRole::Decision,
            "Orders go through an outbox table, because the message queue drops events under load.",
        ),
        fact(
            "third",
            LinkRole::Decision,
            "Mail is sent twice because the database drops connections.",
        ),
    ];
    assert_eq!(found(&memories), ["outbox motivated_by drops"]);
}

#[test]
fn what_is_replaced_is_older_and_was_stated_as_true() {
    let day = |text: &str| text.parse::<Date>().ok();
    let old = |text: &str| LinkableMemory {
        day: day("2025-01-01"),
        ..fact("old", LinkRole::Decision, text)
    };
    let new = LinkableMemory {
        day: day("2025-06-01"),
        ..fact(
            "new",
            LinkRole::Decision,
            "Routes use gateway objects instead of Contour proxy objects.",
        )
    };
    let earlier = old("Routes use Contour proxy objects.");
    assert_eq!(found(&[earlier.clone(), new.clone()]), ["new replaces old"]);
    assert_eq!(found(&[old("Routes never use Contour proxy objects."), new.clone()]), [""; 0]);
    let undated = LinkableMemory { day: None, ..earlier };
    assert_eq!(found(&[undated, new]), [""; 0]);
}

#[test]
fn a_decision_leads_to_the_session_that_it_was_made_in() {
    let work = |decisions: &[&str], files: &[&str]| SessionWork {
        decisions: decisions.iter().map(|text| (*text).to_owned()).collect(),
        files: files.iter().map(|text| (*text).to_owned()).collect(),
        ..SessionWork::default()
    };
    let episode = |id: &str, session: &str, title: &str, work: SessionWork| LinkableMemory {
        title: Some(title.to_owned()),
        session: Some(session.to_owned()),
        day: "2026-02-20".parse().ok(),
        work: Some(work),
        ..fact(id, LinkRole::Episode, title)
    };
    let decision = LinkableMemory {
        session: Some("s1".to_owned()),
        day: "2026-02-21".parse().ok(),
        artifacts: vec!["file:src/queue.rs".to_owned()],
        ..fact("outbox", LinkRole::Decision, "Orders go through an outbox table of the queue")
    };
    let same = episode("one", "s1", "Looked at lost orders", work(&[], &[]));
    let reported = episode("two", "s2", "x", work(&["orders go through an outbox table"], &[]));
    let changed = episode("three", "s3", "Outbox table for orders", work(&[], &["src/queue.rs"]));
    let unrelated = episode("four", "s4", "Formatted all files", work(&[], &["src/queue.rs"]));
    assert_eq!(found(&[same.clone(), decision.clone()]), ["outbox motivated_by one"]);
    assert_eq!(found(&[changed.clone(), decision.clone()]), ["outbox motivated_by three"]);
    assert_eq!(found(&[unrelated, decision.clone()]), [""; 0]);
    assert_eq!(found(&[reported.clone(), decision.clone()]), [""; 0], "nothing connects the two");
    let all = [same, changed, reported, decision.clone()];
    assert_eq!(found(&all), ["outbox motivated_by one"], "the session itself is the best evidence");
    let constraint = LinkableMemory { role: LinkRole::Constraint, ..decision };
    assert_eq!(found(&[all[0].clone(), constraint]), [""; 0]);
}

#[test]
fn a_commit_connects_a_decision_with_its_session() {
    let with = |artifact: &str, memory: LinkableMemory| LinkableMemory {
        artifacts: vec![artifact.to_owned()],
        ..memory
    };
    let episode = LinkableMemory {
        work: Some(SessionWork {
            commits: vec!["0123456789ab Add the outbox".to_owned()],
            ..SessionWork::default()
        }),
        ..fact("work", LinkRole::Episode, "Added the outbox")
    };
    let decision =
        with("commit:0123456", fact("outbox", LinkRole::Decision, "Orders go out once."));
    assert_eq!(found(&[episode, decision]), ["outbox motivated_by work"]);
    let problem = with("pr:#12", fact("lost", LinkRole::Problem, "Orders get lost in the queue."));
    let fix = with("pr:12", fact("fix", LinkRole::Decision, "Orders skip the queue."));
    let colour = with("pr:12", fact("colour", LinkRole::Decision, "Buttons are blue."));
    assert_eq!(found(&[problem, fix, colour]), ["fix motivated_by lost"]);
}

#[test]
fn known_relations_are_not_proposed_and_the_rest_is_left_for_later() {
    let memories = [
        record(4, "Handles", ""),
        fact("a", LinkRole::Other, "Effects are handles (ADR-4)."),
        fact("b", LinkRole::Other, "Tests stub handles (ADR-4)."),
    ];
    let mut known = KnownRelations::default();
    known.insert(Referent::entry("a"), Referent::document("adr/ADR-0004"));
    let found = find_links(&memories, &[1, 2], &known, usize::MAX, |_| true);
    assert_eq!((found.links.len(), found.examined), (1, 2));
    let limited = find_links(&memories, &[2, 1], &KnownRelations::default(), 1, |_| true);
    assert_eq!((limited.links.len(), limited.examined), (1, 1));
    let link = &limited.links[0];
    assert_eq!(link.relation, Relation::MotivatedBy);
    assert!(link.reason.contains("\u{201c}Tests stub handles (ADR-4).\u{201d}"), "{}", link.reason);
}

#[test]
fn a_hostile_line_takes_little_time() {
    let lines = [
        "because the queue drops messages due to load ".repeat(5_000),
        "depends on ADR-0004, ADR-0007 and ".repeat(5_000),
        "ADR-0004, ".repeat(20_000),
        "[".repeat(200_000),
        "a.".repeat(100_000),
        "depends on ADR-0004. ".repeat(10_000),
    ];
    let mut memories = vec![record(4, "Handles", ""), record(7, "Callbacks", "")];
    for (at, line) in lines.iter().enumerate() {
        let role = if at % 2 == 0 { LinkRole::Decision } else { LinkRole::Problem };
        memories.push(LinkableMemory {
            artifacts: vec!["commit:0123abcd".to_owned()],
            ..fact(&format!("hostile{at}"), role, line)
        });
    }
    let started = Instant::now();
    assert!(found(&memories).len() < 50);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
