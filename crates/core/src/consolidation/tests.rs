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

/// Statements that differ in an identifier, a number, an operator, a negation or the like.
const DIFFERENT: &[(&str, &str)] = &[
    ("部署脚本在周一运行测试", "部署窗口禁止在周五变更数据库"),
    ("Roles are admin,editor in the config", "Roles are admin,viewer in the config"),
    ("The U.S. region is used for backups", "The U.K. region is used for backups"),
    ("Requests must finish in < 50 ms on staging", "Requests must finish in > 50 ms on staging"),
    ("Disks need ≥5 GB of free space", "Disks need ≤5 GB of free space"),
    ("The build runs if exit code != 3", "The build runs if exit code == 3"),
    ("Pin terraform to ~> 3.1 in all modules", "Pin terraform to >= 3.1 in all modules"),
    ("Use version ^4.1.2 of the parser", "Use version 4.1.2 of the parser"),
    ("The limit is 1,5 GB per upload", "The limit is 15 GB per upload"),
    ("The limit is 5 GiB per upload", "The limit is 5 GB per upload"),
    (
        "The nodes run postgres: primary 9, replica 11, standby 11",
        "The nodes run postgres: primary 9, replica 11, standby 9",
    ),
    ("Backups run at 3 am every night", "Backups run at 3 pm every night"),
    ("Deploy the workers to us-west-1 first", "Deploy the workers to eu-west-1 first"),
    ("Import hooks from react in all components", "Import hooks from react-dom in all components"),
    ("The test reads the data-id of the element", "The test reads the data of the element"),
    ("Secrets are read from .env at startup", "Secrets are read from env at startup"),
    ("Team A owns the billing service", "Team D owns the billing service"),
    ("Team A owns the billing service", "Team B owns the billing service"),
    ("Backups are written to drive D on Fridays", "Backups are written to drive S on Fridays"),
    ("Dont cache the builds of release branches", "Cache the builds of release branches"),
    ("Не храните токены в логах", "Храните токены в логах"),
    ("Keine Tokens im Log speichern", "Tokens im Log speichern"),
    ("The worker lacks access to the bucket", "The worker has access to the bucket"),
    ("The nightly job ✅", "The nightly job ❌"),
    ("- [ ] migrate the billing tables", "- [x] migrate the billing tables"),
    ("Uploads over 7 MB are rejected", "Uploads under 7 MB are rejected"),
    ("Data is copied to postgres every night", "Data is copied from postgres every night"),
    ("We will use sqlite for the cache", "We would use sqlite for the cache"),
    ("The old endpoint is deprecated", "The old endpoint was deprecated"),
    (
        "For all requests of the gateway, the sessions of users are stored for a day in redis by default",
        "By default the sessions of users for all requests of the gateway are stored for a day in memcached",
    ),
    ("The context is cached for a day", "The content is cached for a day"),
    ("The parser is called by the lexer", "The parser calls the lexer"),
    (
        "Admins must approve deploys and users may comment",
        "Admins may approve deploys and users must comment",
    ),
    (
        "The parser is supported on all of our hosts in staging",
        "On all of our hosts in staging the parser is unsupported",
    ),
    ("Non-blocking calls are used in the gateway", "Blocking calls are used in the gateway"),
    ("Wait 5 m before the retry", "Wait 5 M before the retry"),
    ("Speed is 10 Mb per second", "Speed is 10 MB per second"),
    ("Use *.rs in the filter", "Use rs in the filter"),
    ("Keep src/* in the list of paths", "Keep src in the list of paths"),
    ("Keep USER_ID in the log", "Keep user_id in the log"),
    ("The ratio is .5 of all requests", "The ratio is 5 of all requests"),
    ("Phase I of the migration is done", "Phase II of the migration is done"),
    ("Set a limit of at least 3 replicas", "Set a limit of at most 3 replicas"),
    ("Set a limit of at least 3 replicas", "Set a limit of 3 replicas"),
    ("Cleanup runs on monday at night", "Cleanup runs on friday at night"),
    (
        "The cleanup of old sessions runs on monday night for the gateway",
        "On friday night the cleanup of old sessions for the gateway is run",
    ),
    ("Mark it with -> in the table", "Mark it with <- in the table"),
    ("Deploys need two approvals and one reviewer", "Deploys need one approval and two reviewers"),
    ("The service uses react-dom for rendering", "The service uses react-native for rendering"),
    ("Use x>5 in the query", "Use x<5 in the query"),
    ("Pas de jetons dans les journaux", "jetons dans les journaux"),
    (
        "Logs are handed over to Team A. They keep the logs for a day",
        "Logs are handed over to Team D. They keep the logs for a day",
    ),
    (
        "We use redis for the sessions of all users of the gateway and keep them there for a day",
        "For the sessions of all users of the gateway we use memcached and keep them for a day there",
    ),
    (
        "The order of the sessions for all users of the gateway is kept for a day in mysql tables",
        "In postgres tables the order of the sessions is kept for a day for all users of the gateway",
    ),
];

#[test]
fn statements_that_differ_in_a_detail_are_no_duplicates() {
    for (a, b) in DIFFERENT {
        let (one, other) = (ComparableText::new(a), ComparableText::new(b));
        for (near, cosine) in [(1.0, "near"), (0.0, "far")] {
            // Words of a like meaning may stand in place of each other, but not what these rows differ in.
            let nearness = |_: &str, _: &str| near;
            let similarity = duplicate_similarity(&one, &other, &nearness);
            assert!(
                similarity.is_none_or(|it| it < DEFAULT_DUPLICATE_SIMILARITY),
                "{cosine}: {a} / {b}"
            );
        }
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
    assert_eq!(groups, [DuplicateGroup { members: vec![0, 1], longest: 1, similarity: 1.0 }]);
}

#[test]
fn a_rephrased_statement_about_something_else_is_no_duplicate() {
    let (a, b) = (
        "The payment service keeps a session for every user in redis",
        "The order service keeps sessions for each user in redis",
    );
    let compare = |cosine: f32| {
        let nearness = move |_: &str, _: &str| cosine;
        duplicate_similarity(&ComparableText::new(a), &ComparableText::new(b), &nearness)
    };
    assert_eq!(compare(0.3), None);
    assert!(compare(0.8).is_some());
}

/// Finds the groups of some statements.
fn groups(texts: &[String]) -> Vec<DuplicateGroup> {
    let mut finder = DuplicateFinder::default();
    texts.iter().for_each(|text| finder.add(&0, text));
    finder.find(0.6, |number| &texts[number], &cosine_of_nothing)
}

#[test]
fn a_group_contains_duplicates_of_its_longest_member_only() {
    let texts = [
        "The gateway validates tokens",
        "The gateway validates tokens quickly twice daily here",
        "The gateway validates tokens quickly",
    ]
    .map(str::to_owned);
    for group in groups(&texts) {
        for member in group.members.iter().filter(|member| **member != group.longest) {
            let similarity = similarity(&texts[*member], &texts[group.longest]);
            assert!(similarity.is_some_and(|it| it >= 0.6), "{group:?}");
        }
    }
}

/// Words of which statements are made.
const WORDS: [&str; 12] = [
    "service", "stores", "refunds", "events", "queue", "nightly", "cleans", "sessions", "cluster",
    "gateway", "tokens", "checks",
];

/// Details of which a different one changes what a statement says.
const DETAILS: [&[&str]; 13] = [
    &["< 50 ms", "> 50 ms", "≥50 ms", "50 ms", "!= 50 ms", "at least 50 ms", "over 50 ms"],
    &["^4.1.2", "4.1.2", "~> 4.1.2"],
    &["1,5 GB", "15 GB", "5 GiB", "5 GB"],
    &["us-west-1", "eu-west-1"],
    &["3 am", "3 pm"],
    &["✅", "❌"],
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
        pair in (0usize..7, 0usize..7),
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
    fn nothing_is_left_to_merge_after_merging(
        statements in prop::collection::vec(
            prop::collection::vec(prop::sample::select(WORDS.to_vec()), 3..9),
            0..40,
        ),
    ) {
        let texts: Vec<String> = statements.iter().map(|words| words.join(" ")).collect();
        let found = groups(&texts);
        let merged: Vec<usize> = found
            .iter()
            .flat_map(|group| group.members.iter().filter(|it| **it != group.longest).copied())
            .collect();
        let left: Vec<String> = texts
            .iter()
            .enumerate()
            .filter(|(number, _)| !merged.contains(number))
            .map(|(_, text)| text.clone())
            .collect();
        prop_assert_eq!(groups(&left), []);
    }

    #[test]
    fn any_text_can_be_compared_and_judged(text in "\\PC{0,80}") {
        prop_assert!(similarity(&text, &text).is_some());
        let _ = importance_of(&text);
    }
}
