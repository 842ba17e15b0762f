//! Collects the decisions of a session: the options that the user chose, the proposals that the user
//! accepted or declined, answers to questions, and sentences that state a decision.

use std::collections::HashSet;

use super::conversation::{Conversation, Message};
use super::phrases;
use super::proposals::{
    OfferedOption, chosen_options, last_proposal, named_option, offered_options,
};
use super::revisions::{Change, TermWeights};
use super::statement::{MAX_REMEMBERED, Statement, is_version_of, term_set};
use crate::prose;
use crate::transcript::markdown::BlockKind;
use crate::transcript::model::Transcript;

/// Number of messages of the agent after which options can no longer be chosen without further words.
const MAX_OPTION_AGE: usize = 3;

/// Number of lists of options that are remembered.
const MAX_OFFERS: usize = 8;

/// A reply with more characters is shortened.
const MAX_REPLY_CHARS: usize = 240;

/// A shorter reply to a question answers it, in words.
const MAX_SHORT_REPLY_WORDS: usize = 6;

/// An answer of fewer terms needs its question to be understood.
const MIN_SELF_CONTAINED_TERMS: usize = 2;

/// Returns at most `max_count` decisions in the order of the transcript, without those that were taken
/// back.
pub(in crate::transcript) fn collect_decisions(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
    weights: &TermWeights,
    max_count: usize,
) -> Vec<Statement> {
    let choices = transcript.choices.iter();
    let mut choices =
        choices.map(|choice| Statement::structural(choice.line, &choice.text)).peekable();
    let mut decisions: Vec<Statement> = vec![];
    let mut offers: Vec<OptionList> = vec![];
    for (index, message) in conversation.messages.iter().enumerate() {
        // A message takes back only what was chosen before it.
        while let Some(choice) = choices.next_if(|choice| choice.line < message.turn.line) {
            decisions.push(choice);
        }
        if message.is_by_user() {
            add_replies(&mut decisions, conversation, index, &mut offers, weights);
        } else {
            offers.iter_mut().for_each(|offer| offer.age += 1);
            let options = offered_options(message);
            if !options.is_empty() {
                offers.push(OptionList { options, age: 0, chosen: None });
            }
            decisions.extend(stated_decisions(message));
        }
        let remembered = max_count * MAX_REMEMBERED;
        decisions.drain(..decisions.len().saturating_sub(remembered));
        offers.drain(..offers.len().saturating_sub(MAX_OFFERS));
    }
    decisions.extend(choices);
    let mut seen = HashSet::new();
    decisions.retain(|decision| seen.insert(prose::comparison_key(&decision.text)));
    for structural in [false, true] {
        drop_oldest(&mut decisions, max_count, structural);
    }
    decisions
}

/// Options that the agent offered.
struct OptionList {
    options: Vec<OfferedOption>,
    /// Number of messages of the agent since then.
    age: usize,
    /// The decision for one of them.
    chosen: Option<String>,
}

/// Adds the decisions of a message of the user, and drops those that it takes back.
fn add_replies(
    decisions: &mut Vec<Statement>,
    conversation: &Conversation<'_>,
    index: usize,
    offers: &mut [OptionList],
    weights: &TermWeights,
) {
    let message = &conversation.messages[index];
    let line = message.turn.line;
    let sentences: Vec<&str> = message.sentences().collect();
    let revision = drop_taken_back(decisions, message, weights);
    let replied_to = conversation.message_replied_to(index);
    let mut newest_first = offers.iter_mut().rev();
    let is_choice =
        newest_first.any(|offer| offer.add_choice(decisions, line, &sentences, replied_to));
    let is_answer = !is_choice
        && replied_to.is_some_and(|replied_to| add_answer(decisions, line, &sentences, replied_to));
    if let Some(offer) = offers.last_mut().filter(|_| is_answer) {
        offer.drop_alternative(decisions);
    }
    let is_reply = is_choice || is_answer;
    if let Some(text) = revision.filter(|_| !is_reply) {
        decisions.push(Statement::structural(line, prose::truncate(&text, MAX_REPLY_CHARS)));
    } else if !is_reply {
        let stated = sentences.iter().filter(|sentence| phrases::is_user_decision(sentence));
        decisions.extend(stated.map(|sentence| Statement::new(line, *sentence)));
    }
}

/// Drops the decisions that a message of the user takes back. Returns what it says instead.
fn drop_taken_back(
    decisions: &mut Vec<Statement>,
    message: &Message<'_>,
    weights: &TermWeights,
) -> Option<String> {
    let texts: Vec<&str> = decisions.iter().map(|decision| decision.text.as_str()).collect();
    let mut dropped = weights.taken_back_by(message, &texts, Change::OfDecision);
    for sentence in message.sentences().filter(|sentence| phrases::is_user_decision(sentence)) {
        dropped.extend((0..texts.len()).filter(|at| is_version_of(sentence, texts[*at])));
    }
    let mut at = 0..;
    decisions.retain(|_| at.next().is_some_and(|at| !dropped.contains(&at)));
    let paragraphs = message.blocks.iter().map(|block| block.text.as_str());
    (!dropped.is_empty()).then(|| paragraphs.collect::<Vec<_>>().join(" "))
}

impl OptionList {
    /// Adds the option that the user's sentences choose, and what they say after it. Returns whether they choose one.
    fn add_choice(
        &mut self,
        decisions: &mut Vec<Statement>,
        line: usize,
        sentences: &[&str],
        replied_to: Option<&Message<'_>>,
    ) -> bool {
        for (at, sentence) in sentences.iter().enumerate() {
            // A choice among older options says that it changes an earlier one.
            if self.age >= MAX_OPTION_AGE
                && (self.chosen.is_none() || !phrases::is_change_of_choice(sentence))
            {
                continue;
            }
            let mut chosen = chosen_options(sentence, &self.options);
            if chosen.is_empty() && phrases::is_user_decision(sentence) {
                chosen.extend(named_option(sentence, &self.options));
            }
            if chosen.is_empty() {
                continue;
            }
            let options: Vec<&str> = chosen.iter().map(|option| option.text.as_str()).collect();
            let short_rest = sentences[at + 1..]
                .iter()
                .take_while(|next| next.split_whitespace().count() <= MAX_SHORT_REPLY_WORDS);
            let reply =
                short_rest.fold((*sentence).to_owned(), |reply, next| format!("{reply} {next}"));
            let decision = with_reply(&options.join("; "), &reply);
            if let Some(earlier) = self.chosen.replace(decision.clone()) {
                decisions.retain(|decision| decision.text != earlier);
            }
            decisions.push(Statement::structural(line, decision));
            decisions.extend(Self::rest_of_reply(line, &sentences[at + 1..], replied_to));
            return true;
        }
        false
    }

    /// Returns what the user said after a choice, with the agent's question that it answers.
    fn rest_of_reply(
        line: usize,
        sentences: &[&str],
        replied_to: Option<&Message<'_>>,
    ) -> Option<Statement> {
        let serious = sentences.iter().filter(|sentence| !phrases::is_joke(sentence));
        let rest = serious.copied().collect::<Vec<_>>().join(" ");
        let question =
            replied_to?.sentences().filter(|sentence| prose::is_question(sentence)).last();
        let text = question.map_or_else(|| rest.clone(), |question| with_reply(question, &rest));
        (term_set(&rest).len() > MIN_SELF_CONTAINED_TERMS)
            .then(|| Statement::structural(line, text))
    }

    /// Drops the earlier choice if the newest decision is for another of the options.
    fn drop_alternative(&mut self, decisions: &mut Vec<Statement>) {
        let Some(newest) = decisions.last().map(|newest| newest.text.clone()) else { return };
        let Some(chosen) = self.chosen.clone().filter(|chosen| *chosen != newest) else { return };
        let alternative =
            named_option(&newest, &self.options).filter(|option| !chosen.contains(&option.text));
        if alternative.is_some() {
            decisions.retain(|decision| decision.text != chosen);
            self.chosen = None;
        }
    }
}

/// Adds the user's words to what they answer.
fn with_reply(proposal: &str, reply: &str) -> String {
    format!("{proposal} (user: {reply})")
}

/// Adds the answer to the agent's question or proposal. Returns whether there was one.
fn add_answer(
    decisions: &mut Vec<Statement>,
    line: usize,
    sentences: &[&str],
    replied_to: &Message<'_>,
) -> bool {
    let Some(proposal) = last_proposal(replied_to) else { return false };
    let Some(first) = sentences.first() else { return false };
    let reply = prose::truncate(&sentences.join(" "), MAX_REPLY_CHARS);
    let is_assent = sentences.iter().take(2).any(|sentence| phrases::is_assent(sentence));
    let is_refusal = phrases::is_refusal(first);
    if (is_assent || is_refusal)
        && proposal.is_task
        && term_set(&reply).len() <= MIN_SELF_CONTAINED_TERMS
    {
        return true;
    }
    let is_short = reply.split_whitespace().count() <= MAX_SHORT_REPLY_WORDS;
    let answers = is_assent || is_refusal || is_short || shares_terms(&proposal.text, &reply);
    if answers {
        decisions.push(Statement::structural(line, with_reply(&proposal.text, &reply)));
    }
    answers
}

/// Returns whether a reply takes up the words of a question.
fn shares_terms(question: &str, reply: &str) -> bool {
    let question = term_set(question);
    term_set(reply).intersection(&question).next().is_some()
}

/// Returns the list items under a heading for decisions, then the sentences that state a decision.
fn stated_decisions(message: &Message<'_>) -> Vec<Statement> {
    let line = message.turn.line;
    let listed: Vec<&str> = message
        .items_under(phrases::is_decision_heading)
        .map(|block| block.text.as_str())
        .collect();
    let mut decisions: Vec<Statement> =
        listed.iter().map(|text| Statement::structural(line, *text)).collect();
    let listed: HashSet<&str> = listed.into_iter().collect();
    let prose = message.blocks.iter().filter(|block| block.kind != BlockKind::Heading);
    for block in prose.filter(|block| !listed.contains(block.text.as_str())) {
        let sentences = prose::split_sentences(&block.text).into_iter();
        let stated = sentences.filter(|sentence| phrases::is_agent_decision(sentence));
        decisions.extend(stated.map(|sentence| Statement::new(line, sentence)));
    }
    decisions
}

/// Drops the oldest decisions of one source until at most `max_count` decisions are left.
fn drop_oldest(decisions: &mut Vec<Statement>, max_count: usize, structural: bool) {
    let mut excess = decisions.len().saturating_sub(max_count);
    decisions.retain(|decision| {
        let drop = excess > 0 && decision.structural == structural;
        excess -= usize::from(drop);
        !drop
    });
}
