//! How often memories were retrieved, cited and ignored on this machine, and what is injected during a work session.

mod injected;
mod log;
mod read_logs;

pub(crate) use injected::{
    InjectedMemory, forget_injected, read_injected, record_injected, remove_injected,
};
pub(crate) use log::{
    Usage, UsageReport, append_events, append_moves, append_returns, append_times, append_used_with,
};
