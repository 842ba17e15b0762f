//! The initial documents and settings of a workspace, for each hierarchy.

use heirloom_core::name;
use jiff::civil::Date;

use super::scaffold;

/// The context documents of a new workspace of plans: name, title and placeholder text.
const CONTEXT_FILES: [(&str, &str, &str); 5] = [
    ("vision", "Vision", "Where this is going, and why it is worth going there."),
    ("brand", "Brand", "Terminology, tone and style: the words we use, and those we do not."),
    ("architecture", "Architecture", "Technical principles that hold across projects."),
    (
        "nfrs",
        "Non-functional requirements",
        "Security, performance and accessibility that all work must meet.",
    ),
    ("conventions", "Conventions", "Code style, reviews and how changes land."),
];

/// The documents of a new workspace of sprints: path, name, title and placeholder text.
const SPRINT_FILES: [(&str, &str, &str, &str); 5] = [
    (
        ".memory/project/conventions/general.md",
        "general",
        "Conventions",
        "Coding standards and patterns.",
    ),
    (
        ".memory/sprint/sprint-01/goals.md",
        "goals",
        "Goals of sprint-01",
        "What this sprint is to achieve.",
    ),
    (
        ".memory/sprint/sprint-01/context.md",
        "context",
        "Context of sprint-01",
        "What is particular to this sprint.",
    ),
    (
        ".memory/stage/planning/feedback.md",
        "feedback",
        "Feedback on planning",
        "What reviews of this stage said.",
    ),
    (".memory/agent/planner/prompt.md", "prompt", "Planner", "What the planner is to do."),
];

/// Returns the documents and settings of a new workspace, by path.
pub(crate) fn initial_files(hierarchy: &str, name: &str, today: Date) -> Vec<(String, String)> {
    let config = format!(
        "# Settings of this workspace. Every key has a default; `heir` refuses a key that it does not know.\nhierarchy = \"{hierarchy}\"\n\n# [staleness]      # days\n# warning = 14\n# critical = 30\n# archive = 90\n"
    );
    let mut files = vec![(".heirloom/config.toml".to_owned(), config)];
    files.extend(match hierarchy {
        "sprints" => sprints(name, today),
        "domains" => domains(name, today),
        _ => plans(name, today),
    });
    files
}

fn plans(name: &str, today: Date) -> Vec<(String, String)> {
    let mut files = vec![(".heirloom/workspace.md".to_owned(), scaffold::workspace(name, today))];
    files.extend(CONTEXT_FILES.iter().map(|(file, title, about)| {
        (format!(".heirloom/context/{file}.md"), scaffold::context(file, title, about, today))
    }));
    for folder in [".heirloom/adrs", ".heirloom/projects", "plans"] {
        files.push((format!("{folder}/.gitkeep"), String::new()));
    }
    files
}

fn sprints(name: &str, today: Date) -> Vec<(String, String)> {
    let claude = format!("# {name}\n\nWhat every agent should know of this project.\n");
    let mut files = vec![("CLAUDE.md".to_owned(), claude)];
    files.extend(SPRINT_FILES.iter().map(|(path, name, title, about)| {
        ((*path).to_owned(), scaffold::context(name, title, about, today))
    }));
    files
}

fn domains(name: &str, today: Date) -> Vec<(String, String)> {
    let scope = name::slug(name);
    let scope = if scope.is_empty() { "main".to_owned() } else { scope };
    let overview = |title: &str| {
        format!(
            "---\nname: {title}\ndescription: What {title} is, in a sentence or two.\ntags: []\nupdated: {today}\n---\n\n# {title}\n\nWhat to know before working here.\n"
        )
    };
    let empty = |title: &str| format!("---\nupdated: {today}\n---\n\n# {title}\n");
    vec![
        (format!("resources/workspaces/{scope}/OVERVIEW.md"), overview(&scope)),
        (format!("resources/workspaces/{scope}/common/OVERVIEW.md"), overview("common")),
        (format!("user/memory/workspaces/{scope}/decisions.md"), empty("Decisions")),
        (format!("user/memory/workspaces/{scope}/lessons.md"), empty("Lessons")),
        (
            "agent/rules/common/global-conventions.md".to_owned(),
            heirloom_core::hot::templates::GLOBAL_CONVENTIONS.to_owned(),
        ),
    ]
}
