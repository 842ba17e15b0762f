//! Every seed, and every input that once broke something, under plain `cargo test`.

use heirloom_fuzz::corpus;
use heirloom_fuzz::targets::TARGETS;

#[test]
fn every_seed_holds() {
    for target in TARGETS {
        let seeds = corpus::load(&corpus::home(), target.name).unwrap();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for (path, input) in seeds {
            let held = std::panic::catch_unwind(|| (target.run)(&input));
            assert!(held.is_ok(), "{} breaks {}", path.display(), target.name);
        }
    }
}
