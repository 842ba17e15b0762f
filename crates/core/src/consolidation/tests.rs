use proptest::prelude::*;

use super::*;

fn cosine_of_nothing(_: &str, _: &str) -> f32 {
    0.0
}

fn similarity(a: &str, b: &str) -> Option<f64> {
    duplicate_similarity(&ComparableText::new(a), &ComparableText::new(b), &cosine_of_nothing)
}

#[test]
fn statements_with_the_same_words_are_duplicates() {
    for (a, b) in [
        ("Refunds are stored as events.", "refunds are stored as events"),
        ("The document is saved with `Ctrl+S`", "`Ctrl+S` saves the document"),
        ("Timeout of requests: 30 seconds", "The timeout of requests is 30s"),
        ("Never cache the builds of release branches", "Do not cache builds of release branches."),
        ("The nightly job cleans old sessions", "The nightly job also cleans up old sessions"),
        ("Each host is patched on Mondays", "On Mondays, every host is patched"),
        ("The gateway checks tokens of users", "Tokens of users are checked by the gateway"),
        ("The API's limit is 5 requests per minute", "The API limit: 5 requests per minute"),
    ] {
        let similarity = similarity(a, b);
        assert!(
            similarity.is_some_and(|it| it >= DEFAULT_DUPLICATE_SIMILARITY),
            "{a} / {b}: {similarity:?}"
        );
    }
}

#[test]
fn statements_that_differ_in_what_matters_are_no_duplicates() {
    for (a, b) in [
        ("Requests time out after 30 seconds", "Requests time out after 30 minutes"),
        ("Use xstate v5 for all workflows", "Use xstate v4 for all workflows"),
        ("Cache the builds in CI", "Never cache the builds in CI"),
        ("Call `parse_line` for each line", "Call `parse_lines` for each line"),
        ("Agents must ask before a deploy", "Agents may ask before a deploy"),
        (
            "Sessions of users are stored in Redis for the gateway",
            "Sessions of users are stored in Memcached for the gateway",
        ),
        (
            "Tests run before the nightly deploy job of the cluster",
            "Tests run after the nightly deploy job of the cluster",
        ),
        (
            "The nightly job cleans old sessions of the staging cluster",
            "The nightly job cleans old sessions of the payments cluster",
        ),
        ("Replace Redis with Valkey in all services", "Replace Valkey with Redis in all services"),
        ("Do not use tabs; use spaces", "Use tabs; do not use spaces"),
        ("All hosts are patched on Mondays", "Some hosts are patched on Mondays"),
        ("Only admins deploy to production", "No admins deploy to production"),
        ("Prefer tabs over spaces in build files", "Prefer spaces over tabs in build files"),
        ("Inheritance is preferred to composition", "We prefer composition over inheritance"),
        ("The parser calls the lexer", "The lexer calls the parser"),
        ("Raise the limit from 5 to 10", "Raise the limit from 10 to 5"),
        ("Use `a`, not `b`", "Use `b`, not `a`"),
        ("`a` calls `b` first", "`b` calls `a` first"),
        ("Min is 5 and max is 10", "Min is 10 and max is 5"),
        (
            "The billing service keeps its sessions in memory for a day",
            "The order service keeps its sessions in memory for a day",
        ),
        (
            "Environment variables win over command line flags",
            "Command line flags override environment variables",
        ),
        (
            "The nightly job cleans old sessions of the gateway",
            "The nightly job cleans old sessions of the gateway and rebuilds the search index",
        ),
    ] {
        let near = |_: &str, _: &str| 1.0;
        let (a, b) = (ComparableText::new(a), ComparableText::new(b));
        assert_eq!(duplicate_similarity(&a, &b, &near), None, "{a:?} / {b:?}");
    }
}

#[test]
fn a_finder_compares_only_statements_of_one_scope() {
    let texts = [
        "Refunds are stored as events",
        "refunds are stored as events!",
        "Invoices are numbered per year",
        "Refunds are stored as events.",
    ];
    let mut finder = DuplicateFinder::default();
    for (number, text) in texts.iter().enumerate() {
        finder.add(&(number == 3), text);
    }
    let groups =
        finder.find(DEFAULT_DUPLICATE_SIMILARITY, |number| texts[number], &cosine_of_nothing);
    assert_eq!(groups, [DuplicateGroup { members: vec![0, 1], similarity: 1.0 }]);
}

#[test]
fn a_group_contains_duplicates_of_every_member_only() {
    let texts = [
        "The gateway validates tokens",
        "The gateway validates tokens quickly twice daily here",
        "The gateway validates tokens quickly",
    ];
    let mut finder = DuplicateFinder::default();
    texts.iter().for_each(|text| finder.add(&0, text));
    let groups = finder.find(0.6, |number| texts[number], &cosine_of_nothing);
    for group in groups {
        for pair in group.members.windows(2) {
            assert!(similarity(texts[pair[0]], texts[pair[1]]).is_some());
        }
    }
}

/// Words of which statements are made.
const WORDS: [&str; 12] = [
    "service", "stores", "refunds", "events", "queue", "nightly", "cleans", "sessions", "cluster",
    "gateway", "tokens", "checks",
];

/// Details of which a different one changes what a statement says.
const DETAILS: [&[&str]; 7] = [
    &["30 seconds", "31 seconds", "30 minutes", "5 %"],
    &["v5.1", "v5.2", "v6"],
    &["must", "may", "should"],
    &["always", "never", "sometimes"],
    &["`parse_line`", "`parse_lines`", "`ParseLine`"],
    &["src/auth.rs", "src/login.rs"],
    &["user_id", "account_id"],
];

proptest! {
    #[test]
    fn a_differing_detail_is_never_merged(
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 3..24),
        at in 0usize..24,
        kind in 0usize..DETAILS.len(),
        pair in (0usize..4, 0usize..4),
    ) {
        let details = DETAILS[kind];
        let (one, other) = (details[pair.0 % details.len()], details[pair.1 % details.len()]);
        let with = |detail: &str| {
            let mut words = words.clone();
            words.insert(at.min(words.len()), detail);
            words.join(" ")
        };
        let near = |_: &str, _: &str| 1.0;
        let compare = |a: &str, b: &str| {
            duplicate_similarity(&ComparableText::new(a), &ComparableText::new(b), &near)
        };
        prop_assert_eq!(compare(&with(one), &with(other)).is_some(), one == other);
        prop_assert_eq!(compare(&with(one), &words.join(" ")), None);
        let negated = format!("not {}", words.join(" "));
        prop_assert_eq!(compare(&negated, &words.join(" ")), None);
    }

    #[test]
    fn similarity_is_symmetric(
        a in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..12),
        b in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..12),
    ) {
        let (a, b) = (a.join(" "), b.join(" "));
        prop_assert_eq!(similarity(&a, &b), similarity(&b, &a));
    }

    #[test]
    fn any_text_can_be_compared_and_judged(text in "\\PC{0,80}") {
        prop_assert!(similarity(&text, &text).is_some());
        let _ = importance_of(&text);
    }
}
