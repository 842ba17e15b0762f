//! `heir index`: the index that recall reads.

pub(crate) mod rebuild;
pub(crate) mod status;
