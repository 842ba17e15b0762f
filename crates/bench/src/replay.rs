//! `replay`: replays the git history of a repository, and measures how well commits are predicted.
//!
//! Every commit becomes a memory in the order of time. The later ones are queries: given one of their files, the commits
//! before them are to be predicted that touched their other files, or wrote the lines that change.

mod baselines;
mod blame;
mod queries;
mod report;
mod run;
mod speed;

pub(crate) use run::measure;
