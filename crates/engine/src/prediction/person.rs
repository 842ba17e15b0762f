//! What is known about a collaborator: their preferences, and memories that name them.

use heirloom_core::words::{has_word, normalise};

use super::memory::PredictedMemory;
use crate::recall::{Hit, MemoryList};
use crate::signals::reason_from;

/// The confidence in a preference of a collaborator, and in another memory that names them. They are judgements.
pub(crate) const CONFIDENCE_OF_PREFERENCE: f64 = 0.8;
const CONFIDENCE_OF_MENTION: f64 = 0.5;

/// Maximum number of memories that are read for a name.
const MAX_MEMORIES: usize = 20;

/// Beginnings of scopes and tags that name a person: `user:ada`, `person/ada`.
const SCOPE_PREFIXES: [&str; 5] = ["", "user:", "user/", "person:", "@"];

/// Beginnings of words that state a preference.
const PREFERENCE_WORDS: [&str; 20] = [
    "prefer", "like", "dislike", "want", "favour", "favor", "hate", "insist", "expect", "always",
    "never", "avoid", "ask", "wish", "need", "love", "care", "review", "use", "write",
];

/// A collaborator.
#[derive(Debug)]
struct Person<'p> {
    name: &'p str,
}

impl<'p> Person<'p> {
    fn new(name: &'p str) -> Self {
        Person { name: name.trim().trim_start_matches('@') }
    }

    /// Returns the forms of the name that a text may have: the whole name and the first name.
    fn forms(&self) -> Vec<&'p str> {
        let first = self.name.split_whitespace().next();
        let first = first.filter(|first| *first != self.name && first.len() > 1);
        std::iter::once(self.name).chain(first).collect()
    }

    /// Returns the lists of memories that may be about the person: by scope, by tag, and by name.
    fn lists(&self) -> Vec<MemoryList> {
        let mut lists = Vec::new();
        for form in self.forms() {
            for prefix in SCOPE_PREFIXES {
                let value = format!("{prefix}{form}");
                lists.push(MemoryList::with_property("scope", &value, MAX_MEMORIES));
                lists.push(MemoryList::with_property("tag", &value, MAX_MEMORIES));
            }
            lists.push(MemoryList::with_parts_of(form, MAX_MEMORIES));
        }
        lists
    }

    /// Returns the confidence that a memory says how to work with the person, and why.
    fn judge(&self, hit: &Hit) -> Option<(f64, String)> {
        let item = &hit.item;
        if hit.is_section() || item.kind == "episode" {
            return None;
        }
        let is_label = |label: &String| {
            let label = normalise(label);
            self.forms().iter().any(|form| {
                SCOPE_PREFIXES.iter().any(|prefix| label == normalise(&format!("{prefix}{form}")))
            })
        };
        let name = self.name;
        if item.scope.iter().chain(&item.tags).any(is_label) {
            return Some((CONFIDENCE_OF_PREFERENCE, format!("is a preference of {name}")));
        }
        if !self.is_named_in(&item.text) && !item.key.as_ref().is_some_and(|key| self.is_key(key)) {
            return None;
        }
        let is_preference = item.tags.iter().any(|tag| normalise(tag).starts_with("preference"))
            || item.key.as_ref().is_some_and(|key| normalise(key).contains("prefer"))
            || self.has_preference(&item.text);
        Some(match is_preference {
            true => (CONFIDENCE_OF_PREFERENCE, format!("is a preference of {name}")),
            false => (CONFIDENCE_OF_MENTION, format!("names {name}")),
        })
    }

    /// Returns whether the key of a fact names the person: `ada.editor`.
    fn is_key(&self, key: &str) -> bool {
        let (key, first) = (normalise(key), self.name.split_whitespace().next());
        first.is_some_and(|first| has_word(&key, &normalise(first)))
    }

    /// Returns whether a text names the person. Many names are common words too, so a name begins with a capital or `@`.
    fn is_named_in(&self, text: &str) -> bool {
        self.forms().iter().any(|form| {
            let capitalised = capitalise_words(form);
            has_word(text, &capitalised) || text.contains(&format!("@{}", form.to_lowercase()))
        })
    }

    /// Returns whether a preference follows the name in the same sentence.
    fn has_preference(&self, text: &str) -> bool {
        let first = self.forms().last().map(|form| form.to_lowercase()).unwrap_or_default();
        let sentences = text.split(['.', ';', '\n']).map(str::to_lowercase);
        sentences.filter(|sentence| sentence.contains(&first)).any(|sentence| {
            let mut words = sentence.split(|c: char| !c.is_alphanumeric());
            words.any(|word| PREFERENCE_WORDS.iter().any(|start| word.starts_with(start)))
        })
    }
}

fn capitalise_words(name: &str) -> String {
    let capitalise = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).collect::<String>()
    };
    name.split_whitespace().map(capitalise).collect::<Vec<_>>().join(" ")
}

/// Returns the lists of memories that may be about some people.
pub(crate) fn person_lists(people: &[String]) -> Vec<MemoryList> {
    people.iter().flat_map(|name| Person::new(name).lists()).collect()
}

/// Returns the memories about some people. `found` are the memories of their lists.
pub(crate) fn person_memories(
    people: &[String],
    found: &[Vec<Hit>],
    is_remembered: bool,
) -> Vec<PredictedMemory> {
    let mut found = found.iter();
    let mut memories = Vec::new();
    for person in people.iter().map(|name| Person::new(name)) {
        let hits = found.by_ref().take(person.lists().len()).flatten();
        memories.extend(hits.filter_map(|hit| {
            let (confidence, reason) = person.judge(hit)?;
            let reason = reason_from(reason, is_remembered);
            Some(PredictedMemory::of_hit(hit, confidence, reason))
        }));
    }
    memories
}

/// Returns a warning for each person of whom nothing is known. `authors` are those that made commits.
pub(super) fn unknown_people(
    people: &[String],
    memories: &[PredictedMemory],
    authors: &[String],
) -> Vec<String> {
    let is_known = |person: &&Person<'_>| {
        let is_of_person = |memory: &PredictedMemory| memory.reason.contains(person.name);
        memories.iter().any(is_of_person)
            || authors.iter().any(|author| author.contains(person.name))
    };
    let people: Vec<Person<'_>> = people.iter().map(|name| Person::new(name)).collect();
    let unknown = people.iter().filter(|person| !is_known(person));
    unknown.map(|person| format!("no memory and no commit names `{}`", person.name)).collect()
}

/// Returns whether a typed name stands for the author of a commit: their whole name, or one of its words.
pub(super) fn is_same_person(typed: &str, author: &str) -> bool {
    let (typed, author) = (normalise(typed.trim().trim_start_matches('@')), normalise(author));
    typed == author || author.split_whitespace().any(|word| word == typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_apart_from_a_common_word() {
        let person = Person::new("will");
        assert!(person.is_named_in("Ask Will about it."));
        assert!(person.is_named_in("ask @will about it"));
        assert!(!person.is_named_in("It will fail."));
        assert!(Person::new("Ada Lovelace").is_named_in("Ada prefers tabs."));
    }

    #[test]
    fn a_preference_is_in_the_sentence_that_names_the_person() {
        let person = Person::new("Tim");
        assert!(person.has_preference("Tim prefers Result over exceptions."));
        assert!(!person.has_preference("Tim owns billing. We prefer tabs."));
    }

    #[test]
    fn an_author_is_found_by_one_of_their_names() {
        assert!(is_same_person("ada", "Ada Lovelace"));
        assert!(is_same_person("Ada Lovelace", "ada lovelace"));
        assert!(!is_same_person("Ad", "Ada Lovelace"));
    }
}
