//! The `scale` measurement: the cost of recall among many memories, beside tantivy and a scan of
//! vectors on the same data.

mod baseline;
pub(crate) mod corpus;
mod workspace;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;

use crate::ScaleArgs;
use crate::failure::Failure;
use crate::numbers::count;
use crate::peers::mcp::StdioClient;
use crate::programs;
use crate::recall::memory_system::Latency;
use crate::report::{Bar, Verdict, ratio_text};
pub(crate) use baseline::TantivyBaseline;
use corpus::CorpusGenerator;

/// How often each index is built; the median counts.
const INDEXING_RUNS: usize = 3;
/// How many questions a server is asked before it is the other one's turn.
const QUESTIONS_PER_TURN: usize = 30;
/// How often a fresh process is run.
const FRESH_RUNS: usize = 20;
/// How many times as long ten times as many memories may take.
const MAX_TENFOLD_RATIO: f64 = 6.0;
/// Up to how many memories the bars of a fresh process are judged too.
const MAX_MEMORIES_FOR_FRESH_BARS: usize = 100_000;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct ScaleReport {
    /// The results of each number of memories.
    sizes: Vec<SizeResult>,
    /// The bars that compare two sizes.
    bars: Vec<Bar>,
}

/// The results of one number of memories; times in milliseconds.
#[derive(Serialize)]
struct SizeResult {
    memories: usize,
    in_markdown: usize,
    /// Questions to a running server.
    warm: Latency,
    /// `heir recall` as a fresh process.
    fresh: Latency,
    /// The first question after a memory was added.
    after_add: Latency,
    /// `heir --version`.
    version: Latency,
    /// `git status` of the same tree.
    git_status: Latency,
    /// The median time of building the index.
    indexing_ms: f64,
    /// The median time in which tantivy builds its index.
    tantivy_indexing_ms: f64,
    tantivy: Latency,
    scan: Latency,
    /// The peak memory of a fresh recall, in bytes.
    peak_bytes: Option<u64>,
    bars: Vec<Bar>,
}

/// A workspace that was measured, for another measurement beside the next size.
struct MeasuredWorkspace {
    root: PathBuf,
    questions: Vec<String>,
    _scratch: TempDir,
}

/// Measures each size, and compares sizes that differ by a factor of ten.
pub(crate) fn measure(args: &ScaleArgs) -> Result<ScaleReport, Failure> {
    let heir = programs::heir(args.heir.as_deref())?;
    let results =
        args.memories.iter().map(|memories| measure_size(args, &heir, *memories as usize));
    let (sizes, workspaces): (Vec<SizeResult>, Vec<MeasuredWorkspace>) =
        results.collect::<Result<Vec<_>, Failure>>()?.into_iter().unzip();
    let mut bars = Vec::new();
    for (index, pair) in sizes.windows(2).enumerate() {
        let [few, many] = [&pair[0], &pair[1]].map(|size| size.memories);
        if many == 10 * few {
            let name = format!("warm p50 at {} / at {}", count(many), count(few));
            let ratio = compare_warm(&heir, &workspaces[index], &workspaces[index + 1])?;
            bars.push(bar_at_most(&name, ratio, MAX_TENFOLD_RATIO));
        }
    }
    Ok(ScaleReport { bars, sizes })
}

/// Returns the ratio of the median latencies of two servers. They are asked in turns, since the
/// speed of a machine varies over minutes.
fn compare_warm(
    heir: &Path,
    few: &MeasuredWorkspace,
    many: &MeasuredWorkspace,
) -> Result<f64, Failure> {
    eprintln!("asking both in turns");
    let start = |workspace: &MeasuredWorkspace| Server::start(heir, &workspace.root);
    let mut both = [(few, start(few)?, vec![]), (many, start(many)?, vec![])];
    let turns = few.questions.len().min(many.questions.len()).div_ceil(QUESTIONS_PER_TURN);
    for turn in 0..turns {
        for (workspace, server, times) in &mut both {
            let questions = workspace.questions.iter().skip(turn * QUESTIONS_PER_TURN);
            for (index, question) in questions.take(QUESTIONS_PER_TURN).enumerate() {
                let time = server.recall(question)?;
                // The first question of a turn finds the processor's caches filled by the other
                // server.
                if index > 0 {
                    times.push(time);
                }
            }
        }
    }
    let [few, many] = both.map(|(_, _, times)| Latency::of(times).p50);
    Ok(many / few)
}

fn measure_size(
    args: &ScaleArgs,
    heir: &Path,
    total: usize,
) -> Result<(SizeResult, MeasuredWorkspace), Failure> {
    let scratch =
        tempfile::tempdir().map_err(Failure::io("making", Path::new("a temporary folder")))?;
    eprintln!("generating {} memories", count(total));
    let mut corpus = CorpusGenerator::new();
    let memories: Vec<String> = (0..total).map(|_| corpus.memory()).collect();
    let questions: Vec<String> = (0..args.questions as usize)
        .map(|number| corpus.question(&memories[number * 7919 % total]))
        .collect();
    let workspace = workspace::create(&scratch.path().join("workspace"), &memories)?;
    let root = workspace.root.as_path();
    let indexing = measure_indexing(heir, root, &scratch, &memories)?;
    let (tantivy, scan) = measure_baselines(&scratch, &memories, &questions)?;
    eprintln!("asking {} questions", count(questions.len()));
    let (warm, after_add) = measure_server(heir, root, &questions, &mut corpus)?;
    let fresh = measure_fresh(heir, root, &questions)?;
    let mut result = SizeResult {
        memories: total,
        in_markdown: workspace.in_markdown,
        warm,
        fresh: fresh.recall,
        after_add,
        version: fresh.version,
        git_status: fresh.git_status,
        indexing_ms: indexing.heir_ms,
        tantivy_indexing_ms: indexing.tantivy_ms,
        tantivy,
        scan,
        peak_bytes: peak_memory(heir, root, &questions[0]),
        bars: vec![],
    };
    result.bars = result.judge();
    let measured = MeasuredWorkspace { root: workspace.root, questions, _scratch: scratch };
    Ok((result, measured))
}

/// The median times of building an index, in milliseconds.
struct IndexingTimes {
    heir_ms: f64,
    tantivy_ms: f64,
}

/// Builds the indexes of heir and of tantivy in turns. Each is built by a process of its own that
/// starts from files.
fn measure_indexing(
    heir: &Path,
    root: &Path,
    scratch: &TempDir,
    memories: &[String],
) -> Result<IndexingTimes, Failure> {
    let (mut of_heir, mut of_tantivy) = (Vec::new(), Vec::new());
    let lines = scratch.path().join("memories.txt");
    workspace::write_file(&lines, &memories.join("\n"))?;
    for run in 1..=INDEXING_RUNS {
        eprintln!("indexing with bare tantivy, then with heir: {run} of {INDEXING_RUNS}");
        of_tantivy.push(index_with_tantivy(&lines, &tantivy_folder(scratch, run)?)?);
        of_heir.push(time_command(heir, root, &["index", "rebuild", "--json"])?);
    }
    let [heir_ms, tantivy_ms] = [of_heir, of_tantivy].map(|times| Latency::of(times).p50);
    Ok(IndexingTimes { heir_ms, tantivy_ms })
}

/// Measures questions to tantivy, and scans of vectors.
fn measure_baselines(
    scratch: &TempDir,
    memories: &[String],
    questions: &[String],
) -> Result<(Latency, Latency), Failure> {
    let tantivy = TantivyBaseline::new(&tantivy_folder(scratch, 0)?, memories)?.ask(questions)?;
    let model = heirloom_embed::builtin();
    let vectors = baseline::VectorScan::new(memories.iter().map(|memory| model.vector(memory)));
    let scan = questions.iter().map(|question| vectors.scan(&model.vector(question)));
    Ok((Latency::of(tantivy), Latency::of(scan.collect())))
}

/// Measures questions to a running server, and the first question after each added memory.
fn measure_server(
    heir: &Path,
    root: &Path,
    questions: &[String],
    corpus: &mut CorpusGenerator,
) -> Result<(Latency, Latency), Failure> {
    let mut server = Server::start(heir, root)?;
    server.recall(&questions[0])?;
    let warm =
        questions.iter().map(|question| server.recall(question)).collect::<Result<_, _>>()?;
    let mut after_add = Vec::new();
    for run in 0..FRESH_RUNS {
        let text = format!("the measured memory number {run} speaks of {}", corpus.memory());
        time_command(heir, root, &["fact", "add", "--section", "Specs", &text])?;
        after_add.push(server.recall(&questions[run % questions.len()])?);
    }
    Ok((Latency::of(warm), Latency::of(after_add)))
}

/// The latencies of fresh processes.
struct FreshTimes {
    recall: Latency,
    version: Latency,
    git_status: Latency,
}

fn measure_fresh(heir: &Path, root: &Path, questions: &[String]) -> Result<FreshTimes, Failure> {
    let (mut recall, mut version, mut git_status) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..FRESH_RUNS {
        let question = &questions[run * 31 % questions.len()];
        recall.push(time_command(heir, root, &["recall", question, "--json"])?);
        version.push(time_command(heir, root, &["--version"])?);
        git_status.push(time_command(Path::new("git"), root, &["status", "--short"])?);
    }
    Ok(FreshTimes {
        recall: Latency::of(recall),
        version: Latency::of(version),
        git_status: Latency::of(git_status),
    })
}

/// Makes a folder for an index of tantivy.
fn tantivy_folder(scratch: &TempDir, number: usize) -> Result<PathBuf, Failure> {
    let folder = scratch.path().join(format!("tantivy-{number}"));
    std::fs::create_dir(&folder).map_err(Failure::io("making", &folder))?;
    Ok(folder)
}

/// Indexes memories with tantivy in another process of this program, and returns the time it takes.
fn index_with_tantivy(lines: &Path, folder: &Path) -> Result<Duration, Failure> {
    let program =
        std::env::current_exe().map_err(Failure::io("finding", Path::new("this program")))?;
    let [lines, folder] = [lines, folder].map(|path| path.display().to_string());
    time_command(&program, Path::new("."), &["bare-tantivy", &lines, &folder])
}

/// Reads memories from a file, one a line.
pub(crate) fn read_lines(path: &Path) -> Result<Vec<String>, Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Runs a command to its end, and returns how long it took.
fn time_command(program: &Path, root: &Path, arguments: &[&str]) -> Result<Duration, Failure> {
    let started = Instant::now();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(Failure::io("running", program))?;
    let time = started.elapsed();
    if output.status.success() {
        return Ok(time);
    }
    Err(Failure::Command {
        command: format!("{} {}", program.display(), arguments.join(" ")),
        status: output.status.to_string(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Returns the peak resident memory of a fresh recall in bytes, if `/usr/bin/time` is installed.
fn peak_memory(heir: &Path, root: &Path, question: &str) -> Option<u64> {
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

/// A running `heir mcp`.
struct Server(StdioClient);

impl Server {
    fn start(heir: &Path, root: &Path) -> Result<Self, Failure> {
        StdioClient::start(Command::new(heir).arg("mcp").current_dir(root)).map(Server)
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

fn bar_at_most(name: &str, value: f64, most: f64) -> Bar {
    let verdict = if value <= most { Verdict::Pass } else { Verdict::Fail };
    let name = format!("{name} <= {most}");
    Bar { name, verdict, detail: ratio_text(value), measured: Some(value) }
}

impl SizeResult {
    fn judge(&self) -> Vec<Bar> {
        let baseline = self.tantivy.p50 + self.scan.p50;
        let start = self.version.p50 + self.git_status.p50;
        let indexing = self.indexing_ms / self.tantivy_indexing_ms;
        let mut bars = vec![
            bar_at_most("warm recall / (bare tantivy + bare scan)", self.warm.p50 / baseline, 4.0),
            bar_at_most("warm p99 / p50", self.warm.p99 / self.warm.p50, 4.0),
            bar_at_most("indexing / bare tantivy", indexing, 2.0),
        ];
        if self.memories <= MAX_MEMORIES_FOR_FRESH_BARS {
            let fresh = self.fresh.p50 / start;
            bars.extend([
                bar_at_most("fresh recall / (--version + git status)", fresh, 10.0),
                bar_at_most("ms longer after an add", self.after_add.p50 - self.warm.p50, 20.0),
            ]);
            let peak = self.peak_bytes.map(|peak| peak as f64 / 1e6);
            bars.extend(peak.map(|peak| bar_at_most("MB of a fresh recall", peak, 150.0)));
        }
        bars
    }
}

impl ScaleReport {
    /// Returns whether a bar failed.
    pub(crate) fn has_failed_bar(&self) -> bool {
        let mut bars = self.sizes.iter().flat_map(|size| &size.bars).chain(&self.bars);
        bars.any(|bar| bar.verdict == Verdict::Fail)
    }
}

impl fmt::Display for ScaleReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sizes.iter().try_for_each(|size| writeln!(out, "{size}"))?;
        self.bars.iter().try_for_each(|bar| writeln!(out, "{bar}"))
    }
}

impl fmt::Display for SizeResult {
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
        for (name, time) in [
            ("making the index", self.indexing_ms),
            ("bare tantivy makes its index", self.tantivy_indexing_ms),
        ] {
            writeln!(out, "{name:<44}{time:>9.0} ms")?;
        }
        if let Some(peak) = self.peak_bytes {
            writeln!(out, "{:<44}{:>9.0} MB", "memory of a fresh recall", peak as f64 / 1e6)?;
        }
        writeln!(out)?;
        self.bars.iter().try_for_each(|bar| writeln!(out, "{bar}"))
    }
}
