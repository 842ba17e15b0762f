//! The `scale` measurement: the cost of recall among many memories, beside tantivy and a scan of
//! vectors on the same data.

mod report;
#[cfg(feature = "tantivy")]
mod tantivy_baseline;
mod vector_scan;
mod workspace;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use heirloom_core::recall::chunks;
use serde_json::json;
use tempfile::TempDir;

use crate::args::ScaleArgs;
use crate::corpus::CorpusGenerator;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mcp::{self, StdioClient};
use crate::numbers::count;
use crate::programs::WITHOUT_TANTIVY;
use crate::report::{Attempt, Bar};
use crate::scratch::temporary_folder;
use crate::timing::Latency;
use crate::{files, programs};
use report::{ScaleReport, SizeResult};
#[cfg(feature = "tantivy")]
pub(crate) use tantivy_baseline::index_file;
use vector_scan::VectorScan;

/// How often each index is built; the median counts.
const INDEXING_RUNS: usize = 3;
/// How many questions a server is asked before it is the other one's turn.
const QUESTIONS_PER_TURN: usize = 30;
/// How often a fresh process is run.
const FRESH_RUNS: usize = 20;
/// The folder of the index in a workspace.
const INDEX_FOLDER: &str = ".heirloom/cache/index";
/// How many times as long ten times as many memories may take.
const MAX_TENFOLD_RATIO: f64 = 6.0;

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
        let [small, large] = [&pair[0], &pair[1]].map(|size| size.memories);
        if large == 10 * small {
            let name = format!("warm p50 at {} / at {}", count(large), count(small));
            let ratio = compare_warm(&heir, &workspaces[index], &workspaces[index + 1])?;
            bars.push(Bar::at_most(&name, ratio, MAX_TENFOLD_RATIO));
        }
    }
    Ok(ScaleReport { bars, sizes })
}

/// Returns the ratio of the median latencies of two servers. They are asked in turns, since the
/// speed of a machine varies over minutes.
fn compare_warm(
    heir: &Path,
    small: &MeasuredWorkspace,
    large: &MeasuredWorkspace,
) -> Result<f64, Failure> {
    eprintln!("asking the servers of both sizes in turns");
    let start = |workspace: &MeasuredWorkspace| RecallServer::start(heir, &workspace.root);
    let mut sides = [(small, start(small)?, vec![]), (large, start(large)?, vec![])];
    let turns = small.questions.len().min(large.questions.len()).div_ceil(QUESTIONS_PER_TURN);
    for turn in 0..turns {
        for (workspace, server, times) in &mut sides {
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
    let [small_ms, large_ms] = sides.map(|(_, _, times)| Latency::of(times).p50);
    Ok(large_ms / small_ms)
}

fn measure_size(
    args: &ScaleArgs,
    heir: &Path,
    total: usize,
) -> Result<(SizeResult, MeasuredWorkspace), Failure> {
    let scratch = temporary_folder()?;
    eprintln!("generating {} memories", count(total));
    let mut corpus = CorpusGenerator::new(args.words as usize);
    let memories: Vec<String> = (0..total).map(|_| corpus.memory()).collect();
    let questions = corpus.questions(&memories, args.questions as usize);
    let workspace = workspace::create(&scratch.path().join("workspace"), &memories)?;
    let root = workspace.root.as_path();
    let indexing = measure_indexing(heir, root, &scratch, &memories)?;
    let tantivy = measure_tantivy(&scratch, &memories, &questions)?;
    let scan = measure_scan(&memories, &questions);
    eprintln!("asking {} questions", count(questions.len()));
    let (warm, after_add) = measure_server(heir, root, &questions, &mut corpus)?;
    let fresh = measure_fresh(heir, root, &questions)?;
    let mut result = SizeResult {
        memories: total,
        words: args.words as usize,
        index_bytes: files::size_below(&root.join(INDEX_FOLDER))?,
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
        peak_bytes: recall(heir, root, &questions[0]).peak_memory()?.into(),
        bars: vec![],
    };
    result.bars = result.judge();
    let measured = MeasuredWorkspace { root: workspace.root, questions, _scratch: scratch };
    Ok((result, measured))
}

/// The median times of building an index, in milliseconds.
struct IndexingTimes {
    heir_ms: f64,
    tantivy_ms: Attempt<f64>,
}

/// Builds the indexes of heir and of tantivy in turns. Each is built by a process of its own that
/// starts from files.
fn measure_indexing(
    heir: &Path,
    root: &Path,
    scratch: &TempDir,
    memories: &[String],
) -> Result<IndexingTimes, Failure> {
    let (mut heir_times, mut tantivy_times) = (Vec::new(), Vec::new());
    let lines = scratch.path().join("memories.txt");
    files::write(&lines, &memories.join("\n"))?;
    let has_tantivy = cfg!(feature = "tantivy");
    for run in 1..=INDEXING_RUNS {
        if has_tantivy {
            eprintln!("indexing with bare tantivy: {run} of {INDEXING_RUNS}");
            tantivy_times.push(index_with_tantivy(&lines, &tantivy_folder(scratch, run)?)?);
        }
        eprintln!("indexing with heir: {run} of {INDEXING_RUNS}");
        heir_times.push(Invocation::new(heir, &["index", "rebuild", "--json"], root).run_timed()?);
    }
    let tantivy_ms = match has_tantivy {
        true => Attempt::Done(Latency::of(tantivy_times).p50),
        false => Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() },
    };
    Ok(IndexingTimes { heir_ms: Latency::of(heir_times).p50, tantivy_ms })
}

/// Measures questions to tantivy.
#[cfg(feature = "tantivy")]
fn measure_tantivy(
    scratch: &TempDir,
    memories: &[String],
    questions: &[String],
) -> Result<Attempt<Latency>, Failure> {
    let folder = tantivy_folder(scratch, 0)?;
    let baseline = tantivy_baseline::TantivyBaseline::new(&folder, memories)?;
    Ok(Attempt::Done(Latency::of(baseline.ask(questions)?)))
}

/// Says how to build the program with tantivy.
#[cfg(not(feature = "tantivy"))]
fn measure_tantivy(_: &TempDir, _: &[String], _: &[String]) -> Result<Attempt<Latency>, Failure> {
    Ok(Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() })
}

/// Measures scans of vectors.
fn measure_scan(memories: &[String], questions: &[String]) -> Latency {
    let model = heirloom_embed::builtin();
    let chunks = memories.iter().flat_map(|memory| chunks(memory));
    let vectors = VectorScan::new(chunks.map(|chunk| model.vector(chunk)));
    let times = questions.iter().map(|question| vectors.scan(&model.vector(question)));
    Latency::of(times.collect())
}

/// Measures questions to a running server, and the first question after each added memory.
fn measure_server(
    heir: &Path,
    root: &Path,
    questions: &[String],
    corpus: &mut CorpusGenerator,
) -> Result<(Latency, Latency), Failure> {
    let mut server = RecallServer::start(heir, root)?;
    server.recall(&questions[0])?;
    let warm =
        questions.iter().map(|question| server.recall(question)).collect::<Result<_, _>>()?;
    let mut after_add = Vec::new();
    for run in 0..FRESH_RUNS {
        let text = format!("the measured memory number {run} speaks of {}", corpus.memory());
        Invocation::new(heir, &["fact", "add", "--section", "Specs", &text], root).run_timed()?;
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
    let git = programs::git()?;
    let (mut recalls, mut versions, mut git_statuses) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..FRESH_RUNS {
        let question = &questions[run * 31 % questions.len()];
        recalls.push(recall(heir, root, question).run_timed()?);
        versions.push(Invocation::new(heir, &["--version"], root).run_timed()?);
        git_statuses.push(Invocation::git_status(&git, root).run_timed()?);
    }
    Ok(FreshTimes {
        recall: Latency::of(recalls),
        version: Latency::of(versions),
        git_status: Latency::of(git_statuses),
    })
}

fn recall(heir: &Path, root: &Path, question: &str) -> Invocation {
    Invocation::new(heir, &["recall", question, "--json"], root)
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
    Invocation::new(&program, &["bare-tantivy", &lines, &folder], Path::new(".")).run_timed()
}

/// A running `heir mcp` that answers questions.
struct RecallServer(StdioClient);

impl RecallServer {
    fn start(heir: &Path, root: &Path) -> Result<Self, Failure> {
        StdioClient::start(Command::new(heir).arg("mcp").current_dir(root)).map(RecallServer)
    }

    fn recall(&mut self, question: &str) -> Result<Duration, Failure> {
        let started = Instant::now();
        let answer = self.0.call("memory_recall", &json!({"query": question}))?;
        let time = started.elapsed();
        if !mcp::text(&answer).contains(" · ") {
            return Err(Failure::new(format!("nothing was found for `{question}`: {answer}")));
        }
        Ok(time)
    }
}
