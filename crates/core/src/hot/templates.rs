//! The files of a new hot memory: three rules with their budgets, and the command that saves memory.

/// The places to which memory is saved, which depend on the hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavePlaces {
    /// Documents of workspaces and domains.
    Domains,
    /// Records and memory documents, through the commands of Heirloom.
    Records,
}

/// The name of the command that saves memory.
pub const SAVE_MEMORY: &str = "save-memory";

/// Returns the name and the text of each rule.
pub fn rules(places: SavePlaces) -> Vec<(&'static str, String)> {
    vec![
        ("user-profile.md", USER_PROFILE.to_owned()),
        ("global-conventions.md", GLOBAL_CONVENTIONS.to_owned()),
        ("workspace-workflow.md", workspace_workflow(places)),
    ]
}

const USER_PROFILE: &str = "\
<!-- budget: 50 lines -->
# User profile

Who works here, what they prefer, and how they write code. Only what more than four in five conversations need.

## Identity

- Role and experience:
- Languages to answer in:

## Preferences

- Answers:
- When to ask before acting:

## Coding style

- Languages and tools:
- Habits:
";

/// The rule with the conventions of all work.
pub const GLOBAL_CONVENTIONS: &str = "\
<!-- budget: 80 lines -->
# Global conventions

Decisions and patterns that hold for all work here. What concerns one workspace belongs into warm memory.

## Decisions

- What is decided, and why:

## Naming

- Branches, commits, files:

## Patterns

- What is done the same way everywhere:
";

fn workspace_workflow(places: SavePlaces) -> String {
    let (detect, load, save) = match places {
        SavePlaces::Domains => (
            "The workspace, domain and repository of a task follow from the folder it is about: `resources/workspaces/{workspace}/{domain}/{repository}`.",
            "- Read its overview: `OVERVIEW.md` of the workspace, the domain and the repository, or `retrieve_overview`.\n- Read what was learnt: `decisions.md` and `lessons.md` below `user/memory/workspaces/`, or `retrieve_learnings`. Decisions hold until they are replaced.\n- Look for a plan of the task below `_plans/`, or with `retrieve_plans`, before a new one is made.",
            "`user/memory/workspaces/`",
        ),
        SavePlaces::Records => (
            "The plan and the agent of a task follow from its folder below `plans/`. `heir plan list` lists all plans.",
            "- Resolve what the task inherits: `heir context resolve PLAN AGENT`, or assemble what a task needs: `heir assemble --task \"…\"`.\n- Ask what is known before deciding: `heir recall \"…\"`. Decisions hold until they are superseded.\n- Look for a plan of the task before a new one is made.",
            "memory",
        ),
    };
    format!(
        "\
<!-- budget: 100 lines -->
# Workspace workflow

How to find the workspace of a task, load its context, do the work and keep what was learnt.

## Detect the workspace

{detect}

## Load the context

{load}

## Do the task

- Standard tasks need no confirmation. Ask before something that cannot be undone.
- A task of more than an hour starts with a plan, and its status is kept up to date.

## Learn

Notice these moments and save what was learnt to {save} with the command `{SAVE_MEMORY}`:

| moment | when | what to do |
|---|---|---|
| Hard-won fix | a bug is fixed after several failed attempts | suggest a lesson: root cause and solution |
| Non-obvious solution | the solution needed knowledge that no document has | suggest a lesson |
| Conflict | a memory contradicts what is true now | ask the user to update or archive the memory |
| Decision | a choice of architecture or design is made or confirmed | suggest a decision with its reason |
| End of session | the conversation comes to its end | save what is worth it without asking, and report what was saved |
"
    )
}

/// Returns the text of the command that saves memory.
pub fn save_memory(places: SavePlaces) -> String {
    let steps = match places {
        SavePlaces::Domains => {
            "\
2. Read what is saved already: `retrieve_learnings` with the scope, or `decisions.md` and `lessons.md` below
   `user/memory/workspaces/{workspace}/` and `user/memory/workspaces/{workspace}/{domain}/`. Leave out what is there. If an
   entry contradicts what is true now, ask the user whether to update or to archive it.
3. Choose for each piece of knowledge what it is:
   - a **decision**: add it to `decisions.md`;
   - a **lesson**: add it to `lessons.md`;
   - a **change of a plan's status**: set `status` and `updated` in the front matter of the plan.
4. Choose the narrowest scope for which it holds: the domain if only that is concerned, else the workspace.
5. Add each entry to the end of the file in this format:

   ```markdown
   ### [YYYY-MM-DD] Title

   **Category:** architecture | tooling | convention | dependency | debugging | performance | configuration | integration
   **Tags:** tag1, tag2

   A decision with its reason; or what happened, the root cause, and what to do differently.

   ---
   ```

6. Report what was saved, and where."
        }
        SavePlaces::Records => {
            "\
2. Ask what is saved already: `heir recall \"…\"` for each piece. Leave out what is there. If a memory contradicts what is
   true now, ask the user whether to replace or to archive it.
3. Choose for each piece of knowledge what it is, and save it:
   - a **decision** of a plan: `heir memory add PLAN AGENT decision \"…\"`; one of the whole workspace: `heir adr new \"…\"`;
   - a **lesson** of a plan: `heir memory add PLAN AGENT lesson \"…\"`;
   - a **fact** that holds beyond the plan: `heir fact add --section SECTION \"…\"`;
   - a **change of a plan's status**: set `status` and `updated` in the front matter of the plan.
4. State the root cause and the solution of a lesson, and the reason of a decision.
5. Report what was saved, and where."
        }
    };
    format!(
        "\
---
description: Save the decisions, lessons and changes of plans of this conversation to memory. Use it at the end of a session, or when the user says \"save memory\".
---

# Save memory

Do this yourself and do not hand it to a sub-agent, which would not know the conversation.

1. Go through the conversation for knowledge that the next one will need: decisions with their reasons, mistakes with their
   root causes, fixes that took several attempts, solutions that no document has.
{steps}

Save nothing that the code, the history of git or a document says already, and never a secret.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hot::budget;

    #[test]
    fn every_rule_states_a_budget_and_keeps_to_it() {
        for places in [SavePlaces::Domains, SavePlaces::Records] {
            let stated: Vec<(usize, usize)> = rules(places)
                .iter()
                .map(|(name, text)| {
                    let budget = budget::stated_budget(name, text).unwrap().unwrap();
                    (budget::count_lines(text), budget.lines.unwrap())
                })
                .collect();
            assert_eq!(stated.iter().map(|(_, limit)| limit).collect::<Vec<_>>(), [&50, &80, &100]);
            assert!(stated.iter().all(|(lines, limit)| lines * 2 < *limit), "{stated:?}");
        }
    }
}
