//! Recognises the standing instructions in sections of documents.
//!
//! A document describes more than it instructs, so most statements that would be a rule in a conversation are none here:
//! a sentence has to open like a rule. In a text about conventions, as its heading or the name of its file says, the forms
//! of conversations count as well, and so does a list item that begins with an imperative; elsewhere such an item is
//! often a task.

use super::words::{IMPERATIVES, LEAD_INS, NO_RECURRENCE};
use super::{MAX_WORDS, has_instruction_word, is_standing_instruction, without_quotations};
use crate::phrase::FoldedSentence;
use crate::prose::{is_question, split_sentences};

/// Words in the heading or the path of a text about conventions.
const CONVENTION_WORDS: &[&str] = &[
    "agents.md",
    "claude.md",
    "convention",
    "guideline",
    "instruction",
    "polic",
    "practices",
    "rules",
    "standards",
    "style",
];

/// Openings of a rule in a document. The verb that follows the first ones is an imperative.
const RULE_OPENINGS: &[&str] = &["always", "never", "do not", "don't", "avoid", "prefer"];

/// Phrases that announce a rule in a document.
const DOCUMENT_RULE_PHRASES: &[&str] = &[
    "from now on",
    "house rule",
    "must always",
    "must never",
    "no exceptions",
    "our convention",
    "our policy",
    "should always",
    "should never",
    "the convention is",
    "the rule is",
    "we always",
    "we never",
    "you must",
];

/// Returns the sentences of a section that are standing instructions. The section begins with its title, as
/// `Title › Heading: `; `name` is the path of its document.
pub fn instructions_in_section(name: &str, section: &str) -> Vec<String> {
    let is_about_conventions = is_about_conventions(name, section);
    let blocks = Block::split(without_heading(section));
    blocks.iter().flat_map(|block| block.instructions(is_about_conventions)).collect()
}

/// Returns whether a chunk of a section states a standing instruction. Only the first chunk begins with the heading.
pub(crate) fn chunk_instructs(name: &str, section: &str, chunk: &str, is_first: bool) -> bool {
    let is_about_conventions = is_about_conventions(name, section);
    let text = if is_first { without_heading(chunk) } else { chunk };
    let blocks = Block::split(text);
    blocks.iter().any(|block| block.instructions(is_about_conventions).next().is_some())
}

fn split_heading(section: &str) -> (&str, &str) {
    let first_line = section.split('\n').next().unwrap_or_default();
    match first_line.find(": ") {
        Some(at) => (&section[..at], &section[at + 2..]),
        None => ("", section),
    }
}

fn without_heading(section: &str) -> &str {
    split_heading(section).1
}

fn is_about_conventions(name: &str, section: &str) -> bool {
    let about = format!("{name} {}", split_heading(section).0).to_lowercase();
    CONVENTION_WORDS.iter().any(|word| about.contains(word))
}

/// A paragraph or a list item, with its lines joined.
struct Block {
    text: String,
    is_item: bool,
}

impl Block {
    /// Splits a text into blocks, without code, tables, headings, quotations and numbered steps.
    fn split(text: &str) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut is_code, mut is_open) = (false, false);
        for line in text.lines().map(str::trim) {
            if line.starts_with("```") || line.starts_with("~~~") {
                (is_code, is_open) = (!is_code, false);
                continue;
            }
            let is_skipped = line.is_empty() || line.starts_with(['|', '#', '>']);
            if is_code || is_skipped || is_numbered(line) {
                is_open = false;
                continue;
            }
            let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
            match (item, blocks.last_mut()) {
                (None, Some(block)) if is_open => {
                    block.text.push(' ');
                    block.text.push_str(line);
                }
                _ => {
                    let text = item.unwrap_or(line).trim_start().to_owned();
                    blocks.push(Block { text, is_item: item.is_some() });
                }
            }
            is_open = true;
        }
        blocks
    }

    /// Returns its sentences that are standing instructions.
    fn instructions(&self, is_about_conventions: bool) -> impl Iterator<Item = String> {
        let is_rule = move |(number, sentence): &(usize, &str)| {
            let begins_item = self.is_item && *number == 0;
            let may_be_rule = has_instruction_word(&without_quotations(sentence));
            may_be_rule && opens_like_rule(sentence)
                || is_about_conventions
                    && (may_be_rule && is_standing_instruction(sentence)
                        || begins_item && is_imperative(sentence))
        };
        let sentences = split_sentences(&self.text).into_iter().enumerate();
        sentences.filter(is_rule).map(|(_, sentence)| sentence.to_owned())
    }
}

/// Returns whether a line is a numbered list item: a step of a procedure.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

/// Returns whether a sentence begins with an imperative.
fn is_imperative(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let is_verb = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        IMPERATIVES.iter().any(|verb| verb.eq_ignore_ascii_case(bare))
    };
    words.next().is_some_and(is_verb) && (1..MAX_WORDS).contains(&words.count())
}

/// Returns whether a sentence of a document opens like a rule, or announces one.
fn opens_like_rule(sentence: &str) -> bool {
    let full = FoldedSentence::new(sentence);
    let opening = full.without_lead_ins(LEAD_INS);
    if is_question(sentence) || opening.words().count() > MAX_WORDS {
        return false;
    }
    let after = RULE_OPENINGS.iter().find_map(|word| opening.strip_prefix(word));
    // "Never aborts the rest" describes a program.
    let is_imperative = |verb: &str| !verb.ends_with('s') || verb.ends_with("ss");
    let verb = after.and_then(|rest| rest.split_whitespace().next());
    verb.is_some_and(is_imperative) && !opening.contains_any(NO_RECURRENCE)
        || full.contains_any(DOCUMENT_RULE_PHRASES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_document_are_recognised() {
        let text = "Larkspur › Payments: We keep a ledger.\n\n\
            - Amounts are integers. Never use floats\n  for money.\n\
            - Add the endpoint.\n\
            You must ask Mira before\nyou touch the ledger.";
        let found = instructions_in_section("plans/0001/plan.md", text);
        assert_eq!(
            found,
            ["Never use floats for money.", "You must ask Mira before you touch the ledger."]
        );
    }

    #[test]
    fn a_text_about_conventions_has_more_rules() {
        let text = "Shop: - Use pnpm for scripts.\n- Amounts are integers in cents, always.\n\
            - The shop is in Rome.\n1. Run the tests.\n```\n- Use tabs\n```";
        let rules = ["Use pnpm for scripts.", "Amounts are integers in cents, always."];
        assert_eq!(instructions_in_section("CLAUDE.md", text), rules);
        assert_eq!(
            instructions_in_section("project.md", &text.replace("Shop", "House rules")),
            rules
        );
        assert_eq!(instructions_in_section("project.md", text), [""; 0]);
    }

    #[test]
    fn descriptions_are_no_rules() {
        for text in [
            "Log lines are never rewritten.",
            "Only facts with equal text are one item.",
            "Never aborts the rest.",
            "Every file below the root is reached through a handle.",
            "A retry must not pay twice.",
            "No server is needed for anything; each can be configured in.",
            "> Always use tabs.",
            "| Always | use tabs |",
            "Why should you never do that?",
        ] {
            let section = format!("Design: Intro.\n\n{text}");
            assert_eq!(instructions_in_section("design.md", &section), [""; 0], "{text}");
        }
    }

    #[test]
    fn only_the_first_chunk_has_a_heading() {
        let section = "Rules: - Use tabs.\nNote: always squash.";
        assert!(chunk_instructs("a.md", section, section, true));
        assert!(chunk_instructs("a.md", section, "- Use tabs.", false));
        assert!(!chunk_instructs("a.md", "Tasks: - Use tabs.", "- Use tabs.", false));
    }
}
