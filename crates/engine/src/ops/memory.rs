//! `heir memory` and `heir stats`: the entries of memory documents, and what can be done with
//! memories of every kind.

pub(crate) mod add;
pub(crate) mod archive;
pub(crate) mod clear;
pub(crate) mod connect;
pub(crate) mod focus;
pub(crate) mod ingest;
pub(crate) mod promote;
pub(crate) mod purge;
pub(crate) mod release;
pub(crate) mod resolve;
pub(crate) mod restore;
pub(crate) mod search_archive;
pub(crate) mod session;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod undo;
pub(crate) mod usage;
pub(crate) mod used;
