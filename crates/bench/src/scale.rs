//! The `scale` measurement: what recall costs among many memories, beside what its parts cost bare.

mod bare;
pub(crate) mod corpus;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use crate::ScaleArgs;
use crate::failure::Failure;
use crate::generate;
use crate::numbers::count;
use crate::peers::mcp::Pipes;
use crate::programs;
use crate::recall::contender::Latency as Times;
use crate::report::{Bar, Verdict, ratio_text};
pub(crate) use bare::Tantivy;
use corpus::Corpus;

/// Of so many memories one is in a markdown file.
const WRITTEN: usize = 20;
/// Entries of one markdown file.
const ENTRIES: usize = 100;
/// Facts of one shard.
const SHARD: usize = 5_000;
/// Agents of the workspace's plans.
const AGENTS: u32 = 10;
/// Times that an index is made.
const TURNS: usize = 3;
/// Questions that one memory is asked before it is another one's turn.
const ROUND: usize = 30;
/// Times that a fresh process is run.
const FRESH: usize = 20;

/// All that a run found.
#[derive(Serialize)]
pub(crate) struct Report {
    /// For each number of memories.
    sizes: Vec<Size>,
    /// The verdicts on one size beside another.
    bars: Vec<Bar>,
}

/// How many times as long ten times as many memories may take.
const TENFOLD: f64 = 6.0;

/// Up to so many memories, what one process does alone is judged too.
const USUAL: usize = 100_000;

/// What was found among some memories; times in milliseconds.
#[derive(Serialize)]
struct Size {
    memories: usize,
    in_markdown: usize,
    /// Questions asked of a process that keeps running.
    warm: Times,
    /// `heir recall` as a fresh process.
    fresh: Times,
    /// The first question after something was stored.
    after_add: Times,
    /// `heir --version`.
    version: Times,
    /// `git status` of the same tree.
    git_status: Times,
    /// Making the index, and what bare tantivy takes for that.
    indexing_ms: f64,
    tantivy_indexing_ms: f64,
    tantivy: Times,
    scan: Times,
    /// Memory of a fresh recall, in bytes.
    peak_bytes: Option<u64>,
    /// The verdicts.
    bars: Vec<Bar>,
}

/// A memory that was measured, to be asked again beside another.
struct Asked {
    workspace: PathBuf,
    questions: Vec<String>,
    /// Goes with it.
    _scratch: tempfile::TempDir,
}

/// Makes a memory of each size, asks it and its bare parts, and returns the report.
pub(crate) fn measure(args: &ScaleArgs) -> Result<Report, Failure> {
    let heir = programs::heir(args.heir.as_deref())?;
    let sizes = args.memories.iter().map(|memories| measure_size(args, &heir, *memories as usize));
    let (sizes, asked): (Vec<Size>, Vec<Asked>) =
        sizes.collect::<Result<Vec<_>, Failure>>()?.into_iter().unzip();
    let mut bars = Vec::new();
    for (at, pair) in sizes.windows(2).enumerate() {
        let [few, many] = [&pair[0], &pair[1]].map(|size| size.memories);
        if many == 10 * few {
            let name = format!("warm p50 at {} / at {}", count(many), count(few));
            bars.push(at_most(&name, in_turns(&heir, &asked[at], &asked[at + 1])?, TENFOLD));
        }
    }
    Ok(Report { bars, sizes })
}

/// Asks two memories in turns, since a machine is not as fast in one minute as in another, and
/// returns how many times as long the second takes.
fn in_turns(heir: &Path, few: &Asked, many: &Asked) -> Result<f64, Failure> {
    eprintln!("asking both in turns");
    let start = |asked: &Asked| Server::start(heir, &asked.workspace);
    let mut both = [(few, start(few)?, vec![]), (many, start(many)?, vec![])];
    let rounds = few.questions.len().min(many.questions.len()).div_ceil(ROUND);
    for round in 0..rounds {
        for (asked, server, times) in &mut both {
            let questions = asked.questions.iter().skip(round * ROUND).take(ROUND);
            for (at, question) in questions.enumerate() {
                let time = server.recall(question)?;
                // The first one finds in the caches what the other memory left there.
                if at > 0 {
                    times.push(time);
                }
            }
        }
    }
    let [few, many] = both.map(|(_, _, times)| Times::of(times).p50);
    Ok(many / few)
}

fn measure_size(args: &ScaleArgs, heir: &Path, total: usize) -> Result<(Size, Asked), Failure> {
    let scratch =
        tempfile::tempdir().map_err(Failure::io("making", Path::new("a temporary folder")))?;
    eprintln!("generating {} memories", count(total));
    let mut corpus = Corpus::new();
    let memories: Vec<String> = (0..total).map(|_| corpus.memory()).collect();
    let questions: Vec<String> = (0..args.questions as usize)
        .map(|at| corpus.question(&memories[at * 7919 % total]))
        .collect();
    let plans = u32::try_from(total / WRITTEN / ENTRIES).unwrap_or(1) / AGENTS + 1;
    let workspace = generate::workspace(&scratch.path().join("workspace"), plans.max(10), AGENTS)?;
    let root = workspace.root.as_path();
    let in_markdown = write(root, &memories)?;

    // Machines are noisy: each makes its index several times, as a process of its own that starts
    // from files, in turn, and the median counts.
    let mut indexing = Vec::new();
    let mut tantivy_indexing = Vec::new();
    let lines = scratch.path().join("memories.txt");
    put(&lines, &memories.join("\n"))?;
    for turn in 1..=TURNS {
        eprintln!("indexing with bare tantivy, then with heir: {turn} of {TURNS}");
        tantivy_indexing.push(index_with_tantivy(&lines, &new_folder(&scratch, turn)?)?);
        indexing.push(run(heir, root, &["index", "rebuild", "--json"])?.0);
    }
    let asked = Tantivy::new(&new_folder(&scratch, 0)?, &memories)?.ask(&questions)?;
    let model = heirloom_embed::builtin();
    let vectors = bare::Vectors::new(memories.iter().map(|memory| model.vector(memory)));
    let scan: Vec<Duration> =
        questions.iter().map(|question| vectors.scan(&model.vector(question))).collect();
    drop(vectors);

    eprintln!("asking {} questions", count(questions.len()));
    let mut server = Server::start(heir, root)?;
    server.recall(&questions[0])?;
    let warm =
        questions.iter().map(|question| server.recall(question)).collect::<Result<_, _>>()?;
    let mut after_add = Vec::new();
    for at in 0..FRESH {
        let text = format!("the measured memory number {at} speaks of {}", corpus.memory());
        run(heir, root, &["fact", "add", "--section", "Specs", &text])?;
        after_add.push(server.recall(&questions[at % questions.len()])?);
    }
    drop(server);
    let mut fresh = Vec::new();
    let mut version = Vec::new();
    let mut status = Vec::new();
    for at in 0..FRESH {
        let question = &questions[at * 31 % questions.len()];
        fresh.push(run(heir, root, &["recall", question, "--json"])?.0);
        version.push(run(heir, root, &["--version"])?.0);
        status.push(run(Path::new("git"), root, &["status", "--short"])?.0);
    }
    let peak_bytes = peak(heir, root, &questions[0]);
    let mut report = Size {
        memories: total,
        in_markdown,
        warm: Times::of(warm),
        fresh: Times::of(fresh),
        after_add: Times::of(after_add),
        version: Times::of(version),
        git_status: Times::of(status),
        indexing_ms: Times::of(indexing).p50,
        tantivy_indexing_ms: Times::of(tantivy_indexing).p50,
        tantivy: Times::of(asked),
        scan: Times::of(scan),
        peak_bytes,
        bars: vec![],
    };
    report.bars = report.judged();
    Ok((report, Asked { workspace: workspace.root, questions, _scratch: scratch }))
}

/// A folder for an index of tantivy.
fn new_folder(scratch: &tempfile::TempDir, number: usize) -> Result<PathBuf, Failure> {
    let folder = scratch.path().join(format!("tantivy-{number}"));
    std::fs::create_dir(&folder).map_err(Failure::io("making", &folder))?;
    Ok(folder)
}

/// Has a process of this program index memories with bare tantivy, and returns how long it took.
fn index_with_tantivy(lines: &Path, folder: &Path) -> Result<Duration, Failure> {
    let program =
        std::env::current_exe().map_err(Failure::io("finding", Path::new("this program")))?;
    let [lines, folder] = [lines, folder].map(|path| path.display().to_string());
    Ok(run(&program, Path::new("."), &["bare-tantivy", &lines, &folder])?.0)
}

/// Reads memories, one a line.
pub(crate) fn read_lines(path: &Path) -> Result<Vec<String>, Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Writes memories: most as facts, some as findings of agents.
fn write(root: &Path, memories: &[String]) -> Result<usize, Failure> {
    let numbered = || memories.iter().enumerate();
    let written: Vec<_> = numbered().filter(|(at, _)| at % WRITTEN == 0).collect();
    let facts: Vec<_> = numbered().filter(|(at, _)| at % WRITTEN != 0).collect();
    for (number, part) in facts.chunks(SHARD).enumerate() {
        let mut lines = String::new();
        for (at, memory) in part {
            let millis = 1_704_067_200_000_u64 + (*at as u64) * 60_000;
            let id = uuid::Uuid::from_u64_pair(millis << 16 | 0x7000, 1 << 63 | *at as u64);
            let at = jiff::Timestamp::from_millisecond(i64::try_from(millis).unwrap_or_default());
            let at = at.map(|at| at.to_string()).unwrap_or_default();
            let line = json!({
                "v": 1, "id": id, "kind": "fact", "section": "Specs", "content": memory, "at": at, "by": "ada"
            });
            lines.push_str(&format!("{line}\n"));
        }
        let path = root.join(format!(".heirloom/memory/fact/2024-01-{number:04}.jsonl"));
        put(&path, &lines)?;
    }
    let agents = agents(root)?;
    for (part, path) in written.chunks(ENTRIES).zip(&agents) {
        let mut text = "---\ntype: agent-memory\nsessions: 1\nupdated: 2026-01-01\n---\n\n# Memory\n\n## Findings\n\n".to_owned();
        part.iter().for_each(|(_, memory)| text.push_str(&format!("- {memory}\n")));
        put(path, &text)?;
    }
    if agents.len() * ENTRIES < written.len() {
        return Err(Failure::new("the workspace has too few agents for the memories"));
    }
    Ok(written.len())
}

/// The memory files of all agents.
fn agents(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let plans = root.join("plans");
    for plan in std::fs::read_dir(&plans).map_err(Failure::io("listing", &plans))?.flatten() {
        let folder = plan.path().join("agents");
        for agent in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = agent.file_name().to_string_lossy().into_owned();
            if let Some(stem) = name.strip_suffix(".md").filter(|stem| !stem.ends_with(".memory")) {
                found.push(folder.join(format!("{stem}.memory.md")));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    }
    std::fs::write(path, text).map_err(Failure::io("writing", path))
}

/// Runs a command to its end and returns how long it took and what it printed.
fn run(program: &Path, root: &Path, arguments: &[&str]) -> Result<(Duration, String), Failure> {
    let started = Instant::now();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(Failure::io("running", program))?;
    let time = started.elapsed();
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failure::new(format!(
            "{} {}: {error}",
            program.display(),
            arguments.join(" ")
        )));
    }
    Ok((time, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// The most memory that a fresh recall had resident, where the system tells.
fn peak(heir: &Path, root: &Path, question: &str) -> Option<u64> {
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M"])
        .arg(heir)
        .args(["recall", question, "--json"])
        .current_dir(root)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().last()?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// `heir mcp`, which keeps running.
struct Server(Pipes);

impl Server {
    fn start(heir: &Path, root: &Path) -> Result<Self, Failure> {
        Pipes::start(Command::new(heir).arg("mcp").current_dir(root)).map(Server)
    }

    fn recall(&mut self, question: &str) -> Result<Duration, Failure> {
        let started = Instant::now();
        let answer = self.0.call("memory_recall", &json!({"query": question}))?;
        let time = started.elapsed();
        let hits = answer["structuredContent"]["hits"].as_array().map_or(0, Vec::len);
        if hits == 0 {
            return Err(Failure::new(format!("nothing was found for `{question}`: {answer}")));
        }
        Ok(time)
    }
}

fn at_most(name: &str, value: f64, most: f64) -> Bar {
    let verdict = if value <= most { Verdict::Pass } else { Verdict::Fail };
    let name = format!("{name} <= {most}");
    Bar { name, verdict, detail: ratio_text(value), measured: Some(value) }
}

impl Size {
    fn judged(&self) -> Vec<Bar> {
        let bare = self.tantivy.p50 + self.scan.p50;
        let start = self.version.p50 + self.git_status.p50;
        let mut bars = vec![
            at_most("warm recall / (bare tantivy + bare scan)", self.warm.p50 / bare, 4.0),
            at_most("warm p99 / p50", self.warm.p99 / self.warm.p50, 4.0),
            at_most("indexing / bare tantivy", self.indexing_ms / self.tantivy_indexing_ms, 2.0),
        ];
        if self.memories <= USUAL {
            bars.extend([
                at_most("fresh recall / (--version + git status)", self.fresh.p50 / start, 10.0),
                at_most("ms longer after an add", self.after_add.p50 - self.warm.p50, 20.0),
            ]);
            let peak = self.peak_bytes.map(|peak| peak as f64 / 1e6);
            bars.extend(peak.map(|peak| at_most("MB of a fresh recall", peak, 150.0)));
        }
        bars
    }
}

impl Report {
    /// Returns whether a bar failed.
    pub(crate) fn has_failed_bar(&self) -> bool {
        let bars = self.sizes.iter().flat_map(|size| &size.bars).chain(&self.bars);
        bars.into_iter().any(|bar| bar.verdict == Verdict::Fail)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sizes.iter().try_for_each(|size| writeln!(out, "{size}"))?;
        self.bars.iter().try_for_each(|bar| writeln!(out, "{bar}"))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} memories, {} of them in markdown",
            count(self.memories),
            count(self.in_markdown)
        )?;
        writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
        for (name, times) in [
            ("recall, a process that keeps running", self.warm),
            ("recall, after something was stored", self.after_add),
            ("heir recall, a fresh process", self.fresh),
            ("heir --version", self.version),
            ("git status", self.git_status),
            ("bare tantivy", self.tantivy),
            ("bare scan of vectors", self.scan),
        ] {
            writeln!(out, "{name:<44}{:>9.2} ms{:>9.2} ms", times.p50, times.p99)?;
        }
        writeln!(out, "{:<44}{:>9.0} ms", "making the index", self.indexing_ms)?;
        writeln!(
            out,
            "{:<44}{:>9.0} ms",
            "bare tantivy makes its index", self.tantivy_indexing_ms
        )?;
        if let Some(peak) = self.peak_bytes {
            writeln!(out, "{:<44}{:>9.0} MB", "memory of a fresh recall", peak as f64 / 1e6)?;
        }
        writeln!(out)?;
        self.bars.iter().try_for_each(|bar| writeln!(out, "{bar}"))
    }
}
