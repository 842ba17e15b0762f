//! Recognises small talk: greetings, thanks, praise, wishes, and questions that ask nothing in particular.
//!
//! Each word of a text that could be asked about later has a weight, and so has each form in which people tell something
//! about themselves. A text of little weight is small talk.

use super::talk_words::TALK_WORDS;
use crate::day;
use crate::prose::{is_question, paragraphs, split_sentences};
use crate::word_list::WordList;

/// A longer text tells something, in words.
const MAX_WORDS: usize = 60;

/// The weight up to which a text that greets, thanks, praises or wishes is small talk.
const MAX_KIND_WEIGHT: usize = 1;

/// The same if it says nothing about who wrote it: it reacts to what somebody else said.
const MAX_REACTION_WEIGHT: usize = 5;

/// The fewest words of such a text for each unit of its weight: "great, it compiles" tells something.
const MIN_WORDS_PER_WEIGHT: usize = 6;

/// The weight of what says when something happens, or how much: it is never small talk.
const ESSENTIAL_WEIGHT: usize = 10;

const NAME_WEIGHT: usize = 3;
const OWN_DEED_WEIGHT: usize = 3;
const POSSESSION_WEIGHT: usize = 2;
const DENIAL_WEIGHT: usize = 2;
const OTHER_PERSON_WEIGHT: usize = 2;
const OWN_STATE_WEIGHT: usize = 2;

/// Words that say when, sorted.
static TIME_WORDS: WordList = WordList::new(&[
    "ago",
    "anniversary",
    "april",
    "august",
    "birthday",
    "december",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "march",
    "monday",
    "month",
    "months",
    "november",
    "october",
    "saturday",
    "september",
    "since",
    "sunday",
    "thursday",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
    "week",
    "weekend",
    "weeks",
    "year",
    "years",
    "yesterday",
]);

/// Words before or after which a name addresses somebody, sorted.
static ADDRESSING_WORDS: WordList = WordList::new(&[
    "absolutely",
    "agreed",
    "awesome",
    "aww",
    "bye",
    "congrats",
    "congratulations",
    "cool",
    "definitely",
    "exactly",
    "great",
    "haha",
    "hello",
    "hey",
    "hi",
    "morning",
    "nice",
    "oh",
    "ok",
    "okay",
    "right",
    "sure",
    "thanks",
    "thx",
    "totally",
    "wow",
    "yeah",
    "yep",
    "yes",
    "yup",
]);

/// Verbs after `I` or `we` that tell what somebody did, has or wants, sorted.
static DEEDS: WordList = WordList::new(&[
    "adopted",
    "applied",
    "asked",
    "ate",
    "attended",
    "baked",
    "been",
    "booked",
    "bought",
    "built",
    "call",
    "called",
    "camped",
    "can't",
    "cannot",
    "collect",
    "cooked",
    "created",
    "danced",
    "decided",
    "designed",
    "did",
    "didn't",
    "don't",
    "drew",
    "failed",
    "finished",
    "found",
    "gave",
    "got",
    "grew",
    "grown",
    "had",
    "hate",
    "have",
    "hiked",
    "hosted",
    "joined",
    "keep",
    "kept",
    "launched",
    "learned",
    "live",
    "lost",
    "made",
    "met",
    "moved",
    "named",
    "need",
    "opened",
    "ordered",
    "own",
    "painted",
    "passed",
    "plan",
    "planned",
    "played",
    "prefer",
    "put",
    "quit",
    "ran",
    "read",
    "said",
    "sang",
    "saw",
    "sent",
    "set",
    "signed",
    "started",
    "studied",
    "study",
    "talked",
    "taught",
    "teach",
    "told",
    "took",
    "tried",
    "use",
    "used",
    "visited",
    "volunteered",
    "want",
    "wanted",
    "was",
    "watched",
    "went",
    "were",
    "won",
    "won't",
    "work",
    "worked",
    "wrote",
]);

/// Words of greeting, thanks, praise, wishes and sympathy, sorted.
static KIND_WORDS: WordList = WordList::new(&[
    "amazing",
    "appreciate",
    "awesome",
    "aww",
    "beautiful",
    "best",
    "bet",
    "bye",
    "care",
    "congrats",
    "congratulations",
    "cool",
    "enjoy",
    "excited",
    "fantastic",
    "friend",
    "friends",
    "fun",
    "glad",
    "good",
    "great",
    "haha",
    "happy",
    "hello",
    "hey",
    "hi",
    "hope",
    "impressive",
    "incredible",
    "inspire",
    "inspires",
    "inspiring",
    "interesting",
    "love",
    "lovely",
    "luck",
    "lucky",
    "nice",
    "perfect",
    "proud",
    "sorry",
    "sounds",
    "support",
    "supportive",
    "sweet",
    "thank",
    "thanks",
    "tough",
    "welcome",
    "wonderful",
    "wow",
    "yay",
]);

/// Words between a person and a verb, sorted.
static ADVERBS: WordList = WordList::new(&[
    "actually", "already", "also", "always", "even", "finally", "have", "just", "never", "once",
    "only", "really", "recently", "still",
]);

/// What people say they are doing without telling anything, sorted.
static FEELINGS: WordList = WordList::new(&[
    "being", "cheering", "feeling", "getting", "hoping", "keeping", "looking", "loving", "rooting",
    "sending", "wishing",
]);

/// What people will do out of kindness, sorted.
static KIND_DEEDS: WordList = WordList::new(&[
    "always",
    "be",
    "check",
    "definitely",
    "do",
    "keep",
    "let",
    "never",
    "remember",
    "see",
    "take",
    "talk",
    "try",
]);

/// Words after `my` and `our` that name nothing, sorted.
static EMPTY_POSSESSIONS: WordList = WordList::new(&[
    "best", "day", "dear", "friend", "god", "goodness", "heart", "life", "mind", "pleasure",
    "thought", "thoughts", "way",
]);

/// Returns whether a text is small talk.
pub(super) fn is_small_talk(text: &str) -> bool {
    let words = text.split_whitespace().count();
    if words > MAX_WORDS || !is_talk(text) {
        return false;
    }
    let weight = weight(text);
    let has = |test: fn(&str) -> bool| text.split_whitespace().any(|word| test(&lower(word)));
    let is_kind = || has(|word| KIND_WORDS.contains(word));
    // A text that thanks often goes on to tell something about its writer.
    let is_reaction = || !has(is_first_person) && !has(|word| matches!(word, "thanks" | "thank"));
    let max_weight = || if is_reaction() { MAX_REACTION_WEIGHT } else { MAX_KIND_WEIGHT };
    match weight {
        0 => text.contains(['!', '?']) || begins_with_talk(text) || is_kind(),
        _ => words >= MIN_WORDS_PER_WEIGHT * weight && weight <= max_weight() && is_kind(),
    }
}

/// Returns whether a text is said by one person to another. A statement that is not may be short, and say something.
fn is_talk(text: &str) -> bool {
    if text.contains(['!', '?']) {
        return true;
    }
    let mut words = text.split_whitespace().map(lower);
    begins_with_talk(text)
        || has_only_talk_words(text)
        || words.any(|word| {
            matches!(
                word.split('\'').next(),
                Some("i" | "me" | "my" | "we" | "us" | "our" | "you" | "your")
            )
        })
}

fn has_only_talk_words(text: &str) -> bool {
    text.split_whitespace().all(|word| TALK_WORDS.contains(&lower(word)))
}

fn begins_with_talk(text: &str) -> bool {
    let first = text.split_whitespace().next().map(lower);
    first.is_none_or(|first| ADDRESSING_WORDS.contains(&first))
}

/// Returns how much a text says that could be asked about.
fn weight(text: &str) -> usize {
    if text.contains(|c: char| c.is_numeric() || c == '`' || c == '_') || text.contains("://") {
        return ESSENTIAL_WEIGHT;
    }
    let addressed = addressed_names(text);
    let sentences = paragraphs(text).into_iter().flat_map(split_sentences);
    let mut sum = denial(text);
    for sentence in sentences {
        let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
        let lower_words: Vec<String> = words.iter().map(|word| lower(word)).collect();
        if lower_words.iter().any(|word| TIME_WORDS.contains(word) || day::parse(word).is_some()) {
            return ESSENTIAL_WEIGHT;
        }
        let asks = is_question(sentence);
        let is_own = lower_words.iter().any(|word| is_first_person(word));
        let word_weight = if asks || is_own { 2 } else { 1 };
        for (number, (word, lower)) in words.iter().zip(&lower_words).enumerate() {
            let is_name =
                number > 0 && word.starts_with(char::is_uppercase) && !is_first_person(lower);
            sum += match () {
                () if lower.is_empty() || addressed.contains(lower) => 0,
                () if is_name => NAME_WEIGHT,
                () if is_empty_word(lower) => 0,
                () => word_weight,
            };
        }
        if !asks {
            sum += weight_of_told_facts(&lower_words);
        }
    }
    sum
}

fn is_empty_word(lower: &str) -> bool {
    let stems = [lower.strip_suffix("'s"), lower.strip_suffix('s')];
    TALK_WORDS.contains(lower) || stems.into_iter().flatten().any(|stem| TALK_WORDS.contains(stem))
}

fn is_first_person(lower: &str) -> bool {
    matches!(
        lower.split('\'').next(),
        Some("i" | "my" | "me" | "we" | "our" | "us" | "mine" | "ours")
    )
}

/// Returns the weight of what a sentence tells about people.
fn weight_of_told_facts(words: &[String]) -> usize {
    let mut sum = 0;
    let mut has_deed = false;
    let mut has_possession = false;
    for (number, word) in words.iter().enumerate() {
        let mut rest = words[number + 1..].iter().map(String::as_str);
        match word.as_str() {
            "my" | "our" => {
                has_possession |= rest.next().is_some_and(|next| !EMPTY_POSSESSIONS.contains(next));
            }
            "i" | "we" | "i've" | "we've" | "i'd" | "we'd" => {
                let mut verbs = rest.skip_while(|word| ADVERBS.contains(word));
                let verb = verbs.next().unwrap_or_default();
                has_deed |= DEEDS.contains(verb)
                    || matches!(verb, "am" | "are")
                        && is_activity(verbs.next().unwrap_or_default())
                    || verb == "will" && is_intention(verbs.next().unwrap_or_default());
                has_deed |=
                    words[number + 1..].first().is_some_and(|next| next == "have" || next == "had");
            }
            "i'm" | "we're" => {
                let activity = rest.find(|word| !ADVERBS.contains(word)).unwrap_or_default();
                has_deed |= is_activity(activity);
            }
            "i'll" | "we'll" => has_deed |= is_intention(rest.next().unwrap_or_default()),
            "been" | "just" if number == 0 => has_deed |= rest.next().is_some_and(is_verb_form),
            "they" | "he" | "she" | "they're" | "he's" | "she's" | "they've" => {
                sum += OTHER_PERSON_WEIGHT;
            }
            _ => {}
        }
    }
    sum + usize::from(has_deed) * OWN_DEED_WEIGHT
        + usize::from(has_possession) * POSSESSION_WEIGHT
        + usize::from(tells_own_state(words)) * OWN_STATE_WEIGHT
}

/// Returns whether a sentence tells how its speaker is or stands to something: "I'm not giving up", "glad to be part of
/// it", "it has been great for me".
fn tells_own_state(words: &[String]) -> bool {
    words.windows(2).any(|pair| {
        matches!(
            [pair[0].as_str(), pair[1].as_str()],
            ["i'm" | "we're", "not"]
                | ["to", "be" | "have"]
                | ["been", _]
                | ["for" | "helped" | "helps" | "made" | "makes", "me" | "us"]
        )
    })
}

/// Returns whether a word has the ending of a participle.
fn is_verb_form(word: &str) -> bool {
    word.len() > 4 && (word.ends_with("ing") || word.ends_with("ed"))
}

/// Returns whether a word after `I'm` tells what somebody does.
fn is_activity(word: &str) -> bool {
    (word.ends_with("ing") && word.len() > 4 && !FEELINGS.contains(word))
        || matches!(word, "gonna" | "allergic" | "off")
}

/// Returns whether a word after `I'll` tells what somebody is going to do.
fn is_intention(word: &str) -> bool {
    !word.is_empty() && !KIND_DEEDS.contains(word)
}

/// Returns the weight of an answer in the negative.
fn denial(text: &str) -> usize {
    let mut words = text.split_whitespace().map(lower);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let denies = matches!(first.as_str(), "nope" | "nah" | "never" | "no")
        && !matches!(
            second.as_str(),
            "problem" | "worries" | "way" | "doubt" | "need" | "mind" | "problems"
        );
    usize::from(denies) * DENIAL_WEIGHT
}

/// Returns the names that address somebody: after a greeting, or between marks.
fn addressed_names(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for (number, word) in words.iter().enumerate() {
        if !bare(word).starts_with(char::is_uppercase) {
            continue;
        }
        let before = number.checked_sub(1).map(|before| words[before]);
        let follows_greeting =
            before.is_some_and(|before| ADDRESSING_WORDS.contains(&lower(bare(before))));
        let follows_comma = before.is_none_or(|before| before.ends_with([',', '.', '!', '?']));
        let ends_part = word.ends_with([',', '.', '!', '?']) || number + 1 == words.len();
        if follows_greeting || (follows_comma && ends_part) {
            found.push(lower(bare(word)));
        }
    }
    found
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn lower(word: &str) -> String {
    bare(word).to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_thanks_and_praise_are_small_talk() {
        for text in [
            "Hey Mel! Good to see you! How have you been?",
            "Thanks, Caroline! That means a lot.",
            "Wow, that's amazing! You're so inspiring.",
            "ok",
            "Sounds good.",
            "You're welcome, take care!",
            "That's so true. Keep going!",
        ] {
            assert!(is_small_talk(text), "{text}: {}", weight(text));
        }
    }

    #[test]
    fn what_could_be_asked_about_is_no_small_talk() {
        for text in [
            "I went to a support group yesterday!",
            "Great! I adopted two cats.",
            "My favourite is The Hobbit!",
            "We decided to use sqlite.",
            "We take nothing back",
            "Use tabs!",
            "Exactly once!",
            "Great, it compiles",
            "You need to restart",
            "I'm not giving up!",
            "They love it!",
            "Thanks! See you on Friday.",
            "I'm allergic to nuts!",
            "Refunds are events",
            "Never deploy by hand",
            "Run `cargo fmt`!",
            "Nope, never been there!",
            "I prefer tabs",
            "Call me Max!",
        ] {
            assert!(!is_small_talk(text), "{text}: {}", weight(text));
        }
    }
}
