//! The plan of a consolidation: everything that it would change, as a value that people may read and edit.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::episodes::EpisodeLength;
use super::forgetting::ForgettingReason;
use crate::record::Referent;

/// The version of the format of plans.
pub const PLAN_VERSION: u32 = 1;

/// A step of a consolidation, in the order in which they run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ConsolidationStep {
    /// Merge facts that say the same.
    Merge,
    /// Shorten old episodes.
    Compress,
    /// Let the usage of replaced memories count for what replaced them.
    Rank,
    /// Scan for contradictions.
    Contradictions,
    /// Archive what was replaced, and what is unused and unimportant.
    Forget,
    /// Propose relations.
    Links,
}

impl ConsolidationStep {
    /// Every step.
    pub const ALL: [ConsolidationStep; 6] = [
        ConsolidationStep::Merge,
        ConsolidationStep::Compress,
        ConsolidationStep::Rank,
        ConsolidationStep::Contradictions,
        ConsolidationStep::Forget,
        ConsolidationStep::Links,
    ];
}

/// Everything that a consolidation would change. Whatever is removed from it is not done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsolidationPlan {
    /// The version of the format.
    pub version: u32,
    /// When it was made.
    #[schemars(with = "String")]
    pub made_at: Timestamp,
    /// Facts that become one.
    #[serde(default)]
    pub merge: Vec<MergedFact>,
    /// Episodes that become shorter.
    #[serde(default)]
    pub compress: Vec<ShortenedEpisode>,
    /// Memories whose usage counts for others from now on.
    #[serde(default)]
    pub rank: Vec<MovedUsage>,
    /// Memories that are archived.
    #[serde(default)]
    pub forget: Vec<ArchivedMemory>,
    /// Whether to scan for contradictions.
    #[serde(default)]
    pub contradictions: bool,
    /// Whether to look for relations to propose.
    #[serde(default)]
    pub links: bool,
}

impl ConsolidationPlan {
    /// Creates a plan that changes nothing.
    pub fn new(made_at: Timestamp) -> Self {
        ConsolidationPlan {
            version: PLAN_VERSION,
            made_at,
            merge: vec![],
            compress: vec![],
            rank: vec![],
            forget: vec![],
            contradictions: false,
            links: false,
        }
    }

    /// Returns whether it changes no memory.
    pub fn is_empty(&self) -> bool {
        self.merge.is_empty()
            && self.compress.is_empty()
            && self.rank.is_empty()
            && self.forget.is_empty()
    }

    /// Returns the memories that it changes.
    pub fn memories(&self) -> impl Iterator<Item = &Referent> {
        let merged = self.merge.iter().flat_map(|fact| &fact.memories).map(|memory| &memory.id);
        let shortened = self.compress.iter().map(|episode| &episode.id);
        merged.chain(shortened).chain(self.forget.iter().map(|memory| &memory.id))
    }
}

/// A memory as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedMemory {
    /// What the log refers to it by.
    pub id: Referent,
    /// Its text.
    pub text: String,
}

/// Facts that become one, which supersedes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergedFact {
    /// The facts.
    pub memories: Vec<PlannedMemory>,
    /// The text of the merged fact.
    pub text: String,
    /// The least share of the words of the longest one that another one has, too.
    #[serde(default)]
    pub similarity: f64,
}

/// An episode that becomes shorter. Its full version stays in the archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShortenedEpisode {
    /// What the log refers to it by.
    pub id: Referent,
    /// Its title.
    pub title: String,
    /// How much of it is kept.
    pub to: EpisodeLength,
    /// Its story, shortened.
    pub content: String,
    /// The number of words of all its texts now.
    #[serde(default)]
    pub words: usize,
    /// The number of words that are kept.
    #[serde(default)]
    pub kept_words: usize,
}

/// A memory whose usage counts for what replaced it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedUsage {
    /// The memory that was replaced.
    pub from: Referent,
    /// What replaced it.
    pub to: Referent,
}

/// A memory that is archived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchivedMemory {
    /// What the log refers to it by.
    pub id: Referent,
    /// The beginning of its text.
    pub text: String,
    /// Why.
    pub reason: ForgettingReason,
}
