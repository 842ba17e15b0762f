//! Words of grammar that tell statements that contradict each other from others: whether one has them, or both do.

use std::sync::OnceLock;

use super::phrases::PhraseTable;
use super::token::Token;

/// The words and pairs of words, several forms of one separated by `|`.
pub(super) const CUES: &[&str] = &[
    "a|an",
    "after",
    "again",
    "against",
    "ago",
    "all",
    "allowed|permitted",
    "alone",
    "already",
    "also|too|as well",
    "always",
    "and",
    "another",
    "any",
    "any more|anymore",
    "anyone|anybody",
    "anything",
    "anyway",
    "are|is",
    "as",
    "as soon",
    "at all",
    "at least",
    "at most",
    "at once|immediately|straight",
    "automatically",
    "because",
    "before",
    "between",
    "both",
    "but",
    "by default",
    "by hand|manually",
    "can",
    "can't|cannot",
    "choose|chooses|choice",
    "different",
    "directly|straight",
    "doesn't|don't",
    "during",
    "each",
    "either",
    "else",
    "even",
    "ever",
    "every",
    "everyone|everybody",
    "everything",
    "except",
    "extra",
    "few",
    "first",
    "for",
    "forever|for good|indefinitely",
    "free to",
    "freely",
    "from",
    "full",
    "goes|go",
    "gone",
    "had",
    "half",
    "has|have",
    "however",
    "if",
    "in",
    "in addition",
    "inside",
    "instead",
    "instead of",
    "into",
    "isn't|aren't",
    "it",
    "its|their",
    "itself",
    "just",
    "keep|keeps|kept",
    "last",
    "later",
    "least",
    "left",
    "less",
    "like",
    "limit|limited",
    "long",
    "made",
    "many",
    "matter|regardless|whatever|however",
    "may",
    "more",
    "most",
    "moved",
    "must",
    "need|needs",
    "needn't|no need",
    "neither|nor",
    "never",
    "new",
    "next",
    "no",
    "no longer",
    "nobody",
    "none",
    "not",
    "nothing",
    "now",
    "of our|of ours",
    "off",
    "old",
    "on",
    "once",
    "one",
    "only",
    "optional",
    "or",
    "other|others",
    "our|ours",
    "out",
    "over",
    "own",
    "part",
    "per",
    "permanently",
    "plain",
    "previously|formerly",
    "rather",
    "read",
    "reads",
    "rejected|refused",
    "removed",
    "replaced",
    "rest",
    "same",
    "separate|separately",
    "several",
    "shared",
    "should",
    "since",
    "single",
    "so",
    "some",
    "sometimes",
    "starts",
    "stays|stay|remains",
    "still",
    "stopped|dropped|abandoned|retired",
    "straight",
    "such",
    "takes|take",
    "than",
    "that",
    "the",
    "then",
    "there",
    "there is|there's|there are",
    "they|them",
    "this|these|those",
    "through",
    "throughout",
    "to",
    "today",
    "together",
    "twice",
    "under",
    "unless",
    "until",
    "up",
    "up to",
    "us|we",
    "use|uses",
    "used to",
    "usually|normally|mostly",
    "via",
    "was|were",
    "wasn't|weren't",
    "went",
    "what",
    "when|whenever",
    "where",
    "whether",
    "which",
    "while|whereas",
    "who|whose",
    "whole",
    "whoever",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yet",
    "you|your",
    "yesterday",
    "may not|must not",
    "have to|has to",
    "won't|didn't|hasn't|haven't",
    "outside",
    "per cent|percent",
    "example",
    "exactly",
    "about",
    "around",
    "works|work",
    "comes|come",
    "counts",
    "shows|show",
    "gets|get",
    "contains",
    "writes|write|written",
    "named|called",
    "sent|sends",
    "run|runs",
    "there's no|there is no|there are no",
    "is not|are not",
    "of them",
    "not only",
    "unlimited|no limit|not limited|isn't limited|aren't limited|without limit|not capped|isn't capped|aren't capped|any number",
    "however long|however many|as long as|as often as|however much",
    "shut down|rid|given up|gave up|retired",
    "left to|discretion|taste|own choice|up to them|up to the",
    "fine|tolerated|acceptable|ok",
    "decides|decide",
    "ignore|ignores|ignored",
    "rule|convention|requirement|policy",
    "warning|warnings|hint",
    "at any",
    "even if|even when",
    "depends|depending",
    "sole|solely|exclusively",
    "by itself|on its own|themselves",
    "consequences|effect",
    "checked|check|checks",
    "precisely",
];

/// The cues of a statement, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CueSet([u64; 4]);

impl CueSet {
    /// Returns whether the set has a cue.
    pub(super) fn has(self, cue: usize) -> bool {
        self.0[cue / 64] & (1 << (cue % 64)) != 0
    }

    fn add(&mut self, cue: usize) {
        self.0[cue / 64] |= 1 << (cue % 64);
    }
}

/// Words that limit when a statement holds.
const CONDITIONS: &[&str] = &[
    "after",
    "before",
    "during",
    "except",
    "if",
    "used to",
    "until",
    "unless",
    "was|were",
    "when|whenever",
    "while|whereas",
    "previously|formerly",
    "ago",
    "example",
    "only",
];

/// Returns whether a statement says when it holds.
pub(super) fn has_condition(cues: CueSet) -> bool {
    static NUMBERS: OnceLock<Vec<usize>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let number = |condition: &&str| CUES.iter().position(|cue| cue == condition);
        CONDITIONS.iter().filter_map(number).collect()
    });
    numbers.iter().any(|cue| cues.has(*cue))
}

/// Returns the cues of a statement.
pub(super) fn cues_of(tokens: &[Token<'_>]) -> CueSet {
    static TABLE: OnceLock<PhraseTable<usize>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let numbered = CUES.iter().enumerate();
        PhraseTable::new(
            numbered.flat_map(|(cue, forms)| forms.split('|').map(move |form| (form, cue))),
        )
    });
    let mut set = CueSet::default();
    for at in 0..tokens.len() {
        table.at(tokens, at).for_each(|cue| set.add(cue));
    }
    set
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn cues_fit_into_their_set() {
        assert!(CUES.len() <= 256, "{}", CUES.len());
        assert!(CONDITIONS.iter().all(|condition| CUES.contains(condition)));
        let used_to = CUES.iter().position(|cue| *cue == "used to").unwrap();
        assert!(cues_of(&tokens("It used to be slow")).has(used_to));
        assert!(!cues_of(&tokens("It is used today")).has(used_to));
    }
}
