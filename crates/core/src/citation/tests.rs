//! Single kinds of evidence. How often whole sessions are judged right is measured by `heirloom-bench citations`.

use super::*;
use crate::transcript;

/// An embedder for which no texts are alike.
struct NoMeaning;

impl Embedder for NoMeaning {
    fn name(&self) -> &str {
        "no meaning"
    }

    fn dimensions(&self) -> usize {
        1
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        texts.iter().for_each(|_| take(&[0.0]));
        Ok(())
    }
}

/// Judges memories by what an agent said after a user asked for something.
fn judge_message(memories: &[&str], asked: &str, message: &str) -> Vec<Verdict> {
    let transcript =
        transcript::parse("session", &format!("User: {asked}\n\nAssistant: {message}"));
    let ids: Vec<String> = (0..memories.len()).map(|it| format!("aaaa{it:04}")).collect();
    let texts = memories.iter().zip(&ids);
    let texts: Vec<InjectedText<'_>> =
        texts.map(|(text, id)| InjectedText { ids: vec![id], text, first_line: 0 }).collect();
    let context = CitationContext { asked: &[asked], rarity: &|_| 0.8, embedder: &NoMeaning };
    judge(&texts, &AgentWork::of_transcript(&transcript), &context).unwrap()
}

fn is_cited(memory: &str, message: &str) -> bool {
    judge_message(&[memory], "do it", message)[0].is_cited
}

#[test]
fn a_memory_is_cited_by_its_id() {
    let memories = ["Deploys are frozen on Fridays.", "Logs are kept in Loki."];
    let verdicts = judge_message(&memories, "do it", "As aaaa0000 says, not today.");
    let cited: Vec<bool> = verdicts.iter().map(|verdict| verdict.is_cited).collect();
    assert_eq!(cited, [true, false]);
    assert_eq!(verdicts[0].evidence[0], "aaaa0000");
}

#[test]
fn a_value_counts_beside_words_of_the_memory() {
    let memory = "The poller waits 400 ms between retries, at most 5 attempts.";
    assert!(is_cited(
        memory,
        "```rust\nconst RETRY_WAIT: Duration = Duration::from_millis(400);\nconst MAX_ATTEMPTS: u32 = 5;\n```"
    ));
    assert!(!is_cited(memory, "```rust\nconst WIDTH: u32 = 400;\nconst COLUMNS: u32 = 5;\n```"));
}

#[test]
fn words_of_the_task_and_of_other_memories_say_little() {
    let memory = "Refunds are posted as journal entries with reversed legs.";
    let message = "The refunds are posted to the journal.";
    let of = |asked: &str| judge_message(&[memory], asked, message)[0].likelihood;
    assert!(of("post refunds to the journal") < of("do it"));
    let other = "Refunds are posted to the journal at night.";
    let beside_other = judge_message(&[memory, other], "do it", message)[0].likelihood;
    assert!(beside_other < of("do it"));
}

#[test]
fn a_context_that_a_message_repeats_is_neither_asked_nor_done() {
    let memories = [
        "Enums are stored as strings in Postgres.",
        "Holds expire after seven open days.",
        "Queue positions are computed and never stored.",
    ];
    let context = memories.join("\n");
    let message = "I store the enums as strings in Postgres, as columns.";
    let repeated_by_user = judge_message(&memories, &context, message);
    assert!(repeated_by_user[0].is_cited);
    let repeated_by_agent = judge_message(&memories, "do it", &context);
    assert!(repeated_by_agent.iter().all(|verdict| !verdict.is_cited));
}
