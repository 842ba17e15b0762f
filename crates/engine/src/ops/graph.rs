//! `heir graph`: how documents and memories are related.

pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod show;
