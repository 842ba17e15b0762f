//! The origin of a record.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Referent;

/// Identifies the source that a record was made from. Records with the same origin are the same item, so that a source
/// that is read twice is stored once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(String);

/// Separates an origin from the hash of a later version.
const VERSION_MARK: char = '@';

impl Origin {
    /// The fact that a decision record states once it is accepted.
    pub fn accepted_decision(id: &str) -> Self {
        Origin(format!("adr:{id}#accepted"))
    }

    /// The fact that an entry of a memory document states once it has reached a state: `decided` or `resolved`.
    pub fn entry(id: &str, state: &str) -> Self {
        Origin(format!("{}#{state}", Referent::entry(id)))
    }

    /// The episode of a session.
    pub fn session(id: &str) -> Self {
        Origin(format!("session:{id}"))
    }

    /// The episode of a transcript with a hash.
    pub fn transcript(hash: &str) -> Self {
        Origin(format!("transcript:{hash}"))
    }

    /// The episode of a conversation that its client gave an id.
    pub fn conversation(id: &str) -> Self {
        Origin(format!("conversation:{id}"))
    }

    /// The memory of a statement in a conversation, by the id of its proposal: wherever it was said, and on whichever
    /// machine it was accepted.
    pub fn statement(id: &str) -> Self {
        Origin(format!("statement:{id}"))
    }

    /// A contradiction between two memories, by the id of the pair: wherever it was found.
    pub fn contradiction(id: &str) -> Self {
        Origin(format!("contradiction:{id}"))
    }

    /// The fact that a note was promoted to.
    pub fn note(note: &Referent) -> Self {
        Origin(format!("note:{note}"))
    }

    /// A shorter version of an episode that has no origin, by what the log refers to it by: whichever clone shortened it.
    pub fn shortened(episode: &Referent) -> Self {
        Origin(format!("shortened:{episode}"))
    }

    /// An item of another program's memory: the name of its format, and what identifies the item there.
    pub fn imported(format: &str, item: impl fmt::Display) -> Self {
        Origin(format!("{format}:{item}"))
    }

    /// An event that was derived from an item while it was imported.
    pub fn derived(&self, what: &str) -> Self {
        Origin(format!("{}:{what}", self.0))
    }

    /// A later version of what the origin states.
    pub fn version(&self, hash: &str) -> Self {
        Origin(format!("{}{VERSION_MARK}{hash}", self.0))
    }

    /// Returns whether this is another origin or a later version of it.
    pub fn is_version_of(&self, other: &Origin) -> bool {
        let rest = self.0.strip_prefix(other.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(VERSION_MARK))
    }

    /// Returns the id of the decision record that the record was made from, if it was made from one.
    pub fn decision_record(&self) -> Option<&str> {
        self.0.strip_prefix("adr:")?.split_once("#accepted").map(|(id, _)| id)
    }

    /// Returns the id of the session that the record is the episode of.
    pub fn session_id(&self) -> Option<&str> {
        self.0.strip_prefix("session:")
    }

    /// Returns the entry that the record was made from, if it was made from one.
    pub fn referred_entry(&self) -> Option<Referent> {
        let name = self.0.split('#').next().unwrap_or_default();
        Some(Referent::from(name)).filter(|referent| matches!(referent, Referent::Entry(_)))
    }

    /// Returns its form on disk.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_tells_the_entry_that_it_is_made_from() {
        assert_eq!(Origin::entry("3f2a", "decided").as_str(), "entry:3f2a#decided");
        assert_eq!(
            Origin::entry("3f2a", "decided").referred_entry(),
            Some(Referent::entry("3f2a"))
        );
        assert_eq!(Origin::accepted_decision("ADR-0001").referred_entry(), None);
    }

    #[test]
    fn a_version_belongs_to_its_origin() {
        let origin = Origin::accepted_decision("ADR-0001");
        assert!(origin.version("3f2a").is_version_of(&origin) && origin.is_version_of(&origin));
        assert!(!Origin::accepted_decision("ADR-00011").is_version_of(&origin));
        assert_eq!(origin.version("3f2a").decision_record(), Some("ADR-0001"));
        assert_eq!(Origin::entry("3f2a", "decided").decision_record(), None);
    }

    #[test]
    fn what_is_derived_from_an_imported_item_has_an_origin_of_its_own() {
        let origin = Origin::imported("omegon", "fact:f1");
        assert_eq!(origin.derived("archived").as_str(), "omegon:fact:f1:archived");
    }
}
