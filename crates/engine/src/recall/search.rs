//! The search behind every operation that looks for memories.

use std::collections::BTreeSet;

use heirloom_core::embedding::Embedder;
use heirloom_core::memory::EntryKind;
use heirloom_core::recall::{AnswerUnit, Question, RankedMemory};
use heirloom_core::record::{FactSection, RecordKind};
use heirloom_core::{Problem, name};
use heirloom_index::{Filter, Snapshot, StandingFilter};

use super::hits::{Hit, hits};
use super::searched_index::search_index;
use super::sessions::SessionHit;
use crate::indexing::{IndexFailure, OpenIndex, lexical_only_problem};
use crate::memory::PointInTime;
use crate::workspace::inherit;
use crate::{Error, Session};

/// Maximum number of near misses that are shown if nothing answers the question.
pub(super) const MAX_NEAR_MISSES: usize = 3;

/// Factor by which more memories are ranked for a past point in time, because some of them did not
/// hold then.
const PAST_OVERFETCH: usize = 20;

/// A question and its filters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search<'r> {
    /// The question, in any words.
    pub(crate) query: &'r str,
    /// Maximum number of hits.
    pub(crate) limit: usize,
    /// Whether to search active or retired memories.
    pub(crate) standing_filter: StandingFilter,
    /// Only facts of this section.
    pub(crate) section: Option<FactSection>,
    /// Only of these kinds.
    pub(crate) kinds: Vec<String>,
    /// Only facts with this scope.
    pub(crate) scope: Option<&'r str>,
    /// Only with this tag.
    pub(crate) tag: Option<&'r str>,
    /// Only decisions and lessons of this category.
    pub(crate) category: Option<&'r str>,
    /// What takes one place in the answer: a memory, a section of a document or a session.
    pub(crate) unit: AnswerUnit,
    /// The point in time that the question is about.
    pub(crate) when: PointInTime,
    /// Whether to add archived memories that answer the question, apart from the hits.
    pub(crate) with_archived: bool,
    /// Maximum number of standing instructions to add that may concern the question.
    pub(crate) max_instructions: usize,
    /// Whether to explain each score.
    pub(crate) explain: bool,
}

/// The result of a search.
#[derive(Default)]
pub(crate) struct SearchResult {
    /// The memories that answer the question, best first.
    pub(crate) hits: Vec<Hit>,
    /// The sessions that answer the question, best first, if sessions were searched for.
    pub(crate) sessions: Vec<SessionHit>,
    /// Standing instructions that may concern the question, apart from the hits.
    pub(crate) instructions: Vec<Hit>,
    /// The nearest memories, if there is no hit.
    pub(crate) near_misses: Vec<Hit>,
    /// Archived memories that answer the question, apart from the hits.
    pub(crate) archived: Vec<Hit>,
    /// Whether the near misses do answer the question, but do not pass the filters.
    pub(crate) is_filtered: bool,
    /// Whether the near misses answer the question, but are all archived or superseded.
    pub(crate) is_retired: bool,
    /// Problems of the files that were searched.
    pub(crate) problems: Vec<Problem>,
    /// Whether the search was lexical only, because the embedder failed.
    pub(crate) is_lexical_only: bool,
}

/// What answers a question.
#[derive(Default)]
pub(super) struct Answers {
    /// The memories that answer it, best first.
    pub(super) hits: Vec<Hit>,
    /// The nearest memories, if there is no hit.
    near_misses: Vec<Hit>,
    /// Archived memories that answer it, if they are asked for.
    archived: Vec<Hit>,
}

impl Search<'_> {
    /// Checks the request and searches.
    pub(crate) fn run(&self, session: &Session) -> Result<SearchResult, Error> {
        self.check_limit()?;
        if !self.kinds.is_empty() {
            self.check_kinds(&Self::kinds(session)?)?;
        }
        self.run_unchecked(session)
    }

    /// Searches without checking the limit and the kinds.
    pub(super) fn run_unchecked(&self, session: &Session) -> Result<SearchResult, Error> {
        let search = |index: &OpenIndex, embedder: &dyn Embedder| {
            self.search_open_index(session, index, embedder)
        };
        let (mut result, fallback) = search_index(session, search)?;
        result.is_lexical_only |= fallback.is_some();
        result.problems.extend(fallback);
        Ok(result)
    }

    fn search_open_index(
        &self,
        session: &Session,
        index: &OpenIndex,
        embedder: &dyn Embedder,
    ) -> Result<SearchResult, IndexFailure> {
        let snapshot = index.snapshot();
        let (vector, embed_error) = match embedder.embed_one(self.query) {
            Ok(vector) => (vector, None),
            Err(error) => (vec![], Some(Error::from(error))),
        };
        let lexicon = heirloom_embed::builtin();
        let question = Question::new(self.query, vector, session.today(), lexicon);
        let of_sessions = self.unit == AnswerUnit::Session;
        let sessions = match of_sessions {
            true => self.sessions(session, snapshot, &question)?,
            false => vec![],
        };
        let (nearest_instructions, answers) =
            self.with_nearest_instructions(snapshot, &question, || match of_sessions {
                true => Ok(Answers::default()),
                false => self.answers(session, snapshot, &question),
            });
        let Answers { hits, mut near_misses, mut archived } = answers?;
        let mut is_filtered = false;
        if !of_sessions && hits.is_empty() && self.has_filter() {
            let filtered = self.without_filter().answers(session, snapshot, &question)?.hits;
            is_filtered = !filtered.is_empty();
            near_misses = if is_filtered { filtered } else { near_misses };
        }
        if is_filtered {
            archived.clear();
        }
        let has_other_filter = !self.filter().terms.is_empty() || self.is_past();
        let is_retired = is_filtered && !has_other_filter;
        let shown = if hits.is_empty() { &near_misses } else { &hits };
        let instructions = self.instructions(session, snapshot, nearest_instructions, shown)?;
        let mut problems = index.all_problems()?;
        let is_by_words = embed_error.is_some();
        problems.extend(embed_error.as_ref().map(lexical_only_problem));
        Ok(SearchResult {
            hits,
            sessions,
            instructions,
            near_misses,
            archived,
            is_filtered,
            is_retired,
            problems,
            is_lexical_only: is_by_words,
        })
    }

    /// Returns the hits for a question, the near misses if there is no hit, and archived memories if they are asked for.
    pub(super) fn answers(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        question: &Question<'_>,
    ) -> Result<Answers, IndexFailure> {
        let view = snapshot.view(self.searched_standing(), &self.filter());
        let overfetch = if self.is_past() { PAST_OVERFETCH } else { 1 };
        let limit = self.limit.max(MAX_NEAR_MISSES).saturating_mul(overfetch);
        let (scored, archived) = match self.ranks_archived(snapshot) {
            true => view.rank_with_archived(question, self.unit, limit, MAX_NEAR_MISSES),
            false => (view.rank(question, self.unit, limit), vec![]),
        };
        let (answering, others): (Vec<RankedMemory>, Vec<RankedMemory>) =
            scored.into_iter().partition(RankedMemory::is_answer);
        let to_hits = |scored: &[RankedMemory]| hits(session, snapshot, scored, self);
        let mut answers = to_hits(&answering)?;
        answers.truncate(self.limit);
        let near_misses = match answers.is_empty() {
            true => to_hits(&others)?.into_iter().take(MAX_NEAR_MISSES).collect(),
            false => vec![],
        };
        let archived: Vec<RankedMemory> =
            archived.into_iter().filter(RankedMemory::is_answer).collect();
        let archived = match archived.is_empty() {
            true => vec![],
            false => {
                let standing_filter = StandingFilter::Everything;
                hits(session, snapshot, &archived, &Search { standing_filter, ..self.clone() })?
            }
        };
        Ok(Answers { hits: answers, near_misses, archived })
    }

    /// Returns whether archived memories are ranked beside the active ones.
    fn ranks_archived(&self, snapshot: &Snapshot) -> bool {
        self.with_archived
            && self.standing_filter == StandingFilter::Active
            && !self.is_past()
            && snapshot.has_archived()
    }

    /// Returns whether the search leaves out some of the memories.
    fn has_filter(&self) -> bool {
        self.standing_filter != StandingFilter::Everything
            || !self.filter().terms.is_empty()
            || self.is_past()
    }

    /// Returns which memories are searched: for a past point in time also those that were retired since.
    pub(super) fn searched_standing(&self) -> StandingFilter {
        if self.is_past() { StandingFilter::Everything } else { self.standing_filter }
    }

    pub(super) fn is_past(&self) -> bool {
        self.when.as_of.is_some() || self.when.valid_at.is_some()
    }

    /// Returns a search for the same question in all memories, including retired ones.
    fn without_filter(&self) -> Search<'_> {
        let Search { query, explain, unit, .. } = *self;
        let limit = MAX_NEAR_MISSES.min(self.limit);
        let standing_filter = StandingFilter::Everything;
        Search { query, limit, standing_filter, explain, unit, ..Search::default() }
    }

    /// Returns the kinds of memories that a workspace may contain.
    pub(super) fn kinds(session: &Session) -> Result<BTreeSet<String>, Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let mut known: BTreeSet<String> = ["adr", "context", "document"].map(str::to_owned).into();
        known.extend(RecordKind::recallable().map(|kind| kind.as_str().to_owned()));
        known.extend(EntryKind::ALL.map(|kind| kind.as_str().to_owned()));
        known.extend(hierarchy.levels.into_iter().map(|level| level.name));
        Ok(known)
    }

    /// Rejects a limit of 0.
    pub(super) fn check_limit(&self) -> Result<(), Error> {
        match self.limit {
            0 => Err(Error::bad_input("the limit is 0, so nothing would be found")
                .hint("set the limit to 1 or more")),
            _ => Ok(()),
        }
    }

    /// Rejects unknown kinds, since a typo would otherwise find nothing without a message.
    pub(super) fn check_kinds(&self, known: &BTreeSet<String>) -> Result<(), Error> {
        let is_known = |kind: &&String| known.contains(&kind.trim().to_lowercase());
        let Some(unknown) = self.kinds.iter().find(|kind| !is_known(kind)) else { return Ok(()) };
        let all: Vec<&str> = known.iter().map(String::as_str).collect();
        Err(Error {
            candidates: name::nearest(unknown, all.iter().copied(), 3),
            ..Error::bad_input(format!("there is no kind `{}`", unknown.escape_default()))
                .hint(format!("the kinds are {}", all.join(", ")))
        })
    }

    pub(super) fn filter(&self) -> Filter {
        let mut terms: Vec<(&'static str, Vec<String>)> = Vec::new();
        terms.extend(self.section.map(|section| ("section", vec![section.title().to_owned()])));
        terms.extend(self.scope.map(|scope| ("scope", vec![scope.to_owned()])));
        // Tags are printed with a `#`, so a copied tag may have one.
        let tag = self.tag.map(|tag| tag.trim_start_matches('#'));
        terms.extend(tag.map(|tag| ("tag", vec![tag.to_owned()])));
        terms.extend(self.category.map(|category| ("category", vec![category.to_owned()])));
        if !self.kinds.is_empty() {
            terms.push(("kind", self.kinds.clone()));
        }
        Filter { terms }
    }
}
