//! What the agent proposed, and how the user replied: options by number or letter, and proposals that
//! the user accepts or declines.

use super::conversation::Message;
use super::phrases;
use super::statement::{overlap, term_set};
use crate::phrase::FoldedSentence;
use crate::prose;
use crate::transcript::markdown::{Block, BlockKind, LineBreaks, split_blocks};

/// One of several options that the agent offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OfferedOption {
    /// A number or a letter in lower case.
    label: String,
    /// The text without the label.
    pub(super) text: String,
}

/// Words that precede the label of an option.
const OPTION_WORDS: &[&str] = &[
    "option",
    "options",
    "opt",
    "number",
    "nr",
    "no",
    "variant",
    "approach",
    "alternative",
    "choice",
    "plan",
    "solution",
    "proposal",
    "way",
];

/// Words that precede a bare label or an ordinal: "let's do 2".
const CHOICE_VERBS: &[&str] = &[
    "with",
    "do",
    "take",
    "pick",
    "choose",
    "chose",
    "prefer",
    "for",
    "say",
    "it's",
    "make it",
    "want",
    "like",
    "try",
    "then",
    "ok",
    "okay",
    "yes",
    "yeah",
    "yep",
    "definitely",
    "clearly",
    "go",
    "please",
    "vote",
    "rather",
];

/// Ordinals, with the position that they name; 0 is the last.
const ORDINALS: &[(&str, usize)] = &[
    ("first", 1),
    ("1st", 1),
    ("former", 1),
    ("second", 2),
    ("2nd", 2),
    ("third", 3),
    ("3rd", 3),
    ("fourth", 4),
    ("4th", 4),
    ("last", 0),
    ("latter", 0),
];

/// Words that number an option: "option two".
const NUMBER_WORDS: &[(&str, &str)] =
    &[("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5")];

/// Negations before a label: "not option 3".
const NEGATIONS: &[&str] =
    &["not", "don't", "except", "but", "no", "neither", "without", "than", "over", "never"];

/// Number of words before a label in which a negation counts.
const NEGATION_DISTANCE: usize = 3;

/// An option with less text gets the paragraph that follows it, in bytes.
const SHORT_OPTION_BYTES: usize = 60;

/// Share of a sentence's terms that an option has to contain when it is named by its words.
const NAMED_OPTION_OVERLAP: f64 = 0.5;

/// Returns the options that a message offers: labelled blocks, else the last numbered list, else labels within
/// a paragraph, else the last list.
pub(super) fn offered_options(message: &Message<'_>) -> Vec<OfferedOption> {
    let blocks = split_blocks(&message.turn.text, LineBreaks::Separate);
    let (mut labelled, mut numbered, mut listed) = (vec![], vec![], vec![]);
    for (at, block) in blocks.iter().enumerate() {
        let (label, text) = split_label(&block.text).unzip();
        let mut text = text.unwrap_or(&block.text).to_owned();
        let is_item = matches!(block.kind, BlockKind::Item | BlockKind::Task { .. });
        if text.len() < SHORT_OPTION_BYTES
            && (is_item || label.is_some())
            && let Some(next) = blocks.get(at + 1).filter(|next| continues_option(next))
        {
            prose::append_clause(&mut text, &next.text);
        }
        match (label, block.number) {
            (Some(label), _) => add_option(&mut labelled, label, text, "a"),
            (None, Some(number)) if is_item => {
                let list = if block.is_numbered { &mut numbered } else { &mut listed };
                add_option(list, number.to_string(), text, "1");
            }
            _ => {}
        }
    }
    let inline = || blocks.iter().rev().map(|block| inline_options(&block.text));
    let several = |options: Vec<OfferedOption>| Some(options).filter(|options| options.len() >= 2);
    several(labelled)
        .or_else(|| several(numbered))
        .or_else(|| inline().find_map(several))
        .or_else(|| several(listed))
        .unwrap_or_default()
}

/// Adds an option to a list; the first label begins a new list.
fn add_option(options: &mut Vec<OfferedOption>, label: String, text: String, first_label: &str) {
    if label == first_label || label == "1" {
        options.clear();
    }
    options.push(OfferedOption { label, text });
}

/// Returns whether a block belongs to the option before it.
fn continues_option(block: &Block) -> bool {
    block.kind != BlockKind::Heading && block.number.is_none() && split_label(&block.text).is_none()
}

/// Splits `Option B: text`, `B) text`, `(b) text` and `B. text` into the label and the text.
fn split_label(text: &str) -> Option<(String, &str)> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_word = OPTION_WORDS.contains(&word.to_lowercase().as_str());
    let candidate = if is_word { rest } else { text };
    let (label, rest) = candidate.split_once(' ').unwrap_or((candidate, ""));
    let bare = label.trim_matches(['(', ')', '.', ':', '*', '—', '-']);
    let is_marked = label.len() > bare.len() || rest.starts_with(['—', '–', '-', ':', '(']);
    let is_label = is_label(bare) && (is_word || (is_marked && !bare.is_empty()));
    is_label.then(|| (bare.to_lowercase(), rest.trim_start_matches(['—', '–', '-', ':', ' '])))
}

fn is_label(text: &str) -> bool {
    let is_letter = text.len() == 1
        && text.starts_with(|c: char| ('a'..='f').contains(&c.to_ascii_lowercase()));
    is_letter || (text.len() == 1 && text.starts_with(|c: char| ('1'..='9').contains(&c)))
}

/// Returns the options of a paragraph such as "either (a) retry or (b) fail".
fn inline_options(text: &str) -> Vec<OfferedOption> {
    let is_mark = |word: &str| {
        let bare = word.trim_matches(['(', ')']);
        word.ends_with(')') && is_label(bare)
    };
    let mut options: Vec<OfferedOption> = vec![];
    for word in text.split(' ') {
        if is_mark(word) {
            let label = word.trim_matches(['(', ')']).to_lowercase();
            options.push(OfferedOption { label, text: String::new() });
        } else if let Some(option) = options.last_mut() {
            prose::push_word(&mut option.text, word);
        }
    }
    for option in &mut options {
        let trimmed = option.text.trim_end_matches(" or").trim_end_matches([',', ';']).to_owned();
        option.text = trimmed;
    }
    options
}

/// Returns the options that a sentence of the user chooses.
pub(super) fn chosen_options<'o>(
    sentence: &str,
    options: &'o [OfferedOption],
) -> Vec<&'o OfferedOption> {
    let folded = FoldedSentence::new(sentence);
    let words: Vec<&str> = folded.words().collect();
    let mut chosen: Vec<&OfferedOption> = vec![];
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        let is_negated = words[at.saturating_sub(NEGATION_DISTANCE)..at]
            .iter()
            .any(|word| NEGATIONS.contains(word));
        if is_negated && !(before == "no" && at == 1) {
            continue;
        }
        let option = label_at(word, at, before, &words)
            .and_then(|label| options.iter().find(|option| option.label == label));
        let option = option.or_else(|| ordinal_option(word, &words[at + 1..], before, options));
        chosen.extend(option.filter(|option| !chosen.contains(option)));
    }
    chosen
}

/// Returns the label that a word states, if it stands where a choice is stated.
fn label_at(word: &str, at: usize, before: &str, words: &[&str]) -> Option<String> {
    let number = NUMBER_WORDS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number);
    let label = number.unwrap_or(word).trim_start_matches('#');
    if !is_label(label) {
        return None;
    }
    let after_option_word = OPTION_WORDS.contains(&before);
    let is_first = at == 0 || before == ",";
    let is_article = word == "a"
        && words.get(at + 1).is_some_and(|next| {
            !matches!(*next, "," | "it" | "please" | "but" | "is" | "and" | "for")
        });
    let stands_alone = words.get(at + 1).is_none_or(|next| {
        matches!(
            *next,
            "," | "please"
                | "but"
                | "and"
                | "it"
                | "then"
                | "is"
                | "i"
                | "with"
                | "without"
                | "after"
                | "thanks"
                | "for"
                | "sounds"
                | "makes"
                | "though"
                | "definitely"
                | "obviously"
        )
    });
    // A letter by itself is a label; a number may count something.
    let is_letter = word != "a" && word.starts_with(|c: char| c.is_ascii_alphabetic());
    let after_verb = CHOICE_VERBS.contains(&before) || before == "and" || is_letter;
    let is_choice = after_option_word
        || (number.is_none() && !is_article && stands_alone && (is_first || after_verb));
    is_choice.then(|| label.to_owned())
}

fn ordinal_option<'o>(
    word: &str,
    after: &[&str],
    before: &str,
    options: &'o [OfferedOption],
) -> Option<&'o OfferedOption> {
    let (_, position) = ORDINALS.iter().find(|(name, _)| *name == word)?;
    let names_option = after.first().is_none_or(|next| {
        ["one", "option", ",", "approach", "please", "variant", "way", "but", "solution"]
            .contains(next)
    });
    if !names_option || !(before == "the" || before.is_empty() || before == ",") {
        return None;
    }
    match position {
        0 => options.last(),
        position => options.get(position - 1),
    }
}

/// Returns the option that a sentence names by its words: "go with the outbox".
pub(super) fn named_option<'o>(
    sentence: &str,
    options: &'o [OfferedOption],
) -> Option<&'o OfferedOption> {
    let sentence = term_set(sentence);
    let scored = options.iter().map(|option| (overlap(&sentence, &term_set(&option.text)), option));
    let scored: Vec<(f64, &OfferedOption)> =
        scored.filter(|(score, _)| *score >= NAMED_OPTION_OVERLAP).collect();
    match scored.as_slice() {
        [(_, option)] => Some(option),
        _ => None,
    }
}

/// A proposal or a question at the end of a message of the agent.
pub(super) struct Proposal {
    /// What was proposed or asked.
    pub(super) text: String,
    /// Whether it asks to do the next step, and not about the design.
    pub(super) is_task: bool,
}

/// Returns what a message of the agent proposes or asks: its last question, with the proposal before it if
/// the question alone does not say what it is about.
pub(super) fn last_proposal(message: &Message<'_>) -> Option<Proposal> {
    if let Some(text) = listed_proposal(message) {
        return Some(Proposal { text, is_task: false });
    }
    let sentences: Vec<&str> = message.sentences().collect();
    let question = sentences.iter().rposition(|sentence| prose::is_question(sentence));
    let proposal = sentences.iter().rposition(|sentence| phrases::is_proposal(sentence));
    let text = match (question, proposal) {
        (Some(question), _) if term_set(sentences[question]).len() >= 4 => {
            let offers = phrases::is_task_offer(sentences[question]);
            return Some(Proposal { text: sentences[question].to_owned(), is_task: offers });
        }
        (Some(question), Some(proposal)) if proposal < question => {
            let refers_back = proposal > 0
                && FoldedSentence::new(sentences[proposal])
                    .contains_any(&["it", "that", "them", "they", "this"]);
            sentences[proposal - usize::from(refers_back)..=question].join(" ")
        }
        (Some(question), None) if question > 0 => sentences[question - 1..=question].join(" "),
        (Some(question), _) => sentences[question].to_owned(),
        (None, Some(proposal)) => sentences[proposal].to_owned(),
        (None, None) => return None,
    };
    Some(Proposal { text, is_task: false })
}

/// Returns a proposal whose parts are the last list of the message.
fn listed_proposal(message: &Message<'_>) -> Option<String> {
    let introduction =
        message.blocks.iter().rev().find_map(|block| block.number.and(block.introduced_by))?;
    let text = &message.blocks[introduction].text;
    let is_last = message
        .blocks
        .last()
        .is_some_and(|block| block.number.is_some() || prose::is_question(&block.text));
    if !is_last || !phrases::is_proposal(text) {
        return None;
    }
    let items = message.blocks.iter().filter(|block| block.introduced_by == Some(introduction));
    let mut proposal = text.clone();
    items.for_each(|item| prose::append_clause(&mut proposal, &item.text));
    Some(proposal)
}
