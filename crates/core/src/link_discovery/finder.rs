//! Looks for relations of the memories that changed.

use std::collections::HashSet;

use super::artifacts::ArtifactIndex;
use super::clauses::{Clause, StatementIndex, clauses_of};
use super::cues::{StatedRelation, stated_relation};
use super::mentions::{Sentence, sentences};
use super::names::NameIndex;
use super::proposal::{ProposedLink, combine};
use super::sessions::EpisodeIndex;
use super::{LinkRole, LinkableMemory};
use crate::prose::truncate;
use crate::record::{Referent, Relation};

/// The most relations that are proposed for one memory: the most likely ones.
const MAX_PER_MEMORY: usize = 6;

/// The most relations that the names in one memory give evidence for: the first ones.
const MAX_STATED_RELATIONS: usize = 16;

/// The longest quotation in characters.
const MAX_QUOTE_CHARS: usize = 240;

/// The relations that are known already.
#[derive(Debug, Default)]
pub struct KnownRelations {
    pairs: HashSet<(Referent, Referent)>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct FoundLinks {
    /// The proposals, those of one memory together.
    pub links: Vec<ProposedLink>,
    /// How many of the changed memories were looked at. The others are left for the next time, since enough was found.
    pub examined: usize,
}

impl KnownRelations {
    /// Adds a relation, or a supersession.
    pub fn insert(&mut self, from: Referent, to: Referent) {
        self.pairs.insert((from, to));
    }

    /// Returns whether two memories are related in either direction.
    fn contains(&self, link: &ProposedLink) -> bool {
        let pair = (link.from.clone(), link.to.clone());
        let reversed = (link.to.clone(), link.from.clone());
        self.pairs.contains(&pair) || self.pairs.contains(&reversed)
    }
}

/// Proposes relations of the changed memories to all memories, in the order of `changed`, until there are `limit` that
/// `is_new` accepts.
pub fn find_links(
    memories: &[LinkableMemory],
    changed: &[usize],
    known: &KnownRelations,
    limit: usize,
    is_new: impl Fn(&ProposedLink) -> bool,
) -> FoundLinks {
    if changed.is_empty() || limit == 0 {
        return FoundLinks::default();
    }
    let names = NameIndex::new(memories);
    let artifacts = ArtifactIndex::new(memories);
    let episodes = EpisodeIndex::new(memories);
    let clauses: Vec<Clause> =
        changed.iter().flat_map(|at| clauses_of(*at, &memories[*at])).collect();
    let statements = StatementIndex::new(memories, &clauses);
    let mut found = FoundLinks::default();
    let mut seen: HashSet<String> = HashSet::new();
    let mut clauses = clauses.into_iter().peekable();
    for &at in changed {
        if found.links.len() >= limit {
            break;
        }
        let mut proposals = of_mentions(at, memories, &names);
        proposals.extend(artifacts.proposals_of(at, memories, &names));
        proposals.extend(episodes.proposals_of(at, memories));
        while let Some(clause) = clauses.next_if(|clause| clause.source == at) {
            proposals.extend(of_clause(&clause, memories, &statements));
        }
        let is_wanted = |link: &ProposedLink| link.from != link.to && !known.contains(link);
        proposals.retain(|link| is_wanted(link) && !is_own_record(link, memories, at, &names));
        let mut combined = combine(proposals);
        combined.truncate(MAX_PER_MEMORY);
        combined.retain(|link| is_new(link) && seen.insert(link.id()));
        found.links.extend(combined);
        found.examined += 1;
    }
    found
}

/// Returns whether a relation leads from a memory to the decision record that it was made from.
fn is_own_record(
    link: &ProposedLink,
    memories: &[LinkableMemory],
    at: usize,
    names: &NameIndex,
) -> bool {
    let made_from = memories[at].made_from.as_deref();
    let record = made_from.and_then(|name| names.find_all(name).first().map(|(_, target)| *target));
    record.is_some_and(|record| memories[record].referent == link.to)
}

/// Returns what the text of a memory says about the memories that it names.
fn of_mentions(at: usize, memories: &[LinkableMemory], names: &NameIndex) -> Vec<ProposedLink> {
    let memory = &memories[at];
    // A fact that was made from a decision record says what the record says.
    let made_from = memory.made_from.as_deref();
    let is_repetition = made_from.is_some_and(|record| !names.find_all(record).is_empty());
    if memory.role == LinkRole::Document || is_repetition {
        return vec![];
    }
    let mut found = Vec::new();
    for sentence in sentences(&memory.text, names) {
        if found.len() >= MAX_STATED_RELATIONS {
            break;
        }
        for mention in sentence.mentions.iter().filter(|mention| mention.target != at) {
            let target = &memories[mention.target];
            let Some(stated) = stated_relation(memory, &sentence, mention, target) else {
                continue;
            };
            let ends = (memory.referent.clone(), target.referent.clone());
            let (from, to) = if stated.is_reversed { (ends.1, ends.0) } else { ends };
            found.push(ProposedLink {
                from,
                relation: stated.relation,
                to,
                confidence: stated.confidence,
                reason: says(memory, stated, &target.shown_name(), &sentence),
            });
        }
    }
    found
}

/// Describes what a sentence of a memory says about another one that it names. The subject is the source of the relation,
/// unless the sentence is of its target.
fn says(
    memory: &LinkableMemory,
    stated: StatedRelation,
    name: &str,
    sentence: &Sentence,
) -> String {
    let quote = truncate(&sentence.text, MAX_QUOTE_CHARS);
    let own = memory.shown_name();
    let what = match (stated.relation, stated.is_reversed) {
        (Relation::DependsOn, false) => format!("says that it builds on {name}"),
        (Relation::MotivatedBy, false) => format!("names {name} as its reason"),
        (Relation::Replaces, false) => format!("says that {name} no longer holds"),
        (Relation::Enables, false) => format!("says that it makes {name} possible"),
        (Relation::Contradicts, false) => format!("says that it contradicts {name}"),
        (Relation::Replaces, true) => format!("{own} says that {name} took its place"),
        (Relation::Enables, true) => format!("{own} says that {name} made it possible"),
        (_, true) => format!("{own} names {name}"),
    };
    format!("{what}: \u{201c}{quote}\u{201d}")
}

/// Returns the relation to the memory that states what a clause says.
fn of_clause(
    clause: &Clause,
    memories: &[LinkableMemory],
    statements: &StatementIndex,
) -> Option<ProposedLink> {
    let found = statements.find(clause, memories)?;
    let target = &memories[found.target];
    let source = &memories[clause.source];
    let quote = truncate(&source.text[clause.sentence.clone()], MAX_QUOTE_CHARS);
    let stated = target.title.as_deref().unwrap_or(&target.text);
    let stated = truncate(stated.lines().next().unwrap_or_default(), MAX_QUOTE_CHARS);
    Some(ProposedLink {
        from: source.referent.clone(),
        relation: clause.relation,
        to: target.referent.clone(),
        confidence: found.confidence,
        reason: format!(
            "\u{201c}{quote}\u{201d}, and {} states: \u{201c}{stated}\u{201d}",
            target.shown_name()
        ),
    })
}
