//! Looking for what answers a question; every operation that searches does it here.

use std::collections::BTreeSet;

use heirloom_core::embedding::{EmbedError, Embedder};
use heirloom_core::memory::EntryKind;
use heirloom_core::recall::{Question, Scored, rank};
use heirloom_core::record::{Kind, Section};
use heirloom_core::{Problem, name};
use heirloom_index::{Filter, Shelf};
use heirloom_store::config::{self, EmbedderKind};

use super::fresh::in_memory;
use super::hits::{Hit, hits};
use super::warm::Kept;
use super::{embedder, keep, up_to_date};
use crate::memory::When;
use crate::{Error, ErrorKind, Session, inherit};

/// Knows the meaning of nothing.
struct Wordless;

impl Embedder for Wordless {
    fn name(&self) -> &str {
        "none"
    }

    fn dimensions(&self) -> usize {
        0
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        texts.iter().for_each(|_| take(&[]));
        Ok(())
    }
}

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
        self.check_kinds(session)?;
        let asked = embedder(session).and_then(|embedder| {
            let kept = up_to_date(session, &*embedder)?;
            self.look(session, kept, &*embedder)
        });
        let is_elsewhere = session.config()?.embedder.kind == EmbedderKind::Endpoint;
        match asked {
            Err(error) if is_elsewhere && error.kind == ErrorKind::System => {
                self.by_words(session, &error)
            }
            asked => asked,
        }
    }

    /// Looks for words alone, where the embedder that is set does not answer.
    fn by_words(&self, session: &Session, error: &Error) -> Result<Found, Error> {
        let mut found = self.look(session, in_memory(session, &Wordless)?, &Wordless)?;
        let what = format!("words alone are looked for: {}", error.message);
        let problem = Problem::of_file(config::PATH, what);
        found.problems.push(match &error.hint {
            Some(hint) => problem.hint(hint.clone()),
            None => problem,
        });
        Ok(found)
    }

    fn look(&self, session: &Session, kept: Kept, embedder: &dyn Embedder) -> Result<Found, Error> {
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
        let problems = kept.all_problems()?;
        keep(session, kept);
        Ok(Found { hits, near_misses, problems })
    }

    /// A kind that there is not is a typo, and a typo must not be silent.
    fn check_kinds(&self, session: &Session) -> Result<(), Error> {
        if self.kinds.is_empty() {
            return Ok(());
        }
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let mut known: BTreeSet<&str> =
            hierarchy.levels.iter().map(|level| level.name.as_str()).collect();
        known.extend(["adr", "context", "document"]);
        for kind in Kind::REMEMBERED {
            known.insert(kind.word());
        }
        for kind in EntryKind::ALL {
            known.insert(kind.word());
        }
        let is_known = |kind: &&String| known.contains(kind.trim().to_lowercase().as_str());
        let Some(unknown) = self.kinds.iter().find(|kind| !is_known(kind)) else { return Ok(()) };
        let all: Vec<&str> = known.iter().copied().collect();
        Err(Error {
            candidates: name::nearest(unknown, known, 3),
            ..Error::bad_input(format!("there is no kind `{}`", unknown.escape_default()))
                .hint(format!("kinds are {}", all.join(", ")))
        })
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
