//! What was found, as it is answered.

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::recall::{DocumentPart, Parts, Scored, Slot};
use heirloom_core::record::{Body, Episode, Record};
use heirloom_core::staleness::{self, Freshness};
use heirloom_core::{day, transcript};
use heirloom_index::{IndexError, IndexErrorKind, Snapshot, StoredMemory};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::Search;
use crate::indexing::IndexFailure;
use crate::memory::{MemoryItem, PointInTime};
use crate::{Error, Session};

/// How many characters of an episode's story are shown.
const GIST: usize = 300;

/// One thing that answers a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Hit {
    /// What it is.
    #[serde(flatten)]
    pub(crate) thing: MemoryItem,
    /// The workspace that it is of, if several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<String>,
    /// PointInTime it was recorded, as far as it is known.
    pub(crate) at: Option<String>,
    /// How fresh it is.
    pub(crate) freshness: Freshness,
    /// Where it is written; never searched.
    #[serde(rename = "_meta")]
    pub(crate) meta: Meta,
    /// What its score is made of, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<Explained>,
}

impl Hit {
    /// Takes a thing, as it is answered in a session.
    pub(crate) fn new(session: &Session, mut thing: MemoryItem) -> Result<Self, Error> {
        let date = thing.date.as_deref().and_then(day::parse);
        let thresholds = session.config()?.staleness;
        let (path, line) = match thing.source.rsplit_once(':') {
            Some((path, line)) => (path.to_owned(), line.parse().ok()),
            None => (thing.source.clone(), None),
        };
        thing.source = thing.said_source.take().unwrap_or(thing.source);
        Ok(Hit {
            workspace: None,
            at: thing.date.clone(),
            freshness: staleness::judge(date, session.today(), None, &thresholds).status,
            meta: Meta { path, line, id: thing.id.clone() },
            explain: None,
            thing,
        })
    }
}

/// Where something is written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Meta {
    /// The file.
    pub(crate) path: String,
    /// Its line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// Its id.
    pub(crate) id: String,
}

/// What a score is made of.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Explained {
    /// The share of the question's words that it and those around it hold.
    pub(crate) words: f64,
    /// What its meaning adds.
    pub(crate) meaning: f64,
    /// What its time adds.
    pub(crate) time: f64,
    /// What being sure and fresh adds; it decides between near equals alone.
    pub(crate) standing: f64,
    /// Whether it is a question itself, whose words count for less.
    pub(crate) asks: bool,
    /// Whether a better one says the same, so that it comes later.
    pub(crate) repeats: bool,
    /// What each term adds; `around` if only a neighbour holds it.
    pub(crate) terms: Vec<Term>,
}

/// What a term adds to a score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Term {
    /// The term as it is looked for.
    pub(crate) term: String,
    /// The word that was typed, if the term is only what was probably meant by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) typed: Option<String>,
    /// What it adds.
    pub(crate) share: f64,
    /// Whether only a neighbour holds it.
    pub(crate) around: bool,
}

impl Explained {
    fn of(parts: &Parts) -> Self {
        let mut terms: Vec<Term> = parts
            .terms
            .iter()
            .map(|share| Term {
                term: share.term.clone(),
                typed: share.typed.clone(),
                share: rounded(share.share),
                around: !share.own,
            })
            .collect();
        terms.sort_by(|a, b| b.share.total_cmp(&a.share));
        Explained {
            words: rounded(parts.words),
            meaning: rounded(parts.meaning),
            time: rounded(parts.time),
            standing: rounded(parts.standing),
            asks: parts.asks,
            repeats: parts.repeats,
            terms,
        }
    }
}

fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10_000.0).round() / 10_000.0
}

/// Turns what was found into what is answered, in order. What was not so at the time that is asked
/// about is left out.
pub(crate) fn hits(
    session: &Session,
    snapshot: &Snapshot,
    scored: &[Scored],
    search: &Search<'_>,
) -> Result<Vec<Hit>, IndexFailure> {
    let slots: Vec<Slot> = scored.iter().map(|scored| scored.slot).collect();
    let (kept, memory) = snapshot.to_show(&slots, search.when.as_of)?;
    let mut hits = Vec::with_capacity(kept.len());
    for (scored, kept) in scored.iter().zip(kept) {
        let kept = kept.ok_or_else(|| missing("a memory"))?;
        let Some(mut thing) = thing(&memory, &kept, search.when)? else { continue };
        if search.when.valid_at.is_none() && !search.shelf.is_for(thing.standing) {
            continue;
        }
        thing.score = Some(rounded(scored.score));
        let explain = search.explain.then(|| Explained::of(&scored.parts));
        hits.push(Hit { explain, ..Hit::new(session, thing)? });
    }
    Ok(hits)
}

/// What an episode tells to one who did not know of it: more than its title.
fn told(record: &Record, episode: &Episode) -> String {
    let story = record.levels.summary.as_deref().unwrap_or(&episode.content);
    match transcript::gist(story, GIST).as_str() {
        "" => episode.title.clone(),
        gist => format!("{}: {gist}", episode.title),
    }
}

/// What an index names and does not hold shows that it is damaged.
fn missing(what: &str) -> IndexError {
    let message = format!("{what} of the index is missing");
    IndexError { kind: IndexErrorKind::Damaged, message, hint: None }
}

/// Returns a thing as it was at a time, if it was so then.
fn thing(
    memory: &Memory,
    stored: &StoredMemory,
    when: PointInTime,
) -> Result<Option<MemoryItem>, IndexError> {
    match stored {
        StoredMemory::Record(id) => match memory.item(*id) {
            Some(item) => Ok(record_then(memory, &item, when)),
            // Then it may not have been there yet; now it must be.
            None if when.as_of.is_some() => Ok(None),
            None => Err(missing("a line")),
        },
        StoredMemory::Part { subject, part } => Ok(part_then(memory, subject, part, when)),
    }
}

fn record_then(memory: &Memory, item: &Item<'_>, when: PointInTime) -> Option<MemoryItem> {
    let was_so = when.valid_at.is_none_or(|day| {
        item.standing != Standing::Archived
            && memory.aliases(item.id).iter().any(|alias| {
                memory.record(*alias).is_some_and(|record| memory.was_valid(record, day))
            })
    });
    was_so.then(|| {
        let thing = MemoryItem::of_record(memory, item);
        match &item.record.body {
            Body::Episode(episode) => MemoryItem { text: told(item.record, episode), ..thing },
            _ => thing,
        }
    })
}

fn part_then(
    memory: &Memory,
    subject: &str,
    part: &DocumentPart,
    when: PointInTime,
) -> Option<MemoryItem> {
    let was_known = |day: Date| part.date.is_some_and(|since| since <= day);
    let asked = when.as_of.map(day::of).into_iter().chain(when.valid_at);
    let was_so = asked.into_iter().all(was_known) && was_true(memory, subject, when);
    was_so.then(|| MemoryItem::of_part(memory, subject, part))
}

fn was_true(memory: &Memory, subject: &str, when: PointInTime) -> bool {
    when.valid_at.is_none_or(|day| match memory.standing(subject) {
        Standing::Active => true,
        Standing::Archived => false,
        Standing::Superseded => memory.replaced_on(subject).is_none_or(|end| day < end),
    })
}
