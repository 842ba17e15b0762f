//! `heir learn`: the files of decisions and lessons.

pub(crate) mod add;
pub(crate) mod archive;
pub(crate) mod promote;
