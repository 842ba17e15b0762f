//! Looking for what answers a question; every operation that searches does it here.

use heirloom_core::recall::{Question, Scored, rank};
use heirloom_core::{Problem, record::Section};
use heirloom_index::{Filter, Shelf};

use super::hits::{Hit, hits, unread};
use super::{embedder, keep, up_to_date};
use crate::memory::When;
use crate::{Error, Session};

/// How many are shown that come near where nothing answers.
pub(super) const NEAR_MISSES: usize = 3;

/// Of what was found for another time, so many times more is looked at: some of it was not so then.
const PAST: usize = 20;

/// What is looked for, and among what.
#[derive(Debug, Default)]
pub(crate) struct Search<'r> {
    /// What to look for; any text will do.
    pub(crate) query: &'r str,
    /// At most this many.
    pub(crate) limit: usize,
    /// Among which memories.
    pub(crate) shelf: Shelf,
    /// Only facts of this section.
    pub(crate) section: Option<Section>,
    /// Only of these kinds.
    pub(crate) kinds: Vec<String>,
    /// Only facts that hold here.
    pub(crate) scope: Option<&'r str>,
    /// Only with this tag.
    pub(crate) tag: Option<&'r str>,
    /// At which time one asks.
    pub(crate) when: When,
    /// Whether to say what each score is made of.
    pub(crate) explain: bool,
}

/// What was found.
pub(crate) struct Found {
    /// What answers, best first.
    pub(crate) hits: Vec<Hit>,
    /// What comes nearest, if nothing answers.
    pub(crate) near_misses: Vec<Hit>,
    /// What could not be read.
    pub(crate) problems: Vec<Problem>,
}

impl Search<'_> {
    /// Looks.
    pub(crate) fn run(&self, session: &Session) -> Result<Found, Error> {
        let embedder = &*embedder(session)?;
        let kept = up_to_date(session, embedder)?;
        let snapshot = &kept.snapshot;
        let is_past = self.when.as_of.is_some() || self.when.valid_at.is_some();
        let shelf = if is_past { Shelf::Everything } else { self.shelf };
        let view = snapshot.view(shelf, &self.filter());
        let vector = embedder.embed_one(self.query)?;
        let words = heirloom_embed::builtin().vocabulary();
        let is_word = |word: &str| words.id(word).is_some();
        let question = Question::new(self.query, vector, session.today(), is_word);
        let most = self.limit.max(NEAR_MISSES).saturating_mul(if is_past { PAST } else { 1 });
        let scored = rank(&view, &question, most);
        let (answering, others): (Vec<Scored>, Vec<Scored>) =
            scored.into_iter().partition(Scored::answers);
        let shown = |scored: &[Scored]| hits(session, snapshot, scored, self);
        let mut hits = shown(&answering)?;
        hits.truncate(self.limit);
        let near_misses = match hits.is_empty() {
            true => shown(&others)?.into_iter().take(NEAR_MISSES).collect(),
            false => vec![],
        };
        let mut problems = unread(snapshot)?;
        problems.extend(kept.problems.iter().cloned());
        keep(session, kept);
        problems.sort();
        problems.dedup();
        Ok(Found { hits, near_misses, problems })
    }

    fn filter(&self) -> Filter {
        let mut marks: Vec<(&'static str, Vec<String>)> = Vec::new();
        marks.extend(self.section.map(|section| ("section", vec![section.title().to_owned()])));
        marks.extend(self.scope.map(|scope| ("scope", vec![scope.to_owned()])));
        marks.extend(self.tag.map(|tag| ("tag", vec![tag.to_owned()])));
        if !self.kinds.is_empty() {
            marks.push(("kind", self.kinds.clone()));
        }
        Filter { marks }
    }
}
