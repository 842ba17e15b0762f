//! The table of all contenders: what they find, and how long they take.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{basic_memory, heir_server, limps, memcite, server_memory};
use crate::PeersArgs;
use crate::failure::Failure;
use crate::numbers::count;
use crate::recall::contender::{Contender, Latency};
use crate::recall::conversation::{Asked, Document};
use crate::recall::{Bm25, DEPTHS, Fusion, Heir, StaticVectors, contender};
use crate::report::{Bar, Verdict, ratio_text};
use crate::scale::corpus::Corpus;

/// How many times as long a peer takes, at least.
const FASTER: f64 = 20.0;

/// How many questions come before those whose time is taken.
const WARMING: usize = 50;

/// heir is asked so many times more questions, for it would be done in a moment, which may be a bad one.
const MORE: usize = 15;

/// In how many turns a contender and heir are asked: a machine that is slow for a second is slow for both.
const TURNS: usize = 10;

/// All that a run found.
#[derive(Serialize)]
pub(crate) struct Report {
    /// How many memories each was asked among, for the times.
    memories: usize,
    /// Each contender, heir first.
    rows: Vec<Row>,
    /// The verdicts.
    pub(crate) bars: Vec<Bar>,
}

/// A contender and what it showed.
#[derive(Debug, Default, Serialize)]
struct Row {
    name: String,
    /// Whether it is a published tool, and not a baseline.
    is_peer: bool,
    /// The share of what answers among the first k, on the files.
    recall: BTreeMap<usize, f64>,
    mrr: Option<f64>,
    /// Until it had remembered all, in seconds.
    load_s: Option<f64>,
    /// What a question takes, in milliseconds: until its answer is there, where it is a server.
    latency_ms: Option<Latency>,
    /// What such questions took heir, asked in turn with it.
    heir_ms: Option<Latency>,
    /// Why something is missing.
    reasons: Vec<String>,
}

type Make<'m> = Box<dyn Fn() -> Result<Box<dyn Contender>, Failure> + 'm>;

fn made<C: Contender + 'static>(found: Result<C, String>) -> Result<Box<dyn Contender>, Failure> {
    found.map(|contender| Box::new(contender) as Box<dyn Contender>).map_err(Failure::new)
}

/// Lets all contenders answer, one after the other.
pub(crate) fn measure(args: &PeersArgs) -> Result<Report, Failure> {
    let folder: &Path = &args.dir;
    let version = |package: &str, version: &str| format!("{package} {version}");
    let heir = args.heir.as_deref();
    let contenders: Vec<(String, bool, Make<'_>)> = vec![
        ("heir".to_owned(), false, Box::new(move || Ok(Box::new(Heir::new()?)))),
        ("plain BM25 over stems".to_owned(), false, Box::new(|| Ok(Box::<Bm25>::default()))),
        ("static vectors".to_owned(), false, Box::new(|| Ok(Box::<StaticVectors>::default()))),
        ("rank fusion of both".to_owned(), false, Box::new(|| Ok(Box::<Fusion>::default()))),
        (
            version(limps::PACKAGE, limps::VERSION),
            true,
            Box::new(move || made(limps::Limps::find(folder))),
        ),
        (
            version(server_memory::PACKAGE, server_memory::VERSION),
            true,
            Box::new(move || made(server_memory::ServerMemory::find(folder))),
        ),
        (
            version(basic_memory::PACKAGE, basic_memory::VERSION),
            true,
            Box::new(move || made(basic_memory::BasicMemory::find(folder))),
        ),
        (
            version(memcite::PACKAGE, memcite::VERSION),
            true,
            Box::new(move || made(memcite::Memcite::find(folder))),
        ),
    ];
    let count = args.questions as usize;
    let (documents, questions) = generated(args.memories as usize, count * MORE);
    let for_peers = &questions[..count.min(questions.len())];
    let mut rows = Vec::new();
    // heir is a server for the times, as the others are.
    let mut server = heir_server::HeirServer::find(heir)?;
    let started = Instant::now();
    if !documents.is_empty() {
        server.load(&documents)?;
    }
    let load = started.elapsed();
    for (name, is_peer, make) in contenders {
        if is_peer && !args.only.is_empty() && !args.only.iter().any(|only| name.contains(only)) {
            continue;
        }
        eprintln!("asking {name}");
        let is_heir = rows.is_empty();
        let mut row = Row { name, is_peer, ..Row::default() };
        if !args.files.is_empty() {
            match contender::measure(&args.files, &make) {
                Ok(report) => {
                    row.recall = report.all.recall;
                    row.mrr = Some(report.all.mrr);
                }
                Err(failure) => row.reasons.push(failure.to_string()),
            }
        }
        if !documents.is_empty() && row.reasons.is_empty() {
            let timed = match is_heir {
                true => warmed(&mut server, &questions)
                    .and_then(|questions| ask_all(&mut server, questions))
                    .map(|own| Timed { load, own, heir: vec![] }),
                false => make()
                    .and_then(|made| timed(made, &documents, for_peers, (&mut server, &questions))),
            };
            match timed {
                Ok(timed) => {
                    row.load_s = Some(timed.load.as_secs_f64());
                    row.latency_ms = Some(Latency::of(timed.own));
                    row.heir_ms = is_peer.then(|| Latency::of(timed.heir));
                }
                Err(failure) => row.reasons.push(failure.to_string()),
            }
        }
        rows.push(row);
    }
    let bars = judged(&rows);
    Ok(Report { memories: documents.len(), rows, bars })
}

/// Makes memories of about thirty words, and questions that they answer.
fn generated(memories: usize, questions: usize) -> (Vec<Document>, Vec<Asked>) {
    let mut corpus = Corpus::new();
    let documents: Vec<Document> = (0..memories)
        .map(|at| Document { doc: format!("m{at}"), group: None, at: None, text: corpus.memory() })
        .collect();
    let asked = (0..questions.min(memories.saturating_mul(questions))).map(|at| Asked {
        text: corpus.question(&documents[at * 7919 % documents.len()].text),
        ..Asked::default()
    });
    let asked = asked.collect();
    (documents, asked)
}

/// How long a contender took.
struct Timed {
    load: Duration,
    own: Vec<Duration>,
    /// How long heir took, asked in turn with it.
    heir: Vec<Duration>,
}

/// Takes the time of a contender, and of heir in turn with it.
fn timed(
    mut contender: Box<dyn Contender>,
    documents: &[Document],
    questions: &[Asked],
    (heir, for_heir): (&mut dyn Contender, &[Asked]),
) -> Result<Timed, Failure> {
    let started = Instant::now();
    contender.load(documents)?;
    let load = started.elapsed();
    let questions = warmed(contender.as_mut(), questions)?;
    let for_heir = warmed(heir, for_heir)?;
    let (mut own, mut heirs) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        own.extend(ask_all(contender.as_mut(), share(questions, turn))?);
        heirs.extend(ask_all(heir, share(for_heir, turn))?);
    }
    Ok(Timed { load, own, heir: heirs })
}

/// The questions of a turn.
fn share(questions: &[Asked], turn: usize) -> &[Asked] {
    &questions[turn * questions.len() / TURNS..(turn + 1) * questions.len() / TURNS]
}

/// Asks the first questions, and returns the others.
fn warmed<'q>(
    contender: &mut dyn Contender,
    questions: &'q [Asked],
) -> Result<&'q [Asked], Failure> {
    let (first, others) = questions.split_at(WARMING.min(questions.len() / 2));
    ask_all(contender, first)?;
    Ok(others)
}

/// Asks questions, and returns how long each took.
fn ask_all(contender: &mut dyn Contender, questions: &[Asked]) -> Result<Vec<Duration>, Failure> {
    contender.waited();
    let mut times = Vec::with_capacity(questions.len());
    for question in questions {
        let started = Instant::now();
        contender.ask(question, DEPTHS[2])?;
        let elapsed = started.elapsed();
        times.push(contender.waited().unwrap_or(elapsed));
    }
    Ok(times)
}

fn judged(rows: &[Row]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for peer in rows.iter().filter(|row| row.is_peer) {
        let times = peer.heir_ms.zip(peer.latency_ms).map(|(own, other)| other.p50 / own.p50);
        let (verdict, detail) = match times {
            Some(times) if times >= FASTER => (Verdict::Pass, ratio_text(times)),
            Some(times) => (Verdict::Fail, ratio_text(times)),
            None => (Verdict::Skipped, peer.reasons.join("; ")),
        };
        let name = format!("{} takes at least {FASTER} times as long", peer.name);
        bars.push(Bar { name, verdict, detail, measured: times });
    }
    bars
}

impl Report {
    /// Returns whether a bar failed.
    pub(crate) fn has_failed_bar(&self) -> bool {
        self.bars.iter().any(|bar| bar.verdict == Verdict::Fail)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "times among {} memories", count(self.memories))?;
        write!(out, "{:<46}", "")?;
        DEPTHS.iter().try_for_each(|depth| write!(out, "{:>8}", format!("at {depth}")))?;
        writeln!(out, "{:>8}{:>10}{:>12}{:>12}", "mrr", "load", "question", "heir then")?;
        for row in &self.rows {
            write!(out, "{:<46}", row.name)?;
            for depth in DEPTHS {
                match row.recall.get(&depth) {
                    Some(share) => write!(out, "{share:>8.3}")?,
                    None => write!(out, "{:>8}", "")?,
                }
            }
            match row.mrr {
                Some(mrr) => write!(out, "{mrr:>8.3}")?,
                None => write!(out, "{:>8}", "")?,
            }
            if let (Some(load), Some(latency)) = (row.load_s, row.latency_ms) {
                write!(out, "{load:>8.1} s{:>9.2} ms", latency.p50)?;
            }
            if let Some(heir) = row.heir_ms {
                write!(out, "{:>9.2} ms", heir.p50)?;
            }
            writeln!(out)?;
            row.reasons.iter().try_for_each(|reason| writeln!(out, "  skipped: {reason}"))?;
        }
        writeln!(out)?;
        self.bars.iter().try_for_each(|bar| writeln!(out, "{bar}"))
    }
}
