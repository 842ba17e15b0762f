//! The `cold` measurement: indexing and searching transcripts, beside tantivy and a scan of vectors on the same texts.

mod conversations;
mod interruption;
mod report;
mod transcripts;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use heirloom_core::recall::chunks;
use serde_json::{Value, json};

use crate::args::ColdArgs;
use crate::failure::Failure;
use crate::files;
use crate::invocation::Invocation;
use crate::mcp::{self, StdioClient};
use crate::numbers::count;
use crate::programs::{self, WITHOUT_TANTIVY};
use crate::report::Attempt;
#[cfg(feature = "tantivy")]
use crate::scale::TantivyBaseline;
use crate::scale::VectorScan;
use crate::scratch::temporary_folder;
use crate::timing::Latency;
use conversations::Conversations;
use report::ColdReport;
use transcripts::{ColdWorkspace, INDEX_FOLDER};

/// How many questions each of the compared programs answers before the next has its turn.
const QUESTIONS_PER_TURN: usize = 20;

/// How many answers of an interrupted index are compared.
const COMPARED_ANSWERS: usize = 40;

/// Measures all of it.
pub(crate) fn measure(args: &ColdArgs) -> Result<ColdReport, Failure> {
    let heir = programs::heir(args.heir.as_deref())?;
    let scratch = temporary_folder()?;
    let conversations = Conversations::read(&args.files)?;
    eprintln!("writing {} MB of transcripts", count(args.megabytes as usize));
    let workspace = transcripts::write(scratch.path(), &conversations, args.megabytes.into())?;
    let questions: Vec<&str> = conversations
        .questions
        .iter()
        .map(String::as_str)
        .cycle()
        .take(args.questions as usize)
        .collect();
    let tantivy_folder = scratch.path().join("tantivy");
    let tantivy_ms = index_with_tantivy(&workspace.lines, &tantivy_folder)?;
    eprintln!("indexing with heir");
    let indexing = workspace.heir(&heir, &["cold", "index", "--json"]);
    let heir_ms = indexing.run_timed()?.as_secs_f64() * 1e3;
    let index_bytes = files::size_below(&workspace.root.join(INDEX_FOLDER))?;
    let status = workspace.heir(&heir, &["cold", "status", "--json"]).json_output()?;
    let compared = &questions[..questions.len().min(COMPARED_ANSWERS)];
    let expected = answers(&heir, &workspace, compared)?;
    eprintln!("asking {} questions", count(questions.len()));
    let warm = WarmTimes::measure(&heir, &workspace, &tantivy_folder, &questions)?;
    eprintln!("indexing with heir, for its peak memory");
    workspace.remove_index()?;
    let peak_bytes = indexing.peak_memory()?;
    eprintln!("indexing with heir, killed again and again");
    workspace.remove_index()?;
    let kills = interruption::index_with_kills(&indexing, Duration::from_secs_f64(heir_ms / 1e3))?;
    let differing = count_differences(&expected, &answers(&heir, &workspace, compared)?);
    let passages = status["passages"].as_u64().unwrap_or_default();
    let mut report = ColdReport {
        megabytes: workspace.transcript_bytes as f64 / 1e6,
        text_megabytes: workspace.text_bytes as f64 / 1e6,
        transcripts: workspace.transcripts,
        messages: status["messages"].as_u64().unwrap_or_default(),
        passages,
        index_bytes,
        indexing_ms: heir_ms,
        tantivy_indexing_ms: tantivy_ms,
        peak_bytes: peak_bytes.into(),
        warm: warm.heir,
        tantivy: warm.tantivy,
        scan: warm.scan,
        kills,
        compared: compared.len(),
        differing,
        bars: vec![],
    };
    report.bars = report.judge();
    Ok(report)
}

/// Indexes the lines with tantivy in another process of this program, and returns the time in milliseconds.
fn index_with_tantivy(lines: &Path, folder: &Path) -> Result<Attempt<f64>, Failure> {
    if !cfg!(feature = "tantivy") {
        return Ok(Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() });
    }
    eprintln!("indexing with bare tantivy");
    std::fs::create_dir(folder).map_err(Failure::io("making", folder))?;
    let time = crate::scale::index_with_tantivy(lines, folder)?;
    Ok(Attempt::Done(time.as_secs_f64() * 1e3))
}

/// Returns the answers of fresh processes to questions.
fn answers(
    heir: &Path,
    workspace: &ColdWorkspace,
    questions: &[&str],
) -> Result<Vec<Value>, Failure> {
    let ask = |question: &&str| {
        workspace.heir(heir, &["cold", "search", question, "--json"]).json_output()
    };
    questions.iter().map(ask).collect()
}

fn count_differences(expected: &[Value], found: &[Value]) -> usize {
    let different = |(expected, found): &(&Value, &Value)| expected["hits"] != found["hits"];
    let empty =
        expected.iter().filter(|answer| answer["hits"].as_array().is_none_or(Vec::is_empty));
    expected.iter().zip(found).filter(different).count() + empty.count()
}

/// The latencies of questions to a running server and to the baselines.
struct WarmTimes {
    heir: Latency,
    tantivy: Attempt<Latency>,
    scan: Latency,
}

impl WarmTimes {
    /// Asks the server and the baselines in turns, since the speed of a machine varies over seconds.
    #[cfg_attr(not(feature = "tantivy"), allow(unused_variables, reason = "tantivy needs it"))]
    fn measure(
        heir: &Path,
        workspace: &ColdWorkspace,
        tantivy_folder: &Path,
        questions: &[&str],
    ) -> Result<Self, Failure> {
        let model = heirloom_embed::builtin();
        let lines = std::fs::read_to_string(&workspace.lines)
            .map_err(Failure::io("reading", &workspace.lines))?;
        let vectors =
            VectorScan::new(lines.lines().flat_map(chunks).map(|chunk| model.vector(chunk)));
        drop(lines);
        #[cfg(feature = "tantivy")]
        let tantivy = TantivyBaseline::open(tantivy_folder)?;
        let mut server = StdioClient::start(workspace.command(heir).arg("mcp"))?;
        let (mut heir_times, mut scans) = (Vec::new(), Vec::new());
        #[allow(unused_mut, reason = "only tantivy fills it")]
        let mut tantivy_times: Vec<Duration> = Vec::new();
        let mut ask = |question: &str| -> Result<Duration, Failure> {
            let started = Instant::now();
            let answer = server.call("cold_search", &json!({"query": question}))?;
            let time = started.elapsed();
            match mcp::text(&answer).contains(" · ") {
                true => Ok(time),
                false => Err(Failure::new(format!("nothing was found for {question}: {answer}"))),
            }
        };
        // The first question opens the index.
        ask(questions[0])?;
        for turn in questions.chunks(QUESTIONS_PER_TURN) {
            ask(turn[turn.len() - 1])?;
            for question in turn {
                heir_times.push(ask(question)?);
            }
            #[cfg(feature = "tantivy")]
            {
                let turn: Vec<String> = turn.iter().map(ToString::to_string).collect();
                tantivy.ask(&turn[turn.len() - 1..])?;
                tantivy_times.extend(tantivy.ask(&turn)?);
            }
            vectors.scan(&model.vector(turn[turn.len() - 1]));
            scans.extend(turn.iter().map(|question| vectors.scan(&model.vector(question))));
        }
        let tantivy = match cfg!(feature = "tantivy") {
            true => Attempt::Done(Latency::of(tantivy_times)),
            false => Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() },
        };
        Ok(WarmTimes { heir: Latency::of(heir_times), tantivy, scan: Latency::of(scans) })
    }
}

impl ColdWorkspace {
    /// Returns an invocation of heir that finds the generated sessions.
    fn heir(&self, heir: &Path, arguments: &[&str]) -> Invocation {
        let invocation = Invocation::heir(heir, arguments, &self.root);
        self.variables().fold(invocation, |invocation, (name, path)| {
            invocation.with_variable(name, path.display().to_string())
        })
    }

    /// Returns a command of heir that finds the generated sessions.
    fn command(&self, heir: &Path) -> Command {
        let mut command = Command::new(heir);
        command.current_dir(&self.root).envs(self.variables());
        command
    }

    fn remove_index(&self) -> Result<(), Failure> {
        let folder = self.root.join(INDEX_FOLDER);
        std::fs::remove_dir_all(&folder).map_err(Failure::io("removing", &folder))
    }
}
