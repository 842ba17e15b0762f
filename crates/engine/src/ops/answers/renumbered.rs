//! A record or a plan with another number.

use heirloom_store::journal::Rename;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::WriteTransaction;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::Edit;

/// What was renumbered, and where.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Renumbered {
    /// What it was called.
    before: String,
    /// What it is called now.
    after: String,
    /// Files and folders that have another name, in order.
    renamed: Vec<Renamed>,
    /// Documents in which it is named, with how many places of each were rewritten.
    edited: Vec<Edited>,
    /// Places that could mean something else with the same number. They were left alone; decide on
    /// each yourself.
    left_alone: Vec<Place>,
    /// Relations of the log that follow it.
    #[serde(skip_serializing_if = "is_zero")]
    relations: usize,
    /// Whether nothing was really done.
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Renamed {
    from: String,
    to: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Edited {
    /// Its path before the renames.
    path: String,
    /// How many places were rewritten.
    replaced: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    /// Its path before the renames.
    path: String,
    /// The line.
    line: usize,
    /// What is written there.
    written: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Renumbered {
    /// Describes renames and edits, and hands them to a transaction unless it is a dry run.
    pub(crate) fn prepare(
        names: [String; 2],
        renames: Vec<Rename>,
        edits: Vec<Edit<'_>>,
        transaction: Option<&mut WriteTransaction<'_>>,
    ) -> Self {
        let [before, after] = names;
        let mut answer = Renumbered {
            before,
            after,
            renamed: vec![],
            edited: vec![],
            left_alone: vec![],
            relations: 0,
            dry_run: transaction.is_none(),
        };
        for edit in &edits {
            let path = &edit.filed.document.path;
            if edit.replaced > 0 {
                answer.edited.push(Edited { path: path.clone(), replaced: edit.replaced });
            }
            answer.left_alone.extend(edit.unclear.iter().map(|left| Place {
                path: path.clone(),
                line: left.line,
                written: left.written.clone(),
            }));
        }
        let renamed =
            |rename: &Rename| Renamed { from: rename.from.clone(), to: rename.to.clone() };
        answer.renamed = renames.iter().map(renamed).collect();
        if let Some(transaction) = transaction {
            for edit in edits.into_iter().filter(|edit| edit.replaced > 0) {
                transaction.edit(&edit.filed.document.path, Some(&edit.filed.text), edit.after);
            }
            renames.into_iter().for_each(|rename| transaction.rename(rename));
        }
        answer
    }

    /// Adds how many relations of the log follow.
    pub(crate) fn with_relations(self, relations: usize) -> Self {
        Renumbered { relations, ..self }
    }
}

impl Answer for Renumbered {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Key, &self.before),
            " is now ".into(),
            span(Role::Key, &self.after),
            span(Role::Dim, if self.dry_run { "  (dry run: nothing was changed)" } else { "" }),
        ]);
        let verb =
            |done: &'static str, would: &'static str| if self.dry_run { would } else { done };
        for renamed in &self.renamed {
            view.line([
                span(Role::Good, verb("  renamed ", "  would rename ")),
                span(Role::Source, &renamed.from),
                " → ".into(),
                span(Role::Source, &renamed.to),
            ]);
        }
        for edited in &self.edited {
            view.line([
                span(Role::Good, verb("  edited ", "  would edit ")),
                span(Role::Source, &edited.path),
                format!(" ({})", present::count(edited.replaced, "place")).into(),
            ]);
        }
        if self.relations > 0 {
            view.line([span(
                Role::Good,
                format!("  moved {}", present::count(self.relations, "relation")),
            )]);
        }
        if !self.left_alone.is_empty() {
            view.line([span(
                Role::Warning,
                format!("⚠️ left alone, because {} may mean another one:", self.before),
            )]);
            for place in &self.left_alone {
                view.line([
                    span(Role::Source, format!("     {}:{}", place.path, place.line)),
                    format!("  {}", place.written).into(),
                ]);
            }
        }
        view
    }
}
