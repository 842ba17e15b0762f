//! Names of levels that the settings know and that have no files yet. Git keeps no empty folders, so a stage that has not
//! begun has none.

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::name;
use heirloom_store::{Config, Root, layout};

use crate::Error;

/// Removes names that have no files yet, and returns them with their levels: stages of the settings, and agents with a
/// role of their own. A stage that is neither there nor in the settings is an error.
pub(crate) fn take_new_names(
    root: &Root,
    config: &Config,
    hierarchy_name: &str,
    hierarchy: &Hierarchy,
    names: &mut Selectors,
) -> Result<Vec<(String, String)>, Error> {
    let is_known = |level: &str, name: &str| is_known(config, hierarchy_name, level, name);
    let has_files = |level: &str, typed: &str| {
        hierarchy.level(level).is_none_or(|level| has_files(root, hierarchy, level, names, typed))
    };
    if let Some(typed) = names.get("stage").filter(|typed| {
        hierarchy_name == hierarchy::SPRINTS
            && !is_known("stage", typed)
            && name::unsafe_reason(typed).is_none()
            && !has_files("stage", typed)
    }) {
        let stages = config.stages();
        let similar = name::nearest(typed, stages.iter().map(String::as_str), 3);
        let candidates = if similar.is_empty() { stages } else { similar };
        return Err(Error::not_found(format!("there is no stage `{typed}`"), candidates)
            .hint("add it to `stages` in the settings, or complete it with an artifact"));
    }
    let new: Vec<(String, String)> = names
        .iter()
        .filter(|(level, name)| is_known(level, name) && !has_files(level, name))
        .map(|(level, name)| (level.clone(), name.clone()))
        .collect();
    names.retain(|level| !new.iter().any(|(other, _)| other == level));
    Ok(new)
}

/// Returns whether the settings know a name of a level.
pub(crate) fn is_known(config: &Config, hierarchy_name: &str, level: &str, name: &str) -> bool {
    match level {
        "stage" => {
            hierarchy_name == hierarchy::SPRINTS
                && config.stages().iter().any(|stage| stage == name)
        }
        "agent" => config.token_allocation(hierarchy_name).contains_key(name),
        _ => false,
    }
}

fn has_files(
    root: &Root,
    hierarchy: &Hierarchy,
    level: &Level,
    names: &Selectors,
    typed: &str,
) -> bool {
    // The levels above may be typed as numbers.
    let is_above = |name: &str| name != level.name && level.required_levels().contains(&name);
    let above = names.iter().filter(|(name, _)| is_above(name));
    let above: Selectors = above.map(|(name, typed)| (name.clone(), typed.clone())).collect();
    let Ok(above) = layout::resolve_selectors(root, hierarchy, &above) else { return true };
    let found = layout::list_names(root, level, &above).unwrap_or_default();
    let found = name::find_loosely(typed, found.iter().map(String::as_str));
    !matches!(found, name::Match::Unknown(_))
}
