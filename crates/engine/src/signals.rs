//! What is known about the present work without being said again: open files, the branch, recent errors and
//! collaborators, kept in the local state of this machine.

mod current;
mod stored;
mod work;

pub(crate) use current::CurrentSignals;
pub(crate) use stored::{Signal, SignalKind, StoredSignals};
pub(crate) use work::{RememberedKinds, WorkSignals, reason_from};
