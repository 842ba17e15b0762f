use std::cell::Cell;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn no_nearness(_: &str, _: &str) -> f32 {
    0.0
}

fn may_contradict(a: &str, b: &str) -> bool {
    ReadText::new(a).may_contradict(&ReadText::new(b))
}

fn judge(a: &str, b: &str) -> Verdict {
    judge_pair(a, b, &no_nearness, None)
}

#[test]
fn clear_contradictions_are_certain_and_say_why() {
    for (a, b, kind, reason) in [
        (
            "The timeout of requests is 30 seconds",
            "The timeout of requests is 60 seconds",
            FindingKind::Number,
            "`30 seconds` and `60 seconds` for `timeout of requests`",
        ),
        (
            "The API gateway of the shop runs on Node 18",
            "The API gateway of the shop runs on Node 22",
            FindingKind::Version,
            "`18` and `22` for `API gateway of the shop runs`",
        ),
        (
            "The cache of the build server is enabled",
            "The cache of the build server is disabled",
            FindingKind::Negation,
            "`disabled` and `enabled` for `cache of the build server`",
        ),
    ] {
        let verdict = judge(a, b);
        assert_eq!(verdict.certainty, Certainty::Certain, "{a} / {b}: {verdict:?}");
        assert_eq!((verdict.kind, verdict.reason.as_str()), (kind, reason), "{a} / {b}");
    }
}

#[test]
fn equal_amounts_other_scopes_and_other_subjects_are_not_certain() {
    for (a, b) in [
        ("The timeout of requests is 30 s", "The timeout of requests is 30000 ms"),
        ("The search service retries 3 times", "The billing service retries 5 times"),
        ("Debug logging is off in production", "Debug logging is on in staging"),
        ("Orders are stored in PostgreSQL", "PostgreSQL runs on version 16"),
        ("Sessions last 20 minutes", "Reports are kept for 2 years"),
        ("", "Sessions last 20 minutes"),
    ] {
        let verdict = judge(a, b);
        assert_ne!(verdict.certainty, Certainty::Certain, "{a} / {b}: {verdict:?}");
    }
}

#[test]
fn the_contradictory_sentences_of_long_texts_are_found() {
    let filler =
        "Every page has a footer with links to the imprint. Images are resized on upload. ";
    let a = format!("{}The timeout of requests is 30 seconds. {filler}", filler.repeat(20));
    let b = format!("Nothing new. The timeout of requests is 60 seconds. {}", filler.repeat(30));
    let verdict = judge(&a, &b);
    assert_eq!(verdict.certainty, Certainty::Certain, "{verdict:?}");
    assert_eq!(verdict.reason, "`30 seconds` and `60 seconds` for `timeout of requests`");
}

#[test]
fn statements_without_a_common_word_or_group_need_not_be_judged() {
    assert!(may_contradict("Orders are in Postgres", "DynamoDB has the baskets"));
    assert!(may_contradict("Requests time out", "A request may wait for ever"));
    assert!(!may_contradict("Requests time out", "Colours are blue"));
    assert!(!may_contradict("", ""));
}

#[test]
fn texts_of_a_hundred_kilobytes_take_about_linear_time() {
    let count = |bytes: usize, unit: &str| {
        let calls = Cell::new(0usize);
        let nearness = |_: &str, _: &str| {
            calls.set(calls.get() + 1);
            0.0
        };
        let a = unit.repeat(bytes / unit.len() + 1);
        judge_pair(&a, &format!("Not so. {a} Never."), &nearness, None);
        calls.get()
    };
    let started = Instant::now();
    for unit in ["The cache lives 5 minutes. ", "a.b.", "x", "1,", "5 s; not ", "é-`=:\n", "No. "]
    {
        let (short, long) = (count(50_000, unit), count(100_000, unit));
        assert!(long <= 3 * short.max(100), "{unit}: {short} and {long}");
    }
    // Minutes, if anything were quadratic.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

/// Statements out of words that the rules look for.
fn statement() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "the",
        "cache",
        "timeout",
        "not",
        "never",
        "is",
        "are",
        "30",
        "s",
        "ms",
        "v1.2",
        "must",
        "may",
        "all",
        "none",
        "only",
        "Python",
        "3.12",
        "at",
        "most",
        "`ttl",
        "=",
        "5`",
        "enabled",
        "disabled",
        "production",
        "staging",
        ",",
        "every",
        "day",
        "a",
        "hour",
        "half",
        "of",
        "one",
        "in",
        "ten",
        "per",
        "between",
        "and",
        "10-20",
        "2",
        "pm",
        ".",
        "Redis",
        "Postgres",
        "GitHub",
        "Actions",
        "up",
        "to",
        "no",
        "longer",
        "€",
        "%",
        "twenty",
        "million",
    ]);
    prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_order_of_the_statements_does_not_matter(
        a in statement(), b in statement(), log_odds in prop::option::of(-9.0f32..9.0),
    ) {
        let nearness = |a: &str, b: &str| (a.len().abs_diff(b.len()) as f32 / 10.0).min(1.0);
        prop_assert_eq!(
            judge_pair(&a, &b, &nearness, log_odds),
            judge_pair(&b, &a, &nearness, log_odds)
        );
        prop_assert_eq!(may_contradict(&a, &b), may_contradict(&b, &a));
    }

    #[test]
    fn a_text_does_not_contradict_itself(text in statement(), log_odds in prop::option::of(-9.0f32..9.0)) {
        let verdict = judge_pair(&text, &text, &no_nearness, log_odds);
        prop_assert_eq!(verdict.certainty, Certainty::None);
        prop_assert!(verdict.probability.abs() < 1e-9);
    }

    #[test]
    fn any_text_can_be_judged(a in "\\PC{0,80}", b in any::<String>()) {
        let verdict = judge_pair(&a, &b, &|_, _| f32::NAN, Some(f32::NAN));
        prop_assert!((0.0..=1.0).contains(&verdict.probability), "{:?}", verdict);
    }

    #[test]
    fn equal_amounts_in_other_units_agree(amount in 1u32..5000) {
        let a = format!("Requests to the gateway time out after {amount} s");
        let b = format!("Requests to the gateway time out after {amount}000 ms");
        prop_assert_eq!(judge(&a, &b).certainty, Certainty::None);
        let spelt = format!("Requests to the gateway time out after {amount} seconds.");
        prop_assert_eq!(judge(&a, &spelt).certainty, Certainty::None);
        let other = format!("Requests to the gateway time out after {} s", amount + 1);
        prop_assert_eq!(judge(&a, &other).kind, FindingKind::Number);
    }
}
