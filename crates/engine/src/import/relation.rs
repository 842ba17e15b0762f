//! Maps the free-form relation names of other tools to Heirloom's relations.

use heirloom_core::Problem;
use heirloom_core::fold::LineLocation;
use heirloom_core::record::{Body, Fact, FactSection, Origin, Record, Relation, RelationRecord};
use uuid::Uuid;

use super::batch::{self, Batch};

/// The direction in which a word expresses a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    /// The ends are swapped: `used_by` is the reverse of `depends_on`.
    Reverse,
}

/// The words for each relation and direction.
const RELATION_WORDS: &[(Relation, Direction, &[&str])] = &[
    (
        Relation::DependsOn,
        Direction::Forward,
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
        Direction::Reverse,
        &["required_by", "needed_by", "used_by", "imported_by", "called_by", "blocks", "hosts"],
    ),
    (
        Relation::Contradicts,
        Direction::Forward,
        &["contradicts", "conflicts_with", "incompatible_with", "disagrees_with", "refutes"],
    ),
    (Relation::Contradicts, Direction::Reverse, &["contradicted_by", "refuted_by"]),
    (Relation::Enables, Direction::Forward, &["enables", "supports", "allows", "unblocks"]),
    (Relation::Enables, Direction::Reverse, &["enabled_by", "supported_by", "unblocked_by"]),
    (Relation::Replaces, Direction::Forward, &["replaces", "supersedes", "obsoletes"]),
    (Relation::Replaces, Direction::Reverse, &["replaced_by", "superseded_by", "obsoleted_by"]),
    (
        Relation::MotivatedBy,
        Direction::Forward,
        &["motivated_by", "because", "because_of", "caused_by", "driven_by", "due_to"],
    ),
    (Relation::MotivatedBy, Direction::Reverse, &["motivates", "causes", "leads_to"]),
];

/// A relation as another tool wrote it.
pub(super) struct ForeignRelation<'l> {
    /// The origin of the new record.
    pub(super) origin: Origin,
    /// The name of the relation.
    pub(super) words: &'l str,
    /// The source: its name and its record, if one was imported.
    pub(super) from: (&'l str, Option<Uuid>),
    /// The target: its name and its record, if one was imported.
    pub(super) to: (&'l str, Option<Uuid>),
    /// The description. If it is empty, a name that is more specific than Heirloom's is kept instead.
    pub(super) content: String,
}

impl ForeignRelation<'_> {
    /// Does the same as [`ForeignRelation::draft`], but keeps a relation that Heirloom does not have, or one whose end was
    /// not imported, as a fact in words.
    pub(super) fn draft_or_sentence(
        self,
        place: &LineLocation,
        batch: &Batch<'_, '_>,
    ) -> Result<Record, Problem> {
        let has_ends = self.from.1.is_some() && self.to.1.is_some();
        if has_ends && parse(self.words).is_some() {
            self.draft(place, batch)
        } else {
            Ok(self.draft_sentence(place, batch))
        }
    }

    /// Creates the record of the relation, or the problem that prevents it.
    pub(super) fn draft(
        self,
        place: &LineLocation,
        batch: &Batch<'_, '_>,
    ) -> Result<Record, Problem> {
        let Some((relation, direction)) = parse(self.words) else {
            let supported = Relation::ALL.map(Relation::as_str).join(", ");
            let message = format!("the relation `{}` is not supported", self.words);
            return Err(batch::problem(place, message).hint(format!("use one of {supported}")));
        };
        let end = |(name, id): (&str, Option<Uuid>)| {
            let relation = self.words;
            id.ok_or_else(|| {
                let message = format!("`{name}`, an end of the relation `{relation}`, is missing");
                batch::problem(place, message).hint("no fact about it was imported")
            })
        };
        let (mut from, mut to) = (end(self.from)?, end(self.to)?);
        if from == to {
            let message = format!("the relation `{}` connects a fact with itself", self.words);
            return Err(batch::problem(place, message));
        }
        if direction == Direction::Reverse {
            (from, to) = (to, from);
        }
        let (from, to) = (from.into(), to.into());
        let is_specific = direction == Direction::Forward && self.words != relation.as_str();
        let content = match self.content {
            empty if empty.is_empty() && is_specific => self.words.to_owned(),
            content => content,
        };
        let edge = RelationRecord { from, to, relation, content };
        Ok(batch.draft(self.origin, Body::Edge(edge)))
    }

    /// Creates a fact that states the relation: `Ada works at Larkspur`.
    fn draft_sentence(self, place: &LineLocation, batch: &Batch<'_, '_>) -> Record {
        let words = self.words.replace(['_', '-'], " ");
        let mut content = format!("{} {} {}", self.from.0, words.trim(), self.to.0);
        if !self.content.is_empty() {
            content.push_str(&format!(" ({})", self.content));
        }
        let section = FactSection::Architecture;
        let key = Some(self.from.0.to_owned());
        let fact = Fact { section, content, key, value: None, scope: None };
        let mut record = batch.draft(self.origin, Body::Fact(fact));
        record.source = Some(place.path.to_string());
        record
    }
}

/// Parses the name of a relation, ignoring case and the separators between words.
fn parse(words: &str) -> Option<(Relation, Direction)> {
    let parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let word = parts.collect::<Vec<_>>().join("_").to_lowercase();
    let found = RELATION_WORDS.iter().find(|(_, _, words)| words.contains(&word.as_str()));
    found.map(|(relation, direction, _)| (*relation, *direction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_map_to_relations_in_both_directions() {
        assert_eq!(parse("Depends on"), Some((Relation::DependsOn, Direction::Forward)));
        assert_eq!(parse("SUPERSEDED-BY"), Some((Relation::Replaces, Direction::Reverse)));
        assert_eq!(parse("relates_to"), None);
        assert_eq!(parse(""), None);
        for relation in Relation::ALL {
            assert_eq!(parse(relation.as_str()), Some((relation, Direction::Forward)));
        }
    }
}
