//! Compares parts of two statements: their subjects, what they say of them, and what stands after the same preposition.

use super::alignment::Alignment;
use super::statement::Statement;
use crate::consolidation::WordNearness;

/// Prepositions whose objects are compared.
pub(super) const PREPOSITIONS: [&str; 16] = [
    "in", "on", "at", "by", "with", "for", "from", "to", "of", "as", "after", "before", "through",
    "per", "into", "without",
];

/// How many words after a preposition its object is searched in.
const OBJECT_REACH: usize = 4;

/// How near parts of two statements are in meaning, -1 to 1; -2 if a statement does not have the part.
#[derive(Debug)]
pub(super) struct PartNearness {
    pub(super) whole: f32,
    pub(super) subjects: f32,
    pub(super) predicates: f32,
    /// The last words of the subjects.
    pub(super) heads: f32,
    /// What stands before the last words of the subjects.
    pub(super) modifiers: f32,
    /// The first words after the subjects.
    pub(super) verbs: f32,
    /// The words that only one of them has.
    pub(super) rests: f32,
    /// The words that only one of them has, after the subject.
    pub(super) predicate_rests: f32,
    /// The subject of each, and what the other says.
    pub(super) subject_a_predicate_b: f32,
    pub(super) subject_b_predicate_a: f32,
    /// The objects of each preposition.
    pub(super) objects: [f32; PREPOSITIONS.len()],
    /// How many words that only one has stand after the same word as one that only the other has, and before the same word.
    pub(super) replaced_after: usize,
    pub(super) replaced_before: usize,
    /// The greatest cosine of two such words.
    pub(super) replaced_max: f32,
}

/// The value for parts that a statement does not have.
const MISSING: f32 = -2.0;

impl PartNearness {
    /// Compares the parts of two statements.
    pub(super) fn new(
        a: &Statement<'_>,
        b: &Statement<'_>,
        alignment: &Alignment,
        nearness: WordNearness<'_>,
    ) -> Self {
        let near = |a: &str, b: &str| match a.is_empty() || b.is_empty() {
            true => MISSING,
            false if a == b => 1.0,
            false => Some(nearness(a, b)).filter(|it| it.is_finite()).unwrap_or(0.0),
        };
        let words = |statement: &Statement<'_>, is_part: &dyn Fn(usize) -> bool| -> String {
            let words = statement.content.iter().filter(|at| is_part(**at));
            words.map(|at| statement.tokens[*at].lower.as_str()).collect::<Vec<_>>().join(" ")
        };
        let subject = |it: &Statement<'_>| words(it, &|at| at < it.subject_end);
        let predicate = |it: &Statement<'_>| words(it, &|at| at >= it.subject_end);
        let head_of =
            |it: &Statement<'_>| it.content.iter().copied().rfind(|at| *at < it.subject_end);
        let head = |it: &Statement<'_>| words(it, &|at| Some(at) == head_of(it));
        let modifiers = |it: &Statement<'_>| words(it, &|at| Some(at) < head_of(it));
        let verb = |it: &Statement<'_>| {
            let verb = it.content.iter().copied().find(|at| *at >= it.subject_end);
            words(it, &|at| Some(at) == verb)
        };
        let rest = |it: &Statement<'_>, only: &[usize]| words(it, &|at| only.contains(&at));
        let predicate_rest = |it: &Statement<'_>, only: &[usize]| {
            words(it, &|at| at >= it.subject_end && only.contains(&at))
        };
        let (only_a, only_b) = (&alignment.only_a, &alignment.only_b);
        let whole = |it: &Statement<'_>| words(it, &|_| true);
        let mut objects = [MISSING; PREPOSITIONS.len()];
        for (number, preposition) in PREPOSITIONS.iter().enumerate() {
            let (of_a, of_b) = (objects_of(a, preposition), objects_of(b, preposition));
            for one in &of_a {
                for other in &of_b {
                    let is_equal = a.stem(*one) == b.stem(*other);
                    let (one, other) = (&a.tokens[*one].lower, &b.tokens[*other].lower);
                    let cosine = if is_equal { 1.0 } else { near(one, other).min(0.99) };
                    objects[number] = objects[number].max(cosine);
                }
            }
        }
        let replaced = |step: isize| replaced_beside(a, b, alignment, step);
        let (after, before) = (replaced(-1), replaced(1));
        let replaced_max = after
            .iter()
            .chain(&before)
            .map(|(one, other)| near(&a.tokens[*one].lower, &b.tokens[*other].lower));
        PartNearness {
            whole: near(&whole(a), &whole(b)),
            subjects: near(&subject(a), &subject(b)),
            predicates: near(&predicate(a), &predicate(b)),
            heads: near(&head(a), &head(b)),
            modifiers: near(&modifiers(a), &modifiers(b)),
            verbs: near(&verb(a), &verb(b)),
            rests: near(&rest(a, only_a), &rest(b, only_b)),
            predicate_rests: near(&predicate_rest(a, only_a), &predicate_rest(b, only_b)),
            subject_a_predicate_b: near(&subject(a), &predicate(b)),
            subject_b_predicate_a: near(&subject(b), &predicate(a)),
            objects,
            replaced_max: replaced_max.fold(MISSING, f32::max),
            replaced_after: after.len(),
            replaced_before: before.len(),
        }
    }
}

/// Returns the words that follow a preposition and say something.
fn objects_of(statement: &Statement<'_>, preposition: &str) -> Vec<usize> {
    let tokens = &statement.tokens;
    let places = (0..tokens.len()).filter(|at| tokens[*at].lower == preposition);
    let object = |at: usize| {
        let reach = (at + 1..tokens.len()).take(OBJECT_REACH);
        reach
            .take_while(|next| tokens[*next].clause == tokens[at].clause)
            .find(|next| tokens[*next].is_content() && statement.content.contains(next))
    };
    places.filter_map(object).collect()
}

/// Finds words that only one statement has and that stand beside the same word as one that only the other has.
fn replaced_beside(
    a: &Statement<'_>,
    b: &Statement<'_>,
    alignment: &Alignment,
    step: isize,
) -> Vec<(usize, usize)> {
    let beside = |statement: &Statement<'_>, at: usize| -> Option<String> {
        let token = statement.tokens.get(at.checked_add_signed(step)?)?;
        Some(if token.is_content() { token.stem.clone() } else { token.lower.clone() })
    };
    let beside_b: Vec<(usize, Option<String>)> =
        alignment.only_b.iter().map(|at| (*at, beside(b, *at))).collect();
    let mut found = Vec::new();
    for one in &alignment.only_a {
        let Some(beside_a) = beside(a, *one).filter(|word| !is_article(word)) else { continue };
        let other = beside_b.iter().find(|(_, word)| word.as_ref() == Some(&beside_a));
        found.extend(other.map(|(other, _)| (*one, *other)));
    }
    found
}

fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an" | "the" | "and" | "or")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_compared_with_each_other() {
        let nearness = |_: &str, _: &str| 0.25;
        let a = Statement::new("The billing service stores invoices in Postgres");
        let b = Statement::new("The billing service stores invoices in DynamoDB");
        let alignment = Alignment::new(&a, &b, &nearness);
        let parts = PartNearness::new(&a, &b, &alignment, &nearness);
        assert_eq!((parts.subjects, parts.heads, parts.modifiers), (1.0, 1.0, 1.0));
        assert_eq!((parts.rests, parts.objects[0], parts.objects[1]), (0.25, 0.25, MISSING));
        assert_eq!((parts.replaced_after, parts.replaced_before), (1, 0));
    }
}
