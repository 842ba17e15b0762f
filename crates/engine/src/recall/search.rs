//! Looking for what answers a question; every operation that searches does it here.

use std::collections::BTreeSet;

use heirloom_core::embedding::Embedder;
use heirloom_core::memory::EntryKind;
use heirloom_core::recall::{Question, Scored, rank};
use heirloom_core::record::{Kind, Section};
use heirloom_core::{Problem, name};
use heirloom_index::{Filter, Shelf, Snapshot};

use super::hits::{Hit, hits};
use crate::indexing::{
    IndexFailure, LexicalOnly, OpenIndex, Patience, build_in_memory, embedder, keep_open,
    lexical_only_problem, rebuild, try_open_up_to_date,
};
use crate::memory::PointInTime;
use crate::workspace::inherit;
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
    pub(crate) when: PointInTime,
    /// Whether to say what each score is made of.
    pub(crate) explain: bool,
}

/// What was found.
#[derive(Default)]
pub(crate) struct SearchResult {
    /// What answers, best first.
    pub(crate) hits: Vec<Hit>,
    /// What comes nearest, if nothing answers.
    pub(crate) near_misses: Vec<Hit>,
    /// Whether those answer, and are not what was wanted.
    pub(crate) is_filtered: bool,
    /// What could not be read.
    pub(crate) problems: Vec<Problem>,
    /// Whether nobody could tell what anything means.
    pub(crate) is_by_words: bool,
}

impl Search<'_> {
    /// Looks.
    pub(crate) fn run(&self, session: &Session) -> Result<SearchResult, Error> {
        self.check_limit()?;
        if !self.kinds.is_empty() {
            self.check_kinds(&Self::kinds(session)?)?;
        }
        self.run_unchecked(session)
    }

    /// Looks, whether or not there is such a kind here.
    pub(super) fn run_unchecked(&self, session: &Session) -> Result<SearchResult, Error> {
        let embedder = match embedder(session, Patience::Short) {
            Ok(embedder) => embedder,
            // The settings come with the repository; a model may not be on every machine.
            Err(error) => return self.find_by_words(session, &error),
        };
        match self.find(session, &*embedder) {
            Err(failed) if failed.is_of_embedder() => self.find_by_words(session, &failed.into()),
            found => Ok(found?),
        }
    }

    /// Looks for words alone, where the embedder that is set does not answer.
    fn find_by_words(&self, session: &Session, error: &Error) -> Result<SearchResult, Error> {
        let mut found = self.find(session, &LexicalOnly)?;
        found.problems.push(lexical_only_problem(error));
        Ok(SearchResult { is_by_words: true, ..found })
    }

    fn find(
        &self,
        session: &Session,
        embedder: &dyn Embedder,
    ) -> Result<SearchResult, IndexFailure> {
        let asked = try_open_up_to_date(session, embedder)
            .and_then(|index| self.look(session, index, embedder));
        match asked {
            // A damaged index is rebuilt without being asked to.
            Err(failed) if failed.is_damage() => {
                let rebuilt =
                    rebuild(session, embedder).or_else(|_| build_in_memory(session, embedder));
                self.look(session, rebuilt?, embedder)
            }
            asked => asked,
        }
    }

    fn look(
        &self,
        session: &Session,
        index: OpenIndex,
        embedder: &dyn Embedder,
    ) -> Result<SearchResult, IndexFailure> {
        let snapshot = index.snapshot();
        let (vector, unknown) = match embedder.embed_one(self.query) {
            Ok(vector) => (vector, None),
            Err(error) => (vec![], Some(Error::from(error))),
        };
        let words = heirloom_embed::builtin().vocabulary();
        let question = Question::new(self.query, vector, session.today(), words);
        let (hits, mut near_misses) = self.answers(session, snapshot, &question)?;
        let mut is_filtered = false;
        if hits.is_empty() && self.is_narrow() {
            let (others, _) = self.wide().answers(session, snapshot, &question)?;
            is_filtered = !others.is_empty();
            near_misses = if is_filtered { others } else { near_misses };
        }
        let mut problems = index.all_problems()?;
        keep_open(session, index);
        let is_by_words = unknown.is_some();
        problems.extend(unknown.as_ref().map(lexical_only_problem));
        Ok(SearchResult { hits, near_misses, is_filtered, problems, is_by_words })
    }

    /// Returns what answers a question, and what comes nearest if nothing does.
    fn answers(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        question: &Question<'_>,
    ) -> Result<(Vec<Hit>, Vec<Hit>), IndexFailure> {
        let is_past = self.is_past();
        let shelf = if is_past { Shelf::Everything } else { self.shelf };
        let view = snapshot.view(shelf, &self.filter());
        let most = self.limit.max(NEAR_MISSES).saturating_mul(if is_past { PAST } else { 1 });
        let scored = rank(&view, question, most);
        let (answering, others): (Vec<Scored>, Vec<Scored>) =
            scored.into_iter().partition(Scored::answers);
        let shown = |scored: &[Scored]| hits(session, snapshot, scored, self);
        let mut hits = shown(&answering)?;
        hits.truncate(self.limit);
        let near_misses = match hits.is_empty() {
            true => shown(&others)?.into_iter().take(NEAR_MISSES).collect(),
            false => vec![],
        };
        Ok((hits, near_misses))
    }

    /// Returns whether not everything is wanted that answers.
    fn is_narrow(&self) -> bool {
        self.shelf != Shelf::Everything || !self.filter().marks.is_empty() || self.is_past()
    }

    fn is_past(&self) -> bool {
        self.when.as_of.is_some() || self.when.valid_at.is_some()
    }

    /// The same question to all that was ever known.
    fn wide(&self) -> Search<'_> {
        let Search { query, explain, .. } = *self;
        let (limit, shelf) = (NEAR_MISSES, Shelf::Everything);
        Search { query, limit, shelf, explain, ..Search::default() }
    }

    /// Returns the kinds of things that a workspace may hold.
    pub(super) fn kinds(session: &Session) -> Result<BTreeSet<String>, Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let mut known: BTreeSet<String> = ["adr", "context", "document"].map(str::to_owned).into();
        known.extend(Kind::REMEMBERED.map(|kind| kind.word().to_owned()));
        known.extend(EntryKind::ALL.map(|kind| kind.word().to_owned()));
        known.extend(hierarchy.levels.into_iter().map(|level| level.name));
        Ok(known)
    }

    /// Who wants none does not ask.
    pub(super) fn check_limit(&self) -> Result<(), Error> {
        match self.limit {
            0 => Err(Error::bad_input("at most 0 are none").hint("say how many: 1 or more")),
            _ => Ok(()),
        }
    }

    /// A kind that there is not is a typo, and a typo must not be silent.
    pub(super) fn check_kinds(&self, known: &BTreeSet<String>) -> Result<(), Error> {
        let is_known = |kind: &&String| known.contains(&kind.trim().to_lowercase());
        let Some(unknown) = self.kinds.iter().find(|kind| !is_known(kind)) else { return Ok(()) };
        let all: Vec<&str> = known.iter().map(String::as_str).collect();
        Err(Error {
            candidates: name::nearest(unknown, all.iter().copied(), 3),
            ..Error::bad_input(format!("there is no kind `{}`", unknown.escape_default()))
                .hint(format!("kinds are {}", all.join(", ")))
        })
    }

    fn filter(&self) -> Filter {
        let mut marks: Vec<(&'static str, Vec<String>)> = Vec::new();
        marks.extend(self.section.map(|section| ("section", vec![section.title().to_owned()])));
        marks.extend(self.scope.map(|scope| ("scope", vec![scope.to_owned()])));
        // A tag is shown with a sign before it.
        let tag = self.tag.map(|tag| tag.trim_start_matches('#'));
        marks.extend(tag.map(|tag| ("tag", vec![tag.to_owned()])));
        if !self.kinds.is_empty() {
            marks.push(("kind", self.kinds.clone()));
        }
        Filter { marks }
    }
}
