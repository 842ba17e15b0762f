//! `hot`: the rules that every conversation loads, their budgets, and where clients read them.

mod link_report;
pub(crate) mod measure;
mod moved;
pub(crate) mod reviews;

pub(crate) mod check;
pub(crate) mod demote;
pub(crate) mod init;
pub(crate) mod link;
pub(crate) mod promote;
pub(crate) mod reviewed;
pub(crate) mod status;
pub(crate) mod unlink;
