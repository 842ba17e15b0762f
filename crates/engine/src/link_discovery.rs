//! Looks for relations between memories and keeps the proposals for review on this machine.
//!
//! [`heirloom_core::link_discovery`] decides what is proposed. Only memories and decision records that changed since they
//! were last looked at are looked at again.

mod memories;
mod seen;
mod stored;
mod update;

pub(crate) use stored::{LinkDecision, PendingLink, StoredLinks};
pub(crate) use update::update;
