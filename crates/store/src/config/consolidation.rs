//! The settings of consolidation.

use heirloom_core::consolidation::DEFAULT_DUPLICATE_SIMILARITY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Consolidation of memory: what is merged, shortened and forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSettings {
    /// Two facts with equal numbers, names and negations are merged if the shorter one has at least this share of the words
    /// of the longer one, from 0.5 to 1.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub duplicate_similarity: f64,
    /// After how many days an episode is reduced to its summary.
    pub summary_days: u32,
    /// After how many days an episode is reduced to a line.
    pub line_days: u32,
    /// After how many days without use an unimportant memory is archived on this machine, at least 7.
    #[schemars(range(min = 7))]
    pub unused_days: u32,
}

/// A clone brings its settings along, and must not have what was stored yesterday archived.
const MIN_UNUSED_DAYS: u32 = 7;

impl Default for ConsolidationSettings {
    fn default() -> Self {
        ConsolidationSettings {
            duplicate_similarity: DEFAULT_DUPLICATE_SIMILARITY,
            summary_days: 7,
            line_days: 30,
            unused_days: 90,
        }
    }
}

impl ConsolidationSettings {
    /// Returns the key of the first setting that cannot be used, and why.
    pub(super) fn first_defect(&self) -> Option<(&'static str, String)> {
        if !(0.5..=1.0).contains(&self.duplicate_similarity) {
            let message = "consolidation.duplicate_similarity must be between 0.5 and 1";
            return Some(("duplicate_similarity", message.to_owned()));
        }
        if self.unused_days < MIN_UNUSED_DAYS {
            let message = format!("consolidation.unused_days must be at least {MIN_UNUSED_DAYS}");
            return Some(("unused_days", message));
        }
        let (summary, line) = (self.summary_days, self.line_days);
        (summary == 0 || summary > line).then(|| {
            let message = "consolidation: the days must be positive, and summary_days ≤ line_days";
            ("summary_days", message.to_owned())
        })
    }
}
