//! The `peers` measurement: how well and how fast heir, baselines and peers answer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::report::{PeerRow, PeersReport, judge};
use super::{basic_memory, heir_server, limps, memcite, server_memory};
use crate::args::PeersArgs;
use crate::corpus::{CorpusGenerator, WORDS_PER_MEMORY};
use crate::failure::Failure;
use crate::recall::dataset::{Document, Question};
use crate::recall::memory_system::MemorySystem;
use crate::recall::{DEPTHS, Heir, bm25, fusion, memory_system, static_vectors};
use crate::timing::Latency;

/// How many questions are asked before the timed ones.
const WARM_UP_QUESTIONS: usize = 50;

/// How many times as many questions as a peer heir is asked, since it answers so fast that a short
/// slow moment of the machine would distort its times.
const HEIR_QUESTION_FACTOR: usize = 15;

/// In how many turns a system and heir are asked, so that a slow moment of the machine affects both.
const TURNS: usize = 10;

/// A system that is measured: heir, a baseline or a peer.
struct MeasuredSystem<'m> {
    name: String,
    is_peer: bool,
    create: Box<dyn Fn() -> Result<Box<dyn MemorySystem>, Failure> + 'm>,
}

impl<'m> MeasuredSystem<'m> {
    fn baseline(name: &str, create: fn() -> Result<Box<dyn MemorySystem>, Failure>) -> Self {
        MeasuredSystem { name: name.to_owned(), is_peer: false, create: Box::new(create) }
    }

    fn peer<S: MemorySystem + 'static>(
        package: &str,
        version: &str,
        find: impl Fn() -> Result<S, String> + 'm,
    ) -> Self {
        let create = move || -> Result<Box<dyn MemorySystem>, Failure> {
            let system = find().map_err(Failure::new)?;
            Ok(Box::new(system))
        };
        MeasuredSystem {
            name: format!("{package} {version}"),
            is_peer: true,
            create: Box::new(create),
        }
    }
}

/// Returns the systems, heir first.
fn systems(folder: &Path) -> Vec<MeasuredSystem<'_>> {
    vec![
        MeasuredSystem::baseline("heir", || Ok(Box::new(Heir::new()?))),
        MeasuredSystem::baseline("plain BM25 over stems", bm25),
        MeasuredSystem::baseline("static vectors", static_vectors),
        MeasuredSystem::baseline("rank fusion of both", fusion),
        MeasuredSystem::peer(limps::PACKAGE, limps::VERSION, move || limps::Limps::find(folder)),
        MeasuredSystem::peer(server_memory::PACKAGE, server_memory::VERSION, move || {
            server_memory::ServerMemory::find(folder)
        }),
        MeasuredSystem::peer(basic_memory::PACKAGE, basic_memory::VERSION, move || {
            basic_memory::BasicMemory::find(folder)
        }),
        MeasuredSystem::peer(memcite::PACKAGE, memcite::VERSION, move || {
            memcite::Memcite::find(folder)
        }),
    ]
}

/// Measures heir, the baselines and the peers, one after the other.
pub(crate) fn measure(args: &PeersArgs) -> Result<PeersReport, Failure> {
    let mut timing = Timing::prepare(args)?;
    let mut rows = Vec::new();
    for system in systems(&args.programs.dir) {
        let is_selected =
            args.only.is_empty() || args.only.iter().any(|only| system.name.contains(only));
        if system.is_peer && !is_selected {
            continue;
        }
        eprintln!("asking {}", system.name);
        let is_heir = rows.is_empty();
        rows.push(measure_system(&system, is_heir, &args.files, &mut timing));
    }
    let bars = judge(&rows);
    Ok(PeersReport { memories: timing.documents.len(), rows, bars })
}

fn measure_system(
    system: &MeasuredSystem<'_>,
    is_heir: bool,
    files: &[PathBuf],
    timing: &mut Timing,
) -> PeerRow {
    let (name, is_peer) = (system.name.clone(), system.is_peer);
    let mut row = PeerRow { name, is_peer, ..PeerRow::default() };
    if !files.is_empty() {
        match memory_system::measure(files, &system.create) {
            Ok(report) => {
                row.recall = report.all.recall;
                row.mrr = Some(report.all.mrr);
            }
            Err(failure) => row.reasons.push(failure.to_string()),
        }
    }
    if !timing.documents.is_empty() && row.reasons.is_empty() {
        let times = match is_heir {
            true => timing.time_heir(),
            false => (system.create)().and_then(|system| timing.time(system)),
        };
        match times {
            Ok(times) => {
                row.load_s = Some(times.load.as_secs_f64());
                row.latency_ms = Some(Latency::of(times.questions));
                row.heir_ms = is_peer.then(|| Latency::of(times.heir_questions));
            }
            Err(failure) => row.reasons.push(failure.to_string()),
        }
    }
    row
}

/// Generates documents and questions that they answer.
fn generate(memories: usize, questions: usize) -> (Vec<Document>, Vec<Question>) {
    let mut corpus = CorpusGenerator::new(WORDS_PER_MEMORY);
    let texts: Vec<String> = (0..memories).map(|_| corpus.memory()).collect();
    let questions = corpus.questions(&texts, questions).into_iter();
    let questions = questions.map(|text| Question { text, ..Question::default() }).collect();
    let document =
        |(number, text)| Document { doc: format!("m{number}"), group: None, at: None, text };
    (texts.into_iter().enumerate().map(document).collect(), questions)
}

/// How long a system took.
struct SystemTimes {
    load: Duration,
    questions: Vec<Duration>,
    /// The times of heir, asked in turns with the system.
    heir_questions: Vec<Duration>,
}

/// What all systems are timed with, and heir as a running server, as the peers are.
struct Timing {
    documents: Vec<Document>,
    questions: Vec<Question>,
    heir_questions: Vec<Question>,
    heir: heir_server::HeirServer,
    heir_load: Duration,
}

impl Timing {
    fn prepare(args: &PeersArgs) -> Result<Self, Failure> {
        let count = args.questions as usize;
        let (documents, heir_questions) =
            generate(args.memories as usize, count * HEIR_QUESTION_FACTOR);
        let questions = heir_questions[..count.min(heir_questions.len())].to_vec();
        let mut heir = heir_server::HeirServer::find(args.programs.heir.as_deref())?;
        let started = Instant::now();
        if !documents.is_empty() {
            heir.load(&documents)?;
        }
        let heir_load = started.elapsed();
        Ok(Timing { documents, questions, heir_questions, heir, heir_load })
    }

    /// Times heir alone.
    fn time_heir(&mut self) -> Result<SystemTimes, Failure> {
        let questions = warm_up(&mut self.heir, &self.heir_questions)?;
        let questions = ask_all(&mut self.heir, questions)?;
        Ok(SystemTimes { load: self.heir_load, questions, heir_questions: vec![] })
    }

    /// Times a system, and heir in turns with it.
    fn time(&mut self, mut system: Box<dyn MemorySystem>) -> Result<SystemTimes, Failure> {
        let started = Instant::now();
        system.load(&self.documents)?;
        let load = started.elapsed();
        let questions = warm_up(system.as_mut(), &self.questions)?;
        let heir_questions = warm_up(&mut self.heir, &self.heir_questions)?;
        let mut times = SystemTimes { load, questions: vec![], heir_questions: vec![] };
        for turn in 0..TURNS {
            times.questions.extend(ask_all(system.as_mut(), questions_of_turn(questions, turn))?);
            let turn_questions = questions_of_turn(heir_questions, turn);
            times.heir_questions.extend(ask_all(&mut self.heir, turn_questions)?);
        }
        Ok(times)
    }
}

fn questions_of_turn(questions: &[Question], turn: usize) -> &[Question] {
    &questions[turn * questions.len() / TURNS..(turn + 1) * questions.len() / TURNS]
}

/// Asks the first questions, and returns the others.
fn warm_up<'q>(
    system: &mut dyn MemorySystem,
    questions: &'q [Question],
) -> Result<&'q [Question], Failure> {
    let (first, others) = questions.split_at(WARM_UP_QUESTIONS.min(questions.len() / 2));
    ask_all(system, first)?;
    Ok(others)
}

/// Asks questions, and returns how long each took.
fn ask_all(
    system: &mut dyn MemorySystem,
    questions: &[Question],
) -> Result<Vec<Duration>, Failure> {
    system.take_response_time();
    let mut times = Vec::with_capacity(questions.len());
    for question in questions {
        let started = Instant::now();
        system.ask(question, DEPTHS[2])?;
        let elapsed = started.elapsed();
        times.push(system.take_response_time().unwrap_or(elapsed));
    }
    Ok(times)
}
