//! Recognises what kind of answer a question asks for.

/// Auxiliary verbs after "how" that ask how something was done: "how did we migrate", but not "how should we".
const PAST_AUXILIARIES: &[&str] = &["did", "had", "has", "have", "was", "were"];

/// Nouns for something that takes several sentences to describe.
const ACCOUNT_NOUNS: &[&str] = &[
    "advice",
    "approach",
    "approaches",
    "explanation",
    "method",
    "methods",
    "plan",
    "plans",
    "process",
    "reason",
    "reasons",
    "recommendation",
    "recommendations",
    "step",
    "steps",
    "strategies",
    "strategy",
    "suggestion",
    "suggestions",
    "technique",
    "techniques",
    "tips",
    "way",
    "ways",
];

/// Verbs after "what approach" and the like that ask for the past or for what stands.
const ACCOUNT_AUXILIARIES: &[&str] = &["did", "do", "does", "had", "have", "was", "were"];

/// Verbs of telling, after "did you" or "you".
const TELLING_VERBS: &[&str] = &[
    "advise",
    "advised",
    "describe",
    "described",
    "explain",
    "explained",
    "gave",
    "give",
    "list",
    "listed",
    "mention",
    "mentioned",
    "outline",
    "outlined",
    "propose",
    "proposed",
    "provide",
    "provided",
    "recommend",
    "recommended",
    "said",
    "say",
    "suggest",
    "suggested",
    "tell",
    "told",
];

/// The most words between "what" and the noun: "what are the main steps".
const MAX_WORDS_BEFORE_NOUN: usize = 3;

/// Returns whether a question asks for an account of something: how it was done, which steps or approach there were, or
/// what the other side recommended. The answer is a longer text rather than a fact.
pub(super) fn asks_for_account(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .collect();
    let asks_at = |at: usize| {
        let rest = &words[at..];
        match rest {
            ["how", verb, ..] => PAST_AUXILIARIES.contains(verb),
            ["what" | "which", ..] => asks_for_noun(&rest[1..]),
            ["did" | "have" | "had", "you", ..] => {
                rest[2..].iter().take(2).any(|word| TELLING_VERBS.contains(word))
            }
            ["you", verb, ..] => {
                TELLING_VERBS.contains(verb) && verb.ends_with("ed")
                    || matches!(*verb, "said" | "told" | "gave")
            }
            ["your", noun, ..] => ACCOUNT_NOUNS.contains(noun),
            _ => false,
        }
    };
    (0..words.len()).any(asks_at)
}

/// Returns whether the words after "what" name an account and go on with an auxiliary verb.
fn asks_for_noun(words: &[&str]) -> bool {
    let nouns = words.iter().take(MAX_WORDS_BEFORE_NOUN + 1).enumerate();
    let mut nouns = nouns.filter(|(_, word)| ACCOUNT_NOUNS.contains(word));
    nouns.any(|(at, _)| words.get(at + 1).is_some_and(|next| ACCOUNT_AUXILIARIES.contains(next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_accounts_are_recognised() {
        for question in [
            "How did we migrate the ledger?",
            "What steps did I plan to take before the launch?",
            "Which approach was chosen for retries, and why?",
            "What did you recommend for the cache?",
            "What were the limits that you suggested?",
            "Summarise your advice on indexes",
        ] {
            assert!(asks_for_account(question), "{question}");
        }
        for question in [
            "When does the first sprint end?",
            "How many columns did I add?",
            "How should I format the date?",
            "What would you suggest for the schema?",
            "What is the retry limit?",
            "Who plans the release?",
            "",
        ] {
            assert!(!asks_for_account(question), "{question}");
        }
    }
}
