//! Reads how binding a statement is, and of how much it holds.

use std::sync::OnceLock;

use super::phrases::PhraseTable;
use super::token::Token;

/// How binding a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Modality {
    /// It states how things are.
    Plain,
    /// It recommends something.
    Recommended,
    /// It demands something.
    Required,
    /// It leaves something open.
    Permitted,
    /// It says that something is not demanded.
    NotRequired,
    /// It forbids something.
    Forbidden,
}

/// All modalities, in order.
pub(super) const MODALITIES: [Modality; 6] = [
    Modality::Plain,
    Modality::Recommended,
    Modality::Required,
    Modality::Permitted,
    Modality::NotRequired,
    Modality::Forbidden,
];

/// Of how much a statement holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Quantifier {
    /// It names no quantity.
    Plain,
    /// Of some.
    Some,
    /// Of all.
    All,
    /// Of all but a few.
    Except,
    /// Of one alone.
    Only,
    /// Of none.
    None,
}

/// All quantifiers, in order.
pub(super) const QUANTIFIERS: [Quantifier; 6] = [
    Quantifier::Plain,
    Quantifier::Some,
    Quantifier::All,
    Quantifier::Except,
    Quantifier::Only,
    Quantifier::None,
];

/// Phrases of modality. A longer one stands before a shorter one that it begins with.
const MODAL_PHRASES: &[(&str, Modality)] = &[
    ("must not", Modality::Forbidden),
    ("must never", Modality::Forbidden),
    ("mustn't", Modality::Forbidden),
    ("may not", Modality::Forbidden),
    ("may never", Modality::Forbidden),
    ("may only", Modality::Required),
    ("may be skipped", Modality::NotRequired),
    ("shall not", Modality::Forbidden),
    ("should not", Modality::Forbidden),
    ("shouldn't", Modality::Forbidden),
    ("not allowed", Modality::Forbidden),
    ("aren't allowed", Modality::Forbidden),
    ("isn't allowed", Modality::Forbidden),
    ("not permitted", Modality::Forbidden),
    ("isn't permitted", Modality::Forbidden),
    ("aren't permitted", Modality::Forbidden),
    ("off limits", Modality::Forbidden),
    ("can't", Modality::Forbidden),
    ("cannot", Modality::Forbidden),
    ("can not", Modality::Forbidden),
    ("forbidden", Modality::Forbidden),
    ("forbid", Modality::Forbidden),
    ("forbids", Modality::Forbidden),
    ("prohibited", Modality::Forbidden),
    ("banned", Modality::Forbidden),
    ("barred", Modality::Forbidden),
    ("disallowed", Modality::Forbidden),
    ("unable", Modality::Forbidden),
    ("impossible", Modality::Forbidden),
    ("no way", Modality::Forbidden),
    ("not required", Modality::NotRequired),
    ("isn't required", Modality::NotRequired),
    ("aren't required", Modality::NotRequired),
    ("not mandatory", Modality::NotRequired),
    ("isn't mandatory", Modality::NotRequired),
    ("don't have to", Modality::NotRequired),
    ("doesn't have to", Modality::NotRequired),
    ("don't need", Modality::NotRequired),
    ("doesn't need", Modality::NotRequired),
    ("needn't", Modality::NotRequired),
    ("need not", Modality::NotRequired),
    ("needs no", Modality::NotRequired),
    ("need no", Modality::NotRequired),
    ("no need", Modality::NotRequired),
    ("optional", Modality::NotRequired),
    ("optionally", Modality::NotRequired),
    ("voluntary", Modality::NotRequired),
    ("must", Modality::Required),
    ("mandatory", Modality::Required),
    ("compulsory", Modality::Required),
    ("obligatory", Modality::Required),
    ("required", Modality::Required),
    ("requires", Modality::Required),
    ("require", Modality::Required),
    ("have to", Modality::Required),
    ("has to", Modality::Required),
    ("needs", Modality::Required),
    ("need", Modality::Required),
    ("shall", Modality::Required),
    ("may", Modality::Permitted),
    ("can", Modality::Permitted),
    ("could", Modality::Permitted),
    ("allowed", Modality::Permitted),
    ("allows", Modality::Permitted),
    ("permitted", Modality::Permitted),
    ("free to", Modality::Permitted),
    ("up to the", Modality::Permitted),
    ("up to each", Modality::Permitted),
    ("up to its", Modality::Permitted),
    ("up to their", Modality::Permitted),
    ("up to them", Modality::Permitted),
    ("up to him", Modality::Permitted),
    ("up to whoever", Modality::Permitted),
    ("left to", Modality::Permitted),
    ("discretion", Modality::Permitted),
    ("taste", Modality::Permitted),
    ("own choice", Modality::Permitted),
    ("choice is", Modality::Permitted),
    ("they like", Modality::Permitted),
    ("he likes", Modality::Permitted),
    ("they please", Modality::Permitted),
    ("is fine", Modality::Permitted),
    ("are fine", Modality::Permitted),
    ("fine too", Modality::Permitted),
    ("is ok", Modality::Permitted),
    ("are ok", Modality::Permitted),
    ("tolerated", Modality::Permitted),
    ("acceptable", Modality::Permitted),
    ("decides", Modality::Permitted),
    ("decide", Modality::Permitted),
    ("is free", Modality::Permitted),
    ("are free", Modality::Permitted),
    ("no convention", Modality::NotRequired),
    ("no rule", Modality::NotRequired),
    ("no requirement", Modality::NotRequired),
    ("no policy", Modality::NotRequired),
    ("nice to have", Modality::NotRequired),
    ("suggestion", Modality::Recommended),
    ("choose", Modality::Permitted),
    ("chooses", Modality::Permitted),
    ("should", Modality::Recommended),
    ("recommended", Modality::Recommended),
    ("preferred", Modality::Recommended),
    ("prefer", Modality::Recommended),
];

/// Phrases of quantity.
const QUANTITY_PHRASES: &[(&str, Quantifier)] = &[
    ("only some", Quantifier::Some),
    ("only a few", Quantifier::Some),
    ("not all", Quantifier::Some),
    ("not every", Quantifier::Some),
    ("except", Quantifier::Except),
    ("other than", Quantifier::Except),
    ("apart from", Quantifier::Except),
    ("excepted", Quantifier::Except),
    ("but the", Quantifier::Except),
    ("unless", Quantifier::Except),
    ("only", Quantifier::Only),
    ("alone", Quantifier::Only),
    ("solely", Quantifier::Only),
    ("exclusively", Quantifier::Only),
    ("sole", Quantifier::Only),
    ("nothing but", Quantifier::Only),
    ("nothing else", Quantifier::Only),
    ("no other", Quantifier::Only),
    ("nobody else", Quantifier::Only),
    ("none", Quantifier::None),
    ("no", Quantifier::None),
    ("nobody", Quantifier::None),
    ("nothing", Quantifier::None),
    ("never", Quantifier::None),
    ("neither", Quantifier::None),
    ("without any", Quantifier::None),
    ("all", Quantifier::All),
    ("every", Quantifier::All),
    ("each", Quantifier::All),
    ("always", Quantifier::All),
    ("any", Quantifier::All),
    ("anyone", Quantifier::All),
    ("anybody", Quantifier::All),
    ("everyone", Quantifier::All),
    ("everybody", Quantifier::All),
    ("everything", Quantifier::All),
    ("everywhere", Quantifier::All),
    ("throughout", Quantifier::All),
    ("whole", Quantifier::All),
    ("entire", Quantifier::All),
    ("whatever", Quantifier::All),
    ("both", Quantifier::All),
    ("some", Quantifier::Some),
    ("sometimes", Quantifier::Some),
    ("most", Quantifier::Some),
    ("mostly", Quantifier::Some),
    ("usually", Quantifier::Some),
    ("often", Quantifier::Some),
    ("few", Quantifier::Some),
    ("several", Quantifier::Some),
    ("occasionally", Quantifier::Some),
    ("half", Quantifier::Some),
    ("rarely", Quantifier::Some),
];

/// Returns how binding a statement is: the strictest that it says.
pub(super) fn modality(tokens: &[Token<'_>]) -> Modality {
    static TABLE: OnceLock<PhraseTable<Modality>> = OnceLock::new();
    let table = TABLE.get_or_init(|| PhraseTable::new(MODAL_PHRASES.iter().copied()));
    let found = (0..tokens.len()).filter_map(|at| table.at(tokens, at).next());
    found.max().unwrap_or(Modality::Plain)
}

/// Returns of how much a statement holds.
pub(super) fn quantifier(tokens: &[Token<'_>]) -> Quantifier {
    static TABLE: OnceLock<PhraseTable<Quantifier>> = OnceLock::new();
    let table = TABLE.get_or_init(|| PhraseTable::new(QUANTITY_PHRASES.iter().copied()));
    let is_limit = |at: usize| {
        matches!(tokens[at].lower.as_str(), "most" | "no" | "never")
            && (at.checked_sub(1).is_some_and(|before| tokens[before].lower == "at")
                || tokens.get(at + 1).is_some_and(|next| next.lower == "more"))
    };
    let found = (0..tokens.len()).filter(|at| !is_limit(*at));
    let found = found.filter_map(|at| table.at(tokens, at).next());
    found.max().unwrap_or(Quantifier::Plain)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn modality_is_the_strictest_that_a_statement_says() {
        let of = |text: &str| modality(&tokens(text));
        assert_eq!(of("Reviews must not be skipped"), Modality::Forbidden);
        assert_eq!(of("You may merge, but must ask"), Modality::Permitted);
        assert_eq!(of("A signature isn't required"), Modality::NotRequired);
        assert_eq!(of("All commits need a signature"), Modality::Required);
        assert_eq!(of("Commits are signed"), Modality::Plain);
    }

    #[test]
    fn quantifiers_are_recognised() {
        let of = |text: &str| quantifier(&tokens(text));
        assert_eq!(of("All services are logged"), Quantifier::All);
        assert_eq!(of("Only the API is logged"), Quantifier::Only);
        assert_eq!(of("At most five are logged"), Quantifier::Plain);
        assert_eq!(of("None is logged"), Quantifier::None);
        assert_eq!(of("Some are logged"), Quantifier::Some);
    }
}
