//! Turns ranked memories into hits.

use std::collections::HashSet;

use heirloom_core::assembly::{Match, MemoryForm};
use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::recall::{
    DocumentPart, RankedMemory, ScoreParts, Slot, TermScore, best_sentence, chunk_at, is_stop_word,
    terms,
};
use heirloom_core::record::{Body, Episode, Record, RecordKind, Referent};
use heirloom_core::staleness::{self, Freshness};
use heirloom_core::{day, parallel, transcript};
use heirloom_index::{IndexError, Snapshot, StoredMemory};
use schemars::JsonSchema;
use serde::Serialize;

use super::Search;
use crate::indexing::IndexFailure;
use crate::memory::{MemoryItem, OriginCheck, PointInTime};
use crate::{Error, Session};

/// How many words the opening of a memory has.
const MAX_OPENING_WORDS: usize = 8;

/// How many hits a thread must make to be worth waking: each takes some ten microseconds.
const MIN_HITS_PER_THREAD: usize = 20;

/// Maximum length of the excerpt of an episode that a hit shows, in characters.
const EXCERPT_MAX_CHARS: usize = 300;

/// A memory that answers a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Hit {
    /// The memory.
    #[serde(flatten)]
    pub(crate) item: MemoryItem,
    /// The part of a long text that matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) passage: Option<String>,
    /// The workspace of the memory, if several were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<String>,
    /// The day on which it was recorded, if known.
    pub(crate) at: Option<String>,
    /// How fresh it is.
    pub(crate) freshness: Freshness,
    /// Where it is written.
    #[serde(rename = "_meta")]
    pub(crate) meta: HitLocation,
    /// The parts of its score, if the request asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<ScoreExplanation>,
    /// The chunk by which it was found, if it was.
    #[serde(skip)]
    pub(super) slot: Option<Slot>,
}

impl Hit {
    /// Makes a hit of a memory.
    pub(crate) fn new(
        session: &Session,
        check: &mut OriginCheck<'_>,
        item: MemoryItem,
    ) -> Result<Self, Error> {
        let mut item = item.on(session.today());
        check.label(&mut item);
        item.show_pins_of(session.agent());
        let date = item.date.as_deref().and_then(day::parse);
        let thresholds = session.config()?.staleness;
        item.source = item.stated_source.take().unwrap_or(item.source);
        Ok(Hit {
            workspace: None,
            at: item.date.clone(),
            freshness: match item.standing {
                Standing::Expired => Freshness::Critical,
                _ => staleness::evaluate(date, session.today(), None, &thresholds).status,
            },
            meta: HitLocation {
                path: item.path.clone(),
                line: Some(item.line),
                id: item.id.clone(),
            },
            explain: None,
            passage: None,
            slot: None,
            item,
        })
    }

    /// Returns whether it is a section of a document.
    pub(crate) fn is_section(&self) -> bool {
        matches!(self.item.referent, Referent::Document(_))
    }

    /// Returns whether it is a note: what was said, as it was said. Facts, episodes and documents are written to be read
    /// again.
    pub(crate) fn is_note(&self) -> bool {
        self.item.kind == RecordKind::Note.as_str()
    }

    /// Returns how likely it is to be useful for a task that was asked about, if it is at a rank, counted from 0. Only a
    /// search that explains its scores can tell.
    pub(crate) fn usefulness_for_task(&self, rank: usize) -> f64 {
        self.match_at(rank).map_or(0.0, |found| found.usefulness_for_task())
    }

    /// Returns the same for a file, a branch or an error that was asked about. With a task, `for_task` is how useful it is
    /// for that, if it is among the answers.
    pub(crate) fn usefulness_for_signal(
        &self,
        rank: usize,
        has_task: bool,
        for_task: Option<f64>,
    ) -> f64 {
        let Some(found) = self.match_at(rank) else { return 0.0 };
        match has_task {
            true => found.usefulness_for_signal_of_task(for_task),
            false => found.usefulness_for_signal(),
        }
    }

    fn match_at(&self, rank: usize) -> Option<Match> {
        let ScoreExplanation { words, meaning, terms, .. } = self.explain.as_ref()?;
        let own = terms.iter().filter(|term| !term.around && term.near.is_none());
        let is = |kind: RecordKind| self.item.kind == kind.as_str();
        Some(Match {
            words: *words,
            meaning: *meaning,
            evidence: own.map(|term| term.rarity).sum(),
            opening: self.matched_share_of_opening(),
            rank,
            form: match () {
                () if self.is_section() => MemoryForm::Document,
                () if is(RecordKind::Episode) => MemoryForm::Episode,
                () if is(RecordKind::Workflow) => MemoryForm::Workflow,
                () => MemoryForm::Statement,
            },
        })
    }

    /// Returns the share of the words of its title, else of its first words, that were asked for.
    fn matched_share_of_opening(&self) -> f64 {
        let text = &self.item.text;
        let heading = || text.split_once(": ").filter(|(heading, _)| heading.contains(" › "));
        let opening = match (&self.item.title, heading()) {
            (Some(title), _) => title,
            (None, Some((heading, _))) if self.is_section() => heading,
            _ => text,
        };
        let words = opening.split_whitespace().flat_map(terms);
        let words = words.filter(|term| !is_stop_word(term)).take(MAX_OPENING_WORDS);
        let words: HashSet<String> = words.collect();
        let asked: HashSet<&str> = self.matched_terms().collect();
        let matched = words.iter().filter(|word| asked.contains(word.as_str())).count();
        matched as f64 / words.len().max(1) as f64
    }

    /// Returns the terms of what was asked that its matching part contains. Only a search that explains its scores can tell.
    pub(crate) fn matched_terms(&self) -> impl Iterator<Item = &str> {
        let terms = self.explain.iter().flat_map(|explain| &explain.terms);
        terms.filter(|term| !term.around && term.near.is_none()).map(|term| term.term.as_str())
    }

    /// Replaces its score, and the explanation of it.
    pub(super) fn rescore(&mut self, scored: &RankedMemory) {
        self.item.score = Some(rounded(scored.score));
        self.explain = self.explain.take().map(|_| ScoreExplanation::of(&scored.parts));
    }
}

/// Where a memory is written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct HitLocation {
    /// The path of the file.
    pub(crate) path: String,
    /// The line in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// The id of the memory.
    pub(crate) id: String,
}

/// The parts of a score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ScoreExplanation {
    /// The share of the question's words that the memory and its neighbours contain.
    pub(crate) words: f64,
    /// What the similarity of meaning adds.
    pub(crate) meaning: f64,
    /// What other sections of the document add.
    pub(crate) document: f64,
    /// What likeness to the best hits adds, if the question asks for an account of something.
    pub(crate) likeness: f64,
    /// What a match with the time in the question adds.
    pub(crate) time: f64,
    /// What confidence and freshness add; a tie-break between similar scores.
    pub(crate) standing: f64,
    /// What is taken off because the memory is long, and its best part is better by chance.
    pub(crate) length: f64,
    /// Whether the memory is itself a question, whose words count less.
    pub(crate) asks: bool,
    /// Whether a better hit says the same, so that this one comes later.
    pub(crate) repeats: bool,
    /// What each term adds.
    pub(crate) terms: Vec<TermExplanation>,
}

/// What a term adds to a score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct TermExplanation {
    /// The term in the form in which it is indexed.
    pub(crate) term: String,
    /// The typed word, if the term is a spelling correction of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) typed: Option<String>,
    /// The term of nearly the same meaning that the memory contains instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) near: Option<String>,
    /// What the term adds.
    pub(crate) share: f64,
    /// How rare the term is, 0 to 1.
    pub(crate) rarity: f64,
    /// Whether only a neighbour of the matching part contains it.
    pub(crate) around: bool,
}

impl ScoreExplanation {
    fn of(parts: &ScoreParts) -> Self {
        let mut terms: Vec<TermExplanation> = parts
            .terms
            .iter()
            .map(|share| TermExplanation {
                term: share.term.clone(),
                typed: share.typed.clone(),
                near: share.near.clone(),
                share: rounded(share.score),
                rarity: rounded(share.rarity),
                around: !share.is_own,
            })
            .collect();
        terms.sort_by(|a, b| b.share.total_cmp(&a.share));
        ScoreExplanation {
            words: rounded(parts.term_score),
            meaning: rounded(parts.cosine_score),
            document: rounded(parts.document_bonus),
            likeness: rounded(parts.likeness_bonus),
            time: rounded(parts.period_bonus),
            standing: rounded(parts.near_tie_bonus),
            length: rounded(parts.chunk_penalty),
            asks: parts.is_question,
            repeats: parts.is_repetition,
            terms,
        }
    }
}

/// Rounds to 4 decimal places.
pub(super) fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10_000.0).round() / 10_000.0
}

/// Turns ranked memories into hits, in order. Leaves out memories that did not hold at the point in
/// time of the search.
pub(crate) fn hits(
    session: &Session,
    snapshot: &Snapshot,
    scored: &[RankedMemory],
    search: &Search<'_>,
) -> Result<Vec<Hit>, IndexFailure> {
    let slots: Vec<Slot> = scored.iter().map(|scored| scored.slot).collect();
    let (stored, memory) = snapshot.load_for_display(&slots, search.when.as_of)?;
    let chunks = scored.iter().map(|scored| snapshot.chunk_number(scored.slot));
    let loaded: Vec<_> = scored.iter().zip(&stored).zip(chunks).collect();
    let shown = parallel::map_short(&loaded, MIN_HITS_PER_THREAD, &|((scored, stored), chunk)| {
        ShownMemory::new(&memory, scored, stored.as_ref(), *chunk, search)
    });
    let mut hits = Vec::with_capacity(shown.len());
    let mut check = OriginCheck::new(session);
    for shown in shown {
        let Some(ShownMemory { item, explain, passage, slot }) = shown? else { continue };
        hits.push(Hit { explain, passage, slot, ..Hit::new(session, &mut check, item)? });
    }
    Ok(hits)
}

/// What a hit shows of a memory.
struct ShownMemory {
    item: MemoryItem,
    explain: Option<ScoreExplanation>,
    passage: Option<String>,
    slot: Option<Slot>,
}

impl ShownMemory {
    /// Makes it of a ranked memory. `None` if the memory did not hold at the point in time of the search.
    fn new(
        memory: &Memory,
        scored: &RankedMemory,
        stored: Option<&StoredMemory>,
        chunk: usize,
        search: &Search<'_>,
    ) -> Result<Option<Self>, IndexError> {
        let stored =
            stored.ok_or_else(|| IndexError::damaged("the index has no memory for a hit"))?;
        let Some(mut item) = item_at(memory, stored, search.when)? else { return Ok(None) };
        if search.when.valid_at.is_none() && !search.standing_filter.covers(item.standing) {
            return Ok(None);
        }
        item.score = Some(rounded(scored.score));
        Ok(Some(ShownMemory {
            item,
            explain: search.explain.then(|| ScoreExplanation::of(&scored.parts)),
            passage: matching_passage(memory, stored, chunk, &scored.parts.terms),
            slot: Some(scored.slot),
        }))
    }
}

/// Returns the part of a long text by which a memory was found, with marks for what is left out: a chunk, or a sentence of
/// an episode. `None` for a short text.
fn matching_passage(
    memory: &Memory,
    stored: &StoredMemory,
    chunk: usize,
    found_by: &[TermScore],
) -> Option<String> {
    let text = match stored {
        StoredMemory::Record(id) => {
            let record = memory.record(*id)?;
            if let Body::Episode(episode) = &record.body {
                return episode_passage(record, episode, found_by);
            }
            record.indexed_text()
        }
        StoredMemory::Part { part, .. } => part.text.clone(),
    };
    let (passage, is_followed) = chunk_at(&text, chunk)?;
    let before = if chunk > 0 { CUT_BEFORE } else { "" };
    let after = if is_followed { CUT_AFTER } else { "" };
    Some(format!("{before}{passage}{after}"))
}

/// The marks for what is left out before and after a passage.
const CUT_BEFORE: &str = "… ";
const CUT_AFTER: &str = " …";

/// Returns a passage without the marks for what is left out.
pub(crate) fn without_cut_marks(passage: &str) -> &str {
    let passage = passage.strip_prefix(CUT_BEFORE).unwrap_or(passage);
    passage.strip_suffix(CUT_AFTER).unwrap_or(passage)
}

/// Returns the title of an episode with its content.
fn episode_text(episode: &Episode) -> String {
    match episode.content.trim() {
        "" => episode.title.clone(),
        content => format!("{}: {content}", episode.title),
    }
}

/// Returns the title of an episode with the sentence by which it was found, or with the opening of its summary or content.
/// `None` if that is all of it.
fn episode_passage(record: &Record, episode: &Episode, found_by: &[TermScore]) -> Option<String> {
    let summary = record.levels.summary.as_deref();
    let opening = || summary.unwrap_or(&episode.content);
    let texts = summary.into_iter().chain(episode.texts());
    let shown = best_sentence(texts, found_by).unwrap_or_else(opening);
    let excerpt = transcript::excerpt(shown, EXCERPT_MAX_CHARS);
    let content = episode.content.trim();
    if excerpt.is_empty() || excerpt == content {
        return None;
    }
    let before = if content.starts_with(&excerpt) { "" } else { "… " };
    let after = if content.ends_with(&excerpt) || excerpt.ends_with('…') { "" } else { " …" };
    Some(format!("{}: {before}{excerpt}{after}", episode.title))
}

/// Returns a memory as it was at a point in time. `None` if it did not hold then.
fn item_at(
    memory: &Memory,
    stored: &StoredMemory,
    when: PointInTime,
) -> Result<Option<MemoryItem>, IndexError> {
    match stored {
        StoredMemory::Record(id) => match memory.item(*id) {
            Some(item) => Ok(record_at(memory, &item, when)),
            // The record may be younger than the point in time.
            None if when.as_of.is_some() => Ok(None),
            None => Err(IndexError::damaged("the index has no line of the log for a hit")),
        },
        StoredMemory::Part { subject, part } => Ok(part_at(memory, subject, part, when)),
    }
}

fn record_at(memory: &Memory, item: &Item<'_>, when: PointInTime) -> Option<MemoryItem> {
    when.includes_record(memory, item).then(|| {
        let shown = MemoryItem::of_record(memory, item);
        match &item.record.body {
            Body::Episode(episode) => MemoryItem { text: episode_text(episode), ..shown },
            _ => shown,
        }
    })
}

fn part_at(
    memory: &Memory,
    subject: &Referent,
    part: &DocumentPart,
    when: PointInTime,
) -> Option<MemoryItem> {
    let was_true = when.includes_part(memory, subject, || part.date);
    was_true.then(|| MemoryItem::of_part(memory, subject, part))
}
