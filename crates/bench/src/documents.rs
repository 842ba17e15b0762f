//! The documents of a generated workspace, each of 1 to 4 KB.

use crate::prose::Prose;

/// The projects that the plans belong to.
pub(crate) const PROJECTS: [&str; 10] = [
    "atlas", "beacon", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper",
];
/// Pairs of a decision and the later one that supersedes it.
const SUPERSEDED: [(u32, u32); 2] = [(3, 9), (5, 11)];

/// Returns `workspace.md`, whose defaults every level below may override.
pub(crate) fn workspace_document(prose: &mut Prose) -> String {
    format!(
        "---\nname: generated\ntype: workspace\ncreated: 2026-01-01\nupdated: 2026-02-18\n---\n\n\
         # Workspace: generated\n\n{}\n\n## Mission\n\n{}\n\n## Principles\n\n{}\n\n{}\n## Defaults\n\n\
         These hold unless a project, plan or agent says otherwise:\n\n\
         ```yaml\ndefaults:\n  language: Rust\n  test_framework: nextest\n  test_coverage: 80\n  \
         reviewers: 1\n  pr_process: squash-merge\n  labels: [generated]\n  limits:\n    \
         response_ms: 200\n    memory_mb: 256\n```\n",
        prose.paragraph(2),
        prose.paragraph(3),
        prose.list(6),
        prose.section("How we work"),
    )
}

/// Returns a context document, of the workspace or of a plan.
pub(crate) fn context_document(subject: &str, prose: &mut Prose) -> String {
    let first = prose.word();
    let second = prose.word();
    format!(
        "---\ndescription: What holds for {subject}\ntags: [{first}, {second}]\nupdated: {}\n---\n\n\
         # {subject}\n\n{}\n\n{}\n{}\n## Rules\n\n{}\n",
        prose.date(),
        prose.paragraph(2),
        prose.section("Direction"),
        prose.section("Limits"),
        prose.list(5),
    )
}

/// Returns a decision record in the format of MADR.
pub(crate) fn adr(number: u32, prose: &mut Prose) -> String {
    let mut status = String::from("status: accepted\n");
    for (old, new) in SUPERSEDED {
        if number == old {
            status = format!("status: superseded\nsuperseded_by: ADR-{new:04}\n");
        } else if number == new {
            status.push_str(&format!("supersedes: ADR-{old:04}\n"));
        }
    }
    let title = prose.title();
    format!(
        "---\ntitle: {title}\ntype: adr\n{status}created: 2026-01-{number:02}\nupdated: 2026-02-{number:02}\n\
         ---\n\n# ADR-{number:04}: {title}\n\n{}\n## Considered options\n\n{}\n\n{}\n## Consequences\n\n{}\n",
        prose.section("Context and problem statement"),
        prose.list(3),
        prose.section("Decision outcome"),
        prose.list(4),
    )
}

/// Returns `project.md`.
pub(crate) fn project_document(project: &str, prose: &mut Prose) -> String {
    format!(
        "---\ntitle: {project}\nstatus: active\ncreated: 2026-01-01\nupdated: {}\n\
         overrides: [defaults.test_coverage]\ndefaults:\n  test_coverage: {}\n  labels: [{project}]\n---\n\n\
         # Project: {project}\n\n{}\n\n## Goals\n\n{}\n\n{}\n{}",
        prose.date(),
        80 + prose.below(10),
        prose.paragraph(3),
        prose.list(5),
        prose.section("Constraints"),
        prose.section("Team conventions"),
    )
}

/// Returns the document of a plan, which belongs to a project and overrides some defaults.
pub(crate) fn plan_document(number: u32, prose: &mut Prose) -> String {
    let title = prose.title();
    let project = PROJECTS[number as usize % PROJECTS.len()];
    format!(
        "---\ntitle: {title}\nstatus: {}\nworkType: {}\nproject: {project}\ntags: [{}, {}]\n\
         created: 2026-01-01\nupdated: {}\noverrides: [defaults.test_coverage, defaults.reviewers]\n\
         defaults:\n  test_coverage: {}\n  reviewers: 2\n  labels: [{}]\n---\n\n\
         # {title}\n\n{}\n\n{}\n{}\n## Features\n\n{}\n\n## Risks\n\n{}\n",
        prose.pick(&["draft", "active", "paused", "done"]),
        prose.pick(&["feature", "bug", "refactor", "docs"]),
        prose.word(),
        prose.word(),
        prose.date(),
        90 + prose.below(10),
        prose.word(),
        prose.paragraph(3),
        prose.section("Scope"),
        prose.section("Approach"),
        prose.list(6),
        prose.list(3),
    )
}

/// Returns `plan.memory.md`.
pub(crate) fn plan_memory(plan: &str, prose: &mut Prose) -> String {
    format!(
        "---\nplan: {plan}\ncreated: 2026-01-15\nupdated: {}\ncontributors: [\"001\", \"002\"]\n---\n\n\
         # Plan Memory\n\n## Shared Discoveries\n\n{}\n\n## Plan Decisions\n\n{}\n\n\
         ## Lessons Learned\n\n{}\n\n## Open Questions\n\n- [ ] {}\n",
        prose.date(),
        prose.list(5),
        decisions(prose),
        prose.list(4),
        prose.sentence(),
    )
}

/// Returns the document of an agent.
pub(crate) fn agent_document(plan: &str, prose: &mut Prose) -> String {
    let title = prose.title();
    format!(
        "---\ntitle: {title}\nstatus: {}\nplan: {plan}\ncreated: 2026-01-10\nupdated: {}\n\
         defaults:\n  labels: [{}]\n---\n\n\
         # {title}\n\n{}\n\n## Objective\n\n{}\n\n## Tasks\n\n{}\n\n## Acceptance\n\n{}\n",
        prose.pick(&["GAP", "WIP", "PASS", "BLOCKED"]),
        prose.date(),
        prose.word(),
        prose.paragraph(2),
        prose.paragraph(3),
        prose.list(5),
        prose.list(3),
    )
}

/// Returns the memory document of an agent.
pub(crate) fn agent_memory(plan: &str, agent: &str, prose: &mut Prose) -> String {
    let date = prose.date();
    format!(
        "---\nagent: {agent}\nplan: {plan}\ncreated: 2026-01-12\nupdated: {date}\nsessions: {}\n---\n\n\
         # Agent Memory\n\n## Findings\n\n{}\n\n## Decisions\n\n{}\n\n## Blockers\n\n- [x] {}\n- [ ] {}\n\n\
         ## Session Log\n\n### Session 1 — {date}\n\n{}\n",
        1 + prose.below(9),
        prose.list(5),
        decisions(prose),
        prose.sentence(),
        prose.sentence(),
        prose.list(3),
    )
}

fn decisions(prose: &mut Prose) -> String {
    let mut table = String::from("| Decision | Choice | Rationale | Date |\n|---|---|---|---|");
    for _ in 0..3 {
        let (decision, choice) = (prose.title(), prose.title());
        table.push_str(&format!(
            "\n| {decision} | {choice} | {} | {} |",
            prose.sentence(),
            prose.date()
        ));
    }
    table
}
