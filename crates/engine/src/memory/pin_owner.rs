//! The owners of pins.

use heirloom_core::record::Record;

/// Whose working memory a pin belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PinOwner<'o> {
    /// Every agent of this machine.
    Shared,
    /// One agent.
    Agent(&'o str),
}

/// Begins the tag of a pin that belongs to one agent.
const AGENT_TAG_PREFIX: &str = "agent:";

impl<'o> PinOwner<'o> {
    /// Returns the owner for whom an agent pins: itself, or all. A person pins for all.
    pub(crate) fn for_request(agent: Option<&'o str>, shared: bool) -> Self {
        agent.filter(|_| !shared).map_or(PinOwner::Shared, PinOwner::Agent)
    }

    /// Returns the owner of the pin that an event sets.
    pub(super) fn of(event: &'o Record) -> Self {
        let agent = event.tags.iter().find_map(|tag| tag.strip_prefix(AGENT_TAG_PREFIX));
        agent.map_or(PinOwner::Shared, PinOwner::Agent)
    }

    /// Returns the name of the agent; `None` for a shared pin.
    pub(super) fn agent(self) -> Option<String> {
        match self {
            PinOwner::Shared => None,
            PinOwner::Agent(agent) => Some(agent.to_owned()),
        }
    }

    /// Returns the tags of an event that pins for this owner.
    pub(crate) fn tags(self) -> Vec<String> {
        match self {
            PinOwner::Shared => vec![],
            PinOwner::Agent(agent) => vec![format!("{AGENT_TAG_PREFIX}{agent}")],
        }
    }
}
