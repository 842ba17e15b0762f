//! Which files of the workspace a process opens, according to strace.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::numbers::count;
use crate::programs;

const OPENING_CALLS: [&str; 4] = ["open(", "openat(", "openat2(", "creat("];

/// How often each path under a root was opened.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OpenedPaths {
    files: BTreeMap<String, usize>,
    /// Folders, which are opened to be listed.
    listings: BTreeMap<String, usize>,
    /// How many system calls name a file, anywhere and successful or not.
    calls: usize,
}

/// The comparison of the traces in a small and a large workspace.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    /// The number of plans in the two workspaces.
    pub(crate) plans: [usize; 2],
    /// The differences, described; empty if the same files are opened.
    pub(crate) differences: Vec<String>,
    /// The files opened in the larger workspace.
    pub(crate) files: BTreeSet<String>,
    /// The folders listed in the larger workspace.
    pub(crate) listings: BTreeSet<String>,
    /// The greatest number of system calls that name a file, per workspace.
    pub(crate) calls: [usize; 2],
}

/// A workspace and the invocations to trace in it.
pub(crate) struct TracedWorkspace<'a> {
    /// The canonical path of its root.
    pub(crate) root: &'a Path,
    /// How many plans it has.
    pub(crate) plans: usize,
    /// The same commands, in the same order, for every workspace compared.
    pub(crate) invocations: &'a [Invocation],
}

/// Traces both workspaces; the inner error is why strace cannot be used on this machine.
pub(crate) fn compare(
    small: &TracedWorkspace<'_>,
    large: &TracedWorkspace<'_>,
    scratch: &Path,
) -> Result<Result<Comparison, String>, Failure> {
    let Some(strace) = programs::on_path("strace") else {
        return Ok(Err("strace is not installed".to_owned()));
    };
    let probe = Invocation::new(&strace, &["-f", "-o", "/dev/null", "/bin/true"], scratch);
    if let Err(failure) = probe.output() {
        return Ok(Err(format!("strace cannot trace here: {failure}").replace('\n', ";")));
    }

    let mut comparison = Comparison {
        plans: [small.plans, large.plans],
        differences: Vec::new(),
        files: BTreeSet::new(),
        listings: BTreeSet::new(),
        calls: [0, 0],
    };
    for (in_small, in_large) in small.invocations.iter().zip(large.invocations) {
        let small_paths = opened_by(&strace, in_small, small.root, scratch)?;
        let large_paths = opened_by(&strace, in_large, large.root, scratch)?;
        for difference in differences(&small_paths, &large_paths, comparison.plans) {
            comparison.differences.push(format!("{in_large}: {difference}"));
        }
        let [small_calls, large_calls] = comparison.calls;
        comparison.calls = [small_calls.max(small_paths.calls), large_calls.max(large_paths.calls)];
        comparison.files.extend(large_paths.files.into_keys());
        comparison.listings.extend(large_paths.listings.into_keys());
    }
    Ok(Ok(comparison))
}

fn opened_by(
    strace: &Path,
    run: &Invocation,
    root: &Path,
    scratch: &Path,
) -> Result<OpenedPaths, Failure> {
    let log = scratch.join("strace.log");
    // `-y` prints the path of every descriptor, so that relative paths need not be tracked.
    let mut arguments = ["-f", "-y", "-e", "trace=%file", "-o"].map(str::to_owned).to_vec();
    arguments.push(log.display().to_string());
    arguments.push(run.program.display().to_string());
    arguments.extend(run.arguments.iter().cloned());
    let traced = Invocation { program: strace.to_path_buf(), arguments, ..run.clone() };
    traced.output()?;
    let text = fs::read(&log).map_err(Failure::io("reading", &log))?;
    Ok(parse(&String::from_utf8_lossy(&text), root))
}

/// Collects the successful opens under `root` from the log of `strace -f -y`.
fn parse(log: &str, root: &Path) -> OpenedPaths {
    let mut opened = OpenedPaths::default();
    let mut unfinished: HashMap<&str, &str> = HashMap::new();
    for line in log.lines() {
        let (process, rest) = match line.split_once(char::is_whitespace) {
            Some((process, rest)) if process.bytes().all(|byte| byte.is_ascii_digit()) => {
                (process, rest.trim_start())
            }
            _ => ("", line),
        };
        if rest.starts_with("+++") || rest.starts_with("---") {
            continue;
        }
        if let Some(start) = rest.strip_suffix("<unfinished ...>") {
            unfinished.insert(process, start);
            continue;
        }
        let start =
            if rest.starts_with("<...") { unfinished.remove(process).unwrap_or("") } else { "" };
        opened.calls += 1;
        let call = if start.is_empty() { rest } else { start };
        if !OPENING_CALLS.iter().any(|name| call.starts_with(name)) {
            continue;
        }
        let Some(path) = opened_path(rest, root) else { continue };
        let is_listing = start.contains("O_DIRECTORY") || rest.contains("O_DIRECTORY");
        let counts = if is_listing { &mut opened.listings } else { &mut opened.files };
        let times = counts.entry(path).or_default();
        // An open folder is opened again as `.` to be read; that counts as one listing.
        if *times == 0 || !call.contains("\".\"") {
            *times += 1;
        }
    }
    opened
}

/// Returns the relative path in the result of a call, `) = 3</root/plans>`, if it succeeded under `root`.
fn opened_path(call: &str, root: &Path) -> Option<String> {
    let (_, result) = call.rsplit_once(") = ")?;
    let (descriptor, path) = result.split_once('<')?;
    descriptor.parse::<u32>().ok()?;
    let (path, _) = path.rsplit_once('>')?;
    let relative = Path::new(path).strip_prefix(root).ok()?;
    Some(if relative.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        relative.display().to_string()
    })
}

/// Describes the differences of two traces. One listing of `plans/` is allowed.
fn differences(small: &OpenedPaths, large: &OpenedPaths, plans: [usize; 2]) -> Vec<String> {
    let mut differences = Vec::new();
    for (action, small_counts, large_counts) in
        [("opened", &small.files, &large.files), ("listed", &small.listings, &large.listings)]
    {
        let paths: BTreeSet<_> = small_counts.keys().chain(large_counts.keys()).collect();
        for path in paths.into_iter().filter(|path| action == "opened" || *path != "plans") {
            let [small_count, large_count] =
                [small_counts, large_counts].map(|counts| counts.get(path).copied().unwrap_or(0));
            if small_count != large_count {
                let [small_plans, large_plans] = plans.map(count);
                differences.push(format!(
                    "{path} {action} {} at {small_plans} plans and {} at {large_plans}",
                    frequency(small_count),
                    frequency(large_count)
                ));
            }
        }
    }
    match large.listings.get("plans") {
        Some(times) if *times > 1 => {
            differences.push(format!("plans listed {}", frequency(*times)));
        }
        _ => {}
    }
    if large.files.is_empty() {
        differences.push("no file of the workspace is opened".to_owned());
    }
    differences
}

fn frequency(times: usize) -> String {
    match times {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{times} times"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::{OpenedPaths, differences, parse};

    const LOG: &str = r#"
7001 execve("/bin/heir", ["heir", "context"], 0x7ffe /* 20 vars */) = 0
7001 openat(AT_FDCWD</ws>, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache>
7001 openat(AT_FDCWD</ws>, ".heirloom/config.toml", O_RDONLY|O_CLOEXEC) = 3</ws/.heirloom/config.toml>
7001 openat(AT_FDCWD</ws>, "/ws/plans", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 3</ws/plans>
7001 openat(3</ws/plans>, "0007-a/0007-a-plan.md", O_RDONLY) = 4</ws/plans/0007-a/0007-a-plan.md>
7001 openat(AT_FDCWD</ws>, "/ws/plans/0007-a/context.md", O_RDONLY) = -1 ENOENT (No such file or directory)
7001 statx(AT_FDCWD</ws>, "/ws/plans/0008-b", AT_STATX_SYNC_AS_STAT, STATX_ALL, {stx_mode=S_IFDIR}) = 0
7002 openat(AT_FDCWD</ws>, "/ws/.heirloom/adrs", O_RDONLY|O_DIRECTORY <unfinished ...>
7001 openat(AT_FDCWD</ws>, "/ws/.heirloom/workspace.md", O_RDONLY <unfinished ...>
7002 <... openat resumed>) = 5</ws/.heirloom/adrs>
7001 <... openat resumed>) = 6</ws/.heirloom/workspace.md>
7001 --- SIGCHLD {si_signo=SIGCHLD} ---
7001 open("/ws", O_RDONLY|O_DIRECTORY) = 7</ws>
7001 +++ exited with 0 +++
"#;

    fn times(paths: &[(&str, usize)]) -> BTreeMap<String, usize> {
        paths.iter().map(|(path, times)| ((*path).to_owned(), *times)).collect()
    }

    #[test]
    fn successful_opens_under_the_root_are_collected() {
        let opened = parse(LOG.trim_start(), Path::new("/ws"));
        assert_eq!(
            opened.files,
            times(&[
                (".heirloom/config.toml", 1),
                (".heirloom/workspace.md", 1),
                ("plans/0007-a/0007-a-plan.md", 1)
            ])
        );
        assert_eq!(opened.listings, times(&[(".", 1), (".heirloom/adrs", 1), ("plans", 1)]));
        assert_eq!(opened.calls, 10);
    }

    #[test]
    fn a_log_of_one_process_needs_no_process_id() {
        let opened = parse(
            "openat(AT_FDCWD</ws>, \"a b.md\", O_RDONLY) = 3</ws/a b.md>\n",
            Path::new("/ws"),
        );
        assert_eq!(opened.files, times(&[("a b.md", 1)]));
    }

    #[test]
    fn a_folder_that_is_opened_again_to_be_read_is_listed_once() {
        let log = "openat2(3</ws>, \"plans\", {flags=O_RDONLY|O_DIRECTORY}, 24) = 5</ws/plans>\n\
                   openat(5</ws/plans>, \".\", O_RDONLY|O_DIRECTORY) = 6</ws/plans>\n";
        assert_eq!(parse(log, Path::new("/ws")).listings, times(&[("plans", 1)]));
    }

    #[test]
    fn one_listing_of_plans_is_allowed() {
        let small = OpenedPaths { files: times(&[("a.md", 1)]), ..OpenedPaths::default() };
        let large = OpenedPaths {
            files: times(&[("a.md", 1)]),
            listings: times(&[("plans", 1)]),
            calls: 3,
        };
        assert_eq!(differences(&small, &large, [10, 1000]), [""; 0]);
    }

    #[test]
    fn opening_no_file_is_a_difference() {
        let found = differences(&OpenedPaths::default(), &OpenedPaths::default(), [10, 1000]);
        assert_eq!(found, ["no file of the workspace is opened"]);
    }

    #[test]
    fn all_other_differences_are_described() {
        let small =
            OpenedPaths { files: times(&[("a.md", 1), ("b.md", 1)]), ..OpenedPaths::default() };
        let large = OpenedPaths {
            files: times(&[("a.md", 2), ("plans/0011-c/plan.md", 1)]),
            listings: times(&[("plans", 2), ("plans/0011-c", 1)]),
            calls: 9,
        };
        assert_eq!(
            differences(&small, &large, [10, 1000]),
            [
                "a.md opened once at 10 plans and 2 times at 1,000",
                "b.md opened once at 10 plans and never at 1,000",
                "plans/0011-c/plan.md opened never at 10 plans and once at 1,000",
                "plans/0011-c listed never at 10 plans and once at 1,000",
                "plans listed 2 times",
            ]
        );
    }
}
