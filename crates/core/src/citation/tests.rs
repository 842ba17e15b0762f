//! The detector on conversations of several clients with memories of which it is known whether they were used.

use std::collections::HashMap;

use super::*;
use crate::transcript;

const SESSIONS: [(&str, &str); 8] = [
    ("refund_rounding", include_str!("sessions/refund_rounding.txt")),
    ("login_rate_limit", include_str!("sessions/login_rate_limit.txt")),
    ("slow_report", include_str!("sessions/slow_report.txt")),
    ("cli_flag", include_str!("sessions/cli_flag.txt")),
    ("timezone_bug", include_str!("sessions/timezone_bug.txt")),
    ("k8s_memory", include_str!("sessions/k8s_memory.txt")),
    ("docs_search", include_str!("sessions/docs_search.txt")),
    ("migrate_queue", include_str!("sessions/migrate_queue.txt")),
];

/// A conversation with the memories that were injected at its beginning.
struct Example<'e> {
    task: &'e str,
    /// The memories, and whether the agent used them.
    memories: Vec<(&'e str, bool)>,
    transcript: &'e str,
}

impl<'e> Example<'e> {
    fn parse(text: &'e str) -> Self {
        let (head, transcript) = text.split_once("\n---\n").unwrap();
        let mut lines = head.lines();
        let task = lines.next().unwrap().strip_prefix("task: ").unwrap();
        let memories = lines.map(|line| (&line[2..], line.starts_with('+'))).collect();
        Example { task, memories, transcript }
    }
}

/// Judges the memories of an example; `counts` are the numbers of memories with each term, of `all`.
fn judge_example(
    example: &Example<'_>,
    counts: &HashMap<String, usize>,
    all: usize,
) -> Vec<Verdict> {
    let transcript = transcript::parse("session", example.transcript);
    let ids: Vec<String> = (0..example.memories.len()).map(|it| format!("aaaa{it:04}")).collect();
    let memories: Vec<InjectedText> = example
        .memories
        .iter()
        .zip(&ids)
        .map(|((text, _), id)| InjectedText { ids: vec![id], text, first_line: 0 })
        .collect();
    let users = transcript.turns.iter().filter(|turn| turn.role == transcript::Role::User);
    let asked: Vec<&str> = users.map(|turn| turn.text.as_str()).chain([example.task]).collect();
    let rarity = |term: &str| {
        let count = counts.get(term).copied().unwrap_or(0) as f64;
        1.0 - (1.0 + count).ln() / (2.0 + all as f64).ln()
    };
    let context = CitationContext { asked: &asked.join("\n"), rarity: &rarity };
    judge(&memories, &AgentWork::of_transcript(&transcript), &context)
}

#[test]
fn memories_that_were_used_are_told_apart() {
    let examples: Vec<(&str, Example)> =
        SESSIONS.iter().map(|(name, text)| (*name, Example::parse(text))).collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let all: Vec<&str> =
        examples.iter().flat_map(|(_, it)| it.memories.iter().map(|(text, _)| *text)).collect();
    for text in &all {
        let distinct: HashSet<String> = terms(text).into_iter().collect();
        distinct.into_iter().for_each(|term| *counts.entry(term).or_default() += 1);
    }
    let mut wrong = Vec::new();
    for (name, example) in &examples {
        for ((text, used), verdict) in
            example.memories.iter().zip(judge_example(example, &counts, all.len()))
        {
            if verdict.is_cited != *used {
                let what = if *used { "missed" } else { "false" };
                wrong.push(format!("{name}: {what}: {text} {:?}", verdict.evidence));
            }
        }
    }
    let share = 1.0 - wrong.len() as f64 / all.len() as f64;
    assert!(share >= 0.9, "{share:.3} of {} are judged right:\n{}", all.len(), wrong.join("\n"));
}
