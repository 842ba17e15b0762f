//! The role of an agent, which decides how a budget is split.

use heirloom_core::hierarchy::Hierarchy;
use heirloom_core::{Problem, name};
use heirloom_store::Config;
use heirloom_store::config::DEFAULT_ROLE;
use heirloom_store::layout::DocumentRole;

use crate::Error;
use crate::workspace::inherit::Inheritance;

/// The shares of the levels, in the order in which they are served, and the role that they come from.
#[derive(Debug)]
pub(crate) struct RoleShares {
    /// The role; `None` if the shares are those of the levels.
    pub(crate) role: Option<String>,
    /// The share of each level, the most specific first.
    pub(crate) shares: Vec<f64>,
    /// A role that a document states and that the settings do not define.
    pub(crate) problem: Option<Problem>,
}

/// Returns the shares of the levels: those of the role that the request names, else of the role that the document of
/// the agent states, else of the role with the name of the agent, else those of the role `default`, else those of the
/// levels.
pub(crate) fn role_shares(
    config: &Config,
    hierarchy: &Hierarchy,
    inherited: &Inheritance,
    requested: Option<&str>,
    agent: Option<&str>,
) -> Result<RoleShares, Error> {
    let allocation = config.token_allocation(&inherited.hierarchy);
    let names = || allocation.keys().cloned().collect::<Vec<_>>();
    if let Some(role) = requested.filter(|role| !allocation.contains_key(*role)) {
        let similar = name::nearest(role, allocation.keys().map(String::as_str), 3);
        let candidates = if similar.is_empty() { names() } else { similar };
        return Err(Error::not_found(format!("there is no role `{role}`"), candidates)
            .hint("define it under `token_allocation` in the settings"));
    }
    let (stated, problem) = match stated_role(inherited) {
        Some((role, _)) if allocation.contains_key(&role) => (Some(role), None),
        Some((role, place)) => {
            let hint =
                format!("define it under `token_allocation`; its roles are {}", names().join(", "));
            let problem = Problem { message: format!("there is no role `{role}`"), ..place };
            (None, Some(problem.hint(hint)))
        }
        None => (None, None),
    };
    let known = |role: &&str| allocation.contains_key(*role);
    let role = requested
        .or(stated.as_deref())
        .or_else(|| agent.filter(known))
        .or_else(|| Some(DEFAULT_ROLE).filter(known));
    let levels = hierarchy.levels.iter().rev();
    let shares = match role.and_then(|role| allocation.get(role)) {
        Some(shares) => {
            levels.map(|level| shares.get(&level.name).copied().unwrap_or(0.0)).collect()
        }
        None if hierarchy.levels.iter().all(|level| level.share == 0.0) => {
            vec![1.0 / hierarchy.levels.len() as f64; hierarchy.levels.len()]
        }
        None => levels.map(|level| level.share).collect(),
    };
    Ok(RoleShares { role: role.map(str::to_owned), shares, problem })
}

/// Returns the role that the main document of the most specific level states, and its place.
fn stated_role(inherited: &Inheritance) -> Option<(String, Problem)> {
    let mut mains = inherited.placed.iter().rev();
    let document = &mains
        .find(|placed| placed.role == DocumentRole::Main && placed.level == "agent")?
        .document;
    let role = document.field("role")?;
    Some((role.to_owned(), Problem::at(&document.path, document.line_of("role"), "")))
}
