//! Hierarchies as data: their levels and the files that each level reads, in order.
//!
//! A pattern is a path with `/`. `{plan}` is replaced by the selected name of that level and
//! `{plan.number}` by the digits that the name starts with; `*` in the last component lists a folder;
//! `a|b` reads the first alternative that exists.

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
    /// The name, which is also the key in [`Selectors`].
    pub name: String,
    /// The priority; a higher one is more specific and wins.
    pub priority: i64,
    /// Files that the settings add (`levels.<name>.files`), such as `CLAUDE.md`. They are read first, so that the level's
    /// own files win.
    #[serde(skip)]
    pub additional: Vec<String>,
    /// Files that are always read, in order; a later one wins. The first pattern finds the main document
    /// of the level.
    #[serde(default)]
    pub always: Vec<String>,
    /// Files that are read after `always`. With a token budget, they share what is left; the newest files of a pattern
    /// come first.
    #[serde(default)]
    pub if_room: Vec<String>,
    /// The memory file of the level, which is read last and remembers what is learnt there.
    #[serde(default)]
    pub memory: Option<String>,
    /// The share of a token budget, from 0 to 1. The files of `always` may exceed it.
    #[serde(default)]
    pub share: f64,
    /// The most tokens that the level may use of a budget.
    #[serde(default)]
    pub max_tokens: Option<usize>,
    /// The folder that the paths of `loading_strategy` are relative to.
    #[serde(skip)]
    pub folder: Option<String>,
    /// The level whose documents name this one in their front matter: a plan with `project: billing` selects the project
    /// `billing`.
    #[serde(default)]
    pub named_by: Option<String>,
}

/// Shares may add up to a little more than 1, since fractions such as 0.1 are not exact.
pub const MAX_SHARE_SUM: f64 = 1.000_001;

/// The name of the hierarchy of sprints.
pub const SPRINTS: &str = "sprints";

/// The name of the default hierarchy.
pub const DEFAULT_HIERARCHY: &str = "plans";

/// Returns the built-in hierarchies by name.
pub fn built_in() -> IndexMap<String, Hierarchy> {
    [(DEFAULT_HIERARCHY, plan_levels()), (SPRINTS, sprint_levels()), ("domains", domain_levels())]
        .into_iter()
        .map(|(name, levels)| (name.to_owned(), Hierarchy { levels }))
        .collect()
}

fn plan_levels() -> Vec<Level> {
    vec![
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
    ]
}

fn sprint_levels() -> Vec<Level> {
    let in_folder = |folder: &str, level: Level| Level { folder: Some(folder.to_owned()), ..level };
    vec![
        in_folder(
            ".memory/project",
            level(
                "project",
                0,
                0.1,
                &["CLAUDE.md|.memory/project/CLAUDE.md", ".memory/project/conventions/*.md"],
                &[".memory/project/decisions/*.md"],
                Some(".memory/project/project.memory.md"),
            ),
        ),
        in_folder(
            ".memory/sprint/{sprint}",
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
        ),
        in_folder(
            ".memory/stage/{stage}",
            level(
                "stage",
                20,
                0.3,
                &[
                    ".memory/stage/{stage}/artifacts/*|.memory/stage/{stage}/current_artifacts/*",
                    ".memory/stage/{stage}/*.json",
                    ".memory/stage/{stage}/feedback.md",
                ],
                &[
                    ".memory/stage/{stage}/previous_stage_summary.md",
                    ".memory/stage/{stage}/summary.md",
                ],
                Some(".memory/stage/{stage}/stage.memory.md"),
            ),
        ),
        in_folder(
            ".memory/agent/{agent}",
            level(
                "agent",
                30,
                0.4,
                &[
                    ".memory/agent/{agent}/prompt.md|.memory/agent/{agent}/prompt_template.md",
                    ".memory/agent/{agent}/tools.yaml|.memory/agent/{agent}/tools_config.yaml",
                ],
                &[".memory/agent/{agent}/context.json|.memory/agent/{agent}/recent_actions.json"],
                Some(".memory/agent/{agent}/agent.memory.md"),
            ),
        ),
    ]
}

fn domain_levels() -> Vec<Level> {
    const SCOPES: [(&str, &str, f64); 3] = [
        ("workspace", "{workspace}", 0.3),
        ("domain", "{workspace}/{domain}", 0.3),
        ("repository", "{workspace}/{domain}/{repository}", 0.4),
    ];
    const OPTIONAL_FOLDERS: [&str; 4] = ["_plans", "_architecture", "_features", "_spikes"];
    SCOPES
        .into_iter()
        .enumerate()
        .map(|(depth, (name, scope, share))| Level {
            name: name.into(),
            priority: depth as i64 * 10,
            additional: if depth == 0 { vec!["agent/rules/common/*.md".into()] } else { vec![] },
            always: vec![
                format!("resources/workspaces/{scope}/OVERVIEW.md"),
                format!("user/memory/workspaces/{scope}/decisions.md"),
                format!("user/memory/workspaces/{scope}/lessons.md"),
            ],
            if_room: OPTIONAL_FOLDERS
                .iter()
                .map(|folder| format!("resources/workspaces/{scope}/{folder}/*.md"))
                .collect(),
            memory: Some(format!("user/memory/workspaces/{scope}/{name}.memory.md")),
            share,
            max_tokens: None,
            folder: None,
            named_by: None,
        })
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
        additional: vec![],
        always: owned(always),
        if_room: owned(if_room),
        memory: memory.map(str::to_owned),
        share,
        max_tokens: None,
        folder: None,
        named_by: None,
    }
}

impl Hierarchy {
    /// Returns the level with this name.
    pub fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.name == name)
    }

    /// Returns a description of the first mistake in a user's hierarchy, if there is one.
    pub fn first_defect(&self) -> Option<String> {
        if self.levels.is_empty() {
            return Some("the hierarchy has no levels".into());
        }
        for (index, level) in self.levels.iter().enumerate() {
            if let Some(reason) = name::unsafe_reason(&level.name) {
                return Some(format!("level {:?} has an invalid name: {reason}", level.name));
            }
            if self.levels[..index].iter().any(|other| other.name == level.name) {
                return Some(format!("level `{}` is defined twice", level.name));
            }
            if index > 0 && self.levels[index - 1].priority > level.priority {
                return Some(format!(
                    "level `{}` has a lower priority than the level before it; list the lowest first",
                    level.name
                ));
            }
            if let Some(naming) =
                level.named_by.as_ref().filter(|naming| self.level(naming).is_none())
            {
                return Some(format!(
                    "level `{}` has `named_by = \"{naming}\"`, but there is no level `{naming}`",
                    level.name
                ));
            }
            if !(0.0..=1.0).contains(&level.share) {
                return Some(format!(
                    "level `{}` has the share {}; a share is a number from 0 to 1",
                    level.name, level.share
                ));
            }
            if level.needs_selection() && level.name_locations().is_empty() {
                return Some(format!(
                    "level `{0}`: one component of a path must start with `{{{0}}}`, so that the names of the level can be listed",
                    level.name
                ));
            }
            if let Some(defect) = level.patterns().find_map(|pattern| self.pattern_defect(pattern))
            {
                return Some(format!("level `{}`: {defect}", level.name));
            }
        }
        let shares: f64 = self.levels.iter().map(|level| level.share).sum();
        (shares > MAX_SHARE_SUM).then(|| {
            format!("the shares of the levels add up to {shares:.2}, which is more than 1")
        })
    }

    /// Returns a description of the first mistake in a pattern, if there is one.
    fn pattern_defect(&self, pattern: &str) -> Option<String> {
        for alternative in pattern.split('|') {
            let (folder, file) = alternative.rsplit_once('/').unwrap_or(("", alternative));
            if alternative.starts_with('/')
                || alternative.contains('\\')
                || alternative.split('/').any(|part| part == ".." || part.is_empty())
            {
                return Some(format!(
                    "pattern `{alternative}` must be a path below the root, with `/` as separator"
                ));
            }
            let variable_count = pattern_variables(alternative).count();
            if alternative.matches('{').count() != variable_count
                || alternative.matches('}').count() != variable_count
            {
                return Some(format!("pattern `{alternative}` has an unmatched brace"));
            }
            if folder.contains('*') || file.matches('*').count() > 1 {
                return Some(format!(
                    "pattern `{alternative}` may have only one `*`, in its last component"
                ));
            }
            if let Some(unknown) = pattern_variables(alternative)
                .find(|variable| self.level(variable.trim_end_matches(".number")).is_none())
            {
                return Some(format!(
                    "pattern `{alternative}` uses `{{{unknown}}}`, but there is no level of that name"
                ));
            }
        }
        None
    }
}

impl Level {
    /// Returns all patterns in the order in which they are read.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.additional
            .iter()
            .chain(&self.always)
            .chain(&self.if_room)
            .chain(&self.memory)
            .map(String::as_str)
    }

    /// Returns whether a pattern finds the main document of the level.
    pub fn is_main_pattern(&self, pattern: &str) -> bool {
        self.always.first().is_some_and(|main| main == pattern)
    }

    /// Returns the selectors for which a path is the main document of the level; `None` if it is not.
    pub fn match_main_document(&self, path: &str) -> Option<Selectors> {
        // `{agent}.md` also matches `001.memory.md`, the memory of the agent `001`.
        if self.memory.as_deref().is_some_and(|memory| match_pattern(memory, path).is_some()) {
            return None;
        }
        let alternatives = self.always.first()?.split('|');
        let matches = alternatives.filter_map(|pattern| match_pattern(pattern, path));
        // `{agent}.md` also matches `001.agent.md`; the alternative with the shortest names is meant.
        matches.min_by_key(|names| names.values().map(String::len).sum::<usize>())
    }

    /// Returns the selectors of the level's folder that contains a path: for
    /// `plans/0042-graph/agents/001.md`, the plan `0042-graph`.
    pub fn match_folder(&self, path: &str) -> Option<Selectors> {
        let folders = self.name_locations().into_iter().filter(|(_, suffix)| suffix.is_empty());
        folders.into_iter().find_map(|(folder, _)| {
            let pattern = join(folder, &format!("{{{}}}", self.name));
            let depth = pattern.split('/').count();
            let (end, _) = path.match_indices('/').nth(depth - 1)?;
            match_pattern(&pattern, &path[..end])
        })
    }

    /// Returns the files and folders of one name of the level, whether they exist or not.
    pub fn paths_of_name(&self, selectors: &Selectors) -> Vec<String> {
        let Some(name) = selectors.get(&self.name) else { return vec![] };
        let path = |(folder, suffix): (&str, &str)| {
            Some(join(&expand_pattern(folder, selectors)?, &format!("{name}{suffix}")))
        };
        self.name_locations().into_iter().filter_map(path).collect()
    }

    /// Returns the levels, usually including this one, for which a name must be selected before this one can be read,
    /// sorted by name.
    pub fn required_levels(&self) -> Vec<&str> {
        let mut levels: Vec<&str> = self
            .patterns()
            .flat_map(pattern_variables)
            .map(|variable| variable.trim_end_matches(".number"))
            .collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Returns whether a name must be selected for this level.
    pub fn needs_selection(&self) -> bool {
        self.required_levels().contains(&self.name.as_str())
    }

    /// Returns the folders that contain the names of the level, each with the suffix after a name:
    /// `plans/{plan}/agents/{agent}.md` gives (`plans/{plan}/agents`, `.md`).
    pub fn name_locations(&self) -> Vec<(&str, &str)> {
        let variable = format!("{{{}}}", self.name);
        let mut sites: Vec<(&str, &str)> = self
            .patterns()
            .flat_map(|pattern| pattern.split('|'))
            .filter_map(|pattern| {
                let start = pattern.find(&variable)?;
                let folder = pattern[..start].strip_suffix('/').or((start == 0).then_some(""))?;
                let after = &pattern[start + variable.len()..];
                Some((folder, after.split('/').next().unwrap_or("")))
            })
            .collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// Returns the variables of a pattern, without their braces: `plan`, `plan.number`.
pub fn pattern_variables(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(variable, _)| variable))
}

/// Returns the selectors with which one alternative of a pattern expands to a path; `None` if there
/// are none. A name does not start with `.` or `_`.
fn match_pattern(pattern: &str, path: &str) -> Option<Selectors> {
    let mut selectors = Selectors::new();
    for (pattern, component) in pattern.split('/').zip(path.split('/')) {
        let Some((variable, suffix)) =
            pattern.strip_prefix('{').and_then(|rest| rest.split_once('}'))
        else {
            continue;
        };
        let is_name = !variable.ends_with(".number") && !suffix.contains(['{', '*']);
        if is_name && !selectors.contains_key(variable) {
            let name =
                component.strip_suffix(suffix).filter(|name| !name.starts_with(['.', '_']))?;
            selectors.insert(variable.to_owned(), name.to_owned());
        }
    }
    let has_names = selectors.values().all(|name| !name.is_empty());
    (has_names && expand_pattern(pattern, &selectors).as_deref() == Some(path)).then_some(selectors)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Replaces the variables of one alternative of a pattern by the selected names; `None` if a name is
/// not selected.
pub fn expand_pattern(pattern: &str, selectors: &Selectors) -> Option<String> {
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
    fn built_in_hierarchies_have_no_defects() {
        for (name, hierarchy) in built_in() {
            assert_eq!(hierarchy.first_defect(), None, "{name}");
        }
    }

    #[test]
    fn defects_are_described() {
        let broken = |always: &str| {
            Hierarchy { levels: vec![level("team", 0, 1.0, &[always], &[], None)] }.first_defect()
        };
        assert!(broken("../x.md").unwrap().contains("below the root"));
        assert!(broken("a/*/b.md").unwrap().contains("only one `*`"));
        assert!(broken("{plan}/x.md").unwrap().contains("no level of that name"));
        assert!(broken("x/{team").unwrap().contains("brace"));
        assert!(broken("teams/team-{team}.md").unwrap().contains("must start with"));
        assert_eq!(broken("teams/{team}/*.md"), None);
    }

    #[test]
    fn patterns_expand_with_selectors() {
        let selectors: Selectors =
            [("plan".to_owned(), "0042-graph".to_owned())].into_iter().collect();
        assert_eq!(
            expand_pattern("plans/{plan}/{plan.number}-plan.md", &selectors).as_deref(),
            Some("plans/0042-graph/0042-plan.md")
        );
        assert_eq!(expand_pattern("plans/{agent}.md", &selectors), None);
    }

    #[test]
    fn selectors_are_derived_from_paths() {
        let plans = &built_in()["plans"];
        let main = |level: &str, path: &str| {
            let names = plans.level(level).unwrap().match_main_document(path)?;
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
        let names = plan.match_folder("plans/a/agents/001-x.md").unwrap();
        assert_eq!(plan.paths_of_name(&names), ["plans/a"]);
        assert_eq!(plan.match_folder("plans/Roadmap.md"), None);
        let agent = plans.level("agent").unwrap();
        let names = agent.match_main_document("plans/a/agents/001-x.md").unwrap();
        assert_eq!(
            agent.paths_of_name(&names),
            [
                "plans/a/agents/001-x.agent.md",
                "plans/a/agents/001-x.md",
                "plans/a/agents/001-x.memory.md"
            ]
        );
    }

    #[test]
    fn name_sites_come_from_the_patterns() {
        let plans = &built_in()["plans"];
        assert_eq!(plans.level("plan").unwrap().name_locations(), [("plans", "")]);
        assert_eq!(
            plans.level("agent").unwrap().name_locations(),
            [
                ("plans/{plan}/agents", ".agent.md"),
                ("plans/{plan}/agents", ".md"),
                ("plans/{plan}/agents", ".memory.md")
            ]
        );
        assert!(!plans.level("workspace").unwrap().needs_selection());
    }
}
