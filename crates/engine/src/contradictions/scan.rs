//! Compares all memories with each other, as far as that is worth it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use heirloom_core::contradiction::{
    CandidateFinder, CandidatePair, Candidates, Certainty, Verdict, may_contradict,
};
use heirloom_core::fold::ContradictionState;
use heirloom_core::parallel;
use heirloom_core::record::Referent;
use heirloom_core::words::normalise;
use heirloom_embed::builtin;
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::judge::{PairJudge, sentence_of};
use super::language_model::LanguageModelJudge;
use super::record::{NewContradiction, known_pairs, pair_of, record_contradictions};
use super::verdict_cache::{CachedVerdict, PairKey, VerdictCache};
use crate::memory::{ComparableMemory, WholeMemory};
use crate::{Error, Session};

/// With how many earlier memories each one is compared.
const MAX_PAIRS_OF_MEMORY: usize = 8;

/// The same if there are many memories, so that all of them take a bounded time.
const MIN_PAIRS_OF_MEMORY: usize = 3;

/// About how many pairs are judged by rules at most.
const MAX_PAIRS: usize = 400_000;

/// Most pairs that the model reads, which takes milliseconds a pair.
const MAX_PAIRS_OF_MODEL: usize = 8_000;

/// The probability by rules from which on the model reads a pair.
const MIN_PROBABILITY_FOR_MODEL: f32 = 0.05;

/// How many pairs the model reads before the verdicts are stored.
const PAIRS_OF_MODEL_AT_ONCE: usize = 256;

/// How many pairs a thread gives to the model at once.
const PAIRS_OF_BATCH: usize = 16;

/// Most pairs that a language model is asked about, if one is configured.
const MAX_PAIRS_OF_LANGUAGE_MODEL: usize = 200;

/// How many memories are compared between two reports of progress.
const MEMORIES_AT_ONCE: usize = 1024;

/// Most memories with one key that are compared with each other.
const MAX_OF_A_KEY: usize = 24;

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
}

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
    let (cache, version) = (VerdictCache::read(session), judge.version());
    let mut scanner = Scanner { judge, version, memories, known, cache, pairs: vec![] };
    let mut report = ScanReport { memories: scanner.memories.len(), ..ScanReport::default() };
    report.known_pairs = scanner.judge_by_rules(session);
    report.left_pairs = scanner.judge_by_model(session);
    report.judged_pairs = scanner.pairs.len();
    let mut found = scanner.contradictions();
    if let Some(model) = LanguageModelJudge::configured(session, &mut report.notes)? {
        found = scanner.ask_language_model(session, model, found, &mut report.notes);
    }
    scanner.cache.save(session);
    session.progress().end();
    report.left_contradictions = found.len().saturating_sub(MAX_NEW);
    found.truncate(MAX_NEW);
    let ids: HashMap<usize, String> = match dry_run {
        true => HashMap::new(),
        false => {
            let recorded = record_contradictions(session, &found)?;
            let ScanReport { memories, judged_pairs, .. } = report;
            LastScan { at: session.now(), memories, judged_pairs }.write(session)?;
            recorded.into_iter().collect()
        }
    };
    let numbered = found.into_iter().enumerate();
    let with_ids = numbered.map(|(number, found)| (found, ids.get(&number).cloned()));
    report.new = with_ids.filter(|(_, id)| dry_run || id.is_some()).collect();
    report.open = open + report.new.len();
    Ok(report)
}

/// Two memories with what is known about them so far.
struct JudgedPair {
    pair: CandidatePair,
    key: PairKey,
    verdict: CachedVerdict,
}

/// Returns what a verdict on a memory depends on.
fn judged_text(memory: &ComparableMemory) -> String {
    match &memory.key_value {
        Some((key, value)) => format!("{key}\u{0}{value}\u{0}{}", memory.text),
        None => memory.text.clone(),
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
    /// Finds pairs that are worth judging, and judges them by rules. Returns how many verdicts were known.
    fn judge_by_rules(&mut self, session: &Session) -> usize {
        let count = self.memories.len();
        let mut finder = CandidateFinder::new(builtin());
        self.memories.iter().for_each(|memory| finder.add(&memory.text, builtin()));
        let candidates = finder.finish();
        let of_keys = self.pairs_of_keys();
        let per_memory = (MAX_PAIRS / count.max(1)).clamp(MIN_PAIRS_OF_MEMORY, MAX_PAIRS_OF_MEMORY);
        let mut known = 0;
        for start in (0..count).step_by(MEMORIES_AT_ONCE) {
            let block = start..(start + MEMORIES_AT_ONCE).min(count);
            let judged = self.judge_block(&candidates, &of_keys, per_memory, block.clone());
            for (pair, is_known) in judged {
                known += usize::from(is_known);
                self.cache.put(pair.key, pair.verdict);
                self.pairs.push(pair);
            }
            self.cache.save_sometimes(session);
            session.progress().tell(block.end, count);
        }
        known
    }

    /// Judges the pairs of some memories with earlier ones. Returns each with whether its verdict was known.
    fn judge_block(
        &self,
        candidates: &Candidates,
        of_keys: &HashMap<u32, Vec<u32>>,
        per_memory: usize,
        block: Range<usize>,
    ) -> Vec<(JudgedPair, bool)> {
        let numbers: Vec<usize> = block.collect();
        let judged = parallel::map(&numbers, 16, |number| {
            let mut pairs = candidates.before(*number, per_memory);
            for a in of_keys.get(&(*number as u32)).into_iter().flatten() {
                if !pairs.iter().any(|pair| pair.a == *a) {
                    let (b, sentences) = (*number as u32, [0, 0]);
                    pairs.push(CandidatePair { a: *a, b, likeness: 1.0, sentences });
                }
            }
            pairs.into_iter().filter_map(|pair| self.judge_pair(pair)).collect::<Vec<_>>()
        });
        judged.into_iter().flatten().collect()
    }

    /// Judges a pair by rules, unless its verdict is known; `None` if the two cannot contradict each other.
    fn judge_pair(&self, pair: CandidatePair) -> Option<(JudgedPair, bool)> {
        let (a, b) = self.memories_of(&pair);
        if a.text == b.text
            || !a.has_common_scope(b)
            || self.known.contains(&pair_of(&a.referent, &b.referent))
        {
            return None;
        }
        let key = VerdictCache::key(&self.version, &judged_text(a), &judged_text(b));
        if let Some(verdict) = self.cache.get(&key) {
            return Some((JudgedPair { pair, key, verdict }, true));
        }
        if !may_contradict(&a.text, &b.text) {
            return None;
        }
        let verdict = CachedVerdict::new(&self.judge.judge_by_rules(a, b), false);
        Some((JudgedPair { pair, key, verdict }, false))
    }

    /// Lets the model read the pairs that may contradict each other by rules. Returns how many are left.
    fn judge_by_model(&mut self, session: &Session) -> usize {
        if !self.judge.has_model() {
            return 0;
        }
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.retain(|at| self.pairs[*at].verdict.probability >= MIN_PROBABILITY_FOR_MODEL);
        let priority = |at: &usize| {
            let JudgedPair { pair, verdict, .. } = &self.pairs[*at];
            verdict.probability + pair.likeness
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
            session.progress().tell(done.min(total), total);
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
        let log_odds = self.judge.log_odds(&pairs).unwrap_or_default();
        let judged = batch.iter().zip(log_odds).map(|(at, log_odds)| {
            let (a, b) = self.memories_of(&self.pairs[*at].pair);
            CachedVerdict::new(&self.judge.judge_with(a, b, Some(log_odds)), true)
        });
        judged.collect()
    }

    /// Returns the pairs of facts with one key: the numbers of the earlier ones, by the later one.
    fn pairs_of_keys(&self) -> HashMap<u32, Vec<u32>> {
        let mut of_key: HashMap<String, Vec<u32>> = HashMap::new();
        let mut pairs: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, memory) in self.memories.iter().enumerate() {
            let Some((key, _)) = &memory.key_value else { continue };
            let earlier = of_key.entry(normalise(key)).or_default();
            if !earlier.is_empty() {
                let latest = earlier.iter().rev().take(MAX_OF_A_KEY).copied();
                pairs.insert(number as u32, latest.collect());
            }
            earlier.push(number as u32);
        }
        pairs
    }

    fn memories_of(&self, pair: &CandidatePair) -> (&ComparableMemory, &ComparableMemory) {
        (&self.memories[pair.a as usize], &self.memories[pair.b as usize])
    }

    /// Asks a language model about contradictions, and keeps those that it confirms. What it is not asked about is kept.
    fn ask_language_model(
        &mut self,
        session: &Session,
        mut model: LanguageModelJudge<'_>,
        found: Vec<NewContradiction>,
        notes: &mut Vec<String>,
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
                    session.progress().tell(number, total);
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
        notes.extend(model.failure_note());
        kept
    }

    /// Returns the pairs that contradict each other, the certain and the most likely ones first, with their verdicts.
    fn contradictions(&self) -> Vec<NewContradiction> {
        let found = self.pairs.iter().filter(|it| it.verdict.certainty != Certainty::None);
        let mut found: Vec<&JudgedPair> = found.collect();
        found.sort_by(|x, y| {
            let certainties = y.verdict.certainty.cmp(&x.verdict.certainty);
            let probabilities = y.verdict.probability.total_cmp(&x.verdict.probability);
            certainties.then(probabilities).then((x.pair.a, x.pair.b).cmp(&(y.pair.a, y.pair.b)))
        });
        let full = found.into_iter().map(|JudgedPair { pair, verdict, .. }| {
            let (a, b) = self.memories_of(pair);
            let CachedVerdict { probability, certainty, kind, .. } = *verdict;
            // The reason was not kept.
            let reason = self.judge.judge_by_rules(a, b).reason;
            let probability = f64::from(probability);
            let verdict = Verdict { probability, certainty, kind, reason };
            NewContradiction { a: a.clone(), b: b.clone(), verdict }
        });
        full.collect()
    }
}
