//! The command line of the program.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::corpus::WORDS_PER_MEMORY;

/// The folder that `peers install` fills, unless another one is given.
const DEFAULT_PEERS_FOLDER: &str = "target/peers";

/// Measures the heir binary on generated workspaces.
///
/// Nothing here needs the network except `peers install`. Results are wall times of whole processes on this
/// machine: compare rows of one run, not numbers of two machines.
#[derive(Parser)]
#[command(name = "heirloom-bench", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The output options of a measurement.
#[derive(Args)]
pub(crate) struct Output {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// Also save the result to this file, for `page`
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

/// The output options of a measurement with bars.
#[derive(Args)]
pub(crate) struct JudgedOutput {
    #[command(flatten)]
    pub(crate) output: Output,

    /// Exit with 1 when a bar fails; a skipped bar does not fail
    #[arg(long)]
    pub(crate) check: bool,
}

/// Where heir and the peers are found.
#[derive(Args)]
pub(crate) struct ComparedPrograms {
    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    pub(crate) heir: Option<PathBuf>,

    /// The folder that `peers install` filled
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PEERS_FOLDER)]
    pub(crate) dir: PathBuf,
}

/// The options that measurements of generated workspaces share.
#[derive(Args)]
pub(crate) struct Common {
    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    pub(crate) heir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,

    /// Write the workspaces to this new or empty folder, and keep them
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Start(StartArgs),
    Fold(FoldArgs),
    Questions(QuestionsArgs),
    Assemble(AssembleArgs),
    Scale(ScaleArgs),
    Cold(ColdArgs),
    Consolidation(ConsolidationArgs),
    Workspace(WorkspaceArgs),
    #[cfg(feature = "tantivy")]
    #[command(hide = true)]
    BareTantivy(BareTantivyArgs),
    Similarity(SimilarityArgs),
    Contradictions(ContradictionsArgs),
    Citations(CitationsArgs),
    Extraction(ExtractionArgs),
    Replay(ReplayArgs),
    Page(PageArgs),
    Peers(PeersArgs),
    Answers(AnswersArgs),
}

/// Times a fresh `heir context resolve` process, and traces which files it opens.
///
/// Generates a workspace in a git repository, then runs /bin/true, heir, node and limps in turn, so that a
/// slow moment of the machine affects all of them. A program that is not installed is a skipped row; a
/// command that fails ends the run.
///
/// Four bars are judged at the end: a resolve takes at most a tenth of `node -e 0`; it opens the same files
/// at 10 plans as at all of them, one listing of plans/ aside; `heir retrieve context` of a scope with as many plans takes
/// at most 5 times as long as `heir --version`; limps takes at least 100 times as long. A bar
/// that could not be measured is skipped, with its reason.
#[derive(Args)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Plans in the generated workspace
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..=9999))]
    pub(crate) plans: u32,

    /// Agents of each plan
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) agents: u32,

    /// Timed runs of each command; limps gets a twentieth, at least 5
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,

    /// The folder that `peers install` filled
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PEERS_FOLDER)]
    pub(crate) peers: PathBuf,
}

/// Times `heir stats` on a memory log and on one that is twice as long.
///
/// Generates both logs (seven in ten records are facts, of which one in ten supersedes an older one and one in
/// twenty repeats another one; the rest are episodes, patterns, workflows, edges, notes and events), then
/// runs heir on both in turn. The answers are checked against the generated records.
///
/// One bar is judged: twice the records take at most 2.3 times as long.
#[derive(Args)]
pub(crate) struct FoldArgs {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Records in the shorter log
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) records: u32,

    /// Timed runs of each
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,
}

/// Measures recall on questions with known answers.
///
/// Each file is JSON Lines, and a memory of its own: documents `{"doc", "group", "at", "text"}` and questions
/// `{"question", "text", "gold", "category"}`, with `gold_groups` if only the group of an answer is known.
/// Documents become lines of a memory log, and questions go through the operation `recall`.
#[derive(Args)]
pub(crate) struct QuestionsArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Measure answers of so many hits and the standing instructions beside them
    #[arg(long, value_name = "HITS", conflicts_with_all = ["sessions", "categories"])]
    pub(crate) with_instructions: Option<usize>,

    /// Make one memory of all files, and measure how well the sessions (groups) of answers are found, beside BM25,
    /// vectors and their rank fusion
    #[arg(long)]
    pub(crate) sessions: bool,

    /// Measure each category of questions beside BM25, vectors and their rank fusion; an answer of heir has seven hits
    /// and up to three standing instructions
    #[arg(long, conflicts_with = "sessions")]
    pub(crate) categories: bool,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// Measures how much of the answers to questions assembled contexts support.
///
/// Files are those of `questions`; a question is the task. Support is the share of the answer's words, as far as the gold
/// documents contain them, that stand in sentences of gold documents which the context contains whole. Beside it, the
/// budget is filled with whole memories in the order of `recall`.
///
/// With `--scale`, two bars are judged: among so many memories, a running server takes at most 5 times as long as for
/// `recall`, and a fresh process at most 10 times as long as `heir --version` and `git status` together.
#[derive(Args)]
pub(crate) struct AssembleArgs {
    /// The files
    #[arg(required_unless_present_any = ["replay", "scale"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Measure the time of a context among so many generated memories instead
    #[arg(long, value_name = "N", conflicts_with_all = ["files", "replay"], value_parser = clap::value_parser!(u32).range(1_000..=5_000_000))]
    pub(crate) scale: Option<u32>,

    /// The heir binary that `--scale` measures [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH", requires = "scale")]
    pub(crate) heir: Option<PathBuf>,

    /// Replay a session of 50 calls instead, and measure how much of a context is the beginning of the one before
    #[arg(long, conflicts_with = "files")]
    pub(crate) replay: bool,

    /// Maximum number of tokens of a context
    #[arg(long, value_name = "N", default_value_t = 8_000)]
    pub(crate) budget: usize,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Indexes lines with plain tantivy, for `scale`, which times it beside `heir index rebuild`.
#[cfg(feature = "tantivy")]
#[derive(Args)]
pub(crate) struct BareTantivyArgs {
    /// The memories, one a line
    pub(crate) memories: PathBuf,
    /// An empty folder for the index
    pub(crate) folder: PathBuf,
}

/// Measures recall among many memories, beside plain tantivy and a plain scan of vectors on the same data.
///
/// Memories have thirty words or what `--words` says; one in twenty is a finding in a markdown file, the others are facts
/// of the log. Longer ones are messages of many sentences, and the scan is of as many vectors as they have chunks.
/// `heir mcp` answers the questions of the warm rows, fresh processes those of the others.
///
/// The rows and bars of tantivy are skipped unless the program was built with `--features tantivy`.
#[derive(Args)]
pub(crate) struct ScaleArgs {
    /// How many memories; several numbers are measured in order
    #[arg(value_name = "N", default_values_t = [100_000], value_parser = clap::value_parser!(u32).range(1_000..=5_000_000))]
    pub(crate) memories: Vec<u32>,

    /// How many words a memory has
    #[arg(long, value_name = "N", default_value_t = WORDS_PER_MEMORY as u32, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pub(crate) words: u32,

    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    pub(crate) heir: Option<PathBuf>,

    /// How many questions
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub(crate) questions: u32,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Measures indexing and searching transcripts, beside plain tantivy and a plain scan of vectors on the same texts.
///
/// Files are those of `questions`; each group of documents is a conversation. They are repeated, with some words replaced,
/// and written in the formats of Claude Code, Codex, Gemini CLI, Copilot CLI and JSON Lines.
///
/// Bars: indexing takes at most 2 times as long as tantivy and at most 300 MB of memory; a search by a running server
/// takes at most 4 times as long as tantivy and the scan together; an index whose making was killed several times answers
/// like one that was made at once.
#[derive(Args)]
pub(crate) struct ColdArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How many megabytes of transcripts
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) megabytes: u32,

    /// How many questions
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pub(crate) questions: u32,

    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    pub(crate) heir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Measures consolidation: what is forgotten, what is merged, and what it costs.
#[derive(Args)]
pub(crate) struct ConsolidationArgs {
    #[command(subcommand)]
    pub(crate) part: ConsolidationPart,
}

#[derive(Subcommand)]
pub(crate) enum ConsolidationPart {
    Forgetting(ForgettingArgs),
    Duplicates(DuplicatesArgs),
    Scale(ConsolidationScaleArgs),
}

/// Measures whether what is forgotten is needed later.
///
/// Files are those of `questions`. The documents of each become memories at their dates, and consolidation runs every 30
/// days until half a year after the last one. Every second question is asked in the month in which its evidence is complete;
/// what recall finds of it is used. The others are asked after the last consolidation.
///
/// Bars: at least a tenth of the memories are archived; of the evidence of the later questions less than 1 in 100 is; all of
/// that is found by recall, labelled as archived, and restored.
#[derive(Args)]
pub(crate) struct ForgettingArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Compares the pairs that would be merged with what people say of them.
///
/// Bars: of merged pairs at least 0.95 are paraphrases, which are at least 0.15 of all paraphrases; of merged pairs with
/// scores at most 1 in 20 has one below 3.
#[derive(Args)]
pub(crate) struct DuplicatesArgs {
    /// Rows with 1 for a paraphrase, else 0, and two texts, separated by commas or tabs
    #[arg(long, value_name = "FILE", required_unless_present = "scored")]
    pub(crate) paraphrases: Option<PathBuf>,

    /// Rows of two texts and a score from 0 to 5, separated by commas or tabs
    #[arg(long, value_name = "FILE")]
    pub(crate) scored: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Times a consolidation of generated memories, beside a rebuild of their index.
///
/// One in fifty facts repeats another one in nearly the same words, and one in twenty memories is small talk. Then
/// consolidation of the same memories is killed ten times, and run to its end.
///
/// Bars: at most 40 times the rebuild; at most 500 MB; a second run changes nothing; after kills no line of the log is
/// damaged, and the result is the same.
#[derive(Args)]
pub(crate) struct ConsolidationScaleArgs {
    /// How many memories
    #[arg(value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    pub(crate) memories: u32,

    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    pub(crate) heir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Times the commands that read a whole workspace, beside `git status` of the same tree.
///
/// Generates a workspace in a git repository, runs each command once to fill its caches and to check its answer,
/// and then times all of them in turn: no file has changed since the last command, and all files are in the
/// system's cache.
///
/// Bars: `agent list PLAN` takes at most 2 times `heir --version`; `recall`, `plan list` and `graph show NODE`
/// at most 3 times `git status`; `context conflicts`, `context health` and `graph health` at most 8 times.
#[derive(Args)]
pub(crate) struct WorkspaceArgs {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Plans in the generated workspace
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(10..=99_999))]
    pub(crate) plans: u32,

    /// Agents of each plan
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) agents: u32,

    /// Timed runs of each command
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,
}

/// Correlates the cosines of the embedder with similarity judged by people.
#[derive(Args)]
pub(crate) struct SimilarityArgs {
    /// Rows of two texts and a score, separated by commas or tabs
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// Measures how well pairs of statements that contradict each other are told from others.
///
/// Both the rules and the model that is compiled in, if one is, judge each pair.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ContradictionsArgs {
    #[command(subcommand)]
    pub(crate) part: Option<ContradictionsPart>,

    #[command(flatten)]
    pub(crate) pairs: JudgedPairsArgs,
}

#[derive(Args)]
pub(crate) struct JudgedPairsArgs {
    /// Lines of two statements and 1 if they contradict each other, else 0, separated by tabs
    #[arg(value_name = "FILE", required = true)]
    pub(crate) file: Option<PathBuf>,

    /// Use the model of this file
    #[arg(long = "judge", value_name = "PATH", conflicts_with = "rules_only")]
    pub(crate) model: Option<PathBuf>,

    /// Use no model
    #[arg(long)]
    pub(crate) rules_only: bool,

    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Subcommand)]
pub(crate) enum ContradictionsPart {
    Planted(PlantedArgs),
}

/// Measures how many contradictions a scan finds among many facts that do not contradict each other.
///
/// Facts about many things are generated, or taken from files; some contradict one other. They become the memory of a
/// workspace, which is scanned like `heir contradictions scan` does.
///
/// Bars: of the planted contradictions, at least 80 of 100 are found, 70 from 100,000 facts on; at most 50 false alarms, of
/// which at most 5 are called certain; at most 500 MB.
#[derive(Args)]
pub(crate) struct PlantedArgs {
    /// How many facts there are
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(100..=120_000))]
    pub(crate) memories: u32,

    /// How many of them contradict another one
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) planted: u32,

    /// What is chosen at random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Take the facts from these files, and what is planted from the first: clusters as JSON lines, or judged pairs
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) pairs: Vec<PathBuf>,

    /// List so many of the contradictions that were not found, and of the false alarms
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) list: usize,

    /// Write the pairs that the scan judges, to fit thresholds to: the statements, 1 or 0, the statements as the model reads them, and more
    #[arg(long, value_name = "FILE")]
    pub(crate) save_pairs: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Measures how many memories of sessions are judged right as used or not used by the agent.
///
/// A file has a line `task: TEXT`, a line `+ TEXT` for each memory that the agent used and `- TEXT` for each other one, a
/// line `---`, and the transcript of the session.
#[derive(Args)]
pub(crate) struct CitationsArgs {
    /// Sessions with the memories that were injected
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Measures whether the standing instructions and preferences that a person states in chats are proposed as memories.
///
/// Files are those of `questions`, and each is one chat: a document is a message, and the word before its first colon is
/// the role. Questions of the categories `instruction_following` and `preference_following` count; one is found if a
/// proposed instruction or preference comes from one of its gold messages. All proposals are printed, to be read.
#[derive(Args)]
pub(crate) struct ExtractionArgs {
    /// Chats with questions
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Counts the tokens of ten typical answers of memory servers, and of their lists of tools.
///
/// Each server holds the same twenty facts and is asked for the same ten tasks, in the way that suits it best. What
/// counts is what common clients pass to the model: the structured content of an answer if it has one, else its text. A
/// peer that is not installed is skipped with the reason; `peers install` installs them.
#[derive(Args)]
pub(crate) struct AnswersArgs {
    #[command(flatten)]
    pub(crate) programs: ComparedPrograms,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// Replays the git history of a repository, and measures how well `predict` finds the commits that matter.
///
/// Of the latest 3,000 commits (without merges and bots) each becomes a memory. The last 30 % that touch 2 to 15 files are
/// queries, each with one random file that existed before. FF10 is the share of the other files for which the first 10
/// predictions contain one of the latest 5 memories of at most 15 files that touched it; L10 the share of those with
/// removed or replaced lines for which they contain a commit that `git blame` names for these lines. Lock files,
/// changelogs and files that 5 of the previous 100 memories touched do not count.
///
/// Baselines: the latest commits, BM25 of the path over the messages, the commits that touched the given file, and the
/// same method with the file of another query.
///
/// Times are those of `context_predict` in a running server beside recall with as many memories, and of `heir predict` as a
/// fresh process beside `heir --version` and `git status`.
#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// The repository, with or without a work tree
    #[arg(value_name = "REPO")]
    pub(crate) repository: PathBuf,

    /// The heir binary whose times are measured [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    pub(crate) heir: Option<PathBuf>,

    /// Do not measure times
    #[arg(long)]
    pub(crate) no_times: bool,

    /// The seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

/// Writes the page of results that were saved with `--save`: docs/benchmarks.md.
#[derive(Args)]
pub(crate) struct PageArgs {
    /// The folder of saved results
    #[arg(value_name = "DIR", default_value = "docs/benchmarks")]
    pub(crate) results: PathBuf,

    /// The page
    #[arg(value_name = "FILE", default_value = "docs/benchmarks.md")]
    pub(crate) page: PathBuf,
}

/// Measures other memory tools, plain BM25, vectors and their fusion on the same questions.
///
/// A tool that is not installed is skipped with the reason; `peers install` installs them. BM25 and the fusion are
/// skipped unless the program was built with `--features tantivy`. Files are those of
/// `questions`; times are measured on generated memories. One bar for each tool: it takes at least 20 times as long
/// as heir.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PeersArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PeersCommand>,

    /// Files of documents and questions
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How many memories are generated to measure times; 0 skips the times
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) memories: u32,

    /// How many questions are asked to measure times; the first 50, or half, are a warm-up
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub(crate) questions: u32,

    /// Measure only tools whose name contains this; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,

    #[command(flatten)]
    pub(crate) programs: ComparedPrograms,

    #[command(flatten)]
    pub(crate) judged: JudgedOutput,
}

#[derive(Subcommand)]
pub(crate) enum PeersCommand {
    /// Installs the pinned packages into a folder; needs npm, Python and the network.
    Install {
        /// The folder to install into
        #[arg(long, value_name = "DIR", default_value = DEFAULT_PEERS_FOLDER)]
        dir: PathBuf,
    },
}
