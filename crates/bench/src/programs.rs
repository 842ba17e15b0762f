//! Finding the measured programs.

use std::env;
use std::path::{Path, PathBuf, absolute};

use crate::failure::Failure;

/// Why comparisons with tantivy are skipped in a program that was built without it.
pub(crate) const WITHOUT_TANTIVY: &str = "built without tantivy; \
    use `cargo run --release -p heirloom-bench --features tantivy -- …`";

/// Returns the full path of a program on `PATH`, so that the lookup is not part of the measured time.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|candidate| candidate.is_file())
}

/// Returns the full path of git.
pub(crate) fn git() -> Result<PathBuf, Failure> {
    on_path("git").ok_or_else(|| Failure::new("git is not installed"))
}

/// Returns the `heir` to measure: the given one, else the one beside this program, else the release build in
/// the current folder.
pub(crate) fn heir(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let candidates = match given {
        Some(path) => vec![path.to_path_buf()],
        None => {
            let sibling = env::current_exe().ok().map(|exe| exe.with_file_name("heir"));
            sibling.into_iter().chain([PathBuf::from("target/release/heir")]).collect()
        }
    };
    let heir = candidates.iter().find(|path| path.is_file()).ok_or_else(|| {
        let tried: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
        Failure::new(format!(
            "no heir binary at {}; build it with `cargo build --release` or name it with --heir",
            tried.join(" or ")
        ))
    })?;
    absolute(heir).map_err(Failure::io("finding", heir))
}
