//! Builds and runs all tests, and prints the slowest.
//!
//! `cargo test` cannot say how long a test took, so the test programs are run from here.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::run::{cargo_program, root};

/// How many of the slowest tests are printed.
const SLOWEST_TESTS_SHOWN: usize = 10;

/// Tests with a harness of their own (`harness = false`), which reports no times.
const OWN_HARNESS: &[&str] = &["transcripts"];

/// A test program that cargo built.
struct TestProgram {
    package: String,
    target: String,
    /// The package's folder, in which cargo runs its tests.
    folder: PathBuf,
    path: PathBuf,
}

/// A test that passed, and how long it took.
#[derive(Debug, PartialEq)]
struct TimedTest {
    name: String,
    seconds: f64,
}

/// Builds and runs all tests; a failing program does not keep the others from running.
pub(crate) fn run() -> Result<(), String> {
    let start = Instant::now();
    let programs = build()?;
    eprintln!("tests: {} programs built in {:.0} s", programs.len(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    let mut timed = Vec::new();
    let mut failed = Vec::new();
    for program in &programs {
        let name = format!("{} {}", program.package, program.target);
        eprintln!("\n$ {} ({name})", program.path.display());
        if !run_program(program, &name, &mut timed)? {
            failed.push(name);
        }
    }
    print_slowest(timed, start.elapsed().as_secs_f64());
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("tests failed in: {}", failed.join(", "))),
    }
}

fn build() -> Result<Vec<TestProgram>, String> {
    let arguments = ["test", "--workspace", "--locked", "--no-run"];
    eprintln!("\n$ cargo {}", arguments.join(" "));
    let output = Command::new(cargo_program())
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo test: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo test --no-run ended with {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| test_program(&serde_json::from_str(line).ok()?)).collect())
}

/// Reads a message of cargo, if it is about a test program.
fn test_program(message: &Value) -> Option<TestProgram> {
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let path = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let package = folder.file_name()?.to_string_lossy().into_owned();
    let target = message["target"]["name"].as_str()?.to_owned();
    Some(TestProgram { package, target, folder, path })
}

/// Runs a test program and collects the time of each test; returns whether all passed.
fn run_program(
    program: &TestProgram,
    name: &str,
    timed: &mut Vec<TimedTest>,
) -> Result<bool, String> {
    let failure = |error| format!("{}: {error}", program.path.display());
    // Reporting times is unstable; the variable lets the stable test harness do it.
    let arguments: &[&str] = match OWN_HARNESS.contains(&program.target.as_str()) {
        true => &[],
        false => &["-Zunstable-options", "--report-time"],
    };
    let mut child = Command::new(&program.path)
        .args(arguments)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .current_dir(&program.folder)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failure)?;
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line.map_err(failure)?;
        println!("{line}");
        timed.extend(timed_test(&line, name));
    }
    Ok(child.wait().map_err(failure)?.success())
}

/// Reads a line such as `test merges::a_merge_keeps_both ... ok <1.234s>`.
fn timed_test(line: &str, program: &str) -> Option<TimedTest> {
    let (test, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = outcome.strip_suffix("s>")?.rsplit_once('<')?.1.parse().ok()?;
    Some(TimedTest { name: format!("{program}: {test}"), seconds })
}

fn print_slowest(mut timed: Vec<TimedTest>, total_seconds: f64) {
    timed.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    println!("\n{} tests ran in {total_seconds:.0} s; the slowest:", timed.len());
    for test in timed.iter().take(SLOWEST_TESTS_SHOWN) {
        println!("{:>8.1} s  {}", test.seconds, test.name);
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_output_of_a_test() {
        let line = "test damage::a_torn_line_is_skipped ... ok <0.25s>";
        let expected =
            TimedTest { name: "cli it: damage::a_torn_line_is_skipped".into(), seconds: 0.25 };
        assert_eq!(timed_test(line, "cli it"), Some(expected));
        assert_eq!(timed_test("test result: ok. 3 passed; 0 failed", "cli it"), None);
    }

    #[test]
    fn only_test_programs_are_run() {
        let message = |test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact",
                "manifest_path": "/r/crates/core/Cargo.toml",
                "target": {"name": "lossless"},
                "profile": {"test": test},
                "executable": "/r/target/debug/deps/lossless-1",
            })
        };
        assert!(test_program(&message(false)).is_none());
        let program = test_program(&message(true)).unwrap();
        assert_eq!((program.package.as_str(), program.target.as_str()), ("core", "lossless"));
    }
}
