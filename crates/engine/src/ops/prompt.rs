//! `heir prompt`: prompts for agents.

pub(crate) mod build;
mod sections;
