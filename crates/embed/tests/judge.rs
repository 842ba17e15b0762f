//! The judge computes what its reference in numpy does, from the file that `models/judge/export.py` would write.

#![allow(clippy::unwrap_used, reason = "a test")]

mod judge_file;

use heirloom_core::kernels::Instructions;
use heirloom_embed::{Judge, JudgeFile};
use judge_file::{tiny, with_checksum};
use serde_json::Value;

/// What is expected of the tiny model, written by `models/judge/sample.py`.
fn sample() -> Value {
    serde_json::from_str(include_str!("../../../models/judge/sample.json")).unwrap()
}

fn parse(file: Vec<u8>) -> Result<Judge, String> {
    Judge::parse(file.leak()).map_err(|error| error.to_string())
}

fn pairs(sample: &Value) -> Vec<(&str, &str)> {
    let pairs = sample["pairs"].as_array().unwrap().iter();
    pairs.map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap())).collect()
}

#[test]
fn log_odds_match_the_reference() {
    let sample = sample();
    let pairs = pairs(&sample);
    for model in sample["models"].as_array().unwrap() {
        let file = tiny(&sample["vocabulary"], model["orders"].as_u64().unwrap());
        // The exporter writes the same bytes.
        assert_eq!(blake3::hash(&file).to_hex().as_str(), model["blake3"].as_str().unwrap());
        let judge = parse(file).unwrap();
        let found = judge.log_odds_of_all(&pairs);
        for ((found, expected), pair) in
            found.iter().zip(model["log_odds"].as_array().unwrap()).zip(&pairs)
        {
            let expected = expected.as_f64().unwrap();
            assert!(
                (f64::from(*found) - expected).abs() < 0.01,
                "{pair:?}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn tokens_are_those_of_the_training() {
    let sample = sample();
    let judge = parse(tiny(&sample["vocabulary"], 1)).unwrap();
    for case in sample["tokens"].as_array().unwrap() {
        let text = case["text"].as_str().unwrap();
        assert_eq!(Value::from(judge.vocabulary().pieces(text)), case["ids"], "{text:?}");
    }
}

#[test]
fn instruction_sets_orders_and_batches_do_not_change_the_log_odds() {
    let sample = sample();
    let pairs = pairs(&sample);
    for orders in [1, 2] {
        let file: &'static [u8] = tiny(&sample["vocabulary"], orders).leak();
        let expected = Judge::parse(file).unwrap().log_odds_of_all(&pairs);
        let twice = [&pairs[..], &pairs[..]].concat();
        let judge = Judge::parse(file).unwrap();
        assert_eq!(judge.log_odds_of_all(&twice), [&expected[..], &expected[..]].concat());
        assert!(judge.log_odds_of_all(&[]).is_empty());
        for instructions in Instructions::available() {
            let judge = Judge::parse(file).unwrap().with_instructions(instructions);
            let name = instructions.name();
            for ((a, b), expected) in pairs.iter().zip(&expected) {
                assert_eq!(judge.log_odds(b, a).to_bits(), expected.to_bits(), "{name}: {a}, {b}");
            }
        }
    }
}

#[test]
fn a_judge_is_shared_by_threads_and_read_once() {
    let sample = sample();
    let pairs = pairs(&sample);
    let file = JudgeFile::new(tiny(&sample["vocabulary"], 2).leak());
    let expected = parse(tiny(&sample["vocabulary"], 2)).unwrap().log_odds_of_all(&pairs);
    std::thread::scope(|scope| {
        let judge = || {
            (
                file.judge().unwrap().log_odds_of_all(&pairs),
                std::ptr::from_ref(file.judge().unwrap()).addr(),
            )
        };
        let threads = [(); 3].map(|()| scope.spawn(judge));
        let found = threads.map(|thread| thread.join().unwrap());
        assert!(
            found.iter().all(|(log_odds, address)| *log_odds == expected && *address == found[0].1)
        );
    });
}

#[test]
fn a_damaged_file_is_refused_with_the_reason() {
    let file = tiny(&sample()["vocabulary"], 1);
    for at in [8, 39, 40, 44, 90, 5_000, file.len() - 1] {
        let mut damaged = file.clone();
        damaged[at] ^= 4;
        let reason = parse(damaged).unwrap_err();
        assert!(reason.contains("do not match their checksum"), "byte {at}: {reason}");
    }
    for length in [8 + 32, 1_000, file.len() - 1] {
        let reason = parse(file[..length].to_vec()).unwrap_err();
        assert!(
            reason.contains(&format!("its {length} bytes")) && reason.contains("cut off"),
            "{reason}"
        );
    }
    for other in [&b""[..], b"HEIR", b"HEIREMB1 another model's file", &file[..20]] {
        let reason = parse(other.to_vec()).unwrap_err();
        assert!(reason.contains("cut off"), "{reason}");
    }
    let broken = JudgeFile::new(b"HEIRJUDG");
    assert!(broken.judge().unwrap_err().hint.contains("export.py"));
    assert!(std::ptr::eq(broken.judge().unwrap_err(), broken.judge().unwrap_err()));
}

#[test]
fn a_file_with_other_sizes_is_refused_with_the_reason() {
    let file = tiny(&sample()["vocabulary"], 1);
    let rejection = |field: usize, number: u32| {
        let mut body = file[40..].to_vec();
        body[field * 4..][..4].copy_from_slice(&number.to_le_bytes());
        parse(with_checksum(&body)).unwrap_err()
    };
    for (field, number, reason) in [
        (0, 1, "version 1"),
        (1, 5, "size of"),
        (1, u32::MAX, "size of 4294967295"),
        (2, 0, "width 0"),
        (2, 48, "width 48"),
        (3, 32, "32 wide"),
        (4, 99, "99 positions"),
        (5, 31, "31 buckets"),
        (6, 4, "no head 4"),
        (7, 7, "instead of 7"),
        (8, 3, "does not start with [PAD]"),
        (9, 0, "0 parts"),
        (9, 7, "7 parts"),
        (10, 3, "3 orders"),
        // The inner width, the number of heads and the heads of the first layer.
        (11, 65, "inner width 65"),
        (11, 128, "missing at its end"),
        (11, 0, "bytes too many"),
        (12, 1 << 20, "size of"),
        (13, 5, "no head 5"),
    ] {
        let found = rejection(field, number);
        assert!(found.contains(reason), "field {field} = {number}: {found}");
    }
    let rejected = parse(with_checksum(&file[40..file.len() - 2])).unwrap_err();
    assert!(rejected.contains("2 bytes are missing"), "{rejected}");
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let file = tiny(&sample()["vocabulary"], 1);
    let body = &file[40..];
    let header_bytes = 4 * (11 + 4 * 2 + 6);
    for at in 0..header_bytes {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut body = body.to_vec();
            body[at] = byte;
            if let Ok(judge) = parse(with_checksum(&body)) {
                assert!(!judge.log_odds("the cache is on", "the port").is_infinite());
            }
        }
    }
    for length in (0..body.len()).step_by(97) {
        assert!(parse(with_checksum(&body[..length])).is_err(), "{length}");
    }
    // Weights that are no numbers.
    let body = [&body[..header_bytes + 600], &vec![0xff; body.len() - header_bytes - 600]].concat();
    if let Ok(judge) = parse(with_checksum(&body)) {
        judge.log_odds("the cache is on", "the port");
    }
}
