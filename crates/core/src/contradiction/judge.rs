//! Judges whether two statements contradict each other.

use std::collections::HashSet;

use super::comparison::Comparison;
use super::features::Features;
use super::groups::Member;
use super::model::Model;
use super::sentences::{pairs_to_compare, sentences};
use super::statement::Statement;
use super::verdict::{Certainty, Verdict};
use crate::consolidation::{
    ComparableText, DEFAULT_DUPLICATE_SIMILARITY, WordNearness, duplicate_similarity,
};
use crate::words::normalise;

/// Changes whenever the code of the rules may judge the same two texts differently.
const RULES_VERSION: u32 = 4;

/// Returns what tells the verdicts of these rules, and of the model that is fitted to them, from those of others.
pub fn rules_version() -> String {
    format!("rules-{RULES_VERSION}-{}", Model::checksum())
}

/// A text that was read, to be compared with several others.
#[derive(Debug)]
pub struct ReadText<'t> {
    text: &'t str,
    normalised: String,
    statements: Vec<Statement<'t>>,
}

impl<'t> ReadText<'t> {
    /// Reads a text.
    pub fn new(text: &'t str) -> Self {
        let statements = sentences(text).into_iter().map(Statement::new).collect();
        ReadText { text, normalised: normalise(text), statements }
    }

    /// Returns whether two texts have enough in common to contradict each other: a word, or things of one group. If not,
    /// judging them is not worth the time.
    pub fn may_contradict(&self, other: &Self) -> bool {
        let stems: HashSet<&str> = self.statements.iter().flat_map(Statement::stems).collect();
        let members = self.statements.iter().flat_map(|it| &it.members);
        let groups: HashSet<u16> = members.map(|(Member { group, .. }, _)| *group).collect();
        other.statements.iter().any(|it| {
            it.stems().any(|stem| stems.contains(stem))
                || it.members.iter().any(|(member, _)| groups.contains(&member.group))
        })
    }
}

/// Judges whether two statements contradict each other. The order of the statements does not matter. Of longer texts, the
/// sentences that have most in common are compared. `log_odds` are those of a model that read both.
pub fn judge_pair(a: &str, b: &str, nearness: WordNearness<'_>, log_odds: Option<f32>) -> Verdict {
    judge_texts(&ReadText::new(a), &ReadText::new(b), nearness, log_odds)
}

/// Judges like [`judge_pair`] whether two texts contradict each other that were read.
pub fn judge_texts(
    a: &ReadText<'_>,
    b: &ReadText<'_>,
    nearness: WordNearness<'_>,
    log_odds: Option<f32>,
) -> Verdict {
    let nothing = Verdict::none();
    if a.normalised == b.normalised {
        return nothing;
    }
    let (a, b) = if a.text <= b.text { (a, b) } else { (b, a) };
    let pairs = pairs_to_compare(&a.statements, &b.statements).into_iter();
    let verdicts = pairs
        .map(|(i, j)| judge_statements(&a.statements[i], &b.statements[j], nearness, log_odds));
    let likeliest =
        verdicts.fold(nothing, |best, next| match next.probability > best.probability {
            true => next,
            false => best,
        });
    match likeliest.certainty {
        Certainty::None => likeliest,
        _ if say_the_same(a.text, b.text, nearness) => Verdict::none(),
        _ => likeliest,
    }
}

/// Returns whether two texts say the same, so that consolidation would merge them.
fn say_the_same(a: &str, b: &str, nearness: WordNearness<'_>) -> bool {
    let [a, b] = [a, b].map(ComparableText::new);
    let similarity = duplicate_similarity(&a, &b, nearness);
    similarity.is_some_and(|similarity| similarity >= DEFAULT_DUPLICATE_SIMILARITY)
}

/// Returns the numbers that the rules compute for two statements, with their names. The model is fitted to them.
pub fn named_features(a: &str, b: &str, nearness: WordNearness<'_>) -> (Vec<String>, Vec<f32>) {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (a, b) = (Statement::new(a), Statement::new(b));
    let comparison = Comparison::new(&a, &b, nearness);
    let Features { names, values } = comparison.named_features(&comparison.finding());
    (names.unwrap_or_default(), values)
}

fn judge_statements(
    a: &Statement<'_>,
    b: &Statement<'_>,
    nearness: WordNearness<'_>,
    log_odds: Option<f32>,
) -> Verdict {
    let comparison = Comparison::new(a, b, nearness);
    if comparison.have_equal_words() {
        return Verdict::none();
    }
    let finding = comparison.finding();
    let features = comparison.features(&finding);
    let (probability, limits) = Model::builtin().probability(&features.values, log_odds);
    let is_clean = finding.is_clean && finding.kind.can_be_certain();
    let min_certain = match is_clean {
        true => limits.min_certain_if_clean,
        false => limits.min_certain,
    };
    let certainty = match probability {
        _ if probability >= min_certain => Certainty::Certain,
        _ if probability >= limits.min_possible => Certainty::Possible,
        _ => Certainty::None,
    };
    Verdict { probability, certainty, is_clean, kind: finding.kind, reason: finding.reason }
}
