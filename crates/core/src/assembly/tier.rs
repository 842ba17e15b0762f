//! The tiers of a context, and how an activity divides a budget among them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tier of an entry of a context.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// What must not be overlooked: pins, decisions and instructions that concern the task, open contradictions, blockers
    /// and questions, errors and their fixes.
    Critical,
    /// What is known about the task, the files and the errors.
    Relevant,
    /// What holds for all work: conventions, workflows, recent history.
    Background,
    /// Pointers to what can be read on demand.
    Index,
}

impl Tier {
    /// Every tier, the first one first.
    pub const ALL: [Tier; 4] = [Tier::Critical, Tier::Relevant, Tier::Background, Tier::Index];

    /// Returns its position among all tiers.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Critical => "critical",
            Tier::Relevant => "relevant",
            Tier::Background => "background",
            Tier::Index => "index",
        }
    }
}

/// What the agent is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Building something new.
    #[default]
    Feature,
    /// Looking for the cause of an error.
    Debugging,
    /// Checking a change.
    Review,
    /// Changing the structure of code.
    Refactoring,
    /// Writing tests.
    Testing,
    /// Deciding what to do.
    Planning,
    /// Writing for people.
    Documentation,
}

impl Activity {
    /// Returns whether it changes code, or checks a change.
    pub fn changes_code(self) -> bool {
        !matches!(self, Activity::Planning | Activity::Documentation)
    }

    /// Returns the share of the budget that each tier gets.
    pub fn shares(self) -> [f64; 4] {
        match self {
            Activity::Feature | Activity::Refactoring | Activity::Testing => {
                [0.25, 0.375, 0.25, 0.125]
            }
            // What is known about the error comes first, conventions last.
            Activity::Debugging => [0.375, 0.3125, 0.1875, 0.125],
            // A change is checked against conventions.
            Activity::Review | Activity::Documentation => [0.25, 0.3125, 0.3125, 0.125],
            // A plan needs an overview more than details.
            Activity::Planning => [0.25, 0.3125, 0.25, 0.1875],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_every_activity_add_up_to_the_budget() {
        for activity in [
            Activity::Feature,
            Activity::Debugging,
            Activity::Review,
            Activity::Refactoring,
            Activity::Testing,
            Activity::Planning,
            Activity::Documentation,
        ] {
            assert_eq!(activity.shares().iter().sum::<f64>(), 1.0, "{activity:?}");
        }
    }
}
