//! Every target on its corpus, which holds every input that once broke something, and on mutations of it.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_macros,
    reason = "a test may fail, and prints how many inputs ran"
)]

use heirloom_fuzz::targets::TARGETS;
use heirloom_fuzz::{corpus, harness};
use heirloom_testkit::is_long_run;

/// Mutated inputs of a target: a few seconds' worth, and with `HEIRLOOM_LONG=1` some minutes'.
const INPUTS: usize = 4_000;
const LONG_INPUTS: usize = 400_000;

fn check(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = corpus::load(&corpus::home(), name).unwrap();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let inputs = if is_long_run() { LONG_INPUTS } else { INPUTS };
    let summary = harness::fuzz(target, seeds, 1, inputs);
    println!("{name}: {} inputs, {} outcomes", summary.inputs, summary.outcomes);
    assert!(summary.outcomes > 3, "the inputs of {name} all end alike: {summary:?}");
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),*];
            let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(all, tested);
        }
    };
}

targets! {
    yaml_parse
    yaml_edit
    frontmatter_set
    document_parse
    adr_edit
    config_parse
    sprint_settings_parse
    memory_edit
    learning_edit
    log_read
    recall_ask
    transcript_read
    secret_find
    patch_read
    prediction_state_read
    imports_read
}
