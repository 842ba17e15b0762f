//! Relations that other tools name freely, as one of the five.

use heirloom_core::Problem;
use heirloom_core::fold::Place;
use heirloom_core::record::{Body, Edge, Record, Relation};
use uuid::Uuid;

use super::batch::{self, Batch};

/// Which way a word points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    There,
    /// Its first end is our second.
    Back,
}

const WORDS: &[(Relation, Way, &[&str])] = &[
    (
        Relation::DependsOn,
        Way::There,
        &[
            "depends_on",
            "depends_upon",
            "requires",
            "needs",
            "uses",
            "runs_on",
            "relies_on",
            "builds_on",
            "built_on",
            "built_with",
            "hosted_on",
            "imports",
            "calls",
            "blocked_by",
        ],
    ),
    (
        Relation::DependsOn,
        Way::Back,
        &["required_by", "needed_by", "used_by", "imported_by", "called_by", "blocks", "hosts"],
    ),
    (
        Relation::Contradicts,
        Way::There,
        &["contradicts", "conflicts_with", "incompatible_with", "disagrees_with", "refutes"],
    ),
    (Relation::Contradicts, Way::Back, &["contradicted_by", "refuted_by"]),
    (Relation::Enables, Way::There, &["enables", "supports", "allows", "unblocks"]),
    (Relation::Enables, Way::Back, &["enabled_by", "supported_by", "unblocked_by"]),
    (Relation::Replaces, Way::There, &["replaces", "supersedes", "obsoletes"]),
    (Relation::Replaces, Way::Back, &["replaced_by", "superseded_by", "obsoleted_by"]),
    (
        Relation::MotivatedBy,
        Way::There,
        &["motivated_by", "because", "because_of", "caused_by", "driven_by", "due_to"],
    ),
    (Relation::MotivatedBy, Way::Back, &["motivates", "causes", "leads_to"]),
];

/// A relation as another tool wrote it.
pub(super) struct Link<'l> {
    /// What it is taken from.
    pub(super) origin: String,
    /// What it says.
    pub(super) words: &'l str,
    /// Where it starts, by name and as a record.
    pub(super) from: (&'l str, Option<Uuid>),
    /// Where it leads, by name and as a record.
    pub(super) to: (&'l str, Option<Uuid>),
    /// Why; where nothing is said, a word that says more than ours is kept.
    pub(super) content: String,
}

impl Link<'_> {
    /// Makes the record of it, or says why it cannot be taken.
    pub(super) fn draft(self, place: &Place, batch: &Batch<'_, '_>) -> Result<Record, Problem> {
        let Some((relation, way)) = read(self.words) else {
            let five = Relation::ALL.map(Relation::word).join(", ");
            let message = format!("the relation `{}` is none that is kept here", self.words);
            return Err(batch::problem(place, message).hint(format!("name one of {five}")));
        };
        let end = |(name, id): (&str, Option<Uuid>)| {
            let message = || format!("the relation `{}` has no end: `{name}`", self.words);
            id.ok_or_else(|| batch::problem(place, message()).hint("nothing was taken from it"))
        };
        let (mut from, mut to) = (end(self.from)?, end(self.to)?);
        if from == to {
            let message = format!("the relation `{}` leads back to where it starts", self.words);
            return Err(batch::problem(place, message));
        }
        if way == Way::Back {
            (from, to) = (to, from);
        }
        let (from, to) = (from.to_string(), to.to_string());
        let says_more = way == Way::There && self.words != relation.word();
        let content = match self.content {
            empty if empty.is_empty() && says_more => self.words.to_owned(),
            content => content,
        };
        let edge = Edge { from, to, relation, content };
        Ok(batch.draft(self.origin, Body::Edge(edge)))
    }
}

/// Reads a relation in whatever case and with whatever between its words.
fn read(words: &str) -> Option<(Relation, Way)> {
    let parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let word = parts.collect::<Vec<_>>().join("_").to_lowercase();
    let found = WORDS.iter().find(|(_, _, own)| own.contains(&word.as_str()));
    found.map(|(relation, way, _)| (*relation, *way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_both_ways() {
        assert_eq!(read("Depends on"), Some((Relation::DependsOn, Way::There)));
        assert_eq!(read("SUPERSEDED-BY"), Some((Relation::Replaces, Way::Back)));
        assert_eq!(read("relates_to"), None);
        assert_eq!(read(""), None);
        for relation in Relation::ALL {
            assert_eq!(read(relation.word()), Some((relation, Way::There)));
        }
    }
}
