//! Recognises standing instructions: what a person wants done in the same way from then on, such as
//! "amounts are integers in cents, always" or "stop using unwrap".
//!
//! A request for one task ("run the tests now") and an observation ("the test always fails") are not
//! standing instructions. The rules look for a rule-like form, for example an imperative with `always`, a
//! prohibition, a preference or a generic statement, and reject forms that are typical for requests
//! and observations. No language model is involved.

mod rules;
mod sections;
mod words;

use std::borrow::Cow;

use crate::phrase::FoldedSentence;
use crate::prose;
use crate::recall::{Speaker, split_speaker};
use rules::{
    is_contrast, is_demand, is_generic_statement, is_labelled_convention, is_manner,
    is_personal_history, is_polite_request, is_preference, is_prohibition,
    is_quantified_imperative, is_reminder,
};
pub(crate) use sections::chunk_instructs;
pub use sections::instructions_in_section;
pub(crate) use words::RECURRING_OCCASIONS;
use words::{
    EXPLICIT_OPENINGS, GENERIC_WORDS, HEDGES, INSTRUCTION_WORDS, LEAD_INS, QUESTION_BEGINNINGS,
    RECURRING_OPENINGS, RULE_PHRASES, UNIVERSAL_PHRASES,
};

/// Shortest and longest instruction, in words.
const MIN_WORDS: usize = 2;

const MAX_WORDS: usize = 60;

/// The tag of a memory that a person accepted from what a conversation says.
pub const EXTRACTED_TAG: &str = "extracted";

/// The tags of an accepted memory that says how the user wants work to be done, in whatever words.
const STANDING_TAGS: &[&str] = &["instruction", "preference"];

/// Returns whether a memory with these tags was accepted as a standing instruction or a preference.
pub fn is_accepted_as_standing(tags: &[String]) -> bool {
    tags.iter().any(|tag| tag == EXTRACTED_TAG) && is_tagged_as_standing(tags)
}

/// Returns whether tags say that a memory is a standing instruction or a preference.
pub fn is_tagged_as_standing(tags: &[String]) -> bool {
    tags.iter().any(|tag| STANDING_TAGS.contains(&tag.as_str()))
}

/// Returns the sentences of a text that are standing instructions. Of a question that begins with an
/// instruction, only the instruction is returned.
pub fn standing_instructions(text: &str) -> Vec<&str> {
    let lines = text.lines().flat_map(prose::split_sentences);
    lines.map(statement_of).filter(|sentence| is_standing_instruction(sentence)).collect()
}

/// Returns the sentences of a memory that are standing instructions or state a preference, also in passing: "I prefer
/// tabs, so how do I set that?". A message of an assistant has none. Sentences without a word that such sentences have
/// are skipped, since every memory is checked when it is indexed.
pub fn instructions_in_memory(text: &str) -> Vec<&str> {
    let (speaker, message) = split_speaker(text);
    match speaker {
        Some(Speaker::Assistant) => vec![],
        _ => instructions(message).collect(),
    }
}

/// Returns the sentences of a message that are standing instructions or state a preference.
fn instructions(message: &str) -> impl Iterator<Item = &str> {
    let own = message.lines().filter(|line| !line.trim_start().starts_with('>'));
    let lines = own.filter(|line| has_instruction_word(line));
    let sentences = lines.flat_map(prose::split_sentences).map(statement_of);
    let likely = sentences.filter(|sentence| has_instruction_word(&without_quotations(sentence)));
    likely.filter(|sentence| {
        let folded = FoldedSentence::new(sentence);
        instructs(sentence, &folded) || states_preference(&folded)
    })
}

/// Returns a sentence without what it quotes: others instruct there.
fn without_quotations(sentence: &str) -> Cow<'_, str> {
    if !sentence.contains(['"', '“']) {
        return Cow::Borrowed(sentence);
    }
    let parts = sentence.split(['"', '“', '”']);
    Cow::Owned(parts.step_by(2).collect::<Vec<_>>().join(" "))
}

/// How a text states an instruction or a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionForm {
    /// It opens with the instruction: "Always …", "From now on …", "I prefer …".
    Opening,
    /// It states it in passing.
    InPassing,
}

/// Returns how a chunk of a memory states a standing instruction or a preference; `None` if it states none. Only the
/// first chunk opens the memory.
pub fn instruction_form(memory: &str, chunk: &str, is_first: bool) -> Option<InstructionForm> {
    if split_speaker(memory).0 == Some(Speaker::Assistant) {
        return None;
    }
    let message = if is_first { split_speaker(chunk).1 } else { chunk };
    let first = instructions(message).next()?;
    let first_sentence = FoldedSentence::new(first);
    let opening = first_sentence.without_lead_ins(LEAD_INS);
    let is_explicit =
        opening.starts_with_any(RECURRING_OPENINGS) || opening.starts_with_any(EXPLICIT_OPENINGS);
    let is_opening = is_first && message.trim_start().starts_with(first);
    Some(match is_explicit && is_opening {
        true => InstructionForm::Opening,
        false => InstructionForm::InPassing,
    })
}

/// Returns whether a text has a word that standing instructions and preferences have. Compares bytes, since every text
/// is checked when it is indexed.
fn has_instruction_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Bytes of other alphabets count as letters.
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let is_word = |at: usize, word: &&str| {
        let end = at + word.len();
        bytes.get(at..end).is_some_and(|own| own.eq_ignore_ascii_case(word.as_bytes()))
            && !bytes.get(end).is_some_and(is_letter)
    };
    let mut was_letter = false;
    bytes.iter().enumerate().any(|(at, byte)| {
        let begins = is_letter(byte) && !was_letter;
        was_letter = is_letter(byte);
        begins && words_with_initial(*byte).iter().any(|word| is_word(at, word))
    })
}

/// Returns the words of instructions with an initial in either case.
fn words_with_initial(initial: u8) -> &'static [&'static str] {
    const LETTERS: usize = 26;
    /// Where the words of each letter begin in the sorted list, and where the last ones end.
    const STARTS: [usize; LETTERS + 1] = {
        let mut starts = [INSTRUCTION_WORDS.len(); LETTERS + 1];
        let mut at = INSTRUCTION_WORDS.len();
        let mut letter = LETTERS;
        while letter > 0 {
            letter -= 1;
            while at > 0 && INSTRUCTION_WORDS[at - 1].as_bytes()[0] >= b'a' + letter as u8 {
                at -= 1;
            }
            starts[letter] = at;
        }
        starts
    };
    let letter = usize::from(initial.to_ascii_lowercase().wrapping_sub(b'a'));
    match letter < LETTERS {
        true => &INSTRUCTION_WORDS[STARTS[letter]..STARTS[letter + 1]],
        false => &[],
    }
}

/// Returns whether a clause of a sentence states a preference.
fn states_preference(sentence: &FoldedSentence<'_>) -> bool {
    let is_preference =
        |clause: FoldedSentence<'_>| is_preference(&clause.without_lead_ins(LEAD_INS));
    sentence.clauses().any(is_preference)
}

/// Returns whether a sentence is a standing instruction.
pub fn is_standing_instruction(sentence: &str) -> bool {
    instructs(sentence, &FoldedSentence::new(sentence))
}

/// Returns whether a sentence, given also in its folded form, is a standing instruction.
fn instructs(sentence: &str, full: &FoldedSentence<'_>) -> bool {
    rule_of(sentence, full).is_some()
}

/// The form in which a sentence states a standing instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleForm {
    /// A phrase announces a rule: "from now on", "as a rule".
    Announced,
    /// A phrase says that something always or never holds: "we never log a token".
    Universal,
    /// An imperative that holds every time: "Run clippy before every commit".
    Recurring,
    /// A preference: "I prefer tabs".
    Preference,
    /// A prohibition: "Don't use floats".
    Prohibition,
    /// A polite request that holds every time: "Can you always show the query first?"
    Request,
    /// A demand: "You must cite sources".
    Demand,
    /// A choice and what it excludes: "Use rg, not grep".
    Contrast,
    /// How work is to be done: "Keep commits small".
    Manner,
    /// A convention after a label: "Units: metric".
    Convention,
    /// A statement about all things of a kind: "Amounts are integers".
    Generic,
    /// A reminder: "Remember that the API is versioned".
    Reminder,
}

/// A standing instruction: its form, and whether the sentence opens with it or only a later clause has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuleMatch {
    pub(crate) form: RuleForm,
    pub(crate) is_opening: bool,
}

/// Returns the form in which a sentence states a standing instruction; `None` if it states none.
pub(crate) fn find_rule(sentence: &str) -> Option<RuleMatch> {
    rule_of(sentence, &FoldedSentence::new(sentence))
}

fn rule_of(sentence: &str, full: &FoldedSentence<'_>) -> Option<RuleMatch> {
    let word_count = full.words().filter(|word| *word != ",").count();
    if !(MIN_WORDS..=MAX_WORDS).contains(&word_count) {
        return None;
    }
    // Hedges are many phrases, and most sentences are rejected before.
    find_rule_without_hedges(sentence, full).filter(|_| !full.contains_any(HEDGES))
}

/// Returns whether a clause is of a form.
type RuleTest = fn(&FoldedSentence<'_>) -> bool;

/// Returns the form of standing instructions that a sentence has, whether it hedges or not.
fn find_rule_without_hedges(sentence: &str, full: &FoldedSentence<'_>) -> Option<RuleMatch> {
    let opening = |form: RuleForm| RuleMatch { form, is_opening: true };
    if prose::is_question(sentence) {
        let bare = full.without_lead_ins(LEAD_INS);
        let is_request = is_polite_request(&bare) && bare.contains_any(GENERIC_WORDS);
        return is_request.then_some(opening(RuleForm::Request));
    }
    if full.contains_any(RULE_PHRASES) && !is_personal_history(full) {
        return Some(opening(RuleForm::Announced));
    }
    if full.contains_any(UNIVERSAL_PHRASES) && !is_personal_history(full) {
        return Some(opening(RuleForm::Universal));
    }
    let of_clause = |clause: FoldedSentence<'_>| {
        let clause = clause.without_lead_ins(LEAD_INS);
        let rules: [(RuleForm, RuleTest); 8] = [
            (RuleForm::Prohibition, is_prohibition),
            (RuleForm::Preference, is_preference),
            (RuleForm::Recurring, is_quantified_imperative),
            (RuleForm::Demand, is_demand),
            (RuleForm::Contrast, is_contrast),
            (RuleForm::Manner, is_manner),
            (RuleForm::Convention, is_labelled_convention),
            (RuleForm::Generic, is_generic_statement),
        ];
        rules.into_iter().find(|(_, is_rule)| is_rule(&clause)).map(|(form, _)| form)
    };
    let mut clauses = full.clauses().enumerate();
    let in_clause = clauses.find_map(|(number, clause)| {
        of_clause(clause).map(|form| RuleMatch { form, is_opening: number == 0 })
    });
    in_clause.or_else(|| is_reminder(full).then_some(opening(RuleForm::Reminder)))
}

/// Returns the part of a sentence before the question that it ends in.
pub(crate) fn statement_of(sentence: &str) -> &str {
    if !prose::is_question(sentence) {
        return sentence;
    }
    let lower = sentence.to_ascii_lowercase();
    let question = QUESTION_BEGINNINGS.iter().filter_map(|beginning| lower.find(beginning)).min();
    question.map_or(sentence, |at| &sentence[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_instructions_are_recognised() {
        for sentence in [
            "amounts are integers in cents, always",
            "stop using unwrap",
            "and dont deploy before we know why",
            "pls keep commits small",
            "I'd rather you ask before you rename things.",
            "use rg, not grep",
            "no mocks in the integration tests",
            "from now on the changelog comes first",
            "run clippy before every commit",
            "we never log a token",
            "Every migration needs a way back.",
            "prod only after Mira has signed off",
            "hands off vendor/",
            "commit messages: imperative, lower case",
            "Can you always show the query first?",
            "Treat warnings as errors.",
            "one topic per commit",
        ] {
            assert!(is_standing_instruction(sentence), "{sentence}");
        }
    }

    #[test]
    fn requests_observations_and_jokes_are_not_standing_instructions() {
        for sentence in [
            "run the tests now",
            "the test always fails on CI",
            "it never worked on my machine",
            "never mind",
            "no problem",
            "no idea why",
            "dont worry about it",
            "dont commit yet",
            "we could just drop the table lol",
            "should we always retry?",
            "tests are green",
            "all tests pass",
            "thanks, that was quick",
            "what does it do?",
        ] {
            assert!(!is_standing_instruction(sentence), "{sentence}");
        }
    }

    #[test]
    fn instructions_of_a_memory_are_found() {
        assert_eq!(
            instructions_in_memory("user: The build is red. Always run clippy first."),
            ["Always run clippy first."]
        );
        let long =
            format!("I'm {}so I prefer plain SQL, how do I do that?", "trying things, ".repeat(30));
        assert_eq!(instructions_in_memory(&long).len(), 1);
        for text in [
            "user: Make sure to use British spelling in all answers.",
            "I would like you to call me Max.",
            "Going forward, invoices are sent as PDF.",
            "Never use \"unwrap\" here.",
            "You must cite sources when you answer.",
            "You should always answer in short sentences.",
            "You should use British spelling in your answers.",
            "You are to reply in German.",
            "user: Please use metric units in all answers.",
            "Please answer in French.",
            "Keep your answers under 100 words.",
            "I want all answers as bullet points.",
            "Please refer to me as Max.",
        ] {
            assert_eq!(instructions_in_memory(text).len(), 1, "{text}");
        }
        for text in [
            "assistant: Always run clippy first.",
            "The build is red.",
            "user: thanks",
            "> Always use four spaces",
            "You must be tired!",
            "You must try this place.",
            "You should see the view.",
            "You must use the lift now.",
            "Please help me with this test.",
            "Please use the new API in all three tests.",
            "Please find all the errors in this file.",
            "The manual says: \"Always unplug the device.\"",
        ] {
            assert_eq!(instructions_in_memory(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn an_opening_instruction_is_told_apart_from_one_in_passing() {
        for (text, form) in [
            ("user: Always include dates when I ask about events.", Some(InstructionForm::Opening)),
            ("I prefer tabs, so how do I set that?", Some(InstructionForm::Opening)),
            ("I'm new here, and I prefer tabs", Some(InstructionForm::InPassing)),
            ("The build is red. Never push then.", Some(InstructionForm::InPassing)),
            ("The build is red.", None),
        ] {
            assert_eq!(instruction_form(text, text, true), form, "{text}");
        }
        let later = "Always run clippy.";
        assert_eq!(instruction_form("user: hm", later, false), Some(InstructionForm::InPassing));
        assert_eq!(instruction_form("assistant: hm", later, false), None);
    }

    #[test]
    fn an_instruction_is_separated_from_the_question_after_it() {
        assert_eq!(
            standing_instructions("I prefer plain SQL, can you rewrite the query?\nThanks!"),
            ["I prefer plain SQL"]
        );
    }
}
