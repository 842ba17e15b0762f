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
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::args::ScaleArgs;
use crate::corpus::{CorpusGenerator, WORDS_PER_MEMORY};
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
pub(crate) use tantivy_baseline::{TantivyBaseline, index_file};
pub(crate) use vector_scan::VectorScan;
use workspace::ScaleWorkspace;
pub(crate) use workspace::{FACT_INTERVAL_MS, write_facts};

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

/// A workspace of generated memories, with questions that they answer. It is deleted when this is dropped.
pub(crate) struct GeneratedMemories {
    pub(crate) root: PathBuf,
    pub(crate) questions: Vec<String>,
    /// How many memories are in markdown files.
    in_markdown: usize,
    scratch: TempDir,
}

impl GeneratedMemories {
    /// Writes memories to a new workspace.
    fn new(
        corpus: &mut CorpusGenerator,
        memories: &[String],
        questions: usize,
    ) -> Result<Self, Failure> {
        let scratch = temporary_folder()?;
        let questions = corpus.questions(memories, questions);
        let ScaleWorkspace { root, in_markdown } =
            workspace::create(&scratch.path().join("workspace"), memories)?;
        Ok(GeneratedMemories { root, questions, in_markdown, scratch })
    }

    /// Generates so many memories of the default length, and questions.
    pub(crate) fn generate(total: usize, questions: usize) -> Result<Self, Failure> {
        let (mut corpus, memories) = generate_memories(WORDS_PER_MEMORY, total);
        GeneratedMemories::new(&mut corpus, &memories, questions)
    }
}

fn generate_memories(words: usize, total: usize) -> (CorpusGenerator, Vec<String>) {
    eprintln!("generating {} memories", count(total));
    let mut corpus = CorpusGenerator::new(words);
    let memories = (0..total).map(|_| corpus.memory()).collect();
    (corpus, memories)
}

/// Measures each size, and compares sizes that differ by a factor of ten.
pub(crate) fn measure(args: &ScaleArgs) -> Result<ScaleReport, Failure> {
    let heir = programs::heir(args.heir.as_deref())?;
    let results =
        args.memories.iter().map(|memories| measure_size(args, &heir, *memories as usize));
    let (sizes, workspaces): (Vec<SizeResult>, Vec<GeneratedMemories>) =
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
    small: &GeneratedMemories,
    large: &GeneratedMemories,
) -> Result<f64, Failure> {
    eprintln!("asking the servers of both sizes in turns");
    let start = |workspace: &GeneratedMemories| MemoryServer::start(heir, &workspace.root);
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
) -> Result<(SizeResult, GeneratedMemories), Failure> {
    let (mut corpus, memories) = generate_memories(args.words as usize, total);
    let generated = GeneratedMemories::new(&mut corpus, &memories, args.questions as usize)?;
    let GeneratedMemories { root, questions, scratch, .. } = &generated;
    let indexing = measure_indexing(heir, root, scratch, &memories)?;
    let baselines = Baselines::new(scratch, &memories)?;
    eprintln!("asking {} questions", count(questions.len()));
    let mut server = MemoryServer::start(heir, root)?;
    let WarmTimes { heir: warm, tantivy, scan } =
        WarmTimes::measure(&mut server, &baselines, questions)?;
    drop(baselines);
    let after_add = measure_after_add(heir, root, &mut server, questions, &mut corpus)?;
    drop(server);
    let fresh = FreshTimes::measure(heir, root, |run| {
        recall(heir, root, &questions[run * 31 % questions.len()])
    })?;
    let mut result = SizeResult {
        memories: total,
        words: args.words as usize,
        index_bytes: files::size_below(&root.join(INDEX_FOLDER))?,
        in_markdown: generated.in_markdown,
        warm,
        fresh: fresh.command,
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
    Ok((result, generated))
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

/// What recall is compared with on the same data: a search of tantivy, and a scan of vectors.
struct Baselines {
    #[cfg(feature = "tantivy")]
    tantivy: TantivyBaseline,
    vectors: VectorScan,
}

impl Baselines {
    #[cfg_attr(not(feature = "tantivy"), allow(unused_variables, reason = "tantivy needs it"))]
    fn new(scratch: &TempDir, memories: &[String]) -> Result<Self, Failure> {
        let model = heirloom_embed::builtin();
        let chunks = memories.iter().flat_map(|memory| chunks(memory));
        Ok(Baselines {
            #[cfg(feature = "tantivy")]
            tantivy: TantivyBaseline::new(&tantivy_folder(scratch, 0)?, memories)?,
            vectors: VectorScan::new(chunks.map(|chunk| model.vector(chunk))),
        })
    }

    /// Asks tantivy, and returns how long each answer took; nothing without tantivy.
    #[cfg_attr(not(feature = "tantivy"), allow(unused_variables, reason = "tantivy needs it"))]
    fn ask_tantivy(&self, questions: &[String]) -> Result<Vec<Duration>, Failure> {
        #[cfg(feature = "tantivy")]
        return self.tantivy.ask(questions);
        #[cfg(not(feature = "tantivy"))]
        return Ok(vec![]);
    }

    /// Scans the vectors for each question, and returns how long each scan took.
    fn scan(&self, questions: &[String]) -> Vec<Duration> {
        let model = heirloom_embed::builtin();
        questions.iter().map(|question| self.vectors.scan(&model.vector(question))).collect()
    }
}

/// The latencies of questions to a running server and to the baselines.
struct WarmTimes {
    heir: Latency,
    tantivy: Attempt<Latency>,
    scan: Latency,
}

impl WarmTimes {
    /// Asks the server and the baselines in turns, since the speed of a machine varies over seconds.
    fn measure(
        server: &mut MemoryServer,
        baselines: &Baselines,
        questions: &[String],
    ) -> Result<Self, Failure> {
        let (mut heir, mut tantivy, mut scans) = (Vec::new(), Vec::new(), Vec::new());
        for turn in questions.chunks(QUESTIONS_PER_TURN) {
            // Whatever is asked first finds the processor's caches filled by another, so one question is not timed.
            let first = &turn[turn.len() - 1..];
            server.recall(&first[0])?;
            for question in turn {
                heir.push(server.recall(question)?);
            }
            baselines.ask_tantivy(first)?;
            tantivy.extend(baselines.ask_tantivy(turn)?);
            baselines.scan(first);
            scans.extend(baselines.scan(turn));
        }
        let tantivy = match cfg!(feature = "tantivy") {
            true => Attempt::Done(Latency::of(tantivy)),
            false => Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() },
        };
        Ok(WarmTimes { heir: Latency::of(heir), tantivy, scan: Latency::of(scans) })
    }
}

/// Measures the first question after each added memory.
fn measure_after_add(
    heir: &Path,
    root: &Path,
    server: &mut MemoryServer,
    questions: &[String],
    corpus: &mut CorpusGenerator,
) -> Result<Latency, Failure> {
    let mut times = Vec::new();
    for run in 0..FRESH_RUNS {
        let text = format!("the measured memory number {run} speaks of {}", corpus.memory());
        Invocation::new(heir, &["fact", "add", "--section", "Specs", &text], root).run_timed()?;
        times.push(server.recall(&questions[run % questions.len()])?);
    }
    Ok(Latency::of(times))
}

/// The latencies of fresh processes.
pub(crate) struct FreshTimes {
    pub(crate) command: Latency,
    pub(crate) version: Latency,
    pub(crate) git_status: Latency,
}

impl FreshTimes {
    /// Runs a command in turns with `heir --version` and `git status`.
    pub(crate) fn measure(
        heir: &Path,
        root: &Path,
        command: impl Fn(usize) -> Invocation,
    ) -> Result<Self, Failure> {
        let git = programs::git()?;
        let (mut commands, mut versions, mut git_statuses) = (vec![], vec![], vec![]);
        for run in 0..FRESH_RUNS {
            commands.push(command(run).run_timed()?);
            versions.push(Invocation::new(heir, &["--version"], root).run_timed()?);
            git_statuses.push(Invocation::git_status(&git, root).run_timed()?);
        }
        Ok(FreshTimes {
            command: Latency::of(commands),
            version: Latency::of(versions),
            git_status: Latency::of(git_statuses),
        })
    }
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
pub(crate) fn index_with_tantivy(lines: &Path, folder: &Path) -> Result<Duration, Failure> {
    let program =
        std::env::current_exe().map_err(Failure::io("finding", Path::new("this program")))?;
    let [lines, folder] = [lines, folder].map(|path| path.display().to_string());
    Invocation::new(&program, &["bare-tantivy", &lines, &folder], Path::new(".")).run_timed()
}

/// A running `heir mcp` that answers questions.
pub(crate) struct MemoryServer(StdioClient);

impl MemoryServer {
    pub(crate) fn start(heir: &Path, root: &Path) -> Result<Self, Failure> {
        StdioClient::start(Command::new(heir).arg("mcp").current_dir(root)).map(MemoryServer)
    }

    /// Asks a question, and returns how long the answer took.
    pub(crate) fn recall(&mut self, question: &str) -> Result<Duration, Failure> {
        self.ask("memory_recall", &json!({"query": question}), " · ")
    }

    /// Assembles a context for a task, and returns how long that took.
    pub(crate) fn assemble(&mut self, task: &str, budget: usize) -> Result<Duration, Failure> {
        self.ask("context_assemble", &json!({"task": task, "budget": budget}), "## Task")
    }

    /// Predicts what work on a file will need, and returns how long that took.
    pub(crate) fn predict(&mut self, file: &str) -> Result<Duration, Failure> {
        self.ask("context_predict", &json!({"files": [file]}), " · ")
    }

    /// Calls a tool whose answer contains a text if something was found.
    fn ask(&mut self, tool: &str, request: &Value, expected: &str) -> Result<Duration, Failure> {
        let started = Instant::now();
        let answer = self.0.call(tool, request)?;
        let time = started.elapsed();
        if !mcp::text(&answer).contains(expected) {
            return Err(Failure::new(format!("nothing was found for {request}: {answer}")));
        }
        Ok(time)
    }
}
