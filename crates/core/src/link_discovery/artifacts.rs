//! Relations between memories about one commit, pull request or decision record.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::names::NameIndex;
use super::proposal::ProposedLink;
use super::{LinkRole, LinkableMemory};
use crate::recall::{is_stop_word, terms};
use crate::record::Relation;

/// An artifact of more memories says too little about two of them.
const MAX_MEMORIES: usize = 6;

/// The fewest characters of the hash of a commit.
const MIN_HASH_CHARS: usize = 7;

/// The number of terms that a decision and the problem that it solves share, at least.
const MIN_COMMON_TERMS: usize = 2;

/// The confidences, by what the two memories are.
const OF_RECORD: f64 = 0.85;
const OF_EPISODE: f64 = 0.75;
const OF_PROBLEM: f64 = 0.65;

/// The memories of each commit and pull request.
#[derive(Debug, Default)]
pub(super) struct ArtifactIndex {
    memories: FxHashMap<String, Vec<usize>>,
}

impl ArtifactIndex {
    pub(super) fn new(memories: &[LinkableMemory]) -> Self {
        let mut index = ArtifactIndex::default();
        for (at, memory) in memories.iter().enumerate() {
            for key in keys_of(memory) {
                let of_key = index.memories.entry(key).or_default();
                if of_key.last() != Some(&at) {
                    of_key.push(at);
                }
            }
        }
        index
    }

    /// Returns the proposals for a memory.
    pub(super) fn proposals_of(
        &self,
        at: usize,
        memories: &[LinkableMemory],
        names: &NameIndex,
    ) -> Vec<ProposedLink> {
        let memory = &memories[at];
        let mut found = Vec::new();
        for artifact in &memory.artifacts {
            found.extend(of_record(artifact, memory, memories, names));
        }
        for key in keys_of(memory) {
            let others = self.memories.get(&key).filter(|others| others.len() <= MAX_MEMORIES);
            for other in others.into_iter().flatten().filter(|other| **other != at) {
                // Either of the two may have been recorded last.
                let other = &memories[*other];
                found.extend(of_pair(&key, memory, other));
                found.extend(of_pair(&key, other, memory));
            }
        }
        found
    }
}

/// Returns the relation to the decision record that an artifact names.
fn of_record(
    artifact: &str,
    memory: &LinkableMemory,
    memories: &[LinkableMemory],
    names: &NameIndex,
) -> Option<ProposedLink> {
    let name = artifact.strip_prefix("adr:")?;
    let target = match names.find_all(name).first() {
        Some((_, target)) => &memories[*target],
        None => &memories[names.linked(name)?],
    };
    (target.role == LinkRole::DecisionRecord && memory.role != LinkRole::DecisionRecord).then(
        || ProposedLink {
            from: memory.referent.clone(),
            relation: Relation::MotivatedBy,
            to: target.referent.clone(),
            confidence: OF_RECORD,
            reason: format!("states that it is about `{artifact}`"),
        },
    )
}

/// Returns the relation of a decision to the session or the problem of the same commit or pull request.
fn of_pair(key: &str, decision: &LinkableMemory, other: &LinkableMemory) -> Option<ProposedLink> {
    if decision.role != LinkRole::Decision {
        return None;
    }
    let (confidence, what) = match other.role {
        LinkRole::Episode => (OF_EPISODE, "session"),
        LinkRole::Problem if has_common_subject(decision, other) => (OF_PROBLEM, "problem"),
        _ => return None,
    };
    Some(ProposedLink {
        from: decision.referent.clone(),
        relation: Relation::MotivatedBy,
        to: other.referent.clone(),
        confidence,
        reason: format!("the decision and the {what} are about the same `{key}`"),
    })
}

fn has_common_subject(a: &LinkableMemory, b: &LinkableMemory) -> bool {
    let of = |memory: &LinkableMemory| -> HashSet<String> {
        terms(&memory.text).into_iter().filter(|term| !is_stop_word(term)).collect()
    };
    of(a).intersection(&of(b)).count() >= MIN_COMMON_TERMS
}

/// Returns the commits and pull requests of a memory. Hashes of commits are compared by their beginning.
fn keys_of(memory: &LinkableMemory) -> Vec<String> {
    let stated = memory.artifacts.iter().filter_map(|artifact| match artifact.split_once(':')? {
        ("commit", hash) => commit_key(hash),
        ("pr", number) => Some(format!("pr:{}", number.trim_start_matches('#'))),
        _ => None,
    });
    let commits = memory.work.iter().flat_map(|work| &work.commits);
    let made = commits.filter_map(|commit| commit_key(commit.split_whitespace().next()?));
    let mut keys: Vec<String> = stated.chain(made).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn commit_key(hash: &str) -> Option<String> {
    let is_hash = hash.len() >= MIN_HASH_CHARS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| format!("commit:{}", hash[..MIN_HASH_CHARS].to_lowercase()))
}
