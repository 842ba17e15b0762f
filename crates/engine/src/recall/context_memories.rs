//! Reads what may go into a context: the answers to several questions, standing instructions and lists, from one index.

use std::collections::{BTreeSet, HashMap, HashSet};

use heirloom_core::Problem;
use heirloom_core::adr;
use heirloom_core::embedding::Embedder;
use heirloom_core::recall::{
    AnswerUnit, Corpus, Question, RankedMemory, Slot, filter_term, part_terms,
    standing_instruction_term,
};
use heirloom_core::record::Referent;
use heirloom_index::{Filter, Snapshot, StandingFilter};
use heirloom_store::adrs::{self, Scope};

use super::hits::{Hit, hits};
use super::search::Search;
use super::searched_index::search_index;
use crate::indexing::{IndexFailure, OpenIndex};
use crate::{Error, Session};

/// What is asked of memory for a context.
#[derive(Debug, Default)]
pub(crate) struct ContextQuery<'q> {
    /// The questions: the task, files, errors.
    pub(crate) questions: Vec<ContextQuestion<'q>>,
    /// Maximum number of standing instructions.
    pub(crate) instructions: usize,
    /// Lists of memories.
    pub(crate) lists: Vec<MemoryList>,
}

/// One of the questions.
#[derive(Debug)]
pub(crate) struct ContextQuestion<'q> {
    /// The question, in any words.
    pub(crate) text: &'q str,
    /// Maximum number of chunks that answer it.
    pub(crate) limit: usize,
    /// The same if some of them belong to notes. Any chunk of a note may hold the answer; of other memories, those further
    /// down are hardly ever useful, and reading them takes most of the time.
    pub(crate) limit_with_notes: usize,
}

/// The newest memories that have some terms.
#[derive(Debug)]
pub(crate) struct MemoryList {
    terms: Vec<String>,
    /// Maximum number of memories.
    limit: usize,
}

impl MemoryList {
    /// Lists the memories with a property, such as a `kind` or a `section`.
    pub(crate) fn with_property(field: &str, value: &str, limit: usize) -> Self {
        MemoryList { terms: vec![filter_term(field, value)], limit }
    }

    /// Lists memories that may contain a name: they have all its parts.
    pub(crate) fn with_parts_of(name: &str, limit: usize) -> Self {
        MemoryList { terms: part_terms(name), limit }
    }
}

/// The answers to one question.
#[derive(Debug)]
pub(crate) struct ContextAnswers {
    /// The chunks that answer it, best first.
    pub(crate) hits: Vec<Hit>,
    /// Whether it asks for an account of something, which takes many words.
    pub(crate) asks_for_account: bool,
}

/// The memories that may go into a context.
#[derive(Debug, Default)]
pub(crate) struct ContextMemories {
    /// The answers to each question.
    pub(crate) answers: Vec<ContextAnswers>,
    /// The standing instructions that may concern the first question, nearest first; without a question, the newest.
    pub(crate) instructions: Vec<Hit>,
    /// The memories of each list, newest first.
    pub(crate) lists: Vec<Vec<Hit>>,
    /// Problems of the files that were searched.
    pub(crate) problems: Vec<Problem>,
}

impl ContextQuery<'_> {
    /// Reads the memories.
    pub(crate) fn read(&self, session: &Session) -> Result<ContextMemories, Error> {
        let search =
            |index: &OpenIndex, embedder: &dyn Embedder| self.search(session, index, embedder);
        let (mut found, fallback) = search_index(session, search)?;
        found.problems.extend(fallback);
        found.name_by_path(&records_with_shared_ids(session)?);
        Ok(found)
    }

    fn search(
        &self,
        session: &Session,
        index: &OpenIndex,
        embedder: &dyn Embedder,
    ) -> Result<ContextMemories, IndexFailure> {
        let snapshot = index.snapshot();
        let lexicon = heirloom_embed::builtin();
        let mut found =
            ContextMemories { problems: index.all_problems()?, ..ContextMemories::default() };
        for (number, asked) in self.questions.iter().enumerate() {
            let query = asked.text;
            if query.trim().is_empty() {
                found.answers.push(ContextAnswers { hits: vec![], asks_for_account: false });
                continue;
            }
            let search = Search {
                query,
                limit: asked.limit,
                unit: AnswerUnit::Chunk,
                max_instructions: if number == 0 { self.instructions } else { 0 },
                explain: true,
                ..Search::default()
            };
            let vector = embedder.embed_one(query).unwrap_or_default();
            let question = Question::new(query, vector, session.today(), lexicon);
            let (nearest, answers) = search.with_nearest_instructions(snapshot, &question, || {
                let hits = search.answers(session, snapshot, &question)?.hits;
                if asked.limit >= asked.limit_with_notes || !hits.iter().any(Hit::is_note) {
                    return Ok(hits);
                }
                let search = Search { limit: asked.limit_with_notes, ..search.clone() };
                search.answers(session, snapshot, &question).map(|answers| answers.hits)
            });
            let hits = answers?;
            // The documents are part of a context already.
            found.instructions.extend(search.instructions_of_memories(session, snapshot, nearest)?);
            let asks_for_account = question.asks_for_account;
            found.answers.push(ContextAnswers { hits, asks_for_account });
        }
        if self.questions.is_empty() && self.instructions > 0 {
            let terms = [standing_instruction_term().into_owned()];
            found.instructions = newest(session, snapshot, &terms, self.instructions)?;
        }
        for MemoryList { terms, limit } in &self.lists {
            found.lists.push(newest(session, snapshot, terms, *limit)?);
        }
        Ok(found)
    }
}

impl ContextMemories {
    /// Refers to documents by path, so that they can be told apart and shown.
    fn name_by_path(&mut self, paths: &HashSet<String>) {
        let answers = self.answers.iter_mut().flat_map(|answers| &mut answers.hits);
        let others = self.lists.iter_mut().flatten().chain(&mut self.instructions);
        for hit in answers.chain(others) {
            if paths.contains(&hit.item.path) {
                hit.item.referent = Referent::Document(hit.item.path.clone());
            }
        }
    }
}

/// Returns the paths of decision records whose id another one has too: folders are numbered separately.
fn records_with_shared_ids(session: &Session) -> Result<HashSet<String>, Error> {
    let (files, _) = adrs::find(session.root(), session.config()?, Scope::AllProjects);
    let mut by_id: HashMap<(String, Option<u32>), Vec<String>> = HashMap::new();
    for file in files {
        let (id, number) = adr::derive_id(&file.path);
        let prefix = id.split('-').next().unwrap_or_default().to_owned();
        let key = if number.is_some() { (prefix, number) } else { (id, None) };
        by_id.entry(key).or_default().push(file.path);
    }
    Ok(by_id.into_values().filter(|paths| paths.len() > 1).flatten().collect())
}

/// Returns the newest active memories that have all of some terms.
fn newest(
    session: &Session,
    snapshot: &Snapshot,
    terms: &[String],
    limit: usize,
) -> Result<Vec<Hit>, IndexFailure> {
    let view = snapshot.view(StandingFilter::Active, &Filter::default());
    let mut slots: Option<BTreeSet<Slot>> = None;
    for term in terms {
        let with_term = view.slots_with_term(term).into_iter().map(|slot| view.passage(slot));
        slots = Some(match slots {
            None => with_term.collect(),
            Some(slots) => with_term.filter(|slot| slots.contains(slot)).collect(),
        });
        if slots.as_ref().is_some_and(BTreeSet::is_empty) {
            return Ok(vec![]);
        }
    }
    let mut slots: Vec<Slot> = slots.into_iter().flatten().collect();
    slots.sort_by_key(|slot| (std::cmp::Reverse(view.day(*slot)), view.tie_break_key(*slot)));
    slots.truncate(limit);
    let ranked: Vec<RankedMemory> =
        slots.into_iter().map(|slot| RankedMemory::by_cosine((slot, 0.0))).collect();
    let search = Search { limit, ..Search::default() };
    hits(session, snapshot, &ranked, &search)
}
