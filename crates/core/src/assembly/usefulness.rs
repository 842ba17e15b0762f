//! How likely a memory is to be useful for a piece of work.

/// How well a memory matches a task or another signal of the work.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// The share of the words that the memory contains, as recall weighs them.
    pub words: f64,
    /// What the similarity of meaning adds, as recall weighs it.
    pub meaning: f64,
    /// The sum of the rarities of the terms that the memory itself contains. Unlike a share, it grows with the number of
    /// terms: one rare word in common says less than four.
    pub evidence: f64,
    /// The share of the words of its title, else of its first words, that were asked for.
    pub opening: f64,
    /// The rank of the memory, counted from 0.
    pub rank: usize,
    /// What was matched.
    pub form: MemoryForm,
}

/// The forms of memories that match work in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryForm {
    /// A fact, an entry or a note.
    Statement,
    /// A section of a document, whose many words match by chance.
    Document,
    /// An episode, which tells of work that is done.
    Episode,
    /// A workflow, of which a few words are indexed.
    Workflow,
}

/// The weights of a logistic regression.
struct Weights {
    intercept: f64,
    words: f64,
    meaning: f64,
    evidence: f64,
    opening: f64,
    rank: f64,
    document: f64,
    episode: f64,
    workflow: f64,
}

// Fitted on 7,900 pairs of a task and a memory, which eight readers judged for 384 tasks in 16 public repositories, with facts
// and episodes that others had written from their history. Fitted on 15 repositories and measured on the other one, 0.88 of
// the memories with an estimate of at least 0.7 were useful: a fifth of all useful ones. Without evidence, opening, episodes
// and workflows, 0.86 of as many were. Trees, a cross-encoder trained on the pairs, the alignment of word vectors and the scores
// of other answers added little or nothing.
const TASK: Weights = Weights {
    intercept: -3.09,
    words: 8.46,
    meaning: 5.61,
    evidence: 0.41,
    opening: 2.16,
    rank: -0.28,
    document: -1.67,
    episode: -1.23,
    workflow: -0.52,
};

// Fitted on 2,170 pairs of a file or an error and a memory, of 128 of these tasks. What also matches the task is useful far
// more often: of the memories with an estimate of at least 0.6, 0.79 were useful, and a third of all useful ones had it.
const SIGNAL_OF_TASK: Weights = Weights {
    intercept: -0.82,
    words: 0.0,
    meaning: 3.70,
    evidence: 0.49,
    opening: 2.02,
    rank: -0.25,
    document: -1.27,
    episode: -0.59,
    workflow: -0.63,
};

// Fitted on the same pairs, without the task.
const SIGNAL_ALONE: Weights = Weights {
    intercept: -2.45,
    words: 1.87,
    meaning: 4.39,
    evidence: 0.47,
    opening: 2.68,
    rank: -0.15,
    document: -1.81,
    episode: -0.60,
    workflow: -0.96,
};

/// The weight of the log-odds of being useful for the task in the estimate for a signal.
const FOR_TASK_WEIGHT: f64 = 0.52;

/// The limits of these log-odds. A memory that is not among the answers to the task has the lowest ones.
const MIN_LOG_ODDS_FOR_TASK: f64 = -5.0;
const MAX_LOG_ODDS_FOR_TASK: f64 = 5.0;

/// The usefulness for a signal alone from which on a memory need not match the task: it is about that very error.
const MIN_USEFULNESS_ALONE: f64 = 0.8;

impl Match {
    /// Returns how likely a memory that matches a task is to be useful for it, 0 to 1.
    pub fn usefulness_for_task(&self) -> f64 {
        probability(self.log_odds(&TASK))
    }

    /// Returns how likely a memory that matches a file, a branch or an error is to be useful for the work, 0 to 1.
    pub fn usefulness_for_signal(&self) -> f64 {
        probability(self.log_odds(&SIGNAL_ALONE))
    }

    /// Returns how likely a memory that matches a file, a branch or an error is to be useful for a task. `for_task` is its
    /// usefulness by the words of the task, if it is among the answers to that.
    pub fn usefulness_for_signal_of_task(&self, for_task: Option<f64>) -> f64 {
        let log_odds = for_task.map_or(MIN_LOG_ODDS_FOR_TASK, |p| (p / (1.0 - p)).ln());
        let log_odds = log_odds.clamp(MIN_LOG_ODDS_FOR_TASK, MAX_LOG_ODDS_FOR_TASK);
        let of_task = probability(self.log_odds(&SIGNAL_OF_TASK) + FOR_TASK_WEIGHT * log_odds);
        let alone = self.usefulness_for_signal();
        if alone >= MIN_USEFULNESS_ALONE { of_task.max(alone) } else { of_task }
    }

    /// Returns the log-odds by its own properties.
    fn log_odds(&self, weights: &Weights) -> f64 {
        let of_form = match self.form {
            MemoryForm::Statement => 0.0,
            MemoryForm::Document => weights.document,
            MemoryForm::Episode => weights.episode,
            MemoryForm::Workflow => weights.workflow,
        };
        weights.intercept
            + weights.words * self.words
            + weights.meaning * self.meaning
            + weights.evidence * self.evidence
            + weights.opening * self.opening
            + weights.rank * (self.rank as f64).ln_1p()
            + of_form
    }
}

fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEAK: Match = Match {
        words: 0.1,
        meaning: 0.1,
        evidence: 1.0,
        opening: 0.1,
        rank: 8,
        form: MemoryForm::Statement,
    };

    #[test]
    fn a_better_match_is_more_useful() {
        assert!(WEAK.usefulness_for_task() > 0.0 && WEAK.usefulness_for_task() < 0.5);
        for stronger in [
            Match { words: 0.3, ..WEAK },
            Match { meaning: 0.3, ..WEAK },
            Match { evidence: 3.0, ..WEAK },
            Match { opening: 0.5, ..WEAK },
            Match { rank: 0, ..WEAK },
        ] {
            assert!(stronger.usefulness_for_task() > WEAK.usefulness_for_task(), "{stronger:?}");
            assert!(stronger.usefulness_for_signal() > WEAK.usefulness_for_signal());
        }
        for form in [MemoryForm::Document, MemoryForm::Episode, MemoryForm::Workflow] {
            let other = Match { form, ..WEAK };
            assert!(other.usefulness_for_task() < WEAK.usefulness_for_task(), "{form:?}");
        }
    }

    #[test]
    fn what_also_matches_the_task_is_more_useful_for_a_signal() {
        let of_task = |usefulness| WEAK.usefulness_for_signal_of_task(usefulness);
        assert!(of_task(Some(0.9)) > of_task(Some(0.1)) && of_task(Some(0.1)) > of_task(None));
        assert!(of_task(Some(1.0)) < 1.0 && of_task(Some(0.0)) == of_task(None));
    }
}
