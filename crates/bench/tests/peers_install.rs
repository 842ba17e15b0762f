//! `heirloom-bench peers install` on machines without some programs, with stubs in their place.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests write real programs")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// A stub of a Python version, which creates virtual environments with a copy of itself.
fn python(version: &str) -> String {
    format!(
        "#!/bin/sh\ncase \"$1 $2\" in\n  \"-m venv\") /bin/mkdir -p \"$3/bin\" && /bin/cp \"$0\" \"$3/bin/python\" ;;\n  -c*) echo {version} ;;\nesac\n"
    )
}

fn install(programs: &[(&str, &str)]) -> (Output, String) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("bin");
    fs::create_dir(&path).unwrap();
    for (name, text) in programs {
        write_program(&path.join(name), text);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_heirloom-bench"))
        .args(["peers", "install", "--dir"])
        .arg(home.path().join("peers"))
        .env("PATH", &path)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, stderr)
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn peers_that_cannot_be_installed_do_not_stop_the_others() {
    let (output, stderr) = install(&[("npm", "#!/bin/sh\nexit 0\n"), ("python3", &python("3 10"))]);
    assert!(output.status.success(), "{stderr}");
    for line in [
        "@sudosandwich/limps 3.4.0: installed\n",
        "basic-memory 0.23.2: skipped: it needs Python 3.12 or later; the newest here is 3.10\n",
        "memcite 1.0.1: installed\n",
    ] {
        assert!(stderr.contains(line), "{line}---\n{stderr}");
    }
    let (output, stderr) = install(&[("python3.13", &python("3 13"))]);
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("limps 3.4.0: skipped: npm is not installed\n"), "{stderr}");
    assert!(stderr.contains("basic-memory 0.23.2: installed\n"), "{stderr}");
}

#[test]
fn a_failed_peer_and_a_machine_without_peers_are_failures() {
    let (output, stderr) = install(&[("npm", "#!/bin/sh\nexit 1\n"), ("python3", &python("3 13"))]);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("limps 3.4.0: failed: ") && stderr.contains("memcite 1.0.1: installed\n"),
        "{stderr}"
    );
    assert!(stderr.contains("2 peers could not be installed"), "{stderr}");
    let (output, stderr) = install(&[]);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr
            .contains("memcite 1.0.1: skipped: it needs Python 3.10 or later; none is installed\n"),
        "{stderr}"
    );
}
