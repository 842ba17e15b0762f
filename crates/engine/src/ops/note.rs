//! `heir note` and `heir notes`.

pub(crate) mod add;
pub(crate) mod done;
pub(crate) mod list;
pub(crate) mod promote;
