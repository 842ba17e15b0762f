//! The words that say what a memory that a sentence names is to the sentence.

use std::ops::Range;

use super::mentions::{Mention, Sentence};
use super::{LinkRole, LinkableMemory};
use crate::record::Relation;

/// What a sentence says about a memory that it names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StatedRelation {
    pub(super) relation: Relation,
    /// Whether the named memory is the source of the relation.
    pub(super) is_reversed: bool,
    /// How likely the relation is right, from 0 to 1.
    pub(super) confidence: f64,
}

/// A phrase that stands directly before a name.
struct Cue {
    phrase: &'static str,
    relation: Relation,
    is_reversed: bool,
    confidence: f64,
    /// Whether it says as much in a decision record, where the context is told before the decision.
    in_records: bool,
}

const fn cue(phrase: &'static str, relation: Relation, confidence: f64) -> Cue {
    Cue { phrase, relation, is_reversed: false, confidence, in_records: true }
}

const fn reversed(phrase: &'static str, relation: Relation, confidence: f64) -> Cue {
    Cue { is_reversed: true, ..cue(phrase, relation, confidence) }
}

/// A phrase that in a decision record often tells the background only.
const fn in_memories(phrase: &'static str, relation: Relation, confidence: f64) -> Cue {
    Cue { in_records: false, ..cue(phrase, relation, confidence) }
}

/// The phrases before a name. Where several match, the longest one counts.
const CUES: &[Cue] = &[
    cue("depends on", Relation::DependsOn, 0.9),
    cue("depend on", Relation::DependsOn, 0.9),
    cue("depending on", Relation::DependsOn, 0.8),
    cue("dependent on", Relation::DependsOn, 0.85),
    cue("requires", Relation::DependsOn, 0.85),
    cue("relies on", Relation::DependsOn, 0.85),
    cue("rely on", Relation::DependsOn, 0.85),
    cue("builds on", Relation::DependsOn, 0.85),
    cue("build on", Relation::DependsOn, 0.85),
    cue("building on", Relation::DependsOn, 0.85),
    cue("builds upon", Relation::DependsOn, 0.85),
    cue("build upon", Relation::DependsOn, 0.85),
    cue("built on", Relation::DependsOn, 0.8),
    cue("based on", Relation::DependsOn, 0.75),
    cue("extends", Relation::DependsOn, 0.8),
    cue("extending", Relation::DependsOn, 0.7),
    cue("introduced in", Relation::DependsOn, 0.7),
    cue("introduced by", Relation::DependsOn, 0.7),
    cue("defined in", Relation::DependsOn, 0.7),
    cue("defined by", Relation::DependsOn, 0.7),
    cue("assumes", Relation::DependsOn, 0.7),
    cue("only works with", Relation::DependsOn, 0.85),
    cue("implements", Relation::MotivatedBy, 0.8),
    cue("because of", Relation::MotivatedBy, 0.9),
    cue("due to", Relation::MotivatedBy, 0.85),
    cue("motivated by", Relation::MotivatedBy, 0.95),
    cue("as per", Relation::MotivatedBy, 0.8),
    cue("according to", Relation::MotivatedBy, 0.75),
    cue("in accordance with", Relation::MotivatedBy, 0.8),
    cue("in line with", Relation::MotivatedBy, 0.75),
    cue("as a result of", Relation::MotivatedBy, 0.85),
    cue("as a consequence of", Relation::MotivatedBy, 0.85),
    cue("in response to", Relation::MotivatedBy, 0.85),
    cue("follows from", Relation::MotivatedBy, 0.85),
    cue("as described in", Relation::MotivatedBy, 0.75),
    cue("as explained in", Relation::MotivatedBy, 0.8),
    cue("as decided in", Relation::MotivatedBy, 0.85),
    cue("as agreed in", Relation::MotivatedBy, 0.85),
    cue("as required by", Relation::MotivatedBy, 0.85),
    cue("required by", Relation::MotivatedBy, 0.8),
    cue("demanded by", Relation::MotivatedBy, 0.8),
    in_memories("per", Relation::MotivatedBy, 0.75),
    in_memories("following", Relation::MotivatedBy, 0.75),
    in_memories("since", Relation::MotivatedBy, 0.75),
    in_memories("see", Relation::MotivatedBy, 0.7),
    in_memories("decided in", Relation::MotivatedBy, 0.85),
    in_memories("decided by", Relation::MotivatedBy, 0.85),
    in_memories("chosen in", Relation::MotivatedBy, 0.85),
    in_memories("rejected in", Relation::MotivatedBy, 0.85),
    in_memories("agreed in", Relation::MotivatedBy, 0.85),
    in_memories("described in", Relation::MotivatedBy, 0.7),
    in_memories("explained in", Relation::MotivatedBy, 0.75),
    in_memories("documented in", Relation::MotivatedBy, 0.7),
    cue("supersedes", Relation::Replaces, 0.95),
    cue("supersede", Relation::Replaces, 0.9),
    cue("superseding", Relation::Replaces, 0.85),
    cue("replaces", Relation::Replaces, 0.9),
    cue("obsoletes", Relation::Replaces, 0.9),
    cue("invalidates", Relation::Replaces, 0.9),
    cue("overrides", Relation::Replaces, 0.8),
    cue("reverses", Relation::Replaces, 0.85),
    cue("reverts", Relation::Replaces, 0.8),
    cue("instead of", Relation::Replaces, 0.75),
    cue("in place of", Relation::Replaces, 0.8),
    reversed("superseded by", Relation::Replaces, 0.9),
    reversed("superceded by", Relation::Replaces, 0.9),
    reversed("replaced by", Relation::Replaces, 0.85),
    reversed("obsoleted by", Relation::Replaces, 0.9),
    reversed("invalidated by", Relation::Replaces, 0.9),
    reversed("overridden by", Relation::Replaces, 0.8),
    cue("enables", Relation::Enables, 0.85),
    cue("paves the way for", Relation::Enables, 0.85),
    cue("paves the way to", Relation::Enables, 0.85),
    cue("makes possible", Relation::Enables, 0.85),
    cue("needed for", Relation::Enables, 0.85),
    cue("required for", Relation::Enables, 0.85),
    cue("prerequisite for", Relation::Enables, 0.9),
    cue("prerequisite of", Relation::Enables, 0.9),
    reversed("enabled by", Relation::Enables, 0.85),
    reversed("made possible by", Relation::Enables, 0.85),
    reversed("unblocked by", Relation::Enables, 0.8),
];

/// What a sentence may say about a name that is its subject: the words after it, and what they mean.
const SUBJECT_CUES: &[(&str, Relation, f64)] = &[
    ("requires", Relation::MotivatedBy, 0.75),
    ("demands", Relation::MotivatedBy, 0.75),
    ("forbids", Relation::MotivatedBy, 0.75),
    ("is why", Relation::MotivatedBy, 0.9),
    ("is the reason", Relation::MotivatedBy, 0.9),
    ("outlined the need for", Relation::MotivatedBy, 0.75),
    ("showed the need for", Relation::MotivatedBy, 0.75),
    ("still says", Relation::Replaces, 0.75),
    ("still names", Relation::Replaces, 0.7),
    ("no longer applies", Relation::Replaces, 0.85),
    ("is history", Relation::Replaces, 0.8),
    ("is only history", Relation::Replaces, 0.8),
    ("is obsolete", Relation::Replaces, 0.85),
    ("is outdated", Relation::Replaces, 0.8),
    ("is out of date", Relation::Replaces, 0.8),
    ("is archived", Relation::Replaces, 0.7),
    ("was withdrawn", Relation::Replaces, 0.75),
];

/// The phrases that may stand before what a named memory describes: "builds upon the design described in ADR-10". What they
/// say holds for the memory, too. Replacing a part of what a memory describes does not replace the memory.
const OBJECT_CUES: [&str; 12] = [
    "depends on",
    "depend on",
    "relies on",
    "rely on",
    "builds on",
    "build on",
    "builds upon",
    "build upon",
    "extends",
    "implements",
    "according to",
    "in accordance with",
];

/// Phrases that only tell a reason at the beginning of a clause: "As described in ADR-6, behaviour is hard to generalise".
const REFERENCES: [&str; 2] = ["as described in", "as explained in"];

/// The words by which a named memory describes something.
const DESCRIPTIONS: [&str; 10] = [
    "described in",
    "specified in",
    "stated in",
    "outlined in",
    "set out in",
    "laid out in",
    "proposed in",
    "established in",
    "discussed in",
    "findings in",
];

/// The most words between such a phrase and the description.
const OBJECT_WORDS: usize = 6;

/// The factor on the confidence in such a phrase.
const OBJECT_FACTOR: f64 = 0.9;

/// Words that may stand between a phrase and the name.
const FILLERS: [&str; 14] = [
    "the",
    "our",
    "this",
    "its",
    "decision",
    "decisions",
    "decision record",
    "record",
    "choice",
    "what",
    "of",
    "in",
    "by",
    "from",
];

/// Words that deny or weaken what follows them.
const DENIALS: [&str; 16] = [
    "not", "never", "no", "nor", "neither", "without", "cannot", "don't", "doesn't", "didn't",
    "isn't", "won't", "would", "could", "might", "may",
];

/// How many words before a phrase may deny it.
const DENIAL_WORDS: usize = 4;

/// The most words of a name's addition, as in `ADR-9 with its amendments is history`.
const SUBJECT_ADDITION_WORDS: usize = 3;

/// The confidence in a decision record that a memory names in brackets, and in one that begins it.
const IN_BRACKETS: f64 = 0.85;
const AS_LABEL: f64 = 0.85;

/// The most words in brackets besides names.
const BRACKET_WORDS: usize = 4;

/// Returns what a sentence of a memory says about one of the memories that it names.
pub(super) fn stated_relation(
    source: &LinkableMemory,
    sentence: &Sentence,
    mention: &Mention,
    target: &LinkableMemory,
) -> Option<StatedRelation> {
    let is_record = source.role == LinkRole::DecisionRecord;
    let lower = sentence.lower.as_str();
    if let Some(stated) = after_phrase(lower, sentence, &mention.range, is_record) {
        return allowed(source, stated);
    }
    if let Some(stated) = through_object(lower, &mention.range) {
        return allowed(source, stated);
    }
    if let Some(stated) = as_subject(lower, &mention.range) {
        return allowed(source, stated);
    }
    // What a problem is about is no reason for it, unless the reason is given in brackets.
    let can_be_reason = target.role == LinkRole::DecisionRecord && !is_record;
    let motivated = |confidence| StatedRelation {
        relation: Relation::MotivatedBy,
        is_reversed: false,
        confidence,
    };
    if can_be_reason && is_in_brackets(lower, sentence, &mention.range) {
        return Some(motivated(IN_BRACKETS));
    }
    let is_label = mention.range.start == 0 && lower[mention.range.end..].starts_with(':');
    (can_be_reason && is_label && sentence.is_first).then(|| motivated(AS_LABEL))
}

/// A problem that mentions a record is not motivated by it.
fn allowed(source: &LinkableMemory, stated: StatedRelation) -> Option<StatedRelation> {
    let is_problem = source.role == LinkRole::Problem;
    let is_reason = stated.relation == Relation::MotivatedBy && stated.confidence < 0.8;
    (!(is_problem && is_reason)).then_some(stated)
}

/// Returns what the phrase before a name says.
fn after_phrase(
    lower: &str,
    sentence: &Sentence,
    name: &Range<usize>,
    is_record: bool,
) -> Option<StatedRelation> {
    let before = strip_fillers(lower, sentence, name.start);
    let ends_with = |cue: &&Cue| {
        before
            .strip_suffix(cue.phrase)
            .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '-'))
    };
    let cue = CUES.iter().filter(ends_with).max_by_key(|cue| cue.phrase.len())?;
    let earlier = &before[..before.len() - cue.phrase.len()];
    let is_told = match is_record {
        // After a noun these words say where something is described, and not why it was decided.
        true if REFERENCES.contains(&cue.phrase) => begins_clause(earlier),
        true => cue.in_records,
        false => true,
    };
    (is_told && !is_denied(earlier)).then_some(StatedRelation {
        relation: cue.relation,
        is_reversed: cue.is_reversed,
        confidence: cue.confidence,
    })
}

/// Returns whether what comes after a text begins a clause.
fn begins_clause(text: &str) -> bool {
    let text = text.trim_end();
    text.is_empty() || text.ends_with([',', ';', ':', '('])
}

/// Returns what the phrase before something that a named memory describes says.
fn through_object(lower: &str, name: &Range<usize>) -> Option<StatedRelation> {
    let before = lower[..name.start].trim_end();
    let clause = &before[before.rfind([',', ';', ':', '.', '(']).map_or(0, |at| at + 1)..];
    let object = DESCRIPTIONS.iter().find_map(|description| clause.strip_suffix(description))?;
    let object = object.strip_suffix("as ").unwrap_or(object);
    let with_place = |phrase: &&'static str| {
        let at = object.rfind(phrase)?;
        let is_word = !object[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-')
            && object[at + phrase.len()..].starts_with(' ');
        is_word.then_some((at, *phrase))
    };
    let (at, phrase) = OBJECT_CUES.iter().filter_map(with_place).max()?;
    let words = object[at + phrase.len()..].split_whitespace().count();
    let cue = CUES.iter().find(|cue| cue.phrase == phrase)?;
    (words <= OBJECT_WORDS && !is_denied(&object[..at])).then_some(StatedRelation {
        relation: cue.relation,
        is_reversed: cue.is_reversed,
        confidence: cue.confidence * OBJECT_FACTOR,
    })
}

/// Returns the text before a name without articles, brackets and the names with which it forms a list.
fn strip_fillers<'t>(lower: &'t str, sentence: &Sentence, name_start: usize) -> &'t str {
    let mut before = lower[..name_start].trim_end();
    loop {
        let trimmed = before.trim_end_matches(|c: char| {
            c.is_whitespace() || matches!(c, '(' | '[' | '"' | '\'' | '`' | '*' | '_' | ':')
        });
        let joined = ["and", ",", "or", "&"].iter().find_map(|joint| {
            let rest = trimmed.strip_suffix(joint)?.trim_end();
            let earlier = sentence.mentions.iter().find(|it| it.range.end == rest.len())?;
            Some(&lower[..earlier.range.start])
        });
        let filler = FILLERS.iter().find_map(|filler| {
            let rest = trimmed.strip_suffix(filler)?;
            // `in` and `by` belong to the phrases that end with them.
            let is_part = CUES
                .iter()
                .any(|cue| trimmed.ends_with(cue.phrase) && cue.phrase.ends_with(filler));
            (rest.ends_with(' ') && !is_part).then_some(rest)
        });
        match joined.or(filler) {
            Some(shorter) => before = shorter.trim_end(),
            None if trimmed.len() < before.len() => before = trimmed,
            None => return before,
        }
    }
}

fn is_denied(before: &str) -> bool {
    let words = before.split_whitespace().rev().take(DENIAL_WORDS);
    words.take_while(|word| !word.ends_with([',', ';', ':', '.'])).any(|word| {
        DENIALS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
    })
}

/// Returns what a sentence says about a name that is its subject.
fn as_subject(lower: &str, name: &Range<usize>) -> Option<StatedRelation> {
    let clause = lower[name.end..].split([',', ';', '.', ':', '(']).next()?;
    let found = SUBJECT_CUES.iter().find(|(phrase, _, _)| {
        clause.find(phrase).is_some_and(|at| {
            let addition = &clause[..at];
            let ends_word = !clause[at + phrase.len()..].starts_with(char::is_alphanumeric);
            addition.split_whitespace().count() <= SUBJECT_ADDITION_WORDS
                && addition.ends_with(' ')
                && ends_word
                && !is_denied(addition)
        })
    });
    found.map(|&(_, relation, confidence)| StatedRelation {
        relation,
        is_reversed: false,
        confidence,
    })
}

/// Returns whether a name stands in brackets, with a few other words at most.
fn is_in_brackets(lower: &str, sentence: &Sentence, name: &Range<usize>) -> bool {
    let Some(open) = lower[..name.start].rfind('(') else { return false };
    let Some(close) = lower[name.end..].find(')').map(|at| at + name.end) else { return false };
    if lower[open..name.start].contains(')') {
        return false;
    }
    let inside = open + 1..close;
    let mut others = lower[inside.clone()].to_owned();
    for mention in sentence.mentions.iter().rev() {
        if mention.range.start >= inside.start && mention.range.end <= inside.end {
            let (start, end) =
                (mention.range.start - inside.start, mention.range.end - inside.start);
            others.replace_range(start..end, " ");
        }
    }
    others.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
        <= BRACKET_WORDS
}

#[cfg(test)]
mod tests {
    use super::super::mentions::sentences;
    use super::super::names::NameIndex;
    use super::*;
    use crate::record::Referent;

    fn relations(role: LinkRole, text: &str) -> Vec<String> {
        let record = |number: u32| LinkableMemory {
            number: Some(number),
            ..LinkableMemory::new(
                Referent::document(format!("adr/{number}")),
                LinkRole::DecisionRecord,
                "",
            )
        };
        let memories: Vec<LinkableMemory> = (0..30).map(record).collect();
        let source = LinkableMemory::new(Referent::entry("x"), role, text);
        let mut found = Vec::new();
        for sentence in sentences(text, &NameIndex::new(&memories)) {
            for mention in &sentence.mentions {
                let target = &memories[mention.target];
                if let Some(stated) = stated_relation(&source, &sentence, mention, target) {
                    let arrow = if stated.is_reversed { "<-" } else { "->" };
                    found.push(format!("{} {arrow} {}", stated.relation.as_str(), mention.target));
                }
            }
        }
        found
    }

    #[test]
    fn phrases_before_a_name_state_a_relation() {
        let cases = [
            ("This depends on the decision in ADR-5.", "depends_on -> 5"),
            ("As per ADR 3 it does not consider the history.", "motivated_by -> 3"),
            ("The primitive is introduced in ADR 6.", "depends_on -> 6"),
            ("We supersede (ADR 18) with this one.", "replaces -> 18"),
            ("Invalidated by ADR 18", "replaces <- 18"),
            ("It paves the way to ADR-20.", "enables -> 20"),
            ("ADR 7 outlined the need for a local state.", "motivated_by -> 7"),
        ];
        for (text, expected) in cases {
            assert_eq!(relations(LinkRole::DecisionRecord, text), [expected], "{text}");
        }
        assert_eq!(
            relations(LinkRole::DecisionRecord, "We supersede ADR 17 and ADR 27 here."),
            ["replaces -> 17", "replaces -> 27"]
        );
    }

    #[test]
    fn phrases_before_what_a_memory_describes_state_a_relation() {
        let cases = [
            (
                "It builds upon the existing design of handlers described in ADR-10.",
                "depends_on -> 10",
            ),
            ("It builds on discussions and findings in ADR-4, see there.", "depends_on -> 4"),
            ("As described in ADR 6, light clients are hard to test.", "motivated_by -> 6"),
            ("Padding is added according to the rules specified in ADR 13.", "motivated_by -> 13"),
        ];
        for (text, expected) in cases {
            assert_eq!(relations(LinkRole::DecisionRecord, text), [expected], "{text}");
        }
        for text in [
            "It does not build upon the design described in ADR-10.",
            "It replaces the recovery of panics described in ADR-22.",
            "Nodes rely on peers, and the protocol described in ADR-22 is slow.",
            "The design described in ADR-10 is simple.",
            "Let us compare it with the mempool as described in ADR-7.",
        ] {
            assert_eq!(relations(LinkRole::DecisionRecord, text), [""; 0], "{text}");
        }
    }

    #[test]
    fn memories_name_their_reasons_in_brackets_and_in_passing() {
        let cases = [
            ("Components are records of functions (Handle pattern, ADR-4).", "motivated_by -> 4"),
            ("ADR 11: transfer keeps the total.", "motivated_by -> 11"),
            ("They would collide. See ADR 2; we will not change this.", "motivated_by -> 2"),
            ("Since ADR-8 a head opens directly.", "motivated_by -> 8"),
            ("gRPC was rejected in ADR-9: payloads are CBOR.", "motivated_by -> 9"),
            (
                "Routing goes through HTTPRoute; ADR 9 with HTTPProxy is only history.",
                "replaces -> 9",
            ),
            ("Tests are ginkgo, even though ADR 7 still says sclevine/spec.", "replaces -> 7"),
        ];
        for (text, expected) in cases {
            assert_eq!(relations(LinkRole::Other, text), [expected], "{text}");
        }
        assert_eq!(
            relations(LinkRole::Other, "It observes transactions alone (ADR-23, ADR-26)."),
            ["motivated_by -> 23", "motivated_by -> 26"]
        );
    }

    #[test]
    fn a_name_without_such_words_is_no_evidence() {
        for text in [
            "ADR-3 concluded that channels are needed.",
            "While this does not directly supersede ADR 23, it is near.",
            "It would replace ADR 5.",
            "Following ADR-9, the client exchanges JSON.",
            "It is closely related to ADR 11 (see ADR-4).",
            "Compare ADR 6.",
        ] {
            assert_eq!(relations(LinkRole::DecisionRecord, text), [""; 0], "{text}");
        }
        let problems = ["ADR 9 names it as a future feature.", "Nothing checks them per ADR-27."];
        for text in problems {
            assert_eq!(relations(LinkRole::Problem, text), [""; 0], "{text}");
        }
    }
}
