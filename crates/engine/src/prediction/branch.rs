//! What the name of a branch says about the work: the plan, and words to search for.

use heirloom_core::hierarchy::Selectors;
use heirloom_core::prediction::path_words;
use heirloom_store::layout;

use super::memory::PredictedMemory;
use crate::Session;
use crate::signals::reason_from;
use crate::workspace::inherit;

/// The confidence in a plan whose number or whole name is in the branch, and in one of which some words are. They are
/// judgements.
const CONFIDENCE_OF_PLAN: f64 = 0.9;
const CONFIDENCE_OF_SIMILAR_PLAN: f64 = 0.6;

/// Words in the names of branches that say nothing about the work.
const COMMON_WORDS: [&str; 22] = [
    "feature", "feat", "fix", "bugfix", "hotfix", "bug", "chore", "refactor", "docs", "doc",
    "test", "tests", "ci", "build", "release", "main", "master", "develop", "dev", "wip", "users",
    "user",
];

/// Returns the words of a branch that say what the work is about.
pub(crate) fn branch_words(branch: &str) -> String {
    let is_meaningful = |word: &String| {
        word.len() > 1
            && !word.bytes().all(|byte| byte.is_ascii_digit())
            && !COMMON_WORDS.contains(&word.as_str())
    };
    path_words(branch).into_iter().filter(is_meaningful).collect::<Vec<_>>().join(" ")
}

/// Returns the plans whose name the branch matches.
pub(super) fn plans(session: &Session, branch: &str, is_remembered: bool) -> Vec<PredictedMemory> {
    if branch.is_empty() {
        return vec![];
    }
    let Ok(config) = session.config() else { return vec![] };
    let Ok(level) = inherit::level(config, "plan") else { return vec![] };
    let names = layout::list_names(session.root(), &level, &Selectors::new()).unwrap_or_default();
    let matching = names.into_iter().filter_map(|plan| {
        let confidence = plan_confidence(branch, &plan)?;
        let reason = format!("the branch {branch} has the name of the plan");
        Some(PredictedMemory {
            reason: reason_from(reason, is_remembered),
            confidence,
            quiet_confidence: None,
            id: format!("plan/{plan}"),
            title: plan,
            kind: "plan".to_owned(),
            date: None,
            author: String::new(),
            files: vec![],
            commit: None,
            gain: None,
            hit: None,
        })
    });
    let mut matching: Vec<PredictedMemory> = matching.collect();
    matching.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    matching
}

/// Returns the confidence that a branch belongs to a plan.
fn plan_confidence(branch: &str, plan: &str) -> Option<f64> {
    let branch_words = path_words(branch);
    let plan_words = path_words(plan);
    let is_number = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
    // A short number may count anything.
    let number = plan_words.first().filter(is_number).filter(|number| number.len() >= 3);
    if number.is_some_and(|number| branch_words.contains(number)) {
        return Some(CONFIDENCE_OF_PLAN);
    }
    let words: Vec<&String> = plan_words.iter().filter(|word| !is_number(word)).collect();
    let shared = words.iter().filter(|word| branch_words.contains(word)).count();
    match () {
        () if words.is_empty() || shared == 0 => None,
        () if shared == words.len() => Some(CONFIDENCE_OF_PLAN),
        () if 2 * shared >= words.len() => Some(CONFIDENCE_OF_SIMILAR_PLAN),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_matches_a_plan_by_number_or_words() {
        let confidence = |branch| plan_confidence(branch, "0042-refund-events");
        assert_eq!(confidence("feature/0042"), Some(CONFIDENCE_OF_PLAN));
        assert_eq!(confidence("ada/refund-events-api"), Some(CONFIDENCE_OF_PLAN));
        assert_eq!(confidence("fix/refund-rounding"), Some(CONFIDENCE_OF_SIMILAR_PLAN));
        assert_eq!(confidence("feature/login"), None);
    }

    #[test]
    fn common_words_of_branches_are_left_out() {
        assert_eq!(branch_words("feature/0042-refundEvents_v2"), "refund events");
        assert_eq!(branch_words("main"), "");
    }
}
