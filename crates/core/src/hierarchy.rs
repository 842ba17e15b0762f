//! Hierarchies as data: which levels there are, which files they read, in which order.
//!
//! A pattern is a path with `/`. `{plan}` stands for the selected name of that level and
//! `{plan.number}` for the digits it starts with; `*` in the last component lists a folder; `a|b`
//! reads whichever of the two exists.

mod selectors;

pub use selectors::Selectors;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name;

/// An ordered list of levels, lowest priority first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hierarchy {
    /// The levels, lowest priority first.
    pub levels: Vec<Level>,
}

/// One level of a hierarchy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Its name, which is also the name of its selector.
    pub name: String,
    /// Higher is more specific.
    pub priority: i64,
    /// Files that were there before this hierarchy was: read first, so that the level's own win.
    #[serde(skip)]
    pub adopted: Vec<String>,
    /// Files that are always read, in order; a later one wins. The first is the level's main
    /// document.
    #[serde(default)]
    pub always: Vec<String>,
    /// Files that are read if there is room for them, after the others.
    #[serde(default)]
    pub if_room: Vec<String>,
    /// The level's memory file, read last.
    #[serde(default)]
    pub memory: Option<String>,
    /// Its share of a token budget.
    #[serde(default)]
    pub share: f64,
    /// The level whose documents name this one in their front matter (`project: billing`).
    #[serde(default)]
    pub named_by: Option<String>,
}

/// The name of the hierarchy that is used unless another is asked for.
pub const DEFAULT: &str = "plans";

/// Returns the hierarchies that are built in.
pub fn built_in() -> IndexMap<String, Hierarchy> {
    let plans = vec![
        level(
            "workspace",
            0,
            0.1,
            &[".heirloom/workspace.md", ".heirloom/context/*.md"],
            &["plans/Roadmap.md|plans/ROADMAP.md|plans/roadmap.md"],
            None,
        ),
        Level {
            named_by: Some("plan".into()),
            ..level("project", 10, 0.2, &[".heirloom/projects/{project}/project.md"], &[], None)
        },
        level(
            "plan",
            20,
            0.3,
            &[
                "plans/{plan}/{plan}-plan.md|plans/{plan}/{plan.number}-plan.md|plans/{plan}/plan.md",
                "plans/{plan}/context.md",
            ],
            &[],
            Some("plans/{plan}/plan.memory.md"),
        ),
        level(
            "agent",
            30,
            0.4,
            &["plans/{plan}/agents/{agent}.md|plans/{plan}/agents/{agent}.agent.md"],
            &[],
            Some("plans/{plan}/agents/{agent}.memory.md"),
        ),
    ];
    let sprints = vec![
        level(
            "project",
            0,
            0.1,
            &["CLAUDE.md|.memory/project/CLAUDE.md", ".memory/project/conventions/*.md"],
            &[".memory/project/decisions/*.md"],
            None,
        ),
        level(
            "sprint",
            10,
            0.2,
            &[
                ".memory/sprint/{sprint}/goals.md",
                ".memory/sprint/{sprint}/progress.json",
                ".memory/sprint/{sprint}/context.md",
            ],
            &[".memory/sprint/{sprint}/retrospectives/*.md"],
            Some(".memory/sprint/{sprint}/knowledge.md"),
        ),
        level(
            "stage",
            20,
            0.3,
            &[
                ".memory/stage/{stage}/artifacts/*|.memory/stage/{stage}/current_artifacts/*",
                ".memory/stage/{stage}/feedback.md",
                ".memory/stage/{stage}/metrics.json",
            ],
            &[".memory/stage/{stage}/summary.md|.memory/stage/{stage}/previous_stage_summary.md"],
            None,
        ),
        level(
            "agent",
            30,
            0.4,
            &[
                ".memory/agent/{agent}/prompt.md|.memory/agent/{agent}/prompt_template.md",
                ".memory/agent/{agent}/tools.yaml|.memory/agent/{agent}/tools_config.yaml",
            ],
            &[".memory/agent/{agent}/context.json|.memory/agent/{agent}/recent_actions.json"],
            None,
        ),
    ];
    const SCOPES: [&str; 3] =
        ["{workspace}", "{workspace}/{domain}", "{workspace}/{domain}/{repository}"];
    let domains = ["workspace", "domain", "repository"]
        .into_iter()
        .zip(SCOPES)
        .enumerate()
        .map(|(depth, (name, scope))| {
            let always = vec![
                format!("resources/workspaces/{scope}/OVERVIEW.md"),
                format!("user/memory/workspaces/{scope}/decisions.md"),
                format!("user/memory/workspaces/{scope}/lessons.md"),
            ];
            let adopted = if depth == 0 { vec!["agent/rules/common/*.md".into()] } else { vec![] };
            let if_room = ["_plans", "_architecture", "_features", "_spikes"]
                .iter()
                .map(|folder| format!("resources/workspaces/{scope}/{folder}/*.md"))
                .collect();
            Level {
                name: name.into(),
                priority: depth as i64 * 10,
                adopted,
                always,
                if_room,
                memory: None,
                share: [0.3, 0.3, 0.4][depth],
                named_by: None,
            }
        })
        .collect();
    [(DEFAULT, plans), ("sprints", sprints), ("domains", domains)]
        .into_iter()
        .map(|(name, levels)| (name.to_owned(), Hierarchy { levels }))
        .collect()
}

fn level(
    name: &str,
    priority: i64,
    share: f64,
    always: &[&str],
    if_room: &[&str],
    memory: Option<&str>,
) -> Level {
    let owned = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    Level {
        name: name.into(),
        priority,
        adopted: vec![],
        always: owned(always),
        if_room: owned(if_room),
        memory: memory.map(str::to_owned),
        share,
        named_by: None,
    }
}

impl Hierarchy {
    /// Returns the level with this name.
    pub fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.name == name)
    }

    /// Returns what is wrong with a hierarchy that a user wrote, if anything is.
    pub fn defect(&self) -> Option<String> {
        if self.levels.is_empty() {
            return Some("it has no levels".into());
        }
        for (at, level) in self.levels.iter().enumerate() {
            if let Some(reason) = name::unsafe_reason(&level.name) {
                return Some(format!("level {:?} cannot be called that: {reason}", level.name));
            }
            if self.levels[..at].iter().any(|other| other.name == level.name) {
                return Some(format!("level `{}` is there twice", level.name));
            }
            if at > 0 && self.levels[at - 1].priority > level.priority {
                return Some(format!(
                    "level `{}` has a lower priority than the one before it; list them lowest first",
                    level.name
                ));
            }
            if let Some(naming) =
                level.named_by.as_ref().filter(|naming| self.level(naming).is_none())
            {
                return Some(format!(
                    "level `{}` is named by `{naming}`, and there is no level of that name",
                    level.name
                ));
            }
            if level.is_selected() && level.name_sites().is_empty() {
                return Some(format!(
                    "level `{0}`: a part of a path must start with `{{{0}}}`, so that its names can be listed",
                    level.name
                ));
            }
            if let Some(defect) = level.patterns().find_map(|pattern| self.pattern_defect(pattern))
            {
                return Some(format!("level `{}`: {defect}", level.name));
            }
        }
        None
    }

    fn pattern_defect(&self, pattern: &str) -> Option<String> {
        for alternative in pattern.split('|') {
            let (folder, file) = alternative.rsplit_once('/').unwrap_or(("", alternative));
            if alternative.starts_with('/')
                || alternative.contains('\\')
                || alternative.split('/').any(|part| part == ".." || part.is_empty())
            {
                return Some(format!(
                    "pattern `{alternative}` must be a path below the root, with `/`"
                ));
            }
            if alternative.matches('{').count() != variables(alternative).count()
                || alternative.matches('}').count() != variables(alternative).count()
            {
                return Some(format!("pattern `{alternative}` has a brace without its other half"));
            }
            if folder.contains('*') || file.matches('*').count() > 1 {
                return Some(format!("pattern `{alternative}` may have one `*`, in its last part"));
            }
            if let Some(unknown) = variables(alternative)
                .find(|variable| self.level(variable.trim_end_matches(".number")).is_none())
            {
                return Some(format!(
                    "pattern `{alternative}` uses `{{{unknown}}}`, and there is no level of that name"
                ));
            }
        }
        None
    }
}

impl Level {
    /// Returns all its patterns in the order in which they are read.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.adopted
            .iter()
            .chain(&self.always)
            .chain(&self.if_room)
            .chain(&self.memory)
            .map(String::as_str)
    }

    /// Returns whether a pattern is the one that finds the level's main document.
    pub fn is_main(&self, pattern: &str) -> bool {
        self.always.first().is_some_and(|main| main == pattern)
    }

    /// Returns the names by which a path is the level's main document; `None` if it is not.
    pub fn names_in_main(&self, path: &str) -> Option<Selectors> {
        // `{agent}.md` fits `001.memory.md` as well, which is the memory of the agent `001`.
        if self.memory.as_deref().is_some_and(|memory| names_in(memory, path).is_some()) {
            return None;
        }
        let all = self.always.first()?.split('|').filter_map(|pattern| names_in(pattern, path));
        // `{agent}.md` fits `001.agent.md` too; the pattern that leaves less to the name is meant.
        all.min_by_key(|names| names.values().map(String::len).sum::<usize>())
    }

    /// Returns the names by which a path lies in a folder that belongs to one name of the level:
    /// `plans/0042-graph/agents/001.md` lies in that of the plan `0042-graph`.
    pub fn names_in_folder(&self, path: &str) -> Option<Selectors> {
        let sites = self.name_sites().into_iter().filter(|(_, ending)| ending.is_empty());
        sites.into_iter().find_map(|(folder, _)| {
            let pattern = joined(folder, &format!("{{{}}}", self.name));
            let depth = pattern.split('/').count();
            let (end, _) = path.match_indices('/').nth(depth - 1)?;
            names_in(&pattern, &path[..end])
        })
    }

    /// Returns the files and folders that belong to one name of the level, there or not.
    pub fn parts(&self, selectors: &Selectors) -> Vec<String> {
        let Some(name) = selectors.get(&self.name) else { return vec![] };
        let path = |(folder, ending): (&str, &str)| {
            Some(joined(&expand(folder, selectors)?, &format!("{name}{ending}")))
        };
        self.name_sites().into_iter().filter_map(path).collect()
    }

    /// Returns the names of the levels that must be selected before this one can be read.
    pub fn needs(&self) -> Vec<&str> {
        let mut needs: Vec<&str> = self
            .patterns()
            .flat_map(variables)
            .map(|variable| variable.trim_end_matches(".number"))
            .collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// Returns whether one of its names must be chosen.
    pub fn is_selected(&self) -> bool {
        self.needs().contains(&self.name.as_str())
    }

    /// Returns the folders in which its names are found, with what follows a name there:
    /// `plans/{plan}/agents/{agent}.md` gives (`plans/{plan}/agents`, `.md`).
    pub fn name_sites(&self) -> Vec<(&str, &str)> {
        let variable = format!("{{{}}}", self.name);
        let mut sites: Vec<(&str, &str)> = self
            .patterns()
            .flat_map(|pattern| pattern.split('|'))
            .filter_map(|pattern| {
                let at = pattern.find(&variable)?;
                let folder = pattern[..at].strip_suffix('/').or((at == 0).then_some(""))?;
                let after = &pattern[at + variable.len()..];
                Some((folder, after.split('/').next().unwrap_or("")))
            })
            .collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// Returns the names in braces in a pattern.
pub fn variables(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(variable, _)| variable))
}

/// Returns the names that make a path of one alternative of a pattern; `None` if none do. A name
/// that starts with `.` or `_` is none.
pub fn names_in(pattern: &str, path: &str) -> Option<Selectors> {
    let mut selectors = Selectors::new();
    for (pattern, part) in pattern.split('/').zip(path.split('/')) {
        let Some((variable, ending)) =
            pattern.strip_prefix('{').and_then(|rest| rest.split_once('}'))
        else {
            continue;
        };
        let is_plain = !variable.ends_with(".number") && !ending.contains(['{', '*']);
        if is_plain && !selectors.contains_key(variable) {
            let name = part.strip_suffix(ending).filter(|name| !name.starts_with(['.', '_']))?;
            selectors.insert(variable.to_owned(), name.to_owned());
        }
    }
    let has_names = selectors.values().all(|name| !name.is_empty());
    (has_names && expand(pattern, &selectors).as_deref() == Some(path)).then_some(selectors)
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Puts the selected names into one alternative of a pattern; `None` when one is not selected.
pub fn expand(pattern: &str, selectors: &Selectors) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (variable, after) = after.split_once('}')?;
        out.push_str(before);
        match variable.strip_suffix(".number") {
            Some(level) => out.push_str(name::leading_number(selectors.get(level)?)?),
            None => out.push_str(selectors.get(variable)?),
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_ones_are_sound() {
        for (name, hierarchy) in built_in() {
            assert_eq!(hierarchy.defect(), None, "{name}");
        }
    }

    #[test]
    fn defects_are_named() {
        let broken = |always: &str| {
            Hierarchy { levels: vec![level("team", 0, 1.0, &[always], &[], None)] }.defect()
        };
        assert!(broken("../x.md").unwrap().contains("below the root"));
        assert!(broken("a/*/b.md").unwrap().contains("one `*`"));
        assert!(broken("{plan}/x.md").unwrap().contains("no level of that name"));
        assert!(broken("x/{team").unwrap().contains("brace"));
        assert!(broken("teams/team-{team}.md").unwrap().contains("must start with"));
        assert_eq!(broken("teams/{team}/*.md"), None);
    }

    #[test]
    fn patterns_expand() {
        let selectors: Selectors =
            [("plan".to_owned(), "0042-graph".to_owned())].into_iter().collect();
        assert_eq!(
            expand("plans/{plan}/{plan.number}-plan.md", &selectors).as_deref(),
            Some("plans/0042-graph/0042-plan.md")
        );
        assert_eq!(expand("plans/{agent}.md", &selectors), None);
    }

    #[test]
    fn a_path_tells_the_names_that_lead_to_it() {
        let plans = &built_in()["plans"];
        let main = |level: &str, path: &str| {
            let names = plans.level(level).unwrap().names_in_main(path)?;
            Some(names.values().cloned().collect::<Vec<_>>().join(" "))
        };
        for file in ["0042-graph-plan", "0042-plan", "plan"] {
            let path = format!("plans/0042-graph/{file}.md");
            assert_eq!(main("plan", &path).as_deref(), Some("0042-graph"), "{path}");
        }
        for path in ["plans/a/agents/001-x.md", "plans/a/agents/001-x.agent.md"] {
            assert_eq!(main("agent", path).as_deref(), Some("a 001-x"), "{path}");
        }
        for path in ["plans/a/agents/001-x.memory.md", "plans/a/context.md", "plans/_a/plan.md"] {
            assert_eq!((main("plan", path), main("agent", path)), (None, None), "{path}");
        }
        let plan = plans.level("plan").unwrap();
        let names = plan.names_in_folder("plans/a/agents/001-x.md").unwrap();
        assert_eq!(plan.parts(&names), ["plans/a"]);
        assert_eq!(plan.names_in_folder("plans/Roadmap.md"), None);
        let agent = plans.level("agent").unwrap();
        let names = agent.names_in_main("plans/a/agents/001-x.md").unwrap();
        assert_eq!(
            agent.parts(&names),
            [
                "plans/a/agents/001-x.agent.md",
                "plans/a/agents/001-x.md",
                "plans/a/agents/001-x.memory.md"
            ]
        );
    }

    #[test]
    fn names_are_found_where_the_patterns_say() {
        let plans = &built_in()["plans"];
        assert_eq!(plans.level("plan").unwrap().name_sites(), [("plans", "")]);
        assert_eq!(
            plans.level("agent").unwrap().name_sites(),
            [
                ("plans/{plan}/agents", ".agent.md"),
                ("plans/{plan}/agents", ".md"),
                ("plans/{plan}/agents", ".memory.md")
            ]
        );
        assert!(!plans.level("workspace").unwrap().is_selected());
    }
}
