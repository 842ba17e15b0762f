//! Finds in what two statements differ: opposites, values of one group, different scopes, keys with two values, denials.

use std::collections::HashSet;

use super::alignment::{Alignment, SYNONYM_MIN_COSINE};
use super::antonyms::{is_negated_form, sides};
use super::groups::{GroupKind, Member};
use super::statement::Statement;
use crate::consolidation::WordNearness;

/// A word of each statement.
pub(super) type WordPair = (usize, usize);

/// In what two statements differ.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Words with opposite meanings.
    pub(super) opposites: Vec<WordPair>,
    /// Values that exclude each other.
    pub(super) choices: Vec<WordPair>,
    /// Different scopes.
    pub(super) scopes: Vec<WordPair>,
    /// How many members of groups both have.
    pub(super) common_members: usize,
    /// Different values of one key; whether one of them is written with `=` or `:`.
    pub(super) values: Vec<(WordPair, bool)>,
    /// Words that one statement denies and the other does not.
    pub(super) denied_in_one: Vec<WordPair>,
    /// How many words both deny.
    pub(super) denied_in_both: usize,
    /// How many common words are in a clause that is denied in one statement only.
    pub(super) in_denied_clause_of_one: usize,
    /// How many words each statement denies that the other does not have.
    pub(super) denied_only_a: usize,
    pub(super) denied_only_b: usize,
}

impl Differences {
    /// Compares two statements.
    pub(super) fn new(
        a: &Statement<'_>,
        b: &Statement<'_>,
        alignment: &Alignment,
        nearness: WordNearness<'_>,
    ) -> Self {
        let mut found = Differences { opposites: opposites(a, b), ..Differences::default() };
        found.compare_members(a, b);
        found.values = different_values(a, b, nearness);
        found.compare_denials(a, b, alignment);
        found
    }

    fn compare_members(&mut self, a: &Statement<'_>, b: &Statement<'_>) {
        let things = |statement: &Statement<'_>| -> HashSet<Member> {
            statement.members.iter().map(|(member, _)| *member).collect()
        };
        let (things_a, things_b) = (things(a), things(b));
        // Sets, since a text may name a hundred members of one group.
        let mut compared: HashSet<(GroupKind, WordPair)> = HashSet::new();
        for (member_a, at_a) in &a.members {
            if things_b.contains(member_a) {
                self.common_members += 1;
                continue;
            }
            for (member_b, at_b) in &b.members {
                if member_a.group != member_b.group
                    || things_a.contains(member_b)
                    || !compared.insert((member_a.kind(), (*at_a, *at_b)))
                {
                    continue;
                }
                let list = match member_a.kind() {
                    GroupKind::Choice => &mut self.choices,
                    GroupKind::Scope => &mut self.scopes,
                };
                list.push((*at_a, *at_b));
            }
        }
    }

    fn compare_denials(&mut self, a: &Statement<'_>, b: &Statement<'_>, alignment: &Alignment) {
        for pair in &alignment.pairs {
            let (in_a, in_b) = (a.polarity.is_denied[pair.a], b.polarity.is_denied[pair.b]);
            if pair.cosine < SYNONYM_MIN_COSINE {
                continue;
            }
            match (in_a, in_b) {
                (true, true) => self.denied_in_both += 1,
                (false, false) => {}
                _ => self.denied_in_one.push((pair.a, pair.b)),
            }
            let clauses =
                (a.polarity.is_in_denied_clause[pair.a], b.polarity.is_in_denied_clause[pair.b]);
            self.in_denied_clause_of_one += usize::from(clauses.0 != clauses.1);
        }
        let count = |statement: &Statement<'_>, only: &[usize]| {
            only.iter().filter(|at| statement.polarity.is_denied[**at]).count()
        };
        self.denied_only_a = count(a, &alignment.only_a);
        self.denied_only_b = count(b, &alignment.only_b);
    }
}

/// Finds a word and its opposite, if neither statement has both.
fn opposites(a: &Statement<'_>, b: &Statement<'_>) -> Vec<WordPair> {
    let with_sides = |statement: &Statement<'_>| -> Vec<(usize, &'static [(u16, bool)])> {
        let tokens = statement.tokens.iter().enumerate();
        tokens.map(|(at, token)| (at, sides(&token.lower, &token.stem))).collect()
    };
    let (sides_a, sides_b) = (with_sides(a), with_sides(b));
    let has = |list: &[(usize, &[(u16, bool)])], side: (u16, bool)| {
        list.iter().any(|(_, sides)| sides.contains(&side))
    };
    let mut found = Vec::new();
    for (at_a, of_a) in &sides_a {
        for (at_b, of_b) in &sides_b {
            let is_opposite = of_a.iter().any(|(pair, side)| {
                of_b.contains(&(*pair, !*side))
                    && !has(&sides_a, (*pair, !*side))
                    && !has(&sides_b, (*pair, *side))
            });
            let (stem_a, stem_b) = (a.stem(*at_a), b.stem(*at_b));
            let is_negated = !stem_a.is_empty()
                && is_negated_form(stem_a, stem_b)
                && !a.has_stem(stem_b)
                && !b.has_stem(stem_a);
            if is_opposite || is_negated {
                found.push((*at_a, *at_b));
            }
        }
    }
    found
}

/// Finds keys that both statements have, with values that the other does not have.
fn different_values(
    a: &Statement<'_>,
    b: &Statement<'_>,
    nearness: WordNearness<'_>,
) -> Vec<(WordPair, bool)> {
    let mut found = Vec::new();
    for one in &a.key_values {
        for other in &b.key_values {
            let (value_a, value_b) = (&a.tokens[one.value], &b.tokens[other.value]);
            let is_same_key = a.stem(one.key) == b.stem(other.key);
            let is_word = value_a.is_content() && value_b.is_content();
            let is_shared = b.has_stem(&value_a.stem) || a.has_stem(&value_b.stem);
            if is_same_key
                && is_word
                && !is_shared
                && nearness(&value_a.lower, &value_b.lower) < SYNONYM_MIN_COSINE
            {
                let is_explicit = one.is_explicit || other.is_explicit;
                found.push(((one.value, other.value), is_explicit));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(a: &str, b: &str) -> Differences {
        let nearness = |_: &str, _: &str| 0.0;
        let (a, b) = (Statement::new(a), Statement::new(b));
        let alignment = Alignment::new(&a, &b, &nearness);
        Differences::new(&a, &b, &alignment, &nearness)
    }

    #[test]
    fn opposites_groups_values_and_denials_are_found() {
        let of = |a: &str, b: &str| {
            let found = differences(a, b);
            (found.opposites.len(), found.choices.len(), found.scopes.len(), found.values.len())
        };
        assert_eq!(of("Telemetry is enabled", "Telemetry is disabled").0, 1);
        assert_eq!(of("Orders are in Postgres", "Orders are in DynamoDB").1, 1);
        assert_eq!(of("Postgres in production", "Postgres in staging"), (0, 0, 1, 0));
        assert_eq!(of("mode = fast", "mode: turbo").3, 1);
        assert_eq!(differences("Cache builds", "Do not cache builds").denied_in_one.len(), 2);
        assert_eq!(of("Nothing here", "Nothing there"), (0, 0, 0, 0));
    }
}
