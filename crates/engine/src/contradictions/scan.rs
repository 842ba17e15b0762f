//! Compares all memories with each other, as far as that is worth it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use heirloom_core::contradiction::{CandidatePair, Certainty, Thresholds, Verdict, log_odds_of};
use heirloom_core::fold::ContradictionState;
use heirloom_core::parallel;
use heirloom_core::record::Referent;
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::candidates::{PairsOfMemory, ScanCandidates};
use super::judge::{PairJudge, ReadMemory, sentence_of};
use super::language_model::LanguageModelJudge;
use super::record::{
    NewContradiction, RecordedContradictions, known_pairs, pair_of, record_contradictions,
};
use super::verdict_cache::{CachedVerdict, PairKey, VerdictCache};
use crate::memory::{ComparableMemory, WholeMemory};
use crate::{Error, Session};

/// Most pairs that the model reads, which takes milliseconds a pair.
const MAX_PAIRS_OF_MODEL: usize = 8_000;

/// The probability by rules from which on the model reads a pair.
const MIN_PROBABILITY_FOR_MODEL: f32 = 0.05;

/// What a handicap counts, beside the log-odds of the rules, in the choice of these pairs: rules tell less of a pair than how
/// similar it is. Of generated contradictions, 82 in 100 were before the first 300 of 13,700 other pairs, and 40 without it.
const PRIORITY_OF_HANDICAP: f64 = 2.0;

/// How many pairs the model reads before the verdicts are stored.
const PAIRS_OF_MODEL_AT_ONCE: usize = 256;

/// How many pairs a thread gives to the model at once.
const PAIRS_OF_BATCH: usize = 16;

/// Most pairs that a language model is asked about, if one is configured.
const MAX_PAIRS_OF_LANGUAGE_MODEL: usize = 200;

/// In a scan, about one in so many memories is called in question by mistake.
const MEMORIES_PER_FALSE_ALARM: f64 = 200.0;

/// The same in a small memory: so many in all.
const MIN_FALSE_ALARMS: f64 = 5.0;

/// How many memories are compared between two reports of progress.
const MEMORIES_AT_ONCE: usize = 1024;

/// Most contradictions that a scan records; the rest is found by the next one.
const MAX_NEW: usize = 500;

/// The folder of the state of this machine, and the file with the last scan.
const FOLDER: &str = "contradictions";
const FILE: &str = "scan";

/// What a scan found.
#[derive(Debug, Default)]
pub(crate) struct ScanReport {
    /// The number of open contradictions, the new ones included.
    pub(crate) open: usize,
    /// The number of memories that were compared.
    pub(crate) memories: usize,
    /// The number of pairs that were judged, by this scan or by an earlier one.
    pub(crate) judged_pairs: usize,
    /// The number of those that an earlier scan judged.
    pub(crate) known_pairs: usize,
    /// The number of pairs that are similar, too, but not similar enough to be judged beside better ones.
    pub(crate) left_out_pairs: usize,
    /// The number of pairs that the model would have read if they were fewer.
    pub(crate) left_pairs: usize,
    /// The contradictions that were not known, the most likely first, each with the id of its record unless it was a dry
    /// run.
    pub(crate) new: Vec<(NewContradiction, Option<String>)>,
    /// The number of further ones that the next scan records.
    pub(crate) left_contradictions: usize,
    /// What was unusual.
    pub(crate) notes: Vec<String>,
}

/// When and how all memories were compared last.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct LastScan {
    /// When that was.
    pub(crate) at: Timestamp,
    /// The number of memories.
    pub(crate) memories: usize,
    /// The number of pairs that were judged.
    pub(crate) judged_pairs: usize,
    /// The number of similar pairs that were not.
    #[serde(default)]
    left_out_pairs: usize,
    /// A hash of what was compared, if nothing was left to do.
    #[serde(default)]
    finished: Option<Hash>,
}

/// A hash of all that the result of a scan depends on.
type Hash = [u8; 16];

impl LastScan {
    /// Reads it; `None` if memories were never compared on this machine.
    pub(crate) fn read(session: &Session) -> Option<Self> {
        let text = StateFolder::in_state(session.root(), FOLDER).read(FILE).ok()??;
        serde_json::from_str(&text).ok()
    }

    fn write(self, session: &Session) -> Result<(), Error> {
        let text = serde_json::to_string(&self).map_err(|it| Error::system(it.to_string()))?;
        Ok(StateFolder::in_state(session.root(), FOLDER).write(FILE, &text)?)
    }
}

/// Compares all memories, and records the contradictions that are not known. With `dry_run`, records nothing.
pub(crate) fn scan(session: &Session, dry_run: bool) -> Result<ScanReport, Error> {
    let today = session.today();
    let (memories, known, open) = {
        let whole = WholeMemory::read(session)?;
        let found = whole.found_contradictions(today);
        let open = found.iter().filter(|it| it.state == ContradictionState::Open).count();
        (whole.comparable_memories(today), known_pairs(session, &whole), open)
    };
    let judge = PairJudge::builtin();
    let mut report = ScanReport { open, memories: memories.len(), ..ScanReport::default() };
    let language_model = LanguageModelJudge::configured(session, &mut report.notes)?;
    let version = judge.version();
    let judges = [Some(version.clone()), language_model.as_ref().map(LanguageModelJudge::version)];
    let hasher = hash_of_memories(&judges, &memories);
    if let Some(last) = LastScan::read(session)
        && last.finished == Some(with_pairs(&hasher, &known))
    {
        let LastScan { judged_pairs, left_out_pairs, .. } = last;
        return Ok(ScanReport {
            judged_pairs,
            known_pairs: judged_pairs,
            left_out_pairs,
            ..report
        });
    }
    let cache = VerdictCache::read(session);
    let mut scanner = Scanner { judge, version, memories, known, cache, pairs: vec![] };
    let mut found = scanner.find(session, language_model, &mut report);
    report.left_contradictions = found.len().saturating_sub(MAX_NEW);
    found.truncate(MAX_NEW);
    let mut ids: HashMap<usize, String> = HashMap::new();
    if !dry_run {
        let RecordedContradictions { ids: new_ids, notes } =
            record_contradictions(session, &found)?;
        ids.extend(new_ids);
        report.notes.extend(notes);
        let recorded = ids.keys().map(|number| &found[*number]);
        scanner.known.extend(recorded.map(|it| pair_of(&it.a.referent, &it.b.referent)));
        let is_finished = report.left_pairs + report.left_contradictions == 0;
        let finished = is_finished.then(|| with_pairs(&hasher, &scanner.known));
        let ScanReport { memories, judged_pairs, left_out_pairs, .. } = report;
        let at = session.now();
        LastScan { at, memories, judged_pairs, left_out_pairs, finished }.write(session)?;
    }
    let numbered = found.into_iter().enumerate();
    let with_ids = numbered.map(|(number, found)| (found, ids.get(&number).cloned()));
    report.new = with_ids.filter(|(_, id)| dry_run || id.is_some()).collect();
    report.open += report.new.len();
    Ok(report)
}

/// Hashes what the verdicts of a scan depend on.
fn hash_of_memories(judges: &[Option<String>], memories: &[ComparableMemory]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{judges:?}").as_bytes());
    for memory in memories {
        let ComparableMemory { referent, scope, valid, selectors, .. } = memory;
        let rest = format!("{referent} {scope:?} {valid:?} {selectors:?} ");
        hasher.update(rest.as_bytes()).update(judged_text(memory).as_bytes());
    }
    hasher
}

/// Returns the hash of what a scan depends on, with the pairs that it need not judge.
fn with_pairs(hasher: &blake3::Hasher, known: &HashSet<[Referent; 2]>) -> Hash {
    let mut hasher = hasher.clone();
    let mut pairs: Vec<&[Referent; 2]> = known.iter().collect();
    pairs.sort();
    hasher.update(format!("{pairs:?}").as_bytes());
    let mut hash = Hash::default();
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hash
}

/// Two memories with what is known about them so far.
struct JudgedPair {
    pair: CandidatePair,
    /// By how much the log-odds are less than those of the verdict.
    handicap: f64,
    key: PairKey,
    verdict: CachedVerdict,
}

/// The pairs of a memory with earlier ones.
struct JudgedPairs {
    /// The pairs, each with whether its verdict was known.
    pairs: Vec<(JudgedPair, bool)>,
    /// The number of similar pairs that are not judged.
    left_out: usize,
}

/// Returns what a verdict on a memory depends on.
fn judged_text(memory: &ComparableMemory) -> String {
    let scope = memory.scope.as_ref().map(|scope| format!("{scope}\u{0}")).unwrap_or_default();
    match &memory.key_value {
        Some((key, value)) => format!("{scope}{key}\u{0}{value}\u{0}{}", memory.text),
        None => format!("{scope}{}", memory.text),
    }
}

struct Scanner {
    judge: PairJudge,
    version: String,
    memories: Vec<ComparableMemory>,
    /// The pairs whose contradiction is open, or was dismissed.
    known: HashSet<[Referent; 2]>,
    cache: VerdictCache,
    pairs: Vec<JudgedPair>,
}

impl Scanner {
    /// Judges all pairs that are worth it, and returns those that contradict each other.
    fn find(
        &mut self,
        session: &Session,
        language_model: Option<LanguageModelJudge<'_>>,
        report: &mut ScanReport,
    ) -> Vec<NewContradiction> {
        self.judge_by_rules(session, report);
        report.left_pairs = self.judge_by_model(session);
        report.judged_pairs = self.pairs.len();
        let mut found = self.contradictions();
        if let Some(model) = language_model {
            found = self.ask_language_model(session, model, found, report);
        }
        self.cache.save(session);
        session.progress().end();
        found
    }

    /// Finds pairs that are worth judging, and judges them by rules.
    fn judge_by_rules(&mut self, session: &Session, report: &mut ScanReport) {
        // What borrows the memories cannot be in the scanner.
        let memories = std::mem::take(&mut self.memories);
        let count = memories.len();
        let progress = session.progress();
        let candidates = ScanCandidates::find(&memories, |done| {
            progress.tell_of("comparing", done, count);
        });
        for start in (0..count).step_by(MEMORIES_AT_ONCE) {
            let block = start..(start + MEMORIES_AT_ONCE).min(count);
            for JudgedPairs { pairs, left_out } in
                self.judge_block(&memories, &candidates, block.clone())
            {
                report.left_out_pairs += left_out;
                for (pair, is_known) in pairs {
                    report.known_pairs += usize::from(is_known);
                    self.cache.put(pair.key, pair.verdict);
                    self.pairs.push(pair);
                }
            }
            self.cache.save_sometimes(session);
            progress.tell_of("judging", block.end, count);
        }
        drop(candidates);
        self.memories = memories;
    }

    /// Judges the pairs of some memories with earlier ones.
    fn judge_block(
        &self,
        memories: &[ComparableMemory],
        candidates: &ScanCandidates<'_>,
        block: Range<usize>,
    ) -> Vec<JudgedPairs> {
        let numbers: Vec<usize> = block.collect();
        parallel::map(&numbers, 16, |number| {
            let PairsOfMemory { pairs, left_out } = candidates.before(*number);
            let later = ReadMemory::new(&memories[*number]);
            let judged = pairs.into_iter().filter_map(|pair| {
                self.judge_pair(
                    pair,
                    candidates.handicap(&pair),
                    &memories[pair.a as usize],
                    &later,
                )
            });
            JudgedPairs { pairs: judged.collect(), left_out }
        })
    }

    /// Judges a pair by rules, unless its verdict is known; `None` if the two cannot contradict each other.
    fn judge_pair(
        &self,
        pair: CandidatePair,
        handicap: f64,
        a: &ComparableMemory,
        later: &ReadMemory<'_>,
    ) -> Option<(JudgedPair, bool)> {
        let b = later.memory();
        if self.known.contains(&pair_of(&a.referent, &b.referent)) {
            return None;
        }
        let key = VerdictCache::key(&self.version, &judged_text(a), &judged_text(b));
        if let Some(verdict) = self.cache.get(&key) {
            return Some((JudgedPair { pair, handicap, key, verdict }, true));
        }
        let earlier = ReadMemory::new(a);
        if !earlier.may_contradict(later) {
            return None;
        }
        let verdict = CachedVerdict::new(&self.judge.judge_by_rules(&earlier, later), false);
        Some((JudgedPair { pair, handicap, key, verdict }, false))
    }

    /// Lets the model read the pairs that may contradict each other by rules. Returns how many are left.
    fn judge_by_model(&mut self, session: &Session) -> usize {
        if !self.judge.has_model() {
            return 0;
        }
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.retain(|at| self.pairs[*at].verdict.probability >= MIN_PROBABILITY_FOR_MODEL);
        let priority = |at: &usize| {
            let JudgedPair { handicap, verdict, .. } = &self.pairs[*at];
            log_odds_of(verdict.probability.into()) - PRIORITY_OF_HANDICAP * handicap
        };
        order.sort_by(|x, y| priority(y).total_cmp(&priority(x)).then(x.cmp(y)));
        // What earlier scans left comes next.
        order.retain(|at| !self.pairs[*at].verdict.is_of_model);
        let left = order.len().saturating_sub(MAX_PAIRS_OF_MODEL);
        order.truncate(MAX_PAIRS_OF_MODEL);
        let total = order.len();
        for (number, chunk) in order.chunks(PAIRS_OF_MODEL_AT_ONCE).enumerate() {
            let batches: Vec<&[usize]> = chunk.chunks(PAIRS_OF_BATCH).collect();
            let judged = parallel::map(&batches, 1, |batch| self.read_by_model(batch));
            for (at, verdict) in chunk.iter().zip(judged.into_iter().flatten()) {
                self.pairs[*at].verdict = verdict;
                self.cache.put(self.pairs[*at].key, verdict);
            }
            self.cache.save_sometimes(session);
            let done = (number + 1) * PAIRS_OF_MODEL_AT_ONCE;
            session.progress().tell_of("reading", done.min(total), total);
        }
        left
    }

    fn read_by_model(&self, batch: &[usize]) -> Vec<CachedVerdict> {
        let sentences = batch.iter().map(|at| {
            let pair = &self.pairs[*at].pair;
            let (a, b) = self.memories_of(pair);
            (sentence_of(a, pair.sentences[0]), sentence_of(b, pair.sentences[1]))
        });
        let pairs: Vec<(&str, &str)> = sentences.collect();
        let log_odds = self.judge.log_odds_of_similar(&pairs).unwrap_or_default();
        let judged = batch.iter().zip(log_odds).map(|(at, log_odds)| {
            let (a, b) = self.memories_of(&self.pairs[*at].pair);
            let (a, b) = (ReadMemory::new(a), ReadMemory::new(b));
            CachedVerdict::new(&self.judge.judge_with(&a, &b, Some(log_odds)), true)
        });
        judged.collect()
    }

    fn memories_of(&self, pair: &CandidatePair) -> (&ComparableMemory, &ComparableMemory) {
        (&self.memories[pair.a as usize], &self.memories[pair.b as usize])
    }

    /// Returns both memories, the older one first if that is known. Records of one time are in the order of their ids, in
    /// which they were read.
    fn by_age(&self, pair: &CandidatePair) -> (&ComparableMemory, &ComparableMemory) {
        let (a, b) = self.memories_of(pair);
        if b.is_older_than(a) { (b, a) } else { (a, b) }
    }

    /// Asks a language model about contradictions, and keeps those that it confirms. What it is not asked about is kept.
    fn ask_language_model(
        &mut self,
        session: &Session,
        mut model: LanguageModelJudge<'_>,
        found: Vec<NewContradiction>,
        report: &mut ScanReport,
    ) -> Vec<NewContradiction> {
        let version = model.version();
        let total = found.len();
        let mut asked = 0;
        let mut kept = Vec::new();
        for (number, mut contradiction) in found.into_iter().enumerate() {
            let NewContradiction { a, b, verdict } = &contradiction;
            let key = VerdictCache::key(&version, &judged_text(a), &judged_text(b));
            let known = self.cache.get(&key).map(|known| {
                let probability = f64::from(known.probability);
                Verdict { probability, certainty: known.certainty, ..verdict.clone() }
            });
            let judged = match known {
                None if asked < MAX_PAIRS_OF_LANGUAGE_MODEL => {
                    asked += 1;
                    session.progress().tell_of("asking", number, total);
                    model.judge(a, b, verdict)
                }
                known => known,
            };
            if let Some(judged) = judged {
                self.cache.put(key, CachedVerdict::new(&judged, true));
                self.cache.save_sometimes(session);
                contradiction.verdict = judged;
            }
            if contradiction.verdict.certainty != Certainty::None {
                kept.push(contradiction);
            }
        }
        if let Some(note) = model.failure_note() {
            report.notes.push(note);
            // The next scan asks again.
            report.left_pairs += kept.len();
        }
        kept
    }

    /// Returns the pairs that contradict each other, the certain and the most likely ones first, with their verdicts.
    fn contradictions(&self) -> Vec<NewContradiction> {
        let false_alarms = self.memories.len() as f64 / MEMORIES_PER_FALSE_ALARM;
        let false_alarms = false_alarms.max(MIN_FALSE_ALARMS);
        let handicaps: Vec<f64> = self.pairs.iter().map(|it| it.handicap).collect();
        let [of_rules, of_model] = [false, true]
            .map(|has_log_odds| Thresholds::among(&handicaps, false_alarms, has_log_odds));
        let mut found: Vec<(Verdict, &CandidatePair)> = Vec::new();
        for (JudgedPair { pair, verdict: known, .. }, handicap) in self.pairs.iter().zip(handicaps)
        {
            let thresholds = if known.is_of_model { of_model } else { of_rules };
            let verdict = known.to_verdict();
            let certainty = thresholds.certainty(&verdict, handicap);
            if certainty != Certainty::None {
                found.push((Verdict { certainty, ..verdict }, pair));
            }
        }
        found.sort_by(|(x, x_pair), (y, y_pair)| {
            let certainties = y.certainty.cmp(&x.certainty);
            let probabilities = y.probability.total_cmp(&x.probability);
            certainties.then(probabilities).then((x_pair.a, x_pair.b).cmp(&(y_pair.a, y_pair.b)))
        });
        let full = found.into_iter().map(|(verdict, pair)| {
            let (a, b) = self.by_age(pair);
            // The reason was not kept.
            let reason = self.judge.judge_by_rules(&ReadMemory::new(a), &ReadMemory::new(b)).reason;
            NewContradiction { a: a.clone(), b: b.clone(), verdict: Verdict { reason, ..verdict } }
        });
        full.collect()
    }
}
