//! How many contradictions a scan finds among many facts that do not contradict each other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::time::Instant;

use heirloom_core::contradiction::shorten_common_name;
use heirloom_engine::setup::init;
use heirloom_engine::{OPS, ProcessCache, ScannedPair, Session, ops, scanned_pairs};
use heirloom_testkit::NOW;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::clusters;
use super::generator::{self, GeneratedFact, GeneratedFacts, PlantedFact, Random};
use crate::args::PlantedArgs;
use crate::failure::Failure;
use crate::files;
use crate::ids::{FIRST_RECORD_MS, uuid_v7};
use crate::invocation::peak_memory_of_this_process;
use crate::numbers::count;
use crate::report::{Attempt, Bar, Report, write_bars, write_table};
use crate::scale::{FACT_INTERVAL_MS, write_facts};
use crate::scratch::temporary_folder;

/// The share of the planted contradictions that a scan must find.
const MIN_FOUND: f64 = 0.8;

/// The same in a large memory, and how many facts that has.
const MIN_FOUND_IN_LARGE: f64 = 0.7;
const LARGE_MEMORY: usize = 100_000;

/// The most false alarms, and the most that may be called certain.
const MAX_FALSE_ALARMS: f64 = 50.0;
const MAX_CERTAIN_FALSE_ALARMS: f64 = 5.0;

/// How many planted facts, and how many others, are stored after the scan.
const STORED: usize = 20;

/// The memory that a scan may take, in megabytes.
const MAX_PEAK_MB: f64 = 500.0;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct PlantedReport {
    memories: usize,
    planted: usize,
    /// How many of the planted facts are judged with a fact that they contradict.
    candidates: usize,
    /// How many are found, and how many of these are called certain.
    found: usize,
    found_certain: usize,
    false_alarms: usize,
    certain_false_alarms: usize,
    /// The planted facts by what they differ in.
    differences: BTreeMap<String, Tally>,
    judged_pairs: u64,
    left_out_pairs: u64,
    seconds: f64,
    stored: StoredTally,
    peak_bytes: Attempt<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missed: Vec<ListedPair>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wrong: Vec<ListedPair>,
    bars: Vec<Bar>,
}

/// How many planted facts there are of one sort, and how many of them are judged and found.
#[derive(Debug, Default, Serialize)]
struct Tally {
    planted: usize,
    candidates: usize,
    found: usize,
}

/// What is said of further facts when they are stored.
#[derive(Debug, Serialize)]
struct StoredTally {
    /// How many contradict a fact, and of how many that is found.
    planted: usize,
    found: usize,
    /// How many do not, and of how many of all it is said by mistake.
    others: usize,
    false_alarms: usize,
    /// The median and the greatest time of storing one.
    median_ms: f64,
    max_ms: f64,
}

/// Two facts that were judged wrongly.
#[derive(Debug, Serialize)]
struct ListedPair {
    a: String,
    b: String,
    note: String,
}

/// A workspace with facts. It is deleted when this is dropped.
struct PlantedWorkspace {
    folder: TempDir,
    cache: ProcessCache,
    facts: Vec<Fact>,
    /// The position of a fact by its id.
    positions: HashMap<String, usize>,
}

/// A fact of the workspace.
struct Fact {
    text: String,
    subject: usize,
    /// What a planted fact differs in.
    planted: Option<String>,
}

/// Measures it.
pub(crate) fn measure(args: &PlantedArgs) -> Result<PlantedReport, Failure> {
    let (total, planted, seed) = (args.memories as usize, args.planted as usize, args.seed);
    let generated = match args.pairs.as_slice() {
        [] => generator::generate(total + 2 * STORED, planted + STORED, seed),
        paths => clusters::read(paths, total + 2 * STORED, planted + STORED, seed)?,
    };
    let (workspace, rest) = PlantedWorkspace::create(generated, planted, seed)?;
    let started = Instant::now();
    let answer = workspace.scan()?;
    let seconds = started.elapsed().as_secs_f64();
    let peak_bytes = peak_memory_of_this_process().into();
    let scanned = scanned_pairs(&workspace.session()?).map_err(failed)?;
    if let Some(path) = &args.save_pairs {
        files::write(path, &workspace.pairs_table(&scanned))?;
    }
    let judged = scanned.iter().filter_map(|it| workspace.pair(&it.ids[0], &it.ids[1])).collect();
    let stored = workspace.store(&rest)?;
    Ok(workspace.report(&answer, &judged, stored, seconds, peak_bytes, args.list))
}

impl PlantedWorkspace {
    /// Writes facts, of which so many contradict another one, and returns those that are to be stored later.
    fn create(
        generated: GeneratedFacts,
        planted_count: usize,
        seed: u64,
    ) -> Result<(Self, Vec<Fact>), Failure> {
        let GeneratedFacts { mut facts, mut planted } = generated;
        let later = planted.split_off(planted.len().min(planted_count));
        let others = facts.split_off(facts.len().saturating_sub(later.len()));
        let mut rest: Vec<Fact> = others.into_iter().map(Fact::from).collect();
        rest.extend(later.into_iter().map(Fact::from));
        let mut facts: Vec<Fact> = facts.into_iter().map(Fact::from).collect();
        facts.extend(planted.into_iter().map(Fact::from));
        Random::new(seed).shuffle(&mut facts);
        let folder = temporary_folder()?;
        let today = now()?.to_zoned(TimeZone::UTC).date();
        let request = init::Request {
            folder: folder.path(),
            hierarchy: "plans",
            name: Some("planted"),
            today,
        };
        init::run(&request).map_err(|error| Failure::new(error.message))?;
        let texts: Vec<(usize, &String)> =
            facts.iter().map(|fact| &fact.text).enumerate().collect();
        write_facts(folder.path(), &texts)?;
        let id = |number: u64| uuid_v7(FIRST_RECORD_MS + number * FACT_INTERVAL_MS, number);
        let ids = (0..facts.len()).map(|at| (id(at as u64).to_string(), at));
        let cache = ProcessCache::default();
        cache.make_long_lived();
        Ok((PlantedWorkspace { folder, cache, positions: ids.collect(), facts }, rest))
    }

    fn session(&self) -> Result<Session, Failure> {
        let session = Session::open(self.folder.path(), now()?).map_err(failed)?;
        Ok(session.without_token_counts().with_process_cache(self.cache.clone()))
    }

    /// Runs an operation.
    fn run(&self, name: &str, request: Value) -> Result<Value, Failure> {
        let op = OPS.iter().find(|op| op.spec.name == name);
        let op =
            op.ok_or_else(|| Failure::new(format!("the operation `{name}` does not exist")))?;
        let reply = ops::run(op, &self.session()?, request).map_err(failed)?;
        Ok(reply.data(&|hint| format!("{hint:?}")))
    }

    /// Scans it. Nothing is recorded, so that no finding is left for the next scan.
    fn scan(&self) -> Result<Value, Failure> {
        self.run("contradictions_scan", json!({"dry_run": true}))
    }

    /// Stores further facts one by one.
    fn store(&self, rest: &[Fact]) -> Result<StoredTally, Failure> {
        // The first question builds the index.
        self.run("memory_recall", json!({"query": "nothing"}))?;
        let (mut times, mut found, mut false_alarms) = (Vec::new(), 0, 0);
        for fact in rest {
            let request = json!({"content": fact.text, "section": "Specs"});
            let started = Instant::now();
            let answer = self.run("memory_store", request)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
            let is_right = |contradicted: &&Value| {
                let at = contradicted["id"].as_str().and_then(|id| self.positions.get(id));
                fact.planted.is_some()
                    && at.is_some_and(|at| self.facts[*at].subject == fact.subject)
            };
            let contradicted = answer["contradictions"].as_array().into_iter().flatten();
            let (right, wrong): (Vec<&Value>, Vec<&Value>) = contradicted.partition(is_right);
            found += usize::from(!right.is_empty());
            false_alarms += usize::from(!wrong.is_empty());
        }
        times.sort_by(f64::total_cmp);
        let planted = rest.iter().filter(|fact| fact.planted.is_some()).count();
        Ok(StoredTally {
            planted,
            found,
            others: rest.len() - planted,
            false_alarms,
            median_ms: times.get(times.len() / 2).copied().unwrap_or_default(),
            max_ms: times.last().copied().unwrap_or_default(),
        })
    }

    /// Returns lines of the two statements of each pair that a scan judges, 1 if they contradict each other, else 0, the
    /// statements as the model reads them, the handicap, and the positions of the facts.
    fn pairs_table(&self, scanned: &[ScannedPair]) -> String {
        let mut table = String::new();
        for ScannedPair { ids, sentences: [a, b], handicap } in scanned {
            let Some(pair) = self.pair(&ids[0], &ids[1]) else { continue };
            let label = u8::from(self.planted_of(pair).is_some());
            let [at_a, at_b] = pair;
            let [read_a, read_b] =
                shorten_common_name(a, b).unwrap_or_else(|| [a.clone(), b.clone()]);
            table.push_str(&format!(
                "{a}\t{b}\t{label}\t{read_a}\t{read_b}\t{handicap}\t{at_a}\t{at_b}\n"
            ));
        }
        table
    }

    fn pair(&self, a: &str, b: &str) -> Option<[usize; 2]> {
        let (a, b) = (*self.positions.get(a)?, *self.positions.get(b)?);
        Some([a.min(b), a.max(b)])
    }

    /// Returns the position of the planted fact of a pair that contradicts the other one.
    fn planted_of(&self, [a, b]: [usize; 2]) -> Option<usize> {
        let (one, other) = (&self.facts[a], &self.facts[b]);
        let is_right =
            one.subject == other.subject && one.planted.is_some() != other.planted.is_some();
        is_right.then_some(if one.planted.is_some() { a } else { b })
    }

    fn report(
        &self,
        answer: &Value,
        judged: &HashSet<[usize; 2]>,
        stored: StoredTally,
        seconds: f64,
        peak_bytes: Attempt<u64>,
        listed: usize,
    ) -> PlantedReport {
        let candidates: HashSet<usize> =
            judged.iter().filter_map(|pair| self.planted_of(*pair)).collect();
        let mut found: HashMap<usize, bool> = HashMap::new();
        let (mut wrong, mut certain_false_alarms) = (Vec::new(), 0);
        for finding in answer["new"].as_array().into_iter().flatten() {
            let id = |side: &str| finding[side]["id"].as_str().unwrap_or_default();
            let Some(pair) = self.pair(id("memory_a"), id("memory_b")) else { continue };
            let is_certain = finding["certainty"] == "certain";
            if let Some(at) = self.planted_of(pair) {
                *found.entry(at).or_default() |= is_certain;
            } else {
                certain_false_alarms += usize::from(is_certain);
                let note =
                    format!("{} {} {}", finding["certainty"], finding["score"], finding["reason"]);
                wrong.push(self.listed(pair, note));
            }
        }
        let mut differences: BTreeMap<String, Tally> = BTreeMap::new();
        let mut missed = Vec::new();
        for (at, fact) in self.facts.iter().enumerate() {
            let Some(difference) = &fact.planted else { continue };
            let tally = differences.entry(difference.clone()).or_default();
            tally.planted += 1;
            tally.candidates += usize::from(candidates.contains(&at));
            tally.found += usize::from(found.contains_key(&at));
            if !found.contains_key(&at) {
                let is_target = |it: &Fact| it.planted.is_none() && it.subject == fact.subject;
                let target = self.facts.iter().position(is_target).unwrap_or(at);
                let is_candidate = if candidates.contains(&at) { "judged" } else { "not judged" };
                missed.push(self.listed([target, at], format!("{difference}, {is_candidate}")));
            }
        }
        let number = |name: &str| answer[name].as_u64().unwrap_or_default();
        // The least likely findings are not listed if there are too many.
        let false_alarms = wrong.len() + number("left_contradictions") as usize;
        let planted = differences.values().map(|it| it.planted).sum();
        missed.truncate(listed);
        wrong.truncate(listed);
        let mut report = PlantedReport {
            memories: self.facts.len(),
            planted,
            candidates: candidates.len(),
            found: found.len(),
            found_certain: found.values().filter(|is_certain| **is_certain).count(),
            false_alarms,
            certain_false_alarms,
            differences,
            judged_pairs: number("judged_pairs"),
            left_out_pairs: number("left_out_pairs"),
            seconds,
            stored,
            peak_bytes,
            missed,
            wrong,
            bars: vec![],
        };
        report.bars = report.judge();
        report
    }

    fn listed(&self, pair: [usize; 2], note: String) -> ListedPair {
        let [a, b] = pair.map(|at| self.facts[at].text.clone());
        ListedPair { a, b, note }
    }
}

impl From<GeneratedFact> for Fact {
    fn from(GeneratedFact { text, subject }: GeneratedFact) -> Self {
        Fact { text, subject, planted: None }
    }
}

impl From<PlantedFact> for Fact {
    fn from(PlantedFact { text, subject, difference }: PlantedFact) -> Self {
        Fact { text, subject, planted: Some(difference) }
    }
}

fn now() -> Result<jiff::Timestamp, Failure> {
    NOW.parse().map_err(|error: jiff::Error| Failure::new(error.to_string()))
}

fn failed(error: heirloom_engine::Error) -> Failure {
    Failure::new(error.message)
}

impl PlantedReport {
    fn judge(&self) -> Vec<Bar> {
        let min = if self.memories >= LARGE_MEMORY { MIN_FOUND_IN_LARGE } else { MIN_FOUND };
        let found = self.found as f64 / self.planted.max(1) as f64;
        let peak_mb = self.peak_bytes.map(|bytes| *bytes as f64 / 1e6);
        vec![
            Bar::judge(format!("share of the planted that is found >= {min}"), found, found >= min),
            Bar::at_most("false alarms", self.false_alarms as f64, MAX_FALSE_ALARMS),
            Bar::at_most(
                "false alarms called certain",
                self.certain_false_alarms as f64,
                MAX_CERTAIN_FALSE_ALARMS,
            ),
            Bar::at_most_if_measured("MB of a scan", peak_mb, MAX_PEAK_MB),
        ]
    }
}

impl Report for PlantedReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for PlantedReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} memories, {} planted", count(self.memories), self.planted)?;
        let mut lines = vec![["", "planted", "judged", "found"].map(str::to_owned)];
        for (difference, Tally { planted, candidates, found }) in &self.differences {
            let [planted, candidates, found] =
                [planted, candidates, found].map(ToString::to_string);
            lines.push([difference.clone(), planted, candidates, found]);
        }
        let [planted, candidates, found] =
            [self.planted, self.candidates, self.found].map(|number| number.to_string());
        lines.push(["all".to_owned(), planted, candidates, found]);
        write_table(out, &lines, 12)?;
        writeln!(
            out,
            "{} of the found certain; {} false alarms, {} of them certain",
            self.found_certain, self.false_alarms, self.certain_false_alarms
        )?;
        writeln!(
            out,
            "{} pairs judged, {} less similar ones left out, {:.1} s",
            count(self.judged_pairs as usize),
            count(self.left_out_pairs as usize),
            self.seconds
        )?;
        let StoredTally { planted, found, others, false_alarms, median_ms, max_ms } = &self.stored;
        writeln!(
            out,
            "stored one by one: {found} of {planted} found, false alarms at {false_alarms} of {}; {median_ms:.1} ms each, {max_ms:.1} ms at most",
            planted + others
        )?;
        for (what, pairs) in [("missed", &self.missed), ("false alarm", &self.wrong)] {
            for ListedPair { a, b, note } in pairs {
                writeln!(out, "{what} ({note}):\n   {a}\n   {b}")?;
            }
        }
        write_bars(out, &self.bars)
    }
}
